"""The six networks of the benchmark of 2016 on this machine: sweeps over threads, batches and devices, by the usual probes."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from typing import Any, TypeAlias

from advisor.agent.agent import FEWEST_SECONDS
from advisor.agent.events import JournalFailed, MeasuringEvent, MeasuringResumed, ProbeFinished, ProbeStarted
from advisor.agent.pace import seconds_needed, step_seconds
from advisor.agent.remembered.journal import Journal
from advisor.children.stopping import Stop
from advisor.errors import InputError
from advisor.networks.benchmark.six import BenchmarkNetwork
from advisor.networks.counts import counted
from advisor.probes.outcome import Outcome
from advisor.probes.probe import Probe, Setting
from advisor.probes.protocol import Message, Rehearsed
from advisor.probes.runner import run
from advisor.probes.settings.batch import BATCH
from advisor.probes.settings.cores import THREADS
from advisor.probes.settings.variants import CPU, DEVICE, GPU
from advisor.probes.workload import Workload

AFTERWARDS = 1.0
"""Seconds of the budget that are kept for ending a child that hangs."""
ENOUGH = 30.0
"""Seconds within which most sweeps are decided: one may take as long, though its share of the time be less."""
_WITHIN = 3.0
"""Times as fast a network may be as multiply-adds of another let expect: convolutions compute faster than gates."""


@dataclass(frozen=True, slots=True)
class Sweep:
    """One network with all settings of one probe."""

    network: BenchmarkNetwork
    probe: Probe
    settings: tuple[Setting, ...]
    before: Setting
    """The setting that the others are compared with: the survey's number of threads, the benchmark's batch."""


BenchEvent: TypeAlias = Sweep | MeasuringEvent
"""A sweep begins, and what each of its probes tells."""


@dataclass
class Measured:
    """The results for one network: the outcome of each sweep, or why there is none."""

    network: BenchmarkNetwork
    outcomes: dict[str, Outcome] = field(default_factory=dict)
    """By the name of the probe."""
    skipped: dict[str, str] = field(default_factory=dict)
    needs: dict[str, float] = field(default_factory=dict)
    """Seconds that a sweep needs which was skipped or came to nothing for want of time, as far as steps let expect."""
    first: dict[str, dict[Setting, float]] = field(default_factory=dict)
    """By probe and setting the cost of a unit of work at the first run: all there is of a setting with no time for more."""
    begun: dict[str, tuple[Setting, ...]] = field(default_factory=dict)
    """By probe the settings that were to be tried."""

    @property
    def best_threads(self) -> int | None:
        """The number that was decided to be faster, else the one with the shortest time; None where none was timed."""
        outcome = self.outcomes.get(THREADS.name)
        if outcome is not None and isinstance(outcome.after, int):
            return outcome.after
        costs = dict(self.first.get(THREADS.name, {}))
        if outcome is not None:
            rates = {record.setting: outcome.rate(record.setting) for record in outcome.settings}
            costs |= {setting: 1 / rate.median for setting, rate in rates.items() if rate is not None}
        return int(min(costs, key=costs.__getitem__)) if costs else None


def workload(network: BenchmarkNetwork, threads: int | None = None) -> Workload:
    """The training step as it was timed in 2016: its own batch, plain gradient descent, 32 bits, on the processor."""
    own = {field.name for field in fields(BenchmarkNetwork)} & {field.name for field in fields(Workload)}
    return Workload(optimizer="sgd", threads=threads, **{name: getattr(network, name) for name in own})


def recommended_threads(facts: Mapping[str, Any], settings: Sequence[int]) -> int:
    """The survey's: as many as there are real cores that may be used; of those to be tried the nearest below it."""
    known = [facts.get("machine.cpu.physical_cores"), facts.get("machine.cpu.usable_cores")]
    cores = min((number for number in known if isinstance(number, int)), default=1)
    return max((number for number in settings if number <= cores), default=min(settings))


def sweeps(
    networks: Sequence[BenchmarkNetwork],
    facts: Mapping[str, Any],
    threads: Sequence[int] | None = None,
    batches: Sequence[int] | None = None,
) -> tuple[list[Sweep], dict[tuple[str, str], str]]:
    """The sweeps to measure, in order: those of one network after the other, the least work first; threads, device, batches.

    One thread and the benchmark's own batch are always among the settings, since the others are seen against them.

    Args:
        facts: of the machine, by the names of the vocabulary.
        threads: to be tried; by default powers of two and the numbers of cores, up to the usable ones.
        batches: to be tried; by default half and twice the benchmark's own.

    Returns the sweeps, and for those that mean nothing here the reason, by network and probe.
    """
    found: list[Sweep] = []
    reasons: dict[tuple[str, str], str] = {}
    for network in sorted(networks, key=work):
        step = workload(network)
        reason = THREADS.why_not(step, facts) if threads is None else None
        if reason is None:
            tried: tuple[Setting, ...] = tuple(sorted({1, *threads})) if threads else THREADS.settings(step, facts, 1)
            numbers = [number for number in tried if isinstance(number, int)]
            if len(numbers) < 2:
                reason = "Only one number of threads is to be tried."
            else:
                before = recommended_threads(facts, numbers)
                found.append(Sweep(network, THREADS, tried, before))
        if reason is not None:
            reasons[network.name, THREADS.name] = reason
        reason = DEVICE.why_not(step, facts)
        if reason is None:
            found.append(Sweep(network, DEVICE, (CPU, GPU), GPU))
        else:
            reasons[network.name, DEVICE.name] = reason
        own = network.batch_size
        sizes = {own, *(batches or (own // 2, 2 * own))}
        if sizes == {own}:
            reasons[network.name, BATCH.name] = "Only its own batch is to be tried."
        else:
            found.append(Sweep(network, BATCH, tuple(sorted(sizes)), own))
    return found, reasons


def work(network: BenchmarkNetwork) -> float:
    """Multiply-adds of one forward pass of its batch: how heavy it is beside the others."""
    return float(counted(network).multiply_adds * network.batch_size)


@dataclass
class Benchmark:
    """Runs the sweeps within a budget; `results`, by the network's name, has what is known so far, also after Ctrl-C.

    A network that does not fit the memory costs its own row.
    """

    networks: Sequence[BenchmarkNetwork]
    facts: Mapping[str, Any]
    machine: str
    """Its fingerprint."""
    budget_seconds: float
    threads: Sequence[int] | None = None
    batches: Sequence[int] | None = None
    listener: Callable[[BenchEvent], None] | None = None
    journal: Journal | None = None
    """The file to which finished sweeps are written at once."""
    journal_stays: bool = False
    """True if the caller closes it, once what was found is delivered."""
    stop: Stop = field(default_factory=Stop)
    """Ends the run; what is known by then is in the results."""
    results: dict[str, Measured] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.results = {network.name: Measured(network) for network in self.networks}

    def measure(self) -> None:
        """Take the budget and a second or two more. What an earlier run had finished, by the journal, is taken over."""
        spent = self.journal.spent if self.journal is not None else 0.0
        deadline = time.monotonic() + self.budget_seconds - spent
        planned, reasons = sweeps(self.networks, self.facts, self.threads, self.batches)
        for (name, probe), reason in reasons.items():
            self.results[name].skipped[probe] = reason
        left = [sweep for sweep in planned if not self._known(sweep)]
        if self.journal is not None and len(left) < len(planned):
            self._tell(MeasuringResumed(tuple(self.journal.outcomes), self.journal.spent))
        while left and not self.stop.all:
            sweep, *left = left
            seconds = deadline - time.monotonic() - AFTERWARDS
            needed = self.seconds_needed(sweep)
            if seconds < FEWEST_SECONDS or (needed is not None and needed > seconds):
                why = (
                    "No time was left." if needed is None else f"No time was left: it needs about {needed:.0f} s here."
                )
                result = self.results[sweep.network.name]
                result.skipped[sweep.probe.name] = why
                if needed is not None:
                    result.needs[sweep.probe.name] = needed
                continue
            self._run(sweep, min(seconds, max(seconds / (1 + len(left)), ENOUGH, needed or 0.0)), deadline)
        if self.journal is not None and not self.journal_stays:
            self.journal.close(finished=not self.stop.all)

    def _run(self, sweep: Sweep, seconds: float, deadline: float) -> None:
        network, probe = sweep.network, sweep.probe
        result = self.results[network.name]
        step = workload(network, None if probe is THREADS else self._threads(result))
        self._note(lambda journal: journal.begin(probe.name, self._spent(deadline)))
        self._tell(sweep)
        self._tell(ProbeStarted(probe, seconds, deadline - time.monotonic()))
        result.begun[probe.name] = sweep.settings
        result.skipped[probe.name] = "It was stopped."
        outcome = run(
            probe,
            step,
            before=sweep.before,
            facts=self.facts,
            budget_seconds=seconds,
            settings=sweep.settings,
            date=datetime.now(UTC).isoformat(timespec="seconds"),
            machine=self.machine,
            on_event=self._hearing(result, probe),
            stop=self.stop,
        )
        if outcome.stopped:  # the same command measures it when it goes on
            return
        result.outcomes[probe.name] = outcome
        if outcome.late or outcome.too_slow:
            result.needs[probe.name] = max(2 * seconds, self.seconds_needed(sweep) or 0.0)
        del result.skipped[probe.name]
        self._note(lambda journal: journal.add(outcome, self._spent(deadline)))
        self._tell(ProbeFinished(outcome))

    def seconds_needed(self, sweep: Sweep) -> float | None:
        """For comparing its settings, as steps of this network let expect, else those of others at least; None where none ran."""
        steps = {
            name: step_seconds(tuple(result.outcomes.values()), workload(result.network))
            for name, result in self.results.items()
        }
        own = steps[sweep.network.name]
        rates = [seconds / work(self.results[name].network) for name, seconds in steps.items() if seconds is not None]
        if own is None and not rates:
            return None
        return seconds_needed(len(sweep.settings), min(rates) * work(sweep.network) / _WITHIN if own is None else own)

    def _hearing(self, result: Measured, probe: Probe) -> Callable[[Message], None]:
        first = result.first.setdefault(probe.name, {})

        def hear(message: Message) -> None:
            if isinstance(message, Rehearsed):
                first[message.setting] = message.seconds
            self._tell(message)

        return hear

    def _threads(self, result: Measured) -> int | None:
        """The best that was found for this network; the survey's, of those named, where none was sought."""
        if result.best_threads is not None:
            return result.best_threads
        if self.threads:
            return recommended_threads(self.facts, self.threads)
        usable = self.facts.get("machine.cpu.usable_cores")
        return recommended_threads(self.facts, range(1, usable + 1)) if isinstance(usable, int) else None

    def _known(self, sweep: Sweep) -> bool:
        """True if an earlier run, stopped since, has finished this sweep; its outcome is taken over."""
        for outcome in self.journal.outcomes if self.journal is not None else ():
            same = outcome.applies.get("network") == workload(sweep.network).describe()
            if same and outcome.probe == sweep.probe.name:
                self.results[sweep.network.name].outcomes[outcome.probe] = outcome
                return True
        return False

    def _spent(self, deadline: float) -> float:
        return self.budget_seconds - (deadline - time.monotonic())

    def _note(self, write: Callable[[Journal], None]) -> None:
        """Write to the journal; measuring continues if that fails."""
        if self.journal is not None:
            try:
                write(self.journal)
            except InputError as error:
                self._tell(JournalFailed(error))

    def _tell(self, event: BenchEvent) -> None:
        if self.listener is not None:
            self.listener(event)

    @property
    def resumable(self) -> bool:
        """True if the journal has anything that the same command would not measure again."""
        return self.journal is not None and bool(self.journal.outcomes)

    @property
    def anything(self) -> bool:
        """True if any setting of any network was timed."""
        return any(map(timed, self.results.values()))


def timed(result: Measured) -> bool:
    """True if any of its settings ran."""
    records = [record for outcome in result.outcomes.values() for record in outcome.settings]
    return any(result.first.values()) or any(record.search or record.duel for record in records)
