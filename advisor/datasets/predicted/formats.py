"""The formats of predictions, and the columns of the data that stand beside them. No heavy library here."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path

from advisor.errors import input_error
from advisor.wording import shorten


class PredictionFormat(StrEnum):
    CSV = "csv"
    PARQUET = "parquet"
    JSONL = "jsonl"


class KeptColumns(StrEnum):
    """The columns of the data that stand beside the predictions."""

    ALL = "all"
    KEYS = "keys"
    NONE = "none"


_BY_SUFFIX = {
    ".csv": PredictionFormat.CSV,
    ".parquet": PredictionFormat.PARQUET,
    ".pq": PredictionFormat.PARQUET,
    ".jsonl": PredictionFormat.JSONL,
    ".ndjson": PredictionFormat.JSONL,
}
_OF_OTHERS = frozenset(
    {".json", ".tsv", ".tab", ".psv", ".xlsx", ".xls", ".ods", ".feather", ".arrow", ".gz", ".zip", ".xz", ".zst", ".bz2"}
)  # fmt: skip
"""Endings that promise something which is not written."""


def format_of(output: Path, asked: PredictionFormat | None) -> PredictionFormat:
    """The format that was asked for, else that of the ending; CSV without one.

    Raises InputError for the ending of a format that predictions are not written in.
    """
    suffix = output.suffix.lower()
    if asked is not None:
        return asked
    if suffix in _OF_OTHERS:
        what = f"predictions are not written as {suffix}"
        remedy = "Name a file that ends in .csv, .parquet or .jsonl, or add --format."
        raise input_error("The output cannot be written", what, where=shorten(output, 200), remedy=remedy)
    return _BY_SUFFIX.get(suffix, PredictionFormat.CSV)
