"""The wizard: which screen answers which request, what is done on every screen, and how it is left."""

from __future__ import annotations

import asyncio
import pkgutil
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any, ClassVar, cast

from textual import work
from textual.app import SystemCommand
from textual.binding import Binding, BindingType
from textual.command import Provider
from textual.driver import Driver
from textual.screen import Screen

from advisor.tui import requests, theme
from advisor.tui.dialogs.ask import Ask
from advisor.tui.dialogs.help import HelpScreen, JumpScreen
from advisor.tui.host import PAINTING_SECONDS, Host
from advisor.tui.palette import Ranked
from advisor.tui.screen import WizardScreen
from advisor.tui.stopped import heed_stops

if TYPE_CHECKING:
    from advisor.session.desk import Desk

LEAVE = "Leave the conversation?"
FORGOTTEN = "It ends with this window. What you did not export is forgotten."
SCREENS: Mapping[type[requests.Request[Any]], str] = {
    requests.ToStart: "start:StartScreen",
    requests.ToInterview: "interview.interview:InterviewScreen",
    requests.ToFacts: "known_facts:FactsScreen",
    requests.ToData: "data:DataScreen",
    requests.ToTopic: "topic.topic:TopicScreen",
    requests.ToWhatIf: "what_if.what_if:WhatIfScreen",
    requests.ToGlossary: "glossary:GlossaryScreen",
    requests.ToExport: "export:ExportScreen",
    requests.ToSavedPlan: "saved_plan:SavedPlanScreen",
    requests.ToProbes: "probing.probing:ProbingScreen",
    requests.ToTrials: "trying.trying:TryingScreen",
    requests.ToStrategies: "strategies.strategies:StrategiesScreen",
}
"""The screen that answers each request and takes its fields. It is imported when first opened: all of them take 300 ms."""


class Wizard(Host):
    CSS_PATH = "wizard.tcss"
    TITLE = "advisor"
    ENABLE_COMMAND_PALETTE = True
    COMMANDS: ClassVar[set[type[Provider] | Callable[[], type[Provider]]]] = {Ranked}
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f1", "help", "Help", show=False, id="app.help", tooltip="Explain what has the focus, and list its keys."),
        Binding("ctrl+p", "command_palette", "Palette", show=False, id="app.palette", tooltip="All that can be done, by name."),
        Binding("ctrl+o", "jump", "Jump", show=False, id="app.jump", tooltip="Show letters that take the focus there."),
        Binding("ctrl+t", "turn_light", "Light or dark", show=False, id="app.theme", tooltip="Light or dark colours."),
        Binding("ctrl+q", "quit", "Quit", show=False, id="app.quit", priority=True, tooltip="Leave; what you said is saved."),
    ]  # fmt: skip

    def __init__(self, desk: Desk, resumed: list[str] | None = None, driver: type[Driver] | None = None) -> None:
        """
        Args:
            resumed: what to say of the conversation that the desk goes on with already; None where there is none yet.
            driver: of another screen than the terminal.
        """
        super().__init__(desk, driver)
        self.resumed = resumed
        for own in theme.THEMES:
            self.register_theme(own)
        self.theme = theme.remembered()
        self._ends_soon = False
        self._wake: Callable[[], object] = lambda: None

    def screen_for(self, request: requests.Request[Any]) -> Screen[Any]:
        screen: type[Screen[Any]] = pkgutil.resolve_name(f"advisor.tui.screens.{SCREENS[type(request)]}")
        return screen(**{field.name: getattr(request, field.name) for field in fields(request)})

    def on_mount(self) -> None:
        loop = asyncio.get_running_loop()
        self._wake = lambda: loop.call_soon_threadsafe(self.call_later, self.action_quit)
        if self._ends_soon:
            self._wake()
        heed_stops(lambda: loop.call_soon_threadsafe(self.refresh))
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

    def end_soon(self) -> None:
        """Leave as by the key. Called by whoever hears of the end, between any two instructions of the main thread."""
        self._ends_soon = True
        self._wake()

    async def action_quit(self) -> None:
        said = self.standing is not None and bool(self.standing.progress.answers)
        if self.is_web and said and not self._ends_soon:
            self._ask_to_leave()
        else:
            self._leave()

    @work(group="leaving")
    async def _ask_to_leave(self) -> None:
        """In a window of a browser, with which the conversation ends."""
        if not isinstance(self.screen, Ask) and await self.push_screen_wait(
            Ask(LEAVE, FORGOTTEN, yes="Leave", no="Stay")
        ):
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
        topics: list[SystemCommand] = []
        if isinstance(screen, WizardScreen):
            for command in cast("WizardScreen[object]", screen).commands():
                if command.title.startswith("Topic:"):
                    topics.append(command)
                else:
                    yield command
        yield SystemCommand("View: Light or dark", "Swap light and dark colours", self.action_turn_light)
        yield SystemCommand("Help: Keys and focus", "Explain what has the focus, and list its keys", self.action_help)
        kept = "What you did not export is forgotten" if self.is_web else "What you said is saved"
        yield SystemCommand("Wizard: Quit", kept, self.action_quit)
        yield from topics

    def action_help(self) -> None:
        if not isinstance(self.screen, HelpScreen):
            self.push_screen(HelpScreen(self.screen))

    def action_jump(self) -> None:
        if not isinstance(self.screen, JumpScreen):
            self.push_screen(JumpScreen(self.screen))

    def action_turn_light(self) -> None:
        self.theme = theme.other(self.theme)
        theme.remember(self.theme)
