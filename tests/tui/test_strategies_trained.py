"""Strategies under way, and what came of them: workers that train as one looks on, stopping, results shown again."""

from __future__ import annotations

from typing import Any

import pytest
from textual.widgets import TabbedContent

from advisor.errors import input_error
from advisor.tui import theme
from advisor.tui.dialogs.help import JumpScreen
from advisor.tui.screens.running.run_screen import Phase
from advisor.tui.screens.strategies.done import TrainedPane
from advisor.tui.screens.strategies.strategies import StrategiesScreen, Way
from advisor.tui.widgets.losses import LossChart
from tests.tui.pilots import NARROW, WIDE, Running, piloted, running, screen_text, settled
from tests.tui.strategies_made import done, loss_at, strategies_desk
from tests.tui.test_appearance import faint_texts
from tests.tui.waiting import shows, until

# --- training --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [NARROW, WIDE], ids=["80x24", "120x40"])
def test_a_row_and_a_curve_for_each_strategy_come_while_it_runs(size: tuple[int, int]) -> None:
    @piloted
    async def test() -> None:
        desk = strategies_desk(waits=True)
        async with running(StrategiesScreen(Way.TRAIN), size=size, desk=desk) as run:
            screen = run.screen
            await run.press("ctrl+s")
            await until(run, lambda: len([row for row in screen.state.rows.values() if row.curve]) == 4)
            screen.changed = True
            screen.draw()
            await settled(run.pilot)
            await shows(run, "s left of 120 s", "Training 4 of 15: delay_compensated, seed 0")
            await shows(run, "A synchronous 1 of 3 5,125", "D ⟳ delay_compensated 0 of 3 5,000", "accuracy 0.931")
            await shows(run, "An exchange without any bytes takes 900 us", "Loss of the last batches")
            assert list(screen.query_one("#loss_live", LossChart).curves) == ["A", "B", "C", "D"]
            desk.made.let_go.set()
            await until(run, lambda: screen.phase is Phase.DONE)

    test()


@piloted
async def test_stopping_asks_first_and_keeps_what_is_finished() -> None:
    desk = strategies_desk(waits=True)
    async with running(StrategiesScreen(Way.TRAIN), desk=desk) as run:
        screen = run.screen
        await run.press("ctrl+s")
        await until(run, lambda: screen.state.began is not None and screen.state.began.number == 4)
        await run.press("escape")
        await shows(run, "Stop?", "Trainings that are finished are kept")
        await run.press("n")
        assert not screen.stop.all
        await run.press("x", "y")
        await until(run, lambda: screen.phase is Phase.DONE)
        await shows(run, "3 of 15 trainings were finished: too few to compare strategies.")
        await shows(run, "! It ended early: It was stopped by hand.", "A synchronous not compared 5,125")


@piloted
async def test_stopped_before_anything_is_trained_it_is_back_where_it_began() -> None:
    desk = strategies_desk(waits=True, undone=("synchronous", "local_sgd", "asynchronous"))
    async with running(StrategiesScreen(Way.TRAIN), desk=desk) as run:
        screen = run.screen
        await run.press("ctrl+s")
        await until(run, lambda: screen.state.began is not None and screen.state.began.number == 4)
        await run.press("x", "y")
        await until(run, lambda: screen.phase is Phase.CHOOSING)
        await shows(run, "Stopped before anything was finished.", "15 trainings")


@piloted
async def test_what_the_session_refuses_is_said_as_it_is_and_goes_when_another_run_begins() -> None:
    desk = strategies_desk()
    real = desk.made

    def refuse(*_: Any) -> Any:
        raise input_error("Nothing was trained", "Worker 2 was ended by signal 9", where="[/red]")

    desk.made = refuse  # type: ignore[assignment]
    async with running(StrategiesScreen(Way.TRAIN), desk=desk) as run:
        await run.press("ctrl+s")
        await shows(run, "✗ Nothing was trained: [/red]: Worker 2 was ended by signal 9", "15 trainings")
        desk.made = real
        await done(run)
        await run.press("m")
        await shows(run, "15 trainings")
        assert "signal 9" not in screen_text(run.app)


@piloted
async def test_whoever_quits_ends_the_workers() -> None:
    desk = strategies_desk(waits=True)
    async with running(StrategiesScreen(Way.TRAIN), desk=desk) as run:
        screen = run.screen
        await run.press("ctrl+s")
        await until(run, lambda: screen.state.began is not None and screen.state.began.number == 4)
        stop = screen.stop
        await run.pilot.press("ctrl+q")
    assert stop.all


# --- what came of it -------------------------------------------------------------------------------------------------


@piloted
async def test_the_answer_the_table_and_the_curves_are_seen_on_a_small_screen_at_once() -> None:
    async with running(StrategiesScreen(Way.TRAIN), size=NARROW, desk=strategies_desk()) as run:
        screen = await done(run)
        await shows(run, "With 2 workers, local_sgd came to the same loss 1.49 times as fast as synchronous")
        await shows(run, "B local_sgd 2.86 s 1.49 (1.49 to 1.5) 7,688 18%", "E synchronous 4.26 s the plan's own")
        await shows(run, "Loss on held-out examples, of the first seed")
        chart = screen.query_one("#loss_done", LossChart)
        assert chart.region.bottom <= screen.size.height - 1
        assert chart.curves["E"][-1] == (8.0, loss_at("synchronous", 0, 8.0)), "letters are those of the table"


@piloted
async def test_who_waited_and_what_it_rests_on_are_there_and_never_read_as_markup() -> None:
    async with running(StrategiesScreen(Way.TRAIN), size=WIDE, desk=strategies_desk(undone=("asynchronous",))) as run:
        screen = await done(run)
        await shows(run, "local_sgd came to the same loss 1.49 times as fast")
        await shows(run, "! asynchronous, 3 of 3 trainings: The loss is no number any more.")
        tabs = screen.query_one("#trained_tabs", TabbedContent)
        tabs.active = "tab_waited"
        await shows(run, "alone, seed 0", "Worker 1")
        screen.query_one(TrainedPane.Standings).focus()
        await run.press("down")
        await shows(run, "local_sgd, seed 0", "Worker 2", "█ computing, ▒ exchanging, · waiting")
        assert "The server" not in screen_text(run.app)
        screen.query_one(TrainedPane.Standings).focus()
        await run.press("down")
        await shows(run, "delay_compensated, seed 0", "The server", "median 1 updates, 95 % at most 2")
        tabs.active = "tab_rests"
        await shows(run, "The loss to reach is 0.4", "The link is only acted: [/red] is no markup.")
        await shows(run, "name yours with Data (d).")
        tabs.active = "tab_story"
        await shows(run, "TRAINED With 2 workers")
        screen.query_one("#trained_story").scroll_end(animate=False)
        await shows(run, "An all-reduce among n workers is counted as a ring")


@piloted
async def test_what_was_found_is_shown_again_and_a_key_begins_anew() -> None:
    desk = strategies_desk()
    async with running(StrategiesScreen(Way.TRAIN), desk=desk) as run:
        await done(run)
        await run.press("escape")
        await run.app.push_screen(StrategiesScreen())
        await settled(run.pilot)
        await shows(run, "Strategies that were trained", "local_sgd came to the same loss")
        await run.press("m")
        await shows(run, "15 trainings of 6.63 s", "f5 Last result")
        await run.press("f5")
        await shows(run, "local_sgd came to the same loss")
        await run.press("f6", "ctrl+s")
        await until(run, lambda: run.screen.phase is Phase.DONE)
        await shows(run, "A strategy that was simulated")
        await run.press("f6")
        await shows(run, "By the time to the same loss")
        await run.press("f6", "f5")
        await shows(run, "Strategies that were trained")
    assert len(desk.made.asked) == 1


# --- on every size ---------------------------------------------------------------------------------------------------


@pytest.mark.thorough
@piloted
async def test_it_follows_the_size_while_it_runs_and_afterwards() -> None:
    desk = strategies_desk(waits=True)
    async with running(StrategiesScreen(Way.TRAIN), size=WIDE, desk=desk) as run:
        screen = run.screen
        await run.press("ctrl+s")
        await until(run, lambda: screen.state.began is not None and screen.state.began.number == 4)
        for size in ((80, 24), (60, 18), (140, 50)):
            await run.pilot.resize_terminal(*size)
            await settled(run.pilot)
            await shows(run, "synchronous 1 of 3", "Loss of the last")
        desk.made.let_go.set()
        await until(run, lambda: screen.phase is Phase.DONE)
        for size, seen in (((80, 24), False), ((60, 18), False), ((140, 50), True)):
            await run.pilot.resize_terminal(*size)
            await settled(run.pilot)
            await shows(run, "local_sgd came to the same loss", "A local_sgd")
            assert ("accuracy 0.931" in screen_text(run.app)) is seen


@pytest.mark.thorough
@pytest.mark.parametrize("size", [NARROW, (140, 40)], ids=["80x24", "140x40"])
def test_every_text_can_be_read_in_both_themes_and_letters_that_jump_cover_no_word(size: tuple[int, int]) -> None:
    @piloted
    async def test() -> None:
        desk = strategies_desk(waits=True)
        async with running(StrategiesScreen(Way.TRAIN), size=size, desk=desk) as run:
            screen = run.screen
            await looked_at(run)
            await run.press("f6")
            await looked_at(run)
            await run.press("f6", "ctrl+s")
            await until(run, lambda: screen.state.began is not None and screen.state.began.number == 4)
            await looked_at(run)
            desk.made.let_go.set()
            await until(run, lambda: screen.phase is Phase.DONE)
            await looked_at(run)

    test()


@piloted
async def test_every_text_of_an_offer_and_of_a_result_can_be_read() -> None:
    async with running(StrategiesScreen(Way.TRAIN), size=WIDE, desk=strategies_desk()) as run:
        assert sorted(set(faint_texts(run.app))) == []
        await done(run)
        assert sorted(set(faint_texts(run.app))) == []


async def looked_at(run: Running) -> None:
    for colours in (theme.DARK, theme.LIGHT):
        run.app.theme = colours
        await settled(run.pilot)
        assert sorted(set(faint_texts(run.app))) == [], colours
    before = screen_text(run.app).splitlines()
    await run.press("ctrl+o")
    assert isinstance(run.screen, JumpScreen)
    covered = [before[place.region.y][place.region.x : place.region.x + 1] for place in run.screen.places.values()]
    assert covered
    assert not [text for text in covered if text.isalnum()]
    await run.press("escape")
