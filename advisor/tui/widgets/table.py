"""A table whose columns are as wide as what is in them from the first time that it is drawn."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.text import Text
from textual.widgets import DataTable


class Table(DataTable[Text]):
    """One that is filled anew as a whole.

    Textual finds the widths of columns only when nothing else is to be done; lines that were drawn before it gets there
    stay cut off, for good where nothing is added any more.
    """

    def fill(self, titles: Sequence[str], rows: Iterable[Sequence[Text]]) -> None:
        """Replaces titles and rows; the cursor stays on its line.

        Raises:
            ValueError: a row has not as many cells as there are titles.
        """
        place, cells = self.cursor_row, list(rows)
        heads = [Text(title) for title in titles]
        self.clear(columns=True)
        for head, *column in zip(heads, *cells, strict=True):
            self.add_column(head, width=max(text.cell_len for text in (head, *column)))
        for row in cells:
            self.add_row(*row)
        self.move_cursor(row=place, animate=False)
