"""The result of a simulation. No numpy, no torch here; everything goes through `advisor.plain.encode` and `decode`."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

SHOWN_WORKERS = 16
"""In the timeline: the first ones, and the last, which may be the straggler."""
SHOWN_TURNS = 6


def shown(workers: int) -> frozenset[int]:
    """The workers of a timeline."""
    return frozenset([*range(min(workers, SHOWN_WORKERS) - 1), workers - 1])


class Doing(StrEnum):
    """Activities of a worker."""

    COMPUTING = "computing"
    EXCHANGING = "exchanging"
    WAITING = "waiting"


@dataclass(frozen=True, slots=True)
class Span:
    """A while of a worker, in virtual seconds from the beginning."""

    worker: int
    begin: float
    end: float
    doing: Doing


@dataclass(frozen=True, slots=True)
class Bin:
    """Gradients whose staleness was from `least` to `most`, inclusive."""

    least: int
    most: int
    count: int


@dataclass(frozen=True, slots=True)
class Staleness:
    """Updates that the server applied between a worker's pull and the application of its gradient, over all applied gradients.

    0 throughout where workers average, since all then compute with the present weights.
    """

    mean: float = 0.0
    median: float = 0.0
    p95: float = 0.0
    most: int = 0
    histogram: tuple[Bin, ...] = ()


@dataclass(frozen=True, slots=True)
class Result:
    """A simulation's findings; all seconds are virtual."""

    strategy: str
    """With its settings, as `advisor.distributed.strategies.strategy` reads it."""
    workers: int
    seconds: float
    """Until the last update, and until all that wait for it have it."""
    steps: int
    """Of all workers together, dropped ones included."""
    updates: int
    """Of the weights that all share."""
    examples: int
    """Those that reached these weights."""
    examples_per_s: float | None
    """None where no time has passed."""
    staleness: Staleness
    waiting_share: float
    """Of the workers' time: waiting for others, for the exchange or for the server, rather than computing or being away."""
    bytes: int
    """Sent by all workers and the server together."""
    worker_examples: tuple[int, ...]
    """Of each worker, those that reached the weights."""
    timeline: tuple[Span, ...] = ()
    """Of at most SHOWN_WORKERS workers, their first SHOWN_TURNS turns: from one exchange to the next."""
    failures: int = 0
    """Of workers; times that one was taken away are in it."""
    checkpoints: int = 0
    lost_seconds: float = 0.0
    """Of the workers' time: work that was lost, and time in which they were away or waited for one that was."""
    loss: tuple[tuple[float, float], ...] = ()
    """With real gradients: seconds, and the mean loss on examples that are held out."""
    metric: tuple[tuple[float, float], ...] = ()
    """The same of the metric: accuracy, or a mean squared error."""
    metric_name: str = ""
    diverged_at: float | None = None
    """The seconds when the loss was no number any more. The curves end before."""
