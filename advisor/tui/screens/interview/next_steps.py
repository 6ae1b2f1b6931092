"""The steps to take once a plan is good: look, measure, try, save; with the needs of training and ways to be done sooner."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar, cast

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import OptionList, Static

from advisor.report.contents import SPREAD
from advisor.report.numbers import about_words
from advisor.report.plan.brief import needs_of, warnings_of
from advisor.tui.screen import Dialog
from advisor.tui.sketch import has_network
from advisor.tui.text import FAINT, lines, plain
from advisor.tui.widgets.cards import Card, Cards
from advisor.wording import printable

if TYPE_CHECKING:
    from advisor.inference.plan import Plan
    from advisor.report.contents import Outlook, Remedy
    from advisor.tui.host import Host

STRATEGIES = "strategies"
STEPS = (
    Card("turn", "Look at the plan", "Enter on a line tells why"),
    Card("open('Probes')", "Measure this machine", "settle what only timing can settle"),
    Card("open('Trials')", "Try it on your data", "train the plan's network and its rivals"),
    Card(STRATEGIES, "Compare strategies", "how several workers would learn it together"),
    Card("open('Export')", "Export", "report, plan, answers"),
    Card("starter", "Starter project", "a folder of code that trains this plan"),
    Card("what_if", "Suppose another", "both plans side by side; nothing is changed"),
    Card("facts", "Correct something", "what you said, and what was found"),
)
"""Each by an action of the interview."""
MEMORY = "memory.strategy"


def steps_for(plan: Plan) -> list[Card]:
    """The steps that mean something for this plan: without a network, no workers learn together."""
    return [card for card in STEPS if card.key != STRATEGIES or has_network(plan)]


def ways_out(plan: Plan, needs: Outlook) -> Iterator[Card]:
    """Two at most: what would fit where it does not, and the suppositions with which training is done sooner."""
    fitting = plan.recommendations.get(MEMORY)
    cards = []
    if fitting is not None and (fitting.value == "does_not_fit" or fitting.value in SPREAD):
        cards.append(Card(f"topic('{MEMORY}')", "Fit into memory", "what each way needs, and what would fit"))
    for remedy in needs.remedies:
        if (supposed := _supposed(remedy)) is not None:
            time = f"{about_words(remedy.shortest)} to {about_words(remedy.longest)}"
            cards.append(Card(supposed, "Be done sooner", f"{remedy.says}: {time}"))
    yield from cards[:2]


def _supposed(remedy: Remedy) -> str | None:
    """The action that supposes it; None for another machine, which is no answer to a question."""
    words = shlex.split(remedy.arguments)
    if len(words) != 2 or words[0] != "--set":
        return None
    name, _, value = words[1].partition("=")
    return f"suppose({name!r}, {value!r})"


def needs_text(plan: Plan, needs: Outlook) -> Content:
    """Memory and time, then what goes wrong and what would help: the words of `advisor recommend`."""
    told = [Content.assemble(("! ", "$text-warning"), printable(warning)) for warning in warnings_of(plan, needs)]
    said = "; ".join(needs_of(needs))
    return lines([*([Content.assemble(("Needs ", FAINT), printable(said))] if said else []), *told])


class NextScreen(Dialog[str | None]):
    """Closes with the action of the interview that was chosen."""

    TITLE = "What next"
    HELP_TEXT = (
        "What can be done with the plan as it stands. Nothing here ends the questions: go on with them at any time."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss", "Back", id="next.close", tooltip="Go back to the question.")
    ]
    CSS = """
    NextScreen Cards { background: $surface; margin: 1 0; max-height: 12; }
    """

    def __init__(self, plan: Plan) -> None:
        super().__init__()
        self.plan = plan

    def compose(self) -> ComposeResult:
        with VerticalScroll(classes="window", can_focus=False):
            yield Static("What next? The plan is there; nobody need answer the rest.", classes="strong", markup=False)
            yield Cards(steps_for(self.plan))
            yield Static("", id="needs", markup=False)

    def on_mount(self) -> None:
        self.query_one(Cards).focus()
        self._find_needs()

    @work(exclusive=True)
    async def _find_needs(self) -> None:
        host, plan = cast("Host", self.app), self.plan
        needs = await host.think(lambda: host.desk.needs(plan))
        self.query_one(Cards).add(ways_out(plan, needs))
        self.query_one("#needs", Static).update(needs_text(plan, needs) or plain(""))

    @on(OptionList.OptionSelected)
    def _chosen(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.dismiss(event.option_id)
