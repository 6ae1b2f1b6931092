"""Refusals of data, as every reader words them: what is wrong, where, and a remedy."""

from __future__ import annotations

import difflib
import os
from collections import Counter
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

from advisor.errors import InputError, input_error
from advisor.wording import join_first, shorten

MOST_COLUMNS = 100_000
"""Of a table of any format."""
_MOST_NEIGHBOURS = 20_000


def unreadable(path: Path | str, what: str, remedy: str) -> InputError:
    """The refusal of data that cannot be read."""
    return input_error("These data cannot be read", what, where=shorten(path, 200), remedy=remedy)


def unlearnable(path: str, what: str, remedy: str) -> InputError:
    """The refusal of data that can be read, but not learned from."""
    return input_error("Nothing can be learned from these data", what, where=shorten(path, 200), remedy=remedy)


def not_opened(path: Path, error: OSError) -> InputError:
    """The system's refusal of a file, in words and with a remedy."""
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return unreadable(path, "nothing is there", _nearby(path))
    if isinstance(error, PermissionError):
        return unreadable(path, "it may not be read", "Check its permissions and those of its folders.")
    return unreadable(path, error.strerror or type(error).__name__, "Check the path and the disk.")


def _nearby(path: Path) -> str:
    """Ask for the name in the same folder that is nearest to the missing one."""
    try:
        names = [entry.name for entry in islice(os.scandir(path.parent), _MOST_NEIGHBOURS)]
    except OSError:
        return "Check the path."
    near = difflib.get_close_matches(path.name[:200], names, n=1, cutoff=0.6)
    return f"Did you mean {shorten(path.parent / near[0], 200)}?" if near else "Check the path."


def misnamed(path: Path, format_: str) -> InputError:
    """The refusal of a file whose name promises another format than its content."""
    what = f"its name says {format_}, but it does not begin as such a file does"
    return unreadable(path, what, "It may be cut off or something else. Copy or write it once more.")


def only_a_header(path: Path) -> InputError:
    """The refusal of a table without rows."""
    return unreadable(path, "there is only a header and no row below it", "Check that it was written to its end.")


def ragged(path: Path, line: int, fields: int, width: int, *, backslash: bool = False) -> InputError:
    """The refusal of a row with another number of fields than there are columns, named by its line.

    `backslash` says that one stands before a quotation mark in it.
    """
    counted = f"{fields} field" if fields == 1 else f"{fields} fields"
    columns = "1 column" if width == 1 else f"{width} columns"
    what = f"line {line:,} has {counted}, but the table has {columns}"
    remedy = "Quote values that hold the delimiter; where the file is cut off, write it once more."
    if fields < width:
        remedy = "Write an empty field for a value that is missing; where the file is cut off, write it once more."
    if backslash:
        what += ": a backslash stands before a quotation mark in it, and other rows have none"
        remedy = "Write a quotation mark within a value twice, and no backslash before it."
    return unreadable(path, what, remedy)


def uneven_header(path: Path, names: Sequence[str], width: int) -> InputError:
    """The refusal of a header with names for fewer or more fields than the rows have."""
    shown = join_first([repr(shorten(name, 20)) for name in names])
    fields = "1 field" if width == 1 else f"{width:,} fields"
    what = f"the header has {len(names):,} names ({shown}), but the rows have {fields}"
    remedy = "Give the field that has none a name: nothing shows which it is."
    if len(names) > width:
        remedy = "Remove the name that has no field, or write that field: nothing shows which it is."
    return unreadable(path, what, remedy)


def line_too_long(path: Path, line: int, most: int) -> InputError:
    """The refusal of a row that does not end within so many bytes, named by the line on which it begins."""
    what = f"the row that begins on line {line:,} is longer than {most // 2**20} MiB"
    return unreadable(path, what, "A quotation mark may be open there, or this may be no table.")


def refuse_width(columns: int, path: Path) -> None:
    """Raise InputError where a table has more columns than are looked at."""
    if columns > MOST_COLUMNS:
        remedy = f"Save those that vary most, {MOST_COLUMNS:,} at most, to a file of their own, or columns as rows."
        raise unreadable(path, f"the table has {columns:,} columns", remedy)


def refuse_names(names: Sequence[str], path: Path) -> None:
    """Raise InputError where two columns have the same name, or one is a pattern for the names of others."""
    pattern = next((name for name in names if name == "*" or (name.startswith("^") and name.endswith("$"))), None)
    if pattern is not None:  # polars takes these for all columns, and for a regular expression
        what = f"a column is called {shorten(pattern, 30)!r}, which stands for the names of others"
        raise unreadable(path, what, "Give it a plain name.")
    double = [f"{shorten(name, 30)!r}" for name, count in Counter(names).items() if count > 1]
    if double:
        raise unreadable(
            path, f"several columns are called {join_first(double)}", "Give each column a name of its own."
        )


def refuse_target(target: str | None, path: Path) -> None:
    """Raise InputError where a target is named for files whose folders name the classes."""
    if target is not None:
        what = f"there are no columns in it that {shorten(target)!r} could name"
        raise unreadable(path, what, "Leave --target out: the folders name the classes.")
