"""The words of a group of processes that trains and of its launcher: the job, and all that is said of it. No torch here.

Ranks 0 to N - 1 are the workers; where a strategy has a parameter server, it is rank N.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from advisor.children.errors import CannotRunError
from advisor.children.messages import Messages, Natural, Text
from advisor.distributed.strategies import ALONE, MOST_STRAGGLING, Kind, Strategy, strategy
from advisor.distributed.task import Task
from advisor.errors import InputError, Problem

MOST_WORKERS = 64
MOST_BATCH = 10**9
LONGEST_RUN = 86_400.0
LOOPBACK = "lo0" if sys.platform == "darwin" else "lo"
"""The network interface of processes of one computer."""
PRECISIONS = ("float32", "float64")
OPTIMIZERS = ("sgd", "sgd_momentum", "sgd_nesterov", "adagrad", "rmsprop", "adam", "adamw", "nadam")
"""Those that treat every weight by itself, so that they may see all of them as one vector."""
SCALED = ("sgd", "sgd_momentum", "sgd_nesterov")
"""Those whose learning rate grows with the gradients that are averaged (Goyal et al. 2017, arXiv:1706.02677)."""
RING = (
    "An all-reduce among n workers is counted as a ring: each sends 2 (n - 1) / n of the numbers. Gathering or scattering is "
    "half of that, a broadcast n - 1 times the numbers, and a message to or from the server its length. What agreeing on the "
    "end takes, and headers of the network, are not counted."
)
"""The way in which bytes are counted."""


@dataclass(frozen=True, slots=True)
class Job:
    """Strategies on one task, each trained once for each seed, by the same processes one after another."""

    task: Task
    strategies: tuple[str, ...]
    """As `strategies.strategy` reads them."""
    workers: int = 2
    seeds: tuple[int, ...] = (0,)
    """Of the initial weights and the order of the batches; examples and their division follow from the seed of the task."""
    seconds: float = 10.0
    """Of training, for each strategy and seed; what is being computed then is finished."""
    examples: int | None = None
    """Of all workers together, after which a run ends although there is time left."""
    threads: int = 1
    """Of each worker."""
    straggler: float = 1.0
    """So many times the usual time takes a gradient of the last worker: it waits for the rest of it."""
    calibrates: bool = True
    """True if steps and exchanges are timed by themselves before the first run."""
    for_simulation: bool = False
    """True if all is timed that a simulation of these very runs needs: it takes some seconds more."""
    precision: str = "float32"
    timeout: float = 10.0
    """Seconds that any exchange may take; then a process is taken to hang."""
    processors: tuple[tuple[int, ...], ...] = ()
    """Hardware threads that each rank may run on; empty for one after the other."""
    device: str = "cpu"
    """cpu, or cuda: a card for each worker, by NCCL."""
    points: int = 16
    """Places of the curve of the loss, at most."""
    weights: str | None = None
    """A folder in which the last weights of every run are left, in files of torch that hold one vector."""
    alone: bool = False
    """True if one worker trains by itself too, after the strategies with each seed."""
    skips: int = 0
    """Runs at the beginning that are left out: they were done before."""

    @property
    def chosen(self) -> tuple[Strategy, ...]:
        """Raises InputError, as `strategy` does."""
        return tuple(strategy(text) for text in self.strategies)

    @property
    def runs(self) -> tuple[tuple[Strategy, int], ...]:
        """Strategies and seeds in their order: all strategies with one seed, then with the next."""
        each = (*self.chosen, *([strategy(ALONE)] if self.alone else []))
        return tuple((one, seed) for seed in self.seeds for one in each)

    @property
    def ranks(self) -> int:
        """Processes: the workers, and a server where a strategy has one."""
        return self.workers + any(one.kind in (Kind.SERVER, Kind.GROUPS) for one in self.chosen)

    def check(self) -> None:
        """Raises InputError with everything that is wrong at once."""
        problems = [*self._sizes(), *self._unfit()]
        if problems:
            raise InputError("The strategies cannot be compared so", problems)

    def _sizes(self) -> list[Problem]:
        few = f"Take 1 to {MOST_WORKERS}."
        found = [
            (not 1 <= self.workers <= MOST_WORKERS, "workers", f"{self.workers} is not from 1 to {MOST_WORKERS}.", few),
            (not self.strategies, "strategies", "none is named.", "For example synchronous,local_sgd."),
            (not self.seeds, "seeds", "none is named.", "Name one, such as 0."),
            (
                not 0 < self.seconds <= LONGEST_RUN,
                "seconds",
                f"{self.seconds:g} is not above 0, and at most a day.",
                "",
            ),
            (self.examples is not None and self.examples < 1, "examples", f"{self.examples} is not 1 or more.", ""),
            (
                not 1 <= self.straggler <= MOST_STRAGGLING,
                "straggler",
                f"{self.straggler:g} would be faster than the others."
                if self.straggler < 1
                else f"{self.straggler:g} is not from 1 to {MOST_STRAGGLING:,.0f}.",
                "Write 2 for half the speed.",
            ),
            (self.threads < 1, "threads", f"{self.threads} is not 1 or more.", ""),
            (self.timeout <= 0, "timeout", f"{self.timeout:g} is not above 0.", ""),
            (
                not 1 <= self.task.batch <= MOST_BATCH,
                "batch",
                f"{self.task.batch:,} is not from 1 to {MOST_BATCH:,}.",
                "For example 32.",
            ),
            (not 0 < self.task.rate < 1e6, "rate", f"{self.task.rate:g} is no learning rate.", "For example 0.05."),
            (self.precision not in PRECISIONS, "precision", f"it is none of {', '.join(PRECISIONS)}.", ""),
            (self.task.optimizer not in OPTIMIZERS, "optimizer", f"it is none of {', '.join(OPTIMIZERS)}.", ""),
        ]
        return [Problem(where, what, remedy) for wrong, where, what, remedy in found if wrong]

    def _unfit(self) -> list[Problem]:
        problems = []
        for one in self.chosen:
            if one.whole("stages", 0) > self.workers:
                what = f"{one.whole('stages')} stages need as many workers, and there are {self.workers}."
                problems.append(Problem(str(one), what))
            if one.whole("groups", 0) > self.workers:
                problems.append(
                    Problem(
                        str(one), f"{one.whole('groups')} groups need as many workers, and there are {self.workers}."
                    )
                )
            if one.whole("backups", 0) >= self.workers:
                problems.append(
                    Problem(
                        str(one),
                        f"of {self.workers} workers at most {self.workers - 1} can be backups.",
                        "Name fewer with backups=.",
                    )
                )
        return problems


def name_of(rank: int, workers: int) -> str:
    """A process in sentences, at their beginning."""
    return "The server" if rank >= workers else f"Worker {rank + 1}"


@dataclass(frozen=True, slots=True)
class Paced:
    """A slow link that is only acted; see `wires.pacing`."""

    bytes_per_second: float | None
    latency: float


@dataclass(frozen=True, slots=True)
class Launch:
    """The settings with which a rank is started."""

    job: Job
    rank: int
    ranks: int
    store: str
    """The file through which ranks meet."""
    pulse: str
    """The file in which each says where it is; see `launching.pulse`."""
    processors: Sequence[int] | None = None
    pace: Paced | None = None
    until: float | None = None
    """When all runs should be done, by the clock of `time.monotonic`; None where each takes the time of the job."""


@dataclass(frozen=True, slots=True)
class Ready:
    """A rank has met the others and knows the lesson."""

    torch: Text
    weights: Natural
    """Of the network."""
    how: Text
    """A sentence on the examples."""
    batches: Natural
    """Of an epoch, of one worker's size."""


@dataclass(frozen=True, slots=True)
class Timed:
    """Exchanges of two sizes, and the line through them: seconds = alpha + bytes * beta."""

    bytes: tuple[int, ...]
    seconds: tuple[float, ...]
    alpha: float
    """Seconds of an exchange of nothing."""
    beta: float
    """Seconds a byte."""


@dataclass(frozen=True, slots=True)
class Calibrated:
    """Parts of a step, timed by themselves on the very processes and links."""

    together: tuple[tuple[float, ...], ...]
    """Of each worker the seconds of gradients with a step, while all compute at once and nothing is exchanged. A straggler does
    not wait here."""
    alone: tuple[tuple[float, ...], ...]
    """Of each worker the same while all others wait."""
    all_reduce: Timed
    """Among all workers."""
    send: Timed
    """A message and one of the same length back, halved: between the first worker and the server, or the next worker."""
    apply: float
    """Seconds in which the server applies a gradient, with plain SGD, and puts its answer together."""
    whole: float = 0.0
    """From here on only for a simulation. Seconds of an all-reduce of all weights, after a step."""
    turn: float = 0.0
    """Seconds in which the first worker, alone with the server, pushes and pulls all weights, the server's work among them; 0
    where there is no server."""
    served: float = 0.0
    """Seconds of the server for a push and its answer, while all workers push and pull and nobody computes."""
    busy: float = 0.0
    """Seconds of processors, of all of this computer together, that such a push with its answer takes at both ends."""
    after_exchange: tuple[float, ...] = ()
    """Seconds that the first step after an exchange of all weights takes longer than another, the first two together, and so on:
    messages have filled the caches."""
    after_shared: float = 0.0
    """The same of the first step through DistributedDataParallel, which gathers gradients for the exchange."""


@dataclass(frozen=True, slots=True)
class Began:
    """A run begins."""

    strategy: Text
    seed: int
    number: Natural
    """From 1."""
    of: Natural


@dataclass(frozen=True, slots=True)
class Progress:
    """A run under way."""

    strategy: Text
    seed: int
    seconds: float
    examples: Natural
    updates: Natural
    loss: float
    """The mean over the last batches that were learned from."""


@dataclass(frozen=True, slots=True)
class Point:
    """A place of the curve."""

    seconds: float
    """Of training; looking at held-out examples is done afterwards."""
    examples: int
    loss: float
    """The mean over the held-out examples."""


@dataclass(frozen=True, slots=True)
class Measured:
    """A mean with its 95 % interval: the percentile bootstrap over examples (Efron and Tibshirani 1993, chapter 13)."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Segment:
    """A piece of time of one rank."""

    rank: int
    begin: float
    """Seconds since the run began."""
    end: float
    doing: str
    """computing, exchanging, waiting, or applying (of the server)."""


@dataclass(frozen=True, slots=True)
class Staleness:
    """Updates that were applied between the pull of a gradient's weights and the gradient itself."""

    counts: tuple[int, ...]
    """Gradients by their staleness, from 0."""
    median: float
    p95: float


@dataclass(frozen=True, slots=True)
class Run:
    """One strategy, trained with one seed."""

    strategy: Text
    seed: int
    seconds: float
    examples: Natural
    """Of gradients that were applied."""
    updates: Natural
    """Steps of the weights that are judged."""
    dropped: Natural
    """Gradients that were computed in vain."""
    examples_per_s: float
    curve: tuple[Point, ...]
    metric: Text
    held_out: Measured
    staleness: Staleness
    bytes: Natural
    """Sent by all; see RING."""
    waiting: tuple[float, ...]
    """Of each worker the share of the time in which it computed nothing."""
    steps: tuple[tuple[float, ...], ...]
    """Of each worker seconds of computing a gradient: of up to 1000 of all workers, evenly spread over the run."""
    timeline: tuple[Segment, ...]
    """The first pieces of time of all ranks."""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Failed:
    """A rank cannot go on."""

    reason: Text
    lost: bool = False
    """True if another rank did not answer it, which that one may explain better."""
    diverged: bool = False
    """True if a loss was no number any more: another strategy may fare better."""


@dataclass(frozen=True, slots=True)
class Undone:
    """A run that gave no numbers, or for which the network is not fit, while others go on."""

    strategy: Text
    seed: int
    why: Text
    """A sentence."""


class NoNumberError(CannotRunError):
    """A loss is infinite or no number."""


@dataclass(frozen=True, slots=True)
class Ended:
    """All runs are done."""


Message: TypeAlias = Ready | Calibrated | Began | Progress | Run | Failed | Ended | Undone
MESSAGES: Messages[Message] = Messages(Ready, Calibrated, Began, Progress, Run, Failed, Ended, Undone)
