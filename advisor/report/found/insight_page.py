"""Everything that is known about the winner, as it is set for the terminal and in Markdown."""

from __future__ import annotations

from advisor.report.found.insight import Table, not_known, told
from advisor.report.markup import plain, table
from advisor.report.page import Page, Style, cells
from advisor.training.ladder.outcome import TrialResults
from advisor.wording import shorten

_MOST_ROWS = 12
_NARROWEST, _BESIDE = 12, 2


def add_insight(page: Page, outcome: TrialResults) -> None:
    """A sentence on each piece, and the figures behind it as far as they have room; the report draws them all."""
    if outcome.insight is None:
        return
    page.heading(f"about {outcome.insight.of}")
    for one in told(outcome):
        page.add((f"{one.title.rstrip('?')}: ", Style.STRONG), one.sentence, first="- ")
        for shown in one.tables if one.piece != "dependence" else ():
            _add_table(page, shown)
    page.items(not_known(outcome.insight))


def _add_table(page: Page, shown: Table) -> None:
    """Indented below its sentence; left out where the screen is too narrow for all of its columns."""
    rows = [shown.head, *shown.rows[:_MOST_ROWS]]
    first, *others = (max(map(cells, column)) for column in zip(*rows, strict=True))
    room = page.look.columns - _BESIDE - sum(others) - _BESIDE * len(others)
    if room < min(first, _NARROWEST):
        return
    widths = (0, min(first, room), *others)
    for number, row in enumerate(rows):
        style = Style.PLAIN if number else Style.FAINT
        named = shorten(row[0], widths[1])
        page.columns([("",), *(((cell, style),) for cell in (named, *row[1:]))], widths)
    if len(shown.rows) > _MOST_ROWS:
        page.add((f"and {len(shown.rows) - _MOST_ROWS:,} more", Style.FAINT), first="  ")


def insight_markdown(outcome: TrialResults) -> list[str]:
    if outcome.insight is None:
        return []
    lines = [f"## About {plain(outcome.insight.of)}", ""]
    for one in told(outcome):
        lines += [f"### {one.title}", "", plain(one.sentence)]
        for shown in one.tables:
            lines += table([plain(cell) for cell in shown.head], shown.rows)
    return [*lines, *(f"- {plain(sentence)}" for sentence in not_known(outcome.insight)), ""]
