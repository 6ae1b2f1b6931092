"""A measurement while it runs: the probe and its reason, figures and curves as they come, results, the time left."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Static

from advisor.knowledge.model import Knowledge
from advisor.probes.catalogue import probe_named
from advisor.probes.probe import Setting
from advisor.tui.screens.probing.offer import probe_title
from advisor.tui.screens.probing.state import Measuring, finding
from advisor.tui.screens.running.findings import STYLES, finding_words
from advisor.tui.screens.running.run_screen import TimeBar
from advisor.tui.text import lines, plain
from advisor.tui.widgets.curves import Intervals, bars
from advisor.wording import printable

AROUND = 15
"""Lines of the rest of the pane, with the smallest curve."""


class LivePane(Vertical):
    """Draws what a `Measuring` knows by now."""

    HELP_TEXT = (
        "Each setting is timed in turn, then the one that the plan recommends against its strongest rival, in pairs. A "
        "mark with a stroke, and what stands in brackets, is the median with its 95 % interval."
    )
    DEFAULT_CSS = """
    LivePane { height: 1fr; padding: 0 1; }
    LivePane #figures { margin: 1 0 0 0; }
    LivePane #finished { height: auto; max-height: 8; margin: 1 0 0 0; }
    LivePane Intervals { margin: 1 0 0 0; max-height: 16; }
    """

    def __init__(self, knowledge: Knowledge, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.knowledge = knowledge
        self.shown: tuple[Measuring, Setting | None, str] | None = None

    def on_resize(self) -> None:
        """Draw bars and curve to the size of the pane, known only after its layout."""
        if self.shown is not None:
            self.show(*self.shown)

    def compose(self) -> ComposeResult:
        yield TimeBar()
        yield Static("", id="what", markup=False)
        yield Static("", id="doing", classes="faint", markup=False)
        yield Static("", id="figures", markup=False)
        yield Intervals(id="curve")
        with VerticalScroll(id="finished"):
            yield Static("", id="done", markup=False)

    def show(self, state: Measuring, before: Setting | None, bet: str) -> None:
        """
        Args:
            before: the setting that the plan recommends.
            bet: the recommendation that the probe can settle, in words; empty if there is none.
        """
        self.shown = state, before, bet
        current = state.current
        what, doing = self.query_one("#what", Static), self.query_one("#doing", Static)
        figures, curve = self.query_one("#figures", Static), self.query_one(Intervals)
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
            points = state.points(before)
            figures.update(bars(points, probe.rate_unit, self.size.width - 2))
            curve.display = len(points) > 1 and self.size.height >= len(points) + AROUND
            curve.show(points, probe.rate_unit)
        self.query_one("#done", Static).update(self._done(state))

    def _done(self, state: Measuring) -> Content:
        """The finished probes, the newest first."""
        rows = [self._finished(outcome.probe, finding(outcome)) for outcome in reversed(state.outcomes)]
        if state.resumed is not None:
            names = ", ".join(probe_title(self.knowledge, probe_named(name)) for name in state.resumed) or "nothing"
            rows.append(
                plain(f"Going on where a stopped run ended, after {state.spent:.0f} s: {names} measured already.")
            )
        rows += [plain(f"! {warning}") for warning in state.warnings]
        return lines(rows)

    def _finished(self, name: str, found: str) -> Content:
        title = printable(probe_title(self.knowledge, probe_named(name)))
        return Content.assemble((f"{finding_words(found):<28}", STYLES.get(found, "")), title)
