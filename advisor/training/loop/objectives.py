"""The quantities that training makes small: an objective joins a network with its loss, and says who plays against whom."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from torch import Tensor, nn

from advisor.networks.builders import Loss

Batch: TypeAlias = tuple[Tensor, ...]
"""The same examples of every tensor of the training data: inputs and targets, or inputs alone."""


@dataclass(frozen=True, slots=True)
class Player:
    """Parameters with the loss that they, and only they, make small."""

    parameters: tuple[nn.Parameter, ...]
    loss: Callable[[Batch], Tensor]
    """A batch -> one number. May draw random numbers from torch's global generator."""


class Objective:
    """A network with its loss, as the loop trains it.

    In each step the loop lets every player in turn forget its gradients, compute its loss on the batch, and step; with
    one player that is ordinary training.
    """

    def __init__(self, module: nn.Module) -> None:
        self.module = module
        """Everything that has weights; put into training or evaluation mode, saved and restored as a whole."""

    def loss(self, batch: Batch) -> Tensor:
        """One number for a batch: what validation watches and, of a single player, what is trained."""
        raise NotImplementedError

    def players(self) -> list[Player]:
        """The players, in the order of their turns: one that makes `loss` small, unless there are several."""
        return [Player(tuple(self.module.parameters()), self.loss)]


class Supervised(Objective):
    """Batches of inputs and targets: the loss compares what the network gives with the targets."""

    def __init__(self, network: nn.Module, loss: Loss) -> None:
        super().__init__(network)
        self._loss = loss

    def loss(self, batch: Batch) -> Tensor:
        inputs, targets = batch
        return self._loss(self.module(inputs), targets)
