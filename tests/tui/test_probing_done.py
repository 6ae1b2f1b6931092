"""What the probe screen says afterwards, before -> measured -> after, and its figures as values."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from textual.widgets import DataTable, TabbedContent

from advisor.agent.agent import Revision
from advisor.agent.events import ProbeSkipped, ProbeStarted
from advisor.agent.settling.advising import advise_here
from advisor.facts.verdict import Verdict
from advisor.inference.advise import VALUES_ONLY
from advisor.probes.catalogue import probe_named
from advisor.probes.outcome import Outcome, SettingRecord
from advisor.tui.screens.probing.done import DonePane, headline
from advisor.tui.screens.probing.probing import ProbingScreen
from advisor.tui.screens.probing.state import Measuring, finding, points_of
from advisor.tui.screens.running.run_screen import Phase as Screen
from advisor.tui.widgets.curves import Point, bars
from tests.tui.measurements_made import (
    BATCH,
    MACHINE,
    MATMUL,
    PRECISION,
    THREADS,
    measuring_desk,
    messages,
    outcome_of,
)
from tests.tui.pilots import WIDE, piloted, running, settled
from tests.tui.waiting import measured, offered, shows, until

# --- afterwards ------------------------------------------------------------------------------------------------------


@piloted
async def test_afterwards_each_result_is_said_in_word_and_symbol() -> None:
    desk, _ = measuring_desk()
    async with running(ProbingScreen(), desk=desk) as run:
        await measured(run)
        table = run.screen.query_one(DataTable)
        rows = [[str(cell) for cell in table.get_row_at(number)] for number in range(table.row_count)]
        assert rows == [
            ["Processor threads", "8 threads", "↻ overturned", "4 threads"],
            ["Examples at a time", "128 examples", "✓ confirmed", "128 examples"],
            ["Number format", "fp32", "= no difference that matters", "fp32"],
            ["Matrix products", "", "◆ measured", rows[3][3]],
        ]
        assert rows[3][3].endswith("GFLOP/s, fp32")
        await shows(run, "✓ 1 confirmed", "↻ 1 overturned", "» Changed in the plan: Processor threads")
        await shows(
            run, "4 threads against 8 threads: 1.24 times as fast (95 % interval 1.18 to 1.31, 12 interleaved pairs)."
        )
        await run.press("down")
        await shows(run, "128 examples against 256 examples: 1.24 times as fast")


@pytest.mark.parametrize(
    ("probe", "before", "rates", "shown"),
    [
        ("memory", "all threads", {"all threads": 19.4e9, "one thread": 12e9, "l1": 148e9}, "19.4 GB/s, all threads"),
        ("matmul", "fp32", {"fp32": 100e9, "bf16": 300e9}, "100 GB/s, fp32"),
        ("storage", "sequential", {"random": 5e9, "sequential": 2e9}, "2.00 GB/s, sequential"),
        ("transfer", "pageable", {"pageable": 8e9, "pinned": 25e9}, "8.00 GB/s, pageable"),
        ("transfer", "pageable", {"pinned": 25e9}, "25.0 GB/s, pinned"),
    ],
)
def test_a_rate_is_that_of_the_usual_setting_and_says_which(
    probe: str, before: str, rates: dict[str, float], shown: str
) -> None:
    settings = tuple(SettingRecord(setting, (1 / rate,)) for setting, rate in rates.items())
    gauges = probe_named(probe).gauges
    outcome = Outcome(probe, "", "", before, Verdict.UNDECIDED, settings=settings, work="byte", gauges=gauges)
    assert headline(outcome) == shown
    assert {point.note for point in points_of(outcome)} == {""}, "none of them is the plan's"


@piloted
async def test_a_result_opens_its_topic() -> None:
    from advisor.tui.screens.topic.topic import TopicScreen

    desk, _ = measuring_desk()
    async with running(ProbingScreen(), desk=desk) as run:
        await measured(run)
        await run.press("enter")
        await until(run, lambda: isinstance(run.screen, TopicScreen))
        assert run.screen.topic == "compute.threads"


@piloted
async def test_the_whole_story_and_the_machine_stand_beside_the_results() -> None:
    desk, _ = measuring_desk()
    async with running(ProbingScreen(), size=WIDE, desk=desk) as run:
        await measured(run)
        tabs = run.screen.query_one(TabbedContent)
        tabs.active = "tab_story"
        await settled(run.pilot)
        await shows(run, "before -> measured -> after", "what changes in the plan")
        tabs.active = "tab_machine"
        await settled(run.pilot)
        await shows(run, "THIS MACHINE", "A processor, 8 cores", "HOW FAST IT IS", "Matrix product, fp32")


@piloted
async def test_a_machine_too_busy_to_keep_anything_is_not_said_to_have_been_measured() -> None:
    desk, _ = measuring_desk(plays=[MATMUL])
    async with running(ProbingScreen(), size=WIDE, desk=desk) as run:
        await measured(run)
        pane = run.screen.query_one(DonePane)
        [outcome] = pane.revision.outcomes
        busy = replace(outcome, conditions=replace(outcome.conditions, others_share=0.9))
        pane.show(replace(pane.revision, outcomes=(busy,)), MACHINE)
        run.screen.query_one(TabbedContent).active = "tab_machine"
        await settled(run.pilot)
        await shows(run, "THIS MACHINE, as this run found it; nothing of it was saved")


@piloted
async def test_the_plan_counts_what_was_measured_and_more_can_be_measured() -> None:
    desk, _ = measuring_desk(plays=[THREADS])
    async with running(ProbingScreen(), desk=desk) as run:
        told: list[Any] = []
        run.app.standing_changed.subscribe(run.screen, told.append)
        await measured(run)
        await until(run, lambda: bool(told))
        await run.press("m")
        assert run.screen.phase is Screen.CHOOSING
        await offered(run)
        await run.press("escape")
        assert not isinstance(run.screen, ProbingScreen)


@piloted
async def test_a_probe_that_failed_says_why() -> None:
    from dataclasses import replace

    desk, _ = measuring_desk(plays=[replace(BATCH, failure="It held 9 GB of memory and may take 8 GB.")])
    async with running(ProbingScreen(), desk=desk) as run:
        await measured(run)
        await shows(run, "✗ failed", "It held 9 GB of memory and may take 8 GB.")


@piloted
async def test_where_nothing_was_measured_the_reasons_are_shown() -> None:
    desk, _ = measuring_desk()
    facts = desk.interview.facts()
    plan = advise_here(desk.knowledge, facts, MACHINE, (), detail=VALUES_ONLY)
    desk.measured = lambda *_: Revision(
        plan, plan, (), (ProbeSkipped("threads", "No time was left: about 6 s.", open=True),)
    )
    async with running(ProbingScreen(), desk=desk) as run:
        await measured(run)
        await shows(run, "Nothing was measured.", "Still open: Processor threads.", "No time was left: about 6 s.")


# --- as values -------------------------------------------------------------------------------------------------------


def test_a_setting_is_shown_with_the_best_samples_that_there_are() -> None:
    state = Measuring(60.0, lambda: 0.0)
    state.tell(ProbeStarted(probe_named("threads"), 12.0, 60.0, 8))
    for message in messages(THREADS):
        state.tell(message)
    points = {point.label: point for point in state.points(8)}
    assert list(points) == ["1", "2", "4", "8"], "numbers in their order"
    assert (points["4"].n, points["1"].n) == (12, 3), "pairs outrank the search"
    assert (points["4"].note, points["8"].note, points["1"].note) == ("rival", "plan", "")
    assert points["4"].low < points["4"].value < points["4"].high
    assert points["4"].value == pytest.approx(1 / THREADS.seconds[4], rel=0.05)


def test_the_budget_counts_down_on_the_clock() -> None:
    now = [100.0]
    state = Measuring(60.0, lambda: now[0])
    state.tell(ProbeStarted(probe_named("threads"), 12.0, 60.0))
    now[0] = 105.0
    assert (state.seconds_left, state.seconds_of_part) == (55.0, 7.0)
    now[0] = 1000.0
    assert (state.seconds_left, state.seconds_of_part) == (0.0, 0.0)


def test_bars_are_drawn_to_the_width() -> None:
    points = [Point("1", 50.0, 49.0, 51.0, 3), Point("2", 100.0, 98.0, 103.0, 12, "plan")]
    lines = bars(points, "steps/s", 60).plain.split("\n")
    assert lines[1].count("█") > 1.8 * lines[0].count("█")
    assert lines[1].endswith("100 steps/s [98.0, 103] n=12")
    assert max(map(len, lines)) <= 60
    assert bars([], "steps/s", 60).plain == ""


def test_only_rates_have_no_verdict() -> None:
    assert [finding(outcome_of(play)) for play in (THREADS, BATCH, PRECISION, MATMUL)] == [
        "overturned",
        "confirmed",
        "no_difference",
        "measured",
    ]
