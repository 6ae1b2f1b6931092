"""The trial screen: data that can be tried, scores and training curves as they come, stopping, and what won."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from textual.widgets import Button, Input, Select, TabbedContent

from advisor.agent.trials.events import TrialsResumed
from advisor.agent.trials.state import MOST_CURVES, Trials
from advisor.errors import input_error
from advisor.inference.advise import VALUES_ONLY
from advisor.report.page import Look
from advisor.training.child.request import Began, Costly, EpochSeen, Note, Ready
from advisor.training.ladder.outcome import Metric, TrialResults
from advisor.training.ladder.trial_record import Kind, Stage
from advisor.tui.screens.data import DataScreen
from advisor.tui.screens.running.race import Race
from advisor.tui.screens.running.run_screen import Phase as Screen
from advisor.tui.screens.trying.done import in_the_plan
from advisor.tui.screens.trying.trying import TryingScreen
from advisor.tui.widgets.page_view import PageView
from tests.tui.measurements_made import rules
from tests.tui.pilots import NARROW, WIDE, piloted, running, screen_text, settled
from tests.tui.stand_in import StandIn
from tests.tui.trials_made import DATA, METRIC, OUTCOME, TRIALS, WINE, trying_desk
from tests.tui.waiting import shows, until

# --- choosing --------------------------------------------------------------------------------------------------------


@piloted
async def test_without_data_it_says_how_to_name_some_and_opens_the_picker() -> None:
    desk, made = trying_desk()
    desk.inspection = None
    async with running(TryingScreen(), desk=desk) as run:
        await shows(run, "Nothing can be tried without data.", "Point at your data (d)")
        assert run.screen.query_one("#begin", Button).disabled
        await run.press("ctrl+s")
        assert isinstance(run.app.screen, DataScreen) or any(
            isinstance(one, DataScreen) for one in run.app.screen_stack
        )
        assert made.asked == []


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"target": None, "task": None}, "No column to predict is chosen"),
        ({"task": "generate"}, "Trials can predict classes, numbers and forecasts;"),
    ],
)
def test_data_that_cannot_be_tried_are_refused_with_the_way_out(change: dict[str, Any], said: str) -> None:
    @piloted
    async def test() -> None:
        desk, _ = trying_desk()
        desk.inspection = replace(WINE, **change)
        async with running(TryingScreen(), desk=desk) as run:
            await shows(run, said)
            assert run.screen.query_one("#begin", Button).disabled

    test()


@piloted
async def test_it_says_what_will_be_tried_and_names_from_data_are_text() -> None:
    desk, _ = trying_desk()
    async with running(TryingScreen(), desk=desk) as run:
        await until(run, lambda: "Networks: ffn" in screen_text(run.app))
        await shows(run, "wine.csv", "178 examples; the target is [/red]kind", "! 12 rows appear twice.", "2 minutes")


# --- running ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [NARROW, WIDE])
def test_scores_and_training_curves_come_while_it_runs(size: tuple[int, int]) -> None:
    @piloted
    async def test() -> None:
        desk, made = trying_desk(waits=True)
        async with running(TryingScreen(), size=size, desk=desk) as run:
            run.screen.query_one("#budget", Select).value = 300.0
            await run.press("ctrl+s")
            await until(run, lambda: bool(run.screen.state.trainings))
            await settled(run.pilot)
            run.screen.draw()
            await settled(run.pilot)
            if size == WIDE:
                await shows(run, "Loss after each epoch of ffn 100")
            names = [lane.name for lane in run.screen.query_one(Race).lanes]
            best_first = ["random forest", "linear", "trivial", "ffn 100", "gradient boosting"]
            assert names == best_first, "the best first, then the one under way, failures last"
            await shows(
                run, "Training ffn 100 (networks)", "0.970 ± 0.010", "✗ failed: It crashed.", "s left of 300 s", "●"
            )
            await shows(run, "random forest leads; linear is level with it within noise.")
            await shows(run, "✓ a trivial guess (1)", "✓ simple models (3)", "⟳ networks", "· held-out examples")
            made.let_go.set()
            await until(run, lambda: run.screen.phase is Screen.DONE)
            assert made.asked == [300.0]

    test()


@piloted
async def test_who_wants_no_other_score_and_no_model_presses_one_key_and_who_does_writes_them() -> None:
    desk, _ = trying_desk()
    async with running(TryingScreen(), size=NARROW, desk=desk) as run:
        await shows(run, "Score:", "the usual one", "Save the winner in:", "no folder")
        await run.press("ctrl+s")
        await until(run, lambda: run.screen.phase is Screen.DONE)
        assert desk.wishes == (None, None)
    desk, _ = trying_desk()
    async with running(TryingScreen(), size=NARROW, desk=desk) as run:
        run.screen.query_one("#metric", Input).value = "roc_auc"
        run.screen.query_one("#save", Input).value = " ~/model "
        await run.press("ctrl+s")
        await until(run, lambda: run.screen.phase is Screen.DONE)
        assert desk.wishes == ("roc_auc", Path.home() / "model")


@piloted
async def test_what_could_be_chosen_before_cannot_be_pressed_while_it_runs() -> None:
    desk, made = trying_desk(waits=True)
    async with running(TryingScreen(), desk=desk) as run:
        await run.press("ctrl+s")
        await until(run, lambda: bool(run.screen.state.trainings))
        await run.press("enter", "tab", "enter")
        assert isinstance(run.screen, TryingScreen)
        made.let_go.set()
        await until(run, lambda: run.screen.phase is Screen.DONE)


@piloted
async def test_it_follows_the_size_while_it_runs() -> None:
    desk, made = trying_desk(waits=True)
    async with running(TryingScreen(), size=WIDE, desk=desk) as run:
        await run.press("ctrl+s")
        await until(run, lambda: "●" in screen_text(run.app))
        for size in ((80, 24), (60, 18), (140, 50)):
            await run.pilot.resize_terminal(*size)
            await settled(run.pilot)
            await shows(run, "random forest", *(["Loss after each epoch"] if size[0] >= 100 else []))
        made.let_go.set()
        await until(run, lambda: run.screen.phase is Screen.DONE)


@pytest.mark.parametrize("key", ["escape", "x"])
def test_stopping_asks_first_and_keeps_what_is_finished(key: str) -> None:
    @piloted
    async def test() -> None:
        desk, _ = trying_desk(waits=True)
        async with running(TryingScreen(), desk=desk) as run:
            await run.press("ctrl+s")
            screen = run.screen
            await until(run, lambda: bool(screen.state.trainings))
            await run.press(key)
            await shows(run, "Stop trying?", "What is finished is kept")
            await run.press("n")
            assert not screen.stop.all
            await run.press(key, "y")
            await until(run, lambda: screen.phase is Screen.DONE)

    test()


@piloted
async def test_stopped_before_anything_was_tried_it_is_back_where_it_began() -> None:
    desk, made = trying_desk(reads=True)
    async with running(TryingScreen(), desk=desk) as run:
        await run.press("ctrl+s")
        await until(run, lambda: bool(made.asked))
        await run.press("escape", "y")
        await until(run, lambda: run.screen.phase is Screen.CHOOSING)
        await shows(run, "Stopped before anything was tried.")


@piloted
async def test_what_the_data_refuse_is_said() -> None:
    desk, _ = trying_desk()

    def refuse(*_: Any) -> TrialResults:
        raise input_error("These data cannot be learnt from", "there is one class", where="[/red]")

    desk.tried = refuse
    async with running(TryingScreen(), desk=desk) as run:
        await run.press("ctrl+s")
        await until(run, lambda: run.screen.phase is Screen.CHOOSING)
        await shows(run, "✗ These data cannot be learnt from: [/red]: there is one class")


@piloted
async def test_whoever_quits_ends_the_trials() -> None:
    desk, _ = trying_desk(waits=True)
    async with running(TryingScreen(), desk=desk) as run:
        await run.press("ctrl+s")
        await until(run, lambda: bool(run.screen.state.trainings))
        stop = run.screen.stop
        await run.pilot.press("ctrl+q")
    assert stop.all


# --- afterwards ------------------------------------------------------------------------------------------------------


@piloted
async def test_afterwards_it_says_what_won_and_what_that_does_to_the_plan() -> None:
    desk, _ = trying_desk()
    async with running(TryingScreen(), size=WIDE, desk=desk) as run:
        await run.press("ctrl+s")
        await until(run, lambda: run.screen.phase is Screen.DONE)
        await shows(run, "ffn 100 and random forest cannot be told apart", "↻ 1 overturned ? 1 undecided")
        await shows(run, "on examples that selection never saw", "0.940 to 0.990")
        run.screen.query_one(TabbedContent).active = "tab_plan"
        await until(run, lambda: "what changes in the plan" in screen_text(run.app))
        await shows(
            run, "Network type: gradient_boosting -> ↻ overturned -> ffn", "ffn against gradient_boosting: 0.020 better"
        )
        await run.press("m")
        assert run.screen.phase is Screen.CHOOSING
        await run.press("escape")
        assert not isinstance(run.screen, TryingScreen)


@piloted
async def test_the_last_line_of_what_won_and_where_the_model_is_saved_are_seen_on_a_small_screen() -> None:
    desk, _ = trying_desk()
    desk.kept_in = "linear is saved in model. `advisor apply model` predicts with it."
    async with running(TryingScreen(), size=NARROW, desk=desk) as run:
        await run.press("ctrl+s")
        await until(run, lambda: run.screen.phase is Screen.DONE)
        await shows(run, "linear is saved in model. `advisor apply model` predicts with it.")
        await run.press("end")
        await shows(run, "advisor try --data /d/wine.csv --target kind --budget 10min")
        page = run.screen.query_one("#won", PageView)
        assert page.region.bottom < run.screen.size.height, "the keys stand below it"


@piloted
async def test_what_won_is_shown_again_until_other_data_are_named() -> None:
    desk, made = trying_desk()
    desk.last_tried = OUTCOME
    async with running(TryingScreen(), size=NARROW, desk=desk) as run:
        await shows(run, "ffn 100 and random forest cannot be told apart", "What won on your data")
        run.screen.query_one(TabbedContent).active = "tab_plan"
        await until(run, lambda: "what changes in the plan" in screen_text(run.app))
        await run.press("m")
        await shows(run, "Stages, as far as there is time")
    assert made.asked == []


def test_each_recommendation_that_moved_is_told_with_both_values() -> None:
    desk = StandIn(rules())
    for name, text in {"task.kind": "classify", "data.modality": "tabular"}.items():
        desk.interview.answer(name, text)
    before = desk.interview.plan(VALUES_ONLY)
    desk.interview.change("data.modality")
    desk.interview.answer("data.modality", "image")
    after = desk.interview.plan(VALUES_ONLY)
    page = in_the_plan(OUTCOME, before, after, rules(), Look(width=100))
    assert re.search(r"» Network type: .* -> cnn \(\w+\)", page)
    assert "Optimiser: adamw -> ? undecided -> adamw" in page


# --- as values -------------------------------------------------------------------------------------------------------


def told(*messages: object) -> Trials:
    state = Trials(60.0, lambda: 0.0)
    for message in messages:
        state.tell(message)
    return state


def test_each_fold_and_each_candidate_begins_a_curve_of_its_own() -> None:
    first, second = (Began(name, Stage.NETWORKS, 0, Kind.NETWORK) for name in ("a", "b"))
    state = told(first, EpochSeen(1, 0.9), EpochSeen(4, 0.5), EpochSeen(1, 0.8))
    assert state.curves == [[(1, 0.9), (4, 0.5)], [(1, 0.8)]]
    state.tell(second)
    assert len(state.curves) == 2, "the curves of the one before stay until there is another one"
    state.tell(EpochSeen(2, 0.7))
    assert (state.curves_of, state.curves) == ("b", [[(2, 0.7)]])


def test_only_the_newest_curves_are_drawn() -> None:
    state = told(Began("a", Stage.NETWORKS, 0, Kind.NETWORK), *(EpochSeen(1, float(fold)) for fold in range(30)))
    assert len(state.curves) == MOST_CURVES
    assert state.curves[-1] == [(1, 29.0)]


def test_smaller_errors_rank_first() -> None:
    state = told(
        Ready(DATA, Metric("rmse", "RMSE", 0.1, greater_is_better=False, task="forecast", in_units=True), 3),
        *(t for t in TRIALS if not t.failure),
    )
    assert next(row.name for row in state.ranked()) == "trivial"
    better = told(Ready(DATA, METRIC, 3), *TRIALS)
    assert next(row.name for row in better.ranked()) == "ffn 100"
    assert better.ranked()[-1].failure == "failed: It crashed."


def test_a_run_that_goes_on_counts_what_was_done() -> None:
    state = Trials(60.0, lambda: 5.0)
    state.tell(TrialsResumed(TRIALS[:2], 20.0, Ready(DATA, METRIC, 3)))
    assert (state.resumed, state.seconds_left, [row.name for row in state.ranked()]) == (2, 40.0, ["linear", "trivial"])


def test_what_is_left_out_and_noted_is_told() -> None:
    state = told(Costly("lstm 64", 90.0), Note("Texts were cut."))
    assert state.notes == ["lstm 64 is left out: its first trial would take about 90 s.", "Texts were cut."]


@piloted
async def test_the_table_of_what_won_is_never_read_as_markup() -> None:
    desk, _ = trying_desk()
    desk.tried = lambda *_: replace(OUTCOME, says="[/red] is [b]best[/b]\x1b[31m.")
    async with running(TryingScreen(), desk=desk) as run:
        await run.press("ctrl+s")
        await until(run, lambda: run.screen.phase is Screen.DONE)
        await shows(run, "[/red] is [b]best[/b]")
        assert "\x1b" not in screen_text(run.app)
