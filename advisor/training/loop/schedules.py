"""Schedules of the learning rate from step to step, as a share of the rate that was given."""

from __future__ import annotations

import math
from collections.abc import Callable

from torch.optim import Optimizer
from torch.optim.lr_scheduler import LambdaLR

Factor = Callable[[float], float]
"""The share of the training that is behind, 0 to 1 (without the 1) -> the share of the learning rate."""

_DECAY = 0.2
_RISE = 0.3
_START = 1 / 25
_END = 1e-4


def schedule(name: str, optimizer: Optimizer, steps: int, warmup: int = 0) -> LambdaLR:
    """The schedule of this name for so many steps; call its `step` after every optimizer step.

    Over the first `warmup` steps the rate rises in a straight line, then the schedule runs over those that are left.
    """
    return LambdaLR(optimizer, lambda step: factor(name, step, steps, warmup))


def factor(name: str, step: int, steps: int, warmup: int = 0) -> float:
    """The share of the learning rate at this step, counted from 0."""
    if step < warmup:
        return (step + 1) / (warmup + 1)
    return _FACTORS[name](min(1.0, (step - warmup) / max(1, steps - warmup)))


def _constant(done: float) -> float:
    return 1.0


def _linear(done: float) -> float:
    return 1 - done


def _cosine(done: float) -> float:
    """Loshchilov and Hutter 2017 (arXiv:1608.03983), equation 5, without restarts and down to zero."""
    return (1 + math.cos(math.pi * done)) / 2


def _step(done: float) -> float:
    """A tenth after half of the steps, a hundredth after three quarters, as in He et al. 2016 (arXiv:1512.03385), 4.2."""
    return 1.0 if done < 0.5 else 0.1 if done < 0.75 else 0.01


def _warmup_stable_decay(done: float) -> float:
    """Constant, then in a straight line to zero over the last fifth (Hägele et al. 2024, arXiv:2405.18392, section 3)."""
    return min(1.0, (1 - done) / _DECAY)


def _one_cycle(done: float) -> float:
    """Up from a 25th over the first 30 %, then down to nearly nothing, both along a cosine.

    Smith and Topin 2018 (arXiv:1708.07120); the momentum stays as it is.
    """
    if done < _RISE:
        return _START + (1 - _START) * (1 - _cosine(done / _RISE))
    return _END + (1 - _END) * _cosine((done - _RISE) / (1 - _RISE))


_FACTORS: dict[str, Factor] = {
    "constant": _constant,
    "linear": _linear,
    "cosine": _cosine,
    "step": _step,
    "warmup_stable_decay": _warmup_stable_decay,
    "one_cycle": _one_cycle,
}
