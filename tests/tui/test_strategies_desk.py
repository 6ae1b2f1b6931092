"""A desk and strategies: what was trained or simulated is kept for the conversation, and every failure is one that a screen can
say."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from advisor.agent.simulating import settled as settled_outcomes
from advisor.children.errors import CannotRunError
from advisor.children.stopping import STOPPED, Stop
from advisor.distributed.job import Job, Run
from advisor.distributed.launching.launch import Results
from advisor.errors import InputError
from advisor.session import simulating, simulating_plans, syncing
from advisor.session.desk import Desk
from advisor.session.simulating import Asked as Simulating
from advisor.session.syncing import Asked as Training
from advisor.session.syncing import Trained
from advisor.tui.screens.running.run_screen import Phase
from advisor.tui.screens.strategies.files import kinds_of
from advisor.tui.screens.strategies.strategies import StrategiesScreen, Way
from advisor.tui.widgets.mouse import Ticks
from tests.tui.desks import Desks, say
from tests.tui.measurements_made import DIGITS
from tests.tui.pilots import piloted, running, screen_text, settled
from tests.tui.strategies_made import compared_for_plan, done, run_of, simulated, trained
from tests.tui.waiting import until

FEW = Training(strategies="synchronous,local_sgd", seeds=1)


def conversing(desk_of: Desks, machine: str = "auto") -> Desk:
    """A conversation about pictures of digits."""
    desk = desk_of(machine)
    for name, text in DIGITS.items():
        say(desk, name, text)
    return desk


def nothing(event: object) -> None:
    """Listens to nothing."""


def test_what_would_be_trained_is_told_beforehand_and_not_for_another_machine(desk_of: Desks) -> None:
    job, notes = conversing(desk_of).trainings(FEW, 30.0)
    assert (job.strategies, job.workers, len(job.runs)) == (("synchronous", "local_sgd"), 2, 3)
    assert any(note.startswith("A small network learns") for note in notes), (
        "nobody knows how long a step of the plan takes here"
    )
    with pytest.raises(InputError, match="parsecs"):
        conversing(desk_of).trainings(Training(link="100 parsecs"), 120.0)
    with pytest.raises(InputError, match="another machine than this one"):
        conversing(desk_of, "none").trainings(FEW, 30.0)


def test_what_was_trained_is_kept_until_another_conversation_begins(
    desk_of: Desks, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = conversing(desk_of)
    job, _ = desk.trainings(FEW, 30.0)
    found = trained(job, [run_of(str(one), seed) for one, seed in job.runs])
    monkeypatch.setattr(syncing, "trained", lambda *_, **__: found)
    assert desk.train_strategies(FEW, 30.0, nothing, Stop()) is found
    assert desk.last_trained is found
    desk.begin_anew()
    assert desk.last_trained is None


@pytest.mark.parametrize(
    ("runs", "failed", "said"),
    [((), "Worker 2 was ended by signal 9 before training began.", "signal 9"), ((), "", STOPPED)],
)
def test_where_nothing_was_trained_that_is_an_error(
    desk_of: Desks, monkeypatch: pytest.MonkeyPatch, runs: tuple[Run, ...], failed: str, said: str
) -> None:
    desk = conversing(desk_of)
    job, _ = desk.trainings(FEW, 30.0)
    found = Trained(job, Results(runs=runs, failed=failed), None, ())
    monkeypatch.setattr(syncing, "trained", lambda *_, **__: found)
    with pytest.raises(InputError, match=said):
        desk.train_strategies(FEW, 30.0, nothing, Stop())
    assert desk.last_trained is None


def test_processes_that_cannot_be_started_are_an_error_too(desk_of: Desks, monkeypatch: pytest.MonkeyPatch) -> None:
    def cannot(*_: Any, **__: Any) -> Any:
        raise CannotRunError("No process could be started: Too many open files")

    monkeypatch.setattr(syncing, "trained", cannot)
    monkeypatch.setattr(simulating, "simulated", cannot)
    desk = conversing(desk_of)
    with pytest.raises(InputError, match="Nothing was trained\nNo process could be started"):
        desk.train_strategies(FEW, 30.0, nothing, Stop())
    with pytest.raises(InputError, match="Nothing was simulated\nNo process could be started"):
        desk.simulate_strategy(Simulating(), 30.0, nothing, Stop())


def test_a_simulation_is_kept_unless_it_was_stopped(desk_of: Desks, monkeypatch: pytest.MonkeyPatch) -> None:
    desk = conversing(desk_of, "none")
    asked = Simulating("asynchronous", workers=3, steps=5)
    scenario, notes = desk.cluster(asked)
    assert (scenario.workers, scenario.steps, scenario.strategy.name) == (3, 5, "asynchronous")
    found, stop = simulated(scenario, notes), Stop()
    monkeypatch.setattr(simulating, "simulated", lambda *_: found)
    assert desk.simulate_strategy(asked, 30.0, nothing, stop) is found
    assert desk.last_simulated is found
    stop.everything()
    with pytest.raises(InputError, match="stopped by hand"):
        desk.simulate_strategy(asked, 30.0, nothing, stop)


def test_what_is_compared_for_the_plan_is_kept_and_counts_for_it(
    desk_of: Desks, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = conversing(desk_of, "none")
    scenario, names, notes = desk.contest(Simulating())
    assert names[0] == "synchronous"
    assert notes[0] == f"The plan trains with one worker: what {scenario.workers} would do does not count for it."
    plan = desk.interview.plan()
    found = compared_for_plan(scenario, names, notes, plan)
    outcomes = tuple(settled_outcomes(plan, {}, "2026-01-01", found.comparison, found.sweep))
    assert outcomes
    monkeypatch.setattr(simulating_plans, "simulated_for_plan", lambda *_, **__: replace(found, outcomes=outcomes))
    desk.compare_for_plan(Simulating(), 30.0, nothing, Stop())
    assert desk.last_compared is not None
    assert desk.inputs.outcomes == outcomes
    desk.begin_anew()
    assert desk.last_compared is None


def test_the_files_of_what_was_found_are_those_of_the_command(desk_of: Desks) -> None:
    desk = conversing(desk_of, "none")
    found = compared_for_plan(*desk.contest(Simulating()), desk.interview.plan())
    one = simulated(*desk.cluster(Simulating(workers=2)))
    for shown, title, schema in (
        (found, "Simulated for the plan", "advisor/simulations/1"),
        (one, "Simulated: synchronous", "advisor/simulation/1"),
    ):
        page, document = (kind.make(desk.interview.plan(), desk.knowledge, desk) for kind in kinds_of(shown))
        assert title in str(page)
        assert json.loads(str(document))["schema"] == schema
    job, _ = conversing(desk_of).trainings(FEW, 30.0)
    assert kinds_of(trained(job, [])) == (), "too few trainings to compare"


def test_other_data_end_what_was_found(desk_of: Desks, tmp_path: Path) -> None:
    path = tmp_path / "flowers.csv"
    path.write_text("a,b,kind\n" + "".join(f"{n % 7},{n % 5},{'xy'[n % 2]}\n" for n in range(60)), encoding="utf-8")
    desk = conversing(desk_of)
    job: Job = desk.trainings(FEW, 30.0)[0]
    desk.last_trained = trained(job, [run_of(str(one), seed) for one, seed in job.runs])
    desk.use_data(desk.look_into(path, "kind"))
    assert desk.last_trained is None


@pytest.mark.thorough
def test_two_real_workers_train_under_two_strategies_and_the_screen_shows_it(desk_of: Desks) -> None:
    desk = conversing(desk_of)

    @piloted
    async def drive() -> None:
        async with running(StrategiesScreen(Way.TRAIN), size=(120, 40), desk=desk) as run:  # type: ignore[arg-type]
            screen = run.screen
            for name in ("asynchronous", "delay_compensated"):
                screen.query_one(Ticks).deselect(name)
            screen.query_one("#sync_seeds").value = "1"
            screen.query_one("#budget").value = 30.0
            await settled(run.pilot)
            await run.press("ctrl+s")
            await until(run, lambda: any(row.curve for row in screen.state.rows.values()))
            await until(run, lambda: screen.phase is Phase.DONE)
            await settled(run.pilot)
            shown = screen_text(run.app)
            assert "With 2 workers" in shown
            assert "the plan's own" in shown
        assert desk.last_trained is not None
        assert [run.strategy for run in desk.last_trained.results.runs] == ["synchronous", "local_sgd"]

    drive()


@pytest.mark.thorough
def test_a_real_simulation_of_a_few_workers_is_shown(desk_of: Desks) -> None:
    desk = conversing(desk_of, "none")

    @piloted
    async def drive() -> None:
        async with running(StrategiesScreen(Way.TRAIN), size=(120, 40), desk=desk) as run:  # type: ignore[arg-type]
            await run.press("f6")
            run.screen.query_one("#simulate_workers").value = "4"
            run.screen.query_one("#simulate_steps").value = "20"
            await settled(run.pilot)
            await done(run)
            assert "SIMULATED  synchronous: 4 workers, 20 steps each" in screen_text(run.app)

    drive()
