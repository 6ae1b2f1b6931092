"""The screen of strategies: the way there, what can be chosen and what cannot, and a simulation."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from textual.widgets import Button, Input, Select, TabbedContent

from advisor.distributed.job import Began, Progress, Undone
from advisor.session.simulating import Asked as Simulating
from advisor.tui.dialogs.help import HelpScreen
from advisor.tui.screens.data import DataScreen
from advisor.tui.screens.interview.interview import InterviewScreen
from advisor.tui.screens.running.run_screen import Phase
from advisor.tui.screens.strategies.compared import ComparedPane
from advisor.tui.screens.strategies.fields import Field, without_options
from advisor.tui.screens.strategies.forms import NAMES, SimulationForm
from advisor.tui.screens.strategies.state import Planned, Strategies
from advisor.tui.screens.strategies.strategies import StrategiesScreen, Way
from advisor.tui.widgets.losses import LossChart
from advisor.tui.widgets.mouse import Ticks
from tests.tui.measurements_made import rules
from tests.tui.pilots import NARROW, WIDE, Running, piloted, running, screen_text, settled
from tests.tui.stand_in import StandIn
from tests.tui.strategies_made import done, strategies_desk
from tests.tui.trials_made import WINE
from tests.tui.waiting import shows, until

TREES = {
    "task.kind": "classify", "data.modality": "tabular", "data.examples": "500", "task.outputs": "3", "data.inputs": "9"
}  # fmt: skip
"""Answers whose plan is no network."""


async def write(run: Running, name: str, text: str) -> None:
    run.screen.query_one(f"#{name}", Input).value = text
    await settled(run.pilot)


def begins(screen: Any) -> str:
    return str(screen.query_one("#begin", Button).label)


# --- the way there ---------------------------------------------------------------------------------------------------


@piloted
async def test_keys_and_the_palette_open_it_from_a_plan_that_is_a_network_and_the_help_names_them() -> None:
    async with running(InterviewScreen(), size=(120, 70), desk=strategies_desk()) as run:
        assert "Strategies: Compare" in [command.title for command in run.app.get_system_commands(run.screen)]
        await run.press("f6")  # from the line of the answer to the plan
        for key in ("ctrl+y", "y"):
            await run.press(key)
            assert isinstance(run.screen, StrategiesScreen), key
            await run.press("escape")
            assert isinstance(run.screen, InterviewScreen)
        await run.press("f1")
        assert isinstance(run.screen, HelpScreen)
        await shows(run, "Compare ways in which several workers learn.")


@piloted
async def test_trees_are_not_trained_by_several_workers() -> None:
    desk = StandIn(rules())
    for name, text in TREES.items():
        desk.interview.answer(name, text)
    async with running(InterviewScreen(), desk=desk) as run:
        assert "Strategies: Compare" not in [command.title for command in run.app.get_system_commands(run.screen)]
        await run.press("ctrl+y")
        assert isinstance(run.screen, InterviewScreen)


def test_every_entry_of_its_palette_names_an_action_and_every_key_says_what_it_does() -> None:
    for _, _, action in StrategiesScreen.PALETTE:
        assert callable(getattr(StrategiesScreen, f"action_{action}"))
    assert all(binding.id and binding.tooltip.endswith(".") for binding in StrategiesScreen.BINDINGS)  # type: ignore[union-attr]


# --- choosing --------------------------------------------------------------------------------------------------------


@piloted
async def test_the_plans_own_strategy_and_its_rivals_are_offered_with_how_much_that_is() -> None:
    async with running(StrategiesScreen(Way.TRAIN), desk=strategies_desk()) as run:
        await shows(
            run,
            "synchronous, the plan's own",
            "15 trainings of 6.63 s: 4 strategies and one worker alone, 3 times each.",
        )
        await shows(run, "2 workers learn", "each in batches of 128 examples.")
        assert "--" not in screen_text(run.app), "options of the command line help nobody here"
        run.screen.query_one("#budget", Select).value = 300.0
        await shows(run, "15 trainings of 18.6 s")


@piloted
async def test_what_is_highlighted_or_written_in_is_explained() -> None:
    async with running(StrategiesScreen(Way.TRAIN), size=WIDE, desk=strategies_desk()) as run:
        assert isinstance(run.app.focused, Ticks)
        await run.press("down")
        await shows(
            run, "local_sgd: Each worker takes several steps of its own, then all average", "Settings: every=8."
        )
        run.screen.query_one("#sync_link").focus()
        await settled(run.pilot)
        await shows(run, "Rate of each worker's link, such as 100Mbit/s")
        await run.press("f1")
        await shows(run, "What has the focus", "Link: Rate of each worker's link")


@piloted
async def test_what_is_asked_for_is_what_is_written_with_the_plans_own_first() -> None:
    desk = strategies_desk()
    async with running(StrategiesScreen(Way.TRAIN), desk=desk) as run:
        ticks = run.screen.query_one(Ticks)
        for name in ("local_sgd", "asynchronous"):
            ticks.deselect(name)
        written = {"workers": "3", "link": "100Mbit/s", "latency": "2ms", "straggler": "1.5", "seeds": "2"}
        for name, text in {**written, "others": "local_sgd:every=16"}.items():
            await write(run, f"sync_{name}", text)
        await done(run)
        [(asked, seconds)] = desk.made.asked
        assert asked.strategies == "synchronous,delay_compensated,local_sgd:every=16"
        assert (asked.workers, asked.link, asked.latency) == (3, "100Mbit/s", "2ms")
        assert (asked.straggler, asked.seeds, seconds) == (1.5, 2, 120.0)


@piloted
async def test_everything_that_is_wrong_is_said_at_once_and_nothing_begins() -> None:
    desk = strategies_desk()
    async with running(StrategiesScreen(Way.TRAIN), size=WIDE, desk=desk) as run:
        for name, text in {"workers": "9", "link": "[/red]", "straggler": "", "others": "local_sdg"}.items():
            await write(run, f"sync_{name}", text)
        await shows(run, "✗ This cannot be trained: Workers: '9'. It must lie between 2 and 4 workers.")
        await shows(run, "[/red]", "Straggler: nothing is written there.", "Did you mean local_sgd?")
        await run.press("ctrl+s")
        assert run.screen.phase is Phase.CHOOSING
        assert desk.made.asked == []
        for name, text in {"workers": "4", "link": "", "straggler": "2", "others": ""}.items():
            await write(run, f"sync_{name}", text)
        await shows(run, "15 trainings of 6.63 s")
        assert "✗" not in screen_text(run.app)


@piloted
async def test_too_little_time_is_said_in_the_words_of_the_screen() -> None:
    async with running(StrategiesScreen(Way.TRAIN), desk=strategies_desk()) as run:
        run.screen.query_one("#budget", Select).value = 30.0
        await shows(run, "✗ There is too little time: Time: 12 trainings", "or fewer Strategies, Seeds or Workers.")


@piloted
async def test_the_examples_can_be_pointed_at_and_are_then_those_that_are_learned() -> None:
    desk = strategies_desk()
    async with running(StrategiesScreen(Way.TRAIN), desk=desk) as run:
        await run.press("d")
        assert any(isinstance(one, DataScreen) for one in run.app.screen_stack)
        await run.press("escape")
        desk.inspection = WINE
        run.screen.introduce()
        await settled(run.pilot)
        assert "made up" not in screen_text(run.app)


@piloted
async def test_one_strategy_alone_is_compared_with_nothing() -> None:
    async with running(StrategiesScreen(Way.TRAIN), desk=strategies_desk()) as run:
        for name in ("local_sgd", "asynchronous", "delay_compensated"):
            run.screen.query_one(Ticks).deselect(name)
        await shows(run, "Strategies: only synchronous is ticked. Tick another one to compare it with.")
        run.screen.query_one(Ticks).deselect("synchronous")
        await write(run, "sync_others", "diloco")
        await shows(run, "9 trainings")


@piloted
async def test_for_another_machine_nothing_is_trained_but_much_is_simulated() -> None:
    desk = strategies_desk()
    desk.here = False
    async with running(StrategiesScreen(Way.TRAIN), desk=desk) as run:
        await shows(run, "✗ Nothing can be trained: the plan is for another machine than this one.")
        await run.press("f6")
        await shows(run, "synchronous: 8 workers, 200 steps each, of 128 examples")
        assert "✗" not in screen_text(run.app)


# --- comparing for the plan ------------------------------------------------------------------------------------------


@piloted
async def test_the_first_way_compares_strategies_for_the_plan_and_enter_begins_it() -> None:
    desk = strategies_desk()
    async with running(StrategiesScreen(), desk=desk) as run:
        assert run.screen.way is Way.COMPARE
        await shows(run, "8 workers: 8 strategies, 5 times each; and 1 to 8 workers for the same batch.")
        await shows(run, "By the time to the same loss: synchronous, local_sgd,")
        await shows(run, "The plan trains with one worker: what 8 would do does not count for it.")
        assert "--" not in screen_text(run.app), "options of the command line help nobody here"
        await run.press("enter")
        await until(run, lambda: run.screen.phase is Phase.DONE)
        assert desk.simulations == [Simulating()]
        await shows(run, "Strategies for this plan, simulated", "local_sgd came to the same loss 1.5 times as fast")


@piloted
async def test_with_other_workers_other_links_and_other_steps_it_is_compared_too() -> None:
    desk = strategies_desk()
    async with running(StrategiesScreen(), desk=desk) as run:
        for name, text in {"workers": "x", "step_time": "fast", "link": "10 parsecs"}.items():
            await write(run, f"compare_{name}", text)
        await shows(run, "✗ This cannot be simulated: Workers: 'x'", "Step time: 'fast'", "Link: the unit 'parsecs'")
        for name, text in {"workers": "200", "step_time": "constant:20ms", "link": "1 Gbit/s"}.items():
            await write(run, f"compare_{name}", text)
        await shows(run, "200 workers: 1 to 200 workers for the same batch.")
        await done(run)
        assert desk.simulations == [Simulating(workers=200, step_time="constant:20ms", link="1 Gbit/s")]
        assert not run.screen.query_one(ComparedPane.Ranks).display, "losses are simulated of fewer workers"
        await shows(run, "This does not change your plan.")


@piloted
async def test_what_was_compared_is_read_in_four_tabs_and_saved_as_a_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    async with running(StrategiesScreen(), size=NARROW, desk=strategies_desk()) as run:
        screen = await done(run)
        await shows(run, "A local_sgd 4.91 s 1.5 (1.49 to 1.51)", "before -> simulated -> after")
        tabs = screen.query_one("#compared_tabs", TabbedContent)
        tabs.active = "tab_waits"
        await run.press("down")
        await shows(run, "asynchronous: 12% of the workers' time", "█ computing, ▒ exchanging, · waiting")
        tabs.active = "tab_whole"
        await shows(run, "SIMULATED FOR THE PLAN")
        assert screen.query_one("#loss_compared", LossChart).curves["A"]
        await run.press("s", "ctrl+s")
        await shows(run, "✓ Saved: Page as HTML")
        assert "Simulated for the plan" in (tmp_path / "strategies.html").read_text(encoding="utf-8")


# --- simulating ------------------------------------------------------------------------------------------------------


@piloted
async def test_a_simulation_is_of_the_plan_with_what_is_written_in_its_place() -> None:
    desk = strategies_desk()
    async with running(StrategiesScreen(Way.TRAIN), size=NARROW, desk=desk) as run:
        await run.press("f6")
        assert run.screen.way is Way.SIMULATE
        assert begins(run.screen) == "Simulate"
        await shows(run, "Nothing is known of the time of a step: 1 s is assumed. Write it with Step time.")
        written = {
            "strategy": "local_sgd:every=4",
            "workers": "1,000",
            "steps": "50",
            "step_time": "lognormal:20ms:0.3",
        }
        for name, text in {**written, "link": "10 Gbit/s", "straggler": "2"}.items():
            await write(run, f"simulate_{name}", text)
        await shows(run, "local_sgd:every=4: 1,000 workers, 50 steps each, of 128 examples")
        await done(run)
        [asked] = desk.simulations
        assert (asked.strategy, asked.workers, asked.steps, asked.straggler) == ("local_sgd:every=4", 1000, 50, 2.0)
        assert (asked.step_time, asked.link, asked.latency) == ("lognormal:20ms:0.3", "10 Gbit/s", "0s")
        await shows(run, "SIMULATED local_sgd:every=4: 1,000 workers", "examples/s", "1,234", "WHO WAITS FOR WHOM")
        run.screen.query_one("#simulated").scroll_end(animate=False)
        await shows(run, "Not [b]known[/b]: write it with Link.")


@piloted
async def test_what_cannot_be_simulated_is_said_in_the_words_of_the_screen() -> None:
    desk = strategies_desk()
    async with running(StrategiesScreen(Way.TRAIN), size=WIDE, desk=desk) as run:
        await run.press("f6")
        for name, text in {"strategy": "asynchronos", "workers": "20k", "step_time": "fast", "latency": "x"}.items():
            await write(run, f"simulate_{name}", text)
        await shows(run, "✗ This cannot be simulated: Workers: '20k'. It must lie between 1 and 10000 workers.")
        await shows(
            run, "Strategy: asynchronos. Did you mean asynchronous?", "Step time: 'fast' names no distribution."
        )
        await shows(run, "Latency: 'x'.")
        await run.press("ctrl+s")
        assert desk.simulations == []
        for name, text in {"strategy": "pipeline:stages=3", "workers": "4", "step_time": "", "latency": "0"}.items():
            await write(run, f"simulate_{name}", text)
        await shows(run, "4 workers cannot be divided into pipelines of 3 stages.")


EXCHANGED = {"inner_link": "100 Gbit/s", "servers": "4", "precision": "bf16", "activations": "800kB"}


@piloted
async def test_a_simulation_has_the_format_the_servers_and_the_links_that_are_written() -> None:
    desk = strategies_desk()
    async with running(StrategiesScreen(Way.SIMULATE), size=NARROW, desk=desk) as run:
        for name, text in {"strategy": "mixed_asynchronous", **EXCHANGED}.items():
            await write(run, f"simulate_{name}", text)
        await done(run)
    [asked] = desk.simulations
    assert {name: str(getattr(asked, name)) for name in EXCHANGED} == EXCHANGED


@piloted
async def test_wrong_formats_servers_and_sizes_are_named_as_on_the_screen() -> None:
    desk = strategies_desk()
    async with running(StrategiesScreen(Way.SIMULATE), size=WIDE, desk=desk) as run:
        for name, text in {"inner_link": "much", "servers": "0", "precision": "fp7", "activations": "some"}.items():
            await write(run, f"simulate_{name}", text)
        await shows(run, "Servers: '0'.", "Inner link: 'much'.", "Precision: 'fp7'.", "Activations: 'some'.")
        await run.press("ctrl+s")
        assert desk.simulations == []


@piloted
async def test_every_line_of_a_simulation_and_its_help_fit_into_80_columns_and_24_lines() -> None:
    async with running(StrategiesScreen(Way.SIMULATE), size=NARROW, desk=strategies_desk()) as run:
        form = run.screen.query_one(SimulationForm)
        for field in form.query(Field):
            field.query_one(Input).focus()
            await settled(run.pilot)
            shown = " ".join(screen_text(run.app).split())
            assert all(f"{one.line.label} " in shown for one in form.query(Field))
            help_line = run.screen.query_one("#simulate_help")
            column = help_line.parent
            assert column is not None
            assert help_line.region.bottom <= column.region.bottom, field.line.name
            assert help_line.region.height > 0


@piloted
async def test_a_simulation_can_be_stopped_and_tells_nothing_then() -> None:
    desk = strategies_desk(simulation_waits=True)
    async with running(StrategiesScreen(Way.TRAIN), desk=desk) as run:
        screen = run.screen
        await run.press("f6", "ctrl+s")
        await until(run, lambda: bool(desk.simulations))
        await shows(run, "Simulating synchronous: 8 workers, 200 steps each", "25% done")
        await run.press("x", "y")
        await until(run, lambda: screen.phase is Phase.CHOOSING)
        await shows(run, "Stopped before anything was finished.", "synchronous: 8 workers")
        assert screen.way is Way.SIMULATE


# --- as values -------------------------------------------------------------------------------------------------------


def told(*events: Any) -> Strategies:
    state = Strategies(60.0, lambda: 0.0)
    for event in (Planned(("synchronous", "local_sgd"), 2), *events):
        state.tell(event)
    return state


def test_each_training_begins_a_curve_of_its_own() -> None:
    first = (
        Began("local_sgd", 0, 1, 4),
        Progress("local_sgd", 0, 1.0, 100, 4, 2.0),
        Progress("local_sgd", 0, 2.0, 300, 8, 1.5),
    )
    state = told(*first)
    row = state.rows["local_sgd"]
    assert (row.curve, row.examples_per_s, row.loss) == ([(1.0, 2.0), (2.0, 1.5)], 150.0, 1.5)
    state.tell(Began("local_sgd", 1, 2, 4))
    assert row.curve == []


def test_what_gave_no_numbers_is_counted_and_noted_once() -> None:
    lost = Undone("local_sgd", 0, "The loss is no number any more.")
    state = told(Began("local_sgd", 0, 1, 4), lost, lost)
    assert state.rows["local_sgd"].undone == 2
    assert state.notes == ["✗ local_sgd, seed 0: The loss is no number any more."]


def test_it_says_what_is_under_way() -> None:
    assert told().doing == "Starting the processes and reading the examples ..."
    assert told(Began("local_sgd", 1, 3, 4)).doing == "Starting the processes and reading the examples ..."


def test_options_of_the_command_line_become_names_of_lines() -> None:
    said = "Give 60 s or more, or fewer --strategies or --seeds; see --unheard-of."
    assert without_options(said, NAMES) == "Give 60 s or more, or fewer Strategies or Seeds; see --unheard-of."


def test_a_loss_that_is_no_number_is_not_drawn() -> None:
    chart = LossChart("Loss")
    chart.refresh = lambda *_, **__: chart  # type: ignore[method-assign]  # no screen
    chart.show({"A": [(1.0, 2.0), (2.0, float("nan"))], "B": [(1.0, float("inf"))]})
    assert chart.curves == {"A": [(1.0, 2.0)]}
