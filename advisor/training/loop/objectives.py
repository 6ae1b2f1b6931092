"""What training makes small: an objective joins a network with its loss, and says who plays against whom."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol, TypeAlias

import torch
from torch import Tensor, nn
from torch.nn import functional

from advisor.networks.gan import Adversaries
from advisor.networks.losses import Loss, adversarial, loss_function
from advisor.networks.spec import NetworkSpec, reconstructs

Batch: TypeAlias = tuple[Tensor, ...]
"""The same examples of every tensor of the training data: inputs and targets, or inputs alone."""


@dataclass(frozen=True, slots=True)
class Player:
    """Parameters with the loss that they, and only they, make small."""

    parameters: tuple[nn.Parameter, ...]
    loss: Callable[[Batch], Tensor]
    """A batch -> one number. May draw random numbers from torch's global generator."""


class Objective(Protocol):
    """What the loop trains.

    In each step the loop lets every player in turn forget its gradients, compute its loss on the batch, and step; with
    one player that is ordinary training.
    """

    @property
    def module(self) -> nn.Module:
        """Everything that has weights; put into training or evaluation mode, saved and restored as a whole."""

    def loss(self, batch: Batch) -> Tensor:
        """One number for a batch: what validation watches and, of a single player, what is trained."""

    def parameters(self) -> Iterator[nn.Parameter]:
        """All that is trained, of all players."""

    def players(self) -> list[Player]:
        """Who takes part, in the order of their turns."""


class SinglePlayer:
    """An objective whose parameters all make the same loss small."""

    def __init__(self, module: nn.Module) -> None:
        self._module = module

    @property
    def module(self) -> nn.Module:
        return self._module

    def loss(self, batch: Batch) -> Tensor:
        raise NotImplementedError

    def parameters(self) -> Iterator[nn.Parameter]:
        return self._module.parameters()

    def players(self) -> list[Player]:
        return [Player(tuple(self.parameters()), self.loss)]


class Supervised(SinglePlayer):
    """Batches of inputs and targets: the loss compares what the network gives with the targets."""

    def __init__(self, network: nn.Module, loss: Loss) -> None:
        super().__init__(network)
        self._loss = loss

    def loss(self, batch: Batch) -> Tensor:
        inputs, targets = batch
        return self._loss(self.module(inputs), targets)


class Unsupervised(SinglePlayer):
    """Batches that begin with the inputs: the loss compares what the network gives with the inputs themselves.

    Autoencoders restore them (mse), variational ones bound their evidence (elbo), diffusion models guess noise
    (noise_prediction), Boltzmann machines go to their hidden units and back (contrastive_divergence).
    """

    def __init__(self, network: nn.Module, loss: Loss) -> None:
        super().__init__(network)
        self._loss = loss

    def loss(self, batch: Batch) -> Tensor:
        return self._loss(self.module(batch[0]), batch[0])


class Adversarial:
    """Batches that begin with real examples: the judge's turn, then the generator's (Goodfellow et al. 2014, algorithm 1).

    The loss, both players' in sum, says little about how good the examples are: don't stop early by it.

    Args:
        penalty: on the judge's slope at real examples, without which the two often circle or collapse (R1 with this gamma,
            Mescheder, Geiger and Nowozin 2018, arXiv:1801.04406, equation 9). 0 for none.
    """

    def __init__(self, adversaries: Adversaries, penalty: float = 1.0) -> None:
        self._adversaries, self._penalty = adversaries, penalty

    @property
    def module(self) -> nn.Module:
        return self._adversaries

    def loss(self, batch: Batch) -> Tensor:
        return adversarial(self._adversaries(batch[0]), batch[0])

    def parameters(self) -> Iterator[nn.Parameter]:
        return self._adversaries.parameters()

    def players(self) -> list[Player]:
        judge, generator = self._adversaries.judge, self._adversaries.generator
        return [
            Player(tuple(judge.parameters()), self._judging),
            Player(tuple(generator.parameters()), self._passing_off),
        ]

    def _judging(self, batch: Batch) -> Tensor:
        real = batch[0]
        with torch.no_grad():
            produced = self._adversaries.produce(len(real), device=real.device)
        judge = self._adversaries.judge
        if self._penalty and torch.is_grad_enabled():
            real = real.detach().requires_grad_()
        verdict = judge(real)
        loss = functional.softplus(-verdict).mean() + functional.softplus(judge(produced)).mean()
        if real.requires_grad:
            (slope,) = torch.autograd.grad(verdict.sum(), real, create_graph=True)
            loss = loss + self._penalty / 2 * slope.flatten(1).square().sum(1).mean()
        return loss

    def _passing_off(self, batch: Batch) -> Tensor:
        produced = self._adversaries.produce(len(batch[0]), device=batch[0].device)
        return functional.softplus(-self._adversaries.judge(produced)).mean()


def objective(spec: NetworkSpec, network: nn.Module) -> Objective:
    """How a network built from this description is trained on batches of its inputs (and targets, where it has any).

    A gnn is trained on nodes of one graph, see advisor.training.families.graphs.
    Raises UnbuildableError where the loss does not fit the network.
    """
    loss = loss_function(spec)
    if isinstance(network, Adversaries):
        return Adversarial(network)
    return Unsupervised(network, loss) if reconstructs(spec) else Supervised(network, loss)
