"""Tables of texts: columns of plain values of each kind, in which cells, columns or names are then made odd."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date
from random import Random

from hypothesis import strategies as st

from . import values

MOST_ROWS = 60


@dataclass(frozen=True, slots=True)
class Cells:
    """A table, column by column."""

    names: tuple[str, ...]
    columns: tuple[tuple[str, ...], ...]

    @property
    def rows(self) -> int:
        return len(self.columns[0]) if self.columns else 0

    def records(self) -> list[list[str]]:
        return [list(record) for record in zip(*self.columns, strict=True)]


@st.composite
def plain_tables(draw: st.DrawFn, most_rows: int = MOST_ROWS) -> Cells:
    """Examples in rows, a series in time, or the edges of a graph."""
    seed = Random(draw(st.integers(0, 2**32)))
    rows = draw(st.one_of(st.integers(10, most_rows), st.sampled_from((1, 2, 3, 9, 30, 40))))
    shape = draw(st.sampled_from((_examples, _examples, _examples, _series, _wide_series, _graph)))
    return shape(seed, rows)


def _examples(seed: Random, rows: int) -> Cells:
    makers = [seed.choice(values.KINDS) for _ in range(seed.randrange(1, 7))]
    makers.append(seed.choice((values.classes, values.numbers, values.wholes)))
    names = [f"{maker.__name__}_{place}" for place, maker in enumerate(makers)]
    names[-1] = seed.choice(("y", "target", "answer"))
    if seed.random() < 0.2:
        names[0] = seed.choice(("id", "user_id", "customer"))
    return Cells(tuple(names), tuple(tuple(maker(seed, rows)) for maker in makers))


def _series(seed: Random, rows: int) -> Cells:
    step, several = seed.choice((1, 7)), seed.choice((1, 1, 3))
    start = seed.randrange(700_000, 730_000)
    times = [date.fromordinal(start + step * (row // several)).isoformat() for row in range(rows)]
    measured = [tuple(values.numbers(seed, rows)) for _ in range(seed.randrange(1, 4))]
    names = ["date", *(f"value_{place}" for place in range(len(measured)))]
    columns = [tuple(times), *measured]
    if several > 1:
        names.append("shop")
        columns.append(tuple("abc"[row % several] for row in range(rows)))
    return Cells(tuple(names), tuple(columns))


def _wide_series(seed: Random, rows: int) -> Cells:
    steps = seed.randrange(8, 20)
    names = seed.choice(
        (
            [f"t{step}" for step in range(steps)],
            [str(1990 + step) for step in range(steps)],
            [date.fromordinal(730_000 + step).isoformat() for step in range(steps)],
        )
    )
    level = [seed.gauss(0, 10) for _ in range(rows)]
    columns = []
    for _ in range(steps):
        level = [value + seed.gauss(0, 1) for value in level]
        columns.append(tuple(f"{value:.3f}" for value in level))
    return Cells(("name", *names), (tuple(f"s{row}" for row in range(rows)), *columns))


def _graph(seed: Random, rows: int) -> Cells:
    nodes = max(rows // 2, 2)
    names = seed.choice((("source", "target"), ("from", "to"), ("a", "b")))
    prefix = seed.choice(("", "n"))
    ends = tuple(tuple(f"{prefix}{seed.randrange(nodes)}" for _ in range(rows)) for _ in names)
    return Cells(names, ends)


Change = Callable[[st.DrawFn, Cells], Cells]


def _odd_cell(draw: st.DrawFn, cells: Cells) -> Cells:
    return _with(draw, cells, lambda column: _put(draw, column))


def _put(draw: st.DrawFn, column: list[str]) -> list[str]:
    for _ in range(draw(st.integers(1, 3))):
        if column:
            column[draw(st.integers(0, len(column) - 1))] = draw(values.odd_cells)
    return column


def _odd_column(draw: st.DrawFn, cells: Cells) -> Cells:
    """Every cell of a column from a few odd values of one kind, so that the column is judged by them."""
    pool = draw(st.sampled_from((values.NUMBERS, values.DATES, values.TEXTS)))
    chosen = draw(st.lists(st.sampled_from(pool), min_size=1, max_size=4))
    return _with(draw, cells, lambda column: [chosen[row % len(chosen)] for row in range(len(column))])


def _counting_column(draw: st.DrawFn, cells: Cells) -> Cells:
    """A column of whole numbers that count on from a huge one, or of steps too small to tell."""
    start = draw(st.sampled_from((0, 2**31, 2**53, 2**63 - 5, -(2**63), 2**64, 10**30, 10**308)))
    step = draw(st.sampled_from((0, 1, -1, 10**18, 10**300)))
    return _with(draw, cells, lambda column: [str(start + step * row) for row in range(len(column))])


def _gaps(draw: st.DrawFn, cells: Cells) -> Cells:
    """All but a few cells of a column without a value."""
    kept = draw(st.integers(0, 3))
    missing = draw(st.sampled_from(("", "NA", "nan", "?", "inf")))
    return _with(draw, cells, lambda column: [*column[:kept], *[missing] * (len(column) - kept)][: len(column)])


def _repeated(draw: st.DrawFn, cells: Cells) -> Cells:
    return _with(draw, cells, lambda column: column[:1] * len(column))


def _odd_name(draw: st.DrawFn, cells: Cells) -> Cells:
    names = list(cells.names)
    names[draw(st.integers(0, len(names) - 1))] = draw(values.odd_names)
    return replace(cells, names=tuple(names))


def _same_rows(draw: st.DrawFn, cells: Cells) -> Cells:
    times = draw(st.integers(2, 5))
    return replace(cells, columns=tuple(column * times for column in cells.columns))


def _few_rows(draw: st.DrawFn, cells: Cells) -> Cells:
    kept = draw(st.integers(0, 3))
    return replace(cells, columns=tuple(column[:kept] for column in cells.columns))


def _copied_column(draw: st.DrawFn, cells: Cells) -> Cells:
    place = draw(st.integers(0, len(cells.names) - 1))
    return Cells((*cells.names, f"{cells.names[place]}2"), (*cells.columns, cells.columns[place]))


def _with(draw: st.DrawFn, cells: Cells, change: Callable[[list[str]], list[str]]) -> Cells:
    place = draw(st.integers(0, len(cells.columns) - 1))
    columns = list(cells.columns)
    columns[place] = tuple(change(list(columns[place])))
    return replace(cells, columns=tuple(columns))


_CHANGES: tuple[Change, ...] = (
    _odd_cell, _odd_cell, _odd_column, _odd_column, _odd_column, _counting_column, _gaps, _repeated, _odd_name,
    _same_rows, _few_rows,
    _copied_column,
)  # fmt: skip


def changed(draw: st.DrawFn, cells: Cells, most: int = 3) -> Cells:
    """The table after one change of its values or more."""
    for _ in range(draw(st.integers(1, most))):
        cells = draw(st.sampled_from(_CHANGES))(draw, cells)
    return cells


def targets_of(draw: st.DrawFn, cells: Cells) -> tuple[str, ...]:
    """Columns to be predicted: the last, and any other."""
    return tuple(dict.fromkeys((cells.names[-1], draw(st.sampled_from(cells.names)))))
