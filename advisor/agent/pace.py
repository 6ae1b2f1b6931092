"""The time of a training step here, as the first probes have found it, and what fits into the time that is left."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from advisor.agent.worth import Candidate
from advisor.probes.outcome import Outcome
from advisor.probes.probe import Varies
from advisor.probes.verdict import FEW_PAIRS
from advisor.probes.workload import Workload

STARTING = 3.0
"""Seconds for the start of torch and of the network."""
_REHEARSED = 3
"""Steps of a setting before it is compared; where there are more than two, as many again for finding the rival."""


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


def at_pace(candidate: Candidate, settings: int, seconds_a_step: float | None) -> Candidate:
    """With the time that so many settings need where a step takes so long, if that is longer than it usually takes."""
    if seconds_a_step is None or not candidate.probe.needs_network:
        return candidate
    return replace(candidate, seconds=max(candidate.probe.cost_seconds, seconds_needed(settings, seconds_a_step)))


def examples_that_fit(workload: Workload, settings: int, seconds_a_step: float, seconds: float) -> int | None:
    """The largest power of two below the batch with which so many settings can be compared in the time, or None."""
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
