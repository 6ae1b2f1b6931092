"""The number of threads that is faster here and now: on a busy machine, or on little data, they mostly wait for each other."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

import numpy
from threadpoolctl import threadpool_limits

from advisor.training.child.fitted import Numbers

TURNS = 2
"""Times that the work is done with one thread and with all of them, in turn."""
CLEARLY = 0.85
"""Several threads are taken if the work takes at most this share of the time with them."""
PRODUCT_LASTS = 0.005
"""Seconds of matrix products that are timed at least."""


def faster(most: int, work: Callable[[], object]) -> int:
    """One thread, or `most` where the same work of numpy and scikit-learn takes clearly less time with so many."""
    if most <= 1:
        return 1
    took = {1: 0.0, most: 0.0}
    for _ in range(TURNS):
        for threads in took:
            with threadpool_limits(threads):
                begun = time.monotonic()
                work()
                took[threads] += time.monotonic() - begun
    return chosen(took)


def chosen(seconds: Mapping[int, float]) -> int:
    """Of one thread and all of them those to take, by the seconds of each."""
    one, most = min(seconds), max(seconds)
    return most if seconds[most] <= CLEARLY * seconds[one] else one


def products(inputs: Numbers, outputs: int) -> Callable[[], object]:
    """The work of linear models: products of inputs (n, values) and weights (values, outputs), both ways."""
    weights = numpy.ones((inputs.shape[1], outputs), inputs.dtype)

    def once() -> object:
        return inputs.T @ (inputs @ weights)

    with threadpool_limits(1):
        begun = time.monotonic()
        once()
        times = 1 + int(PRODUCT_LASTS / max(time.monotonic() - begun, 1e-6))
    return lambda: [once() for _ in range(times)]
