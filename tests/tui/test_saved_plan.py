"""A saved plan, to look through; nothing of the conversation is touched."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.widgets import Static

from advisor.report.plan.json_plan import plan_text
from advisor.tui.screens.export import ExportScreen
from advisor.tui.screens.glossary import GlossaryScreen
from advisor.tui.screens.saved_plan import SavedPlanScreen
from advisor.tui.screens.topic.topic import TopicScreen
from advisor.tui.screens.what_if.what_if import WhatIfScreen
from advisor.tui.widgets.plan_list import PlanList
from tests.tui.pilots import WIDE, Running, piloted, running, snapshot
from tests.tui.test_topic import desk
from tests.tui.waiting import shows


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    path = tmp_path / "plan.json"
    path.write_text(plan_text(desk().interview.plan()), encoding="utf-8")
    return path


def told(run: Running) -> str:
    return str(run.screen.query_one("#said_of_plan", Static).content)


def test_the_plan_is_listed_and_told(saved: Path) -> None:
    @piloted
    async def look() -> None:
        async with running(SavedPlanScreen(saved), desk=desk({}), size=WIDE) as run:
            line = str(run.screen.query_one(PlanList).get_option("network.type").prompt)
            assert line.startswith("● ")
            assert "CNN" in line
            assert "Network: convolutional network" in told(run)
            assert "data.examples: 50,000 examples (stated)" in told(run)
            assert run.desk.interview.progress.answers == ()

    look()


def test_a_topic_opens_with_its_reasons_and_is_only_read(saved: Path) -> None:
    @piloted
    async def look() -> None:
        async with running(SavedPlanScreen(saved), desk=desk({})) as run:
            await run.press("enter")
            assert isinstance(run.screen, TopicScreen)
            assert run.screen.topic == "network.type"
            await shows(run, "(saved)")
            await run.press("s")
            assert not isinstance(run.screen, WhatIfScreen)
            await run.press("escape")
            assert isinstance(run.screen, SavedPlanScreen)

    look()


def test_it_can_be_exported_and_its_words_looked_up(saved: Path) -> None:
    @piloted
    async def look() -> None:
        async with running(SavedPlanScreen(saved), desk=desk({})) as run:
            await run.press("x")
            assert isinstance(run.screen, ExportScreen)
            assert run.screen.plan.value("network.type") == "cnn"
            await run.press("escape", "question_mark")
            assert isinstance(run.screen, GlossaryScreen)

    look()


@pytest.mark.parametrize(
    ("text", "told_so"),
    [("{", "is not JSON"), ('{"schema": "[/red]"}', "[/red]")],
)
def test_what_is_no_plan_is_said_in_place_with_the_remedy(tmp_path: Path, text: str, told_so: str) -> None:
    path = tmp_path / "[b]plan.json"
    path.write_text(text, encoding="utf-8")

    @piloted
    async def look() -> None:
        async with running(SavedPlanScreen(path), desk=desk({})) as run:
            assert told(run).startswith("✗ ")
            assert told_so in told(run)
            assert "advisor recommend --format json" in told(run)
            await run.press("x")
            assert isinstance(run.screen, SavedPlanScreen)
            await run.press("escape")
            assert not isinstance(run.screen, SavedPlanScreen)

    look()


def test_a_plan_that_lacks_topics_is_shown_as_far_as_it_goes(tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    path.write_text(
        '{"schema": "advisor/plan/1", "school": "today", "facts": {}, "questions": [], "probes": [], "recommendations": '
        '{"network.activation": {"value": "relu", "status": "leaning", "because": [{"rule": "network.activation.relu", '
        '"text": "[b]x", "sources": [], "school": "today"}], "alternatives": [], "flips": [], "actions": []}}}',
        encoding="utf-8",
    )

    @piloted
    async def look() -> None:
        async with running(SavedPlanScreen(path), desk=desk({})) as run:
            await run.press("enter")
            assert isinstance(run.screen, TopicScreen)
            await shows(run, "[b]x")
            await shows(run, "1 of 1")

    look()


def test_picture_of_a_saved_plan(saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(saved.parent)

    @piloted
    async def look() -> None:
        async with running(SavedPlanScreen(Path("plan.json")), desk=desk({})) as run:
            snapshot(run.app, "saved_plan-80x24")

    look()


@piloted
async def test_what_can_be_done_with_it_stands_beside_it(saved: Path) -> None:
    async with running(SavedPlanScreen(saved), desk=desk({}), size=WIDE) as run:
        assert "What next\nEnter: on a line of the plan" in told(run)
        assert "x: saves it as a report, or as a starter project" in told(run)
