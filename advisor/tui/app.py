"""The wizard: one conversation, the screens on it, and a thread that thinks so that keys are never kept waiting."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, ClassVar, TypeVar, cast

from textual import work
from textual.app import App, SystemCommand
from textual.binding import Binding, BindingType
from textual.screen import Screen
from textual.signal import Signal

from advisor.errors import InputError
from advisor.tui.screen import WizardScreen
from advisor.tui.standing import Outlook, Standing, outlook, standing
from advisor.tui.text import problem_text
from advisor.wording import printable

if TYPE_CHECKING:
    from advisor.inference.plan import Plan
    from advisor.interview.interview import Interview
    from advisor.tui.desk import Desk

Result = TypeVar("Result")
PAINTING_SECONDS = 0.2
"""What nobody waits for is worked out after the screen has been painted: both need the interpreter."""
LIGHT, DARK = "textual-light", "textual-dark"


class Wizard(App[None]):
    """`standing` is where the conversation stands; `standing_changed` tells of another one, `outlook_changed` of what took
    longer to find out of it."""

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
        """`resumed` is what is to be said of a conversation that the desk goes on with already; None: there is none yet."""
        super().__init__()
        self.desk = desk
        self.resumed = resumed
        self.standing: Standing | None = None
        self.outlook: Outlook | None = None
        self.standing_changed: Signal[Standing] = Signal(self, "standing")
        self.outlook_changed: Signal[Outlook] = Signal(self, "outlook")
        self._full: Plan | None = None
        self._steps = 0
        """That are under way and not saved yet."""
        self._thinker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="thinking")
        self.theme = DARK

    # --- thinking --------------------------------------------------------------------------------------------------

    async def think(self, work: Callable[[], Result]) -> Result:
        """Does the work in the one thread that touches the interview, in the order asked for.

        Where the worker that waits for it is cancelled, what has not begun is never done. Whatever `work` raises is raised.
        """
        try:
            result = asyncio.get_running_loop().run_in_executor(self._thinker, work)
        except RuntimeError as error:  # the wizard has been left meanwhile
            raise asyncio.CancelledError from error
        return await result

    async def step(self, move: Callable[[Interview], object]) -> Standing:
        """Moves the conversation, saves it, and tells everybody where it stands. Raises what `move` raises (InputError);
        nothing has moved then. Whoever asked may be gone before it is done: it is done all the same."""
        return await asyncio.shield(self._step(move))

    async def _step(self, move: Callable[[Interview], object]) -> Standing:
        def stepped() -> Standing:
            move(self.desk.interview)
            self.desk.save()
            return standing(self.desk.interview, self.standing)

        self._steps += 1
        try:
            return self._stands(await self.think(stepped))
        finally:
            self._steps -= 1

    async def take_stock(self) -> Standing:
        """Where things stand after something else than a step changed them: another conversation, data, a measurement."""
        return self._stands(await self.think(lambda: standing(self.desk.interview, self.standing)))

    async def full_plan(self) -> Plan:
        """The plan with reasons, alternatives and flips, as things stand."""
        if self._full is None:
            self._full = await self.think(self.desk.interview.plan)
        return self._full

    def _stands(self, now: Standing) -> Standing:
        self.standing, self.outlook, self._full = now, None, None
        self.standing_changed.publish(now)
        self.tell_notes()
        self._look_ahead()
        return now

    @work(group="outlook", exclusive=True)
    async def _look_ahead(self) -> None:
        await asyncio.sleep(PAINTING_SECONDS)
        self.outlook = await self.think(lambda: outlook(self.desk.interview))
        self.outlook_changed.publish(self.outlook)

    # --- telling ---------------------------------------------------------------------------------------------------

    def tell(self, text: str, *, title: str = "", severity: str = "information") -> None:
        """A message that goes away by itself; the text is shown as it is."""
        self.notify(printable(text), title=printable(title), severity=severity, markup=False)  # type: ignore[arg-type]

    def complain(self, error: InputError) -> None:
        self.tell(problem_text(error), title=error.title, severity="error")

    def tell_notes(self) -> None:
        for title, what in self.desk.notes():
            self.tell(what, title=title, severity="warning")

    # --- what is done everywhere -----------------------------------------------------------------------------------

    def on_mount(self) -> None:
        from advisor.tui.interview.start import StartScreen

        self.push_screen(StartScreen())
        self.set_timer(PAINTING_SECONDS, self._look_around)
        if self.resumed is not None:
            from advisor.tui.interview.interview import InterviewScreen

            for line in self.resumed:
                self.tell(line)
            self.push_screen(InterviewScreen())

    @work(group="stock")
    async def _look_around(self) -> None:
        if self.standing is None:
            await self.take_stock()

    async def action_quit(self) -> None:
        self.leave()

    @work(group="leaving")
    async def leave(self) -> None:
        """An answer that was given just before is taken and saved first."""
        for screen in self.screen_stack:
            if isinstance(screen, WizardScreen):
                screen.end_work()
        await self._keys_heard()
        while self._steps:
            await self.think(lambda: None)
        self.exit()

    async def _keys_heard(self) -> None:
        """Waits until the keys before this one are worked out: to the widget, up to its screen, back as an action, and up."""
        for _ in range(3):
            for node in (self.focused or self.screen).ancestors_with_self:
                heard = asyncio.Event()
                if node.call_later(heard.set):
                    await heard.wait()

    def on_unmount(self) -> None:
        self._thinker.shutdown(wait=False, cancel_futures=True)

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        if isinstance(screen, WizardScreen):
            yield from cast("WizardScreen[object]", screen).commands()
        yield SystemCommand("View: Light or dark", "Turn the colours around", self.action_turn_light)
        yield SystemCommand("Help: Keys and focus", "Explain what has the focus, and list its keys", self.action_help)
        yield SystemCommand("Wizard: Quit", "What you said is saved", self.action_quit)

    def action_help(self) -> None:
        from advisor.tui.help import HelpScreen

        if not isinstance(self.screen, HelpScreen):
            self.push_screen(HelpScreen(self.screen))

    def action_jump(self) -> None:
        from advisor.tui.jumping import JumpScreen

        if not isinstance(self.screen, JumpScreen):
            self.push_screen(JumpScreen(self.screen))

    def action_turn_light(self) -> None:
        self.theme = LIGHT if self.theme == DARK else DARK
