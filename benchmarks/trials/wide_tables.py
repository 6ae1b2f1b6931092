"""Seconds and memory of `advisor inspect` on tables of many columns, the whole command, beside a bare read by polars.

    python benchmarks/trials/wide_tables.py

200 columns of 10,000 rows and 20,000 of 500, without a target, with one of classes and with one of numbers. The aim is
2 s and 10 s on two cores at rest.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
from pathlib import Path

import numpy
import polars
from inspecting import once

RUNS = 3
SHAPES = {(200, 10_000): 2.0, (20_000, 500): 10.0}
_READ = "import polars as p, sys; print(p.read_csv(sys.argv[1]).shape)"


def generated(path: Path, columns: int, rows: int) -> None:
    """Measures, some of them with gaps, categories and counts, and last a class and a number to predict."""
    draw = numpy.random.default_rng(0)
    held: dict[str, polars.Series] = {}
    for place in range(columns - 2):
        match place % 5:
            case 0 | 1:
                values = polars.Series(draw.normal(size=rows).round(4))
            case 2:
                gaps = polars.Series(draw.random(rows) < 0.1)
                values = polars.select(
                    polars.when(gaps).then(None).otherwise(draw.normal(size=rows).round(4))
                ).to_series()
            case 3:
                values = polars.Series(draw.choice(["red", "green", "blue"], rows))
            case _:
                values = polars.Series(draw.integers(0, 50, rows))
        held[f"column {place}"] = values
    held["kind"] = polars.Series(draw.choice(["low", "high"], rows))
    held["size"] = polars.Series(draw.lognormal(size=rows).round(4))
    polars.DataFrame(held).write_csv(path)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} before; median of {RUNS} interleaved runs")
        for (columns, rows), aim in SHAPES.items():
            path = Path(folder) / f"{columns}.csv"
            generated(path, columns, rows)
            inspect = [sys.executable, "-m", "advisor", "inspect", str(path)]
            commands = {
                "polars alone": [sys.executable, "-c", _READ, str(path)],
                "no target": inspect,
                "a class": [*inspect, "--target", "kind"],
                "a number": [*inspect, "--target", "size"],
            }
            measured: dict[str, list[tuple[float, float]]] = {name: [] for name in commands}
            for _ in range(RUNS):
                for name, command in commands.items():
                    measured[name].append(once(command))
            print(f"{columns:,} columns of {rows:,} rows, {path.stat().st_size / 1e6:.0f} MB; aim {aim:g} s")
            for name, runs in measured.items():
                seconds = statistics.median(run for run, _ in runs)
                print(f"  {name}: {seconds:.2f} s, {max(memory for _, memory in runs):.0f} MB")


if __name__ == "__main__":
    main()
