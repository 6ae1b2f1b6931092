"""A measurement that was made up: it tells what a real one tells, at once, and waits where a test wants to look."""

from __future__ import annotations

import functools
import random
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from advisor.agent.agent import Revision
from advisor.agent.events import ProbeFinished, ProbeSkipped, ProbeStarted
from advisor.agent.settling.advising import advise_here
from advisor.children.stopping import STOPPED, Stop
from advisor.facts.verdict import Verdict
from advisor.inference.advise import VALUES_ONLY
from advisor.knowledge.cache import load_cached
from advisor.knowledge.model import Knowledge, School
from advisor.machine.machine import Machine
from advisor.probes.catalogue import probe_named
from advisor.probes.conditions import Conditions
from advisor.probes.outcome import Outcome, SettingRecord
from advisor.probes.probe import Setting
from advisor.probes.protocol import Duel, Message, Phase, Ready, Rehearsed, Sample
from advisor.resources import rules_folder
from advisor.version import torch_version
from tests.tui.stand_in import StandIn

MACHINE = Machine(
    cpu_model="A processor",
    physical_cores=8,
    logical_cores=16,
    usable_cores=8,
    features=frozenset({"avx2"}),
    memory_bytes=32 * 2**30,
    gpus=(),
)
DIGITS = {
    "task.kind": "classify",
    "task.outputs": "10",
    "data.modality": "image",
    "data.examples": "60000",
    "data.inputs": "784",
    "project.pretrained_allowed": "no",
}
"""Answers whose plan is a network that can be timed."""


@dataclass(frozen=True)
class Played:
    """One probe of the made measurement."""

    probe: str
    before: Setting
    seconds: dict[Setting, float]
    """Per unit of work, by setting."""
    verdict: Verdict
    rival: Setting
    failure: str | None = None


THREADS = Played("threads", 8, {1: 0.020, 2: 0.011, 4: 0.0065, 8: 0.0082}, Verdict.OVERTURNED, 4)
BATCH = Played("batch", 128, {32: 9e-5, 64: 6e-5, 128: 4.4e-5, 256: 4.2e-5}, Verdict.CONFIRMED, 256)
PRECISION = Played("precision", "fp32", {"fp32": 0.0065, "bf16": 0.0066}, Verdict.NO_DIFFERENCE, "bf16")
MATMUL = Played("matmul", "fp32", {"fp32": 1 / 214e9, "bf16": 1 / 90e9}, Verdict.UNDECIDED, "bf16")


@functools.cache
def rules(whose: str = "of the conversation") -> Knowledge:
    """The rule base, read once; an engine remembers, so no two threads share one."""
    return load_cached(rules_folder(), ())


@dataclass
class MadeMeasurement:
    """Takes the place of `Desk.measure`. It waits in the pairs of every probe that `waits_in` names, until that is let go or
    stopped."""

    desk: StandIn
    plays: Sequence[Played] = (THREADS, BATCH, PRECISION, MATMUL)
    waits_in: tuple[str, ...] = ()
    asked: list[tuple[float, Sequence[str] | None]] = field(default_factory=list)
    let_go: threading.Event = field(default_factory=threading.Event)
    ended: threading.Event = field(default_factory=threading.Event)

    def __call__(self, seconds: float, only: Sequence[str] | None, listener: Any, stop: Stop) -> Revision:
        self.asked.append((seconds, only))
        outcomes: list[Outcome] = []
        skipped: list[ProbeSkipped] = []
        for play in self.plays:
            if stop.all:
                skipped.append(ProbeSkipped(play.probe, STOPPED, open=True))
                continue
            stop.next()
            probe = probe_named(play.probe)
            listener(ProbeStarted(probe, 2 * probe.cost_seconds, seconds, play.before))
            for message in messages(play):
                listener(message)
            if play.probe in self.waits_in:
                while not (self.let_go.wait(0.02) or stop.now):
                    pass
            outcomes.append(outcome_of(play, stopped=stop.now))
            listener(ProbeFinished(outcomes[-1]))
        self.ended.set()
        facts = self.desk.interview.facts()
        knowledge = rules("of the thread that measures")
        before = advise_here(knowledge, facts, MACHINE, (), School.TODAY, VALUES_ONLY)
        after = advise_here(knowledge, facts, MACHINE, outcomes, School.TODAY, VALUES_ONLY)
        return Revision(before, after, tuple(outcomes), tuple(skipped))


def messages(play: Played, pairs: int = 12) -> Iterator[Message]:
    """What a child tells of it, with a spread of some per cent; the same each time."""
    random_ = random.Random(0)
    yield Ready(torch_version(), "3.11", 8)
    for setting, seconds in play.seconds.items():
        yield Rehearsed(setting, seconds * 1.1, 100_000_000)
    for number in range(3):
        for setting, seconds in play.seconds.items():
            yield Sample(Phase.SEARCH, setting, number, seconds * random_.uniform(0.9, 1.1))
    yield Duel(play.rival)
    for number in range(pairs):
        for setting in (play.before, play.rival):
            yield Sample(Phase.DUEL, setting, number, play.seconds[setting] * random_.uniform(0.95, 1.05), 0.2 * number)


def outcome_of(play: Played, *, stopped: bool = False) -> Outcome:
    probe = probe_named(play.probe)
    told = [message for message in messages(play) if isinstance(message, Sample)]
    records = tuple(
        SettingRecord(
            setting,
            tuple(one.seconds for one in told if one.setting == setting and one.phase is Phase.SEARCH),
            tuple(one.seconds for one in told if one.setting == setting and one.phase is Phase.DUEL),
        )
        for setting in play.seconds
    )
    verdict = Verdict.UNDECIDED if stopped or play.failure else play.verdict
    after = {Verdict.OVERTURNED: play.rival, Verdict.UNDECIDED: None}.get(verdict, play.before)
    return Outcome(
        probe=probe.name, topic=probe.topic, fact=probe.fact, before=play.before, verdict=verdict, after=after,
        rival=play.rival, median=1.24, low=1.18, high=1.31, n=0 if play.failure else 12, date="2026-11-21T12:00:00+00:00",
        applies={"network": "cnn 784-[64]-10", "torch": torch_version(), "machine": MACHINE.fingerprint}, settings=records,
        conditions=Conditions(0.1, "performance", 3000.0, 0.0, 0.0, (STOPPED,) if stopped else ()),
        failure=play.failure, work=probe.work.value, per=probe.per, gauges=probe.gauges, bound_by=("machine", "torch"),
    )  # fmt: skip


def measuring_desk(
    *, waits_in: tuple[str, ...] = (), plays: Sequence[Played] | None = None
) -> tuple[StandIn, MadeMeasurement]:
    """A desk with a plan that can be measured on a machine of eight cores."""
    desk = StandIn(rules(), machine=MACHINE)
    for name, text in DIGITS.items():
        desk.interview.answer(name, text)
    made = MadeMeasurement(desk, waits_in=waits_in) if plays is None else MadeMeasurement(desk, plays, waits_in)
    desk.measured = made
    return desk, made
