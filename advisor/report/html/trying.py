"""The findings of `advisor try` as HTML: the winner, the scores on the folds, the meaning for the plan."""

from __future__ import annotations

from collections.abc import Mapping

from advisor.facts.verdict import Verdict
from advisor.report.found.trying import (
    TITLES,
    amount,
    bet_sentence,
    by_candidate,
    changes_shown,
    how,
    next_steps,
    value,
)
from advisor.report.html.charts import Chart, Point, Shape
from advisor.report.html.rendering import render
from advisor.training.ladder.outcome import TrialResults
from advisor.training.ladder.verdicts import in_order

_VERDICTS = {
    Verdict.CONFIRMED: ("✓", "confirmed"),
    Verdict.OVERTURNED: ("↻", "overturned"),
    Verdict.NO_DIFFERENCE: ("=", "no difference that matters"),
    Verdict.UNDECIDED: ("?", "undecided"),
}


def trying_html(outcome: TrialResults, titles: Mapping[str, str] = TITLES, date: str = "") -> str:
    name = outcome.data.path.rstrip("/").rpartition("/")[2]
    folds = [
        (t.name, t.stage.value, amount(outcome.metric, t.scores), str(len(t.scores)), f"{t.seconds:.1f}")
        for t in by_candidate(outcome)
    ]
    bets = []
    for bet in outcome.bets:
        after = bet.before if bet.after is None else bet.after
        title = titles.get(bet.topic, TITLES.get(bet.topic, bet.topic))
        sentence = bet_sentence(bet, outcome.metric)
        bets.append((title, value(bet.before), *_VERDICTS[bet.verdict], value(after), sentence))
    return render(
        "trying.html.j2",
        title=f"Tried on {name}",
        date=date,
        outcome=outcome,
        metric=outcome.metric.title,
        chart=_finals(outcome) if outcome.finals else None,
        folds=folds,
        bets=bets,
        changes=changes_shown(outcome, titles),
        how=how(outcome),
        next_steps=next_steps(outcome),
    )


def _finals(outcome: TrialResults) -> Chart:
    """The finalists' scores on what selection never saw."""
    finals = list(in_order(outcome.finals, outcome.metric))
    shown = outcome.metric.shown
    return Chart(
        name="finals",
        title=f"{outcome.metric.title.capitalize()} on examples that selection never saw",
        says=f"The finalists with their 95 % intervals, the best first: {finals[0].name}, {shown(finals[0].mean)}.",
        shape=Shape.SCORES,
        points=tuple(Point(one.name, one.mean, one.low, one.high) for one in finals),
        axis=outcome.metric.title,
        head=("Candidate", outcome.metric.title.capitalize(), "95 % interval", "Seeds"),
        rows=tuple(
            (one.name, shown(one.mean), f"{shown(one.low)} to {shown(one.high)}", str(len(one.scores)))
            for one in finals
        ),
    )
