"""Values that an inspection returns, and those that training is given. No heavy library here."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from advisor.facts.vocabulary import Value
from advisor.wording import join_names, shorten

if TYPE_CHECKING:
    import numpy
    import polars

    Rows: TypeAlias = "polars.DataFrame | numpy.ndarray[Any, Any] | list[str]"


class Task(StrEnum):
    """The question asked of each example; values of the fact task.kind."""

    CLASSIFY = "classify"
    REGRESS = "regress"
    FORECAST = "forecast"
    GENERATE = "generate"
    SEGMENT = "segment"


SUPERVISED = (Task.CLASSIFY, Task.REGRESS, Task.FORECAST)
"""Tasks whose predictions can be compared with the truth, and so can be tried."""
_MOST_NAMED = 12
FEWEST_EXAMPLES = 10
"""The fewest that can be split into training and test."""


class Kind(StrEnum):
    """The kind of values in a column."""

    NUMBER = "number"
    WHOLE = "whole number"
    YES_NO = "yes or no"
    CATEGORY = "category"
    DATE = "date"
    TEXT = "text"
    IDENTIFIER = "identifier"  # a number or a name of its own for (nearly) every row: nothing to learn from
    CONSTANT = "constant"
    EMPTY = "empty"  # all missing
    NESTED = "nested"  # lists or objects (JSON lines, Parquet)

    @property
    def usable(self) -> bool:
        """True where a model can take it as an input."""
        return self in (Kind.NUMBER, Kind.WHOLE, Kind.YES_NO, Kind.CATEGORY, Kind.DATE, Kind.TEXT)


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a table, as seen in its sample."""

    name: str
    kind: Kind
    missing: float = 0.0
    """The share of rows without a value, 0 to 1."""
    distinct: int = 0
    """Different values in the sample."""
    examples: tuple[str, ...] = ()
    """A few of its values, made safe to print."""
    remark: str = ""
    """The reason why it is left out, or something odd about it; a sentence."""
    counts: tuple[int, ...] = ()
    """Its histogram: values of the sample in equal ranges from the least to the greatest; of words, of the most frequent ones."""


@dataclass(frozen=True, slots=True)
class Thumbnail:
    """A small picture of a class; `pixels` are rows of red, green and blue, 0 to 255."""

    label: str
    pixels: tuple[tuple[tuple[int, int, int], ...], ...]


@dataclass(frozen=True, slots=True)
class Album:
    """Some pictures of a dataset, and how many there are of each class; without classes, all by an empty name."""

    counts: Mapping[str, int]
    thumbnails: tuple[Thumbnail, ...]


class Weight(StrEnum):
    NOTE = "note"
    WARNING = "warning"


@dataclass(frozen=True, slots=True)
class Remark:
    """Something to know before training: leakage, duplicates, imbalance, mixed sizes."""

    what: str
    weight: Weight = Weight.NOTE
    remedy: str = ""
    columns: tuple[str, ...] = ()


UNSAID = "No column to predict is named."
"""A remark on a table without a target, with the columns that look like one; a series of one value needs none."""


class Reading(Protocol):
    """The means to bring inspected data into memory; each format has a frozen dataclass of its own with what that takes."""

    def load(self, inspection: Inspection, most_examples: int, seed: int) -> Examples:
        """Bring at most so many examples into memory, in the order of the files; of more, an even sample.

        Raises InputError where nothing can be learned from them, or they changed since they were inspected.
        """
        ...


@dataclass(frozen=True, slots=True)
class Inspection:
    """Everything that was found out about a data set."""

    path: str
    format: str
    """In words, as its reader calls it."""
    modality: str
    """A value of the fact data.modality."""
    examples: int
    """Rows, pictures, sounds, windows of a series."""
    facts: Mapping[str, Value]
    """By the names of the vocabulary; unknown ones are left out."""
    fingerprint: str
    """The same for the same data with the same target, 16 hexadecimal digits."""
    target: str | None = None
    task: Task | None = None
    told: bool = False
    """True where somebody stated the task, against what the target looks like."""
    classes: tuple[str, ...] = ()
    """In the order of their numbers; empty where the target is no class."""
    columns: tuple[Column, ...] = ()
    inputs: tuple[str, ...] = ()
    """Names of the columns that a model is given."""
    time_column: str | None = None
    """Rows are in order of this time, so they must be split by time."""
    group_column: str | None = None
    """Rows of one group (a person, a series) must not be divided between training and test."""
    remarks: tuple[Remark, ...] = ()
    sampled: str = ""
    """The part that was read, where it was not everything; a sentence."""
    bytes: int = 0
    memory_bytes: int = 0
    """Size in memory once read, estimated from the sample."""
    reading: Reading | None = None
    """None where no model here can learn from such data yet: graphs."""
    written: str = ""
    """The format with its details (delimiter, header, encoding), where its name does not say it all."""
    delimiter: str = ","
    """Of a table of text."""
    resizable: bool = False
    """True where a project brings its pictures to the size of the plan, so that another size may be stated."""
    plain: bool = True
    """True where a table is written as other programs expect: a header, decimal points, UTF-8, one object of JSON a line."""
    spelt: Mapping[str, str] = field(default_factory=dict)
    """Text columns whose numbers have more than digits and a decimal point, each with one of these texts."""
    task_remedy: str = "Name it with --target."
    """Advice for data that do not show what is to be predicted."""


def columns_to_name(inspection: Inspection) -> str:
    """Columns that may be meant: those that look like a target, and the first ones."""
    names = [shorten(column.name, 30) for column in inspection.columns[:_MOST_NAMED]]
    if not names:
        return ""
    more = len(inspection.columns) - len(names)
    all_ = f"The columns are {join_names([*names, *([f'{more:,} more'] if more else [])])}."
    proposed = next((remark.columns for remark in inspection.remarks if remark.what == UNSAID), ())
    meant = join_names([repr(shorten(name, 30)) for name in proposed], "or")
    return f"It could be {meant}. {all_}" if meant else all_


def key_columns(inspection: Inspection, order: Collection[str | None]) -> tuple[str, ...]:
    """Columns that stand beside a prediction, since people know a row by them: neither the target nor an input.

    Args:
        order: the columns that name the time and the group of a row.
    """
    passed_over = [one for one in inspection.columns if one.name not in (*inspection.inputs, inspection.target)]
    kinds = (Kind.IDENTIFIER, Kind.DATE, Kind.TEXT)
    return tuple(one.name for one in passed_over if one.kind in kinds or one.name in order)


@dataclass(frozen=True, slots=True)
class Series:
    """The series behind the windows of a forecast, one after the other, with a step for each regular time."""

    values: numpy.ndarray[Any, Any]
    """The value to predict as it was measured, float64 (steps,), NaN where it was not."""
    number: numpy.ndarray[Any, Any]
    """The series of each step, int64 (steps,)."""
    times: numpy.ndarray[Any, Any]
    """float64 (steps,), NaN of a step that no row has."""
    ends: numpy.ndarray[Any, Any]
    """Of each example the step that it predicts first, int64 (n,)."""
    seasons: tuple[int, ...] = ()
    """Steps after which values repeat, the shortest first; as the earlier part of the series shows."""
    dated: bool = False
    """True where times are seconds since 1970."""
    zone: str = ""
    """Of the last time where its column states zones: an offset ("+02:00", "Z") or a name; times are in UTC."""


@dataclass(frozen=True, slots=True)
class Examples:
    """The data that a model learns from, all in memory, in the order of the files.

    Inputs by modality: of a table the raw columns (polars.DataFrame); of pictures float32 (n, colours, side, side)
    between 0 and 1; of sounds and series float32 (n, steps, values); of texts a list of strings.
    """

    modality: str
    task: Task
    inputs: Rows
    targets: numpy.ndarray[Any, Any]
    """Numbers of classes, int64 (n,); or float64 (n, outputs)."""
    classes: tuple[str, ...] = ()
    groups: numpy.ndarray[Any, Any] | None = None
    """A number for each example; examples of one group stay on one side of every split."""
    times: numpy.ndarray[Any, Any] | None = None
    """Given for examples that are split so that the test is later than the training."""
    left_out: str = ""
    """The part that was not read, and why (rows without a target, more than fit into memory); a sentence."""
    season: int | None = None
    """Of a forecast: steps after which it is expected to repeat itself."""
    until: numpy.ndarray[Any, Any] | None = None
    """Of a forecast of several steps: the time at which all targets of an example are known; `times` where None."""
    series: Series | None = None
    """Of a forecast."""

    def __len__(self) -> int:
        return len(self.targets)
