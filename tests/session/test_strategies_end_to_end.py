"""From answers and data to a plan that strategies have decided: trained by real workers, simulated with real gradients.

Two machines with one core each train a network on handwritten digits, a sample of twenty million pictures.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy
import pytest
from sklearn.datasets import load_digits

from advisor.agent import simulating as questions
from advisor.agent.settling.scope import scope_of
from advisor.agent.settling.workloads import step_of
from advisor.distributed.job import Job
from advisor.distributed.launching.results import Results
from advisor.facts.fact_base import Source
from advisor.facts.verdict import Verdict
from advisor.inference.plan import Plan, Status
from advisor.probes.outcome import Outcome, SettingRecord
from advisor.session import simulating_plans, syncing
from advisor.session.inputs import Inputs, gather, plan_of
from advisor.session.simulating import Asked
from tests.report.strategies_made import run_of
from tests.session.test_simulating import no_complaint

ANSWERS = {
    "project.pretrained_allowed": "no", "data.examples": "20000000", "machine.gpu.count": "0", "machine.cpu.usable_cores": "1",
    "cluster.nodes": "2", "cluster.network_bytes_per_second": "100 Mbit/s", "training.batch_size": "16",
}  # fmt: skip
SECONDS = {"alone": 30.0, "synchronous": 12.0, "local_sgd": 4.0}
"""In which a made-up loss falls to a third."""


@pytest.fixture
def digits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ADVISOR_STATE", str(tmp_path / "state"))
    path, found = tmp_path / "digits.npz", load_digits()
    numpy.savez(path, x=found.images.astype("uint8"), y=found.target)
    return path


def told(data: Path, **others: str) -> Inputs:
    stated = ANSWERS | {name.replace("__", "."): value for name, value in others.items()}
    return gather(sets=[f"{name}={value}" for name, value in stated.items()], data=data, complain=no_complaint)


def trained(data: Path, seconds: float, **others: Any) -> syncing.Trained:
    asked = syncing.Asked("synchronous,local_sgd", link="100Mbit/s", **others)
    return syncing.trained(told(data), asked, seconds, complain=no_complaint)


def changed(plan: Plan) -> tuple[object, Status]:
    entry = plan.recommendations["sync.strategy"]
    return entry.value, entry.status


def is_shown(data: Path, outcome: Outcome, status: Status) -> None:
    """Later plans from the same answers have what was found, as it was before and as it is now."""
    plan = plan_of(told(data))
    measured = plan.recommendations["sync.strategy"].measured
    assert measured is not None
    assert (measured.before, measured.verdict, measured.fact) == ("synchronous", outcome.verdict, "")
    if outcome.verdict in (Verdict.CONFIRMED, Verdict.OVERTURNED):
        assert changed(plan) == (outcome.after, status)


def test_what_workers_like_the_plans_have_shown_is_measured_and_counts_for_the_same_data_alone(
    digits: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(job: Job, **_: object) -> Results:
        return Results(runs=tuple(run_of(str(one), seed, SECONDS[one.name]) for one, seed in job.runs))

    monkeypatch.setattr(syncing, "run", run)
    done = trained(digits, 60.0)
    (outcome,) = done.outcomes
    assert outcome.after == "local_sgd"
    is_shown(digits, outcome, Status.MEASURED)
    other = tmp_path / "other.npz"
    numpy.savez(other, x=load_digits().images[::-1].astype("uint8") // 2, y=load_digits().target[::-1])
    plan = plan_of(told(other))
    assert changed(plan)[0] == "synchronous"
    assert ("probe.sync.best", Source.MEASURED) in [(name, known.source) for name, known in plan.evidence]


@pytest.mark.thorough
def test_real_workers_decide_the_plans_strategy(digits: Path) -> None:
    done = trained(digits, 80.0)
    assert done.comparison is not None, (done.says, done.notes)
    (outcome,) = done.outcomes
    assert outcome.n == 3
    is_shown(digits, outcome, Status.MEASURED)


@pytest.mark.thorough
def test_a_simulation_with_real_gradients_decides_the_plans_strategy(
    digits: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (questions, simulating_plans):
        monkeypatch.setattr(module, "SEEDS", 2)
    for name, value in {"RIVALS": ("local_sgd",), "COMPRESSED": (), "MOST_STEPS": 40}.items():
        monkeypatch.setattr(questions, name, value)
    inputs = replace(told(digits), outcomes=())
    inputs = replace(inputs, outcomes=(timed(inputs),))
    found = simulating_plans.simulated_for_plan(inputs, Asked(), 150.0, complain=no_complaint)
    (outcome,) = (one for one in found.outcomes if one.fact == "sim.sync.best")
    assert (outcome.before, outcome.n) == ("synchronous", 2)
    measured = found.after.recommendations["sync.strategy"].measured
    assert measured is not None
    assert measured.basis is Source.SIMULATED
    if outcome.verdict in (Verdict.CONFIRMED, Verdict.OVERTURNED):
        assert changed(found.after) == (outcome.after, Status.SIMULATED)


def timed(inputs: Inputs) -> Outcome:
    """Steps of the plan's network as a probe would have timed them."""
    plan = plan_of(inputs)
    step = step_of(plan)
    assert step is not None
    threads = step.threads or 1
    return Outcome(
        "threads", "compute.threads", "probe.threads.best", before=threads, verdict=Verdict.NO_DIFFERENCE, after=threads,
        rival=2, median=1.0, low=0.99, high=1.01, n=8, applies=scope_of(plan, inputs.machine), date="2026-11-27",
        settings=(SettingRecord(threads, duel=(0.009, 0.01, 0.011)),),
    )  # fmt: skip
