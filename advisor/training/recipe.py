"""The recipe of a training, everything that is chosen before the first step, and its result. No torch here."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from advisor.errors import InputError, Problem, did_you_mean
from advisor.wording import shorten

LEARNING_RATES: Mapping[str, float] = {
    "sgd": 0.1,
    "sgd_momentum": 0.02,
    "sgd_nesterov": 0.02,
    "adagrad": 0.02,
    "adadelta": 1.0,
    "rmsprop": 1e-3,
    "adam": 3e-3,
    "adamw": 3e-3,
    "nadam": 3e-3,
    "lbfgs": 1.0,
    "lars": 0.1,
    "lamb": 2e-3,
}
"""An optimiser is compared with a learning rate that suits it: Adam's would make plain SGD look bad. With so few steps
and a rate that falls to zero, Adam's usual 0.001 leaves small networks half trained.
"""
OPTIMIZERS = tuple(LEARNING_RATES)
SCHEDULES = ("constant", "linear", "cosine", "step", "warmup_stable_decay", "one_cycle")
AS_BUILT = "as_built"
INITIALISATIONS = ("small_normal", "glorot", "he", "lecun", "orthogonal", AS_BUILT)
"""The initial weights; with `as_built` from the weights that the builder of the network gave it."""
PRECISIONS = ("fp32", "bf16")


@dataclass(frozen=True, slots=True)
class Recipe:
    """The settings of a training. Every field is a plain value, so that `asdict` and `Recipe(**...)` go through JSON.

    Raises InputError with every wrong value at once.
    """

    optimizer: str = "adamw"
    learning_rate: float = 1e-3
    """L-BFGS, which searches for the length of each step, makes no use of it, nor of the schedule."""
    batch_size: int = 64
    """Examples a step, at most: the last batch of an epoch is never a small rest. L-BFGS takes all examples a step."""
    epochs: int = 100
    init: str = "he"
    """For whoever builds the network; the loop takes the weights as they are."""
    schedule: str = "cosine"
    warmup_share: float = 0.0
    """The share of all steps over which the learning rate rises from about zero, 0 to 1 (without the 1)."""
    weight_decay: float = 0.0
    """On matrices and filters only, never on biases and the gains of normalisations."""
    clip_norm: float | None = None
    """The largest norm of all gradients together; L-BFGS, whose line search needs true gradients, is not clipped."""
    precision: str = "fp32"
    patience: int | None = 10
    """Epochs without improvement on the validation examples after which training ends; None for never."""
    seed: int = 0
    threads: int | None = None
    """None leaves torch's number as it is."""

    def __post_init__(self) -> None:
        problems = list(self._problems())
        if problems:
            raise InputError("The recipe of the training is not right", problems)

    def _problems(self) -> Iterator[Problem]:
        for field, known in _NAMES.items():
            name = getattr(self, field)
            if name not in known:
                yield Problem(field, f"{shorten(name)} is not known.", did_you_mean(str(name), known))
        for field in _WHOLE:
            number = getattr(self, field)
            if not _whole(number, least=1) and not (number is None and field in _MAY_BE_NONE):
                yield Problem(field, f"{shorten(number)} is no whole number from 1.", "Give 1 or more.")
        if not _whole(self.seed, least=0):
            yield Problem("seed", f"{shorten(self.seed)} is no whole number from 0.", "Give 0 or more.")
        if not _number(self.learning_rate) or self.learning_rate <= 0:
            yield Problem("learning_rate", f"{shorten(self.learning_rate)} is not above 0.", "Try 0.001.")
        if self.clip_norm is not None and (not _number(self.clip_norm) or self.clip_norm <= 0):
            yield Problem("clip_norm", f"{shorten(self.clip_norm)} is not above 0.", "Try 1, or null for none.")
        if not _number(self.weight_decay) or self.weight_decay < 0:
            yield Problem("weight_decay", f"{shorten(self.weight_decay)} is not 0 or more.", "Try 0.01.")
        if not _number(self.warmup_share) or not 0 <= self.warmup_share < 1:
            yield Problem("warmup_share", f"{shorten(self.warmup_share)} is no share below 1.", "Try 0.05.")


_NAMES = {"optimizer": OPTIMIZERS, "init": INITIALISATIONS, "schedule": SCHEDULES, "precision": PRECISIONS}
_WHOLE = ("batch_size", "epochs", "patience", "threads")
_MAY_BE_NONE = ("patience", "threads")


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _whole(value: Any, *, least: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and least <= value < 2**63


@dataclass(frozen=True, slots=True)
class Epoch:
    """One pass over all training examples."""

    number: int
    """From 1."""
    loss: float
    """The mean over the examples, each before the step it took part in; of several players the sum of theirs."""
    validation: float | None
    """The score, or else the loss of the validation examples; None where there are neither."""
    seconds: float
    """With its validation."""


class Stop(StrEnum):
    """The reason why a training ended."""

    EPOCHS = "epochs"  # all were done
    EARLY = "early"  # no improvement for as many epochs as the recipe's patience
    TIME = "time"  # the deadline came
    DIVERGED = "diverged"  # the loss was no number any more


@dataclass(frozen=True, slots=True)
class Trained:
    """The course of a training; its module holds the best weights."""

    history: tuple[Epoch, ...]
    best_epoch: int
    """The epoch after which the weights were as the module has them now; 0 before the first, so that none was finished."""
    best_validation: float | None
    stopped: Stop
    seconds: float
