"""The first row of a table: whether it names the columns, and how."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

from advisor.datasets.refusals import refuse_names
from advisor.datasets.values.dated_names import times_of

_NUMBER = re.compile(r"\s*[+-]?(\d+([.,]\d*)*|[.,]\d+)([eE][+-]?\d+)?\s*%?\s*")
_DATE = re.compile(r"\s*\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}([T ].*)?")
_MISSING = frozenset({"", "na", "nan", "null", "none", "?", "-", "n/a"})
_ROWS = 100
_MOSTLY = 0.9


def has_header(records: Sequence[Sequence[str]]) -> bool:
    """True where the first record is unlike the others: words above numbers, or texts that do not recur below."""
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
    """The names in the first row; `column_3` where there is none. Raises InputError where two are the same."""
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
