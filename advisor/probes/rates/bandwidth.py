"""The rates of main memory and of the caches: can one core alone use all that main memory gives?"""

from __future__ import annotations

from collections.abc import Mapping

from advisor.probes.probe import Costs, Probe, Setting, Work, always, best_other
from advisor.probes.surroundings import Surroundings
from advisor.probes.workload import Workload

ALL_THREADS = "all threads"
ONE_THREAD = "one thread"
CACHES: Mapping[str, int] = {"l1": 1, "l2": 2, "l3": 3}
"""Levels, by the setting that stays within them."""


def _choose(workload: Workload | None, surroundings: Surroundings, recommended: Setting) -> tuple[Setting, ...]:
    """Without one thread where that is all there is; without what the bench finds no cache for."""
    one: tuple[Setting, ...] = () if surroundings.usable_cores == 1 else (ONE_THREAD,)
    return (ALL_THREADS, *one, *sorted(CACHES, reverse=True))


def _rival(costs: Costs, before: Setting) -> Setting:
    """One thread: that caches are faster is no question."""
    return ONE_THREAD if ONE_THREAD in costs and before != ONE_THREAD else best_other(costs, before)


MEMORY = Probe(
    name="memory",
    place=190,
    question="How many bytes a second does main memory move, can one core alone use all of it, and what do caches add?",
    cost_seconds=5.0,
    bench="memory",
    work=Work.BYTE,
    needs_network=False,
    bound_by=("machine",),
    choose=_choose,
    recommended=always(ALL_THREADS),
    rival=_rival,
    gauges={
        "probe.memory.bytes_per_second": ALL_THREADS,
        "probe.memory.one_thread_bytes_per_second": ONE_THREAD,
        "probe.cache.l1_bytes_per_second": "l1",
        "probe.cache.l2_bytes_per_second": "l2",
        "probe.cache.l3_bytes_per_second": "l3",
    },
)
