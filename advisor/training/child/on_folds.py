"""One candidate on the folds of a rung: a training that the clock has cut is repeated, or does not count."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from advisor.training.ladder.trial_record import Status


@dataclass(frozen=True, slots=True)
class Once:
    """One training and what it scored."""

    score: float
    loss: float | None = None
    """See `Trial.losses`."""
    epochs: int | None = None
    cut: bool = False
    """True if the clock ended it."""
    hurried: bool = False
    """See `Trial.hurried`."""


@dataclass(frozen=True, slots=True)
class OnFolds:
    """The scores of a candidate on the folds that count."""

    scores: Mapping[int, float]
    """By the place of the fold, in order."""
    losses: Mapping[int, float]
    """The same; empty unless each has one."""
    status: Status
    epochs: int | None
    hurried: bool


def on_folds(
    fit: Callable[[int], Once], width: int, until: float, clock: Callable[[], float] = time.monotonic
) -> OnFolds:
    """Scores on as many of the folds as there is time for: one in any case, whole trainings if there are any.

    Args:
        fit: trains on the fold of this place.
        until: a time of the clock, past which no fold is expected to end.
    """
    whole: dict[int, Once] = {}
    cut: dict[int, Once] = {}
    seconds: list[float] = []

    def take(place: int) -> None:
        begun = clock()
        once = fit(place)
        seconds.append(clock() - begun)
        if once.cut:
            cut[place] = once
        else:
            whole[place] = once
            cut.pop(place, None)

    for place in range(width):
        if seconds and clock() + min(seconds) > until:
            break
        take(place)
    for place in list(cut) if whole else ():  # where all were cut, another would be cut as well
        if clock() + max(seconds) > until:
            break
        take(place)
    kept = dict(sorted((whole or cut).items()))
    status = Status.DONE if len(whole) == width else Status.SHORT if whole else Status.CUT
    epochs = max((once.epochs for once in kept.values() if once.epochs is not None), default=None)
    losses = {place: once.loss for place, once in kept.items() if once.loss is not None}
    scores = {place: once.score for place, once in kept.items()}
    hurried = any(once.hurried for once in kept.values())
    return OnFolds(scores, losses if len(losses) == len(scores) else {}, status, epochs, hurried)
