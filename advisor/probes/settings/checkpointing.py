"""Activation checkpointing: what it costs in time and saves in memory, each way in a process of its own.

The verdict is about time alone; what is saved stands beside it as the peak memory of both settings.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from advisor.probes.probe import Probe, Setting, Varies, among
from advisor.probes.surroundings import Surroundings
from advisor.probes.workload import Activations, Workload

_RECURRENT = ("rnn", "lstm")


def _not_here(workload: Workload | None, surroundings: Surroundings) -> str | None:
    if workload is not None and workload.network in _RECURRENT:
        return f"An {workload.network} has no chain of layers that could be computed again: it runs over all steps at once."
    return None


def _recommended(values: Mapping[str, Any], topic: str, workload: Workload | None, _: Surroundings) -> Setting:
    checkpointing = values.get(topic) == "checkpointing"
    return Activations.RECOMPUTED.value if checkpointing else Activations.KEPT.value


CHECKPOINTING = Probe(
    name="checkpointing",
    place=70,
    question="What does computing the activations again cost in time, and save in memory, in the plan's own network?",
    topic="memory.strategy",
    fact="probe.checkpointing.best",
    cost_seconds=6.0,
    varies=Varies.ACTIVATIONS,
    bench="peers",
    not_here=_not_here,
    choose=among(Activations.KEPT.value, Activations.RECOMPUTED.value),
    recommended=_recommended,
)
