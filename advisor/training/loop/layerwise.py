"""LARS and LAMB, which scale the rate of each layer; made for batches of thousands."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import Tensor
from torch.optim import Optimizer


class Lars(Optimizer):
    """SGD with momentum whose rate each layer scales by the size of its weights over that of its gradients.

    You, Gitman and Ginsburg 2017 (arXiv:1708.03888), algorithm 1: with rate r, momentum m, decay d and trust t, a layer
    with weights w and gradient g makes v <- m v + r t |w| / (|g| + d |w|) (g + d w), w <- w - v. Biases and gains, and
    weights that are all zero, take plain steps. As t is 0.001, the rate is a hundred times that of SGD or more.
    """

    def __init__(
        self, params: Iterable[Any], lr: float, momentum: float = 0.9, weight_decay: float = 0.0, trust: float = 1e-3
    ) -> None:
        super().__init__(params, {"lr": lr, "momentum": momentum, "weight_decay": weight_decay, "trust": trust})

    @torch.no_grad()
    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """One step along the gradients that are there. Returns what the closure, called first, gives."""
        loss = _again(closure)
        for group in self.param_groups:
            decay = group["weight_decay"]
            for weight in _with_gradient(group):
                pull = weight.grad + decay * weight
                size, slope = weight.norm(), weight.grad.norm()
                rate = group["lr"] * _ratio(weight, group["trust"] * size, slope + decay * size)
                velocity = self.state[weight].setdefault("velocity", torch.zeros_like(weight))
                velocity.mul_(group["momentum"]).add_(rate * pull)
                weight.sub_(velocity)
        return loss


class Lamb(Optimizer):
    """Adam whose step each layer scales to the size of its weights.

    You et al. 2020 (arXiv:1904.00962), algorithm 2 with the identity for phi: with Adam's corrected means m and s of the
    gradients and their squares, u = m / (sqrt(s) + e) + d w, and w <- w - r |w| / |u| u. Biases and gains, and weights
    that are all zero, take Adam's steps.
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: float,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-6,
        weight_decay: float = 0.0,
    ) -> None:
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """One step along the gradients that are there. Returns what the closure, called first, gives."""
        loss = _again(closure)
        for group in self.param_groups:
            first, second = group["betas"]
            for weight in _with_gradient(group):
                state = self.state[weight]
                number = state["step"] = state.get("step", 0) + 1
                mean = state.setdefault("mean", torch.zeros_like(weight))
                square = state.setdefault("square", torch.zeros_like(weight))
                mean.lerp_(weight.grad, 1 - first)
                square.lerp_(weight.grad.square(), 1 - second)
                spread = (square / (1 - second**number)).sqrt()
                update = mean / (1 - first**number) / (spread + group["eps"]) + group["weight_decay"] * weight
                weight.sub_(group["lr"] * _ratio(weight, weight.norm(), update.norm()) * update)
        return loss


def _again(closure: Callable[[], Any] | None) -> Any:
    if closure is None:
        return None
    with torch.enable_grad():
        return closure()


def _with_gradient(group: dict[str, Any]) -> list[Any]:
    return [weight for weight in group["params"] if weight.grad is not None]


def _ratio(weight: Tensor, above: Tensor, below: Tensor) -> Tensor | float:
    """The scale of a layer's rate; 1 for biases, gains, and where a layer or its gradient is all zero."""
    if weight.dim() <= 1:
        return 1.0
    return torch.where((above > 0) & (below > 0), above / below, 1.0)
