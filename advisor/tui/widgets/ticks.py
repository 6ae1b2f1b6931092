"""A list of which several lines can be ticked."""

from __future__ import annotations

from rich.segment import Segment
from textual.strip import Strip
from textual.widgets import SelectionList

from advisor.tui.widgets.mouse import FocusOnRelease


class Ticks(FocusOnRelease, SelectionList[str]):
    """Shows ticks without colour too."""

    HELP_TEXT = "Space ticks a line, or takes its tick away."

    def render_line(self, y: int) -> Strip:
        segments = list(super().render_line(y))
        index = self.scroll_offset.y + y
        if index < self.option_count and len(segments) > 1:
            ticked = self.get_option_at_index(index).value in self.selected
            segments[1] = Segment("✓" if ticked else " ", segments[1].style)
        return Strip(segments)
