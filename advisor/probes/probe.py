"""What every probe declares. Running one is the runner's business, judging the pairs that of `verdict`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, TypeAlias

from advisor.probes.surroundings import Surroundings
from advisor.probes.verdict import Margins
from advisor.probes.workload import Device, Workload

Setting: TypeAlias = int | str
"""What is tried: a number of threads, a batch size, a number format."""
Costs: TypeAlias = Mapping[Setting, float]
"""Seconds per step, or per example, of each setting."""


class Varies(StrEnum):
    """The field of the workload that takes a probe's settings."""

    THREADS = "threads"
    BATCH_SIZE = "batch_size"
    PRECISION = "precision"


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """A setting's first run: can it run here at all, and about how fast."""

    setting: Setting
    cost: float
    """Seconds per step, or per example."""
    peak_memory_bytes: int


def best_other(costs: Costs, before: Setting) -> Setting:
    """The cheapest setting apart from the one recommended before."""
    return min((setting for setting in costs if setting != before), key=costs.__getitem__)


def equal_margins(before: Setting, rival: Setting) -> Margins:
    """Whoever is 3 % faster wins."""
    return Margins()


def never(rehearsals: Sequence[Rehearsal], before: Setting) -> str | None:
    """Every setting is rehearsed."""
    return None


@dataclass(frozen=True, slots=True)
class Probe:
    """An experiment that answers a question by timing the plan's own training step in several settings.

    `not_here` says why it does not apply to a workload on a machine, or None. `choose` names the settings to try, in
    order, given also what the plan recommends. `enough` says after each rehearsed setting why no further one is tried,
    or None. `rival` names the setting that the recommended one is then compared with, given the costs of those that
    ran; `margins` by how much each of the two must win.
    """

    name: str
    question: str
    topic: str
    fact: str
    cost_seconds: float
    """What it takes until most workloads are decided."""
    varies: Varies
    per_example: bool
    """Times are compared per example, otherwise per step."""
    not_here: Callable[[Workload, Surroundings], str | None]
    choose: Callable[[Workload, Surroundings, Setting], tuple[Setting, ...]]
    rival: Callable[[Costs, Setting], Setting] = best_other
    margins: Callable[[Setting, Setting], Margins] = equal_margins
    enough: Callable[[Sequence[Rehearsal], Setting], str | None] = never

    def why_not(self, workload: Workload, facts: Mapping[str, Any]) -> str | None:
        """Why this probe does not apply, or None where it does.

        Args:
            facts: of the machine, by the names of the vocabulary: {"machine.cpu.usable_cores": 2, ...}.
        """
        return workload.why_not() or self.not_here(workload, Surroundings.of(facts))

    def settings(self, workload: Workload, facts: Mapping[str, Any], recommended: Setting) -> tuple[Setting, ...]:
        """What to try on this machine, in this order; always with what is recommended."""
        chosen = self.choose(workload, Surroundings.of(facts), recommended)
        return chosen if recommended in chosen else (recommended, *chosen)

    def variant(self, workload: Workload, setting: Setting) -> Workload:
        """The workload in one setting. Raises ValueError where no workload has it."""
        return Workload.from_json({**workload.to_json(), self.varies.value: setting})

    def scope(self, workload: Workload) -> dict[str, str]:
        """What the result holds for, apart from the machine and the versions; the tried setting is not part of it."""
        scope = {
            "network": workload.describe(),
            "batch_size": str(workload.batch_size),
            "precision": workload.precision.value,
        }
        if workload.device is not Device.CPU:
            scope["device"] = workload.device.value
        return {name: value for name, value in scope.items() if name != self.varies}
