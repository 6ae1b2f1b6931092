"""A table whose columns fit their content from the first time that it is drawn."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.text import Text
from textual.widgets import DataTable


class Table(DataTable[Text]):
    """Is filled as a whole: Textual finds the widths of columns only when idle, and lines drawn before that stay cut off."""

    def fill(self, titles: Sequence[str], rows: Iterable[Sequence[Text]]) -> None:
        """Replace titles and rows, each with as many cells; the cursor stays on its line."""
        place, cells = self.cursor_row, list(rows)
        heads = [Text(title) for title in titles]
        self.clear(columns=True)
        for head, *column in zip(heads, *cells, strict=True):
            self.add_column(head, width=max(text.cell_len for text in (head, *column)))
        for row in cells:
            self.add_row(*row)
        self.move_cursor(row=place, animate=False)
