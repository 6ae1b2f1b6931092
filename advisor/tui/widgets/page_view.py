"""Pages of a report (`report.page`), wrapped to the width of the screen, in the colours of the theme."""

from __future__ import annotations

import re
from collections.abc import Callable

from textual.containers import VerticalScroll
from textual.content import Content
from textual.events import Resize
from textual.widgets import Static

from advisor.report.page import Look, Piece, Style
from advisor.tui.text import content

PageMaker = Callable[[Look], str]
_CODE = re.compile(r"\x1b\[([\d;]*)m")


def from_page(text: str) -> Content:
    """The text of a page with its styles, recognised by their escape codes."""
    pieces: list[Piece] = []
    style = Style.PLAIN
    for number, part in enumerate(_CODE.split(text)):
        if number % 2:
            style = Style.PLAIN if part == "0" else Style(part)
        elif part:
            pieces.append((part, style))
    return content(pieces)


class PageView(VerticalScroll):
    """Shows and scrolls one page."""

    HELP_TEXT = "Scroll with the arrow keys, Page Up and Page Down."
    DEFAULT_CSS = """
    PageView { height: 1fr; padding: 0 1; }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(Static("", markup=False), id=id)
        self.maker: PageMaker | None = None
        self.columns = 0

    def show(self, maker: PageMaker) -> None:
        self.maker = maker
        self._write()
        self.scroll_home(animate=False)

    def on_resize(self, event: Resize) -> None:
        if self._room != self.columns:
            self._write()

    @property
    def _room(self) -> int:
        return self.size.width - 2 if self.size.width > 2 else 78

    def _write(self) -> None:
        self.columns = self._room
        if self.maker is not None:
            text = self.maker(Look(self.columns, unicode=True, colour=True))
            self.query_one(Static).update(from_page(text.rstrip("\n")))
