"""The first screen: a new conversation, an earlier one, data, this machine, or a saved plan."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import ClassVar

from textual import on, work
from textual.app import SystemCommand
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widget import Widget
from textual.widgets import OptionList, Static

from advisor.errors import InputError
from advisor.facts.values import describe
from advisor.tui.dialogs.ask import Ask
from advisor.tui.dialogs.pick import PickScreen
from advisor.tui.host import Standing
from advisor.tui.last import last_conversation
from advisor.tui.requests import ToData, ToGlossary, ToInterview, ToProbes, ToSavedPlan
from advisor.tui.screen import WizardScreen
from advisor.tui.text import plain
from advisor.tui.widgets.cards import Card, Cards

CLAIM = "How to build and train a network: reasoned bets, settled on your machine."
WAYS = (
    ("new", "Begin", "a few questions; the plan grows"),
    ("resume", "Go on", "where you stopped last time"),
    ("data", "Point at your data", "what it shows need not be asked"),
    ("answers", "Open answers", "from a file, to see and change"),
    ("measure", "Measure this machine", "settle what only timing can settle"),
    ("report", "Open a plan", "one that was exported as JSON"),
    ("glossary", "Look up a word", "technical terms in plain words"),
)
"""Each by the name of its action."""
ANOTHER = "Begin another conversation?"
KEPT = (
    "You can go on with the one that is saved. It stays until you answer something here; then the new one is saved in its place, "
    "and the old one beside it as interview.previous.json."
)
PANES = (
    ("machine", "This machine", "Looking around …"),
    ("last", "Last conversation", "none is saved yet"),
    ("recent", "Recent data", "none yet"),
)
"""Their ids and titles, and what they say as long as there is nothing else."""
MACHINE = ("machine.cpu.usable_cores", "machine.memory_bytes", "machine.gpu.name")


class StartScreen(WizardScreen[None]):
    TITLE = "advisor"
    HELP_TEXT = "Choose how to begin. You come back here with Escape; what you said is saved after every answer."
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "app.quit", "Quit", id="screen.back", tooltip="Leave; what you said is saved.")
    ]

    _begun = False
    """One of the ways was chosen, and its screen is not there yet."""
    _thinking = False
    """A computation is under way that the screen needs."""

    def contents(self) -> Iterable[Widget]:
        yield Static(Content.styled(CLAIM, "bold $text-primary"), id="claim", markup=False)
        none_saved = not self.wizard.desk.saved
        with Horizontal(id="hub"):
            ways = Cards((Card(*way, off=way[0] == "resume" and none_saved) for way in WAYS), id="ways")
            ways.border_title = "What to do"
            yield ways
            with Vertical(id="found"):
                for name, title, nothing in PANES:
                    pane = Static(plain(nothing), id=name, classes="pane", markup=False)
                    pane.border_title = title
                    yield pane

    def on_mount(self) -> None:
        self.wizard.standing_changed.subscribe(self, self.show_machine)
        if self.wizard.standing is not None:
            self.show_machine(self.wizard.standing)

    @work(exclusive=True, group="last")
    async def _show_last(self) -> None:
        """Show the conversation that was saved last, and its data."""
        last = None
        if self.wizard.desk.saved:
            last = await self.wizard.think(lambda: last_conversation(self.wizard.desk.knowledge))
        self._say("last", "" if last is None else last.told)
        now = self.wizard.desk.inspection
        if now is not None:
            self._say("recent", f"{now.path}, {now.examples:,} examples")
        else:
            self._say("recent", "" if last is None else last.data)

    def _say(self, name: str, text: str) -> None:
        """Show the text in its pane, or that there is nothing; none is there yet, or any more, where keys come in a burst."""
        nothing = next(nothing for pane, _, nothing in PANES if pane == name)
        for pane in self.query(f"#{name}").results(Static):
            pane.update(plain(text or nothing))

    def on_screen_resume(self) -> None:
        """Offer to go on with a conversation that was saved meanwhile."""
        ways = self.query_one("#ways", OptionList)
        if self.wizard.desk.saved:
            ways.enable_option("resume")
        ways.focus()
        self._show_last()
        if not self._thinking:  # a window may have been opened and closed meanwhile
            self._free()

    def _free(self) -> None:
        self._begun = self._thinking = False
        if self.wizard.standing is not None:
            self.show_machine(self.wizard.standing)

    def show_machine(self, now: Standing) -> None:
        facts = self.wizard.desk.knowledge.vocabulary.facts
        known = [(name, now.facts.known(name)) for name in MACHINE if name in facts]
        found = [describe(facts[name], entry.value) for name, entry in known if entry is not None]
        self._say("machine", ", ".join(found) or "nothing is known of it")

    @on(OptionList.OptionSelected)
    def _chosen(self, event: OptionList.OptionSelected) -> None:
        self._begin(str(event.option_id))

    def _begin(self, way: str) -> None:
        """Begin once, even if the key was pressed twice because the first took a moment."""
        if self._begun:
            return
        self._begun = True
        getattr(self, f"action_{way}")()

    def commands(self) -> Iterator[SystemCommand]:
        for name, title, meaning in WAYS:
            if name != "resume" or self.wizard.desk.saved:
                yield SystemCommand(f"Start: {title}", meaning, lambda way=name: self._begin(way))

    # --- ways to begin ---------------------------------------------------------------------------------------------

    @work
    async def action_new(self) -> None:
        if not self.wizard.desk.saved or await self.app.push_screen_wait(Ask(ANOTHER, KEPT, yes="Begin", no="Not yet")):
            self._converse(self.wizard.desk.begin_anew)

    def action_resume(self) -> None:
        self._converse(self.wizard.desk.resume)

    @work
    async def _converse(self, begin: Callable[[], list[str] | None]) -> None:
        self._begun = self._thinking = True
        self._say("machine", "Finding the questions that matter …")
        try:
            told = await self.wizard.think(begin)
        except InputError as error:
            self.wizard.complain(error)
            self._free()
            return
        for line in told or ():
            self.wizard.tell(line)
        self.wizard.standing = None
        await self.wizard.take_stock()
        self._thinking = False
        self.wizard.open(ToInterview())

    @work
    async def action_answers(self) -> None:
        path = await self.app.push_screen_wait(PickScreen("Answers that were saved", suffixes=(".yaml", ".yml")))
        if path is not None:
            self._converse(lambda: self.wizard.desk.open_answers(path))

    @work
    async def action_data(self) -> None:
        if await self.wizard.ask(ToData()):
            self.action_new()

    @work
    async def action_measure(self) -> None:
        self._thinking = True
        await self.wizard.take_stock()
        self._thinking = False
        self.wizard.open(ToProbes())

    @work
    async def action_report(self) -> None:
        path = await self.app.push_screen_wait(PickScreen("A plan that was saved as JSON", suffixes=(".json",)))
        if path is not None:
            self.wizard.open(ToSavedPlan(path))

    def action_glossary(self) -> None:
        self.wizard.open(ToGlossary())
