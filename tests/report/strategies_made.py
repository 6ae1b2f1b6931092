"""Strategies that were made up, as real workers and as a simulator would have shown them: no figure here was found anywhere."""

from __future__ import annotations

import math
from collections.abc import Sequence

from advisor.distributed.comparing import Comparison, compared
from advisor.distributed.job import Measured, Point, Run, Segment, Staleness
from advisor.distributed.strategies import strategy
from advisor.simulation.result import Bin, Doing, Result, Span
from advisor.simulation.result import Staleness as Late
from advisor.simulation.scenario import Link, Scenario, StepTime

SECONDS = {"synchronous": 12.0, "local_sgd": 4.0, "delay_compensated_adaptive": 8.0, "alone": 20.0}
"""In which the loss falls to a third of what it was above its end."""
SEEDS = (0, 1, 2)


def falling(seconds: float, seed: int, last: float = 60.0) -> list[tuple[float, float]]:
    """A loss that falls from 2.3 towards 0.2, a hundredth faster with each seed."""
    return [(at, 0.2 + 2.1 * math.exp(-at * (1 + seed / 100) / seconds)) for at in (last * n / 30 for n in range(31))]


def run_of(name: str, seed: int, seconds: float | None = None) -> Run:
    """A training of a minute by two workers, which exchange at 1, 2 and 3 s; a server applies meanwhile."""
    curve = falling(SECONDS[name] if seconds is None else seconds, seed)
    turns = [(rank, 1.0 * turn, doing) for rank in (0, 1) for turn in range(3) for doing in ("computing", "exchanging")]
    timeline = [
        Segment(rank, begin + 0.75 * (doing == "exchanging"), begin + (1.0 if doing == "exchanging" else 0.75), doing)
        for rank, begin, doing in turns
    ]
    if strategy(name).kind.value == "server":
        timeline += [Segment(2, 0.0, 0.75, "waiting"), Segment(2, 0.75, 3.0, "applying")]
    return Run(
        strategy=name, seed=seed, seconds=60.0, examples=38_400, updates=300, dropped=4, examples_per_s=1_234.0,
        curve=tuple(Point(at, round(640 * at), loss) for at, loss in curve), metric="accuracy",
        held_out=Measured(0.912, 0.905, 0.919), staleness=Staleness((290, 10), 0.0, 1.0), bytes=64_000_000,
        waiting=(0.25, 0.35), steps=((0.01,), (0.012,)), timeline=tuple(timeline),
    )  # fmt: skip


STRATEGIES = ("synchronous", "local_sgd", "delay_compensated_adaptive")


def runs_of(names: Sequence[str] = STRATEGIES, seeds: Sequence[int] = SEEDS) -> list[Run]:
    return [run_of(name, seed) for seed in seeds for name in names]


def comparison_of(runs: Sequence[Run]) -> Comparison:
    """By the strategy of the first of them."""
    names = list(dict.fromkeys(run.strategy for run in runs))
    curves = {
        name: [[(one.seconds, one.loss) for one in run.curve] for run in runs if run.strategy == name] for name in names
    }
    return compared(curves, names[0])


def scenario_of(name: str = "asynchronous", **others: object) -> Scenario:
    """Four workers, ten steps each."""
    given: dict[str, object] = {
        "workers": 4, "steps": 10, "batch": 8, "step_time": StepTime(seconds=0.5), "link": Link(1e6, 0.001),
        "message_bytes": 1_000, **others,
    }  # fmt: skip
    return Scenario(strategy(name), **given)  # type: ignore[arg-type]


def result_of(name: str = "asynchronous", seconds: float | None = 5.0, seed: int = 0, workers: int = 4) -> Result:
    """As a simulator tells it.

    Args:
        seconds: in which the loss falls to a third; None where nothing was learned.
    """
    loss = () if seconds is None else tuple(falling(seconds, seed, 40.0))
    turns = [(0.0, 0.5, Doing.COMPUTING), (0.5, 0.75, Doing.EXCHANGING), (0.75, 1.0, Doing.WAITING)]
    return Result(
        strategy=name, workers=workers, seconds=40.0, steps=10 * workers, updates=40, examples=320, examples_per_s=25.6,
        staleness=Late(2.5, 3.0, 5.0, 6, (Bin(0, 3, 30), Bin(4, 6, 10))), waiting_share=0.1234, bytes=80_000,
        worker_examples=(70, 90, 75, 85), loss=loss, metric=((0.0, 0.1), (40.0, 0.9375)) if loss else (),
        metric_name="accuracy" if loss else "",
        timeline=tuple(
            Span(worker, turn + begin, turn + end, doing)
            for worker in (0, 1)
            for turn in (0.0, 1.0)
            for begin, end, doing in turns
        ),
    )  # fmt: skip
