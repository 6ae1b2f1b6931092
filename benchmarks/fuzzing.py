"""Mutations of values against mutations of bytes: branches of the reading modules that each reaches in the same time.

    python -m pip install atheris coverage
    python benchmarks/fuzzing.py --seconds 60

Three ways to make files, each from the same valid ones, each through the same command line: `values` are the strategies
of tests/fuzz, at random; `bytes` is atheris, which mutates bytes and keeps what reaches new branches; `guided` lets atheris
choose what the strategies draw. Afterwards everything that was tried (of atheris: what it has kept) is run again
under coverage.py. docs/studies/values-or-bytes.md tells what came out.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

READERS = {
    "answers": ("safe_yaml.py", "facts/answers.py", "facts/values.py"),
    "plans": ("report/plan/json_plan.py", "report/plan/json_fields.py"),
    "csv": ("datasets/readers/delimited_text.py", "datasets/delimited/*", "datasets/tables/*", "datasets/values/*"),
    "npy": ("datasets/readers/arrays.py", "datasets/arrays/*"),
}
"""By format, what reads it."""
WAYS = ("values", "bytes", "guided")


def maker(way: str, name: str, do: Callable[[Any], None]) -> Callable[[bytes], None]:
    """A function that turns bytes into a case, and hands it on."""
    from hypothesis import given, settings

    from tests.fuzz.formats import formats

    if way == "guided":
        one = settings(database=None, deadline=None)(given(formats()[name].mutated())(_named(do)))
        found: Callable[[bytes], None] = one.hypothesis.fuzz_one_input
        return found
    valid = [case for case in formats()[name].valid() if len(case.files) == 1]

    def of_bytes(data: bytes) -> None:
        case = valid[data[0] % len(valid) if data else 0]
        do(replace(case, files=dict.fromkeys(case.files, data[1:])))

    return of_bytes


def _named(do: Callable[[Any], None]) -> Callable[[Any], None]:
    def one(case: Any) -> None:
        do(case)

    return one


def surviving(name: str, folder: Path) -> Callable[[Any], None]:
    """Run a case; those that fail are counted in a file."""
    from tests.fuzz.formats import formats
    from tests.fuzz.surviving import End, put_away, survive

    def run(case: Any) -> None:
        outcome = survive(case, folder / "case", formats()[name])
        if outcome.end is End.FAILED:
            with (folder / "failed").open("a", encoding="utf-8") as file:
                file.write(f"{' '.join(outcome.faults)}\n")
        put_away(folder / "case")

    return run


def search(way: str, name: str, folder: Path, seconds: float) -> None:
    """Try cases for so many seconds of the processor, since others may use it too; prints how many cases they were."""
    tried, end = 0, 0.0

    def stop_in_time() -> None:
        if time.process_time() >= end:
            os.write(1, f"\ntried {tried}\n".encode())
            os._exit(0)

    if way == "values":
        from tests.fuzz.formats import formats
    else:
        import atheris

        with atheris.instrument_imports(include=["advisor"]):
            from tests.fuzz.formats import formats

    from tests.fuzz.drawing import for_each

    run = surviving(name, folder)

    def one(case: Any) -> None:
        nonlocal tried
        stop_in_time()
        run(case)
        tried += 1

    for case in formats()[name].valid():  # everything is imported and the rules are read by then
        run(case)
    end = time.process_time() + seconds
    if way == "values":
        for_each(formats()[name].mutated(), 10**9, f"{name}/0", one)
    corpus, make = folder / "corpus", maker(way, name, one)
    corpus.mkdir()
    for number, content in enumerate(seeds(way, name)):
        (corpus / str(number)).write_bytes(content)

    def hear(data: bytes) -> None:
        stop_in_time()
        make(data)

    options = ["-timeout=0", "-rss_limit_mb=4096", "-max_len=65536", "-len_control=0", "-seed=1"]
    atheris.Setup(["fuzzing", str(corpus), *options], hear)
    atheris.Fuzz()


def seeds(way: str, name: str) -> list[bytes]:
    """The bytes with which atheris begins: valid files, or choices at random."""
    from tests.fuzz.formats import formats

    if way == "guided":
        draws = random.Random(0)
        return [draws.randbytes(4096) for _ in range(32)]
    valid = [case for case in formats()[name].valid() if len(case.files) == 1]
    return [bytes([number]) + next(iter(case.files.values())) for number, case in enumerate(valid[:256])]


def replay(way: str, name: str, folder: Path, tried: int) -> None:
    """Run everything again and print the branches that it takes."""
    import coverage

    seen = coverage.Coverage(
        branch=True, data_file=None, include=[str(ROOT / "advisor" / one) for one in READERS[name]]
    )
    seen.start()
    from tests.fuzz.drawing import for_each
    from tests.fuzz.formats import formats

    run = surviving(name, folder)
    for case in formats()[name].valid():
        run(case)
    if way == "values":
        for_each(formats()[name].mutated(), tried, f"{name}/0", run)
    else:
        make = maker(way, name, run)
        for path in sorted((folder / "corpus").iterdir()):
            make(path.read_bytes())
    seen.stop()
    report = folder / "report.json"
    seen.json_report(outfile=str(report), ignore_errors=True)
    totals = json.loads(report.read_text("utf-8"))["totals"]
    print(f"branches {totals['covered_branches']} {totals['num_branches']}")


def compare(way: str, name: str, seconds: float) -> tuple[int, int, int, int]:
    """Cases tried, branches taken, branches that there are, cases that failed."""
    with tempfile.TemporaryDirectory() as place:
        searched = _child("search", way, name, place, seconds)
        found = re.search(r"^tried (\d+)", searched, re.MULTILINE)
        assert found, searched
        tried = int(found[1])
        failed = Path(place) / "failed"
        failures = len(failed.read_text("utf-8").splitlines()) if failed.exists() else 0
        told = re.search(r"branches (\d+) (\d+)", _child("replay", way, name, place, tried))
        assert told
        return tried, int(told[1]), int(told[2]), failures


def _child(step: str, *words: object) -> str:
    command = [sys.executable, __file__, "--step", step, *map(str, words)]
    environment = {**os.environ, "PYTHONHASHSEED": "0"}
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, errors="replace", check=False
    )
    return done.stdout + done.stderr


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--format", choices=READERS, action="append")
    parser.add_argument("--step", nargs=5)
    options = parser.parse_args()
    if options.step:
        step, way, name, folder, number = options.step
        search(way, name, Path(folder), float(number)) if step == "search" else replay(
            way, name, Path(folder), int(number)
        )
        return
    print("| format | way | cases | branches | of | failed |\n| --- | --- | --- | --- | --- | --- |")
    for name in options.format or READERS:
        for way in WAYS:
            print(f"| {name} | {way} | {' | '.join(map(str, compare(way, name, options.seconds)))} |", flush=True)


if __name__ == "__main__":
    main()
