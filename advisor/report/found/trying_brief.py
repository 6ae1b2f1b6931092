"""The findings of trials on one screen: the winner, by how much beyond noise, what that means for the plan, and what is next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import TypeAlias

from advisor.report.changes import STYLES
from advisor.report.found.insight import brief_lines
from advisor.report.found.trying import (
    NEW_ONES,
    TITLES,
    bet_rows,
    by_candidate,
    candidate_rows,
    decided,
    final_rows,
    fold_rows,
    next_steps,
)
from advisor.report.page import Look, Page, Style
from advisor.training.ladder.outcome import TrialResults
from advisor.wording import printable

_ROOM = ((6, 4), (5, 4), (4, 4), (3, 4), (3, 3), (2, 4), (2, 3), (2, 2), (2, 1), (2, 0))
"""Rows of tables and sentences about the winner, the most that may fit first."""
Steps: TypeAlias = Sequence[tuple[str, str]]
"""Words and commands, as of `next_steps`."""
_TOLD_AGAIN = "advisor apply"
"""Beginning of a command that is told once more where its time has come."""


def trying_brief(outcome: TrialResults, look: Look, titles: Mapping[str, str] = TITLES) -> str:
    """The first screen after trying, at most 24 lines at 80 columns."""
    steps = next_steps(outcome)
    fewer = [step for step in steps if not step[1].startswith(_TOLD_AGAIN)]
    for (rows, known), shown in product(_ROOM, (steps, fewer)):
        if _page(outcome, replace(look, colour=False), titles, rows, known, shown).fits:
            break
    return _page(outcome, look, titles, rows, known, shown).text()


def _page(outcome: TrialResults, look: Look, titles: Mapping[str, str], rows: int, known: int, steps: Steps) -> Page:
    page, data = Page(look), outcome.data
    name = printable(data.path.rstrip("/").rpartition("/")[2])
    page.add(
        f"{data.examples:,} examples of {name}, in {outcome.seconds:.0f} s", first=[("TRIED HERE  ", Style.HEADING)]
    )
    if data.given:
        page.add(data.how.partition(". ")[0].rstrip(".") + ".", first="  ")
    if outcome.interrupted:
        page.add(("Stopped before the end; this is what is known.", Style.CARE), first="  ")
    page.add((outcome.says, Style.STRONG), first="  ")
    best = outcome.best.name if outcome.best is not None else ""
    metric, tried = outcome.metric.title, by_candidate(outcome)
    if outcome.finals:
        figures = {metric: 10, NEW_ONES: 16}
        finals = [row[:3] for row in final_rows(outcome)]
        candidate_rows(page, "on examples that selection never saw", figures, finals[:rows], best)
        if said := decided(outcome):
            page.add(said, first="  ")
    elif tried:
        folds = [(name, score, count) for name, _, score, count, _ in fold_rows(outcome, tried[:rows])]
        candidate_rows(page, "on the folds", {metric: 16, "folds": 5}, folds, best)
    if outcome.insight is not None:
        page.section(f"about {outcome.insight.of}", brief_lines(outcome)[:known])
    if outcome.bets:
        page.heading("before -> measured -> after")
    for bet, row in list(zip(outcome.bets, bet_rows(outcome, titles), strict=True))[: rows - 1]:
        title, before, verdict, after, _ = row
        change = before if before == after else f"{before} -> {after}"
        page.add((title, Style.STRONG), f": {change}, ", (verdict, STYLES[bet.verdict]), first="  ")
    for note in outcome.notes[: max(1, rows // 3)]:
        page.add(f"{note.partition('. ')[0].rstrip('.')}.", first=[("  ! ", Style.CARE)])
    page.blank()
    page.add(("NEXT", Style.HEADING), "  --details shows every candidate, the folds, and how it was tried")
    for words, command in steps:
        beside = f"  # {words.rstrip('.')}" if len(command) + len(words) + 6 <= look.columns else ""
        if command:
            page.verbatim(f"{command}{beside}", first="  ")
        else:
            page.add(words, first="  ")
    return page
