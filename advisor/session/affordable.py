"""The time and the memory that it takes to train a plan's own network by real workers, and whether there is enough of them."""

from __future__ import annotations

from dataclasses import dataclass, replace

from advisor.agent.settling.workloads import counted_step, on_card
from advisor.distributed.job import LONGEST_RUN
from advisor.inference.plan import Plan
from advisor.report.numbers import about_words, number_words
from advisor.session.measuring import LONGEST

LEAST = 1.0
"""Seconds of training under each strategy, with each seed."""
_START_SECONDS, _PER_RUN = 10.0, 0.7
"""Of the budget: until all processes are there and calibrated; for ending each run and beginning the next."""
_START_OF_ONE = 1.5
"""Of a core, for one process."""
_LOOKING = 0.3
"""Of the time of a run at most, in which held-out examples are looked at."""
_POINTS, _FEWEST_POINTS = 16, 3
"""Places of the curve of a run, besides its beginning."""
_FEWEST_LOOKED = 128
"""Examples that are looked at at each place: half of them held out, half for the averages of batch normalisation."""
_HELD_OUT, _MOST_RENEWING = 0.2, 1024
"""Of all examples the share that is held out, and the most for the averages."""
MOST_MADE = 10_000
"""Examples that are made where nobody names data."""
_LONGEST_CALIBRATION, _CALIBRATED = 5.0, 6
"""Seconds; gradients that it takes where they are slow, besides three of each worker alone."""
_TEACHING = 0.15
"""Of the budget at most, in which examples are made by a network as large as the plan's."""
_FEWEST_GRADIENTS = 30
"""Of each worker in a run, without which nothing is learned that could be compared."""
_FEWEST_MADE = 200
_ONE_THREAD = 2e10
"""Operations a second in 32 bits, by one thread of a processor of which nothing is known."""
_BYTES_A_WEIGHT, _BYTES_A_VALUE = 24, 4
"""In each worker: weights, gradients, what is exchanged or remembered of them, and a second network, in 32 bits; a kept value."""
_PROCESS_BYTES = 500_000_000
"""Of a process with torch and a library of networks."""
_COPIED_BYTES = 500_000_000
"""Of copies of the weights on the way."""


@dataclass(frozen=True, slots=True)
class Means:
    """The time, the memory and the processors for all trainings."""

    seconds: float
    """For everything."""
    trainings: int
    workers: int
    batch: int
    """Examples of one worker's step."""
    memory_bytes: int
    """For all processes together."""
    cards: bool = False
    """True where each worker has a card."""
    patience: float = 1.0
    """Gradients in whose time a worker may have to wait for another."""
    exchange: float = 0.0
    """Seconds in which a server's link carries the weights to all workers, or from them, one after the other."""
    examples: int = MOST_MADE
    """Of the data, or made."""
    cores: int = 1
    """Of the processor, which start the processes of the workers."""
    teaches: bool = False
    """True where examples are made by a network as large as the plan's."""


@dataclass(frozen=True, slots=True)
class Schedule:
    """The way in which the time is shared."""

    seconds: float
    """Of each training alone."""
    points: int
    """Places of the curve at most."""
    held_out: int | None
    """Held-out examples that are looked at at each; None for all."""
    most_examples: int
    """Those that can be made while nobody waits long."""
    calibrates: bool
    """True if there is time to time steps by themselves."""
    timeout: float
    """Seconds that a worker may wait for another."""


def gradient_here(plan: Plan, means: Means) -> float | None:
    """Seconds in which a worker computes a gradient, about; None where the operations of the network are not known.

    By the step of the plan where that is one of the same kind of device, as measured or predicted; otherwise by operations.
    """
    figures = {figure.name: figure.value for figure in plan.figures}
    step, micro = figures.get("time.computing"), plan.value("training.micro_batch")
    cores = _whole(plan, "machine.cpu.usable_cores") or 1
    shared = 1.0 if means.cards else max(1.0, means.workers / cores)
    if step and micro and on_card(plan) == means.cards:
        alone = step * means.batch / (micro * (plan.value("training.accumulation") or 1))
        return float(alone if means.cards else alone * cores * shared)
    operations = _whole(plan, "network.multiply_adds")
    return None if operations is None else 6 * operations * means.batch / _ONE_THREAD * shared


def schedule(means: Means, gradient: float | None) -> Schedule:
    """The budget, shared among all trainings and what is around them.

    Args:
        gradient: seconds of a gradient; None where it is known to take next to nothing.
    """
    took = gradient or 0.0
    look = max(took / (3 * means.batch), 1e-9)
    calibration = (_CALIBRATED + 3 * means.workers) * took
    calibrates = calibration < _LONGEST_CALIBRATION
    teaching = min(_TEACHING * means.seconds, means.examples * look)
    start = start_seconds(means) + (calibration if calibrates else 0) + (teaching if means.teaches else 0)
    whole = (means.seconds - start) / means.trainings - _PER_RUN
    looking = max(0.0, _LOOKING * whole)
    each = looking / look
    points = max(_FEWEST_POINTS, min(_POINTS, int(each / _FEWEST_LOOKED) - 1))
    held_out = _HELD_OUT * means.examples
    most = int(held_out + min(_MOST_RENEWING, means.examples - held_out))
    looked = min(most, max(_FEWEST_LOOKED, int(each / (points + 1))))
    return Schedule(
        seconds=whole - min(looking, (points + 1) * looked * look),
        points=points,
        held_out=None if looked == most else looked // 2,
        most_examples=max(_FEWEST_MADE, min(means.examples, int(teaching / look))),
        calibrates=calibrates,
        timeout=min(LONGEST_RUN, max(10.0, 4 * means.patience * took + 4 * means.exchange)),
    )


def start_seconds(means: Means) -> float:
    """Seconds until all processes are there: many of them share few cores while they import torch."""
    return max(_START_SECONDS, _START_OF_ONE * means.workers / means.cores)


def enough_seconds(means: Means, seconds: float = LEAST) -> float:
    """The budget with which each training has so many seconds."""
    return start_seconds(means) + (_PER_RUN + seconds / (1 - _LOOKING)) * means.trainings


def why_barred(plan: Plan, means: Means) -> str:
    """The reason why the plan's own network is not trained with these means, in a sentence; empty where it is."""
    step = counted_step(plan)
    if step is None:
        return ""  # another reason is given where the task is made
    name = step.named.describe() if step.named is not None else f"the plan's {step.network}"
    gradient = gradient_here(plan, means)
    if gradient is None:
        return f"Nobody knows how long {name} takes for a gradient here."
    return _short_of_memory(plan, means, name) or _too_slow(means, gradient, name)


def _too_slow(means: Means, gradient: float, name: str) -> str:
    count = _gradients(means, gradient)
    if count >= _FEWEST_GRADIENTS:
        return ""
    budgets = range(1, LONGEST // 60 + 1)
    enough = (one for one in budgets if _gradients(replace(means, seconds=60.0 * one), gradient) >= _FEWEST_GRADIENTS)
    longer = next((f"`--budget {minutes}min` would do. " for minutes in enough), "")
    seconds = max(0.0, schedule(means, gradient).seconds)
    return (
        f"{name[0].upper()}{name[1:]} takes about {about_words(gradient)} for a gradient of {means.batch} examples here, and "
        f"each training has {number_words(seconds, 's')}: {_counted(count)}. {longer}A smaller --batch, fewer --seeds or fewer "
        "--strategies take less."
    )


def _gradients(means: Means, gradient: float) -> int:
    """Of each worker in a training."""
    return int(max(0.0, schedule(means, gradient).seconds) / gradient)


def _counted(gradients: int) -> str:
    if not gradients:
        return "not enough for one"
    return f"time for {gradients}, which {'teaches' if gradients == 1 else 'teach'} it nothing"


def _short_of_memory(plan: Plan, means: Means, name: str) -> str:
    weights, kept = _whole(plan, "network.parameters"), _whole(plan, "network.kept_values") or 0
    if weights is None or means.cards:
        return ""
    of_worker = _PROCESS_BYTES + _BYTES_A_WEIGHT * weights + _BYTES_A_VALUE * kept * means.batch
    of_server = _PROCESS_BYTES + _BYTES_A_VALUE * weights * (means.workers + 6)
    copies = max(_FEWEST_POINTS * _BYTES_A_VALUE * weights, min(_COPIED_BYTES, _POINTS * _BYTES_A_VALUE * weights))
    need = means.workers * of_worker + of_server + copies
    if need <= means.memory_bytes:
        return ""
    return (
        f"{means.workers} workers that train {name}, of {weights:,} weights, hold about {need / 1e9:,.1f} GB, and they may take "
        f"{means.memory_bytes / 1e9:,.1f} GB here. A smaller --batch or fewer --workers need less."
    )


def _whole(plan: Plan, name: str) -> int | None:
    known = plan.facts.get(name)
    return known.value if known is not None and isinstance(known.value, int) else None
