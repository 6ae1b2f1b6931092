"""An answer moves the plan at once: what leads is shown before it is proven, and what is new stands out for a moment."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import Any

import pytest
from textual.events import Key

from advisor.agent.settling.advising import advise_here
from advisor.facts.fact_base import FactBase, Source
from advisor.facts.vocabulary import Value
from advisor.inference.advise import advise
from advisor.inference.leading import leading
from advisor.knowledge.model import School
from advisor.tui.host import SHOWN
from advisor.tui.screens.interview.interview import InterviewScreen
from advisor.tui.widgets.plan_list import FLASH_SECONDS, UNPROVEN, PlanList
from tests.tui.desks import Desks
from tests.tui.measurements_made import THREADS, outcome_of
from tests.tui.pilots import WIDE, Running, piloted, running, screen_text, settled
from tests.tui.stand_in import StandIn, real_rules
from tests.tui.waiting import shows


class Slow(StandIn):
    """Its conversation proves nothing before it is let go."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.let_go = threading.Event()
        self.let_go.set()

    def begin_anew(self) -> None:
        super().begin_anew()
        self.interview.adviser = self._advise

    def _advise(self, facts: FactBase, school: School, detail: Any) -> Any:
        self.let_go.wait()
        return advise(self.knowledge, facts, school, detail)


@piloted
async def test_what_an_answer_moves_is_there_before_it_is_proven() -> None:
    desk = Slow()
    async with running(InterviewScreen(), size=WIDE, desk=desk) as run:
        desk.let_go.clear()
        await run.pilot.press("2")  # pictures
        line_of_type = "Network type           CNN  was FFN"
        for _ in range(500):
            if line_of_type in (shown := screen_text(run.app)):
                break
            await run.pilot.pause(0.02)
        assert f"{UNPROVEN} Network type" in shown
        assert run.screen.asked == "data.modality"
        desk.let_go.set()
        await shows(run, "◐ Network type")
        await settled(run.pilot)
        assert run.screen.asked == "task.kind"
        assert UNPROVEN not in screen_text(run.app)


@piloted
async def test_an_answer_that_is_taken_back_before_it_is_proven_is_taken_back() -> None:
    desk = Slow()
    async with running(InterviewScreen(), size=WIDE, desk=desk) as run:
        desk.let_go.clear()
        run.app.post_message(Key("2", "2"))
        while UNPROVEN not in screen_text(run.app):
            await run.pilot.pause(0.02)
        run.app.post_message(Key("ctrl+z", None))
        await run.pilot.pause(0.05)
        desk.let_go.set()
        await settled(run.pilot)
        assert run.desk.interview.progress.said() == {}
        assert run.screen.asked == "data.modality"


def test_what_leads_is_what_the_plan_says_where_nothing_is_unknown() -> None:
    rules = real_rules()
    said: dict[str, Value | None] = {
            "data.modality": "image", "task.kind": "classify", "data.examples": 60_000, "data.inputs": 784,
            "task.outputs": 10, "task.multilabel": False}  # fmt: skip
    facts = FactBase.of(said, Source.ASKED)
    plan, found = advise(rules, facts), leading(rules, facts, School.TODAY)
    for topic in ("network.type", "training.loss", "network.activation", "network.normalization"):
        assert plan.value(topic) == found[topic]


def backgrounds(run: Running, text: str) -> set[str]:
    """What stands behind this text."""
    strips = run.app.screen._compositor.render_strips()
    styles = [segment.style for strip in strips for segment in strip if segment.text.strip() == text]
    return {style.bgcolor.name for style in styles if style is not None and style.bgcolor is not None}


@piloted
async def test_a_new_value_stands_out_for_a_moment() -> None:
    async with running(InterviewScreen(), size=WIDE) as run:
        plan = run.screen.query_one(PlanList)
        timers: list[tuple[float, Any]] = []
        plan.set_timer = lambda *timer: timers.append(timer)
        run.app.animation_level = "full"
        await run.press("2", "up")  # the highlight goes elsewhere
        assert "network.type" in plan.flashing
        lit = backgrounds(run, "CNN")
        assert timers
        assert all(seconds == FLASH_SECONDS for seconds, _ in timers)
        timers[-1][1]()
        await settled(run.pilot)
        assert plan.flashing == set()
        assert "CNN" in screen_text(run.app)
        assert backgrounds(run, "CNN") != lit


@piloted
async def test_nothing_flashes_where_nothing_shall_move_or_have_a_colour() -> None:
    async with running(InterviewScreen(), size=WIDE) as run:
        plan = run.screen.query_one(PlanList)
        await run.press("2")
        assert not plan.flashing
        run.app.animation_level, run.app.no_color = "full", True
        await run.press("ctrl+z", "2")
        assert not plan.flashing


def test_a_plan_is_made_once_for_the_step_and_the_screen(desk_of: Desks, monkeypatch: pytest.MonkeyPatch) -> None:
    held = desk_of()
    made: list[object] = []

    def counted(*args: Any) -> Any:
        made.append(args)
        return advise_here(*args)

    monkeypatch.setattr("advisor.session.desk.advise_here", counted)
    held.interview.plan(SHOWN)
    held.interview.answer("data.modality", "image")
    plan = held.interview.plan(SHOWN)
    assert len(made) == 2
    assert plan.value("network.type") == "cnn"
    held.inputs = replace(held.inputs, outcomes=(outcome_of(THREADS),))
    held.interview.plan(SHOWN)
    assert len(made) == 3
