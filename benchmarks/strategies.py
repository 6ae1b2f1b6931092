"""Strategies trained for real beside their simulation: examples a second, and who comes to a loss first.

    python benchmarks/strategies.py [--workers 2,4] [--links 100Mbit/s,300Mbit/s,1Gbit/s] [--seconds 4] [--seeds 3] [--output DIR]

For each number of workers and each link, and once with a straggler, all strategies learn the digits of scikit-learn with the
network of 2017, its layers 256 wide. Before the first run steps and exchanges are timed by themselves on the very processes and
links; from these alone the simulator predicts examples a second, and the loss against time. The table says how far it is off.
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from advisor.agent.strategies import OF_2017
from advisor.distributed.comparing import Comparison, compared
from advisor.distributed.job import Calibrated, Job, Run
from advisor.distributed.launching.launch import Results, run
from advisor.distributed.strategies import Kind, Strategy
from advisor.distributed.task import DIGITS
from advisor.distributed.wires.links import links
from advisor.plain import encode
from advisor.simulation.lockstep import OVERLAPPED
from advisor.simulation.running import simulate
from advisor.simulation.scenario import Link, Scenario, measured
from advisor.simulation.scenario import link as read_link

NINE = (
    "synchronous", "gradient_accumulation", "local_sgd", "diloco", "asynchronous", "downpour", "delay_compensated",
    "stale_synchronous", "mixed_asynchronous",
)  # fmt: skip
STRAGGLER = 3.0
CORES = 2
"""Of this machine, which workers are tied to one after the other."""
MOST_LEARNED = 500
"""Steps of each worker with real gradients in virtual time, of which every one is computed here."""
CLOSE = 0.15
"""Of the real rate: within it a prediction counts as right."""
_TASK = replace(OF_2017, inputs=64, hidden_units=(256, 256), data=DIGITS, batch=128, rate=0.05)
_WEIGHTS = 64 * 256 + 256 + 256 * 256 + 256 + 256 * 10 + 10


@dataclass(frozen=True)
class Cell:
    """One number of workers on one link."""

    workers: int
    link: str
    straggler: float
    says: str
    results: Results
    rates: Mapping[str, float]
    """Examples a second that the simulator predicts, by strategy."""
    learned: Mapping[str, Sequence[Sequence[tuple[float, float]]]]
    """Its curve of the loss with the first seed, by strategy."""


def cell(workers: int, link: str, straggler: float, seconds: float, seeds: int, latency: str) -> Cell:
    """Train and simulate."""
    names = NINE
    job = Job(
        _TASK,
        names,
        workers=workers,
        seeds=tuple(range(seeds)),
        seconds=seconds,
        straggler=straggler,
        for_simulation=True,
    )
    joined = read_link(link, latency if link != "inf" else "0s")
    with links(job.ranks, joined.bytes_per_second, joined.latency) as found:
        results = run(job, links=found)
        says = found.says
    if results.failed or results.calibrated is None:
        raise SystemExit(f"{workers} workers on {link}: {results.failed}")
    rates, learned = {}, {}
    for one in job.chosen:
        real = statistics.median(run.examples_per_s for run in results.runs if run.strategy == str(one))
        steps = max(20, min(4000, round(real * seconds / workers / _TASK.batch)))
        scenario = scenario_of(results.calibrated, job, one, steps)
        rates[str(one)] = simulate(scenario, seconds=60).examples_per_s or math.inf
        short = replace(scenario, steps=min(steps, MOST_LEARNED), seed=job.seeds[0])
        learned[str(one)] = [simulate(short, _TASK, seconds=120).loss]
    return Cell(workers, link, straggler, says, results, rates, learned)


def scenario_of(timed: Calibrated, job: Job, one: Strategy, steps: int) -> Scenario:
    """What the simulator is told: nothing but what was timed before the first run."""
    workers, size = job.workers, 4 * _WEIGHTS
    cores = tuple(worker % CORES for worker in range(workers)) if workers > CORES else None
    ring = ring_link(timed, workers, size)
    latency = (timed.turn - timed.apply) / 2 - size * timed.send.beta
    send = Link(1 / timed.send.beta if timed.send.beta > 0 else None, max(0.0, latency))
    served = one.kind in (Kind.SERVER, Kind.GROUPS)
    return Scenario(
        one,
        workers,
        steps,
        batch=_TASK.batch,
        step_time=measured(on_shared_cores(timed, workers / CORES) if cores else timed.together),
        link=send if served else ring,
        group_link=ring if one.kind is Kind.GROUPS else None,
        message_bytes=size,
        straggler=job.straggler,
        apply_seconds=timed.apply,
        after_exchange=after_exchange(timed, one) / (workers / CORES if cores else 1),
        between_pushes=between_pushes(timed, one, size, workers / CORES) if served else None,
        cores=cores,
    )


def after_exchange(timed: Calibrated, one: Strategy) -> float:
    """The seconds that the steps between two exchanges take longer than others."""
    longer = timed.after_exchange
    if not longer:
        return 0.0
    first = timed.after_shared if one.name in OVERLAPPED else longer[0]
    return first + longer[min(one.whole("every"), len(longer)) - 1] - longer[0]


def between_pushes(timed: Calibrated, one: Strategy, size: int, sharers: float) -> float:
    """The seconds between an answer of the server and the next push.

    On shared cores the processors set a limit too: to all that a push takes of them comes the computing of its gradients.
    """
    served = timed.served
    if sharers > 1:
        computing = one.whole("every") * statistics.fmean(map(statistics.fmean, on_shared_cores(timed, sharers)))
        served = max(served, (timed.busy + computing) / CORES)
    return max(0.0, served - size * timed.send.beta - timed.apply)


def on_shared_cores(timed: Calibrated, sharers: float) -> Sequence[Sequence[float]]:
    """The steps of workers by themselves, as much longer as a share of a core gives less than that share."""
    together, alone = (statistics.fmean(map(statistics.fmean, steps)) for steps in (timed.together, timed.alone))
    return [[together / sharers / alone * one for one in own] for own in timed.alone]


def ring_link(timed: Calibrated, workers: int, size: int) -> Link:
    """The link on which a ring of so many bytes takes as long as was measured."""
    turns = 2 * max(1, workers - 1)
    beta = timed.all_reduce.beta
    return Link(turns / workers / beta if beta > 0 else None, max(0.0, timed.whole - beta * size) / turns)


def table(found: Sequence[Cell]) -> list[str]:
    """A row for each strategy in each cell, as Markdown."""
    lines = [
        "| workers | link | straggler | strategy | examples/s | simulated | off by | to the loss, s | times as fast | held out |"
    ]
    lines.append("|---" * 10 + "|")
    for one in found:
        standings = {each.strategy: each for each in real(one).standings}
        for name, predicted in one.rates.items():
            runs = [run for run in one.results.runs if run.strategy == name]
            rate, own = statistics.median(run.examples_per_s for run in runs), standings[name]
            ratio = f"{own.ratio.value:.2f} ({own.ratio.low:.2f} to {own.ratio.high:.2f})" if own.ratio else ""
            to = f"{own.typical:.2f}" if own.typical is not None else "not reached"
            last = runs[0].held_out
            lines.append(
                f"| {one.workers} | {one.link} | {one.straggler:g} | {name} | {spread(runs)} | {predicted:,.0f} | "
                f"{predicted / rate - 1:+.0%} | {to} | {ratio} | {last.value:.3f} ({last.low:.3f} to {last.high:.3f}) |"
            )
    return lines


def spread(runs: Sequence[Run]) -> str:
    """The median rate, and the least and the greatest of the seeds."""
    rates = sorted(run.examples_per_s for run in runs)
    return f"{statistics.median(rates):,.0f} ({rates[0]:,.0f} to {rates[-1]:,.0f})"


def real(one: Cell) -> Comparison:
    """Who came to the loss first."""
    curves = {
        name: [[(point.seconds, point.loss) for point in run.curve] for run in one.results.runs if run.strategy == name]
        for name in one.rates
    }
    return compared(curves, "synchronous")


def ranked(one: Cell) -> tuple[int, int]:
    """Pairs of strategies that are clearly apart in real runs, and those of them that the simulation has in the same order."""
    goal = real(one)
    virtual = compared(one.learned, "synchronous")
    seconds = {each.strategy: each.typical for each in virtual.standings}
    clear = same = 0
    for fast in goal.standings:
        for slow in goal.standings:
            there, later = [t for t in fast.seconds if t is not None], [t for t in slow.seconds if t is not None]
            if len(there) == len(fast.seconds) and len(later) == len(slow.seconds) and max(there) < min(later):
                clear += 1
                same += (seconds[fast.strategy] or math.inf) < (seconds[slow.strategy] or math.inf)
    return clear, same


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workers", default="2,4")
    parser.add_argument("--links", default="100Mbit/s,300Mbit/s,1Gbit/s")
    parser.add_argument("--latency", default="0s")
    parser.add_argument("--seconds", type=float, default=4.0)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--output", type=Path)
    asked = parser.parse_args()
    workers, rates = [int(one) for one in asked.workers.split(",")], asked.links.split(",")
    plan = [(many, link, 1.0) for many in workers for link in rates] + [(workers[0], rates[0], STRAGGLER)]
    found = []
    for many, link, straggler in plan:
        found.append(cell(many, link, straggler, asked.seconds, asked.seeds, asked.latency))
        print(found[-1].says, flush=True)
        print("\n".join(table(found[-1:])), flush=True)
        clear, same = ranked(found[-1])
        print(f"Order by time to the loss: {same} of {clear} pairs that are clear in real runs.\n", flush=True)
    print("\n".join(summary(found)))
    if asked.output is not None:
        asked.output.mkdir(parents=True, exist_ok=True)
        (asked.output / "strategies.md").write_text("\n".join([*table(found), "", *summary(found)]) + "\n")
        document = [
            {
                **encode(one.results),
                "rates": dict(one.rates),
                "link": one.link,
                "workers": one.workers,
                "straggler": one.straggler,
            }
            for one in found
        ]
        (asked.output / "strategies.json").write_text(json.dumps(document))


def summary(found: Sequence[Cell]) -> list[str]:
    """In how many cells the simulator is close, and has the same order."""
    off = []
    for one in found:
        for name, predicted in one.rates.items():
            rate = statistics.median(run.examples_per_s for run in one.results.runs if run.strategy == name)
            off.append(abs(predicted / rate - 1))
    close, pairs = sum(one <= CLOSE for one in off), [ranked(one) for one in found]
    share, median = close / len(off), statistics.median(off)
    clear, same = sum(pair[0] for pair in pairs), sum(pair[1] for pair in pairs)
    return [
        f"Within {CLOSE:.0%} of the real rate: {close} of {len(off)} cells ({share:.0%}); median {median:.0%}.",
        f"Order by time to the loss: the same in {same} of {clear} pairs that are clear in real runs.",
    ]


if __name__ == "__main__":
    main()
