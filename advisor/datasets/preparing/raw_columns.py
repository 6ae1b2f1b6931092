"""The columns of a table before they are prepared: what they hold in parts, and examples with a column changed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy
import polars

from advisor.datasets.dataset import Examples
from advisor.datasets.preparing.encoded import Rows
from advisor.wording import shorten

MISSING = "missing"
_LONGEST = 40


@dataclass(frozen=True, slots=True)
class ColumnPart:
    """Examples whose column has one value, or values of one range."""

    values: str
    """`red`, `31 to 40`, `missing`."""
    rows: Rows
    """Positions of the examples."""
    typical: int
    """The position of the one in the middle."""
    said: str
    """The value of that one."""
    at: float | None
    """The same as a number; None of a category."""


def column_names(examples: Examples) -> tuple[str, ...]:
    """Of a table; empty of anything else."""
    return tuple(examples.inputs.columns) if isinstance(examples.inputs, polars.DataFrame) else ()


def some_of(examples: Examples, rows: Rows) -> Examples:
    """These examples alone, of a table or of anything else."""
    inputs: Any = examples.inputs
    taken = [inputs[row] for row in rows] if isinstance(inputs, list) else inputs[rows]
    groups, times = (None if of_all is None else of_all[rows] for of_all in (examples.groups, examples.times))
    return replace(examples, inputs=taken, targets=examples.targets[rows], groups=groups, times=times)


def with_column_of(examples: Examples, column: str, rows: Rows) -> Examples:
    """The examples of a table, of which each has this column as another one has it.

    Args:
        rows: the position of that other one, for each example.
    """
    inputs: Any = examples.inputs
    return replace(examples, inputs=inputs.with_columns(inputs[column][rows]))


def names_of_texts(examples: Examples) -> tuple[str, ...]:
    """The columns of texts of a table; an empty name where examples are texts themselves; none of anything else."""
    inputs = examples.inputs
    if isinstance(inputs, polars.DataFrame):
        return tuple(column.name for column in inputs if column.dtype == polars.String)
    return ("",) if isinstance(inputs, list) else ()


def texts_of(examples: Examples, column: str) -> list[str | None]:
    """The texts under a name of `names_of_texts`."""
    inputs: Any = examples.inputs
    return list(inputs[column]) if column else list(inputs)


def with_texts(examples: Examples, column: str, texts: list[str]) -> Examples:
    """The examples with these texts under that name."""
    inputs: Any = examples.inputs
    return replace(examples, inputs=inputs.with_columns(polars.Series(column, texts)) if column else texts)


def parts_of_column(examples: Examples, column: str, ranges: int, categories: int) -> list[ColumnPart]:
    """The values of a column of a table, or of many numbers or dates ranges with about as many examples each.

    What is missing is a part of its own. Empty where there is but one part, and of texts.

    Args:
        ranges: at most, of numbers and dates.
        categories: at most, the most frequent ones.
    """
    inputs: Any = examples.inputs
    held: polars.Series = inputs[column]
    if held.dtype == polars.String:
        return []
    numeric = held.dtype.is_numeric() or (held.dtype.is_temporal() and held.dtype != polars.Boolean)
    known = held.is_finite().fill_null(False) if held.dtype.is_float() else held.is_not_null()
    there, missing = numpy.flatnonzero(known.to_numpy()), numpy.flatnonzero(~known.to_numpy())
    parts = list(_ranges(held, there, ranges) if numeric else _categories(held, there, categories))
    if len(missing):
        parts.append(ColumnPart(MISSING, missing, int(missing[0]), MISSING, None))
    return parts if len(parts) > 1 else []


def _ranges(held: polars.Series, rows: Rows, most: int) -> Iterator[ColumnPart]:
    numbers = held[rows].cast(polars.Int64 if held.dtype.is_temporal() else polars.Float64).to_numpy().astype(float)
    if not len(numbers):
        return
    values = numpy.unique(numbers)
    edges = values[1:] if len(values) <= most else numpy.unique(numpy.quantile(numbers, numpy.arange(1, most) / most))
    place = numpy.searchsorted(edges, numbers, side="right")
    for one in numpy.unique(place):
        inside = numpy.flatnonzero(place == one)
        inside = inside[numpy.argsort(numbers[inside], kind="stable")]
        low, middle, high = (rows[inside[at]] for at in (0, len(inside) // 2, -1))
        first, last = _said(held[int(low)]), _said(held[int(high)])
        at = float(numbers[inside[len(inside) // 2]])
        yield ColumnPart(
            first if first == last else f"{first} to {last}", rows[inside], int(middle), _said(held[int(middle)]), at
        )


def _categories(held: polars.Series, rows: Rows, most: int) -> Iterator[ColumnPart]:
    names = numpy.array(held[rows].cast(polars.String).to_list(), dtype=object)
    values, counts = numpy.unique(names.astype(str), return_counts=True)
    for value in values[numpy.argsort(-counts, kind="stable")][:most]:
        inside = rows[names == value]
        yield ColumnPart(_said(value), inside, int(inside[0]), _said(value), None)


def _said(value: object) -> str:
    if isinstance(value, float):
        return f"{value:,.0f}" if 1000 <= abs(value) < 1e15 else f"{value:.4g}"
    return shorten(value, _LONGEST) or "empty"
