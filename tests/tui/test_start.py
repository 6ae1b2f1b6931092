"""Where the wizard begins, and that what can be done is found: by card, by palette, by help, by jumping."""

from __future__ import annotations

import inspect
import pkgutil
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from textual.command import CommandPalette
from textual.widgets import Input, OptionList

from advisor.plain import json_text
from advisor.tui import requests
from advisor.tui.app import SCREENS
from advisor.tui.dialogs.help import HelpScreen, JumpScreen
from advisor.tui.dialogs.pick import Files, PickScreen
from advisor.tui.last import ago
from advisor.tui.screen import WizardScreen
from advisor.tui.screens.data import DataScreen
from advisor.tui.screens.export import ExportScreen
from advisor.tui.screens.glossary import GlossaryScreen
from advisor.tui.screens.interview.interview import InterviewScreen
from advisor.tui.screens.probing.probing import ProbingScreen
from advisor.tui.screens.saved_plan import SavedPlanScreen
from advisor.tui.screens.start import StartScreen
from advisor.tui.screens.topic.topic import TopicScreen
from advisor.tui.screens.trying.trying import TryingScreen
from advisor.tui.screens.what_if.what_if import WhatIfScreen
from advisor.tui.widgets.cards import Cards
from advisor.tui.widgets.plan_list import PlanList
from tests.tui.desks import Desks, say
from tests.tui.pilots import WIDE, piloted, running, screen_text, settled
from tests.tui.stand_in import StandIn
from tests.tui.waiting import shows


@piloted
async def test_a_new_conversation_begins_with_the_first_question() -> None:
    async with running() as run:
        await run.press("enter")
        assert isinstance(run.screen, InterviewScreen)
        assert run.screen.asked == "data.modality"


@piloted
async def test_a_key_that_is_pressed_again_because_nothing_was_seen_begins_nothing_twice() -> None:
    async with running() as run:
        await run.pilot.press("enter", "enter", "1")
        await settled(run.pilot)
        assert [type(screen) for screen in run.app.screen_stack[1:]] == [StartScreen, InterviewScreen]
        await run.press("escape", "7")
        assert isinstance(run.screen, GlossaryScreen)


@piloted
async def test_the_machine_that_was_found_is_told() -> None:
    async with running() as run:
        await shows(run, "This machine", "8 cores, 34.36 GB")


def test_the_conversation_that_was_saved_last_is_told_with_its_data(desk_of: Desks, tmp_path: Path) -> None:
    table = tmp_path / "wine.csv"
    table.write_text("acid,sort\n" + "\n".join(f"{n / 10},{'red' if n % 2 else 'white'}" for n in range(40)))

    @piloted
    async def look() -> None:
        async with running(desk=desk_of(), size=WIDE) as run:
            await shows(run, "none is saved yet")
        desk = desk_of()
        desk.use_data(desk.look_into(table, "sort"))
        say(desk, "task.multilabel", "no")
        async with running(desk=desk_of(), size=WIDE) as run:
            await shows(run, "1 answer, just now", "wine.csv")

    look()


def test_times_ago_are_told_in_words() -> None:
    day = 86400
    told = [ago(seconds) for seconds in (5, 60, 3599, 7200, day - 1, day, 2.5 * day)]
    assert told == [
        "just now",
        "1 minute ago",
        "59 minutes ago",
        "2 hours ago",
        "23 hours ago",
        "yesterday",
        "2 days ago",
    ]


@piloted
async def test_an_earlier_conversation_is_gone_on_with() -> None:
    async with running(desk=StandIn(earlier={"task.kind": "classify", "data.modality": "image"})) as run:
        await run.press("2")
        assert run.desk.interview.progress.said() == {"task.kind": "classify", "data.modality": "image"}
        assert run.app.standing is not None
        assert run.app.standing.plan.value("network.type") == "cnn"


@piloted
async def test_beginning_anew_beside_an_earlier_conversation_asks_first() -> None:
    async with running(desk=StandIn(earlier={"task.kind": "classify"})) as run:
        await run.press("1")
        await shows(run, "Begin another conversation?")
        await run.press("f1")
        await shows(run, "Answer it by its key")
        await run.press("f1")
        await run.press("n")
        assert isinstance(run.screen, StartScreen)
        await run.press("1", "y")
        assert isinstance(run.screen, InterviewScreen)


@piloted
async def test_there_is_nothing_to_go_on_with_before_anything_was_said() -> None:
    async with running() as run:
        assert run.screen.query_one(OptionList).get_option("resume").disabled
        await run.press("2")
        assert isinstance(run.screen, StartScreen)


@piloted
async def test_answers_are_opened_from_a_file_that_is_written_as_a_path(tmp_path: Path) -> None:
    answers = tmp_path / "answers.yaml"
    answers.write_text("task.kind: classify\ndata.modality: text\n", encoding="utf-8")
    async with running() as run:
        await run.press("4")
        assert isinstance(run.screen, PickScreen)
        run.screen.query_one(Input).value = str(answers)
        await run.press("enter")
        assert isinstance(run.screen, InterviewScreen)
        assert run.desk.interview.progress.said() == {"task.kind": "classify", "data.modality": "text"}


@piloted
async def test_answers_that_cannot_be_read_leave_everything_as_it_was(tmp_path: Path) -> None:
    answers = tmp_path / "answers.yaml"
    answers.write_text("task.knd: classify\n", encoding="utf-8")
    async with running() as run:
        await run.press("4")
        run.screen.query_one(Input).value = str(answers)
        await run.press("enter")
        assert isinstance(run.screen, StartScreen)
        assert "Did you mean task.kind?" in " ".join(note.message for note in run.app._notifications)


@piloted
async def test_a_file_that_is_not_there_is_refused_in_place(tmp_path: Path) -> None:
    async with running() as run:
        await run.press("6")
        run.screen.query_one(Input).value = str(tmp_path / "plan.json")
        await run.press("enter")
        assert isinstance(run.screen, PickScreen)
        await shows(run, "✗ There is no such file")


@piloted
async def test_a_file_is_picked_from_the_tree(tmp_path: Path) -> None:
    (tmp_path / "plan.json").write_text("{}", encoding="utf-8")
    (tmp_path / "notes.txt").write_text("", encoding="utf-8")
    async with running() as run:
        picked: list[Path | None] = []
        run.app.push_screen(PickScreen("A plan", suffixes=(".json",), folder=tmp_path), picked.append)
        await settled(run.pilot)
        tree = run.screen.query_one(Files)
        while not tree.root.children:
            await run.pilot.pause(0.05)
        assert [str(child.label) for child in tree.root.children] == ["plan.json"]
        await run.press("down", "down", "enter")
        assert picked == [tmp_path / "plan.json"]


@piloted
async def test_words_are_looked_up_without_a_conversation() -> None:
    async with running() as run:
        await run.press("7")
        assert isinstance(run.screen, GlossaryScreen)
        await run.press("escape")
        assert isinstance(run.screen, StartScreen)


@piloted
async def test_a_plan_is_opened_from_a_file(tmp_path: Path) -> None:
    plan = tmp_path / "plan.json"
    desk = StandIn()
    plan.write_text(json_text(desk.interview.plan().to_json()), encoding="utf-8")
    async with running(desk=desk) as run:
        await run.press("6")
        run.screen.query_one(Input).value = str(plan)
        await run.press("enter")
        assert isinstance(run.screen, SavedPlanScreen)


@piloted
async def test_escape_goes_back_from_everywhere_and_leaves_from_the_start() -> None:
    async with running() as run:
        await run.press("enter", "f7", "escape")
        assert isinstance(run.screen, InterviewScreen)
        await run.press("escape")
        assert isinstance(run.screen, StartScreen)
        await run.press("escape")
        assert not run.app._running


@piloted
async def test_the_palette_does_what_the_keys_do() -> None:
    async with running(InterviewScreen()) as run:
        await run.press("ctrl+p")
        assert isinstance(run.screen, CommandPalette)
        await run.pilot.press(*"later")
        await run.pilot.pause(0.5)
        await run.press("enter")
        await run.pilot.pause(0.2)
        if isinstance(run.screen, CommandPalette):  # the first Enter may only have gone from the line to the list
            await run.press("enter")
        await settled(run.pilot)
        assert run.desk.interview.progress.later == ("data.modality",)


@piloted
async def test_all_entries_of_the_palette_are_a_group_and_a_verb() -> None:
    async with running(InterviewScreen()) as run:
        titles = [command.title for command in run.app.get_system_commands(run.screen)]
        assert len(titles) == len(set(titles))
        assert all(title.partition(": ")[2] for title in titles)


@pytest.mark.parametrize(
    "screen",
    [
        DataScreen,
        ExportScreen,
        InterviewScreen,
        ProbingScreen,
        SavedPlanScreen,
        TopicScreen,
        TryingScreen,
        WhatIfScreen,
    ],
)
def test_every_entry_of_a_palette_names_an_action_of_its_screen(screen: type[WizardScreen[Any]]) -> None:
    assert screen.PALETTE
    for _, _, action in screen.PALETTE:
        assert callable(getattr(screen, f"action_{action.partition('(')[0]}"))


def test_every_request_has_a_screen_that_takes_what_it_says() -> None:
    known = {kind for name, kind in vars(requests).items() if name.startswith("To")}
    assert set(SCREENS) == known
    for request, place in SCREENS.items():
        screen = pkgutil.resolve_name(f"advisor.tui.screens.{place}")
        assert {field.name for field in fields(request)} <= set(inspect.signature(screen).parameters)


@piloted
async def test_f1_explains_what_has_the_focus_and_its_keys() -> None:
    async with running(InterviewScreen(), size=(120, 60)) as run:
        await run.press("f1")
        assert isinstance(run.screen, HelpScreen)
        shown = screen_text(run.app)
        assert "Choose with the arrows and Enter, by number, or with the mouse." in shown
        assert "Say that you don't know." in shown
        await run.press("f1")
        assert isinstance(run.screen, InterviewScreen)


@piloted
async def test_a_letter_jumps_to_what_it_stands_on() -> None:
    async with running(InterviewScreen(), size=WIDE) as run:
        assert isinstance(run.app.focused, Cards)
        await run.press("ctrl+o")
        assert isinstance(run.screen, JumpScreen)
        letter = next(key for key, place in run.screen.places.items() if isinstance(place, PlanList))
        await run.press(letter)
        assert isinstance(run.app.focused, PlanList)


@piloted
async def test_the_colours_are_turned_to_light_and_back() -> None:
    async with running() as run:
        assert run.app.current_theme.dark
        await run.press("ctrl+t")
        assert not run.app.current_theme.dark
        await run.press("ctrl+t")
        assert run.app.current_theme.dark


@piloted
async def test_every_key_has_an_id_and_says_what_it_does() -> None:
    async with running(InterviewScreen()) as run:
        own = [binding for _, binding in run.app._bindings if binding.id] + [b for _, b in run.screen._bindings if b.id]
        assert own
        assert all(binding.tooltip.endswith(".") for binding in own)


@piloted
async def test_the_palette_names_what_is_done_most_before_the_topics() -> None:
    async with running(InterviewScreen()) as run:
        titles = [command.title for command in run.app.get_system_commands(run.screen)]
        first = next(number for number, title in enumerate(titles) if title.startswith("Topic: "))
        assert all(title.startswith("Topic: ") for title in titles[first:])
        await run.press("ctrl+p")
        listed = [str(hit.prompt).splitlines()[0] for hit in run.screen.query_one(OptionList).options]
        assert [title.strip() for title in listed] == titles
