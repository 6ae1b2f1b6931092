"""A measurement while it runs: the race of settings, the queue of probes, what was shown so far, and the plan that it turns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Static

from advisor.inference.plan import Plan
from advisor.interview.changes import Change
from advisor.knowledge.model import Knowledge
from advisor.probes.catalogue import probe_named
from advisor.probes.outcome import Outcome
from advisor.probes.probe import Setting
from advisor.report.changes import sentence
from advisor.tui.screens.probing.offer import probe_title
from advisor.tui.screens.probing.state import Measuring, finding
from advisor.tui.screens.running.findings import STYLES, finding_words
from advisor.tui.screens.running.race import Lane, Queue, Race, SoFar, Step
from advisor.tui.screens.running.run_screen import TimeBar
from advisor.tui.text import FAINT, plain
from advisor.tui.widgets.curves import figures
from advisor.tui.widgets.plan_list import PlanList
from advisor.wording import printable


class LivePane(Horizontal):
    """Draws what a `Measuring` knows by now, and beside it the plan as the verdicts leave it."""

    HELP_TEXT = (
        "Each setting is timed in turn, then the one that the plan recommends against its strongest rival, in pairs. The mark on "
        "a line is the median, the thin line around it, and what stands in brackets, its 95 % interval. Verdicts count in the "
        "plan at once."
    )

    def __init__(self, knowledge: Knowledge, *, id: str | None = None) -> None:
        super().__init__(id=id, classes="frame")
        self.knowledge = knowledge

    def compose(self) -> ComposeResult:
        with Vertical(classes="run"):
            yield TimeBar()
            yield Static("", id="what", markup=False)
            yield Static("", id="doing", classes="faint", markup=False)
            yield Race("Race of settings", id="race")
            yield Queue(id="queue")
            yield SoFar(id="so_far")
        yield PlanList(self.knowledge, id="live_plan")

    def show_plan(self, plan: Plan, moved: Sequence[Change]) -> None:
        self.query_one(PlanList).show(plan, moved)

    def show(self, state: Measuring, before: Setting | None, bet: str, queue: Sequence[str]) -> None:
        """
        Args:
            before: the setting that the plan recommends.
            bet: the recommendation that the probe can settle, in words; empty if there is none.
            queue: names of the probes of this run, in the order in which they were offered.
        """
        current = state.current
        what, doing = self.query_one("#what", Static), self.query_one("#doing", Static)
        if current is None:
            what.update(Content("Thinking about what to measure next ..."))
            doing.update("")
        else:
            probe = current.step.probe
            undecided = " once more, since undecided" if current.again else ""
            why = " once more, to see whether it holds" if current.step.again else undecided
            title = f"{probe_title(self.knowledge, probe)}{why}: "
            what.update(Content.assemble((printable(title), "bold"), probe.question))
            why = f"It can settle the bet {bet}." if bet else ""
            doing.update(plain(f"{why} Now: {current.doing}.".strip()))
            self.query_one(Race).show(
                Lane(one.label, figures(one, probe.rate_unit), one.value, one.low, one.high, one.note)
                for one in state.points(before)
            )
        self.query_one(Queue).show(self._queue(state, queue))
        self.query_one(SoFar).show(self._so_far(state))

    def _queue(self, state: Measuring, queue: Sequence[str]) -> Iterator[tuple[Step, str]]:
        done = [outcome.probe for outcome in state.outcomes]
        now = state.current.step.probe.name if state.current is not None else ""
        left_out = {*done, now, *(skipped.probe for skipped in state.not_run)}
        for step, names in (
            (Step.DONE, [name for name in done if name != now]),
            (Step.NOW, [now] if now else []),
            (Step.NEXT, [name for name in queue if name not in left_out]),
        ):
            for name in names:
                yield step, probe_title(self.knowledge, probe_named(name))

    def _so_far(self, state: Measuring) -> Iterator[Content]:
        """The finished probes, the newest first, each with the reason of a failure, or what was shown."""
        for outcome in reversed(state.outcomes):
            yield from self._finished(outcome)
        for skipped in state.not_run:
            title = probe_title(self.knowledge, probe_named(skipped.probe))
            yield Content.assemble((f"– {printable(title)} is left out: ", FAINT), printable(skipped.reason))
        if state.resumed is not None:
            names = ", ".join(probe_title(self.knowledge, probe_named(name)) for name in state.resumed) or "nothing"
            yield plain(f"Going on where a stopped run ended, after {state.spent:.0f} s: {names} measured already.")
        yield from (plain(f"! {warning}") for warning in state.warnings)

    def _finished(self, outcome: Outcome) -> Iterator[Content]:
        found = finding(outcome)
        title = printable(probe_title(self.knowledge, probe_named(outcome.probe)))
        yield Content.assemble((f"{finding_words(found)}  ", STYLES.get(found, "")), (title, "bold"))
        fact = self.knowledge.vocabulary.facts.get(outcome.fact)
        if outcome.failure:
            yield plain(f"  {outcome.failure}")
        elif outcome.measured and fact is not None:
            yield Content.styled(printable(f"  {sentence(outcome, fact.unit)}"), FAINT)
