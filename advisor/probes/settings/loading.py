"""Reading the data: does training wait for it, and which way of reading keeps up best.

All four probes time the plan's own training step, fed by a DataLoader of torch. They differ in how that is set up.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from advisor.probes.probe import USUAL_BINDING, Costs, Probe, Setting, Work, always, among
from advisor.probes.surroundings import Surroundings
from advisor.probes.verdict import MATTERS, Margins
from advisor.probes.workload import Device, Workload

INPUT_BOUND = 1.05
"""Times as long as with a batch that is there already: from then on training waits for its data (Mohan et al. 2021)."""
USUAL_PREFETCH = 2
"""Batches that torch lets each loader process read ahead."""
BESIDE = "probe.workers.threads"
"""The fact that takes how many threads training kept beside the loader processes."""
_BINDING = (*USUAL_BINDING, "memory_format")
"""A faster step needs its data sooner."""
_DECODED = ("image", "audio", "video")
_DECODING_WORKERS = 4
_LIGHT_WORKERS = 2


@dataclass(frozen=True, slots=True)
class Loader:
    """The settings of loading: how a training step gets its batches."""

    workers: int = 0
    """Loader processes; with 0 the training process reads by itself."""
    prefetch: int = USUAL_PREFETCH
    """Batches that each of them reads ahead."""
    pinned: bool = False
    """True if batches pass through page-locked memory, and are copied from there beside the computation."""
    cached: bool = False
    """Nothing is read: one batch is kept and used again and again."""

    @property
    def read_ahead(self) -> int:
        """Batches that are being read or wait, while training uses another one."""
        return self.workers * self.prefetch


def planned(pipeline: Collection[str] | None, workload: Workload, surroundings: Surroundings) -> Loader:
    """The plan's `data.pipeline` as a DataLoader; settings that it leaves open are torch's defaults.

    The usual number of loader processes for a graphics card: four where pictures or sounds are decoded, two for
    everything else (Bekman, Machine Learning Engineering, chapter on the DataLoader).
    """
    items = pipeline or ()
    workers = surroundings.best_workers
    if workers is None:
        usual = _DECODING_WORKERS if workload.modality in _DECODED else _LIGHT_WORKERS
        workers = min(usual, surroundings.usable_cores or usual) if "workers" in items else 0
    return Loader(workers, pinned=workload.device is Device.CUDA and "pinned_memory" in items)


def loader(probe: str, setting: Setting, workload: Workload, surroundings: Surroundings) -> Loader:
    """The loader of a probe of this file in one of its settings; all else is as in the plan."""
    plan = planned(surroundings.pipeline, workload, surroundings)
    match probe:
        case "workers":
            return replace(plan, workers=int(setting))
        case "prefetch":
            return replace(plan, prefetch=int(setting))
        case "pinning":
            return replace(plan, pinned=setting == "pinned")
        case _:
            return Loader(cached=True) if setting == "cached" else plan


def fewest_of_the_best(costs: Costs, before: Setting) -> Setting:
    """The smallest of the other numbers that is as good as the best of them: each process, each batch takes memory."""
    others = {int(setting): cost for setting, cost in costs.items() if setting != before}
    best = min(others.values())
    return min(number for number, cost in others.items() if cost <= best * MATTERS)


def _planned(values: Mapping[str, Any], here: Surroundings) -> Loader | None:
    """The loader of these values of the plan, or of the pipeline that is known; None where there is no step to feed."""
    items = values.get("data.pipeline")
    if here.workload is None:
        return None
    return planned(here.pipeline if items is None else items, here.workload, here)


def _nothing_ahead(here: Surroundings) -> str | None:
    plan = _planned({}, here)
    ahead = plan is not None and plan.workers > 0
    return None if ahead else "The plan has no loader processes, so there is nothing that could be read ahead."


def _nothing_to_pin(here: Surroundings) -> str | None:
    return None if here.on_card else "The plan computes on the processor, so no batch is copied to a graphics card."


def _numbers_of_workers(here: Surroundings, recommended: Setting) -> tuple[Setting, ...]:
    """None, powers of two up to the usable cores, all of these, and what is recommended."""
    usable = here.usable_cores or 1
    return tuple(sorted({0, usable, int(recommended), *(2**exponent for exponent in range(usable.bit_length()))}))


def _planned_workers(values: Mapping[str, Any], here: Surroundings) -> Setting | None:
    plan = _planned(values, here)
    return None if plan is None else plan.workers


def _planned_pinning(values: Mapping[str, Any], here: Surroundings) -> Setting | None:
    plan = _planned(values, here)
    return None if plan is None else "pinned" if plan.pinned else "pageable"


_fed = partial(Probe, topic="data.pipeline", bench="loading", work=Work.EXAMPLE, bound_by=_BINDING)
"""A probe of the step that a DataLoader feeds."""

INPUT = _fed(
    name="input",
    title="Waiting for data",
    place=80,
    question="Does training wait for its data: is it 5 % faster with a batch that is there already?",
    cost_seconds=12.0,
    choose=among("loaded", "cached"),
    recommended=always("loaded"),
    margins=lambda before, rival: Margins(before=MATTERS, rival=INPUT_BOUND),
)
WORKERS = _fed(
    name="workers",
    title="Loader processes",
    place=90,
    also=(BESIDE,),
    shares_cores=True,
    question="How many loader processes feed the plan's own network best?",
    cost_seconds=25.0,
    not_here=lambda here: here.one_core("loader processes could only take turns with training"),
    choose=_numbers_of_workers,
    recommended=_planned_workers,
    rival=fewest_of_the_best,
)
PREFETCH = _fed(
    name="prefetch",
    title="Batches read ahead",
    place=100,
    question="How many batches should each loader process read ahead?",
    cost_seconds=20.0,
    not_here=_nothing_ahead,
    choose=among(USUAL_PREFETCH, 2 * USUAL_PREFETCH, 4 * USUAL_PREFETCH),
    recommended=always(USUAL_PREFETCH),
    rival=fewest_of_the_best,
)
PINNING = _fed(
    name="pinning",
    title="Memory of batches",
    place=110,
    question="Do batches reach the graphics card faster through page-locked memory?",
    cost_seconds=12.0,
    not_here=_nothing_to_pin,
    choose=among("pageable", "pinned"),
    recommended=_planned_pinning,
)
