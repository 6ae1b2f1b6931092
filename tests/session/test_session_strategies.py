"""`advisor.Session.sync` and `.simulate`: the same as the commands do; one simulation of times is real, the rest stands in."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import advisor
from advisor.children.errors import CannotRunError
from advisor.children.stopping import STOPPED, Stop
from advisor.cli.app import program
from advisor.cli.commands.experiments import simulate as simulate_command
from advisor.cli.commands.experiments import sync as sync_command
from advisor.distributed.job import Began, Job, Message, Run
from advisor.distributed.launching.results import Results
from advisor.inference.plan import Status
from advisor.session import simulating, simulating_plans, syncing
from advisor.session.session import Wishes
from advisor.simulation.request import Progress
from advisor.simulation.result import Result
from advisor.simulation.scenario import Scenario
from advisor.simulation.timing import timing
from tests.report.strategies_made import run_of
from tests.session.test_simulating import CLUSTER
from tests.session.test_syncing import SECONDS, on_data_of_their_own

DIGITS = {
    "task.kind": "classify", "task.outputs": 10, "data.modality": "image", "data.inputs": 64, "data.examples": 1797,
    "project.pretrained_allowed": False, "machine.gpu.count": 0,
}  # fmt: skip
TWO = ("synchronous", "local_sgd")


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ADVISOR_STATE", str(tmp_path / "state"))


class AskedError(Exception):
    """Ends a command or a method as soon as it has said what it wants."""


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Everything that was asked for, by the command or by a session; nothing is done."""
    found: list[Any] = []

    def ends(inputs: Any, wishes: Any, *rest: Any, **_: Any) -> None:
        found.append(wishes)
        raise AskedError

    for module in (syncing, sync_command):
        monkeypatch.setattr(module, "trained", ends)
    for module, name in ((simulating, "simulated"), (simulating_plans, "simulated_for_plan")):
        monkeypatch.setattr(module, name, ends)
        monkeypatch.setattr(simulate_command, name, ends)
    return found


def command(*words: str) -> None:
    sets = [word for name, value in DIGITS.items() for word in ("--set", f"{name}={value}")]
    with pytest.raises(AskedError):
        program().main([*words, *sets], standalone_mode=False)


def trains(*done: Run | Began, failed: str = "") -> Callable[..., Results]:
    """A launcher that tells these messages, and nothing more; without any, of a training for each that is asked for."""

    def run(job: Job, *, hear: Callable[[Message], None], **_: object) -> Results:
        told = done or tuple(run_of(str(one), seed, SECONDS[one.name]) for one, seed in job.runs)
        for one in told:
            hear(one)
        return Results(runs=tuple(one for one in told if isinstance(one, Run)), failed=failed)

    return run


# --- the same as the commands ----------------------------------------------------------------------------------------


def test_sync_is_the_command_with_its_options(asked: list[Any]) -> None:
    command("sync")
    command("sync", "--strategies", "synchronous,local_sgd", "--workers", "3", "--link", "100Mbit/s", "--latency", "0.001s",
            "--straggler", "2", "--batch", "7", "--rate", "0.3", "--seeds", "2", "--seed", "5")  # fmt: skip
    session = advisor.Session(DIGITS)
    with pytest.raises(AskedError):
        session.sync()
    with pytest.raises(AskedError):
        session.sync(
            strategies=TWO, workers=3, link="100Mbit/s", latency=0.001, straggler=2, batch=7, rate=0.3, seeds=2, seed=5
        )
    assert asked[0] == asked[2]
    assert asked[1] == asked[3]


def test_simulate_is_the_command_with_its_options(asked: list[Any], tmp_path: Path) -> None:
    command("simulate")
    command("simulate", "--strategy", "diloco", "--workers", "9", "--steps", "30", "--batch", "4", "--step-time", "constant:1s",
            "--link", "inf", "--latency", "0.002s", "--straggler", "2", "--overlap", "0.5", "--failures", "7200s", "--restart",
            "2min", "--checkpoint", "60s", "--checkpoint-cost", "1s", "--timing-only", "--seed", "3", "--cluster",
            str(tmp_path))  # fmt: skip
    session = advisor.Session(DIGITS)
    with pytest.raises(AskedError):
        session.simulate()
    with pytest.raises(AskedError):
        session.simulate(
            "diloco", workers=9, steps=30, batch=4, step_time="constant:1s", link=float("inf"), latency=0.002, straggler=2,
            overlap=0.5, failures=7200, restart="2min", checkpoint=60, checkpoint_cost="1s", loss=False, seed=3,
            cluster=str(tmp_path),
        )  # fmt: skip
    assert asked[0] == asked[2]
    assert asked[1] == asked[3]


def test_every_wish_for_a_simulation_has_a_name_here() -> None:
    wishes = {field.name for field in dataclasses.fields(simulating.Asked)} - {"strategy"}
    assert set(Wishes.__annotations__) == wishes | {"stop"}


# --- trained ---------------------------------------------------------------------------------------------------------


def test_trainings_are_told_as_they_come_and_count_from_then_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(syncing, "run", trains())
    monkeypatch.setattr(syncing, "learned_task", on_data_of_their_own)
    heard: list[Message] = []
    session = advisor.Session(DIGITS)
    done = session.sync("60s", heard.append, strategies=TWO, seeds=3)
    assert heard == list(done.results.runs)
    assert done.comparison is not None
    assert done.comparison.best.strategy == "local_sgd"
    (outcome,) = done.outcomes
    assert session.inputs.outcomes[-1] == outcome
    assert outcome in advisor.Session(DIGITS).inputs.outcomes, "later sessions count it too"
    shown = done._repr_html_()
    assert "<p>With 2 workers, local_sgd came to the same loss 3 times as fast as synchronous" in shown
    assert "<tr><td>synchronous</td>" in shown


def test_a_worker_that_is_lost_is_a_warning_and_what_was_finished_comes_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(syncing, "run", trains(run_of("synchronous", 0), failed="Worker 2 ended with code 1."))
    with pytest.warns(advisor.AdvisorWarning, match=r"A training ended early: Worker 2 ended with code 1\."):
        done = advisor.Session(DIGITS).sync("60s", strategies=TWO)
    assert done.comparison is None
    assert [run.strategy for run in done.results.runs] == ["synchronous"]
    assert done._repr_html_() == f"<p>{done.says}</p>"


def test_somebody_stops_it_and_no_warning_says_so_again(monkeypatch: pytest.MonkeyPatch, recwarn: Any) -> None:
    stop = Stop()
    monkeypatch.setattr(syncing, "run", trains(run_of("synchronous", 0), failed=STOPPED))
    done = advisor.Session(DIGITS).sync("60s", lambda _: stop.everything(), strategies=TWO, stop=stop)
    assert len(done.results.runs) == 1
    assert not [one for one in recwarn if issubclass(one.category, advisor.AdvisorWarning)]


def test_where_nothing_was_trained_an_error_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(syncing, "run", trains(Began("synchronous", 0, 1, 6), failed="The server did not answer."))
    with pytest.raises(advisor.InputError, match=r"Nothing was trained\nThe server did not answer\."):
        advisor.Session(DIGITS).sync("60s", strategies=TWO)


def test_whatever_a_listener_raises_reaches_the_caller(monkeypatch: pytest.MonkeyPatch) -> None:
    def raises(_: Message) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(syncing, "run", trains())
    with pytest.raises(KeyboardInterrupt):
        advisor.Session(DIGITS).sync("60s", raises, strategies=TWO)


def test_all_wrong_numbers_are_told_at_once_by_their_names() -> None:
    with pytest.raises(advisor.InputError) as caught:
        advisor.Session(DIGITS).sync(workers=0, batch=0, seeds=21, seed=-1)
    assert [problem.where for problem in caught.value.problems] == ["workers", "batch", "seeds", "seed"]
    assert "seeds: 21 is no whole number from 1 to 20" in str(caught.value)


# --- simulated -------------------------------------------------------------------------------------------------------


def test_a_simulation_tells_its_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    def simulate(scenario: Scenario, task: object, *, tell: Callable[[float], None], **_: object) -> Result:
        tell(0.25)
        tell(1.0)
        return timing(scenario)

    monkeypatch.setattr(simulating, "simulate", simulate)
    heard: list[Progress] = []
    found = advisor.Session(CLUSTER, machine="none").simulate(
        "local_sgd:every=4", on_event=heard.append, steps=4, link=1e6
    )
    assert heard == [Progress(0.25), Progress(1.0)]
    assert (found.result.strategy, found.scenario.workers) == ("local_sgd:every=4", 8)
    assert found.scenario.link.bytes_per_second == 1e6
    assert "<p>local_sgd:every=4: 8 workers, 4 steps each" in found._repr_html_()
    assert "<tr><td>examples/s</td>" in found._repr_html_()


def test_what_is_simulated_for_the_plan_counts_from_then_on() -> None:
    session = advisor.Session(CLUSTER, machine="none")
    found = session.simulate(loss=False)
    assert session.plan().to_json() == found.after.to_json()
    assert session.plan().recommendations["parallelism.strategy"].status is Status.SIMULATED
    assert "<th>workers</th>" in found._repr_html_()
    assert "<tr><td>8</td>" in found._repr_html_()


def test_what_takes_too_long_or_is_stopped_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    session, stop = advisor.Session(CLUSTER, machine="none"), Stop()
    stop.everything()
    with pytest.raises(advisor.InputError, match=r"Nothing was simulated\nIt was stopped"):
        session.simulate("synchronous", steps=2, stop=stop)

    def late(*_: object, **__: object) -> Result:
        raise CannotRunError("The simulation was not done within 1 seconds: take fewer workers or steps.")

    monkeypatch.setattr(simulating, "simulate", late)
    with pytest.raises(advisor.InputError, match="not done within 1 seconds"):
        session.simulate("synchronous", "1s", steps=2)


def test_a_name_that_is_none_is_refused() -> None:
    with pytest.raises(advisor.InputError, match="Did you mean local_sgd"):
        advisor.Session(CLUSTER, machine="none").simulate("localsgd")
