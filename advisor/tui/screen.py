"""The base of all screens: a title, the footer with its keys, the way back, help, and entries in the palette."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeAlias, cast

from textual.app import ComposeResult, SystemCommand
from textual.await_complete import AwaitComplete
from textual.binding import ActiveBinding, Binding, BindingType
from textual.containers import Horizontal
from textual.screen import ModalScreen, Screen, ScreenResultType
from textual.widget import Widget
from textual.widgets import Footer, Input, Static
from textual.widgets._footer import FooterKey

from advisor.tui import requests
from advisor.tui.text import plain

if TYPE_CHECKING:
    from advisor.tui.host import Host


class KeyBar(Footer):
    """A footer that is drawn only if its keys have changed: every change of focus would draw it."""

    def __init__(self) -> None:
        super().__init__(show_command_palette=False)
        self._shown_keys: list[tuple[str, str, bool]] | None = None

    def bindings_changed(self, screen: Screen[Any]) -> None:
        if screen is self.screen and self.app.app_focus and self.is_attached:
            keys = [
                (active.binding.key, active.binding.description, active.enabled)
                for active in screen.active_bindings.values()
                if active.binding.show
            ]
            if keys == self._shown_keys:
                return
            self._shown_keys = keys
        super().bindings_changed(screen)

    def compose(self) -> ComposeResult:
        """The keys that fit as a whole, the most important first; the others are in the help."""
        left = self.app.size.width
        for key in super().compose():
            if isinstance(key, FooterKey):
                left -= len(key.key_display) + len(key.description) + 3
                if left < 0:
                    return
            yield key

    def on_resize(self) -> None:
        self._shown_keys = None
        self.bindings_changed(self.screen)


ALWAYS = "F1 help  ^p palette  ^o jump  ^q quit"
"""Keys that work everywhere."""


Palette: TypeAlias = tuple[tuple[str, str, str], ...]
"""Entries of the command palette: `Group: Verb`, what it does, and the action that does it."""


class LeftOnce(Screen[ScreenResultType], Generic[ScreenResultType]):
    """Closes itself alone: the second key of a burst, which was on its way already, would take the screen beneath with it."""

    def dismiss(self, result: ScreenResultType | None = None) -> AwaitComplete:
        return super().dismiss(result) if self.is_active else AwaitComplete()


class Dialog(ModalScreen[ScreenResultType], LeftOnce[ScreenResultType], Generic[ScreenResultType]):
    """A window over a screen. The wizard's keys do not reach through it, so that it has F1 of its own."""

    HELP_TEXT: ClassVar[str] = ""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f1", "app.help", "Help", show=False, id="dialog.help", tooltip="Explain what has the focus, and list its keys.")
    ]  # fmt: skip


class WizardScreen(LeftOnce[ScreenResultType], Generic[ScreenResultType]):
    """A screen says what it shows in `contents`, its `TITLE`, and in `HELP_TEXT` what it is for.

    Below 100 columns it has the class `-narrow`, below 30 lines `-low`.
    """

    HELP_TEXT: ClassVar[str] = ""
    PALETTE: ClassVar[Palette] = ()
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]  # noqa: RUF012 - as Screen declares it
    VERTICAL_BREAKPOINTS = [(0, "-low"), (30, "-high")]  # noqa: RUF012
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "back", "Back", id="screen.back", tooltip="Go back to the screen before.")
    ]

    @property
    def wizard(self) -> Host:
        return cast("Host", self.app)

    @property
    def active_bindings(self) -> dict[str, ActiveBinding]:
        """Without letters as keys while a line is written: they belong to the text."""
        found = super().active_bindings
        if not isinstance(self.focused, Input):
            return found
        return {key: active for key, active in found.items() if len(key) > 1}

    def compose(self) -> ComposeResult:
        with Horizontal(classes="title"):
            yield Static(plain(self.title or ""), id="title", markup=False)
            yield Static(ALWAYS, id="always", markup=False)
        yield from self.contents()
        yield KeyBar()

    def contents(self) -> Iterable[Widget]:
        """The widgets between title and footer."""
        return ()

    def commands(self) -> Iterator[SystemCommand]:
        """The entries of the palette whose action means something now."""
        for title, does, action in self.PALETTE:
            if self.check_action(action.partition("(")[0], ()):
                yield SystemCommand(title, does, partial(self.run_action, action))

    def retitle(self, title: str) -> None:
        self.title = title
        self.query_one("#title", Static).update(plain(title))

    def end_work(self) -> None:
        """End the work of this screen in other threads and processes: the wizard is being left."""

    def action_open(self, request: str) -> None:
        """Open the screen that answers the request `To...` of this name."""
        self.wizard.open(getattr(requests, f"To{request}")())

    def action_back(self) -> None:
        self.dismiss(None)
