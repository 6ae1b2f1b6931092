"""A table where there is room for it, and a sentence for each of its rows where there is not."""

from __future__ import annotations

from collections.abc import Sequence

from advisor.report.page import Page, Style

_APART = 2
"""Blanks between two columns."""


def table_lines(page: Page, head: Sequence[str], rows: Sequence[Sequence[str]], *widths: Sequence[int]) -> None:
    """Write the table.

    Args:
        rows: cells as under `head`, the first of which names the row; an empty one is left out of a sentence.
        widths: of the columns; of several choices the first that the page has room for.
    """
    fitting = (some for some in widths if sum(some) + _APART * (len(some) - 1) <= page.look.columns)
    chosen = next(fitting, None)
    if chosen is not None:
        page.columns([((word, Style.FAINT),) for word in head], chosen)
    for row in rows:
        if chosen is not None:
            page.columns([(cell,) for cell in row], chosen)
        else:
            told = ", ".join(f"{word} {cell}" for word, cell in zip(head[1:], row[1:], strict=True) if cell)
            page.add(f"{row[0]}: {told}" if told else row[0], first="  ")
