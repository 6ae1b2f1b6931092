"""Names from data, packs and answers show as text: no markup, no control characters, whatever they look like."""

from __future__ import annotations

from pathlib import Path

from textual.widgets import Input, Static

from advisor.datasets.dataset import Column, Inspection, Kind, Remark, Task, Weight
from advisor.errors import InputError, Problem
from advisor.interview.interview import Interview
from advisor.tui.dialogs.ask import Ask
from advisor.tui.dialogs.pick import Files, PickScreen
from advisor.tui.screens.data import DataScreen
from advisor.tui.screens.interview.interview import InterviewScreen
from advisor.tui.screens.known_facts import FactsScreen
from tests.tui.pilots import WIDE, piloted, running, screen_text, settled
from tests.tui.stand_in import StandIn
from tests.tui.waiting import shows, until

HOSTILE = "[/red]", "[b]x", "[3, 224, 224]", "a\x1b[31mb\x07", "$(rm -rf ~)", "<script>"
SHOWN = "[/red]", "[b]x", "[3, 224, 224]", "a[31mb", "$(rm -rf ~)", "<script>"


def inspected(path: Path, target: str | None) -> Inspection:
    return Inspection(
        path=str(path), format="delimited text", modality="tabular", examples=100,
        facts={"data.modality": "tabular", "data.examples": 100},
        fingerprint="0" * 16, target=target, task=Task.CLASSIFY if target else None, classes=HOSTILE if target else (),
        columns=tuple(Column(name, Kind.CATEGORY, distinct=2, examples=HOSTILE[:2]) for name in HOSTILE),
        remarks=(Remark(f"The column {HOSTILE[0]} is odd.", Weight.WARNING),),
    )  # fmt: skip


@piloted
async def test_columns_of_the_data_show_as_they_are() -> None:
    desk = StandIn(found=inspected)
    desk.use_data(inspected(Path("data [b]bold.csv"), HOSTILE[0]))
    async with running(DataScreen(), desk=desk, size=WIDE) as run:
        shown = screen_text(run.app)
        assert all(text in shown for text in SHOWN)
        assert "data [b]bold.csv" in shown


@piloted
async def test_names_of_files_show_as_they_are_and_any_folder_can_be_chosen(tmp_path: Path) -> None:
    names = "a\x1b[31mb", "b\u202ec", "c\nd", "\n"
    for name in (*names, "[red]z[b] e.csv"):
        (tmp_path / name).mkdir()
    chosen: list[Path | None] = []
    async with running(size=WIDE) as run:
        run.app.push_screen(PickScreen("Which?", folders=True, folder=tmp_path), chosen.append)
        await until(run, lambda: "z[b]" in screen_text(run.app))
        shown = screen_text(run.app)
        assert all(text in shown for text in ("a[31mb", "bc", "c d", "[red]z[b] e.csv"))
        assert not any(text in shown for text in ("\x1b", "\u202e"))
        await run.press("down", "down")
        tree = run.screen.query_one(Files)
        while "31m" not in str(tree.cursor_node.label):
            await run.press("down")
        await run.press("enter")
        run.screen.query_one(Input).focus()
        await run.press("enter")
    assert chosen == [tmp_path / names[0]]


@piloted
async def test_a_card_with_brackets_in_its_name_shows_as_it_is() -> None:
    async with running(InterviewScreen(), size=WIDE) as run:
        await run.app.step(lambda interview: interview.change("machine.gpu.name"))
        await settled(run.pilot)
        await run.write("[/b] [link=x]Card")
        await run.app.push_screen(FactsScreen())
        await settled(run.pilot)
        await shows(run, "[/b] [link=x]Card", "machine.gpu.name")


@piloted
async def test_refusals_and_questions_show_what_was_written() -> None:
    def refuse(_: Interview) -> None:
        raise InputError("Wrong [b]", [Problem("file [/x]", "it holds \x1b]0;x\x07[red]", "Mend [it].")])

    async with running(InterviewScreen(), size=WIDE) as run:
        run.screen.take_step(refuse)
        await settled(run.pilot)
        assert "✗ Wrong [b]: file [/x]: it holds ]0;x[red]. Mend [it]." in str(
            run.screen.query_one("#refused", Static).content
        )
        run.app.push_screen(Ask("Replace [/b]?", "It [exists].", yes="[y]", no="[n]"))
        await settled(run.pilot)
        shown = screen_text(run.app)
        assert all(text in shown for text in ("Replace [/b]?", "It [exists].", "[y]", "[n]"))


@piloted
async def test_messages_show_as_they_are() -> None:
    async with running(size=WIDE, messages=True) as run:
        run.app.tell("kept under [/tmp/x] \x1b[31m", title="[b]")
        await settled(run.pilot)
        await shows(run, "kept under [/tmp/x] [31m")
