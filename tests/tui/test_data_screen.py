"""Pointing at data: what is found becomes facts, and a column becomes the target."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path

from PIL import Image
from textual.widgets import Input, OptionList, Static

from advisor.errors import input_error
from advisor.facts.fact_base import Source
from advisor.report.found.inspection import inspection_json
from advisor.tui.dialogs.pick import PickScreen
from advisor.tui.screens.data import DataScreen
from advisor.tui.screens.interview.interview import InterviewScreen
from advisor.tui.screens.start import StartScreen
from advisor.tui.widgets.album_view import NO_PICTURES
from advisor.tui.widgets.page_view import PageView
from tests.tui.desks import Desks
from tests.tui.pilots import NARROW, WIDE, Running, piloted, running, screen_text, settled
from tests.tui.stand_in import StandIn
from tests.tui.test_hostile_text import HOSTILE, inspected
from tests.tui.waiting import PATIENCE, shows, until


async def point_at(run: Running, path: Path) -> None:
    assert isinstance(run.screen, PickScreen)
    run.screen.query_one(Input).value = str(path)
    await run.press("enter")
    await looked_into(run)


async def looked_into(run: Running) -> None:
    while run.screen.query_one("#targets", OptionList).disabled:
        await run.pilot.pause(0.02)
    await settled(run.pilot)


@piloted
async def test_data_are_pointed_at_from_the_start_and_their_facts_are_not_asked_for(tmp_path: Path) -> None:
    async with running(desk=StandIn(found=inspected)) as run:
        await run.press("3")
        await point_at(run, tmp_path)
        await shows(run, "Which column should be predicted?")
        await run.press("home", "enter")
        await looked_into(run)
        await run.press("ctrl+s")
        assert run.desk.inspection.target == HOSTILE[0]
        assert isinstance(run.screen, InterviewScreen)
        known = run.desk.interview.facts().known("data.modality")
        assert known is not None
        assert known.source is Source.INSPECTED


@piloted
async def test_what_was_found_is_wrapped_anew_for_another_size(tmp_path: Path) -> None:
    async with running(desk=StandIn(found=inspected)) as run:
        await run.press("3")
        await point_at(run, tmp_path)
        page = run.screen.query_one(PageView)
        assert page.max_scroll_x == 0
        await run.pilot.resize_terminal(*WIDE)
        await settled(run.pilot)
        wide = page.query_one(Static).size.height
        await run.pilot.resize_terminal(60, 24)
        await settled(run.pilot)
        assert page.max_scroll_x == 0
        assert page.query_one(Static).size.height > wide


@piloted
async def test_no_column_need_be_foretold(tmp_path: Path) -> None:
    async with running(desk=StandIn(found=inspected)) as run:
        await run.press("3")
        await point_at(run, tmp_path)
        await run.press("end", "enter")
        assert isinstance(run.screen, InterviewScreen)
        assert run.desk.inspection.target is None


@piloted
async def test_data_that_cannot_be_read_are_told_of_and_others_chosen(tmp_path: Path) -> None:
    def refuse(path: Path, target: str | None) -> None:
        raise input_error("This is no data", "it is empty", where=str(path), remedy="Name another.")

    async with running(desk=StandIn(found=refuse)) as run:
        await run.press("3")
        await point_at(run, tmp_path)
        await shows(run, "✗ This is no data")
        await run.press("f2")
        assert isinstance(run.screen, PickScreen)


@piloted
async def test_who_chooses_no_data_is_back_where_they_were() -> None:
    async with running() as run:
        await run.press("3", "escape")
        assert isinstance(run.screen, StartScreen)


@piloted
async def test_data_that_were_looked_at_and_left_change_nothing(tmp_path: Path) -> None:
    async with running(desk=StandIn(found=inspected)) as run:
        await run.press("3")
        await point_at(run, tmp_path)
        await run.press("escape")
        assert isinstance(run.screen, StartScreen)
        assert run.desk.inspection is None
        assert run.desk.interview.facts().known("data.modality") is None


@piloted
async def test_whoever_leaves_while_data_are_looked_into_is_not_disturbed(tmp_path: Path) -> None:
    let_go, done = threading.Event(), threading.Event()

    def slow(path: Path, target: str | None) -> object:
        let_go.wait(PATIENCE)
        done.set()
        return inspected(path, target)

    async with running(desk=StandIn(found=slow)) as run:
        await run.press("3")
        run.screen.query_one(Input).value = str(tmp_path)
        await run.press("enter", "ctrl+s")
        assert isinstance(run.screen, DataScreen), "there is nothing yet to go on with"
        await run.press("escape")
        let_go.set()
        await until(run, done.is_set)
        assert isinstance(run.screen, StartScreen)
        assert run.desk.inspection is None


@piloted
async def test_other_data_take_the_place_of_the_first(tmp_path: Path) -> None:
    desk = StandIn(found=inspected)
    desk.use_data(inspected(Path("first.csv"), None))
    async with running(DataScreen(), desk=desk) as run:
        await run.press("f2")
        await point_at(run, tmp_path)
        assert run.desk.inspection.path == "first.csv", "not before they are taken over"
        await run.press("ctrl+s")
        assert run.desk.inspection.path == str(tmp_path)


def test_the_column_that_looks_like_the_target_is_chosen_beforehand(desk_of: Desks, tmp_path: Path) -> None:
    table = tmp_path / "customers.csv"
    rows = "\n".join(f"{20 + n % 50},{1000.5 + 3 * n % 997},{'yes' if n % 3 else 'no'}" for n in range(200))
    table.write_text(f"age,income,churned\n{rows}\n", encoding="utf-8")

    @piloted
    async def look() -> None:
        desk = desk_of()
        desk.use_data(desk.look_into(table, None))
        async with running(DataScreen(), desk=desk, size=WIDE) as run:
            targets = run.screen.query_one("#targets", OptionList)
            assert targets.highlighted == 2
            await shows(run, "❯", "churned", "predict this?")
            await run.press("enter")
            await looked_into(run)
            await run.press("enter")
            assert desk.inspection.target == "churned"

    look()


def test_each_column_has_a_histogram_of_the_values_that_inspect_counts(desk_of: Desks, tmp_path: Path) -> None:
    table = tmp_path / "skewed.csv"
    rows = "\n".join(f"{'much' if n % 4 else 'little'},{n * n}" for n in range(100))
    table.write_text(f"how,square\n{rows}\n", encoding="utf-8")

    @piloted
    async def look() -> None:
        desk = desk_of()
        desk.use_data(desk.look_into(table, "how"))
        how, square = desk.inspection.columns
        assert how.counts == (75, 25)
        assert square.counts == (36, 14, 11, 10, 8, 7, 7, 7)
        assert [column["counts"] for column in inspection_json(desk.inspection)["columns"]] == [
            list(how.counts),
            list(square.counts),
        ]
        for size in (NARROW, WIDE):
            async with running(DataScreen(), desk=desk, size=size) as run:
                await shows(run, "████▃▃▃▃", "█▃▂▂▂▂▂▂")

    look()


def test_pictures_are_drawn_from_their_files(desk_of: Desks, tmp_path: Path) -> None:
    for label, colour, count in (("cats", (250, 10, 10), 6), ("dogs", (10, 10, 250), 3)):
        (tmp_path / label).mkdir()
        for number in range(count):
            Image.new("RGB", (20, 20 + number), colour).save(tmp_path / label / f"{number}.png")
    (tmp_path / "dogs" / "0.png").write_bytes(b"no picture")

    @piloted
    async def look() -> None:
        desk = desk_of()
        desk.use_data(desk.look_into(tmp_path, None))
        async with running(DataScreen(), desk=desk, size=WIDE) as run:
            await shows(run, "cats", "6 pictures", "dogs", "3 pictures", "In a shell: advisor inspect")
            lines = run.app.screen._compositor.render_strips()
            drawn = [
                segment.style.color.get_truecolor()
                for strip in lines
                for segment in strip
                if "▀" in segment.text and segment.style is not None and segment.style.color is not None
            ]
            red, blue = (sum(colour == wanted for colour in drawn) for wanted in ((250, 10, 10), (10, 10, 250)))
            assert red > blue > 0, "four cats, and two dogs that can be read"

    look()


@piloted
async def test_pictures_that_cannot_be_drawn_are_told_of() -> None:
    desk = StandIn()
    desk.use_data(replace(inspected(Path("digits.npz"), None), modality="image", columns=()))
    async with running(DataScreen(), desk=desk, size=WIDE) as run:
        await shows(run, NO_PICTURES)


@piloted
async def test_the_data_are_told_of_in_words_for_people() -> None:
    desk = StandIn()
    desk.use_data(inspected(Path("a table.csv"), None))
    async with running(DataScreen(), desk=desk, size=WIDE) as run:
        await shows(run, "What is one example?", "Tabular", "advisor inspect 'a table.csv'")
        shown = screen_text(run.app)
        assert "--target" not in shown
        assert "NEXT" not in shown
