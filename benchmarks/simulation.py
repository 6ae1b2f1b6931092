"""What simulating takes: seconds and peak memory of every strategy, and of real gradients.

    python benchmarks/simulation.py [--large] [--only NAME]...

1,000 workers take 1,000 steps each in at most 10 s, with --large 10,000 workers as many in at most 100 s, and 64 workers 200
steps with real gradients of a 64-64-64-10 network in at most 120 s, each in less than 1 GB. Steps take exponential times, the
slowest case for a server's queue; each simulation is a process of its own, and its start counts. The exit status is 1 where
one takes more.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass

from advisor.distributed.strategies import DECLARED, strategy
from advisor.distributed.task import DIGITS, Task
from advisor.simulation.scenario import Link, Scenario, step_time

MOST_MEMORY = 10**9
"""Bytes."""
_TASK = Task("ffn", "tabular", 64, 10, hidden_units=(64, 64), data=DIGITS, rate=0.01)
_LEARNED = ("synchronous", "asynchronous", "delay_compensated_adaptive", "diloco", "powersgd")
_MANY_GROUPS = "mixed_asynchronous:groups={}"


@dataclass(frozen=True, slots=True)
class Case:
    """A simulation, and what it may take."""

    name: str
    workers: int
    steps: int
    seconds: float
    learns: bool = False


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--large", action="store_true", help="10,000 workers too, which takes many minutes")
    parser.add_argument("--only", action="append", help="these strategies")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.one:
        _simulate(Case(**json.loads(chosen.one)))
        return
    failed = False
    print(f"{'strategy':44} {'workers x steps':>16} {'seconds':>9} {'processor':>9} {'at most':>9} {'peak MB':>9}")
    for case in _cases(chosen.large):
        if not chosen.only or case.name.partition(":")[0] in chosen.only:
            failed |= _measured(case)
    sys.exit(failed)


def _cases(large: bool) -> Sequence[Case]:
    cases = []
    for workers, most in ((1000, 10.0), (10_000, 100.0)) if large else ((1000, 10.0),):
        names = [*DECLARED, _MANY_GROUPS.format(workers // 2)]
        cases += [Case(name, workers, 1000, most) for name in names]
    return [*cases, *(Case(name, 64, 200, 120.0, learns=True) for name in _LEARNED)]


def _measured(case: Case) -> bool:
    """Print what it takes; True if that is too much, or it fails."""
    told = json.dumps({name: getattr(case, name) for name in Case.__slots__})
    begun, before = time.perf_counter(), _processor_seconds()
    done = subprocess.run([sys.executable, __file__, "--one", told], stdout=subprocess.PIPE, check=False)
    took, computed = time.perf_counter() - begun, _processor_seconds() - before
    held = int(done.stdout or 0)
    wrong = done.returncode != 0 or took > case.seconds or held > MOST_MEMORY
    size = f"{case.workers:,} x {case.steps:,}"
    name = f"{case.name}{', with gradients' if case.learns else ''}"
    times = f"{took:9.2f} {computed:9.2f} {case.seconds:9.0f}"
    print(f"{name:44} {size:>16} {times} {held / 1e6:9.0f}{'  TOO MUCH' if wrong else ''}", flush=True)
    return wrong


def _processor_seconds() -> float:
    """Of all processes that were waited for: what is left of the time is that of others on a busy machine."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _simulate(case: Case) -> None:
    """Simulate, and print the peak memory in bytes."""
    asked = Scenario(
        strategy(case.name), case.workers, case.steps, batch=16, step_time=step_time("exponential:1s"),
        link=Link(1.25e9, 1e-4), message_bytes=None if case.learns else 100_000_000, straggler=2.0,
    )  # fmt: skip
    if case.learns:
        import torch

        torch.set_num_threads(1)
        from advisor.simulation.learning import learned

        learned(asked, _TASK)
    else:
        from advisor.simulation.timing import timing

        timing(asked)
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)


if __name__ == "__main__":
    main()
