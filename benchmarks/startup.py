"""Cold starts and memory of the command line, best of N, beside a bare interpreter in the same run.

    python benchmarks/startup.py [N] [--beside /another/version/.venv/bin/advisor]

With another version the two take turns, each with a state and a cache of its own, and the ratio of their medians is told.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

ADVISOR = str(Path(sys.executable).parent / "advisor")
ANSWERS = str(Path(__file__).parents[1] / "examples" / "digits.yaml")
COMMANDS = {
    "advisor --help": ["--help"],
    "advisor recommend --help": ["recommend", "--help"],
    "advisor probe list": ["probe", "list"],
    "advisor recommend": ["recommend", "--answers", ANSWERS],
    "advisor recommend, JSON": ["recommend", "--answers", ANSWERS, "--format", "json"],
}


def once(command: list[str], environment: Mapping[str, str] = os.environ) -> tuple[float, float]:
    """Seconds and megabytes of resident memory at most."""
    nothing = subprocess.DEVNULL
    started = time.perf_counter()
    child = subprocess.Popen(command, stdout=nothing, stderr=nothing, stdin=nothing, env=dict(environment))
    _, status, usage = os.wait4(child.pid, 0)
    if status:
        raise SystemExit(f"{command} failed")
    return time.perf_counter() - started, usage.ru_maxrss / 1000


def alone(runs: int) -> None:
    commands = {"bare interpreter": [sys.executable, "-c", "pass"]}
    commands |= {name: [ADVISOR, *arguments] for name, arguments in COMMANDS.items()}
    best: dict[str, float] = {}
    memory: dict[str, float] = {}
    for _ in range(runs):
        for name, command in commands.items():
            seconds, megabytes = once(command)
            best[name] = min(best.get(name, seconds), seconds)
            memory[name] = max(memory.get(name, 0.0), megabytes)
    bare = best["bare interpreter"]
    for name, seconds in best.items():
        print(f"{name}: {seconds:.3f} s, {seconds / bare:.1f} times a bare interpreter, {memory[name]:.0f} MB")


def beside(other: str, runs: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        places = {
            program: {**os.environ, "ADVISOR_STATE": f"{folder}/state{at}", "ADVISOR_CACHE": f"{folder}/cache{at}"}
            for at, program in enumerate((other, ADVISOR))
        }
        for name, arguments in COMMANDS.items():
            for program, place in places.items():
                once([program, *arguments], place)  # fills the cache
            turns = [[once([program, *arguments], place)[0] for program, place in places.items()] for _ in range(runs)]
            before, now = (statistics.median(seconds) for seconds in zip(*turns, strict=True))
            print(f"{name}: {before:.3f} s there, {now:.3f} s here, ratio {now / before:.2f}")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("runs", nargs="?", type=int, default=15)
    parser.add_argument("--beside", metavar="ADVISOR", help="the program of another version")
    given = parser.parse_args()
    if given.beside:
        beside(given.beside, given.runs)
    else:
        alone(given.runs)


if __name__ == "__main__":
    main()
