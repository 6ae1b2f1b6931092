"""Tables that are filled anew while something else runs."""

from __future__ import annotations

from rich.text import Text
from textual.app import App, ComposeResult

from advisor.tui.widgets.table import Table
from tests.tui.pilots import piloted

TITLES = ("candidate", "score")


class OneTable(App[None]):
    def compose(self) -> ComposeResult:
        yield Table(cursor_type="row")


def rows(*cells: tuple[str, str]) -> list[list[Text]]:
    return [[Text(cell) for cell in row] for row in cells]


@piloted
async def test_what_is_drawn_at_once_is_not_cut_off() -> None:
    app = OneTable()
    async with app.run_test() as pilot:
        table = app.query_one(Table)
        for cells in (("ffn", "1"), ("gradient boosting", "0.970 ± 0.010"), ("日本語の列の名前", "0.5")):
            table.fill(TITLES, rows(cells))
            assert all(cell in table.render_line(1).text for cell in cells), "before the table had time to look again"
            await pilot.pause()
            assert all(cell in table.render_line(1).text for cell in cells)


@piloted
async def test_the_cursor_stays_on_its_line() -> None:
    app = OneTable()
    async with app.run_test() as pilot:
        table = app.query_one(Table)
        table.fill(TITLES, rows(("a", "1"), ("b", "2"), ("c", "3")))
        table.move_cursor(row=2)
        table.fill(TITLES, rows(("d", "1"), ("e", "2"), ("f", "3")))
        await pilot.pause()
        assert table.cursor_row == 2
        table.fill(TITLES, [])
        await pilot.pause()
        assert table.row_count == 0
