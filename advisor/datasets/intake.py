"""The examples that a model learned from, described so that others can be read in the same way. No heavy library here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from advisor.datasets.dataset import Kind, Task


class Source(StrEnum):
    """The kind of data that examples come from."""

    TABLE = "table"
    PICTURES = "folder of pictures"
    SOUNDS = "folder of sounds"
    TEXTS = "folder of texts"
    SERIES = "series"


SETTINGS = {
    Source.PICTURES: frozenset({"side", "colours"}),
    Source.SOUNDS: frozenset({"steps", "hop_seconds", "highest_frequency"}),
    Source.SERIES: frozenset({"steps", "horizon"}),
}
"""Of readers of folders and series."""


@dataclass(frozen=True, slots=True)
class TakenColumn:
    """A column of a table, and how its values are read."""

    name: str
    kind: Kind
    style: str = ""
    """See `values.conversion.converted`; empty where the format of the file typed it."""


@dataclass(frozen=True, slots=True)
class Intake:
    """Everything that it takes to read other examples as those were that a model learned from."""

    source: Source
    modality: str
    task: Task
    classes: tuple[str, ...] = ()
    """In the order of their numbers; empty where numbers are predicted."""
    columns: tuple[TakenColumn, ...] = ()
    """Of a table, in the order in which they are prepared."""
    target: TakenColumn | None = None
    passed_over: tuple[str, ...] = ()
    """Columns of the table that no model was given."""
    keys: tuple[str, ...] | None = None
    """Of them, those that tell rows apart: identifiers, names, dates. None where that was not noted, as by earlier versions."""
    reading: Mapping[str, float] = field(default_factory=dict)
    """Of a folder, the size that its files are brought to, by the names of the reader's settings; of a series the steps that
    are looked at and predicted, and its season if it has one."""
    time: TakenColumn | None = None
    """Of a series, the column by which its rows follow one another."""
    group: TakenColumn | None = None
    """Of several series, the column that tells them apart."""
    seasons: tuple[int, ...] = ()
    """Of a series, the steps after which values repeat."""

    def __post_init__(self) -> None:
        lacking = SETTINGS.get(self.source, frozenset()) - self.reading.keys()
        if lacking:
            raise ValueError(f"{min(lacking)} is missing")
