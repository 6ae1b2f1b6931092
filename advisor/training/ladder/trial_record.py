"""One candidate on one rung of the ladder, as it is told, kept and counted. No torch here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class Kind(StrEnum):
    """The kind of a candidate, from simple to not."""

    TRIVIAL = "trivial"
    """Looks at no input: the most frequent class, the mean, an earlier value."""
    BASELINE = "baseline"
    """Learns, but is no network: linear, nearest neighbours, trees."""
    NETWORK = "network"


class Stage(StrEnum):
    """The rungs of the ladder, in their order."""

    TRIVIAL = "trivial"
    BASELINES = "baselines"
    NETWORKS = "networks"
    VARIATIONS = "variations"
    TOGETHER = "together"
    """Several models that were tried before, whose answers are averaged."""


class Status(StrEnum):
    DONE = "done"
    SHORT = "out of time"
    """Fewer folds than the rung has; the scores that are there are those of whole trainings."""
    CUT = "cut short"
    """No training came to its end in the time; the scores are those of the weights it had by then."""
    FAILED = "failed"
    SLOW = "too slow"
    """Not begun, since there is no time for enough of its training to judge it."""


@dataclass(frozen=True, slots=True)
class Trial:
    """One candidate on one rung: trained on some folds, scored on what each left out."""

    name: str
    kind: Kind
    stage: Stage
    rung: int
    """The folds: rung 0 the first few, rung 1 the next."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    scores: tuple[float, ...] = ()
    """One for each fold of the rung, in their order; fewer where time ran out."""
    seconds: float = 0.0
    epochs: int | None = None
    """The most epochs of a fold, of a network."""
    status: Status = Status.DONE
    failure: str | None = None
    folds: tuple[int, ...] = ()
    """The places of the scores' folds within the rung, where they are not the first ones."""
    losses: tuple[float, ...] = ()
    """Of classes the refined Brier score, one for each score or none: tells apart what is level by score."""

    hurried: bool = False
    """True if a training had much fewer epochs than usual, since there was no time for more: with more it may be better."""

    @property
    def key(self) -> str:
        return f"{self.name}#{self.rung}"

    @property
    def counts(self) -> bool:
        return self.status not in (Status.FAILED, Status.SLOW) and bool(self.scores)

    @property
    def by_fold(self) -> Mapping[int, float]:
        """The scores by the place of their fold within the rung."""
        return dict(zip(self._places, self.scores, strict=False))

    @property
    def losses_by_fold(self) -> Mapping[int, float]:
        return dict(zip(self._places, self.losses, strict=False))

    @property
    def _places(self) -> Sequence[int]:
        return self.folds or range(len(self.scores))
