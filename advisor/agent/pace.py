"""The time of a start and of a training step here, as the first probes have found it, and what fits into the time left."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from advisor.agent.worth import Candidate
from advisor.facts.values import with_unit
from advisor.probes.catalogue import PROBES
from advisor.probes.outcome import Outcome
from advisor.probes.probe import RECHECK_STARTS, Probe, Varies
from advisor.probes.verdict import FEW_PAIRS
from advisor.probes.workload import Device, Workload

STARTING = 3.0
"""Seconds for the start of torch and of the network, which the declared duration of a probe includes."""
ON_A_CARD = 10.0
"""The same with a graphics card, whose libraries are large: over 8 s were seen with an H200 (November 2026)."""
_LATE = 2.0
"""Times the seconds within which a process was not ready, it is expected to be."""
_REHEARSED = 3
"""Steps of a setting before it is compared; where there are more than two, as many again for finding the rival."""
_STEPS = frozenset(probe.name for probe in PROBES if probe.bench == "step" and probe.needs_network)
"""Others start more than one process, or write a file, before they are ready."""


def step_seconds(outcomes: Sequence[Outcome], workload: Workload | None) -> float | None:
    """Of a step of this network with this batch, as the newest probe of it lets expect; None where none was timed."""
    if workload is None:
        return None
    for outcome in reversed(outcomes):
        applies = outcome.applies
        same = applies.get("network") == workload.describe() and applies.get("device") == workload.device.value
        if same and outcome.step_seconds is not None:
            examples = int(applies["batch_size"]) if "batch_size" in applies else int(outcome.before)
            return outcome.step_seconds * workload.batch_size / examples
    return None


def start_seconds(outcomes: Sequence[Outcome], workload: Workload | None) -> float:
    """Of a process that trains this network on its device, as the newest probe of a network there lets expect."""
    device = workload.device if workload is not None else Device.CPU
    for outcome in reversed(outcomes):
        took, there = outcome.start_seconds, outcome.applies.get("device") == device.value
        if took is None or not there or outcome.probe not in _STEPS:
            continue
        if "torch" in outcome.applies:  # it was ready
            return took
        if outcome.late:
            return _LATE * took
    return ON_A_CARD if device is Device.CUDA else STARTING


def at_pace(candidate: Candidate, settings: int, seconds_a_step: float | None, start: float = STARTING) -> Candidate:
    """With the time that so many settings need where a start and a step take so long, if that is longer than usual."""
    if not candidate.probe.needs_network:
        return candidate
    seconds = candidate.probe.cost_seconds
    if seconds_a_step is not None:
        seconds = max(seconds, seconds_needed(settings, seconds_a_step))
    return replace(candidate, seconds=seconds + slow_starts(candidate.probe, start))


def slow_starts(probe: Probe, start: float) -> float:
    """Seconds beyond its declared duration that a probe needs where a process takes so long to start."""
    times = 1 + RECHECK_STARTS if probe.starts_again else 1.0
    return times * max(0.0, _start_of(probe, start) - STARTING)


def _start_of(probe: Probe, start: float) -> float:
    """One that compares devices starts the card, wherever the plan computes."""
    return max(start, ON_A_CARD) if probe.varies is Varies.DEVICE else start


def want_of_time(outcomes: Sequence[Outcome], workload: Workload | None, probe: Probe, seconds: float) -> str:
    """A sentence on a probe for which too little was left, with what makes it long and how many seconds it needs."""
    pace, start = step_seconds(outcomes, workload), start_seconds(outcomes, workload)
    why = "No time was left"
    if workload is not None and pace is not None and seconds > probe.cost_seconds + slow_starts(probe, start):
        why = f"A step of {workload.batch_size} examples takes about {_about(pace)} here"
    elif workload is not None and seconds > probe.cost_seconds:
        why = f"Starting torch and the network takes about {_about(_start_of(probe, start))} here"
    return f"{why}: about {_about(seconds)} are needed."


def examples_that_fit(
    workload: Workload, settings: int, seconds_a_step: float, seconds: float, start: float = STARTING
) -> int | None:
    """The largest power of two below the batch with which so many settings can be compared in the time, or None."""
    seconds -= max(0.0, start - STARTING)
    size: int = 2 ** ((workload.batch_size - 1).bit_length() - 1) if workload.batch_size > 1 else 0
    while size >= workload.fewest:
        if seconds_needed(settings, seconds_a_step * size / workload.batch_size) <= seconds:
            return size
        size //= 2
    return None


def can_shrink(candidate: Candidate) -> bool:
    """True if its settings can be compared with a smaller batch too."""
    probe = candidate.probe
    return probe.needs_network and probe.bench == "step" and probe.varies not in (Varies.BATCH_SIZE, Varies.EXECUTION)


def seconds_needed(settings: int, seconds_a_step: float) -> float:
    """For comparing so many settings of a step that takes so long, the start included."""
    rehearsed = _REHEARSED * settings * (2 if settings > 2 else 1)
    return STARTING + (rehearsed + 2 * FEW_PAIRS) * seconds_a_step


def _about(seconds: float) -> str:
    """`5.3 s`, `3.5 min`, `85 h`: two digits."""
    size, unit = next(
        (size, unit) for size, unit in ((3600, "h"), (60, "min"), (1, "s")) if seconds >= 2 * size or size == 1
    )
    return with_unit(float(f"{seconds / size:.2g}"), unit)
