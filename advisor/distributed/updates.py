"""Changes of weights by a gradient that arrives, or by the average of several workers: the same for real and simulated runs.

All weights of a network are one flat vector here, which an optimiser of torch changes in place.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor, optim
from torch.optim import Optimizer

from advisor.distributed.strategies import Strategy

_TINY = 1e-7
"""Keeps the adaptive correction from a division by zero (Zheng et al. 2017, section 6)."""


class Server:
    """The weights that workers push to and pull from, with an optimiser and, where the strategy has one, a correction.

    Args:
        weights: shape (weights,); changed in place.
        rate: the learning rate of one worker's batch.
    """

    def __init__(self, weights: Tensor, strategy: Strategy, rate: float) -> None:
        self.weights = weights
        self.updates = 0
        """Applied so far."""
        self._optimizer = server_optimizer(weights, str(strategy.settings.get("server", "sgd")), rate)
        self._strength = strategy.number("lambda")
        self._decay = strategy.settings.get("decay")
        self._squares = torch.zeros_like(weights) if self._decay is not None else None

    def push(self, gradient: Tensor, pulled: Tensor | None = None, times: float = 1.0) -> None:
        """Apply one gradient.

        Args:
            gradient: shape (weights,), of the weights that the worker pulled.
            pulled: these weights; None where nothing is corrected.
            times: the learning rate is multiplied by it, as for a gradient that is the average of several workers.
        """
        if pulled is not None and self._strength:
            gradient = self._corrected(gradient, pulled)
        step(self._optimizer, self.weights, gradient, times)
        self.updates += 1

    def _corrected(self, gradient: Tensor, pulled: Tensor) -> Tensor:
        """The gradient as it would be at the present weights, to first order: Zheng et al. 2017, equations 10 and 14."""
        squared = gradient * gradient
        strength: Tensor | float = self._strength
        if self._squares is not None and self._decay is not None:
            self._squares.mul_(float(self._decay)).add_(squared, alpha=1 - float(self._decay))
            strength = self._strength / (self._squares + _TINY).sqrt()
        return gradient + strength * squared * (self.weights - pulled)


class Outer:
    """The outer optimiser of DiLoCo: a step of Nesterov's method against what the workers have changed on average."""

    def __init__(self, weights: Tensor, strategy: Strategy) -> None:
        self.weights = weights
        momentum = strategy.number("momentum")
        self._optimizer = optim.SGD(
            [weights], lr=strategy.number("rate", 1.0), momentum=momentum, nesterov=momentum > 0
        )

    def average(self, workers: Tensor) -> None:
        """Change the weights by the average of the workers' weights, shape (weights,)."""
        step(self._optimizer, self.weights, self.weights - workers)


def server_optimizer(weights: Tensor, name: str, rate: float) -> Optimizer:
    """`sgd` or `adagrad`, over the flat vector."""
    kinds: dict[str, Callable[..., Optimizer]] = {"sgd": optim.SGD, "adagrad": optim.Adagrad}
    return kinds[name]([weights], lr=rate)


def step(optimizer: Optimizer, weights: Tensor, gradient: Tensor, times: float = 1.0) -> None:
    """One step of an optimiser over a flat vector, with its learning rate multiplied for this once."""
    group = optimizer.param_groups[0]
    usual = group["lr"]
    weights.grad = gradient
    group["lr"] = usual * times
    optimizer.step()
    group["lr"] = usual
    weights.grad = None
