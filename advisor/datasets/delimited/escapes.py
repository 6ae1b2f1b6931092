"""Characters of a text table that a backslash takes their meaning from, as Spark and MySQL write them."""

from __future__ import annotations

import re

import polars

_QUOTE, _DELIMITER, _BREAK = "\ue001", "\ue002", "\ue003"
"""Characters for private use, which stand for these until the table is divided into fields."""
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)


def hidden(text: str, delimiter: str) -> str:
    """The text with such characters in place of those that are escaped; other backslashes stay."""
    if "\\" not in text:
        return text
    stands = {'"': _QUOTE, delimiter: _DELIMITER, "\n": _BREAK, "\\": "\\"}
    return _ESCAPED.sub(lambda found: stands.get(found[1], found[0]), text)


def first_line(text: str, delimiter: str) -> int:
    """The line of the first such character, from 1; 0 where there is none."""
    found = next((one for one in _ESCAPED.finditer(text) if one[1] in ('"', delimiter, "\n", "\\")), None)
    return 0 if found is None else text.count("\n", 0, found.start()) + 1


def shown(text: str, delimiter: str) -> str:
    """The text with what those characters stand for."""
    return text.replace(_QUOTE, '"').replace(_DELIMITER, delimiter).replace(_BREAK, "\n")


def all_shown(frame: polars.DataFrame, delimiter: str) -> polars.DataFrame:
    """The same of every text of a table."""
    return frame.with_columns(
        polars.selectors.string().str.replace_many([_QUOTE, _DELIMITER, _BREAK], ['"', delimiter, "\n"])
    )
