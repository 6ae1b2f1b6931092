"""The number of threads: the whole training step at 1, 2, 4, ... threads."""

from __future__ import annotations

from advisor.probes.probe import Probe, Setting, Varies
from advisor.probes.surroundings import Surroundings
from advisor.probes.workload import Device, Workload


def _not_here(workload: Workload | None, surroundings: Surroundings) -> str | None:
    if workload is not None and workload.device is not Device.CPU:
        return "The step runs on the graphics card, where the processor's threads hardly count."
    return surroundings.one_core("there is nothing to choose between")


def _choose(workload: Workload | None, surroundings: Surroundings, recommended: Setting) -> tuple[Setting, ...]:
    """Powers of two, the numbers of cores and what is recommended, up to the usable cores.

    In table 4 of Shi et al. 2016 (arXiv:1608.07249) the best is below, at or above the physical cores, by network and
    tool: none of these can be left out.
    """
    usable = surroundings.usable_cores or 1
    powers = (2**exponent for exponent in range(usable.bit_length()))
    named = (surroundings.physical_cores, usable, surroundings.logical_cores, recommended)
    candidates = {*powers, *(number for number in named if isinstance(number, int))}
    return tuple(sorted(number for number in candidates if number <= usable))


THREADS = Probe(
    name="threads",
    place=10,
    shares_cores=True,
    question="Which number of threads takes the least time for a training step of the plan's own network?",
    topic="compute.threads",
    fact="probe.threads.best",
    cost_seconds=6.0,
    varies=Varies.THREADS,
    not_here=_not_here,
    choose=_choose,
)
