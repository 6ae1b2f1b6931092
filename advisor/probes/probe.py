"""The declaration of a probe. Running one is the runner's business, judging the pairs that of `verdict`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, TypeAlias, TypeVar

from advisor.plain import decode, encode
from advisor.probes.surroundings import Surroundings
from advisor.probes.verdict import Margins
from advisor.probes.workload import Device, Workload

T = TypeVar("T")
STEADY = 0.1
"""Seconds of a sample that lasts longer than the turns of other programs: where these take 15 % of each core in turns of 15 ms,
pairs of such samples decide what is half as fast again within 8, and pairs of 20 ms not within 60 (simulated)."""
Setting: TypeAlias = int | str
"""A setting to try: a number of threads, a batch size, a number format, a way to read a file."""
Costs: TypeAlias = Mapping[Setting, float]
"""Seconds per unit of work of each setting."""

USUAL_BINDING = ("machine", "network", "torch", "device", "batch_size", "precision")
"""The conditions under which alone a result counts, unless a probe says otherwise."""


_FOR_FEW = {"sizes", "optimizer"}
"""Conditions of those probes alone that are bound by them: a network has its sizes in its name, and updates are short."""


class Varies(StrEnum):
    """The field of the workload that takes a probe's settings."""

    THREADS = "threads"
    BATCH_SIZE = "batch_size"
    PRECISION = "precision"
    MEMORY_FORMAT = "memory_format"
    EXECUTION = "execution"
    ACTIVATIONS = "activations"
    UPDATE = "update"
    DEVICE = "device"


class Work(StrEnum):
    """The unit of work: samples are seconds per one of it, rates are so many per second."""

    STEP = "step"
    EXAMPLE = "example"
    BYTE = "byte"
    FLOP = "FLOP"


def always(answer: T) -> Callable[..., T]:
    """The same answer for every machine and plan, such as what programs do that ask for nothing else."""
    return lambda *_: answer


def among(*settings: Setting) -> Callable[..., tuple[Setting, ...]]:
    """The same settings to try on every machine, in this order."""
    return always(settings)


def best_other(costs: Costs, before: Setting) -> Setting:
    """The cheapest setting apart from the one recommended before."""
    return min((setting for setting in costs if setting != before), key=costs.__getitem__)


RECHECK_STARTS = 1.5
"""Times the seconds that a process took to start are kept for starting a fresh one, where a probe has `recheck`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """An experiment that answers a question by timing some work in several settings, two of them in pairs.

    `not_here` says why it does not apply to a workload on a machine, or None. `choose` names the settings to try, in
    order, given also what is recommended. `recommended` names that setting, from the plan's values by topic: by default
    the value of the probe's topic. `enough` says after each rehearsed setting why no further one is tried, or None, given
    the costs so far in their order. `rival` names the setting that the recommended one is then compared with, given the
    costs of all that ran; `margins` by how much each of the two must win (3 % by default).
    """

    name: str
    question: str
    title: str = ""
    """In lists and reports, unless it decides a topic, whose title stands for it then."""
    topic: str = ""
    """The topic that the answer judges; empty for a probe that only measures what the machine can do."""
    cost_seconds: float
    """The expected duration: the time until most workloads are decided."""
    bench: str = "step"
    """The module of `advisor.probes.benches` that makes its trials in the child: `step` times the plan's training step in one
    process, `peers` each setting in a process of its own."""
    work: Work = Work.STEP
    choose: Callable[[Surroundings, Setting], tuple[Setting, ...]]
    not_here: Callable[[Surroundings], str | None] = lambda *_: None
    bound_by: tuple[str, ...] = USUAL_BINDING
    """The conditions under which alone a result counts."""
    varies: Varies | None = None
    needs_network: bool = True
    recommended: Callable[[Mapping[str, Any], Surroundings], Setting | None] | None = None
    rival: Callable[[Costs, Setting], Setting] = best_other
    margins: Callable[[Setting, Setting], Margins] = lambda *_: Margins()
    enough: Callable[[Costs, Setting], str | None] = lambda *_: None
    gauges: Mapping[str, Setting] = field(default_factory=dict)
    """Facts that take the rate (units of work per second) of a setting."""
    labels: Mapping[str, str] = field(default_factory=dict)
    """Titles of the facts that it gauges, in the order in which they are shown."""
    per: str = "s"
    """The unit of samples: seconds, or J where energy is measured."""
    also: tuple[str, ...] = ()
    """Further facts that a setting may bring with it."""
    shortest_sample: float = 0.02
    """Seconds; work is repeated until a sample takes as long."""
    recheck: bool = False
    """True if the setting that wins must run once more in a fresh process before it is returned."""
    shares_cores: bool = False
    """True if its settings use different numbers of processors: a busy machine would then decide it."""
    opt_in: bool = False
    """Runs only when it is named."""
    place: int = 1000
    """In lists, and among probes that are worth the same."""

    @property
    def starts_again(self) -> bool:
        """True if a fresh process has the last word, for whose start time is kept."""
        return self.recheck or self.varies is Varies.DEVICE

    @property
    def fact(self) -> str:
        """The fact that takes the better setting; empty where only the rates count."""
        return f"probe.{self.name}.best" if self.topic else ""

    @property
    def rate_unit(self) -> str:
        """steps/s, bytes/s, FLOP/s, examples/J"""
        return f"{self.work.value}{'' if self.work is Work.FLOP else 's'}/{self.per}"

    def why_not(self, workload: Workload | None, facts: Mapping[str, Any]) -> str | None:
        """The reason why this probe does not apply, or None where it does.

        Args:
            facts: of the machine, by the names of the vocabulary: {"machine.cpu.usable_cores": 2, ...}.
        """
        if workload is None and self.needs_network:
            return "There is no network that it could time."
        reason = workload.why_not() if workload is not None and self.needs_network else None
        if reason is None and workload is not None and workload.named is not None and self.bench == "loading":
            return "Loading is timed with the examples of networks that are built here only yet."
        return reason or self.not_here(Surroundings.of(facts, workload))

    def before(self, values: Mapping[str, Any], workload: Workload | None, facts: Mapping[str, Any]) -> Setting | None:
        """The plan's recommendation in terms of this probe, None where it has none yet.

        Args:
            values: of the plan, by topic.
        """
        if self.recommended is None:
            return values.get(self.topic)
        return self.recommended(values, Surroundings.of(facts, workload))

    def settings(
        self, workload: Workload | None, facts: Mapping[str, Any], recommended: Setting
    ) -> tuple[Setting, ...]:
        """The settings to try on this machine, in this order; the recommended one is always among them."""
        chosen = self.choose(Surroundings.of(facts, workload), recommended)
        return chosen if recommended in chosen else (recommended, *chosen)

    def variant(self, workload: Workload, setting: Setting) -> Workload:
        """The workload in one setting. Raises ValueError where no workload has it."""
        if self.varies is None:
            return workload
        if self.varies is Varies.DEVICE:
            return workload.on(Device.CPU if setting == "cpu" else Device.CUDA)
        return decode(Workload, {**encode(workload), self.varies.value: setting}, "workload")

    def scope(self, workload: Workload | None) -> dict[str, str]:
        """The conditions of the result, apart from the machine and the versions; the tried setting is no part."""
        if workload is None or not self.needs_network:
            return {}
        left_out = {self.varies} | (_FOR_FEW - {*self.bound_by})
        return {name: value for name, value in workload.conditions().items() if name not in left_out}
