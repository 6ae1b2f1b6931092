"""Text that comes from data, packs and files, as the screen shows it: nothing in it is markup, nothing controls the terminal."""

from __future__ import annotations

from collections.abc import Iterable

from textual.content import Content

from advisor.errors import InputError
from advisor.inference.plan import Recommendation
from advisor.report.page import Look, Piece, Style
from advisor.report.plan.text import status_mark
from advisor.wording import printable

LOOK = Look()
"""With Unicode symbols: every terminal that Textual runs on has them."""

_LOOKS = {
    Style.PLAIN: "",
    Style.HEADING: "bold $primary",
    Style.STRONG: "bold",
    Style.FAINT: "dim",
    Style.GOOD: "$text-success",
    Style.CARE: "$text-warning",
    Style.BAD: "$text-error",
}


def plain(text: str) -> Content:
    """The text as it is, without control characters."""
    return Content(printable(text))


def content(pieces: Iterable[Piece]) -> Content:
    """Pieces of a report (`report.page`) in the colours of the theme."""
    return Content.assemble(*(printable(p) if isinstance(p, str) else (printable(p[0]), _LOOKS[p[1]]) for p in pieces))


def lines(parts: Iterable[Content]) -> Content:
    return Content("\n").join(parts)


def status(entry: Recommendation) -> Content:
    """`✓ settled  `: a symbol and a word, of constant width."""
    return content(status_mark(entry, LOOK))


def problem_text(error: InputError) -> str:
    """All problems, each with its remedy."""
    return "\n".join(str(problem) for problem in error.problems)
