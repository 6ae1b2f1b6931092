"""Figures that others have measured and published: training steps and throughputs by network, framework and device."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from advisor.errors import InputError, Problem
from advisor.resources import profiles_folder
from advisor.wording import shorten

COLUMNS = (
    "network", "framework", "device", "threads", "batch", "precision", "devices", "value", "unit", "doubt",
)  # fmt: skip
LARGEST = 1e12
UNITS = ("s/batch", "images/s", "sequences/s", "tokens/s")


@dataclass(frozen=True, slots=True)
class PublishedFigure:
    """One measurement by somebody else."""

    network: str
    framework: str
    device: str
    """The name of a device profile"""
    threads: int | None
    """Of a processor; None for a GPU"""
    batch: int
    """Examples a step, on all devices together"""
    precision: str
    devices: int
    value: float
    unit: str
    """s/batch (less is faster), or images/s, sequences/s, tokens/s"""
    doubt: str
    """The reason why this figure is hard to believe, or empty"""


@dataclass(frozen=True, slots=True)
class PublishedTable:
    """The figures of one source. `verified`: somebody has compared them with it."""

    name: str
    title: str
    source: str
    verified: bool
    notes: tuple[str, ...]
    figures: tuple[PublishedFigure, ...]


def published_figures(device: str, folder: Path | None = None) -> tuple[PublishedTable, ...]:
    """The tables that speak of the device with this profile name, each with its figures of this device alone.

    Looks in `folder`, by default in what ships with the advisor. Raises InputError for a damaged table.
    """
    tables = _shipped_tables() if folder is None else load_tables(folder)
    own = (replace(table, figures=tuple(one for one in table.figures if one.device == device)) for table in tables)
    return tuple(table for table in own if table.figures)


@cache
def _shipped_tables() -> tuple[PublishedTable, ...]:
    return load_tables(profiles_folder() / "published")


def load_tables(folder: Path) -> tuple[PublishedTable, ...]:
    """All tables of a folder: CSV, headed by lines `# title:`, `# source:`, `# verified:` and `# note:`.

    Raises:
        InputError: with every problem of every file, each with file and line.
    """
    problems: list[Problem] = []
    tables = [_table(path, problems) for path in sorted(folder.glob("*.csv"))]
    if problems:
        raise InputError("The published figures cannot be used", problems)
    return tuple(tables)


def _table(path: Path, problems: list[Problem]) -> PublishedTable:
    lines = path.read_text(encoding="utf-8").splitlines()
    head = [line for line in lines if line.startswith("#")]
    said: dict[str, list[str]] = {"title": [], "source": [], "verified": [], "note": []}
    for number, line in enumerate(head, start=1):
        key, _, text = line.removeprefix("#").partition(":")
        if key.strip() not in said:
            problems.append(
                Problem(f"{path}:{number}", f"{shorten(key.strip())} is not known here.", "Say it as a note.")
            )
            continue
        said[key.strip()].append(text.strip())
    for key in ("title", "source", "verified"):
        if len(said[key]) != 1:
            problems.append(Problem(str(path), f"needs one line `# {key}:`.", "Write it above the table."))
    return PublishedTable(
        name=path.stem,
        title="".join(said["title"]),
        source="".join(said["source"]),
        verified=said["verified"] == ["true"],
        notes=tuple(said["note"]),
        figures=_figures(path, lines[len(head) :], len(head), problems),
    )


def _figures(path: Path, lines: list[str], above: int, problems: list[Problem]) -> tuple[PublishedFigure, ...]:
    rows = csv.reader(lines)
    if tuple(next(rows, ())) != COLUMNS:
        problems.append(Problem(f"{path}:{above + 1}", f"the columns must be {', '.join(COLUMNS)}."))
        return ()
    figures = []
    for number, row in enumerate(rows, start=above + 2):
        try:
            figures.append(_figure(row))
        except ValueError as error:
            problems.append(Problem(f"{path}:{number}", str(error)))
    return tuple(figures)


def _figure(row: list[str]) -> PublishedFigure:
    """Read one row. Raises ValueError with what is wrong."""
    if len(row) != len(COLUMNS):
        raise ValueError(f"{len(row)} cells where {len(COLUMNS)} are expected.")
    cells = dict(zip(COLUMNS, row, strict=True))
    for column in ("network", "framework", "device", "precision"):
        if not cells[column]:
            raise ValueError(f"{column} is empty.")
    if cells["unit"] not in UNITS:
        raise ValueError(f"{shorten(cells['unit'])} is not one of {', '.join(UNITS)}.")
    threads = int(_number(cells, "threads")) if cells["threads"] else None
    batch, devices = int(_number(cells, "batch")), int(_number(cells, "devices"))
    numbers = {"threads": threads, "batch": batch, "devices": devices, "value": _number(cells, "value")}
    return PublishedFigure(**{**cells, **numbers})  # type: ignore[arg-type]


def _number(cells: Mapping[str, str], column: str) -> float:
    try:
        number = float(cells[column])
    except ValueError:
        number = float("nan")
    if not 0 < number < LARGEST:
        raise ValueError(f"{column} must be a number above zero, not {shorten(cells[column])!r}.")
    return number
