"""The wizard: which screen answers which request, what is done on every screen, and how it is left."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, ClassVar, cast

from textual import work
from textual.app import SystemCommand
from textual.binding import Binding, BindingType
from textual.screen import Screen

from advisor.tui import requests
from advisor.tui.dialogs.help import HelpScreen
from advisor.tui.dialogs.jump import JumpScreen
from advisor.tui.host import PAINTING_SECONDS, Host
from advisor.tui.screen import WizardScreen

if TYPE_CHECKING:
    from advisor.tui.desk import Desk

LIGHT, DARK = "textual-light", "textual-dark"


class Wizard(Host):
    CSS_PATH = "wizard.tcss"
    TITLE = "advisor"
    ENABLE_COMMAND_PALETTE = True
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f1", "help", "Help", show=False, id="app.help", tooltip="Explain what has the focus, and list its keys."),
        Binding("ctrl+p", "command_palette", "Palette", show=False, id="app.palette", tooltip="All that can be done, by name."),
        Binding("ctrl+o", "jump", "Jump", show=False, id="app.jump", tooltip="Show letters that take the focus there."),
        Binding("ctrl+t", "turn_light", "Light or dark", show=False, id="app.theme", tooltip="Light or dark colours."),
        Binding("ctrl+q", "quit", "Quit", show=False, id="app.quit", priority=True, tooltip="Leave; what you said is saved."),
    ]  # fmt: skip

    def __init__(self, desk: Desk, resumed: list[str] | None = None) -> None:
        """
        Args:
            resumed: what to say of the conversation that the desk goes on with already; None where there is none yet.
        """
        super().__init__(desk)
        self.resumed = resumed
        self.theme = DARK

    def screen_for(self, request: requests.Request[Any]) -> Screen[Any]:
        return screen_for(request)

    def on_mount(self) -> None:
        self.open(requests.ToStart())
        self.set_timer(PAINTING_SECONDS, self._look_around)
        if self.resumed is not None:
            for line in self.resumed:
                self.tell(line)
            self.open(requests.ToInterview())

    @work(group="stock")
    async def _look_around(self) -> None:
        if self.standing is None:
            await self.take_stock()

    # --- leaving ---------------------------------------------------------------------------------------------------

    async def action_quit(self) -> None:
        self._leave()

    @work(group="leaving")
    async def _leave(self) -> None:
        """Take and save an answer that was given just before, then end."""
        for screen in self.screen_stack:
            if isinstance(screen, WizardScreen):
                screen.end_work()
        await self._keys_heard()
        await self.steps_done()
        self.exit()

    async def _keys_heard(self) -> None:
        """Wait until the keys before this one are worked out: to the widget, up to its screen, back as an action, and up."""
        for _ in range(3):
            for node in (self.focused or self.screen).ancestors_with_self:
                heard = asyncio.Event()
                if node.call_later(heard.set):
                    await heard.wait()

    # --- on every screen -------------------------------------------------------------------------------------------

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        if isinstance(screen, WizardScreen):
            yield from cast("WizardScreen[object]", screen).commands()
        yield SystemCommand("View: Light or dark", "Swap light and dark colours", self.action_turn_light)
        yield SystemCommand("Help: Keys and focus", "Explain what has the focus, and list its keys", self.action_help)
        yield SystemCommand("Wizard: Quit", "What you said is saved", self.action_quit)

    def action_help(self) -> None:
        if not isinstance(self.screen, HelpScreen):
            self.push_screen(HelpScreen(self.screen))

    def action_jump(self) -> None:
        if not isinstance(self.screen, JumpScreen):
            self.push_screen(JumpScreen(self.screen))

    def action_turn_light(self) -> None:
        self.theme = LIGHT if self.theme == DARK else DARK


def screen_for(request: requests.Request[Any]) -> Screen[Any]:
    """The screen that answers a request. Each is imported when it is first opened: all of them take 300 ms."""
    match request:
        case requests.ToStart():
            from advisor.tui.screens.start import StartScreen

            return StartScreen()
        case requests.ToInterview():
            from advisor.tui.screens.interview.interview import InterviewScreen

            return InterviewScreen()
        case requests.ToFacts():
            from advisor.tui.screens.known_facts import FactsScreen

            return FactsScreen()
        case requests.ToData():
            from advisor.tui.screens.data import DataScreen

            return DataScreen()
        case requests.ToTopic(topic, plan, whose):
            from advisor.tui.screens.topic.topic import TopicScreen

            return TopicScreen(topic, plan, whose=whose)
        case requests.ToWhatIf(fact, value):
            from advisor.tui.screens.what_if.what_if import WhatIfScreen

            return WhatIfScreen(fact, value)
        case requests.ToGlossary(within):
            from advisor.tui.screens.glossary.glossary import GlossaryScreen

            return GlossaryScreen(within=within)
        case requests.ToExport(plan):
            from advisor.tui.screens.export.export import ExportScreen

            return ExportScreen(plan)
        case requests.ToSavedPlan(path):
            from advisor.tui.screens.saved_plan import SavedPlanScreen

            return SavedPlanScreen(path)
        case requests.ToProbes():
            from advisor.tui.screens.probing.probing import ProbingScreen

            return ProbingScreen()
        case requests.ToTrials():
            from advisor.tui.screens.trying.trying import TryingScreen

            return TryingScreen()
    raise TypeError(f"no screen answers {request}")
