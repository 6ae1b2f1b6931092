"""CSV, TSV and other text tables: read by the dialect in which they were written."""

from __future__ import annotations

from pathlib import Path

from advisor.datasets.dataset import Inspection, Task
from advisor.datasets.delimited.dialect import looks_like_a_table
from advisor.datasets.delimited.sample import sample_of
from advisor.datasets.reader import Beginning, Evidence, Reader
from advisor.datasets.tables.inspection import inspect_table

SUFFIXES = frozenset({".csv", ".tsv", ".tab", ".psv"})


def recognise(beginning: Beginning) -> Evidence:
    if beginning.text is None:
        return Evidence.NONE
    if beginning.suffix in SUFFIXES:
        return Evidence.NAME
    return Evidence.STRUCTURE if looks_like_a_table(beginning.text) else Evidence.NONE


def inspect(path: Path, target: str | None, task: Task | None) -> Inspection:
    return inspect_table(path, sample_of(path), target, task)


READER = Reader("CSV, TSV and other delimited text", SUFFIXES, inspect, recognise)
