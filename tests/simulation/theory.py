"""What is known without simulating: order statistics by numerical integration, harmonic numbers, queues."""

from __future__ import annotations

from collections.abc import Callable

import numpy
from scipy import integrate, stats

Share = Callable[[float], float]
"""Of a distribution: up to some value."""


def harmonic(count: int) -> float:
    return sum(1 / one for one in range(1, count + 1))


def order_statistic(share: Share, place: int, count: int, most: float) -> tuple[float, float]:
    """Mean and deviation of the `place`-th smallest of `count` values, which are seldom above `most`: it is at most t where at
    least `place` of them are."""

    def above(t: float) -> float:
        return float(stats.binom.cdf(place - 1, count, share(t)))

    mean = integrate.quad(above, 0, most, limit=400)[0]
    square = integrate.quad(lambda t: 2 * t * above(t), 0, most, limit=400)[0]
    return mean, float(numpy.sqrt(square - mean**2))


def updates_per_second(workers: int, wanted: int) -> float:
    """Of backup workers whose steps take exponential times of mean 1, in the long run.

    States of the Markov chain: how many gradients wait, and how many workers compute a gradient that will be dropped.
    """
    states = [(waiting, stale) for waiting in range(wanted) for stale in range(workers - wanted + 1)]
    place = {state: number for number, state in enumerate(states)}
    rates = numpy.zeros((len(states), len(states)))
    updating = numpy.zeros(len(states))
    for (waiting, stale), here in place.items():
        fresh = workers - waiting - stale
        full = waiting + 1 == wanted
        updating[here] = fresh if full else 0
        moves = [((0, stale + fresh - 1) if full else (waiting + 1, stale), fresh)]
        moves += [((waiting, stale - 1), stale)] if stale else []
        for state, rate in moves:
            rates[here, place[state]] += rate
            rates[here, here] -= rate
    long_run = numpy.linalg.lstsq(
        numpy.vstack([rates.T, numpy.ones(len(states))]), numpy.append(numpy.zeros(len(states)), 1), rcond=None
    )[0]
    return float(long_run @ updating)
