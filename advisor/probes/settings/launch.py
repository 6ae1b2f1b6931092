"""The start of a training process: threads between operations, hardware threads of a core, NUMA nodes.

These are set once, before torch computes anything, so each setting is a process of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from advisor.probes.probe import Probe, Setting, always, among
from advisor.probes.surroundings import Surroundings
from advisor.probes.workload import Device, Workload

CORES, HARDWARE_THREADS = "cores", "hardware_threads"
ANYWHERE, ONE_NODE = "anywhere", "one_node"


def _not_on_the_processor(workload: Workload | None) -> str | None:
    if workload is not None and workload.device is not Device.CPU:
        return "The step runs on the graphics card, where the processor's threads hardly count."
    return None


def _no_interop(workload: Workload | None, surroundings: Surroundings) -> str | None:
    return surroundings.one_core("operations cannot run side by side") or _not_on_the_processor(workload)


def _no_smt(workload: Workload | None, surroundings: Surroundings) -> str | None:
    physical, logical, usable = surroundings.physical_cores, surroundings.logical_cores, surroundings.usable_cores
    if physical is None or logical is None or usable is None:
        return "It is not known which hardware threads share a core."
    if logical <= physical:
        return "Every core has one hardware thread."
    if usable <= physical:
        return f"Only {usable} hardware threads can be used, not more than the {physical} cores."
    return _not_on_the_processor(workload)


def _threads_beyond_cores(
    values: Mapping[str, Any], topic: str, workload: Workload | None, surroundings: Surroundings
) -> Setting:
    """The plan uses the second hardware threads where it recommends more threads than there are cores."""
    threads, cores = values.get("compute.threads"), surroundings.physical_cores
    beyond = isinstance(threads, int) and cores is not None and threads > cores
    return HARDWARE_THREADS if beyond else CORES


def _no_numa(workload: Workload | None, surroundings: Surroundings) -> str | None:
    if surroundings.numa_nodes is None:
        return "It is not known whether all memory is equally near to all cores (number of NUMA nodes)."
    if surroundings.numa_nodes < 2:
        return "All memory is equally near to all cores (one NUMA node)."
    return _not_on_the_processor(workload)


_start = partial(Probe, topic="practice", cost_seconds=6.0, bench="peers")

INTEROP = _start(
    name="interop",
    place=120,
    question="Does it help the plan's own network to let operations run side by side (inter-op threads)?",
    fact="probe.interop.best",
    not_here=_no_interop,
    choose=lambda workload, surroundings, recommended: (1, surroundings.usable_cores or 1),
    # torch starts with as many as there are hardware threads that it may run on.
    recommended=lambda values, topic, workload, surroundings: surroundings.usable_cores,
)

SMT = _start(
    name="smt",
    place=130,
    shares_cores=True,
    question="Does the second hardware thread of a core (hyper-threading) help the plan's own network, or hold it up?",
    fact="probe.smt.best",
    not_here=_no_smt,
    choose=among(CORES, HARDWARE_THREADS),
    recommended=_threads_beyond_cores,
)

NUMA = _start(
    name="numa",
    place=140,
    shares_cores=True,
    question="Is the plan's own network faster on the cores and memory of one NUMA node than spread over all?",
    fact="probe.numa.best",
    not_here=_no_numa,
    choose=among(ANYWHERE, ONE_NODE),
    recommended=always(ANYWHERE),
)
