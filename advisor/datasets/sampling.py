"""Classes as numbers, and samples of examples by them, where there are more than fit into memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy
from numpy.typing import NDArray

from advisor.datasets.dataset import Task

Positions: TypeAlias = NDArray[numpy.int64]


def class_numbers(labels: Sequence[str], known: Sequence[str]) -> tuple[Positions, tuple[str, ...]]:
    """The number of each label, and all classes: the known ones in their order, then others in the order of the alphabet."""
    others = sorted(set(labels) - set(known))
    classes = (*known, *others)
    number = {name: position for position, name in enumerate(classes)}
    return numpy.array([number[label] for label in labels], numpy.int64), classes


def spread(count: int, most: int) -> Positions:
    """At most so many of `count` positions, in order and evenly apart: a sorted file is seen from end to end."""
    if count <= most:
        return numpy.arange(count)
    return numpy.linspace(0, count - 1, most).round().astype(numpy.int64)


def chosen_rows(total: int, most: int, seed: int) -> Positions | None:
    """Numbers of rows in ascending order, one drawn from each of `most` equal stretches; None where all are wanted."""
    if total <= most:
        return None
    edges = numpy.arange(most + 1, dtype=numpy.int64) * total // most
    draws = numpy.random.default_rng(seed).random(most)
    chosen: Positions = edges[:-1] + (draws * numpy.diff(edges)).astype(numpy.int64)
    return chosen


KEPT_OF_A_CLASS = 100
"""Examples of a class that a sample keeps, if it has so many: of one in a thousand, an even sample of 8,000 keeps eight."""


def floor_of_a_class(most: int, classes: int) -> int:
    """The fewest examples of each class, as far as it has them, in a sample of so many: a tenth of an even share at most, so
    that rare classes stay rare."""
    return max(2, min(KEPT_OF_A_CLASS, most // (10 * max(classes, 1))))


def stratified(classes: NDArray[numpy.int64], most: int, seed: int) -> Positions:
    """At most so many positions, in order, drawn so that every class keeps its share, or `floor_of_a_class` if that is more."""
    if len(classes) <= most:
        return numpy.arange(len(classes))
    draw = numpy.random.default_rng(seed)
    order = numpy.argsort(classes, kind="stable")
    members = numpy.split(order, numpy.flatnonzero(numpy.diff(classes[order])) + 1)  # of each class
    chosen = [
        draw.choice(own, quota, replace=False) for own, quota in zip(members, _quotas(members, most), strict=True)
    ]
    return numpy.sort(numpy.concatenate(chosen))


def drawn(targets: NDArray[Any], task: Task | None, most: int, seed: int) -> Positions:
    """At most so many positions, in order: by their classes where the targets are some, else evenly apart."""
    return stratified(targets, most, seed) if task is Task.CLASSIFY else spread(len(targets), most)


def evened(classes: NDArray[numpy.int64], sample: NDArray[numpy.int64]) -> bool:
    """True where a class has more than twice its share in the sample."""
    number = int(classes.max()) + 1
    before, after = (numpy.bincount(part, minlength=number) / len(part) for part in (classes, sample))
    return bool((after > 2 * before).any())


def how_drawn(classes: NDArray[numpy.int64], sample: NDArray[numpy.int64]) -> str:
    more = evened(classes, sample)
    return "more than their share of those of rare classes" if more else "the same share of every class"


def _quotas(members: list[Positions], most: int) -> Positions:
    """The number taken of each class, `most` in all."""
    counts = numpy.array([len(own) for own in members])
    exact = counts * most / counts.sum()
    floor = floor_of_a_class(most, len(members))
    quotas: Positions = numpy.maximum(numpy.minimum(counts, floor), exact.astype(numpy.int64))
    while quotas.sum() > most:
        quotas[quotas.argmax()] -= 1
    while quotas.sum() < most:
        quotas[numpy.where(quotas < counts, exact - quotas, -numpy.inf).argmax()] += 1
    return quotas
