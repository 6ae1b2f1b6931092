"""Whether the first row of a table names its columns, and by which names they are called."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

from advisor.datasets.delimited.dated_names import times_of
from advisor.errors import InputError
from advisor.wording import join_names, shorten

_NUMBER = re.compile(r"\s*[+-]?(\d+([.,]\d*)*|[.,]\d+)([eE][+-]?\d+)?\s*%?\s*")
_DATE = re.compile(r"\s*\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}([T ].*)?")
_MISSING = frozenset({"", "na", "nan", "null", "none", "?", "-", "n/a"})
_ROWS = 100
_MOSTLY = 0.9


def has_header(records: Sequence[Sequence[str]]) -> bool:
    """Whether the first record is unlike the others: words above numbers, or texts that do not come again below."""
    if not records:
        return False
    first, rest = [cell.strip() for cell in records[0]], records[1 : _ROWS + 1]
    if not any(first):
        return False
    filled = [cell for cell in first if cell]
    values = [position for position, cell in enumerate(first) if _is_value(cell)]
    if values:
        return bool(rest) and (_are_years(first, values) or _are_dates_above_numbers(first, values, rest))
    if any(cell.casefold() in _MISSING for cell in filled) or len(filled) < len(first) / 2:
        return False
    if not rest:
        return all(re.fullmatch(r"[^\W\d][\w .()/%\[\]<>-]*", cell) for cell in filled)
    columns = [
        [record[position].strip() for record in rest if position < len(record)] for position in range(len(first))
    ]
    if any(_is_value(cell) for column in columns for cell in column):
        return True
    again = sum(name in column for name, column in zip(first, columns, strict=True) if name)
    return again == 0


def _is_value(cell: str) -> bool:
    return bool(_NUMBER.fullmatch(cell) or _DATE.fullmatch(cell)) or cell.casefold() in ("true", "false")


def _are_years(first: Sequence[str], values: Sequence[int]) -> bool:
    """Names such as `country, 1990, 1991`, or `id, 0, 1, 2`: numbers that count on, beside words."""
    if len(values) == len(first) or len(values) < 2:
        return False
    try:
        numbers = [int(first[position]) for position in values]
    except ValueError:
        return False
    return all(after - before == 1 for before, after in pairwise(numbers))


def _are_dates_above_numbers(first: Sequence[str], values: Sequence[int], rest: Sequence[Sequence[str]]) -> bool:
    """Names such as `region, 2015-01-01, 2015-02-01`: dates that follow one another, and below them numbers and no dates."""
    if times_of([first[position] for position in values]) is None:
        return False
    below = [record[position].strip() for record in rest for position in values if position < len(record)]
    filled = [cell for cell in below if cell.casefold() not in _MISSING]
    numbers = sum(bool(_NUMBER.fullmatch(cell)) and not _DATE.fullmatch(cell) for cell in filled)
    return numbers > _MOSTLY * len(filled)


def column_names(first: Sequence[str], width: int, path: Path) -> tuple[str, ...]:
    """The names in the first row; `column_3` where there is none.

    Raises:
        InputError: two columns have the same name.
    """
    stated = [cell.strip().removeprefix("\ufeff").replace("\0", "") for cell in first][:width]
    stated[:1] = [name.removeprefix("#").strip() for name in stated[:1]]
    refuse_names([name for name in stated if name], path)
    names = []
    for position in range(width):
        name = stated[position] if position < len(stated) else ""
        if not name:
            name = f"column_{position + 1}"
            while name in stated:
                name += "_"
        names.append(name)
    return tuple(names)


def ragged(path: Path, line: int, fields: int, width: int) -> InputError:
    """A row with another number of fields than there are columns, named by its line."""
    from advisor.datasets.formats import unreadable

    counted = f"{fields} field" if fields == 1 else f"{fields} fields"
    columns = "1 column" if width == 1 else f"{width} columns"
    what = f"line {line:,} has {counted}, but the table has {columns}"
    return unreadable(
        path, what, "Quote values that hold the delimiter; where the file is cut off, write it once more."
    )


def refuse_names(names: Sequence[str], path: Path) -> None:
    """Raises InputError where two columns have the same name, or one is a pattern for the names of others."""
    from advisor.datasets.formats import unreadable

    pattern = next((name for name in names if name == "*" or (name.startswith("^") and name.endswith("$"))), None)
    if pattern is not None:  # polars takes these for all columns, and for a regular expression
        what = f"a column is called {shorten(pattern, 30)!r}, which stands for the names of others"
        raise unreadable(path, what, "Give it a plain name.")

    double = [f"{shorten(name, 30)!r}" for name, count in Counter(names).items() if count > 1]
    if double:
        shown = join_names([*double[:5], *([f"{len(double) - 5} more"] if len(double) > 5 else [])])
        raise unreadable(path, f"several columns are called {shown}", "Give each column a name of its own.")
