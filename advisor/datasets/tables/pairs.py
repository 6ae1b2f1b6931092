"""Pairs of columns that give the answer away together, though neither does alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy
import polars
from numpy.typing import NDArray

from advisor.datasets.dataset import Kind, Remark, Task, Weight
from advisor.datasets.tables.columns import Judged
from advisor.wording import join_first, shorten

_FEWEST_ROWS, _MOST_ROWS = 100, 2_000
_MOST_VALUES, _ROWS_A_PAIR = 50, 5
_MOST_LOOKED_AT = 2_000
_MOST_CODES, _MOST_NUMBERS = 60, 40
"""Columns of which all pairs are looked at; of more, those that alone say most about the answer, of the first 2,000."""
_FEWEST_MARKED = 3
_FEWEST_OTHERS = 10
"""Rows whose answer is not the most common one."""
_LEFT = 1e-4
_AT_THE_EDGE, _NEAR = 0.01, 0.1
"""The share of rows that lie as near to an edge, in standard deviations, where it is a rule and no gap."""
_SHOWN = 3


def pairs_that_tell(
    columns: Sequence[Judged],
    name: str,
    task: Task,
    answers: polars.Series,
    rows: polars.Series,
    target: polars.Series,
    every: polars.Series,
) -> Iterator[Remark]:
    """Say which pairs of columns tell the answers without a mistake, and which columns tell a class.

    Args:
        answers: those of `rows`, in some of which pairs are looked for.
        target: the answers in all rows of the table.
        every: the positions of all rows that have one, against which what some rows show is held.
    """
    drawn = numpy.linspace(0, len(rows) - 1, min(_MOST_ROWS, len(rows))).astype(numpy.int64)
    some, sought = rows.gather(drawn), answers.gather(drawn)
    numbers = numbered(sought) - 1
    if len(sought) < _FEWEST_ROWS or (task is Task.CLASSIFY and _others(numbers) < _FEWEST_OTHERS):
        return
    size = sought.cast(polars.Float64).to_numpy() if task is not Task.CLASSIFY else None
    coded = [
        judged for judged in columns if 2 <= judged.column.distinct <= _MOST_VALUES and judged.kind is not Kind.TEXT
    ]
    coded = coded[:_MOST_LOOKED_AT]
    codes = [numbered(judged.values.gather(some)) for judged in coded]
    order = sorted(range(len(coded)), key=lambda place: -told(codes[place], numbers, size))[:_MOST_CODES]
    found = [
        (coded[one], coded[other])
        for one, other in combinations(sorted(order), 2)
        if _code_all(codes[one], codes[other], numbers, size)
    ]
    if task is Task.CLASSIFY:
        found += _differences(columns, some, numbers)
        marks = [judged for judged, code in zip(coded, codes, strict=True) if _marks(code, numbers)]
        if len(drawn) < len(every) and marks:
            numbers = numbered(target.gather(every)) - 1
            marks = [judged for judged in marks if _marks(numbered(judged.values.gather(every)), numbers)]
        yield from _remark_on_marks(marks, name)
    for more in (rows, every) if len(rows) < len(every) else (every,):
        if len(drawn) < len(more) and found:
            answers = target.gather(more)
            found = [pair for pair in found if _tell(*pair, task, answers, more)]
    if found:
        shown = repr(shorten(name, 40))
        if len(found) == 1:
            [(one, other)] = found
            what = f"{one.quoted} and {other.quoted} together predict {shown} perfectly, though neither does alone."
        else:
            listed = join_first([f"{one.quoted} with {other.quoted}" for one, other in found], _SHOWN)
            what = f"Pairs of columns predict {shown} perfectly, though none of these does alone: {listed}."
        remedy = (
            "If they are not known before the answer, leave out one of the two: scores would be too good to be true."
        )
        names = dict.fromkeys(judged.column.name for pair in found[:_SHOWN] for judged in pair)
        yield Remark(what, Weight.WARNING, remedy, tuple(names))


def _tell(one: Judged, other: Judged, task: Task, answers: polars.Series, rows: polars.Series) -> bool:
    """True where the two columns tell the answers in all of these rows."""
    values = [judged.values.gather(rows) for judged in (one, other)]
    numbers = numbered(answers) - 1
    if task is not Task.CLASSIFY:
        return _code_all(numbered(values[0]), numbered(values[1]), numbers, answers.to_numpy())
    if _code_all(numbered(values[0]), numbered(values[1]), numbers, None):
        return True
    if not all(held.dtype.is_float() for held in values):
        return False
    return any(_parted(mixed, numbers) for mixed in _mixtures(values[0].to_numpy(), values[1].to_numpy()))


def _marks(codes: NDArray[numpy.int64], numbers: NDArray[numpy.int64]) -> bool:
    """True where one of two values stands in all rows of a class and in no others, as in a column `is_red`."""
    rows = numpy.bincount(numbers)
    if len(rows) < _FEWEST_MARKED or len(numpy.unique(codes)) != 2:
        return False
    marked = codes == codes.max()
    of_each = numpy.bincount(numbers[marked], minlength=len(rows))
    one = numpy.flatnonzero(of_each) if 2 * marked.sum() <= len(codes) else numpy.flatnonzero(rows - of_each)
    exact = len(one) == 1 and of_each[one[0]] in (0, rows[one[0]])
    return bool(exact and rows[one[0]] >= _FEWEST_OTHERS)


def _remark_on_marks(found: Sequence[Judged], name: str) -> Iterator[Remark]:
    if found:
        names = join_first([judged.quoted for judged in found])
        each = "identifies one class" if len(found) == 1 else "each identify one class"
        what = f"{names} {each} of {shorten(name, 40)!r} perfectly."
        remedy = "If they were made from the answer, leave them out; what is known before it may well identify a class."
        yield Remark(what, Weight.WARNING, remedy, tuple(judged.column.name for judged in found))


def numbered(values: polars.Series) -> NDArray[numpy.int64]:
    """A number for each different value, from 1; 0 where it is missing."""
    numbers: NDArray[numpy.int64] = values.rank("dense").fill_null(0).to_numpy().astype(numpy.int64)
    return numbers


def _others(numbers: NDArray[numpy.int64]) -> int:
    return len(numbers) - int(numpy.bincount(numbers).max())


def told(codes: NDArray[numpy.int64], numbers: NDArray[numpy.int64], size: NDArray[numpy.float64] | None) -> float:
    """The share that the mean answer of each code explains, or that its most common answer gets right."""
    if size is None:
        counts = numpy.bincount(
            codes * (numbers.max() + 1) + numbers, minlength=(codes.max() + 1) * (numbers.max() + 1)
        )
        return float(counts.reshape(codes.max() + 1, -1).max(axis=1).sum() / len(codes))
    rows = numpy.bincount(codes)
    means = numpy.bincount(codes, size) / numpy.maximum(rows, 1)
    variance = size.var()
    return float(1 - ((size - means[codes]) ** 2).mean() / variance) if variance else 0.0


def _code_all(
    one: NDArray[numpy.int64],
    other: NDArray[numpy.int64],
    numbers: NDArray[numpy.int64],
    size: NDArray[numpy.float64] | None,
) -> bool:
    """True where the two columns together have one answer for each pair of values, with several rows a pair."""
    both = one * (other.max() + 1) + other
    if numpy.count_nonzero(numpy.bincount(both)) * _ROWS_A_PAIR > len(both):
        return False
    return told(both, numbers, size) >= (1.0 if size is None else 1 - _LEFT)


def _differences(
    columns: Sequence[Judged], rows: polars.Series, numbers: NDArray[numpy.int64]
) -> list[tuple[Judged, Judged]]:
    """Pairs of numbers whose difference, sum, ratio or product tells the class: goals shot and taken, and who has won.

    Classes that only lie apart show as mistakes or as a gap between them; of a rule, there are rows on both sides of its
    edge.
    """
    numeric = [judged for judged in columns if judged.kind in (Kind.NUMBER, Kind.WHOLE) and not judged.column.missing]
    numeric = numeric[:_MOST_LOOKED_AT]
    held = {judged.column.name: judged.values.gather(rows).to_numpy() for judged in numeric}
    ranked = sorted(numeric, key=lambda judged: _changes(held[judged.column.name], numbers))[:_MOST_NUMBERS]
    found = []
    for one, other in combinations(ranked, 2):
        first, second = held[one.column.name], held[other.column.name]
        if any(_parted(mixed, numbers) for mixed in _mixtures(first, second)):
            found.append((one, other))
    return found


def _mixtures(first: NDArray[numpy.float64], second: NDArray[numpy.float64]) -> Iterator[NDArray[numpy.float64]]:
    yield first - second
    yield first + second
    if min(first.min(), second.min()) > 0:
        yield first / second
        yield first * second


def _changes(values: NDArray[numpy.float64], numbers: NDArray[numpy.int64]) -> int:
    """The changes of the class from row to row, sorted by the value."""
    return int(numpy.count_nonzero(numpy.diff(numbers[numpy.argsort(values, kind="stable")])))


def _parted(mixed: NDArray[numpy.float64], numbers: NDArray[numpy.int64]) -> bool:
    """True where thresholds part the classes without a mistake, and rows lie close to both sides of each."""
    order = numpy.argsort(mixed, kind="stable")
    classes, values = numbers[order], mixed[order]
    spread = values.std()
    edges = numpy.flatnonzero(numpy.diff(classes))
    if len(edges) != numbers.max() or spread == 0:
        return False
    values = (values / spread).round(9)  # 0.1 + 0.2 is 0.3
    if (values[edges] == values[edges + 1]).any():
        return False
    steps = numpy.diff(numpy.unique(values))
    reach = max(_NEAR, 1.01 * float(steps.min()))  # of whole numbers, the next one is near
    enough = max(_AT_THE_EDGE * len(values), 2)
    return all(
        ((values <= values[edge]) & (values > values[edge + 1] - reach)).sum() >= enough
        and ((values >= values[edge + 1]) & (values < values[edge] + reach)).sum() >= enough
        for edge in edges
    )
