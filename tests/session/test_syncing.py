"""Training under several strategies for a plan: which trainings, and what counts of them. No process is started here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from advisor.agent.settling.scope import scope_of
from advisor.agent.strategies import STANDS_IN, learned_task
from advisor.children.stopping import STOPPED, Stop
from advisor.distributed.job import Job, Undone
from advisor.distributed.launching.results import Results
from advisor.distributed.task import Task
from advisor.errors import InputError
from advisor.facts.experiments import RUN_CONDITIONS
from advisor.facts.verdict import Verdict
from advisor.session import syncing
from advisor.session.inputs import Inputs, gather, plan_of
from advisor.session.syncing import Asked, Trained, job_of, trained
from tests.report.strategies_made import run_of

TABLE = [
    "task.kind=classify", "task.outputs=10", "data.modality=image", "data.inputs=64", "data.examples=1797",
    "project.pretrained_allowed=no", "machine.gpu.count=0",
]  # fmt: skip
"""A plan whose network is small enough to be trained here as it is."""
SECONDS = {"synchronous": 12.0, "local_sgd": 4.0, "asynchronous": 9.0}
"""In which the made-up loss falls to a third."""


@pytest.fixture
def inputs(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> Inputs:
    monkeypatch.setenv("ADVISOR_STATE", str(tmp_path))
    return told()


def told() -> Inputs:
    return gather(sets=TABLE, complain=no_complaint)


def no_complaint(title: str, what: str) -> None:
    raise AssertionError(f"{title}: {what}")


@pytest.fixture
def jobs(monkeypatch: pytest.MonkeyPatch) -> list[Job]:
    """Those that were to be run, by nobody."""
    found: list[Job] = []

    def run(job: Job, **_: object) -> Results:
        found.append(job)
        return Results(runs=tuple(run_of(str(one), seed, SECONDS[one.name]) for one, seed in job.runs))

    monkeypatch.setattr(syncing, "run", run)
    monkeypatch.setattr(syncing, "learned_task", on_data_of_their_own)
    return found


def on_data_of_their_own(*given: Any, **asked: Any) -> tuple[Task, tuple[str, ...]]:
    """The task as if somebody had named data for the plan's network."""
    task, _ = learned_task(*given, **asked)
    return task, ()


def sync(inputs: Inputs, seconds: float = 60.0, **asked: Any) -> Trained:
    return trained(inputs, Asked(**asked), seconds, complain=no_complaint)


def names(inputs: Inputs, listed: str | None) -> Sequence[str]:
    return job_of(plan_of(inputs), inputs, Asked(listed), 60.0)[0].strategies


def test_the_plans_own_strategy_is_trained_first_beside_its_rivals(inputs: Inputs) -> None:
    assert names(inputs, None) == ("synchronous", "local_sgd", "asynchronous", "delay_compensated")


def test_of_strategies_that_are_named_the_plans_own_comes_first(inputs: Inputs) -> None:
    assert names(inputs, "downpour, ddp, local_sgd:every=16, ddp") == ("synchronous", "downpour", "local_sgd:every=16")
    assert names(inputs, "downpour,local_sgd") == ("downpour", "local_sgd")


def test_all_of_the_time_is_shared_after_what_starting_takes(inputs: Inputs) -> None:
    job, _ = job_of(plan_of(inputs), inputs, Asked("synchronous,local_sgd", seeds=2, seed=5), 50.0)
    assert job.seeds == (5, 6)
    assert job.seconds == pytest.approx((50 - 10 - 4 * 0.7) / 4)


def test_the_plans_network_is_trained_with_its_batch_and_the_rate_that_is_asked_for(inputs: Inputs) -> None:
    plan = plan_of(inputs)
    usual, notes = job_of(plan, inputs, Asked(), 60.0)
    asked, _ = job_of(plan, inputs, Asked(batch=7, rate=0.3, workers=3), 60.0)
    assert usual.task.network == plan.value("network.type")
    assert usual.task.batch == plan.value("training.micro_batch")
    assert STANDS_IN not in notes
    assert (asked.task.batch, asked.task.rate, asked.workers) == (7, 0.3, 3)


@pytest.mark.parametrize("straggler", [0.5, float("nan"), float("inf")])
def test_a_straggler_that_is_none_is_refused(inputs: Inputs, straggler: float) -> None:
    with pytest.raises(InputError, match="straggler"):
        job_of(plan_of(inputs), inputs, Asked(straggler=straggler), 60.0)


def test_too_little_time_is_refused_with_what_would_do(inputs: Inputs) -> None:
    with pytest.raises(InputError, match=r"12 trainings of 1 s or more do not fit into 12 s"):
        job_of(plan_of(inputs), inputs, Asked(), 12.0)


def test_what_was_trained_counts_for_such_workers_on_this_machine_alone(inputs: Inputs, jobs: list[Job]) -> None:
    done = sync(inputs, strategies="local_sgd,synchronous,asynchronous")
    assert done.comparison is not None
    assert (done.comparison.reference, done.comparison.best.strategy) == ("synchronous", "local_sgd")
    (outcome,) = done.outcomes
    assert (outcome.verdict, outcome.before, outcome.after) == (Verdict.OVERTURNED, "synchronous", "local_sgd")
    assert outcome.bound_by == RUN_CONDITIONS
    assert inputs.machine is not None
    assert {name: outcome.applies[name] for name in ("nodes", "stragglers", "link_bytes_per_second", "machine")} == {
        "nodes": "2",
        "stragglers": "false",
        "link_bytes_per_second": "unlimited",
        "machine": inputs.machine.fingerprint,
    }
    assert done.plans is not None
    before, after = done.plans
    assert after.value("sync.strategy") == before.value("sync.strategy"), "one worker is planned, and two were tried"
    assert "local_sgd came to the same loss 3 times as fast as synchronous" in done.says


@pytest.mark.parametrize("asked", [{"straggler": 2.0}, {"latency": "5ms"}, {"rate": 0.001}], ids=str)
def test_with_settings_that_no_plan_has_nothing_counts(inputs: Inputs, jobs: list[Job], asked: dict[str, Any]) -> None:
    done = sync(inputs, strategies="synchronous,local_sgd", **asked)
    assert done.comparison is not None
    assert done.outcomes == ()
    assert any("nothing of it counts for the plan" in note for note in done.notes)


def test_later_plans_recall_it(inputs: Inputs, jobs: list[Job]) -> None:
    (outcome,) = sync(inputs, strategies="synchronous,local_sgd").outcomes
    assert outcome in told().outcomes
    assert sync(told(), strategies="synchronous,local_sgd").outcomes[0].before == "synchronous"


def test_examples_that_were_made_up_decide_nothing(
    inputs: Inputs, jobs: list[Job], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(syncing, "learned_task", learned_task)
    done = sync(inputs, strategies="synchronous,local_sgd")
    assert done.comparison is not None
    assert done.outcomes == ()
    assert any("made up" in note for note in done.notes)


def test_when_the_time_is_over_what_was_finished_is_shown(inputs: Inputs, monkeypatch: pytest.MonkeyPatch) -> None:
    def run(job: Job, *, stop: Stop, **_: object) -> Results:
        stop.this()
        return Results(runs=(run_of("synchronous", 0),), failed=STOPPED)

    monkeypatch.setattr(syncing, "run", run)
    done = sync(inputs, strategies="synchronous,local_sgd", seeds=2)
    assert done.results.failed == ""
    assert any("time was over" in note for note in done.notes)


def test_without_the_plans_own_strategy_nothing_counts(inputs: Inputs, jobs: list[Job]) -> None:
    done = sync(inputs, strategies="asynchronous,local_sgd")
    assert done.comparison is not None
    assert (done.own, done.outcomes) == (False, ())
    assert any("The plan's own strategy, synchronous, is not among these" in note for note in done.notes)
    assert told().outcomes == ()


def test_one_training_each_is_told_and_decides_nothing(inputs: Inputs, jobs: list[Job]) -> None:
    done = sync(inputs, strategies="synchronous,local_sgd", seeds=1)
    assert done.comparison is not None
    assert done.outcomes == ()
    assert "nothing was shown to be faster than synchronous; the next is local_sgd" in done.says


def test_strategies_without_a_run_for_each_seed_are_not_compared(
    inputs: Inputs, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(job: Job, **_: object) -> Results:
        runs = [run_of(str(one), seed, SECONDS[one.name]) for one, seed in job.runs]
        return Results(runs=tuple(runs[:-1]), undone=(Undone("asynchronous", 1, "The loss is no number."),))

    monkeypatch.setattr(syncing, "run", run)
    done = sync(inputs, strategies="synchronous,local_sgd,asynchronous", seeds=2)
    assert done.comparison is not None
    assert {one.strategy for one in done.comparison.standings} == {"synchronous", "local_sgd"}
    assert {run.strategy for run in done.compared_runs} == {"synchronous", "local_sgd"}
    assert "asynchronous, seed 1: The loss is no number." in done.notes


def test_too_few_trainings_are_said_and_nothing_is_kept(inputs: Inputs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        syncing, "run", lambda job, **_: Results(runs=(run_of("synchronous", 0),), failed="It was stopped.")
    )
    done = sync(inputs, strategies="synchronous,local_sgd", seeds=2)
    assert (done.comparison, done.outcomes, done.compared_runs) == (None, (), ())
    assert done.says == "1 of 4 trainings were finished: too few to compare strategies."
    assert told().outcomes == ()


def test_a_plan_for_another_machine_trains_nothing() -> None:
    with pytest.raises(InputError, match="another machine"):
        sync(gather(sets=TABLE, machine="none", complain=no_complaint))


def test_conditions_of_a_run_are_what_ran(inputs: Inputs, jobs: list[Job]) -> None:
    (outcome,) = sync(inputs, strategies="synchronous,local_sgd", workers=3, batch=16).outcomes
    assert (outcome.applies["nodes"], outcome.applies["worker_batch"]) == ("3", "16")
    assert set(RUN_CONDITIONS) <= set(outcome.applies)
    assert replace(outcome, applies={}) != outcome
    assert {**scope_of(plan_of(inputs), inputs.machine), **outcome.applies} == dict(outcome.applies)
