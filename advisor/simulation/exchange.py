"""The cost of an exchange, by latency and rate: alpha-beta (Hockney 1994), rings (Patarasuk and Yuan 2009). No numpy here."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

from advisor.simulation.scenario import Link, Scenario

OVERLAPPED = frozenset({"synchronous", "gradient_accumulation", "sharded", "fp16_compression", "powersgd", "pipeline"})
"""They average gradients in buckets, each as soon as it is ready; others send weights, or wait for whole gradients."""


IN_BUCKETS = OVERLAPPED - {"pipeline"}
"""They do so in torch without being asked for it."""
REDUCE_AND_GATHER = 2
"""Passes round the ring of an all-reduce: parts are summed, then handed to all."""
GATHER_TWICE = 3
"""Of sharded weights, which are gathered for the way forward and for the way back; gradients are summed (Rajbhandari et al.
2020, section 7.2)."""
FIRST_BUCKET, BUCKET = 1024**2, 25 * 1024**2
"""Bytes of gradients that torch exchanges together: the first time, and then (bucket_cap_mb)."""
_MOST_BUCKETS = 1000
"""More are as good as continuous."""
BACKWARD = 2 / 3
"""Of a step: the backward pass has two products of matrices for each of the forward pass (Kaplan et al. 2020, section 2.1)."""
SQUARE = 512
"""Rows and columns of every matrix of weights, where the shapes are not told: PowerSGD then sends rank/256 of the bytes."""
_FACTORS = 2
"""All-reduces of PowerSGD, one after the other: of either factor (Vogels et al. 2019, algorithm 1)."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """The seconds from the moment when all are ready, and the bytes that all send together."""

    seconds: float = 0.0
    bytes: int = 0


def ring(workers: int, count: int, link: Link, passes: int = REDUCE_AND_GATHER) -> Exchange:
    """Every pass round a ring of n workers is n-1 messages of each, of the n-th part of `count` bytes: none for one worker."""
    messages = passes * (workers - 1)
    return Exchange(messages * link.latency + link.seconds(messages / workers * count), messages * count)


def broadcast(workers: int, count: int, link: Link) -> Exchange:
    """From one to all others by a tree: whoever has it tells another, so that those that have it double each time."""
    return Exchange(math.ceil(math.log2(workers)) * (link.latency + link.seconds(count)), (workers - 1) * count)


def bucket_shares(scenario: Scenario) -> list[float]:
    """The parts of the gradient in the order in which the backward pass fills their buckets; together 1. The first bucket is
    small, so that the exchange begins early (PyTorch, DistributedDataParallel)."""
    limit, size = scenario.bucket_bytes or 0, scenario.size
    if not limit or size <= min(limit, FIRST_BUCKET):
        return [1.0]
    first = min(limit, FIRST_BUCKET)
    whole, rest = divmod(size - first, limit)
    if whole > _MOST_BUCKETS:
        return [1 / _MOST_BUCKETS] * _MOST_BUCKETS
    return [one / size for one in (first, *[limit] * whole, rest) if one]


def averaging(scenario: Scenario) -> Exchange:
    """Of a strategy in which all workers average, or share the weights out."""
    workers, count, link = scenario.workers, scenario.size, scenario.link
    match scenario.strategy.name:
        case "fp16_compression":
            return ring(workers, count * min(2, scenario.value_bytes) // scenario.value_bytes, link)
        case "sharded":
            return ring(workers, count, link, GATHER_TWICE)
        case "powersgd":
            sent = ring(workers, compressed_bytes(scenario), link)
            more = ring(workers, 0, link).seconds * (_FACTORS - 1)
            return Exchange(sent.seconds + more, sent.bytes)
        case "pipeline":
            return _replicas(scenario)
        case _:
            return ring(workers, count, link)


def compressed_bytes(scenario: Scenario) -> int:
    """Bytes that PowerSGD sends for a gradient: rank * (rows + columns) numbers for a matrix, and no more than all of it.

    Where neither the bytes nor the shapes are told, all weights stand in squares of SQUARE.
    """
    if scenario.compressed_bytes is not None:
        return scenario.compressed_bytes
    rank = scenario.strategy.whole("rank")
    if scenario.shapes:
        numbers = sum(min(rank * (rows + columns), rows * columns) for rows, columns in scenario.shapes)
        return min(numbers * scenario.value_bytes, scenario.size)
    return int(scenario.size * min(1.0, rank * 2 / SQUARE))


def _replicas(scenario: Scenario) -> Exchange:
    """Of a pipeline: each stage has its part of the weights, and averages it with the same stage of other pipelines.

    The bytes are with the activations and their gradients, the seconds without: see `hop_seconds`.
    """
    stages = scenario.strategy.whole("stages")
    replicas = scenario.workers // stages
    one = ring(replicas, scenario.size // stages, scenario.link)
    passed = 2 * sum(scenario.passed) * stages * replicas
    return Exchange(one.seconds, one.bytes * stages + passed)


def hop_seconds(scenario: Scenario) -> list[float]:
    """Of each stage of a pipeline: what one part of a batch takes on its link, there and, as a gradient, back.

    A pipeline of p stages learns from p workers' batches at once, so that a part holds p/parts of a worker's batch. What comes
    in and what goes out share no direction of a full-duplex link: the larger of them counts.
    """
    stages, parts = scenario.strategy.whole("stages"), scenario.strategy.whole("parts")
    if stages == 1:
        return [0.0]
    passed = (0, *scenario.passed, 0)
    largest = (max(before, after) for before, after in pairwise(passed))
    return [2 * (scenario.link.latency + scenario.link.seconds(one * stages / parts)) for one in largest]
