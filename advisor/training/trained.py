"""The result of a training: its epochs, and how it ended. No torch here."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


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
    """Of all runs, where it was resumed."""
