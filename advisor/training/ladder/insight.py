"""Answers to what one wants to know next about the winner, as they are kept and shown. No torch here.

Everything is about held-out examples, which neither choosing nor learning saw. Intervals are of 95 %; those of columns and of
slices hold for all that were looked at together, so that the largest of many is no accident.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, TypeAlias


@dataclass(frozen=True, slots=True)
class ColumnImportance:
    """By how much the score is worse with this column shuffled among the examples; above 0 where the model needs it."""

    column: str
    loss: float
    low: float
    high: float

    @property
    def shown(self) -> bool:
        """True if it is more than noise."""
        return self.low > 0


@dataclass(frozen=True, slots=True)
class Importance:
    metric: str
    """The title of the score that gets worse."""
    columns: tuple[ColumnImportance, ...]
    """The most important one first."""
    rows: int
    """Held-out examples that were shuffled."""
    shuffles: int
    """Of each column, at least."""
    not_reached: int = 0
    """Columns for which there was no time."""

    @property
    def shown(self) -> tuple[ColumnImportance, ...]:
        return tuple(one for one in self.columns if one.shown)


@dataclass(frozen=True, slots=True)
class WordsOf:
    """The words and pairs of words with the largest weights in a model that adds up weights, the largest first."""

    of: str
    """The class that they speak for or against, of two that which is looked for; empty of a number."""
    raising: tuple[str, ...]
    lowering: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Words:
    """The words of texts that matter: either by their weights, or by what is lost without each of the most frequent ones."""

    column: str = ""
    """Of a table; empty where examples are texts."""
    by_class: tuple[WordsOf, ...] = ()
    without: Importance | None = None
    """`columns` are words here."""


@dataclass(frozen=True, slots=True)
class Slice:
    """Examples with one value, or one range of values, of a column."""

    column: str
    values: str
    count: int
    error: float
    """The share told wrong, or the mean absolute error."""
    low: float
    high: float
    elsewhere: float
    """The same of all other examples."""


@dataclass(frozen=True, slots=True)
class Slices:
    found: tuple[Slice, ...]
    """Those where the winner errs clearly more than elsewhere, the worst first."""
    looked_at: int
    rows: int


class Fit(StrEnum):
    """The way in which probabilities fit what came true."""

    FITS = "fits"
    """No farther off than chance alone would put them."""
    TOO_SURE = "too_sure"
    TOO_UNSURE = "too_unsure"
    OFF = "off"
    """Farther off than by chance, in both ways or neither."""


@dataclass(frozen=True, slots=True)
class Reliability:
    """Examples that were given about the same probability."""

    said: float
    """The mean probability."""
    was: float
    """The share that came true."""
    low: float
    high: float
    count: int


@dataclass(frozen=True, slots=True)
class Calibration:
    of: str
    """The class whose probability is looked at; empty where it is that of the class which was named."""
    error: float
    """Expected calibration error: the mean distance of what was said from what was, over all examples."""
    by_chance: float
    """The mean of the same if all probabilities were right."""
    at_most: float
    """One case in twenty has a larger error if all probabilities are right."""
    fit: Fit
    bins: tuple[Reliability, ...]


@dataclass(frozen=True, slots=True)
class Confused:
    """Examples of one class that were taken for another."""

    truth: str
    said: str
    count: int
    of: int
    """All examples of that class."""


@dataclass(frozen=True, slots=True)
class Confusion:
    wrong: int
    rows: int
    pairs: tuple[Confused, ...]
    """The most confused first."""
    classes: tuple[str, ...] = ()
    matrix: tuple[tuple[int, ...], ...] = ()
    """A row for each true class, a column for each that was said; empty of very many classes."""


@dataclass(frozen=True, slots=True)
class LargeError:
    example: int
    """Its number among the examples that were used, from 1."""
    truth: float
    predicted: float


@dataclass(frozen=True, slots=True)
class SizeBin:
    """Examples whose predictions are about the same size."""

    size: float
    """The median of the predictions, without their sign."""
    error: float
    """The mean absolute error."""
    low: float
    high: float
    count: int


@dataclass(frozen=True, slots=True)
class Residuals:
    """The truth less the prediction, in the units of the target."""

    quantiles: Mapping[str, float]
    """By the names p05, p25, p50, p75, p95."""
    largest: tuple[LargeError, ...]
    by_size: tuple[SizeBin, ...]
    growth: float
    """The rank correlation (Spearman) of the absolute error with the size of the prediction."""
    low: float
    high: float
    rows: int
    grows: bool = False
    """True if errors are clearly larger where predictions are."""
    average: float | None = None
    """The mean absolute error; None in trials of an earlier version."""
    of_the_mean: float | None = None
    """The same of always answering with the mean of the examples that were learned from."""


class MoreData(StrEnum):
    """The answer to whether more examples would help."""

    HELPS = "helps"
    HARDLY = "hardly"
    UNCLEAR = "unclear"


@dataclass(frozen=True, slots=True)
class CurvePoint:
    examples: int
    """To learn from."""
    score: float
    low: float
    high: float
    fits: int
    """Trainings of which it is the mean."""


@dataclass(frozen=True, slots=True)
class LearningCurve:
    points: tuple[CurvePoint, ...]
    gain: float
    """By how much the last doubling of the examples made the score better."""
    low: float
    high: float
    verdict: MoreData


@dataclass(frozen=True, slots=True)
class DependencePoint:
    value: str
    at: float | None
    """The value, of a number."""
    predicted: float
    """The mean prediction with the column set to this value in all examples."""


@dataclass(frozen=True, slots=True)
class Dependence:
    """The predictions with a column set to one value after another, all else as it is (Friedman 2001)."""

    column: str
    of: str
    """The class whose probability it is; empty of numbers."""
    points: tuple[DependencePoint, ...]


@dataclass(frozen=True, slots=True)
class NotKnown:
    piece: str
    """A field of `Insight`."""
    reason: str


Piece: TypeAlias = (
    Slices | Importance | Words | Calibration | Confusion | Residuals | LearningCurve | tuple[Dependence, ...]
)


@dataclass(frozen=True, slots=True)
class Insight:
    """Everything that is known about one candidate; pieces that do not apply are missing in both places."""

    of: str
    confusion: Confusion | None = None
    residuals: Residuals | None = None
    calibration: Calibration | None = None
    slices: Slices | None = None
    importance: Importance | None = None
    words: Words | None = None
    learning_curve: LearningCurve | None = None
    dependence: tuple[Dependence, ...] = ()
    not_known: tuple[NotKnown, ...] = field(default=())

    def having(self, piece: str, found: Piece) -> Insight:
        """With this piece, which is then no longer among those that are not known."""
        changed: dict[str, Any] = {piece: found}
        return replace(self, **changed, not_known=tuple(one for one in self.not_known if one.piece != piece))

    def lacking(self, piece: str, reason: str) -> Insight:
        others = (one for one in self.not_known if one.piece != piece)
        return replace(self, not_known=(*others, NotKnown(piece, reason)))

    def adds_to(self, earlier: Insight) -> bool:
        """False where a resumed run has not yet found out again what is known."""
        return self.of != earlier.of or len(self.not_known) <= len(earlier.not_known)
