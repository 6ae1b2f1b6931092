"""Text that comes from data, packs and files, as the screen shows it: nothing in it is markup, nothing controls the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from textual.content import Content

from advisor.errors import InputError
from advisor.inference.plan import Plan, Recommendation, Status
from advisor.report.page import Look, Piece, Style
from advisor.report.words import STATUS_WORDS, by_status
from advisor.wording import printable

_EIGHTHS = " ▁▂▃▄▅▆▇█"
FAINT = "$text-muted"
"""The style of what is said beside: not Textual's `dim`, which is too faint to read."""
LOOK = Look()
"""With Unicode symbols: every terminal that Textual runs on has them."""

_LOOKS = {
    Style.PLAIN: "",
    Style.HEADING: "bold $text-primary",
    Style.STRONG: "bold",
    Style.FAINT: FAINT,
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


_GLYPHS = {
    Status.SETTLED: ("●", "$text-success"),
    Status.MEASURED: ("◆", "$text-success"),
    Status.SIMULATED: ("◇", "$text-success"),
    Status.LEANING: ("◐", "$text-warning"),
    Status.OPEN: ("○", "$text-error"),
    Status.NOT_APPLICABLE: ("–", FAINT),
    Status.SILENT: ("·", FAINT),
}


def glyph(status: Status) -> Content:
    """The status in one cell."""
    return Content.styled(*_GLYPHS[status])


def status(entry: Recommendation) -> Content:
    """`● settled  `: a glyph and a word, as wide for most of them."""
    return Content.assemble(glyph(entry.status), (f" {STATUS_WORDS[entry.status]:<8} ", _GLYPHS[entry.status][1]))


def status_legend(plan: Plan, *, words: bool = True) -> str:
    """`● 9 settled  ◐ 22 leaning`: the recommendations by status, which explains the glyphs."""
    counted = by_status(plan).items()
    return "  ".join(f"{_GLYPHS[one][0]} {count}{f' {STATUS_WORDS[one]}' if words else ''}" for one, count in counted)


def gauge(share: float, cells: int = 10) -> Content:
    """A bar of a share: `▰▰▰▱▱▱▱▱▱▱`."""
    full = min(cells, max(0, int(share * cells + 1e-9)))
    return Content.assemble(("▰" * full, "$text-success"), ("▱" * (cells - full), FAINT))


def shape(counts: Sequence[int], cells: int = 8) -> Content:
    """The histogram of a column in small bars: `▂▇▅▃▁▁▁▁`; those of two values are wider than those of eight."""
    most = max(counts, default=0)
    wide = max(1, cells // max(len(counts), 1))
    bars = "".join(_EIGHTHS[max(1, round(8 * count / most)) if count else 0] * wide for count in counts) if most else ""
    return Content.styled(bars.ljust(cells), "$text-primary")


def problem_text(error: InputError) -> str:
    """All problems, each with its remedy."""
    return "\n".join(str(problem) for problem in error.problems)
