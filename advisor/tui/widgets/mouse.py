"""Lists and panes under mouse and keys: focus on release, double clicks that count once, a highlight that moves, ticks."""

from __future__ import annotations

from typing import ClassVar

from rich.segment import Segment
from textual.events import Click
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import OptionList, SelectionList

POINTER, POINTER_ELSEWHERE = "❯", "›"
"""Stand at the highlighted line of the list that has the focus, and of any other."""


class FocusOnRelease:
    """Takes the focus when the button is released: some panes grow with the focus on a small screen, and the line under the
    pointer must not move away.
    """

    FOCUS_ON_CLICK: ClassVar[bool] = False

    def on_click(self, _event: Click) -> None:
        assert isinstance(self, Widget)  # noqa: S101 - it is mixed into widgets only
        self.focus(scroll_visible=False)


class OneClick:
    """Uses only the first click of a double one: the second would choose what the first has just put in its place."""

    def on_click(self, event: Click) -> None:
        if event.chain > 1:
            event.prevent_default()


class Pointing(OptionList):
    """A list in which a glyph points at the highlighted line, so that it is found without colours too.

    It stands in the blank column on the left that the style sheet leaves.
    """

    def render_line(self, y: int) -> Strip:
        strip = super().render_line(y)
        line = self.scroll_offset.y + y
        pointed = self.highlighted is not None and self._index_to_line.get(self.highlighted) == line
        first = next(iter(strip), None)
        if not pointed or first is None or not strip.cell_length:
            return strip
        glyph = POINTER if self.has_focus else POINTER_ELSEWHERE
        return Strip.join([Strip([Segment(glyph, first.style)]), strip.crop(1)])


class Choosing(OneClick, FocusOnRelease, Pointing):
    """A list whose lines are chosen, which usually replaces what is on the screen."""


def move_highlight(options: OptionList, by: int) -> None:
    """Move the highlight by so many lines, within the list."""
    if options.option_count:
        options.highlighted = min(max((options.highlighted or 0) + by, 0), options.option_count - 1)


class Ticks(FocusOnRelease, SelectionList[str]):
    """Shows ticks without colour too."""

    HELP_TEXT = "Space ticks a line, or takes its tick away."

    def render_line(self, y: int) -> Strip:
        segments = list(super().render_line(y))
        index = self.scroll_offset.y + y
        if index < self.option_count and len(segments) > 1:
            ticked = self.get_option_at_index(index).value in self.selected
            segments[1] = Segment("✓" if ticked else " ", segments[1].style)
            if index == self.highlighted:
                segments[0] = Segment(POINTER, segments[3].style)
        return Strip(segments)
