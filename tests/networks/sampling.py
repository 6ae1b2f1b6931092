"""New examples from the networks that can make them."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import torch
from torch import Generator, Tensor, nn


@runtime_checkable
class Producer(Protocol):
    """A network that makes examples: vae, gan, diffusion, rbm, dbn."""

    def sample(self, number: int, generator: Generator | None = None) -> Tensor:
        """So many examples, in the shape and units of those it was trained on."""


def sample(network: nn.Module, number: int, seed: int = 0) -> Tensor:
    """(number, ...) of new examples, of a network on the processor; the same for the same seed and weights.

    Raises TypeError for a network that makes none.
    """
    if not isinstance(network, Producer):
        raise TypeError(f"A {type(network).__name__} makes no new examples.")
    training = network.training
    network.eval()
    try:
        with torch.no_grad():
            return network.sample(number, torch.Generator().manual_seed(seed))
    finally:
        network.train(training)
