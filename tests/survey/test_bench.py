"""The benchmark of 2016: what is swept, within which time, and what the sweeps say; stand-ins answer for the probes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.agent.remembered.journal import Journal
from advisor.facts.fact_base import FactBase, Source
from advisor.facts.verdict import Verdict
from advisor.knowledge.loader import load
from advisor.knowledge.model import Knowledge
from advisor.machine.profiles.published import PublishedTable, load_tables
from advisor.networks.benchmark.six import EIGHT, SIX
from advisor.probes.conditions import Conditions
from advisor.probes.outcome import Outcome, SettingRecord
from advisor.probes.probe import Probe, Setting
from advisor.probes.protocol import Rehearsed
from advisor.probes.workload import Workload
from advisor.resources import profiles_folder, rules_folder
from advisor.survey import bench
from advisor.survey.bench import Benchmark, Measured, recommended_threads, sweeps, timed, work, workload
from advisor.survey.bench_findings import (
    Figure,
    Findings,
    fastest,
    findings,
    plan_for,
    published_of,
    published_ratios,
    refused,
    scalings,
    seconds,
    settings,
    speed_up,
)

FACTS: Mapping[str, Any] = {
    "machine.cpu.physical_cores": 2,
    "machine.cpu.logical_cores": 4,
    "machine.cpu.usable_cores": 4,
    "machine.gpu.count": 0,
    "machine.gpu.backend": "none",
}
CARD = {**FACTS, "machine.gpu.count": 1, "machine.gpu.backend": "cuda", "machine.gpu.usable_by_torch": True}
FCN5, FCN8, ALEXNET, RESNET, LSTM32, LSTM64 = SIX


@pytest.fixture(scope="module")
def knowledge() -> Knowledge:
    return load(rules_folder())


@pytest.fixture(scope="module")
def table() -> PublishedTable:
    return next(one for one in load_tables(profiles_folder() / "published") if one.name == "dlbench-table-4")


def outcome(probe: str, times: Mapping[Setting, Sequence[float]], **keys: Any) -> Outcome:
    """The times of each setting in seconds per unit of work; two of them were compared in pairs if `keys` say so."""
    found: dict[str, Any] = {
        "probe": probe, "topic": f"compute.{probe}", "fact": f"probe.{probe}.best", "before": next(iter(times)),
        "verdict": Verdict.UNDECIDED, "date": "2026-01-02T10:00:00+00:00",
        "settings": tuple(SettingRecord(one, search=tuple(samples)) for one, samples in times.items()),
        "work": "example" if probe == "batch" else "step", **keys,
    }  # fmt: skip
    return Outcome(**found)


def of_threads(best: int = 2, other: int = 1, ratio: float = 1.5, **keys: Any) -> Outcome:
    """The benchmark's threads with a winner; `before` is 2, the number of cores."""
    times: dict[Setting, Sequence[float]] = {1: (0.4, 0.41, 0.42), 2: (0.2, 0.21, 0.22), 4: (0.25, 0.26, 0.27)}
    verdict = Verdict.CONFIRMED if best == 2 else Verdict.OVERTURNED
    found: dict[str, Any] = {
        "topic": "compute.threads", "before": 2, "rival": best if best != 2 else other, "after": best,
        "verdict": verdict, "median": ratio, "low": ratio - 0.1, "high": ratio + 0.1, "n": 12, **keys,
    }  # fmt: skip
    return outcome("threads", times, **found)


@dataclass
class StandIn:
    """Takes the place of the runner, on a made-up clock."""

    takes: float = 1.0
    """Of the seconds that a sweep may take"""
    step_seconds: float | None = None
    """Of a step, as each tells"""
    late: bool = False
    """True if the time is over before anything is compared"""
    failing: tuple[str, ...] = ()
    """Types of network that do not fit"""
    stop_after: int | None = None
    now: float = 1000.0
    ran: list[tuple[str, str]] = field(default_factory=list)
    allowed: list[float] = field(default_factory=list)
    threads: dict[tuple[str, str], int | None] = field(default_factory=dict)

    def monotonic(self) -> float:
        return self.now

    def run(self, probe: Probe, step: Workload, **keys: Any) -> Outcome:
        self.ran.append((step.describe(), probe.name))
        self.allowed.append(keys["budget_seconds"])
        self.threads[step.describe(), probe.name] = step.threads
        if self.stop_after is not None and len(self.ran) > self.stop_after:
            keys["on_event"](Rehearsed(keys["settings"][0], 0.5, 1))
            raise KeyboardInterrupt
        self.now += self.takes * keys["budget_seconds"]
        applies = {"network": step.describe(), "device": "cpu", "batch_size": str(step.batch_size)}
        if self.late:
            said: dict[Setting, Sequence[float]] = dict.fromkeys(keys["settings"], ())
            return outcome(probe.name, said, failure="The time was over.", applies=applies, late=True)
        if step.network in self.failing:
            empty: dict[Setting, Sequence[float]] = dict.fromkeys(keys["settings"], ())
            return outcome(probe.name, empty, failure="It does not fit the memory.", applies=applies, date=keys["date"])
        times: dict[Setting, Sequence[float]] = dict.fromkeys(keys["settings"], (0.1, 0.11))
        return outcome(probe.name, times, topic=probe.topic, before=keys["before"], after=keys["before"], applies=applies,
                       verdict=Verdict.CONFIRMED, date=keys["date"], step_seconds=self.step_seconds)  # fmt: skip


def measured(monkeypatch: pytest.MonkeyPatch, stand_in: StandIn, **keys: Any) -> Benchmark:
    """The six, or those named, benchmarked by the stand-in in ten minutes."""
    monkeypatch.setattr(bench, "run", stand_in.run)
    monkeypatch.setattr(bench.time, "monotonic", stand_in.monotonic)
    given_: dict[str, Any] = {"networks": SIX, "facts": FACTS, "machine": "here", "budget_seconds": 600.0, **keys}
    run = Benchmark(**given_)
    run.measure()
    return run


# What is swept


def test_one_network_is_swept_after_the_other_the_least_work_first() -> None:
    planned, reasons = sweeps(SIX, FACTS)
    assert [sweep.probe.name for sweep in planned] == ["threads", "batch"] * 6
    names = [sweep.network.name for sweep in planned[::2]]
    assert names == [sweep.network.name for sweep in planned[1::2]]
    assert names == ["fcn5", "fcn8", "alexnet", "lstm32", "lstm64", "resnet50"]
    assert [work(sweep.network) for sweep in planned[::2]] == sorted(work(network) for network in SIX)
    assert set(reasons.values()) == {"There is no graphics card."}


def test_by_default_threads_up_to_the_usable_ones_and_half_and_twice_the_batch() -> None:
    threads, batches = sweeps([FCN5], FACTS)[0]
    assert (threads.settings, threads.before) == ((1, 2, 4), 2)
    assert (batches.settings, batches.before) == ((32, 64, 128), 64)


def test_one_thread_and_its_own_batch_are_always_among_what_is_tried() -> None:
    threads, batches = sweeps([FCN5], FACTS, threads=[4], batches=[16])[0]
    assert (threads.settings, threads.before) == ((1, 4), 1)
    assert batches.settings == (16, 64)


def test_more_threads_than_may_be_used_are_tried_where_they_are_named() -> None:
    assert sweeps([FCN5], FACTS, threads=[2, 16])[0][0].settings == (1, 2, 16)


def test_with_a_card_it_is_compared_with_the_processor() -> None:
    planned, _ = sweeps([FCN5], CARD)
    assert [(sweep.probe.name, sweep.settings) for sweep in planned][1] == ("device", ("cpu", "gpu"))


def test_with_one_core_there_are_no_threads_to_choose_from_and_batches_still() -> None:
    one = {**FACTS, "machine.cpu.physical_cores": 1, "machine.cpu.logical_cores": 1, "machine.cpu.usable_cores": 1}
    planned, reasons = sweeps([FCN5], one)
    assert [sweep.probe.name for sweep in planned] == ["batch"]
    assert "Only one core" in reasons["fcn5", "threads"]
    assert "to be tried" in sweeps([FCN5], one, threads=[1])[1]["fcn5", "threads"]


def test_the_surveys_number_of_threads_is_that_of_the_real_cores() -> None:
    assert recommended_threads(FACTS, (1, 2, 4)) == 2
    assert recommended_threads({**FACTS, "machine.cpu.usable_cores": 1}, (1, 2, 4)) == 1
    assert recommended_threads(FACTS, (4, 8)) == 4
    assert recommended_threads({}, (1, 2)) == 1


def test_the_step_is_that_of_the_benchmark() -> None:
    step = workload(LSTM32)
    assert step.describe() == "lstm text 32x10000-[256,256]-10000"
    assert (step.batch_size, step.optimizer, step.precision.value) == (128, "sgd", "fp32")


# The time


def test_the_sweeps_share_the_budget_and_never_take_more(monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in = StandIn()
    measured(monkeypatch, stand_in)
    assert len(stand_in.ran) == 12
    assert sum(stand_in.allowed) <= 600.0 - bench.AFTERWARDS + 1e-9


def test_what_came_to_nothing_for_want_of_time_needs_at_least_twice_as_much(monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in = StandIn(late=True)
    run = measured(monkeypatch, stand_in, networks=[FCN5])
    assert list(run.results["fcn5"].needs.values()) == [2 * seconds for seconds in stand_in.allowed]


def test_one_network_is_finished_before_the_next_is_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in = StandIn()
    run = measured(monkeypatch, stand_in, budget_seconds=61.0)
    first = workload(FCN5).describe()
    assert stand_in.ran == [(first, "threads"), (first, "batch")]
    assert run.results["resnet50"].skipped["threads"] == "No time was left."


@pytest.mark.parametrize(("step", "begun"), [(0.01, True), (30.0, False)])
def test_what_cannot_fit_is_not_begun(step: float, begun: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """A step of this network, as its threads have told."""
    stand_in = StandIn(takes=0.1, step_seconds=step)
    run = measured(monkeypatch, stand_in, networks=[FCN5], budget_seconds=100.0)
    assert ((workload(FCN5).describe(), "batch") in stand_in.ran) is begun
    assert begun or "it needs about" in run.results["fcn5"].skipped["batch"]


def test_heavier_networks_are_not_begun_where_lighter_ones_are_too_slow_by_far(monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in = StandIn(takes=0.1, step_seconds=1.0)
    run = measured(monkeypatch, stand_in, networks=[FCN5, RESNET], budget_seconds=100.0)
    assert all(name == workload(FCN5).describe() for name, _ in stand_in.ran)
    assert "it needs about" in run.results["resnet50"].skipped["threads"]


def test_what_a_sweep_does_not_need_goes_to_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    quick, slow = StandIn(takes=0.1), StandIn()
    measured(monkeypatch, quick)
    measured(monkeypatch, slow)
    assert all(more > less for more, less in zip(quick.allowed[1:], slow.allowed[1:], strict=True))


def test_where_no_time_is_left_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    run = measured(monkeypatch, StandIn(), budget_seconds=12.0)
    assert run.results["resnet50"].skipped["batch"] == "No time was left."
    assert run.results["fcn5"].outcomes["threads"].failure is None


def test_a_network_that_does_not_fit_costs_its_own_row(monkeypatch: pytest.MonkeyPatch) -> None:
    run = measured(monkeypatch, StandIn(failing=("resnet50",)))
    assert not timed(run.results["resnet50"])
    assert [name for name, result in run.results.items() if timed(result)] == [
        "fcn5", "fcn8", "alexnet", "lstm32", "lstm64",
    ]  # fmt: skip
    assert run.anything


def test_ctrl_c_keeps_what_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in = StandIn(stop_after=2)
    monkeypatch.setattr(bench, "run", stand_in.run)
    monkeypatch.setattr(bench.time, "monotonic", stand_in.monotonic)
    run = Benchmark(SIX, FACTS, "here", 600.0)
    with pytest.raises(KeyboardInterrupt):
        run.measure()
    assert [name for name, result in run.results.items() if result.outcomes] == ["fcn5"]
    stopped = run.results["fcn8"]
    assert stopped.skipped["threads"] == "It was stopped."
    assert seconds(stopped, "threads", 1) == Figure(0.5, None, None, 1)


def test_a_stopped_run_goes_on_after_its_last_sweep(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ADVISOR_STATE", str(tmp_path))
    first, second = StandIn(stop_after=2), StandIn()
    journal = Journal.open({"bench": 1})
    with pytest.raises(KeyboardInterrupt):
        measured(monkeypatch, first, journal=journal)
    assert journal is not None
    journal.close(finished=False)
    run = measured(monkeypatch, second, journal=Journal.open({"bench": 1}))
    assert len(second.ran) == 10
    assert not set(second.ran) & set(first.ran[:2])
    assert run.results["fcn5"].outcomes["threads"].verdict is Verdict.CONFIRMED
    assert Journal.open({"bench": 1}).entries == []  # type: ignore[union-attr]


def test_batches_are_timed_with_the_threads_that_were_found_best(monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in = StandIn()
    measured(monkeypatch, stand_in, networks=[FCN5])
    assert stand_in.threads == {
        (workload(FCN5).describe(), "threads"): None,
        (workload(FCN5).describe(), "batch"): 2,
    }


def test_where_a_single_number_of_threads_is_named_batches_are_timed_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in = StandIn()
    measured(monkeypatch, stand_in, networks=[FCN5], threads=(1,))
    assert stand_in.threads == {(workload(FCN5).describe(), "batch"): 1}


def test_the_best_threads_are_the_decided_ones_else_the_quickest() -> None:
    assert Measured(FCN5, {"threads": of_threads(best=4)}).best_threads == 4
    open_ = outcome("threads", {1: (0.4,), 2: (0.3,), 4: (0.2,)})
    assert Measured(FCN5, {"threads": open_}).best_threads == 4
    assert Measured(FCN5, first={"threads": {1: 0.4, 2: 0.5}}).best_threads == 1
    assert Measured(FCN5).best_threads is None


# Figures


def test_a_step_of_a_batch_is_timed_by_its_examples() -> None:
    result = Measured(FCN5, {"batch": outcome("batch", {32: (0.01,) * 5, 64: (0.008,) * 5})})
    assert settings(result, "batch") == (32, 64)
    found = seconds(result, "batch", 64)
    assert found is not None
    assert (found.median, found.low, found.high, found.n) == (0.512, pytest.approx(0.512), pytest.approx(0.512), 5)
    faster = speed_up(result, "batch", 32, 64)
    assert faster is not None
    assert faster.median == pytest.approx(1.25), "in examples a second"


def test_a_setting_that_ran_only_once_has_a_time_without_an_interval() -> None:
    result = Measured(FCN5, {"threads": outcome("threads", {1: (), 2: (0.2, 0.2)})}, first={"threads": {1: 0.5}})
    assert seconds(result, "threads", 1) == Figure(0.5, None, None, 1)
    ratio = speed_up(result, "threads", 1, 2)
    assert ratio == Figure(2.5, None, None, 1)


def test_pairs_say_more_of_a_speed_up_than_two_separate_times() -> None:
    result = Measured(FCN5, {"threads": of_threads(best=2, other=1, ratio=1.5)})
    assert speed_up(result, "threads", 1, 2) == Figure(1.5, 1.4, 1.6, 12)
    slower = speed_up(result, "threads", 2, 1)
    assert slower is not None
    assert (slower.median, slower.low, slower.high) == pytest.approx((1 / 1.5, 1 / 1.6, 1 / 1.4))
    unpaired = speed_up(result, "threads", 1, 4)
    assert unpaired is not None
    assert unpaired.median == pytest.approx(0.41 / 0.26)


def test_an_overturned_setting_is_the_slower_one_of_the_pair() -> None:
    result = Measured(FCN5, {"threads": of_threads(best=4, ratio=1.3)})
    assert speed_up(result, "threads", 2, 4) == Figure(1.3, pytest.approx(1.2), pytest.approx(1.4), 12)  # type: ignore[arg-type]


@given(st.lists(st.floats(1e-3, 10), min_size=4, max_size=4), st.floats(0, 1), st.floats(0, 1))
def test_the_interval_of_a_quotient_holds_every_quotient(ends: list[float], one: float, two: float) -> None:
    (low, high), (least, most) = sorted(ends[:2]), sorted(ends[2:])
    ratio = Figure((low + high) / 2, low, high, 5).over(Figure((least + most) / 2, least, most, 3))
    assert ratio.low is not None
    assert ratio.high is not None
    assert ratio.n == 3
    some = (low + one * (high - low)) / (least + two * (most - least))
    assert ratio.low * (1 - 1e-9) <= some <= ratio.high * (1 + 1e-9)
    assert ratio.low * (1 - 1e-9) <= ratio.median <= ratio.high * (1 + 1e-9)


def test_a_refused_setting_tells_why() -> None:
    found = outcome("batch", {64: (0.1,)})
    record = SettingRecord(128, skipped="a batch of 128 examples does not fit the memory.")
    result = Measured(FCN5, {"batch": replace(found, settings=(*found.settings, record))})
    assert refused(result, "batch") == {128: "a batch of 128 examples does not fit the memory."}
    assert settings(result, "batch") == (64,)


# Beside the table


def test_the_fastest_tool_of_each_place(table: PublishedTable) -> None:
    figures = published_of(FCN5, table)
    quickest = fastest(figures, "2x-e5-2630-v3", 8)
    assert quickest is not None
    assert (quickest.framework, quickest.value) == ("Caffe", 0.269)
    assert fastest(figures, "gtx-1080", None).value == 0.017  # type: ignore[union-attr]
    assert fastest(figures, "i7-3820", 32) is None


def test_published_speed_ups_are_of_one_tool_on_one_processor(table: PublishedTable) -> None:
    doubled = published_ratios(LSTM32, table, (1, 2))
    assert len(doubled) == 6, "three tools on two processors"
    assert 0.579 / 0.391 in doubled
    assert len(published_ratios(LSTM32, table, (4, 8))) == 3, "eight threads are beyond the cores of the desktop"
    beyond = published_ratios(LSTM32, table, None)
    assert 0.306 / 1.153 in beyond
    assert 0.769 / 0.706 in beyond
    assert len(beyond) == 6


def test_narrowed_networks_have_no_published_figures(table: PublishedTable) -> None:
    assert published_of(FCN5.narrowed(0.5), table) == ()
    assert published_of(next(network for network in EIGHT if network.name == "fcn5-2048"), table) == ()
    assert published_of(FCN5, None) == ()


def test_doublings_up_to_the_cores_and_from_there_beyond_them(table: PublishedTable) -> None:
    times: dict[Setting, Sequence[float]] = {1: (0.4,), 2: (0.2,), 3: (0.15,), 4: (0.12,), 8: (0.24,)}
    found = list(scalings(Measured(FCN5, {"threads": outcome("threads", times)}), 4, table))
    assert [(one.fewer, one.more, one.beyond_cores) for one in found] == [(1, 2, False), (2, 4, False), (4, 8, True)]
    assert found[2].here.median == pytest.approx(0.5)
    least, mean, most = found[0].published or (0, 0, 0)
    assert least < mean < most
    assert math.isclose(least, min(published_ratios(FCN5, table, (1, 2))))


def test_what_ran_only_once_or_on_a_busy_machine_says_nothing_of_more_threads() -> None:
    times: dict[Setting, Sequence[float]] = {1: (0.4, 0.4), 2: (0.2, 0.2)}
    busy = outcome("threads", times, conditions=Conditions(others_share=0.5))
    assert list(scalings(Measured(FCN5, {"threads": busy}), 2, None)) == []
    once = outcome("threads", {1: (0.4, 0.4), 2: ()})
    assert list(scalings(Measured(FCN5, {"threads": once}, first={"threads": {2: 0.2}}), 2, None)) == []
    assert len(list(scalings(Measured(FCN5, {"threads": outcome("threads", times)}), 2, None))) == 1


def test_beyond_the_cores_needs_a_time_with_as_many_as_cores() -> None:
    times: dict[Setting, Sequence[float]] = {1: (0.4,), 8: (0.2,)}
    assert list(scalings(Measured(FCN5, {"threads": outcome("threads", times)}), 4, None)) == []


# The claims


def judged(knowledge: Knowledge, *results: Measured, facts: Mapping[str, Any] = FACTS) -> Findings:
    detected = {name: value for name, value in facts.items() if name in knowledge.vocabulary.facts}
    tables = load_tables(profiles_folder() / "published")
    return findings(knowledge, FactBase.of(detected, Source.DETECTED), results, tables)


def test_a_claim_is_judged_once_for_each_network(knowledge: Knowledge) -> None:
    found = judged(
        knowledge,
        Measured(FCN5, {"threads": of_threads(best=2)}),
        Measured(LSTM32, {"threads": of_threads(best=4)}),
        Measured(LSTM64, {"threads": of_threads(best=1)}),
    )
    beyond = found.judged["threads.beyond-cores"]
    assert {name: one.verdict for name, one in beyond.items()} == {
        "fcn5": Verdict.CONFIRMED,
        "lstm32": Verdict.OVERTURNED,
        "lstm64": Verdict.CONFIRMED,
    }
    several = found.judged["threads.several-beat-one"]
    assert several["fcn5"].verdict is Verdict.CONFIRMED
    assert several["lstm64"].verdict is Verdict.OVERTURNED
    assert beyond["fcn5"].measured is not None


def test_without_hyper_threading_the_claim_about_more_threads_than_cores_is_not_judged(knowledge: Knowledge) -> None:
    plain = {**FACTS, "machine.cpu.logical_cores": 2, "machine.cpu.usable_cores": 2}
    found = judged(knowledge, Measured(FCN5, {"threads": of_threads()}), facts=plain)
    assert "threads.beyond-cores" not in found.judged
    assert "No more threads can run at once" in found.not_judged["threads.beyond-cores"]


@pytest.mark.parametrize(
    ("network", "claim"),
    [(FCN5, "batch.fully-connected"), (ALEXNET, "batch.convolutional"), (LSTM32, "batch.recurrent")],
    ids=lambda value: value if isinstance(value, str) else value.name,
)
def test_the_batch_of_each_family_is_judged_by_its_networks(knowledge: Knowledge, network: Any, claim: str) -> None:
    own = network.batch_size
    keys = {
        "topic": "training.micro_batch", "before": own, "rival": 2 * own, "after": 2 * own, "n": 12,
        "verdict": Verdict.OVERTURNED, "median": 1.4, "low": 1.3, "high": 1.5,
    }  # fmt: skip
    batches = outcome("batch", {own: (0.01,) * 5, 2 * own: (0.007,) * 5}, **keys)
    found = judged(knowledge, Measured(network, {"batch": batches}))
    assert found.judged[claim][network.name].verdict is Verdict.OVERTURNED
    others = {name for name in found.judged if name.startswith("batch.")} - {claim}
    assert others == set()


def test_what_the_card_is_worth_is_judged_against_the_claims_of_both_documents(knowledge: Knowledge) -> None:
    keys = {
        "topic": "compute.device", "before": "gpu", "rival": "cpu", "after": "gpu", "n": 12,
        "verdict": Verdict.CONFIRMED, "median": 20.0, "low": 19.0, "high": 21.0,
    }  # fmt: skip
    device = outcome("device", {"gpu": (0.01,) * 5, "cpu": (0.2,) * 5}, **keys)
    found = judged(knowledge, Measured(RESNET, {"device": device}), facts=CARD)
    assert found.judged["gpu.always-wins"]["resnet50"].verdict is Verdict.CONFIRMED
    assert found.judged["gpu.three-times"]["resnet50"].verdict is Verdict.OVERTURNED


def test_the_tables_own_claims_are_told_once_with_their_errata(knowledge: Knowledge) -> None:
    found = judged(knowledge, *(Measured(network) for network in SIX))
    verdicts = {one.claim.id: one.verdict for one in found.table}
    assert verdicts["gpu.hundred-times"] is Verdict.OVERTURNED
    assert verdicts["threads.beyond-cores-table"] is Verdict.OVERTURNED
    assert {key for one in found.table for key in one.claim.erratum} >= {"E1", "E2", "E4", "E7"}
    assert len(verdicts) == len(found.table)


@pytest.mark.parametrize("network", SIX, ids=lambda network: network.name)
def test_the_surveys_plan_for_such_data_has_the_cores_as_threads(knowledge: Knowledge, network: Any) -> None:
    detected = FactBase.of({name: FACTS[name] for name in FACTS}, Source.DETECTED)
    plan = plan_for(knowledge, detected, network)
    assert plan.value("compute.threads") == 2
    assert plan.value("network.type") in ("ffn", "cnn", "lstm")
