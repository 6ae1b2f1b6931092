"""What the agent measures, in which order, and when it stops; stand-ins for the probes answer at once, on a made-up clock."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from advisor.agent import agent
from advisor.agent.agent import AFTERWARDS, Revision, settle
from advisor.agent.choosing import COMFORT, PATIENCE
from advisor.agent.events import MeasuringEvent, ProbeStarted
from advisor.agent.remembered import journal
from advisor.agent.remembered.journal import Journal
from advisor.agent.second_look import NO_TIME
from advisor.agent.settling.advising import advise_here
from advisor.agent.worth import worth
from advisor.facts.fact_base import FactBase, Source
from advisor.facts.verdict import Verdict
from advisor.facts.vocabulary import Value
from advisor.inference.advise import VALUES_ONLY
from advisor.inference.plan import Status
from advisor.knowledge.loader import load
from advisor.knowledge.model import Knowledge
from advisor.machine.detection.detection import Machine
from advisor.probes.catalogue import PROBES, probe_named
from advisor.probes.outcome import Outcome, SettingRecord
from advisor.probes.probe import Probe, Setting
from advisor.probes.workload import Workload
from advisor.resources import rules_folder

MACHINE = Machine(
    cpu_model="A processor",
    physical_cores=4,
    logical_cores=8,
    usable_cores=8,
    features=frozenset({"avx512_bf16"}),
    memory_bytes=16 * 2**30,
    gpus=(),
)
DIGITS: dict[str, Value] = {
    "task.kind": "classify",
    "task.outputs": 10,
    "data.modality": "image",
    "data.examples": 60_000,
    "data.inputs": 784,
    "project.pretrained_allowed": False,
}


@pytest.fixture(scope="module")
def knowledge() -> Knowledge:
    return load(rules_folder())


@pytest.fixture
def facts(knowledge: Knowledge) -> FactBase:
    detected = {name: value for name, value in MACHINE.facts().items() if name in knowledge.vocabulary.facts}
    return FactBase.of(detected, Source.DETECTED).with_values(DIGITS, Source.ASKED)


@dataclass
class StandIn:
    """Takes the place of the runner: every probe takes what it costs, and comes out as it was told."""

    results: Mapping[str, Setting] = field(default_factory=dict)
    """The setting that wins, by probe; others are confirmed."""
    verdicts: Mapping[str, Verdict] = field(default_factory=dict)
    failing: tuple[str, ...] = ()
    takes: float = 1.0
    """Times the declared cost."""
    now: float = 1000.0
    ran: list[str] = field(default_factory=list)
    allowed: list[float] = field(default_factory=list)
    stop_after: int | None = None
    stopped_by: type[BaseException] = KeyboardInterrupt
    by_times: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    """How many times as fast the winner is, look by look; 1.5 otherwise."""
    slow: tuple[str, ...] = ()
    """Probes whose network is so slow that the time is enough for two pairs."""
    once_more: list[str] = field(default_factory=list)
    """Probes that were asked about two settings only."""
    example_seconds: float | None = None
    """Of a network so slow that each step must be counted: a probe compares nothing without time for 22 steps."""
    start_seconds: float | None = None
    """Of a process; one that has less time is ended before it is ready."""
    batches: list[int] = field(default_factory=list)
    """Examples in the steps of those that compared anything."""

    def monotonic(self) -> float:
        return self.now

    def run(
        self,
        probe: Probe,
        workload: Workload | None,
        *,
        before: Setting,
        budget_seconds: float,
        machine: str,
        date: str,
        settings: Sequence[Setting] | None,
        **_: Any,
    ) -> Outcome:
        if self.stop_after is not None and len(self.ran) >= self.stop_after:
            raise self.stopped_by
        if settings is not None:
            self.once_more.append(probe.name)
        looks = self.by_times.get(probe.name, (1.5,))
        times = looks[min(self.ran.count(probe.name), len(looks) - 1)]
        self.ran.append(probe.name)
        self.allowed.append(budget_seconds)
        if probe.needs_network and self.start_seconds is not None and budget_seconds < self.start_seconds:
            self.now += budget_seconds
            return Outcome(
                probe=probe.name, topic=probe.topic, fact=probe.fact, before=before, verdict=Verdict.UNDECIDED,
                failure="It was not ready.", too_slow=True, late=True, start_seconds=budget_seconds, date=date,
                bound_by=probe.bound_by, applies=probe.scope(workload) | {"machine": machine, "device": "cpu"},
            )  # fmt: skip
        step = self.step_seconds(probe, workload, before)
        if step is not None and step * 22 > budget_seconds:
            self.now += 3.0
            return Outcome(
                probe=probe.name, topic=probe.topic, fact=probe.fact, before=before, verdict=Verdict.UNDECIDED,
                failure="It is too slow.", too_slow=True, step_seconds=step, bound_by=probe.bound_by,
                applies=probe.scope(workload) | {"machine": machine, "torch": agent_torch()}, date=date,
            )  # fmt: skip
        self.now += budget_seconds if step is not None else min(budget_seconds, self.takes * probe.cost_seconds)
        if probe.needs_network and workload is not None:
            self.batches.append(workload.batch_size)
        after = self.results.get(probe.name, before)
        verdict = self.verdicts.get(probe.name, Verdict.CONFIRMED if after == before else Verdict.OVERTURNED)
        rival: Setting = "another" if isinstance(before, str) else before + 1
        failed = probe.name in self.failing
        pairs = 0 if failed else 2 if probe.name in self.slow else 12
        return Outcome(
            probe=probe.name, topic=probe.topic, fact=probe.fact, before=before, verdict=verdict,
            after=None if verdict is Verdict.UNDECIDED else after, rival=rival if after == before else after,
            median=times, low=times - 0.1, high=times + 0.1, n=pairs, failure="It hung." if failed else None,
            applies=probe.scope(workload) | {"machine": machine, "torch": agent_torch()}, date=date,
            settings=(SettingRecord(before, duel=(1.0, 1.0)),), work=probe.work.value, bound_by=probe.bound_by,
            step_seconds=step, start_seconds=self.start_seconds,
        )  # fmt: skip

    def step_seconds(self, probe: Probe, workload: Workload | None, before: Setting) -> float | None:
        if self.example_seconds is None or workload is None or not probe.needs_network:
            return None
        return self.example_seconds * (int(before) if probe.name == "batch" else workload.batch_size)


@dataclass
class Wavering(StandIn):
    """What wins in the first start loses in the second."""

    def run(
        self, probe: Probe, workload: Workload | None, *, before: Setting, settings: Any, **options: Any
    ) -> Outcome:
        if settings is None:
            return super().run(probe, workload, before=before, settings=None, **options)
        (other,) = [setting for setting in settings if setting != before]
        self.results = {probe.name: other}
        return super().run(probe, workload, before=before, settings=settings, **options)


def agent_torch() -> str:
    from advisor.version import torch_version

    return torch_version()


Settle = Callable[..., Revision]


@pytest.fixture
def settled(monkeypatch: pytest.MonkeyPatch, knowledge: Knowledge, facts: FactBase) -> Settle:
    def run(stand_in: StandIn, budget: float, **options: Any) -> Revision:
        monkeypatch.setattr(agent, "run", stand_in.run)
        monkeypatch.setattr(agent.time, "monotonic", stand_in.monotonic)
        return settle(knowledge, facts, MACHINE, budget, detail=VALUES_ONLY, **options)

    return run


def position(stand_in: StandIn, name: str) -> int:
    return stand_in.ran.index(name)


def test_what_others_depend_on_is_measured_before_them(settled: Settle) -> None:
    stand_in = StandIn()
    settled(stand_in, 600.0)
    assert position(stand_in, "precision") < position(stand_in, "threads")


def test_with_time_enough_each_probe_runs_once(settled: Settle) -> None:
    stand_in = StandIn()
    revision = settled(stand_in, 3600.0)
    assert len(stand_in.ran) == len(set(stand_in.ran)) >= 3
    assert revision.open == ()


def test_what_changes_the_plan_is_measured_before_what_only_informs(settled: Settle) -> None:
    stand_in = StandIn()
    settled(stand_in, 3600.0)
    bets = [name for name in stand_in.ran if name in ("threads", "precision", "batch")]
    assert stand_in.ran[:3] == bets


def test_what_there_was_no_time_for_is_still_open(settled: Settle) -> None:
    stand_in = StandIn()
    revision = settled(stand_in, 20.0)
    assert {"threads", "precision", "batch"} - set(stand_in.ran) <= {skipped.probe for skipped in revision.open}
    assert all("No time was left: about" in skipped.reason for skipped in revision.open)
    assert revision.open


@pytest.mark.parametrize("budget", [5.0, 12.0, 31.0, 60.0, 200.0])
@pytest.mark.parametrize("takes", [0.3, 1.0, 5.0])
def test_the_budget_is_kept(settled: Settle, budget: float, takes: float) -> None:
    stand_in = StandIn(takes=takes)
    settled(stand_in, budget)
    assert stand_in.now - 1000.0 <= budget
    assert stand_in.ran


def test_a_short_budget_is_spent_on_one_probe(settled: Settle) -> None:
    stand_in = StandIn()
    settled(stand_in, 7.0)
    assert len(stand_in.ran) == 1


def test_with_less_time_than_torch_needs_nothing_is_begun(settled: Settle) -> None:
    stand_in = StandIn()
    revision = settled(stand_in, 3.0)
    assert stand_in.ran == []
    assert revision.open


def test_what_decided_nothing_gets_the_time_that_is_left(settled: Settle) -> None:
    stand_in = StandIn(verdicts={"threads": Verdict.UNDECIDED})
    settled(stand_in, 3600.0)
    assert stand_in.ran.count("threads") == 2
    assert stand_in.ran[-1] == "threads"


def test_a_hard_question_leaves_the_other_bets_their_time(settled: Settle) -> None:
    bets = ("threads", "precision", "batch")
    cost = sum(probe_named(name).cost_seconds for name in bets)
    stand_in = StandIn(takes=10.0, verdicts=dict.fromkeys(bets, Verdict.UNDECIDED))
    settled(stand_in, COMFORT * cost + AFTERWARDS, only=bets)
    assert {*bets} == {*stand_in.ran}


def test_where_there_is_no_time_for_all_bets_those_that_take_least_get_it(settled: Settle) -> None:
    stand_in = StandIn(takes=COMFORT)
    revision = settled(stand_in, 20.0)
    assert stand_in.ran == ["precision", "threads"]
    assert "batch" in {skipped.probe for skipped in revision.open}


def test_a_hard_question_gets_patience_where_nothing_else_waits(settled: Settle) -> None:
    stand_in = StandIn(takes=10.0)
    settled(stand_in, 600.0, only=["threads"])
    assert stand_in.allowed == [PATIENCE * probe_named("threads").cost_seconds]


def test_a_network_that_was_too_slow_for_the_time_gets_what_is_left(settled: Settle) -> None:
    stand_in = StandIn(slow=("threads",), verdicts={"threads": Verdict.UNDECIDED})
    settled(stand_in, 120.0, only=["threads", "precision"])
    first, second = (seconds for name, seconds in zip(stand_in.ran, stand_in.allowed, strict=True) if name == "threads")
    assert first == PATIENCE * probe_named("threads").cost_seconds
    assert second > 2 * first


def test_a_step_that_is_too_slow_for_the_time_is_compared_with_fewer_examples(settled: Settle) -> None:
    stand_in = StandIn(example_seconds=0.05)  # 6.4 s for 128
    revision = settled(stand_in, 60.0, only=["threads", "precision"])
    measured = {outcome.probe: outcome.applies["batch_size"] for outcome in revision.outcomes if outcome.measured}
    assert measured.keys() == {"threads", "precision"}
    assert all(int(size) < 128 for size in measured.values())
    assert all(outcome.failure is None for outcome in revision.outcomes)
    assert revision.after.recommendations["compute.threads"].status is not Status.MEASURED


def test_a_step_that_fits_once_its_time_is_known_is_compared_whole(settled: Settle) -> None:
    stand_in = StandIn(example_seconds=0.012)  # 1.5 s for 128
    revision = settled(stand_in, 120.0, only=["threads"])
    assert stand_in.ran == ["threads", "threads"]
    assert stand_in.batches == [128]
    assert revision.after.recommendations["compute.threads"].status is Status.MEASURED


def test_a_process_that_was_not_ready_in_time_gets_the_time_that_a_start_takes_here(settled: Settle) -> None:
    stand_in = StandIn(start_seconds=20.0)
    revision = settled(stand_in, 120.0, only=["precision"])
    assert stand_in.allowed[0] < 20.0 < stand_in.allowed[-1]
    assert [outcome.measured for outcome in revision.outcomes] == [True]


def test_a_start_that_cannot_fit_is_said(settled: Settle) -> None:
    revision = settled(StandIn(start_seconds=50.0), 30.0, only=["precision"])
    assert revision.outcomes == ()
    (skipped,) = revision.open
    assert skipped.reason.startswith("Starting torch and the network takes about ")


def test_what_cannot_fit_is_not_begun_and_its_need_is_said(settled: Settle) -> None:
    stand_in = StandIn(example_seconds=60.0)
    revision = settled(stand_in, 60.0)
    assert stand_in.batches == []
    networks = [name for name in stand_in.ran if probe_named(name).needs_network]
    assert len(networks) == 1
    needs = {skipped.probe: skipped for skipped in revision.open}
    assert needs["threads"].reason == "A step of 128 examples takes about 2.1 h here: about 85 h are needed."
    assert needs["threads"].seconds > 22 * 7680
    assert networks[0] in needs


def test_a_probe_that_fails_is_not_tried_again_and_the_others_go_on(settled: Settle) -> None:
    stand_in = StandIn(failing=("batch", "precision"), takes=2.0)
    revision = settled(stand_in, 600.0)
    assert stand_in.ran.count("batch") == stand_in.ran.count("precision") == 1
    assert "threads" in stand_in.ran
    assert revision.after.recommendations["compute.threads"].status is Status.MEASURED


def test_a_probe_that_hangs_leaves_time_for_others(settled: Settle) -> None:
    stand_in = StandIn(failing=("batch",), takes=10.0)
    settled(stand_in, 60.0)
    assert len(set(stand_in.ran)) >= 2


def test_a_result_that_a_later_one_takes_out_of_scope_is_measured_again(settled: Settle) -> None:
    stand_in = StandIn(results={"precision": "bf16"}, verdicts={})
    revision = settled(stand_in, 3600.0, only=["threads", "precision"])
    assert revision.after.value("training.precision") == "bf16"
    assert revision.after.recommendations["compute.threads"].status is Status.MEASURED


def test_what_overturns_a_bet_by_little_is_looked_at_in_a_second_start(settled: Settle) -> None:
    stand_in = StandIn(results={"precision": "bf16"}, by_times={"precision": (1.2,)})
    revision = settled(stand_in, 3600.0, only=["precision", "threads"])
    assert stand_in.ran == ["precision", "precision", "threads"], "at once, before anything is measured with it"
    assert stand_in.once_more == ["precision"]
    outcome = revision.outcomes[0]
    assert outcome.verdict is Verdict.OVERTURNED
    assert outcome.second_start == "has shown it too: 1.20 times."
    assert revision.after.value("training.precision") == "bf16"


def test_what_a_second_start_contradicts_is_undecided_and_the_bet_stands(settled: Settle) -> None:
    stand_in = Wavering(results={"precision": "bf16"}, by_times={"precision": (1.2,)})
    revision = settled(stand_in, 20.0, only=["precision"])
    outcome = revision.outcomes[0]
    assert outcome.verdict is Verdict.UNDECIDED
    assert outcome.contradicted
    assert revision.after.value("training.precision") == revision.before.value("training.precision") == "fp32"


@pytest.mark.parametrize("probe", [probe.name for probe in PROBES if probe.fact])
def test_every_bet_that_is_overturned_by_little_is_looked_at_twice(probe: str, settled: Settle) -> None:
    rival = {"precision": "bf16", "layout": "channels_last"}.get(probe, 3)
    stand_in = StandIn(results={probe: rival}, by_times={probe: (1.2,)})
    settled(stand_in, 3600.0, only=[probe])
    assert stand_in.once_more == stand_in.ran[1::2]


def test_what_overturns_a_bet_clearly_or_confirms_it_is_not_looked_at_twice(settled: Settle) -> None:
    stand_in = StandIn(results={"precision": "bf16"}, by_times={"precision": (1.8,), "threads": (1.1,)})
    settled(stand_in, 3600.0, only=["precision", "threads"])
    assert stand_in.once_more == []


def test_second_looks_are_taken_within_the_budget_or_said_to_be_missing(settled: Settle) -> None:
    missing = []
    for budget in (8.0, 12.0, 16.0, 20.0, 30.0, 60.0):
        stand_in = StandIn(
            results={"precision": "bf16", "threads": 3}, by_times={"precision": (1.2,), "threads": (1.1,)}
        )
        begun = stand_in.now
        revision = settled(stand_in, budget)
        assert stand_in.now - begun <= budget - AFTERWARDS
        missing.append(any(outcome.second_start == NO_TIME for outcome in revision.outcomes))
    assert missing[0], "the first look took all of it"
    assert not missing[-1]


def test_a_contradiction_takes_back_what_was_measured_before(
    knowledge: Knowledge, facts: FactBase, settled: Settle
) -> None:
    wins = {"precision": "bf16"}
    before = settled(StandIn(results=wins), 60.0, only=["precision"]).outcomes
    now = settled(Wavering(results=wins, by_times={"precision": (1.2,)}), 60.0, only=["precision"]).outcomes
    assert advise_here(knowledge, facts, MACHINE, before).value("training.precision") == "bf16"
    assert advise_here(knowledge, facts, MACHINE, [*before, *now]).value("training.precision") == "fp32"


def test_only_what_is_named_is_measured(settled: Settle) -> None:
    stand_in = StandIn()
    settled(stand_in, 600.0, only=["threads"])
    assert stand_in.ran == ["threads"]


def test_a_probe_that_must_be_named_does_not_run_by_itself(settled: Settle) -> None:
    stand_in = StandIn()
    settled(stand_in, 36000.0)
    assert not {probe.name for probe in PROBES if probe.opt_in} & set(stand_in.ran)


def test_a_plan_for_another_machine_is_not_measured_here(
    settled: Settle, knowledge: Knowledge, facts: FactBase
) -> None:
    other = facts.with_values({"machine.cpu.physical_cores": 2}, Source.ASKED)
    revision = settle(knowledge, other, MACHINE, 60.0, detail=VALUES_ONLY)
    assert revision.outcomes == ()
    assert {skipped.reason for skipped in revision.skipped} == {"The plan is for another machine than this one."}


def test_the_listener_is_told_what_runs_and_how_much_time_is_left(settled: Settle) -> None:
    told: list[MeasuringEvent] = []
    settled(StandIn(), 60.0, on_event=told.append)
    steps = [event for event in told if isinstance(event, ProbeStarted)]
    assert steps
    assert all(0 < step.seconds <= step.seconds_left <= 60 for step in steps)
    assert [step.seconds_left for step in steps] == sorted((step.seconds_left for step in steps), reverse=True)


def test_a_bet_that_the_probe_decides_is_worth_more_than_a_rate(knowledge: Knowledge, facts: FactBase) -> None:
    from advisor.agent.settling.advising import advise_here

    plan = advise_here(knowledge, facts, MACHINE)
    threads = worth(knowledge, plan, probe_named("threads"), 4)
    assert threads.settled == 1
    assert threads.changes > 0
    assert threads.claims > 0
    rate = replace(probe_named("threads"), name="a rate", topic="", gauges={"a": 1, "b": 2})
    assert worth(knowledge, plan, rate, 4).total == pytest.approx(0.2)
    assert threads.total > 1


@pytest.fixture
def state(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("ADVISOR_STATE", str(tmp_path))
    return tmp_path


def open_journal(**question: Any) -> Journal:
    found = Journal.open(question)
    assert found is not None
    return found


def test_a_stopped_run_goes_on_where_it_ended(settled: Settle, state: Path) -> None:
    first = StandIn(stop_after=2)
    written = open_journal(plan="digits")
    with pytest.raises(KeyboardInterrupt):
        settled(first, 600.0, journal=written)
    written.close(finished=False)
    second, found = StandIn(), open_journal(plan="digits")
    revision = settled(second, 600.0, journal=found)
    assert len(first.ran) == 2
    assert not set(first.ran) & set(second.ran)
    assert revision.resumed == 2
    assert [outcome.probe for outcome in revision.outcomes] == [*first.ran, *second.ran]


def test_the_time_that_a_stopped_run_spent_is_spent(settled: Settle, state: Path) -> None:
    first = StandIn(stop_after=1)
    written = open_journal(plan="digits")
    with pytest.raises(KeyboardInterrupt):
        settled(first, 60.0, journal=written)
    spent = first.now - 1000.0
    written.close(finished=False)
    found = open_journal(plan="digits")
    assert found.spent == pytest.approx(spent)
    second = StandIn()
    settled(second, 60.0, journal=found)
    assert second.now - 1000.0 + spent <= 60.0


def test_the_probe_in_which_a_run_was_stopped_is_begun_again(settled: Settle, state: Path) -> None:
    written = open_journal(plan="digits")
    with pytest.raises(KeyboardInterrupt):
        settled(StandIn(stop_after=0), 600.0, journal=written)
    stopped = written.stopped_in
    written.close(finished=False)
    second = StandIn()
    settled(second, 600.0, journal=open_journal(plan="digits"))
    assert second.ran[0] == stopped


class Killed(BaseException):
    """Stands in for the kernel, which ends a process without asking it."""


def test_a_probe_that_ends_the_whole_run_is_not_begun_for_ever(settled: Settle, state: Path) -> None:
    """As when memory runs out and the kernel ends the parent too: nothing but the journal tells of it."""
    begun: list[str] = []
    for _ in range(4):
        found = open_journal(plan="digits")
        with contextlib.suppress(Killed):
            settled(StandIn(stop_after=0, stopped_by=Killed), 600.0, journal=found)
        begun += [found.stopped_in] if found.stopped_in else []
        found.close(finished=False)
    assert max(begun.count(name) for name in begun) <= 2


def test_a_probe_that_somebody_stops_again_and_again_is_begun_again_each_time(settled: Settle, state: Path) -> None:
    for _ in range(4):
        written = open_journal(plan="digits")
        with pytest.raises(KeyboardInterrupt):
            settled(StandIn(stop_after=0), 600.0, journal=written)
        stopped = written.stopped_in
        written.close(finished=False)
    last = StandIn()
    revision = settled(last, 600.0, journal=open_journal(plan="digits"))
    assert last.ran[0] == stopped
    assert stopped in {outcome.probe for outcome in revision.outcomes}


def test_a_run_that_ended_leaves_no_journal(settled: Settle, state: Path) -> None:
    written = open_journal(plan="digits")
    settled(StandIn(), 60.0, journal=written)
    assert not written.path.exists()
    assert open_journal(plan="digits").entries == []


def test_another_question_has_another_journal(state: Path) -> None:
    assert open_journal(plan="digits").path != open_journal(plan="texts").path


def test_two_runs_of_one_question_do_not_write_one_journal(state: Path) -> None:
    first = open_journal(plan="digits")
    assert Journal.open({"plan": "digits"}) is None
    first.close(finished=False)
    assert Journal.open({"plan": "digits"}) is not None


@pytest.mark.parametrize(
    "rubbish", [b'{"schema": "advisor/journal/1", "spe', b"\xff\xfe\n", b"[1]\n", b"{}\n", b"null\n"]
)
def test_what_was_half_written_is_not_believed(settled: Settle, state: Path, rubbish: bytes) -> None:
    written = open_journal(plan="digits")
    with pytest.raises(KeyboardInterrupt):
        settled(StandIn(stop_after=2), 600.0, journal=written)
    written.close(finished=False)
    with written.path.open("ab") as file:
        file.write(rubbish)
    assert len(open_journal(plan="digits").outcomes) == 2


def test_yesterdays_journal_is_begun_anew(settled: Settle, state: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written = open_journal(plan="digits")
    with pytest.raises(KeyboardInterrupt):
        settled(StandIn(stop_after=2), 600.0, journal=written)
    written.close(finished=False)
    monkeypatch.setattr(journal, "KEPT_FOR", journal.timedelta(seconds=-1))
    assert open_journal(plan="digits").entries == []


def test_a_journal_that_was_forgotten_is_empty(settled: Settle, state: Path) -> None:
    written = open_journal(plan="digits")
    with pytest.raises(KeyboardInterrupt):
        settled(StandIn(stop_after=2), 600.0, journal=written)
    written.forget()
    written.close(finished=False)
    assert open_journal(plan="digits").entries == []
