"""Tables for tests, written by a seeded generator."""

from __future__ import annotations

import csv
import random
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import polars

from advisor.datasets.dataset import Inspection, Kind
from advisor.datasets.tables.examples import TableReading


def written(path: Path, rows: Iterable[Sequence[object]], *, encoding: str = "utf-8", **dialect: Any) -> Path:
    with path.open("w", newline="", encoding=encoding) as file:
        csv.writer(file, **dialect).writerows(rows)
    return path


def text_file(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def flowers(count: int = 120, seed: int = 1) -> list[list[object]]:
    """A header and rows: two measures, a colour, and a species that the measures tell in most rows."""
    draw = random.Random(seed)
    rows: list[list[object]] = [["length", "width", "colour", "species"]]
    for number in range(count):
        kind = number % 3
        rows.append(
            [
                f"{draw.gauss(3 + kind, 0.6):.3f}",
                f"{draw.gauss(1 + kind / 2, 0.4):.3f}",
                draw.choice(["red", "blue", "white"]),
                ["rose", "tulip", "daisy"][kind],
            ]
        )
    return rows


def kinds(inspection: Inspection) -> dict[str, Kind]:
    return {column.name: column.kind for column in inspection.columns}


def read_frame(inspection: Inspection, most: int, seed: int) -> polars.DataFrame:
    """At most so many rows of a table of examples, as loading reads them."""
    assert isinstance(inspection.reading, TableReading)
    return inspection.reading.table.read(inspection, inspection.examples, most, seed)
