"""The report of 2017 on trial: Downpour and delay-compensated SGD, at small scale and in virtual time.

    python benchmarks/report_2017.py [--seeds 10] [--seconds 4] [--only NAME]...

Prints a section for each claim of Mullapudi 2017: the claim, what was run, and the figures with 95 % intervals. The network is
the report's, 64 and 64 units with tanh; instead of MNIST it learns the digits of scikit-learn.
"""

from __future__ import annotations

import argparse
import math
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import torch

from advisor.agent.strategies import OF_2017, OF_2017_BYTES
from advisor.distributed.comparing import Interval, compared, geometric
from advisor.distributed.job import Job
from advisor.distributed.launching.launch import run
from advisor.distributed.learning.lesson import Lesson, lesson
from advisor.distributed.strategies import strategy
from advisor.distributed.task import DIGITS, Task
from advisor.simulation.learning import taught
from advisor.simulation.result import Result
from advisor.simulation.scenario import Faults, Link, Scenario, StepTime, step_time
from advisor.simulation.timing import timing

TASK = replace(OF_2017, inputs=64, data=DIGITS, batch=32, rate=0.05)
NODES = (4, 8, 12)
EPOCH, MORE_DOWNPOUR, MORE_DELAY = 3.52, 3.55 / 3.52, 3.64 / 3.59
"""Seconds with 4 nodes, and times as long with 12: Table 2."""
EXAMPLES = 55_000
LINK = Link(1e9)
"""8 Gbit/s: 2 Gbit/s for each virtual processor of an n1-standard-4."""


def nodes(_: argparse.Namespace) -> None:
    """Going from 4 to 12 nodes costs 0.8 % of an epoch's time."""
    for batch in (1, 10, 100, 1000):
        steps, exchange = EXAMPLES // batch, 2 * LINK.seconds(OF_2017_BYTES)
        alone = EPOCH / steps
        if 4 * exchange > alone:
            needs = f"a step may take {alone * 1e3:.3g} ms, and four exchanges take {4e3 * exchange:.3g} ms"
            print(f"- Batch {batch}: {needs}: impossible.")
            continue
        seconds = {n: _epoch(n, steps, alone - exchange) for n in NODES}
        more = seconds[12] / seconds[4] - 1
        print(
            f"- Batch {batch}: an epoch takes {', '.join(f'{s:.3g} s with {n}' for n, s in seconds.items())}: {more:+.1%}."
        )


def _epoch(workers: int, steps: int, computing: float) -> float:
    """Seconds in which each worker takes so many steps, with a little spread."""
    law = StepTime(step_time("lognormal:1s:0.1").law, computing, 0.1)
    found = timing(Scenario(strategy("asynchronous"), workers, min(steps, 2000), 1, law, LINK, OF_2017_BYTES))
    return found.seconds * steps / min(steps, 2000)


def parity(asked: argparse.Namespace) -> None:
    """Delay compensation takes about 2 % more time than Downpour (3.59 s for 3.52 s)."""
    names = ("downpour:every=1:server=sgd", "delay_compensated", "delay_compensated_adaptive")
    for workers in (2, 3, 4):
        job = Job(
            TASK, names, workers=workers, seeds=tuple(range(asked.real_seeds)), seconds=asked.seconds, calibrates=False
        )
        found = run(job)
        rates = {
            name: [one.examples_per_s for one in found.runs if one.strategy == str(strategy(name))] for name in names
        }
        for name in names[1:]:
            ratio = geometric([a / b for a, b in zip(rates[names[0]], rates[name], strict=True)])
            print(f"- {workers} real workers, {name}: {_ratio(ratio)} times the time of an update.")


def adagrad(asked: argparse.Namespace) -> None:
    """For asynchronous training Adagrad works best of all."""
    given = lesson(TASK, torch.float64)
    for workers in (4, 16):
        best: dict[str, list[float]] = {}
        for server in ("sgd", "adagrad"):
            losses = {
                rate: [
                    _learned(given, f"asynchronous:server={server}", workers, seed, rate=rate).loss[-1][1]
                    for seed in range(asked.seeds)
                ]
                for rate in (0.003, 0.01, 0.03, 0.1, 0.3)
            }
            rate = min(losses, key=lambda one: statistics.fmean(_finite(losses[one])))
            best[server] = _finite(losses[rate])
            print(f"- {workers} workers, {server} at its best rate of {rate:g}: loss {_interval(best[server])}.")
        difference = [a - b for a, b in zip(best["sgd"], best["adagrad"], strict=True)]
        print(f"  SGD less Adagrad: {_interval(difference)}.")


def viable(asked: argparse.Namespace) -> None:
    """Asynchronous training, with or without compensation, is an effective way to use several machines."""
    given = lesson(TASK, torch.float64)
    for workers in NODES:
        curves: dict[str, list[Sequence[tuple[float, float]]]] = {}
        for name in ("synchronous", "asynchronous", "downpour", "delay_compensated", "local_sgd"):
            curves[name] = [_learned(given, name, workers, seed).loss for seed in range(asked.seeds)]
        alone = [
            [(at, loss) for at, loss in _learned(given, "synchronous", 1, seed, steps=200 * workers).loss]
            for seed in range(asked.seeds)
        ]
        found = compared({"alone": alone, **curves}, "alone")
        for one in found.standings:
            if one.ratio is not None:
                ratio = one.ratio
                print(f"- {workers} workers, {one.strategy}: {_ratio(ratio)} times as fast as one worker.")
            elif one.strategy != "alone":
                print(
                    f"- {workers} workers, {one.strategy}: comes to the loss with {one.reached} of {len(one.seconds)} seeds."
                )


def ranking(asked: argparse.Namespace) -> None:
    """Delay compensation ends nearer to one worker than synchronous and asynchronous training (Zheng et al. 2017)."""
    given = lesson(TASK, torch.float64)
    for workers in (4, 8, 16):
        ends: dict[str, list[float]] = {}
        names = (
            "asynchronous",
            "delay_compensated",
            "delay_compensated:lambda=1",
            "delay_compensated_adaptive",
            "synchronous",
        )
        for name in names:
            results = [_learned(given, name, workers, seed, rate=0.2, steps=60) for seed in range(asked.seeds)]
            ends[name] = _finite([one.loss[-1][1] for one in results])
        alone = [
            _learned(given, "synchronous", 1, seed, rate=0.2, steps=60 * workers).loss[-1][1]
            for seed in range(asked.seeds)
        ]
        print(f"- One worker with as many examples as {workers}: loss {_interval(alone)}.")
        for name, losses in sorted(ends.items(), key=lambda one: statistics.fmean(one[1])):
            less = [a - b for a, b in zip(losses, ends["asynchronous"], strict=True)]
            print(f"  {name}: {_interval(losses)}; less asynchronous {_interval(less)}.")


def failures(asked: argparse.Namespace) -> None:
    """Asynchronous training goes on when a node fails."""
    for name in ("asynchronous", "synchronous"):
        whole = [_timed(name, 8, seed, Faults()) for seed in range(asked.seeds)]
        failing = [
            _timed(name, 8, seed, Faults(between_failures=40.0, restart=10.0, checkpoint_every=1.0))
            for seed in range(asked.seeds)
        ]
        ratio = geometric([a / b for a, b in zip(failing, whole, strict=True)])
        print(f"- {name}, 8 workers, each fails every 40 s for 10 s: {_ratio(ratio)} times as long.")


def _timed(name: str, workers: int, seed: int, faults: Faults) -> float:
    law = step_time("lognormal:20ms:0.1")
    return timing(
        Scenario(strategy(name), workers, 3000, 32, law, LINK, OF_2017_BYTES, seed=seed, faults=faults)
    ).seconds


def traffic(asked: argparse.Namespace) -> None:
    """DiLoCo sends 500 times less (Douillard et al. 2023); beside it the loss that it ends with."""
    given = lesson(TASK, torch.float64)
    sent = {
        name: timing(Scenario(strategy(name), 8, 1000, 32, message_bytes=OF_2017_BYTES)).bytes
        for name in ("synchronous", "diloco:every=500")
    }
    print(
        f"- Bytes of synchronous over those of DiLoCo with 500 steps: {sent['synchronous'] / sent['diloco:every=500']:.0f}."
    )
    for name in ("synchronous", "diloco:every=10", "diloco:every=50"):
        task = replace(TASK, optimizer="adamw", rate=3e-3)
        losses = [_learned(given, name, 8, seed, task=task, steps=200).loss[-1][1] for seed in range(asked.seeds)]
        print(f"- {name}, 8 workers, AdamW: loss {_interval(_finite(losses))}.")


def mixed(asked: argparse.Namespace) -> None:
    """Mixed training is the fastest on many clusters (the survey); its source had 12 h synchronous and 16 h mixed."""
    given = lesson(TASK, torch.float64)
    for uneven, law in (("even", "lognormal:20ms:0.05"), ("uneven", "lognormal:20ms:0.5")):
        curves = {
            name: [_learned(given, name, 8, seed, law=law, inside=Link(10e9)).loss for seed in range(asked.seeds)]
            for name in ("synchronous", "mixed_asynchronous", "mixed_asynchronous:groups=4")
        }
        for one in compared(curves, "synchronous").standings:
            if one.ratio is not None:
                ratio = one.ratio
                print(f"- {uneven} workers, {one.strategy}: {_ratio(ratio)} times as fast as synchronous.")


def forty(asked: argparse.Namespace) -> None:
    """Synchronous training works up to 40 GPUs; beyond, waiting for the slowest costs too much (the survey)."""
    for uneven, law in (
        ("even", "lognormal:100ms:0.05"),
        ("uneven", "lognormal:100ms:0.3"),
        ("exponential", "exponential:100ms"),
    ):
        used = {}
        for workers in (8, 40, 256, 1024):
            found = [
                timing(Scenario(strategy("synchronous"), workers, 300, 32, step_time(law), seed=seed))
                for seed in range(3)
            ]
            used[workers] = statistics.fmean(1 - one.waiting_share for one in found)
        told = ", ".join(f"{share:.0%} with {workers}" for workers, share in used.items())
        print(f"- {uneven} steps: computing takes {told} of the time.")


def _learned(
    given: Lesson, name: str, workers: int, seed: int, *, rate: float = TASK.rate, steps: int = 200, task: Task | None = None,
    law: str = "lognormal:20ms:0.1", inside: Link | None = None,
) -> Result:  # fmt: skip
    scenario = Scenario(
        strategy(name), workers, steps, 32, step_time(law), LINK, OF_2017_BYTES, seed=seed, group_link=inside
    )
    return taught(scenario, task or replace(TASK, rate=rate), given)


def _finite(values: Sequence[float]) -> list[float]:
    return [value if math.isfinite(value) else 100.0 for value in values]


def _ratio(found: Interval) -> str:
    return f"{found.value:.3f} ({found.low:.3f} to {found.high:.3f})"


def _interval(values: Sequence[float]) -> str:
    """The mean with its 95 % interval by Student's t."""
    mean = statistics.fmean(values)
    reach = 2.262 * statistics.stdev(values) / math.sqrt(len(values)) if len(values) > 1 else math.inf
    return f"{mean:.4f} ({mean - reach:.4f} to {mean + reach:.4f})"


PARTS: Mapping[str, Callable[[argparse.Namespace], None]] = {
    one.__name__: one for one in (nodes, parity, adagrad, viable, ranking, failures, traffic, mixed, forty)
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--real-seeds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=4.0)
    parser.add_argument("--only", action="append", choices=list(PARTS))
    asked = parser.parse_args()
    torch.set_num_threads(1)
    for name in asked.only or PARTS:
        print(f"\n## {name}: {PARTS[name].__doc__}\n", flush=True)
        PARTS[name](asked)


if __name__ == "__main__":
    main()
