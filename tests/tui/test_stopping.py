"""Whoever watches ends what runs: at once, whatever the child does, with what is known by then and no process left."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
import pytest

from advisor.agent import agent
from advisor.agent.agent import Revision, settle
from advisor.agent.remembered.journal import Journal
from advisor.agent.remembered.trial_journal import TrialJournal
from advisor.agent.trials.events import TrialEvent
from advisor.agent.trials.trying import NothingTriedError, Trying
from advisor.children.stopping import STOPPED, Stop
from advisor.facts.fact_base import FactBase, Source
from advisor.facts.verdict import Verdict
from advisor.inference.advise import VALUES_ONLY
from advisor.knowledge.loader import load
from advisor.knowledge.model import Knowledge
from advisor.machine.machine import Machine
from advisor.probes.ask_torch import ask_torch
from advisor.probes.outcome import Outcome
from advisor.probes.protocol import Duel, Message, Sample
from advisor.probes.runner import run
from advisor.probes.settings.cores import THREADS
from advisor.probes.workload import Workload
from advisor.resources import rules_folder
from advisor.training.child.request import Began, Request
from advisor.training.ladder.candidates import Planned

HANGS = """
import json, signal, subprocess, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
signal.signal(signal.SIGINT, signal.SIG_IGN)
sys.stdin.readline()
subprocess.Popen([sys.executable, "-c", "import signal, time; signal.signal(15, signal.SIG_IGN); time.sleep(600)"])
def say(**message): print(json.dumps(message), flush=True)
say(type="Ready", torch="2", python="3", threads=2)
say(type="Duel", rival=1)
for number in range(PAIRS):
    say(type="Sample", phase="duel", setting=2, round=number, seconds=1.0, elapsed=number + 0.5)
    say(type="Sample", phase="duel", setting=1, round=number, seconds=2.0, elapsed=number + 1.0)
time.sleep(600)
"""
"""A child that hears no signal, with a child that hears none either."""
LONG = 300.0
"""Seconds that nothing here takes unless stopping fails."""


def family() -> set[psutil.Process]:
    return set(psutil.Process().children(recursive=True))


@pytest.fixture
def nobody_stays() -> Iterator[None]:
    """No process that a test has started outlives it."""
    before = family()
    yield
    left = [one for one in family() - before if one.is_running() and one.status() != psutil.STATUS_ZOMBIE]
    assert left == []


def stopped_after(pairs: int, stop: Stop, ending: str = "this") -> Outcome:
    """The outcome of a probe whose child says so many pairs, and hangs until somebody stops it."""

    def listen(message: Message) -> None:
        last = isinstance(message, Sample) and message.round == pairs - 1 and message.setting == 1
        if last or (pairs == 0 and isinstance(message, Duel)):
            getattr(stop, ending)()

    command = [sys.executable, "-c", HANGS.replace("PAIRS", str(pairs))]
    workload = Workload("ffn", "tabular", 4, 2, (4,))
    return run(
        THREADS,
        workload,
        before=2,
        settings=[1, 2],
        budget_seconds=LONG,
        command=command,
        on_event=listen,
        stop=stop,
    )


@pytest.mark.usefixtures("nobody_stays")
@pytest.mark.parametrize("ending", ["this", "everything"])
def test_a_stopped_probe_keeps_its_samples_and_decides_nothing(ending: str) -> None:
    outcome = stopped_after(20, Stop(), ending)
    assert outcome.stopped
    assert outcome.failure is None, "somebody's wish is no failure"
    assert (outcome.verdict, outcome.after, outcome.facts()) == (Verdict.UNDECIDED, None, {})
    assert outcome.n == 20
    assert next(record.duel for record in outcome.settings if record.setting == 1) == (2.0,) * 20


@pytest.mark.usefixtures("nobody_stays")
def test_a_probe_can_be_stopped_before_it_has_timed_anything() -> None:
    outcome = stopped_after(0, Stop())
    assert outcome.stopped
    assert (outcome.n, outcome.measured, outcome.failure) == (0, False, None)


@pytest.mark.usefixtures("nobody_stays")
def test_another_thread_stops_a_child_that_says_nothing() -> None:
    stop = Stop()
    silent = [sys.executable, "-c", "import signal, time; signal.signal(15, signal.SIG_IGN); time.sleep(600)"]
    timer = threading.Timer(0.3, stop.everything)
    timer.start()
    outcome = run(
        THREADS,
        Workload("ffn", "tabular", 4, 2, (4,)),
        before=2,
        settings=[1, 2],
        budget_seconds=LONG,
        command=silent,
        stop=stop,
    )
    timer.join()
    assert outcome.stopped


MACHINE = Machine(
    cpu_model="A processor",
    physical_cores=4,
    logical_cores=8,
    usable_cores=8,
    features=frozenset({"avx512_bf16"}),
    memory_bytes=16 * 2**30,
    gpus=(),
)
PLAN = {
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


@dataclass
class HangingProbes:
    """Takes the runner's place: each probe waits until it is stopped, which the test does as soon as it has begun."""

    monkeypatch: pytest.MonkeyPatch
    knowledge: Knowledge
    ran: list[str] = field(default_factory=list)

    def settle(self, stop: Stop, orders: dict[int, str], journal: Journal | None = None) -> Revision:
        """
        Args:
            orders: what is asked for in which probe, the first being 1; those without an order are confirmed at once.
        """
        self.monkeypatch.setattr(agent, "run", self._run)
        self._orders, self._stop = orders, stop
        detected = {name: value for name, value in MACHINE.facts().items() if name in self.knowledge.vocabulary.facts}
        facts = FactBase.of(detected, Source.DETECTED).with_values(PLAN, Source.ASKED)
        return settle(self.knowledge, facts, MACHINE, 3600.0, detail=VALUES_ONLY, journal=journal, stop=stop)

    def _run(self, probe: Any, workload: Any, *, before: Any, date: str, **options: Any) -> Outcome:
        self.ran.append(probe.name)
        order = self._orders.get(len(self.ran))
        if order is not None:
            getattr(self._stop, order)()
        if options["stop"].now:
            command = [sys.executable, "-c", "import time; time.sleep(600)"]
            return run(probe, workload, before=before, date=date, command=command, **options | {"settings": [before]})
        found = Verdict.CONFIRMED
        return Outcome(
            probe.name, probe.topic, probe.fact, before, found, before, median=1.5, low=1.4, high=1.6, n=12, date=date
        )


@pytest.fixture
def probes(monkeypatch: pytest.MonkeyPatch, knowledge: Knowledge) -> HangingProbes:
    return HangingProbes(monkeypatch, knowledge)


def test_stopping_one_probe_goes_on_with_the_next_and_never_comes_back_to_it(probes: HangingProbes) -> None:
    revision = probes.settle(Stop(), {1: "this", 3: "this"})
    assert [outcome.probe for outcome in revision.outcomes if outcome.stopped] == [probes.ran[0], probes.ran[2]]
    assert len(probes.ran) > 4
    assert probes.ran.count(probes.ran[0]) == probes.ran.count(probes.ran[2]) == 1


def test_what_was_asked_between_two_probes_does_not_end_the_next() -> None:
    stop = Stop()
    stop.this()
    stop.next()
    assert not stop.now
    stop.everything()
    stop.next()
    assert stop.now
    assert stop.all


def test_stopping_everything_gives_back_what_is_known(probes: HangingProbes) -> None:
    revision = probes.settle(Stop(), {3: "everything"})
    assert len(probes.ran) == len(revision.outcomes) == 3
    assert [outcome.stopped for outcome in revision.outcomes] == [False, False, True]
    assert {skipped.reason for skipped in revision.open} == {STOPPED}
    assert revision.open


def test_a_run_that_was_stopped_goes_on_with_the_probe_that_was_running(
    probes: HangingProbes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ADVISOR_STATE", str(tmp_path))
    probes.settle(Stop(), {2: "everything"}, Journal.open({"plan": "digits"}))
    first, stopped = probes.ran
    for _ in range(2):
        HangingProbes(monkeypatch, probes.knowledge).settle(Stop(), {1: "everything"}, Journal.open({"plan": "digits"}))
    again = HangingProbes(monkeypatch, probes.knowledge)
    revision = again.settle(Stop(), {}, Journal.open({"plan": "digits"}))
    assert again.ran[0] == stopped
    assert first not in again.ran
    assert revision.resumed == 1
    assert not list(tmp_path.rglob("*.jsonl")), "a run that ended by itself leaves no journal"


TRIES = """
import signal, sys, time
from advisor.training.child.request import *
from advisor.training.ladder.trial_record import *
from advisor.training.ladder.outcome import *
signal.signal(signal.SIGTERM, signal.SIG_IGN)
asked = read_request(sys.stdin.buffer.readline())
def tell(message):
    sys.stdout.buffer.write(MESSAGES.line(message)); sys.stdout.buffer.flush()
tell(Ready(DataTried("/d", "y", "f", "tabular", "classify", 100, 20, 80, "Drawn.", 5, 0.25),
     Metric("accuracy", "accuracy", 0.01), 8))
tell(Began("trivial", Stage.TRIVIAL, 0, Kind.TRIVIAL))
tell(Trial("trivial", Kind.TRIVIAL, Stage.TRIVIAL, 0, {}, (0.5, 0.6, 0.7), 0.1))
tell(Began("linear", Stage.BASELINES, 0, Kind.BASELINE))
time.sleep(600)
"""
ASKED = Request("/d", "y", "f", Planned(), LONG, LONG, 0, 1, 100)


@pytest.mark.usefixtures("nobody_stays")
def test_a_stopped_trial_run_gives_back_the_trials_that_were_finished() -> None:
    stop = Stop()

    def listen(about: TrialEvent) -> None:
        if isinstance(about, Began) and about.name == "linear":
            stop.everything()

    outcome = Trying(ASKED, command=[sys.executable, "-c", TRIES], listener=listen, stop=stop).run()
    assert [trial.name for trial in outcome.trials] == ["trivial"]
    assert outcome.interrupted
    assert STOPPED in outcome.notes


@pytest.mark.usefixtures("nobody_stays")
def test_a_trial_in_which_somebody_stops_the_run_again_and_again_is_not_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ADVISOR_STATE", str(tmp_path))
    for _ in range(3):
        stop = Stop()
        journal = TrialJournal.open({}, fresh=False)
        assert journal is not None

        def listen(about: TrialEvent, stop: Stop = stop) -> None:
            if isinstance(about, Began) and about.name == "linear":
                stop.everything()

        command = [sys.executable, "-c", TRIES]
        outcome = Trying(ASKED, journal=journal, command=command, listener=listen, stop=stop).run()
        journal.close(finished=False)
        assert not any(trial.name == "linear" for trial in outcome.trials)


@pytest.mark.usefixtures("nobody_stays")
def test_nobody_who_stops_waits_for_torch_to_answer() -> None:
    stop = Stop()
    timer = threading.Timer(0.3, stop.everything)
    timer.start()
    view = ask_torch(LONG, [sys.executable, "-c", "import time; time.sleep(600)"], stop)
    timer.join()
    assert view.error == STOPPED


@pytest.mark.usefixtures("nobody_stays")
def test_a_trial_run_that_is_stopped_before_the_data_are_read_says_so() -> None:
    stop = Stop()
    timer = threading.Timer(0.3, stop.everything)
    timer.start()
    trying = Trying(ASKED, command=[sys.executable, "-c", "import time; time.sleep(600)"], stop=stop)
    with pytest.raises(NothingTriedError, match="stopped by hand"):
        trying.run()
    timer.join()
