"""Trials while they run: the race of the candidates, the training under way, the queue, and what was shown so far."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Static

from advisor.agent.trials.state import Row, Trials
from advisor.report.found.trying import amount
from advisor.training.ladder.intervals import t_interval
from advisor.training.ladder.trial_record import Kind, Stage
from advisor.tui.screens.running.race import Lane, Queue, Race, SoFar, Step
from advisor.tui.screens.running.run_screen import TimeBar
from advisor.tui.text import plain
from advisor.tui.widgets.curves import Curves
from advisor.wording import printable

STAGES = {
    Stage.TRIVIAL: "a trivial guess",
    Stage.BASELINES: "simple models",
    Stage.NETWORKS: "networks",
    Stage.VARIATIONS: "variations of the best",
}
FINALS = "held-out examples"
_OVERLAP = 0.25
"""Examples tested over those trained on, where a fifth is held out."""


class TrialsPane(Horizontal):
    """Draws what `Trials` know by now."""

    HELP_TEXT = (
        "The candidates so far, the best first. The mark on a line is the mean score over the folds, the thin line around it the "
        "95 % interval of that mean: it narrows with every fold. What is held out at the end decides."
    )

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id, classes="frame")

    def compose(self) -> ComposeResult:
        with Vertical(classes="run"):
            yield TimeBar()
            yield Static("", id="trials_doing", classes="strong", markup=False)
            yield Race("Race on your data", id="race")
            yield Queue(id="queue")
            yield SoFar(id="so_far")
        with Vertical(id="training"):
            yield Static("", id="curves_of", classes="faint", markup=False)
            yield Curves(id="curves")

    def show(self, state: Trials) -> None:
        self.query_one("#trials_doing", Static).update(plain(state.doing))
        metric = state.metric
        best = "larger is better" if metric.greater_is_better else "smaller is better"
        self.query_one(Race).show(lanes(state), f"Race on your data: {metric.title}, {best}" if state.ready else "")
        self.query_one(Queue).show(queue(state))
        self.query_one(SoFar).show(so_far(state))
        self.query_one("#training").set_class(not state.trainings, "-empty")
        self.query_one("#curves_of", Static).update(
            plain(f"Loss after each epoch of {state.curves_of}, a line for each fold")
        )
        self.query_one(Curves).show(state.curves)


def interval(scores: Sequence[float]) -> tuple[float, float, float]:
    """The mean of the folds within its 95 % interval; the mean alone where there is one fold."""
    found = t_interval(scores, overlap=_OVERLAP)
    return (found.low, found.mean, found.high) if found.n > 1 else (found.mean, found.mean, found.mean)


def lanes(state: Trials) -> Iterator[Lane]:
    """The candidates, the best first; then the one under way if it has no score yet, and those that failed."""
    now = state.now.name if state.now is not None else ""
    ranked = state.ranked()
    for row in ranked:
        if not row.scores:
            continue
        low, mean, high = interval(row.scores)
        late = f" ({row.short})" if row.short else ""
        text = f"{amount(state.metric, row.scores)}{late}"
        yield Lane(row.name, text, mean, low, high, runs=row.name == now)
    if now and not any(row.name == now and row.scores for row in ranked):
        yield Lane(now, "its first score is on the way", runs=True)
    for row in ranked:
        if not row.scores and row.name != now:
            yield Lane(row.name, f"✗ {row.failure}" if row.failure else "no score")


def queue(state: Trials) -> Iterator[tuple[Step, str]]:
    seen = {row.stage for row in state.rows.values()}
    now = state.now.stage if state.now is not None else None
    for stage, name in STAGES.items():
        count = sum(row.stage is stage for row in state.rows.values())
        step = Step.NOW if stage is now else Step.DONE if stage in seen else Step.NEXT
        yield step, f"{name} ({count})" if count else name
    last = state.finals is not None or (state.now is not None and state.now.stage is None)
    yield (Step.NOW if last else Step.NEXT), FINALS


def so_far(state: Trials) -> Iterator[Content]:
    """The leader and whether that is beyond noise, notes, and the split of the data."""
    ranked = [row for row in state.ranked() if row.scores]
    if ranked:
        yield Content.styled(printable(leading(ranked)), "bold")
    yield from (plain(f"! {note}") for note in reversed(state.notes))
    if state.resumed is not None:
        trials = "one trial" if state.resumed == 1 else f"{state.resumed} trials"
        yield plain(f"Going on where a stopped run ended, after {state.spent:.0f} s: {trials} done already.")
    if state.ready is not None:
        yield plain(f"{state.ready.data.examples:,} examples. {state.ready.data.how}")


def leading(ranked: list[Row]) -> str:
    """`linear leads; ffn 100 is level with it within noise: a network may not be worth it.`"""
    best, *others = ranked
    if not others:
        return f"{best.name} is the first."
    if len(best.scores) < 2:
        return f"{best.name} leads after one fold; how much of that is noise is not known yet."
    level = [row for row in others if not _beyond_noise(best, row)]
    if not level:
        return f"{best.name} leads, beyond noise."
    names = ", ".join(row.name for row in level[:3]) + (f" and {len(level) - 3} more" if len(level) > 3 else "")
    verb = "is" if len(level) == 1 else "are"
    kinds = {row.kind for row in (best, *level)}
    simple = ": a network may not be worth it" if Kind.NETWORK in kinds and len(kinds) > 1 else ""
    return f"{best.name} leads; {names} {verb} level with it within noise{simple}."


def _beyond_noise(best: Row, other: Row) -> bool:
    """True where the difference on the same folds is, with Student's interval; a single fold shows no noise."""
    gains = [ours - theirs for ours, theirs in zip(best.scores, other.scores, strict=False)]
    if len(gains) < 2:
        return False
    found = t_interval(gains, overlap=_OVERLAP)
    return found.low > 0 or found.high < 0
