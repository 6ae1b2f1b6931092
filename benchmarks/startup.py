"""Cold starts and memory of the command line, best of N, beside a bare interpreter in the same run."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

ADVISOR = str(Path(sys.executable).parent / "advisor")
COMMANDS = {
    "bare interpreter": [sys.executable, "-c", "pass"],
    "advisor --help": [ADVISOR, "--help"],
    "advisor recommend --help": [ADVISOR, "recommend", "--help"],
    "advisor probe list": [ADVISOR, "probe", "list"],
    "advisor recommend": [ADVISOR, "recommend", "--answers", "examples/digits.yaml"],
    "advisor recommend, JSON": [ADVISOR, "recommend", "--answers", "examples/digits.yaml", "--format", "json"],
}


def once(command: list[str]) -> tuple[float, float]:
    """Seconds and megabytes of resident memory at most."""
    started = time.perf_counter()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    if status:
        raise SystemExit(f"{command} failed")
    return time.perf_counter() - started, usage.ru_maxrss / 1000


def main() -> None:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 15
    best: dict[str, float] = {}
    memory: dict[str, float] = {}
    for _ in range(runs):
        for name, command in COMMANDS.items():
            seconds, megabytes = once(command)
            best[name] = min(best.get(name, seconds), seconds)
            memory[name] = max(memory.get(name, 0.0), megabytes)
    bare = best["bare interpreter"]
    for name, seconds in best.items():
        print(f"{name}: {seconds:.3f} s, {seconds / bare:.1f} times a bare interpreter, {memory[name]:.0f} MB")


if __name__ == "__main__":
    main()
