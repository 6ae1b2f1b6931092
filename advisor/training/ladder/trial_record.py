"""One candidate on one rung of the ladder, as it is told, kept and counted. No torch here."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any, Self


class Kind(StrEnum):
    """What a candidate is, from simple to not."""

    TRIVIAL = "trivial"
    """Looks at no input: the most frequent class, the mean, an earlier value."""
    BASELINE = "baseline"
    """Learns, but is no network: linear, random forest, gradient boosting."""
    NETWORK = "network"


class Stage(StrEnum):
    """The rungs of the ladder, in their order."""

    TRIVIAL = "trivial"
    BASELINES = "baselines"
    NETWORKS = "networks"
    VARIATIONS = "variations"
    MORE_FOLDS = "more folds"


class Status(StrEnum):
    DONE = "done"
    SHORT = "out of time"
    """Fewer folds than the rung has; the scores that are there are those of whole trainings."""
    CUT = "cut short"
    """No training came to its end in the time; the scores are those of the weights it had by then."""
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Trial:
    """One candidate on one rung: trained on some folds, scored on what each left out."""

    name: str
    kind: Kind
    stage: Stage
    rung: int
    """Which folds: rung 0 the first few, rung 1 the next."""
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
    """Whether a training had much fewer epochs than usual, since there was no time for more: with more it may be better."""

    @property
    def key(self) -> str:
        return f"{self.name}#{self.rung}"

    @property
    def counts(self) -> bool:
        return self.status is not Status.FAILED and bool(self.scores)

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

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """The reverse of `to_json`. Raises KeyError, TypeError or ValueError for anything else."""
        return cls(
            name=text_of(data["name"]),
            kind=Kind(data["kind"]),
            stage=Stage(data["stage"]),
            rung=whole_of(data["rung"]),
            settings=settings_of(data["settings"]),
            scores=numbers_of(data["scores"]),
            folds=tuple(map(whole_of, data.get("folds", ()))),
            seconds=number_of(data["seconds"]),
            epochs=None if data["epochs"] is None else whole_of(data["epochs"]),
            status=Status(data["status"]),
            losses=numbers_of(data.get("losses", ())),
            failure=None if data["failure"] is None else text_of(data["failure"]),
            hurried=data.get("hurried", False) is True,
        )


def text_of(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError("no text")
    return value


def number_of(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError("no number")
    return float(value)


def whole_of(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise ValueError("no whole number")
    return value


def numbers_of(value: object) -> tuple[float, ...]:
    if not isinstance(value, list | tuple):
        raise TypeError("no list")
    return tuple(map(number_of, value))


def settings_of(value: object) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise TypeError("no object")
    return value
