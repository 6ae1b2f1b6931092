"""Activation checkpointing: what it costs in time and saves in memory, each way in a process of its own.

The verdict is about time alone; what is saved stands beside it as the peak memory of both settings.
"""

from __future__ import annotations

from advisor.probes.probe import Probe, Varies, among
from advisor.probes.surroundings import Surroundings
from advisor.probes.workload import Activations, Workload

_RECURRENT = ("rnn", "lstm")
_KEPT, _RECOMPUTED = Activations.KEPT.value, Activations.RECOMPUTED.value


def _not_here(workload: Workload | None, surroundings: Surroundings) -> str | None:
    if workload is not None and workload.network in _RECURRENT:
        return f"An {workload.network} has no chain of layers that could be computed again: it runs over all steps at once."
    return None


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
    choose=among(_KEPT, _RECOMPUTED),
    recommended=lambda values, topic, *_: _RECOMPUTED if values.get(topic) == "checkpointing" else _KEPT,
)
