"""The probe screen: what is worth measuring, figures as they come, stopping."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest
from textual.widgets import Button, Select

from advisor.agent.agent import AFTERWARDS, Revision
from advisor.agent.choosing import COMFORT, next_of
from advisor.agent.events import JournalFailed, MeasuringEvent, MeasuringResumed, ProbeFinished, ProbeStarted
from advisor.agent.settling.advising import advise_here
from advisor.agent.worth import candidates
from advisor.errors import input_error
from advisor.probes.catalogue import PROBES, probe_named
from advisor.probes.outcome import Outcome
from advisor.probes.protocol import Duel, Phase, Sample
from advisor.tui.dialogs.ask import Ask
from advisor.tui.screens.probing.done import DonePane
from advisor.tui.screens.probing.offer import ELSEWHERE, offers, time_words
from advisor.tui.screens.probing.probing import ProbingScreen
from advisor.tui.screens.probing.state import Measuring, finding
from advisor.tui.screens.running.run_screen import Phase as Screen
from advisor.tui.screens.running.run_screen import Told
from advisor.tui.widgets.mouse import Ticks
from advisor.tui.widgets.plan_list import PlanList
from tests.tui.measurements_made import (
    BATCH,
    MACHINE,
    MATMUL,
    PRECISION,
    THREADS,
    MadeMeasurement,
    measuring_desk,
    messages,
    outcome_of,
    rules,
)
from tests.tui.pilots import NARROW, WIDE, piloted, running, screen_text, settled
from tests.tui.stand_in import StandIn
from tests.tui.waiting import measured, offered, shows, until

# --- choosing --------------------------------------------------------------------------------------------------------


@piloted
async def test_the_bets_that_can_be_settled_are_ticked_with_what_each_costs_and_answers() -> None:
    desk, _ = measuring_desk()
    async with running(ProbingScreen(), desk=desk) as run:
        await offered(run)
        ticked = run.screen.ticked
        assert {"threads", "batch"} <= set(ticked)
        assert not {"compile", "energy"} & set(ticked), "what must be named is ticked by hand"
        first = run.screen.offers[0]
        assert first.bet
        await shows(run, "✓", first.probe.question[:30], "It can settle the bet", f"{len(ticked)} ticked", "1 minute")


@piloted
async def test_what_is_ticked_at_first_is_measured_and_nothing_else() -> None:
    desk, made = measuring_desk(plays=[THREADS])
    async with running(ProbingScreen(), desk=desk) as run:
        await offered(run)
        ticked = run.screen.ticked
        await measured(run)
        assert made.asked == [(60.0, ticked)]


@piloted
async def test_where_nothing_was_said_the_machine_alone_is_measured() -> None:
    desk = StandIn(rules(), machine=MACHINE)
    made = MadeMeasurement(desk, plays=[MATMUL])
    desk.measured = made
    async with running(ProbingScreen(), desk=desk) as run:
        await offered(run)
        await shows(run, "No bet of the plan can be settled", "measure what this machine can do")
        await measured(run)
        [(_, asked)] = made.asked
        assert set(asked or ()) == {probe.name for probe in PROBES if not probe.needs_network} - {"transfer"}, "no card"


@piloted
async def test_only_what_is_ticked_is_measured_in_the_time_that_was_chosen() -> None:
    desk, made = measuring_desk(plays=[THREADS])
    async with running(ProbingScreen(), desk=desk) as run:
        await offered(run)
        ticks = run.screen.query_one(Ticks)
        for name in run.screen.ticked:
            if name != "threads":
                ticks.deselect(name)
        run.screen.query_one("#budget", Select).value = 120.0
        await measured(run)
        assert made.asked == [(120.0, ["threads"])]


@piloted
async def test_more_than_there_is_time_for_is_said_before_it_begins() -> None:
    desk, _ = measuring_desk()
    async with running(ProbingScreen(), desk=desk, size=NARROW) as run:
        await offered(run)
        count = len(run.screen.ticked)
        needed = sum(one.seconds for one in run.screen.offers if one.probe.name in run.screen.ticked)
        run.screen.query_one("#budget", Select).value = 30.0
        await settled(run.pilot)
        lines = [line[46:].strip() for line in screen_text(run.app).splitlines()[-4:-1]]
        assert re.fullmatch(
            rf"{count} ticked: about {needed:.0f} s, of 30 s\. The \d cheapest come first; "
            r"the others follow if time is left\.",
            " ".join(lines),
        ), "all of it can be read at 80 columns"
        assert run.screen.query_one("#sum").has_class("care")
        run.screen.query_one("#budget", Select).value = 600.0
        await settled(run.pilot)
        assert f"{count} ticked: about {needed:.0f} s" in screen_text(run.app)
        assert "cheapest" not in screen_text(run.app)


@pytest.mark.parametrize("budget", [20.0, 30.0, 60.0])
def test_what_is_said_to_come_first_is_what_the_agent_takes_first(budget: float) -> None:
    desk, _ = measuring_desk()
    plan = desk.interview.plan()
    ticked = [offer for offer in offers(desk.knowledge, plan, desk.interview.facts()) if offer.ticked]
    names = [offer.probe.name for offer in ticked]
    waiting = candidates(desk.knowledge, plan, [probe_named(name) for name in names], named=True)
    said = re.search(r"The (\d) cheapest come first", time_words(ticked, budget))
    assert said
    first = int(said[1])
    left, taken = budget - AFTERWARDS, []
    while (chosen := next_of(waiting, left, {one.probe.name for one in waiting})) is not None:
        taken.append(chosen)
        left -= COMFORT * chosen.seconds
        waiting = [one for one in waiting if one is not chosen]
    costs = sorted(offer.seconds for offer in ticked)
    assert sorted(one.seconds for one in taken[:first]) == costs[:first]


def test_a_probe_alone_that_takes_longer_than_there_is_may_stay_undecided() -> None:
    desk, _ = measuring_desk()
    found = offers(desk.knowledge, desk.interview.plan(), desk.interview.facts())
    one = next(offer for offer in found if offer.seconds > 5)
    assert time_words([one], 5.0) == f"1 ticked: about {one.seconds:.0f} s, of 5 s. It may be left undecided."
    assert time_words([], 5.0) == "Nothing is ticked."


@piloted
async def test_what_was_chosen_with_the_mouse_does_not_keep_the_keys_while_it_runs() -> None:
    desk, made = measuring_desk(waits_in=("threads",))
    async with running(ProbingScreen(), desk=desk) as run:
        await offered(run)
        run.screen.query_one("#budget", Select).focus()
        await run.click("#begin")
        await until(run, lambda: run.screen.state.current is not None)
        await run.press("enter")
        await run.press("escape")
        assert isinstance(run.screen, Ask)
        await run.press("y")
        made.let_go.set()
        await until(run, lambda: run.screen.phase is not Screen.RUNNING)


@piloted
async def test_nothing_is_measured_where_nothing_is_ticked() -> None:
    desk, made = measuring_desk()
    async with running(ProbingScreen(), desk=desk) as run:
        await offered(run)
        run.screen.query_one(Ticks).deselect_all()
        await settled(run.pilot)
        assert run.screen.query_one("#begin", Button).disabled
        await run.press("ctrl+s")
        assert (made.asked, run.screen.phase) == ([], Screen.CHOOSING)


@piloted
async def test_a_plan_for_another_machine_is_not_measured_here() -> None:
    desk, made = measuring_desk()
    desk.interview.change("machine.cpu.physical_cores")
    desk.interview.answer("machine.cpu.physical_cores", "2")
    async with running(ProbingScreen(), desk=desk) as run:
        await offered(run)
        await shows(run, ELSEWHERE)
        await run.press("ctrl+s")
        assert made.asked == []


# --- running ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [NARROW, WIDE])
def test_figures_and_curves_come_while_it_runs(size: tuple[int, int]) -> None:
    @piloted
    async def test() -> None:
        desk, made = measuring_desk(waits_in=("batch",))
        async with running(ProbingScreen(), size=size, desk=desk) as run:
            await offered(run)
            await run.press("ctrl+s")
            await until(
                run, lambda: "in pairs: 128 against 256, 12 so far" in re.sub(r"\s+", " ", screen_text(run.app))
            )
            await shows(
                run, "↻ overturned", "Processor threads", "128 plan", "256 rival", "examples/s [", "s left of 60 s"
            )
            await shows(run, "●")
            made.let_go.set()
            await until(run, lambda: run.screen.phase is Screen.DONE)

    test()


@piloted
async def test_the_race_follows_the_size_while_it_runs() -> None:
    desk, made = measuring_desk(waits_in=("threads",))
    async with running(ProbingScreen(), size=WIDE, desk=desk) as run:
        await offered(run)
        await run.press("ctrl+s")
        await until(run, lambda: "4 rival" in screen_text(run.app))
        widths = []
        for size in ((80, 24), (60, 24), (140, 50)):
            await run.pilot.resize_terminal(*size)
            await settled(run.pilot)
            line = next(line for line in screen_text(run.app).splitlines() if "4 rival" in line)
            assert "━●" in line or "─●" in line
            widths.append(sum(line.count(mark) for mark in "━─●"))
        assert widths[1] < widths[0] < widths[2]
        made.let_go.set()
        await until(run, lambda: run.screen.phase is Screen.DONE)


class Counting(MadeMeasurement):
    """Counts each outcome in the plan before it is told, as the desk does."""

    def __call__(self, seconds: float, only: Any, listener: Any, stop: Any) -> Revision:
        outcomes: list[Outcome] = []

        def hear(event: MeasuringEvent) -> None:
            if isinstance(event, ProbeFinished):
                outcomes.append(event.outcome)
            listener(event)

        knowledge = self.desk.knowledge
        self.desk.interview.adviser = lambda facts, school, detail: advise_here(
            knowledge, facts, MACHINE, tuple(outcomes), school, detail
        )
        return super().__call__(seconds, only, hear, stop)


@piloted
async def test_a_verdict_turns_the_mark_in_the_plan_while_others_are_still_measured() -> None:
    desk, _ = measuring_desk()
    made = Counting(desk, (THREADS, BATCH), ("batch",))
    desk.measured = made
    async with running(ProbingScreen(), size=WIDE, desk=desk) as run:
        await offered(run)
        plan = run.screen.query_one("#live_plan", PlanList)
        await run.press("ctrl+s")
        await until(run, lambda: "◆ 1" in str(plan.border_title))
        assert run.screen.phase is Screen.RUNNING
        await shows(run, "◆ Processor threads", "⟳ Examples at a time")
        assert run.app.outlook is None, "nothing else is worked out while a probe times"
        made.let_go.set()
        await until(run, lambda: run.screen.phase is Screen.DONE)


@piloted
async def test_the_reason_stands_beside_a_failure_and_the_queue_beneath_the_race() -> None:
    crashed = replace(THREADS, failure="Its process ended by itself.")
    desk, made = measuring_desk(waits_in=("batch",), plays=[crashed, BATCH, PRECISION])
    async with running(ProbingScreen(), size=WIDE, desk=desk) as run:
        await offered(run)
        await run.press("ctrl+s")
        await until(run, lambda: len(run.screen.state.outcomes) == 1 and run.screen.state.current is not None)
        run.screen.draw()
        await shows(run, "✗ failed Processor threads", "Its process ended by itself.")
        await shows(run, "✓ Processor threads", "⟳ Examples at a time", "· Memory", "more")
        made.let_go.set()
        await until(run, lambda: run.screen.phase is Screen.DONE)


@piloted
async def test_what_was_told_before_the_pane_had_a_size_is_drawn_to_its_size() -> None:
    desk, _ = measuring_desk()
    async with running(ProbingScreen(), size=WIDE, desk=desk) as run:
        await offered(run)
        told = [ProbeStarted(probe_named(BATCH.probe), 10.0, 60.0, BATCH.before), *messages(BATCH)]
        for about in told:
            run.screen.state.tell(about)
        run.screen._turn_to(Screen.RUNNING)  # at once, and nothing is told any more
        await settled(run.pilot)
        await shows(run, "128 plan")
        await shows(run, "●")


@piloted
async def test_x_ends_this_probe_and_the_next_goes_on() -> None:
    desk, _ = measuring_desk(waits_in=("threads",))
    async with running(ProbingScreen(), desk=desk) as run:
        await offered(run)
        await run.press("ctrl+s")
        await until(run, lambda: run.screen.state.current is not None)
        await run.press("x")
        await until(run, lambda: run.screen.phase is Screen.DONE)
        results = run.screen.query_one(DonePane).results
        assert [outcome.stopped for outcome in results] == [True, False, False, False]
        await shows(run, "■ stopped by hand", "✓ 1 confirmed")


@piloted
async def test_escape_asks_before_it_ends_everything_and_what_is_finished_is_kept() -> None:
    desk, _ = measuring_desk(waits_in=("batch",))
    async with running(ProbingScreen(), desk=desk) as run:
        await offered(run)
        await run.press("ctrl+s")
        await until(run, lambda: len(run.screen.state.outcomes) == 1 and run.screen.state.current is not None)
        screen = run.screen
        await run.press("escape")
        await shows(run, "Stop measuring?", "What is finished is kept")
        await run.press("n")
        assert not screen.stop.all
        await run.press("escape", "y")
        await until(run, lambda: screen.phase is Screen.DONE)
        assert [finding(outcome) for outcome in screen.query_one(DonePane).results] == ["overturned", "stopped"]
        await shows(run, "↻ 1 overturned", "Still open: Number format and Matrix products.")


@piloted
async def test_what_a_stopped_run_had_finished_is_said() -> None:
    state = Measuring(60.0, lambda: 10.0)
    found = outcome_of(THREADS)
    failed = replace(outcome_of(BATCH), failure="It crashed.")
    state.tell(MeasuringResumed((found, failed), 12.0))
    assert (state.resumed, state.spent, state.seconds_left) == (("threads",), 12.0, 48.0)
    desk, made = measuring_desk(waits_in=("batch",), plays=[BATCH])
    async with running(ProbingScreen(), desk=desk) as run:
        await offered(run)
        await run.press("ctrl+s")
        await until(run, lambda: run.screen.state.current is not None)
        told = Told(MeasuringResumed((found,), 12.0))
        run.screen.post_message(told)
        await settled(run.pilot)
        await shows(run, "Going on where a stopped run ended, after 12 s: Processor threads measured")
        made.let_go.set()
        await until(run, lambda: run.screen.phase is Screen.DONE)


@piloted
async def test_what_a_child_says_is_shown_as_text() -> None:
    desk, made = measuring_desk(waits_in=("precision",), plays=[PRECISION])
    async with running(ProbingScreen(), size=WIDE, desk=desk) as run:
        await offered(run)
        await run.press("ctrl+s")
        await until(run, lambda: run.screen.state.current is not None)
        for about in (Sample(Phase.SEARCH, "[b]x[/red]\x1b[31m", 0, 1.0), Duel("[b]x[/red]\x1b[31m")):
            run.screen.post_message(Told(about))
        warning = input_error("No", "[/red] cannot be written", where="/a/[b]")
        run.screen.post_message(Told(JournalFailed(warning)))
        await settled(run.pilot)
        await until(run, lambda: "[b]x[/red]" in screen_text(run.app))
        await shows(run, "! /a/[b]: [/red] cannot be written")
        assert "\x1b" not in screen_text(run.app)
        made.let_go.set()
        await until(run, lambda: run.screen.phase is Screen.DONE)


@piloted
async def test_what_cannot_begin_is_said_and_can_be_chosen_again() -> None:
    desk, _ = measuring_desk()

    def refuse(*_: Any) -> Revision:
        raise input_error("Nothing can be measured", "torch is missing")

    desk.measured = refuse
    async with running(ProbingScreen(), desk=desk) as run:
        await offered(run)
        await run.press("ctrl+s")
        await until(run, lambda: "torch is missing" in screen_text(run.app))
        assert run.screen.phase is Screen.CHOOSING


@piloted
async def test_help_and_palette_say_what_means_something_now() -> None:
    from advisor.tui.dialogs.help import HelpScreen

    desk, made = measuring_desk(waits_in=("threads",))
    async with running(ProbingScreen(), size=WIDE, desk=desk) as run:
        await offered(run)
        screen = run.screen
        assert [command.title for command in screen.commands()] == ["Measure: Begin"]
        await run.press("ctrl+s")
        await until(run, lambda: screen.state.current is not None)
        assert [command.title for command in screen.commands()] == [
            "Measure: Stop this probe",
            "Measure: Stop everything",
        ]
        await run.press("f1")
        assert isinstance(run.screen, HelpScreen)
        await shows(run, "x stops the probe under way", "Stop this probe; the next one goes on.")
        await run.press("escape")
        made.let_go.set()
        await until(run, lambda: screen.phase is Screen.DONE)
        assert [command.title for command in screen.commands()] == ["Measure: More"]


@piloted
async def test_what_says_nothing_here_is_left_out_with_the_reason() -> None:
    desk, _ = measuring_desk()
    async with running(ProbingScreen(), size=WIDE, desk=desk) as run:
        await offered(run)
        names = [option.value for option in run.screen.query_one(Ticks).options]
        assert "threads" in names
        assert "transfer" not in names
        await shows(run, "✗ Not here", "Device and Transfers to the card: There is no graphics")
