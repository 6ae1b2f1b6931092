"""Held-out examples, looked at after a run: the curve of the loss, and the metric with its interval."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Generator, Tensor

from advisor.distributed.job import Measured, NoNumberError, Point
from advisor.distributed.learning.lesson import Lesson
from advisor.distributed.running.diary import Snapshot
from advisor.distributed.running.learner import Flat

RESAMPLES = 2000
_AT_ONCE = 1_000_000
"""Draws in one piece."""
_TAIL = 0.025
_FEWEST_POINTS = 3
_SHARE, _SECONDS = 0.5, 3.0
"""Of the time of a run that looking at its curve may take, and seconds that it may take in any case."""
MOST_COPIED = 500_000_000
"""Bytes of copies of the weights of one run."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """The verdict of held-out examples on a run."""

    curve: tuple[Point, ...]
    held_out: Measured


def points_for(weights: int, bytes_each: int, wanted: int) -> int:
    """The copies of so many weights that there is memory for, up to those wanted."""
    return max(_FEWEST_POINTS, min(wanted, MOST_COPIED // max(1, weights * bytes_each)))


def judged(
    lesson: Lesson,
    seed: int,
    snapshots: Sequence[Snapshot],
    device: torch.device,
    seconds: float,
    alive: Callable[[], None] = lambda: None,
) -> Judgement:
    """The curve through these copies of the weights, and the metric at the last.

    Args:
        seconds: that the run took, by which it is decided how many of them are looked at.
        alive: is called after each piece of the work.

    Raises NoNumberError where the last weights give no numbers.
    """
    network = lesson.fresh(seed).to(device)
    network.register_forward_hook(lambda *_: alive())
    flat = Flat(network)

    def looked(snapshot: Snapshot) -> tuple[float, Tensor]:
        flat.weights.copy_(snapshot.weights)
        return lesson.held_out(network)

    begun = time.monotonic()
    loss, scores = looked(snapshots[-1])
    if not math.isfinite(loss) or not bool(scores.isfinite().all()):
        raise NoNumberError("The loss on held-out examples is no number")
    kept = _kept(len(snapshots) - 1, time.monotonic() - begun, seconds)
    losses = {place: looked(snapshots[place])[0] for place in sorted(kept)} | {len(snapshots) - 1: loss}
    curve = [Point(snapshots[place].seconds, snapshots[place].examples, one) for place, one in losses.items()]
    return Judgement(tuple(one for one in curve if math.isfinite(one.loss)), interval(scores, seed, alive))


def _kept(last: int, each: float, seconds: float) -> set[int]:
    """The places that there is time for, evenly spread, the first among them."""
    affordable = int(max(_SHARE * seconds, _SECONDS) / max(each, 1e-6))
    count = max(_FEWEST_POINTS - 1, min(last, affordable))
    return {round(number * last / count) for number in range(count)}


def interval(scores: Tensor, seed: int, alive: Callable[[], None] = lambda: None) -> Measured:
    """The mean of scores (n,) with the 95 % percentile bootstrap interval over examples.

    Args:
        alive: is called after each piece of the work.
    """
    chance = Generator().manual_seed(seed)
    count = len(scores)
    rounds = max(1, _AT_ONCE // count)
    means = []
    for done in range(0, RESAMPLES, rounds):
        means.append(scores[torch.randint(count, (min(rounds, RESAMPLES - done), count), generator=chance)].mean(1))
        alive()
    low, high = torch.cat(means).quantile(torch.tensor([_TAIL, 1 - _TAIL], dtype=scores.dtype)).tolist()
    return Measured(float(scores.mean()), low, high)
