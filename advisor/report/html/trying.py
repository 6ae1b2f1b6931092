"""The findings of `advisor try` as HTML: the winner, the scores on the folds, the meaning for the plan."""

from __future__ import annotations

from collections.abc import Mapping

from advisor.report.found import trying
from advisor.report.found.insight import not_known
from advisor.report.html.drawing import Chart, Point, Shape
from advisor.report.html.insight import drawn
from advisor.report.html.rendering import render
from advisor.training.ladder.outcome import TrialResults
from advisor.training.ladder.verdicts import in_order


def trying_html(outcome: TrialResults, titles: Mapping[str, str] = trying.TITLES, date: str = "") -> str:
    name = outcome.data.path.rstrip("/").rpartition("/")[2]
    return render(
        "trying.html.j2",
        title=f"Tried on {name}",
        date=date,
        outcome=outcome,
        metric=outcome.metric.title,
        chart=_finals(outcome) if outcome.finals else None,
        known=drawn(outcome),
        not_known=not_known(outcome.insight) if outcome.insight is not None else [],
        decided=trying.decision_rows(outcome),
        decided_head=trying.DECISIONS,
        folds=trying.fold_rows(outcome),
        bets=trying.bet_rows(outcome, titles),
        changes=trying.changes_shown(outcome, titles),
        how=trying.how(outcome),
        next_steps=trying.next_steps(outcome),
    )


def _finals(outcome: TrialResults) -> Chart:
    """The finalists' scores on what selection never saw."""
    finals = list(in_order(outcome.finals, outcome.metric))
    shown = outcome.metric.shown
    return Chart(
        name="finals",
        title=f"{_headed(outcome)} on examples that selection never saw",
        says="The finalists with 95 % prediction intervals, the best first: "
        f"{finals[0].name}, {shown(finals[0].mean)}.",
        shape=Shape.SCORES,
        points=tuple(Point(one.name, one.mean, one.low, one.high) for one in finals),
        axis=outcome.metric.title,
        head=("Candidate", _headed(outcome), trying.NEW_ONES, "Seeds"),
        rows=tuple(map(tuple, trying.final_rows(outcome))),
    )


def _headed(outcome: TrialResults) -> str:
    """The title of the metric at the head of a line."""
    title = outcome.metric.title
    return title[:1].upper() + title[1:]
