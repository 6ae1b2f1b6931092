"""Whole numbers in arrays that floats cannot keep apart: columns of them are names, as in tables."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy
import polars

from advisor.datasets.arrays.stored import AnyArray
from advisor.datasets.dataset import Kind, Remark, Weight
from advisor.datasets.tables.columns import judge
from advisor.datasets.values.numbers import LONG
from advisor.wording import join_first

EXACT = 2**53
"""Up to here a float holds every whole number."""


@dataclass(frozen=True, slots=True)
class LongNumbers:
    """Columns of an array of rows whose numbers are names, by their numbers."""

    categories: tuple[int, ...] = ()
    left_out: tuple[int, ...] = ()
    """Columns with a name of its own for nearly every row, or with the same one in all."""

    @property
    def columns(self) -> frozenset[int]:
        return frozenset((*self.categories, *self.left_out))


NO_NAMES = LongNumbers()


def are_long(values: AnyArray) -> bool:
    """True for whole numbers of which half have 16 digits or more: names, as in a table."""
    return values.dtype.kind in "iu" and len(values) > 0 and 2 * int(beyond(values, LONG).sum()) >= len(values)


def long_numbers(values: AnyArray, target: int | None) -> LongNumbers:
    """Find the columns of rows (n, columns) that hold names; the one of the target is passed over."""
    categories: list[int] = []
    left_out: list[int] = []
    for column in range(values.shape[1]):
        if column != target and are_long(values[:, column]):
            kind = judge(polars.Series(f"column {column}", values[:, column])).kind
            (categories if kind is Kind.CATEGORY else left_out).append(column)
    return LongNumbers(tuple(categories), tuple(left_out))


def remarks_on_long(found: LongNumbers, values: AnyArray, target: int | None) -> Iterator[Remark]:
    """Report columns of names, and numbers of others that floats round. `values` are (n, ...)."""
    for columns, read in (
        (found.categories, "read as categories"),
        (found.left_out, "left out: they tell rows apart, or never change"),
    ):
        if columns:
            names = join_first([f"column {column}" for column in columns])
            what = f"Whole numbers of 16 digits and more, which floats do not keep apart, are {read}: {names}."
            yield Remark(what, remedy="If they are times, save them in seconds since a first one.")
    if values.dtype.kind not in "iu":
        return
    passed_over = [*found.columns, *([] if target is None else [target])]
    large = beyond(numpy.delete(values, passed_over, axis=1) if passed_over else values, EXACT)
    if count := int(large.sum()):
        what = f"{count:,} of {large.size:,} values looked at are whole numbers beyond 2^53, which floats round"
        yield Remark(f"{what}; the first is in row {int(large.argmax()) // large[0].size + 1:,} of those.",
                     Weight.WARNING, "Subtract a first value, or save them in another array if they are names.")  # fmt: skip


def beyond(values: AnyArray, limit: int) -> AnyArray:
    """True for each whole number that is as large, of either sign."""
    above = values > limit - 1 if numpy.iinfo(values.dtype).max >= limit else numpy.zeros(values.shape, bool)
    signed = values.dtype.kind == "i" and numpy.iinfo(values.dtype).max >= limit
    return above | (values < 1 - limit) if signed else above
