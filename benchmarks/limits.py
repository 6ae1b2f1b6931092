"""Measure what docs/limits.md declares: time and memory of commands on inputs as large as they may be, and beyond.

    python benchmarks/limits.py [--quick]

Every case is generated in a temporary folder (6 GB of it at once, at most), read by the command in a process of its
own, and removed. A case fails that takes more than its seconds, more than 2 GB, or ends with a traceback; the exit
status is then 1. Growth is that of time from one size to four times that size, in the same run; 4 is linear.
With --quick sizes are a tenth.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import tempfile
import time
import wave
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy
import polars
from PIL import Image

MOST_MEMORY = 2 * 10**9
"""Bytes, of the command and all that it starts."""
GROWTH = 6.0
"""Times as long that four times as much may take: linear, with room for noise."""
_AGAIN = 2
"""Times that an inspection is repeated which took too long; the shortest counts."""
_SHORTER = 10
"""Times smaller with --quick."""


@dataclass(frozen=True, slots=True)
class Case:
    """An input and what it may take."""

    name: str
    make: Callable[[Path, int], Path]
    size: int
    seconds: float
    arguments: tuple[str, ...] = ()
    status: int = 0
    """2 where it is refused."""
    grows: bool = False
    """Whether a quarter of it is measured too."""
    command: tuple[str, ...] = ("inspect",)
    """What is run, before the name of the input."""


@dataclass(frozen=True, slots=True)
class Taken:
    """What one inspection took."""

    seconds: float
    bytes: int
    status: int
    errors: str


def repeated(path: Path, size: int) -> Path:
    """A table of `size` bytes: eight columns, a block of rows again and again."""
    draw = random.Random(0)
    row = lambda: ",".join(f"{draw.gauss(0, 1):.5f}" for _ in range(7))  # noqa: E731
    block = "".join(f"{row()},{draw.choice('abc')}\n" for _ in range(40_000)).encode()
    with (found := path / "table.csv").open("wb") as file:
        file.write(b"a,b,c,d,e,f,g,kind\n")
        while file.tell() < size:
            file.write(block)
    return found


def wide(path: Path, columns: int) -> Path:
    """200 rows of so many columns of numbers, and a class."""
    numbers = numpy.random.default_rng(0).normal(size=(200, columns)).round(3).astype(str)
    with (found := path / "genes.csv").open("w") as file:
        file.write(",".join(f"gene{number}" for number in range(columns)) + ",kind\n")
        file.writelines(f"{','.join(row)},{'ab'[place % 2]}\n" for place, row in enumerate(numbers))
    return found


def wide_parquet(path: Path, columns: int) -> Path:
    draw = numpy.random.default_rng(0)
    table = {f"gene{number}": draw.normal(size=200) for number in range(columns)}
    polars.DataFrame({**table, "kind": ["a", "b"] * 100}).write_parquet(found := path / "genes.parquet")
    return found


def wide_json(path: Path, columns: int) -> Path:
    row = ",".join(f'"gene{number}":{number % 17}.5' for number in range(columns))
    (found := path / "genes.jsonl").write_text("".join(f'{{{row},"kind":"{"ab"[n % 2]}"}}\n' for n in range(40)))
    return found


def archive(path: Path, rows: int) -> Path:
    draw = numpy.random.default_rng(0)
    values = draw.random((rows, 8), dtype=numpy.float32)
    numpy.savez(found := path / "data.npz", x=values, y=(values[:, 0] > 0.5).astype(numpy.int64))
    return found


def packed(path: Path, rows: int) -> Path:
    """Zeros, of which a thousand take a byte."""
    zeros = numpy.zeros((rows, 2), numpy.uint8)
    numpy.savez_compressed(found := path / "data.npz", x=zeros, y=zeros[:, 0])
    return found


def packed_by_columns(path: Path, rows: int) -> Path:
    zeros = numpy.asfortranarray(numpy.zeros((rows, 8), numpy.uint8))
    numpy.savez_compressed(found := path / "data.npz", x=zeros, y=zeros[:, 0])
    return found


def array(path: Path, rows: int) -> Path:
    numpy.save(found := path / "data.npy", numpy.random.default_rng(0).random((rows, 8), dtype=numpy.float32))
    return found


def long_texts(path: Path, size: int) -> Path:
    """A hundred rows, each with a text of so many bytes that Parquet keeps once."""
    table = polars.DataFrame({"text": ["z" * size] * 100, "kind": ["a", "b"] * 50})
    table.write_parquet(found := path / "texts.parquet")
    return found


def constant_parquet(path: Path, rows: int) -> Path:
    table = polars.select(polars.repeat(1, rows, dtype=polars.Int64).alias("a"))
    table.with_columns(b=polars.col("a")).write_parquet(found := path / "same.parquet", row_group_size=rows)
    return found


def long_line(path: Path, size: int) -> Path:
    with (found := path / "line.csv").open("wb") as file:
        file.write(b"a,b,y\n")
        for _ in range(size // 2**20):
            file.write(b"1" * 2**20)
        file.write(b",2,3\n")
    return found


def long_line_of_json(path: Path, size: int) -> Path:
    with (found := path / "line.jsonl").open("wb") as file:
        file.write(b'{"a": 1}\n{"a": "')
        for _ in range(size // 2**20):
            file.write(b"1" * 2**20)
        file.write(b'"}\n')
    return found


def one_line(path: Path, size: int) -> Path:
    with (found := path / "line.txt").open("wb") as file:
        for _ in range(size // 2**20):
            file.write(b"some words of it " * (2**20 // 17))
    return found


def pictures(path: Path, count: int) -> Path:
    """Links to a hundred small pictures, in ten folders."""
    draw = numpy.random.default_rng(0)
    for number in range(100):
        Image.fromarray(draw.integers(0, 255, (16, 16), numpy.uint8)).save(path / f"{number}.png")
    for kind in range(10):
        (path / "pictures" / str(kind)).mkdir(parents=True)
    for number in range(count):
        os.link(path / f"{number % 100}.png", path / "pictures" / str(number % 10) / f"{number}.png")
    return path / "pictures"


def sounds(path: Path, count: int) -> Path:
    """Links to ten sounds of a second, in two folders."""
    for number in range(10):
        with wave.open(str(path / f"{number}.wav"), "wb") as file:
            file.setparams((1, 2, 8000, 0, "NONE", ""))
            file.writeframes(bytes(16_000))
    for kind in "ab":
        (path / "sounds" / kind).mkdir(parents=True)
    for number in range(count):
        os.link(path / f"{number % 10}.wav", path / "sounds" / "ab"[number % 2] / f"{number}.wav")
    return path / "sounds"


def nested(path: Path, depth: int) -> Path:
    """Pictures, and a folder in a folder in a folder."""
    folder = pictures(path, 100)
    here = Path.cwd()
    try:
        os.chdir(folder)
        for _ in range(depth):
            Path("deeper").mkdir()
            os.chdir("deeper")
    finally:
        os.chdir(here)
    return folder


def pack(path: Path, rules: int) -> Path:
    """A pack of so many rules on two facts, in ten files."""
    (path / "pack").mkdir()
    kind = "{title: Ledger, author: Our house, year: 2026, kind: own}"
    (path / "pack" / "sources.yaml").write_text(f"sources:\n  ledger: {kind}\n")
    for number in range(rules):
        with (path / "pack" / f"house-{number % 10}.yaml").open("a") as file:
            file.write(
                f"- id: training.precision.house-{number}\n  topic: training.precision\n  school: any\n"
                f"  when: data.examples > {number} and data.examples < {2 * number + 9} and network.parameters > {number}\n"
                f"  value: bf16\n  because: The house has found it so, in its case {number}.\n"
                "  sources: [ledger]\n  verified: 2026-11-23\n"
            )
    return path / "pack"


CASES = (
    Case("table of 5 GB", repeated, 5 * 10**9, 30, ("--target", "kind"), grows=True),
    Case("text table, 20,000 columns", wide, 20_000, 10, ("--target", "kind"), grows=True),
    Case("text table, 100,001 columns", wide, 100_001, 30, status=2),
    Case("Parquet, 20,000 columns", wide_parquet, 20_000, 10, ("--target", "kind"), grows=True),
    Case("JSON lines, 20,000 columns", wide_json, 20_000, 15, ("--target", "kind")),
    Case("npz, 10 million rows", archive, 10_000_000, 15, ("--target", "y"), grows=True),
    Case("npz of 380 KB, 130 million rows", packed, 130_000_000, 20),
    Case("npz in Fortran's order, 100 million rows", packed_by_columns, 100_000_000, 30),
    Case("npy, 10 million rows", array, 10_000_000, 10),
    Case("Parquet, 200 million equal rows", constant_parquet, 200_000_000, 15),
    Case("Parquet, texts of 50 MB packed small", long_texts, 50_000_000, 15, status=2),
    Case("row of 400 MB", long_line, 400 * 10**6, 10, status=2),
    Case("line of JSON of 400 MB", long_line_of_json, 400 * 10**6, 10, status=2),
    Case("text of one line of 400 MB", one_line, 400 * 10**6, 15),
    Case("folder of 200,000 pictures", pictures, 200_000, 20, grows=True),
    Case("folder of 200,000 sounds", sounds, 200_000, 20),
    Case("10,000 folders in one another", nested, 10_000, 10),
    Case(
        "pack of 10,000 rules",
        pack,
        10_000,
        15,
        ("--set", "data.examples=3000"),
        grows=True,
        command=("recommend", "--rules"),
    ),
)
_ALWAYS_WHOLE = {"text table, 100,001 columns", "Parquet, texts of 50 MB packed small"}


def taken_by(case: Case, data: Path) -> Taken:
    """Run the command; memory is the largest of the command and what it started."""
    command = [sys.executable, "-P", "-m", "advisor", *case.command, str(data), *case.arguments]
    probe = (
        "import resource, subprocess, sys\n"
        "done = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)\n"
        "print(done.returncode, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)\n"
        "print(done.stderr.decode(errors='replace'))"
    )
    begun = time.perf_counter()
    told = subprocess.run(
        [sys.executable, "-P", "-c", probe, *command], capture_output=True, text=True, check=True, timeout=600
    ).stdout
    seconds = time.perf_counter() - begun
    numbers, _, errors = told.partition("\n")
    status, memory = map(int, numbers.split())
    return Taken(seconds, memory * 1024, status, errors.strip())


def measured(case: Case, size: int) -> Taken:
    with tempfile.TemporaryDirectory(prefix="limits-") as folder:
        data = case.make(Path(folder), size)
        taken = taken_by(case, data)
        for _ in range(_AGAIN):
            if taken.seconds > case.seconds:  # others may be using the machine
                taken = min(taken, taken_by(case, data), key=lambda one: one.seconds)
        if case.make is nested:
            subprocess.run(["rm", "-rf", folder], check=True)  # too deep for shutil
            Path(folder).mkdir()
    return taken


def faults(case: Case, taken: Taken, growth: float | None) -> list[str]:
    """Reasons why a case is not within its limits."""
    found = []
    if taken.seconds > case.seconds:
        found.append(f"more than {case.seconds:.0f} s")
    if taken.bytes > MOST_MEMORY:
        found.append(f"more than {MOST_MEMORY / 1e9:.0f} GB")
    if taken.status != case.status or "Traceback" in taken.errors:
        found.append(f"exit status {taken.status}: {taken.errors[-200:]}")
    if growth is not None and growth > GROWTH:
        found.append(f"four times as much takes {growth:.1f} times as long")
    return found


def main(arguments: list[str]) -> int:
    quick = "--quick" in arguments
    failed = 0
    print("| input | seconds | memory | growth | |\n| --- | --- | --- | --- | --- |")
    for case in CASES:
        size = case.size if not quick or case.name in _ALWAYS_WHOLE else case.size // _SHORTER
        quarter = measured(case, size // 4) if case.grows else None
        taken = measured(case, size)
        growth = None if quarter is None else taken.seconds / quarter.seconds
        wrong = faults(case, taken, growth)
        failed += bool(wrong)
        told = "; ".join(wrong) or ("refused" if case.status else "")
        grown = "" if growth is None else f"{growth:.1f}"
        print(f"| {case.name} | {taken.seconds:.1f} | {taken.bytes / 1e6:,.0f} MB | {grown} | {told} |", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
