"""What an inspection finds, and what training is given. No heavy library here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, TypeAlias

from advisor.facts.vocabulary import Value

if TYPE_CHECKING:
    import numpy
    import polars

    Rows: TypeAlias = "polars.DataFrame | numpy.ndarray[Any, Any] | list[str]"


class Format(StrEnum):
    """How the data lie on disk."""

    DELIMITED = "delimited text"  # CSV, TSV and their like
    PARQUET = "Parquet"
    JSON_LINES = "JSON lines"
    NPY = "NPY"
    NPZ = "NPZ"
    IMAGES = "folder of images"
    SOUNDS = "folder of sounds"
    TEXT = "text"
    EDGES = "edge list"


class Task(StrEnum):
    """What is asked of an example; values of the fact task.kind."""

    CLASSIFY = "classify"
    REGRESS = "regress"
    FORECAST = "forecast"
    GENERATE = "generate"
    RECONSTRUCT = "reconstruct"


FORETELLING = (Task.CLASSIFY, Task.REGRESS, Task.FORECAST)
"""Tasks whose answers can be compared with the truth: what can be tried."""
FEWEST_EXAMPLES = 10
"""That can be divided into those to learn from and those that judge."""


class Kind(StrEnum):
    """What a column holds."""

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
        """Whether a model can be given it as an input."""
        return self in (Kind.NUMBER, Kind.WHOLE, Kind.YES_NO, Kind.CATEGORY, Kind.DATE, Kind.TEXT)


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a table, as its sample shows it."""

    name: str
    kind: Kind
    missing: float = 0.0
    """The share of rows without a value, 0 to 1."""
    distinct: int = 0
    """Different values in the sample."""
    examples: tuple[str, ...] = ()
    """A few of its values, made safe to print."""
    remark: str = ""
    """Why it is left out, or what is odd about it; a sentence."""


class Weight(StrEnum):
    NOTE = "note"
    WARNING = "warning"


@dataclass(frozen=True, slots=True)
class Remark:
    """One thing a person should know before training: leakage, duplicates, imbalance, mixed sizes."""

    what: str
    weight: Weight = Weight.NOTE
    remedy: str = ""
    columns: tuple[str, ...] = ()


UNSAID = "It is not said what is to be learnt."
"""A remark on a table without a target, with the columns that look like one; a series says itself what is foretold."""


@dataclass(frozen=True, slots=True)
class Inspection:
    """Everything that was found out about a data set."""

    path: str
    format: Format
    modality: str
    """A value of the fact data.modality."""
    examples: int
    """Rows, pictures, sounds, windows of a series."""
    facts: Mapping[str, Value]
    """By the names of the vocabulary; what is not known is left out."""
    fingerprint: str
    """The same for the same data with the same target, 16 hexadecimal digits."""
    target: str | None = None
    task: Task | None = None
    told: bool = False
    """Whether somebody said the task, against what the target looks like."""
    classes: tuple[str, ...] = ()
    """In the order of their numbers; empty where the target is no class."""
    columns: tuple[Column, ...] = ()
    inputs: tuple[str, ...] = ()
    """Names of the columns that a model is given."""
    time_column: str | None = None
    """By which rows are in order of time, so that they must be split by time."""
    group_column: str | None = None
    """Rows of one group (a person, a series) must not be divided between training and test."""
    remarks: tuple[Remark, ...] = ()
    sampled: str = ""
    """What was read, where it was not everything; a sentence."""
    bytes: int = 0
    memory_bytes: int = 0
    """What it takes in memory once read, estimated from the sample."""
    reading: Mapping[str, Any] = field(default_factory=dict)
    """What reading the whole needs to know again: delimiter, header, encoding, the size of pictures, the arrays of an NPZ."""


@dataclass(frozen=True, slots=True)
class Examples:
    """What a model learns from, all in memory, in the order of the files.

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
    """Where given, examples are split so that the test is later than what is learnt from."""
    left_out: str = ""
    """What was not read and why (rows without a target, more than may be held); a sentence."""
    season: int | None = None
    """Of a forecast: steps after which it is expected to repeat itself."""

    def __len__(self) -> int:
        return len(self.targets)
