"""Which examples are taken where there are more than may be held."""

from __future__ import annotations

from typing import TypeAlias

import numpy
from numpy.typing import NDArray

Positions: TypeAlias = NDArray[numpy.int64]


def spread(count: int, most: int) -> Positions:
    """At most so many of `count` positions, in order and evenly apart: a sorted file is seen from end to end."""
    if count <= most:
        return numpy.arange(count)
    return numpy.linspace(0, count - 1, most).round().astype(numpy.int64)


def stratified(classes: NDArray[numpy.int64], most: int, seed: int) -> Positions:
    """At most so many positions, in order, drawn so that every class keeps its share, and two of its own where it can."""
    if len(classes) <= most:
        return numpy.arange(len(classes))
    draw = numpy.random.default_rng(seed)
    members = _members(classes)
    chosen = [
        draw.choice(own, quota, replace=False) for own, quota in zip(members, _quotas(members, most), strict=True)
    ]
    return numpy.sort(numpy.concatenate(chosen))


def _members(classes: NDArray[numpy.int64]) -> list[Positions]:
    order = numpy.argsort(classes, kind="stable")
    starts = numpy.flatnonzero(numpy.diff(classes[order])) + 1
    return numpy.split(order, starts)


def _quotas(members: list[Positions], most: int) -> Positions:
    """How many of each class are taken, `most` in all."""
    counts = numpy.array([len(own) for own in members])
    exact = counts * most / counts.sum()
    quotas: Positions = numpy.maximum(numpy.minimum(counts, 2), exact.astype(numpy.int64))
    while quotas.sum() > most:
        quotas[quotas.argmax()] -= 1
    while quotas.sum() < most:
        quotas[numpy.where(quotas < counts, exact - quotas, -numpy.inf).argmax()] += 1
    return quotas
