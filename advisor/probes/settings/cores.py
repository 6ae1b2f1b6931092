"""Probes of how the training step uses the cores: threads in and between operations, hardware threads, NUMA nodes.

Threads in an operation can be switched at any time. All else is set once, before torch computes anything, so each
setting is a process of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from advisor.probes.probe import STEADY, Probe, Setting, Varies, always, among
from advisor.probes.surroundings import Surroundings

CORES, HARDWARE_THREADS = "cores", "hardware_threads"
ANYWHERE, ONE_NODE = "anywhere", "one_node"


def _on_the_card(here: Surroundings) -> str | None:
    hardly = "The step runs on the graphics card, where the processor's threads hardly count."
    return hardly if here.on_card else None


def _threads(here: Surroundings, recommended: Setting) -> tuple[Setting, ...]:
    """Powers of two, the numbers of cores and what is recommended, up to the usable cores.

    In table 4 of Shi et al. 2016 (arXiv:1608.07249) the best is below, at or above the physical cores, by network and
    tool: none of these can be left out.
    """
    usable = here.usable_cores or 1
    powers = (2**exponent for exponent in range(usable.bit_length()))
    named = (here.physical_cores, usable, here.logical_cores, recommended)
    candidates = {*powers, *(number for number in named if isinstance(number, int))}
    return tuple(sorted(number for number in candidates if number <= usable))


THREADS = Probe(
    name="threads",
    place=10,
    shares_cores=True,
    question="Which number of threads takes the least time for a training step of the plan's own network?",
    topic="compute.threads",
    cost_seconds=6.0,
    varies=Varies.THREADS,
    shortest_sample=STEADY,
    not_here=lambda here: _on_the_card(here) or here.one_core("there is nothing to choose between"),
    choose=_threads,
)

_started = partial(Probe, topic="practice", cost_seconds=6.0, bench="peers")

INTEROP = _started(
    name="interop",
    title="Inter-op threads",
    place=120,
    question="Does it help the plan's own network to let operations run side by side (inter-op threads)?",
    not_here=lambda here: here.one_core("operations cannot run side by side") or _on_the_card(here),
    choose=lambda here, recommended: (1, here.usable_cores or 1),
    # torch starts with as many as there are hardware threads that it may run on.
    recommended=lambda values, here: here.usable_cores,
)


def _no_smt(here: Surroundings) -> str | None:
    physical, logical, usable = here.physical_cores, here.logical_cores, here.usable_cores
    if physical is None or logical is None or usable is None:
        return "It is not known which hardware threads share a core."
    if logical <= physical:
        return "Every core has one hardware thread."
    if usable <= physical:
        return f"Only {usable} hardware threads can be used, not more than the {physical} cores."
    return _on_the_card(here)


def _threads_beyond_cores(values: Mapping[str, Any], here: Surroundings) -> Setting:
    """The plan uses the second hardware threads where it recommends more threads than there are cores."""
    threads, cores = values.get("compute.threads"), here.physical_cores
    beyond = isinstance(threads, int) and cores is not None and threads > cores
    return HARDWARE_THREADS if beyond else CORES


SMT = _started(
    name="smt",
    title="Threads per core",
    place=130,
    shares_cores=True,
    question="Does the second hardware thread of a core (hyper-threading) help the plan's own network, or hold it up?",
    not_here=_no_smt,
    choose=among(CORES, HARDWARE_THREADS),
    recommended=_threads_beyond_cores,
)


def _no_numa(here: Surroundings) -> str | None:
    if here.numa_nodes is None:
        return "It is not known whether all memory is equally near to all cores (number of NUMA nodes)."
    if here.numa_nodes < 2:
        return "All memory is equally near to all cores (one NUMA node)."
    return _on_the_card(here)


NUMA = _started(
    name="numa",
    title="NUMA binding",
    place=140,
    shares_cores=True,
    question="Is the plan's own network faster on the cores and memory of one NUMA node than spread over all?",
    not_here=_no_numa,
    choose=among(ANYWHERE, ONE_NODE),
    recommended=always(ANYWHERE),
)
