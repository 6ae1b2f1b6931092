"""Time and memory of `advisor inspect` on a generated CSV, beside bare scans of polars of the same file in the same run.

    python benchmarks/trials/inspecting.py [GIGABYTES] [FOLDER]

The file (2 GB unless stated) is written into a temporary folder, or into FOLDER, where it stays for the next run.
"""

from __future__ import annotations

import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

RUNS = 3
_BLOCK = 200_000
_COUNT = "import polars as p, sys; print(p.scan_csv(sys.argv[1]).select(p.len()).collect(engine='streaming').item())"
_ALL = (
    "import polars as p, sys; "
    "print(p.scan_csv(sys.argv[1]).select(p.all().null_count()).collect(engine='streaming').sum_horizontal().item())"
)


def generated(path: Path, size: int) -> None:
    """Ten columns: an identifier, a date, six numbers, a category, and classes in whose order the file stands."""
    if path.exists() and abs(path.stat().st_size - size) < 0.01 * size:
        return
    draw = random.Random(0)
    tails = [
        f"20{draw.randrange(10, 24)}-{draw.randrange(1, 13):02d}-{draw.randrange(1, 29):02d},"
        + ",".join(f"{draw.gauss(0, 10):.4f}" for _ in range(5))
        + f",{draw.randrange(10_000)},{draw.choice(['red', 'green', 'blue', ''])},"
        for _ in range(_BLOCK)
    ]
    with path.open("w") as file:
        file.write("id,day,a,b,c,d,e,count,colour,kind\n")
        number = 0
        while (written := file.tell()) < size:
            kind = ("low", "middle", "high")[min(written * 3 // size, 2)]
            file.write("".join(f"{number + place},{tail}{kind}\n" for place, tail in enumerate(tails)))
            number += _BLOCK


def once(command: list[str]) -> tuple[float, float]:
    """Seconds and megabytes of resident memory at most."""
    started = time.perf_counter()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    if status:
        raise SystemExit(f"{command} failed")
    return time.perf_counter() - started, usage.ru_maxrss / 1000


def main() -> None:
    gigabytes = float(sys.argv[1]) if len(sys.argv) > 1 else 2.0
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(sys.argv[2]) if len(sys.argv) > 2 else Path(temporary)
        path = folder / f"{gigabytes:g}.csv"
        generated(path, int(gigabytes * 1e9))
        commands = {
            "polars, counting rows": [sys.executable, "-c", _COUNT, str(path)],
            "polars, reading every column": [sys.executable, "-c", _ALL, str(path)],
            "advisor inspect": [sys.executable, "-m", "advisor", "inspect", str(path)],
            "advisor inspect --target": [sys.executable, "-m", "advisor", "inspect", str(path), "--target", "kind"],
        }
        measured: dict[str, list[tuple[float, float]]] = {name: [] for name in commands}
        for _ in range(RUNS):
            for name, command in commands.items():
                measured[name].append(once(command))
        seconds = {name: statistics.median(time for time, _ in runs) for name, runs in measured.items()}
        count, read = (seconds[name] for name in list(commands)[:2])
        print(f"{path.stat().st_size / 1e9:.2f} GB, median of {RUNS} interleaved runs")
        for name, runs in measured.items():
            peak = max(memory for _, memory in runs)
            print(
                f"{name}: {seconds[name]:.2f} s, {peak:.0f} MB, {seconds[name] / count:.2f} times counting rows, "
                f"{seconds[name] / read:.2f} times reading every column"
            )


if __name__ == "__main__":
    main()
