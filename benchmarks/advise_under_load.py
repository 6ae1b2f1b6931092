"""How many bets does `make advise` settle while another program takes 15 % of each core?

    python benchmarks/advise_under_load.py [RUNS] [--share 0.15] [--wait 300] [COMMAND ...]

Each run begins with nothing remembered. The load is a process pinned to each core, busy for its share of every tenth of a
second. What further programs took meanwhile is told beside each run: with `--wait` a run is put off, for so many seconds at
most, until they take less than a tenth of the machine. Exit code 1 where a run decided fewer than two bets, or where one took
longer than 45 s.
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import Process
from pathlib import Path

import psutil

DECIDED = re.compile(r" CHANGED to|(confirmed|kept)$")
BET = re.compile(rf"{DECIDED.pattern}|(not decided|failed)$")
"""The words at the end of the line of a bet."""
FEWEST, LONGEST = 2, 45.0
"""Bets decided in each run, and seconds that each may take."""
QUIET = 0.1
"""Share of the machine that others may take before a run is put off."""
PERIOD = 0.1
ROOT = Path(__file__).parents[1]


@dataclass(frozen=True)
class Run:
    seconds: float
    lines: tuple[str, ...]
    """The bets, as they were told."""
    others: float
    """Share of the processors that neither the run nor the load took."""

    @property
    def decided(self) -> int:
        return sum(DECIDED.search(line) is not None for line in self.lines)


def take(core: int, share: float) -> None:
    """Keep a core busy for a share of the time, for ever."""
    os.sched_setaffinity(0, {core})
    while True:
        begun = time.monotonic()
        while time.monotonic() - begun < share * PERIOD:
            pass
        time.sleep(max(0.0, PERIOD - (time.monotonic() - begun)))


@contextmanager
def load(share: float) -> Iterator[list[Process]]:
    """The same share of each core that may be used."""
    takers = [Process(target=take, args=(core, share), daemon=True) for core in sorted(os.sched_getaffinity(0))]
    for one in takers if share else ():
        one.start()
    try:
        yield takers if share else []
    finally:
        for one in takers if share else ():
            one.kill()
            one.join()


def used(takers: list[Process]) -> tuple[float, float]:
    """Processor seconds since the machine started: of all programs, and of this one, its children and the load."""
    every = psutil.cpu_times()
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    ours = sum(os.times()[:2]) + children.ru_utime + children.ru_stime
    ours += sum(sum(psutil.Process(one.pid).cpu_times()[:2]) for one in takers)
    return sum(every) - every.idle - every.iowait - getattr(every, "guest", 0.0), ours


def others(before: tuple[float, float], after: tuple[float, float], seconds: float) -> float:
    took = (after[0] - before[0]) - (after[1] - before[1])
    return max(0.0, took / seconds / len(os.sched_getaffinity(0)))


def wait_for_quiet(takers: list[Process], seconds: float) -> None:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        before = used(takers)
        time.sleep(min(5.0, seconds))
        if others(before, used(takers), 5.0) < QUIET:
            return


def measured(command: list[str], takers: list[Process]) -> Run:
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "ADVISOR_STATE": folder, "COLUMNS": "80"}
        before, begun = used(takers), time.monotonic()
        done = subprocess.run(
            command, cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
        )
        seconds = time.monotonic() - begun
        taken = others(before, used(takers), seconds)
    if done.returncode not in (0, 1):
        sys.exit(done.stderr)
    told = (line.strip() for line in done.stdout.splitlines())
    bets = [" ".join(line.split()) for line in told if BET.search(line)]
    return Run(seconds, tuple(bets), taken)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="?", type=int, default=5)
    parser.add_argument("--share", type=float, default=0.15)
    parser.add_argument("--wait", type=float, default=0.0)
    options, command = parser.parse_known_args()
    runs = []
    with load(options.share) as takers:
        for number in range(options.runs):
            wait_for_quiet(takers, options.wait)
            run = measured(command or ["make", "--silent", "advise"], takers)
            runs.append(run)
            said = f"{run.seconds:4.1f} s, {run.decided} decided; others took {run.others:.0%} besides"
            print(f"run {number + 1}: {said}", *(f"  {line}" for line in run.lines), sep="\n", flush=True)
    decided, seconds = [run.decided for run in runs], [run.seconds for run in runs]
    print(f"{options.runs} runs with {options.share:.0%} of each core taken: decided {sorted(decided)}", end=", ")
    print(f"median {statistics.median(decided):g}; longest {max(seconds):.1f} s")
    sys.exit(min(decided) < FEWEST or max(seconds) > LONGEST)


if __name__ == "__main__":
    main()
