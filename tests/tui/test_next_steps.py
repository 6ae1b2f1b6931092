"""What next: steps, the needs of training and ways to be done sooner, while there are questions and when none is left."""

from __future__ import annotations

import pytest

from advisor.facts.fact_base import Source
from advisor.report.plan.brief import brief_of
from advisor.tui.screens.export import ExportScreen
from advisor.tui.screens.interview.interview import InterviewScreen
from advisor.tui.screens.interview.next_steps import STEPS, NextScreen, ways_out
from advisor.tui.screens.probing.probing import ProbingScreen
from advisor.tui.screens.topic.topic import TopicScreen
from advisor.tui.screens.what_if.what_if import WhatIfScreen
from advisor.tui.widgets.cards import Cards
from tests.tui.pilots import NARROW, WIDE, piloted, running, screen_text
from tests.tui.stand_in import StandIn
from tests.tui.waiting import shows

PICTURES = {
    "data.modality": "image", "task.kind": "classify", "data.examples": "2000000", "data.inputs": "1000000",
    "task.outputs": "1000", "task.multilabel": "no", "project.pretrained_allowed": "no",
}  # fmt: skip
"""So many and so large that a processor takes weeks."""


def slow(*, ends: bool = False, memory: int = 32 * 2**30) -> StandIn:
    """A conversation on a plan that is slow here; it `ends` where nothing is left to ask."""
    desk = StandIn()
    found = {"machine.cpu.features": frozenset({"avx2"}), "machine.memory_bytes": memory}
    desk.interview.observed = desk.interview.observed.with_values(found, Source.DETECTED)
    for name, text in PICTURES.items():
        desk.interview.answer(name, text)
    while ends and (question := desk.interview.question()) is not None:
        desk.interview.do_not_know(question.fact)
    return desk


@pytest.mark.parametrize("size", [NARROW, WIDE])
def test_the_end_says_what_the_first_screen_of_recommend_says(size: tuple[int, int]) -> None:
    @piloted
    async def drive() -> None:
        desk = slow(ends=True)
        async with running(InterviewScreen(), size=size, desk=desk) as run:
            plan = run.app.standing.plan
            needs = desk.needs(plan)
            brief = brief_of(plan, desk.knowledge, outlook=needs)
            assert needs.remedies
            explained = str(run.screen.query_one("#explained").content)
            assert all(said in explained for said in (*brief.needs, *brief.warnings))
            assert any("What helps" in warning for warning in brief.warnings)
            await shows(run, "Measure this machine", "Try it on your data", "Starter project", "Be done sooner")

    drive()


@piloted
async def test_a_way_to_be_done_sooner_leads_to_both_plans() -> None:
    desk = slow(ends=True)
    async with running(InterviewScreen(), desk=desk) as run:
        number = len(STEPS) + 1
        says = str(run.screen.query_one(Cards).get_option_at_index(number - 1).prompt)
        await run.press(str(number))
        assert isinstance(run.screen, WhatIfScreen)
        assert run.screen.stated
        remedy = next(one for one in desk.needs(run.app.standing.plan).remedies if one.arguments.startswith("--set"))
        assert remedy.says in says
        [(name, value)] = run.screen.stated.items()
        assert f"--set {name}={value}" == remedy.arguments


@piloted
async def test_what_next_can_be_seen_before_the_questions_end() -> None:
    async with running(InterviewScreen(), desk=slow()) as run:
        asked = run.screen.asked
        assert asked is not None
        await run.press("ctrl+n")
        assert isinstance(run.screen, NextScreen)
        await shows(run, "What next?", "Needs", "What helps")
        await run.press("escape")
        assert isinstance(run.screen, InterviewScreen)
        assert run.screen.asked == asked
        await run.press("ctrl+n", "2")
        assert isinstance(run.screen, ProbingScreen)


@piloted
async def test_the_starter_project_is_chosen_already() -> None:
    async with running(InterviewScreen(), desk=slow()) as run:
        await run.press("ctrl+n", "6")
        assert isinstance(run.screen, ExportScreen)
        assert run.screen.kind.name == "starter"
        assert "starter" in screen_text(run.app)


@piloted
async def test_where_it_does_not_fit_the_ways_that_would_fit_are_a_step_away() -> None:
    desk = slow(ends=True, memory=2**26)
    plan = desk.interview.plan()
    assert plan.value("memory.strategy") == "offload"
    assert next(ways_out(plan, desk.needs(plan))).name == "Fit into memory"
    async with running(InterviewScreen(), desk=desk) as run:
        await run.press(str(len(STEPS) + 1))
        assert isinstance(run.screen, TopicScreen)
        assert run.screen.topic == "memory.strategy"
