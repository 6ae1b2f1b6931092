"""The experiments with strategies of many workers: what runs them, and whether it measures or simulates."""

from __future__ import annotations

from advisor.facts.fact_base import Source

SYNC = "sync"
"""The name of an outcome for which real workers trained: `advisor sync`."""
SIMULATE = "simulate"
"""The name of an outcome that a simulation gave: `advisor simulate`. It is never called measured."""
NETWORK, BATCH, WORKER = "strategy_network", "worker_batch", "worker"
"""Conditions: the network that the workers train, the examples of one worker's step, and what computes it."""
LEARNED, LATENCY = "strategy_data", "link_latency"
"""Conditions: the fingerprint of the data that the workers learn, and the latency of the links between them."""
OF_CLUSTER = {
    "nodes": "cluster.nodes",
    "cards_per_node": "machine.gpu.count",
    "nvlink": "machine.gpu.nvlink",
    "link_bytes_per_second": "cluster.network_bytes_per_second",
    "stragglers": "cluster.stragglers",
    "preemptions_per_day": "cluster.preemptions_per_day",
    "sites": "cluster.sites",
}
"""Conditions by the facts that they have the values of."""
CONDITIONS = (NETWORK, BATCH, WORKER, LEARNED, LATENCY, *OF_CLUSTER)
"""Those under which alone what was simulated, or real workers have shown, counts. A plan may divide its machine into several
workers: so not the machine counts, but the worker."""
_OF_STRATEGIES = (SYNC, SIMULATE)


def is_of_strategies(experiment: str) -> bool:
    """True if strategies of several workers were compared, rather than settings of one by a probe of the catalogue."""
    return experiment in _OF_STRATEGIES


def is_simulated(experiment: str) -> bool:
    """True if nothing ran but a simulation."""
    return experiment == SIMULATE


def source_of(experiment: str) -> Source:
    """The source of the facts that an experiment finds."""
    return Source.SIMULATED if is_simulated(experiment) else Source.MEASURED
