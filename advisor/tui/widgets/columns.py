"""Texts side by side in one entry of a list, each wrapped within its own width."""

from __future__ import annotations

from textual.content import Content
from textual.css.styles import RulesMap
from textual.strip import Strip
from textual.style import Style
from textual.visual import RenderOptions, Visual

GAP = 2


class Columns(Visual):
    """Cells with their widths, `gap` blanks apart; those of width 0 share the rest of at most `most` columns, since longer lines
    are hard to read."""

    def __init__(self, *cells: tuple[Content, int], gap: int = GAP, most: int = 1000) -> None:
        self.cells, self.gap, self.most = cells, gap, most
        self._drawn: dict[tuple[int, Style], list[Strip]] = {}

    def __str__(self) -> str:
        """The texts of the cells in one line."""
        return " ".join(cell.plain for cell, _ in self.cells if cell.plain.strip())

    def _widths(self, whole: int) -> list[int]:
        sharing = sum(not width for _, width in self.cells)
        left = min(whole, self.most) - sum(width for _, width in self.cells) - self.gap * (len(self.cells) - 1)
        return [width or max(left // max(sharing, 1), 1) for _, width in self.cells]

    def render_strips(self, width: int, height: int | None, style: Style, options: RenderOptions) -> list[Strip]:
        if (width, style) not in self._drawn:
            self._drawn[width, style] = self._draw(width, style, options)
        return self._drawn[width, style][:height]

    def _draw(self, width: int, style: Style, options: RenderOptions) -> list[Strip]:
        widths = self._widths(width)
        columns = [
            cell.render_strips(own, None, style, options) for (cell, _), own in zip(self.cells, widths, strict=True)
        ]
        gap = Strip.blank(self.gap, style.rich_style)
        rows = []
        for number in range(max(map(len, columns))):
            parts: list[Strip] = []
            for column, own in zip(columns, widths, strict=True):
                line = column[number] if number < len(column) else Strip.blank(own, style.rich_style)
                parts += [gap] if parts else []
                parts.append(line.adjust_cell_length(own, style.rich_style))
            rows.append(Strip.join(parts).adjust_cell_length(width, style.rich_style))
        return rows

    def get_optimal_width(self, rules: RulesMap, container_width: int) -> int:
        return container_width

    def get_height(self, rules: RulesMap, width: int) -> int:
        return max(cell.get_height(rules, own) for (cell, _), own in zip(self.cells, self._widths(width), strict=True))


class Fitting(Visual):
    """The first of two layouts if the list has as many `columns`, else the second."""

    def __init__(self, wide: Visual, narrow: Visual, columns: int = 90) -> None:
        self.wide, self.narrow, self.columns = wide, narrow, columns

    def __str__(self) -> str:
        return str(self.wide)

    def _fitting(self, width: int) -> Visual:
        return self.wide if width >= self.columns else self.narrow

    def render_strips(self, width: int, height: int | None, style: Style, options: RenderOptions) -> list[Strip]:
        return self._fitting(width).render_strips(width, height, style, options)

    def get_optimal_width(self, rules: RulesMap, container_width: int) -> int:
        return self._fitting(container_width).get_optimal_width(rules, container_width)

    def get_height(self, rules: RulesMap, width: int) -> int:
        return self._fitting(width).get_height(rules, width)
