"""Pictures of a dataset, small and in half blocks, a row for each class with a bar of how many it has."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby, zip_longest

from textual.color import Color
from textual.containers import VerticalScroll
from textual.content import Content
from textual.style import Style
from textual.widgets import Static

from advisor.datasets.dataset import Album, Thumbnail
from advisor.report.rates import bar
from advisor.tui.text import FAINT, lines
from advisor.wording import printable, shorten

HALF = "▀"
"""The upper half of a cell: with the colour behind it, one cell is two pixels."""
NAME, BAR = 16, 12
NO_PICTURES = "No thumbnails: they are drawn of folders of picture files only."


class AlbumView(VerticalScroll):
    """Scrolls, since the rows of many classes need more lines than there are."""

    HELP_TEXT = "Some pictures of each class, as small as they must be, and how many there are of it."

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(Static("", markup=False), id=id)
        self.border_title = "Some of the pictures"

    def show(self, album: Album) -> None:
        self.query_one(Static).update(lines(_rows(album)))

    def say(self, text: str) -> None:
        self.query_one(Static).update(Content.styled(printable(text), FAINT))


def _rows(album: Album) -> Iterator[Content]:
    most = max(album.counts.values(), default=1)
    for label, shown in groupby(album.thumbnails, key=lambda one: one.label):
        count = album.counts[label]
        beside = [
            Content.styled(f"{shorten(label or 'all', NAME - 1):<{NAME}}", "bold"),
            Content(f"{f'{count:,} pictures':<{NAME}}"),
            Content.styled(f"{bar(count / most, BAR, unicode=True):<{NAME}}", "$text-primary"),
        ]
        for text, pixels in zip_longest(beside, _beside(list(shown)), fillvalue=None):
            yield Content.assemble(text or " " * NAME, pixels or "")
        yield Content("")
    left = len(album.counts) - len({one.label for one in album.thumbnails})
    if left:
        yield Content.styled(f"and {left:,} more classes", FAINT)


def _beside(thumbnails: Sequence[Thumbnail]) -> Iterator[Content]:
    """Lines of pictures of one size, two rows of pixels in each."""
    for row in range(0, len(thumbnails[0].pixels), 2):
        cells: list[tuple[str, Style] | str] = []
        for one in thumbnails:
            pairs = zip(one.pixels[row], one.pixels[min(row + 1, len(one.pixels) - 1)], strict=True)
            cells += [(HALF, Style(foreground=Color(*upper), background=Color(*lower))) for upper, lower in pairs]
            cells.append("  ")
        yield Content.assemble(*cells)
