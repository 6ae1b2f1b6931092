"""Writing predictions: the columns of the data beside them, the target by its own name, and how sure the model is."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy
import polars
from numpy.typing import NDArray

from advisor.datasets.dataset import Kind
from advisor.datasets.intake import Intake
from advisor.datasets.predicted.formats import PredictionFormat
from advisor.datasets.predicted.names import ColumnNames
from advisor.datasets.values.missing import cleaned

_DIGITS_OF_NUMBERS, _DIGITS_OF_PROBABILITIES = 9, 6
"""Significant ones that are written."""
_WHOLE = r"^(0|-?[1-9][0-9]{0,17})$"
"""Whole numbers as a program writes them; of others (007) the text says more than the number."""
_DECIMAL = r"^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$"
_NUMBERS = (Kind.NUMBER, Kind.WHOLE)
_MOST_DIGITS = 17
"""Digits that Python and other programs write of a float, so that it is read as the same."""
_MOST_PLACES = 22
"""Powers of ten up to this one are exact."""


def rounded(values: NDArray[Any], digits: int) -> NDArray[numpy.float64]:
    """The nearest numbers of so many significant digits; of next to nothing, all of its digits."""
    found = numpy.asarray(values, numpy.float64).copy()
    plain = numpy.isfinite(found) & (found != 0)
    places = digits - 1 - numpy.floor(numpy.log10(numpy.abs(found[plain])))
    held = numpy.abs(places) <= _MOST_PLACES
    power = 10.0 ** numpy.abs(numpy.where(held, places, 0))
    some = found[plain]
    cut = numpy.where(places >= 0, numpy.round(some * power) / power, numpy.round(some / power) * power)
    found[plain] = numpy.where(held, cut, some)
    return found


class PredictionWriter:
    """A file of predictions, written part by part."""

    def __init__(self, path: Path, format_: PredictionFormat) -> None:
        self._path = path
        self._format = format_
        self._parts: list[polars.DataFrame] = []
        self._begun = False

    def __enter__(self) -> Self:
        self._file = self._path.open("wb")
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: BaseException | TracebackType | None) -> None:
        if kind is None and self._parts:  # Parquet is written as a whole
            polars.concat(self._parts, how="vertical_relaxed").write_parquet(self._file)
        self._file.close()

    def write(self, kept: polars.DataFrame, predicted: Sequence[polars.Series]) -> None:
        """Add rows: columns of the data by their new names, and those that `predicted_columns` makes. All parts have the same."""
        frame = polars.DataFrame([*kept, *predicted])
        if self._format is PredictionFormat.PARQUET:
            self._parts.append(frame)
        elif self._format is PredictionFormat.JSONL:
            self._file.write(frame.select(_for_json(one) for one in frame).write_ndjson().encode())
        else:
            text = frame.select(_for_csv(one) for one in frame).write_csv(include_header=not self._begun)
            self._file.write(text.encode())
        self._begun = True


def typed(kept: polars.DataFrame, format_: PredictionFormat, intake: Intake) -> polars.DataFrame:
    """Columns of the data as the format has them: where it tells numbers from texts, numbers are no texts.

    Two texts never become one number, and a column that the model did not learn as numbers keeps every character.
    """
    if format_ is PredictionFormat.CSV:
        return kept
    learned = {one.name for one in (*intake.columns, intake.target) if one is not None and one.kind in _NUMBERS}
    return kept.select(_as_learned(one) if one.name in learned else _as_keys(one) for one in kept)


def predicted_columns(
    names: ColumnNames,
    intake: Intake,
    *,
    classes: NDArray[Any] | None = None,
    probabilities: NDArray[Any] | None = None,
    numbers: NDArray[Any] | None = None,
    bounds: tuple[NDArray[Any], NDArray[Any]] | None = None,
) -> list[polars.Series]:
    """The columns that a model adds: numbers of classes (n,) with (n, classes), or numbers (n,) with the bounds of each.

    Raises ValueError where there are not as many probabilities as classes.
    """
    if numbers is not None:
        columns = [polars.Series(names.target, rounded(numbers, _DIGITS_OF_NUMBERS))]
        for name, values in zip((names.low, names.high), bounds or (), strict=False):
            columns.append(polars.Series(name, rounded(values, _DIGITS_OF_NUMBERS)))
        return columns
    assert classes is not None and probabilities is not None  # noqa: S101, PT018 - one of the two
    if probabilities.shape[1] != len(intake.classes):
        raise ValueError(f"{probabilities.shape[1]} probabilities are none of {len(intake.classes)} classes")
    likely = rounded(probabilities, _DIGITS_OF_PROBABILITIES)
    told = as_numbers(polars.Series(names.target, intake.classes, dtype=polars.String))
    return [
        told.gather(classes.astype(numpy.int64)),
        *(polars.Series(name, likely[:, place]) for place, name in enumerate(names.probabilities)),
    ]


def as_numbers(column: polars.Series) -> polars.Series:
    """A column of texts as whole numbers, where all of them are written as such; else as it is."""
    if column.dtype != polars.String or column.null_count() == len(column):
        return column
    return column.cast(polars.Int64) if column.drop_nulls().str.contains(_WHOLE).all() else column


def _as_learned(column: polars.Series) -> polars.Series:
    """A column of texts as numbers, where all are plainly written as such, a float keeps all of their digits and none coincide.

    Words such as NA among them are missing, as they are where a model learns.
    """
    if column.dtype != polars.String or column.null_count() == len(column):
        return column
    texts = cleaned(column)
    known = texts.drop_nulls()
    if known.is_empty() or not known.str.contains(_DECIMAL).all():
        return column
    if known.str.contains(_WHOLE).all():
        return texts.cast(polars.Int64)
    digits = known.str.replace(r"[eE].*$", "").str.replace_all(r"[^0-9]", "").str.strip_chars_start("0").str.len_chars()
    numbers = texts.cast(polars.Float64)
    exact = digits.max() <= _MOST_DIGITS and bool(numbers.drop_nulls().is_finite().all())  # type: ignore[operator]
    return numbers if exact and numbers.n_unique() == texts.n_unique() else column


def _as_keys(column: polars.Series) -> polars.Series:
    """A column of texts as numbers, where each is spelt as a program spells its number: neither 1.10 nor NA is."""
    if column.dtype != polars.String or column.null_count() == len(column):
        return column
    texts = column.replace("", None)
    different = texts.drop_nulls().unique()
    if different.is_empty() or different.str.contains(_WHOLE).all():
        return texts.cast(polars.Int64) if len(different) else column
    if not different.str.contains(_DECIMAL).all():
        return column
    spelt = all(repr(float(text)) in (text, f"{text}.0") for text in different)
    numbers = texts.cast(polars.Float64)
    return numbers if spelt and numbers.n_unique() == texts.n_unique() else column


def _for_json(column: polars.Series) -> polars.Series:
    if isinstance(column.dtype, polars.Datetime) and column.dtype.time_zone is None:
        return column.dt.to_string("iso:strict")
    return column.bin.encode("base64") if column.dtype == polars.Binary else column


def _for_csv(column: polars.Series) -> polars.Series:
    if column.dtype == polars.Duration:
        return column.dt.to_string("iso")
    if column.dtype.is_nested():
        texts = [None if one is None else json.dumps(_plain(one), default=str) for one in column]
        return polars.Series(column.name, texts, dtype=polars.String)
    return column.bin.encode("base64") if column.dtype == polars.Binary else column


def _plain(value: Any) -> Any:
    return value.to_list() if isinstance(value, polars.Series) else value
