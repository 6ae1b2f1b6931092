"""Plain text made safe for Markdown and for the HTML that Markdown becomes: hostile text shows as text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from advisor.wording import printable

_ENTITIES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
_SPECIAL = re.compile(r"[\\`*\[\]|~$#]|(?<![^\W_])_|_(?![^\W_])")
_LINE_START = re.compile(r"^([-+=]+|\d{1,9}[.)])(?=\s|$)")


def plain(text: object) -> str:
    """Text on one line that means nothing to Markdown: no link, table cell, tag, heading or emphasis comes of it."""
    line = " ".join(printable(str(text)).split())
    escaped = _SPECIAL.sub(lambda match: f"\\{match[0]}", line.translate(_ENTITIES))
    return _LINE_START.sub(lambda match: f"{match[0][:-1]}\\{match[0][-1]}", escaped)


def code(text: str) -> str:
    """An inline piece of code, held together by a fence longer than any within; nothing for no text."""
    line = " ".join(printable(text).split())
    if not line:
        return ""
    fence = "`" * (_longest_run(line) + 1)
    padding = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{fence}{padding}{line}{padding}{fence}"


def code_block(lines: Iterable[str], language: str = "text") -> list[str]:
    """Lines to be copied, as a fenced block."""
    shown = [printable(line).replace("\n", " ") for line in lines]
    fence = "`" * max(3, *(_longest_run(line) + 1 for line in shown))
    return [f"{fence}{language}", *shown, fence]


def _longest_run(text: str) -> int:
    return max((len(run) for run in re.findall("`+", text)), default=0)


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> list[str]:
    """A table of plain cells, with an empty line before and after."""
    lines = ["", f"| {' | '.join(head)} |", f"|{' --- |' * len(head)}"]
    return [*lines, *(f"| {' | '.join(plain(cell) for cell in row)} |" for row in rows), ""]
