"""What the probes of the machine find, beside tools that are trusted for it, in turn within one run.

    memory   within 10 % of STREAM in C (triad, gcc -O3 -march=native -fopenmp)
    storage  within 15 % of fio (the same blocks, about as many in flight, past the page cache)
    matmul   at most 100 % and at least 90 % of the best of five loops written by hand in torch

Every round measures both sides, one right after the other; a ratio is probe / other, the median of the rounds with
its 95 % interval. A median outside the bounds fails. The trials are those of the probes, run in this process. Use a
machine that does nothing else.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import stream
import torch
from torch import Tensor
from torch.nn.functional import linear

from advisor.children.errors import CannotRunError
from advisor.machine.detection.detection import detect
from advisor.probes.benches import matmul, memory, storage
from advisor.probes.judging.trial import Equipment, Prepare, Trial
from advisor.probes.probe import Probe
from advisor.probes.protocol import Message, Note, Request
from advisor.probes.rates import ALL_THREADS, MATMUL, MEMORY, ONE_THREAD, RANDOM, SEQUENTIAL, STORAGE
from advisor.probes.verdict import median_interval

SIZES = (512, 1024, 2048)
SAMPLE_SECONDS = 0.15
STREAM_TIMES = 10
"""Passes of STREAM, the first of which does not count."""
BYTES_OF_A_NUMBER = 24
"""That the triad moves for each number of an array."""
FORMATS = {"fp32": torch.float32, "bf16": torch.bfloat16}
"""Whose rates are kept as facts, of those that a processor has."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--only", choices=("memory", "storage", "matmul"))
    parser.add_argument("--folder", default=".", help="on the disk that is read")
    parser.add_argument("--stream", type=Path, help="a compiled STREAM, instead of building the one of Debian")
    options = parser.parse_args()
    for name, compare in (("memory", in_memory), ("storage", in_storage), ("matmul", in_matmul)):
        if options.only in (None, name):
            try:
                compare(options)
            except (stream.MissingError, CannotRunError) as error:
                print(f"{name}: not compared. {error}")


def in_memory(options: argparse.Namespace) -> None:
    with tempfile.TemporaryDirectory() as folder:
        program = options.stream or stream.build(Path(folder))
        equipment = ready(memory.prepare, MEMORY, options.folder)
        for setting, threads in ((ALL_THREADS, equipment.threads), (ONE_THREAD, 1)):
            beside_stream(equipment.trials[setting], program, threads, options.rounds)


def beside_stream(trial: Trial, program: Path, threads: int, rounds: int) -> None:
    length = round(trial.work / BYTES_OF_A_NUMBER)
    sides: list[list[stream.Triad]] = [
        in_turn(number, lambda: passes(trial), lambda: stream.run(program, length, threads)) for number in range(rounds)
    ]
    kinds: tuple[tuple[str, Callable[[stream.Triad], float]], ...] = (
        ("best", lambda triad: triad.best),
        ("mean", lambda triad: triad.mean),
    )
    for name, of in kinds:
        pairs = [(of(own), of(other)) for own, other in sides]
        show(f"memory, {trial.setting}, {name} of {STREAM_TIMES - 1} passes / STREAM", pairs, 1e9, "GB/s", 0.9, 1.1)


def passes(trial: Trial) -> stream.Triad:
    """What STREAM does: some passes, the first of which does not count."""
    seconds = [timed(trial.step) for _ in range(STREAM_TIMES)][1:]
    return stream.Triad(trial.work / min(seconds), trial.work / statistics.mean(seconds))


def in_storage(options: argparse.Namespace) -> None:
    if shutil.which("fio") is None:
        raise stream.MissingError("fio is not installed.")
    equipment = ready(storage.prepare, STORAGE, options.folder)
    try:
        for setting, way, block, in_flight in (
            (SEQUENTIAL, "read", storage.BLOCK, storage.SEQUENTIAL_IN_FLIGHT),
            (RANDOM, "randread", 4096, storage.RANDOM_IN_FLIGHT),
        ):
            trial = equipment.trials[setting]
            assert isinstance(trial, storage.ReadingTrial)
            # The very file that the probe reads: a virtual disk's host may keep a copy of one file and not of another.
            file = f"/proc/{os.getpid()}/fd/{trial.scratch.descriptor}"
            pairs = beside_fio(trial, [file, trial.scratch.size, way, block, in_flight], options.rounds)
            show(f"storage, {setting} / fio", pairs, 1e6, "MB/s", 0.85, 1.15)
    finally:
        for close in equipment.close:
            close()


def beside_fio(trial: Trial, job: Sequence[Any], rounds: int) -> list[tuple[float, float]]:
    sides: list[list[float]] = [
        in_turn(number, lambda: sample(trial, 1.0), lambda: fio(*job, "--runtime=1", "--time_based"))
        for number in range(rounds)
    ]
    return [(own, other) for own, other in sides]


def fio(file: str, size: int, way: str, block: int, in_flight: int, *more: str) -> float:
    """Bytes per second, past the page cache."""
    command = ["fio", "--name=compare", f"--filename={file}", f"--size={size}", "--direct=1", f"--rw={way}",
               f"--bs={block}", "--ioengine=libaio", f"--iodepth={in_flight}", "--output-format=json", *more]  # fmt: skip
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    job = json.loads(said[said.index("{") :])["jobs"][0]
    return float(job["read"]["bw_bytes"])


def in_matmul(options: argparse.Namespace) -> None:
    equipment = ready(matmul.prepare, MATMUL, options.folder)
    for setting, trial in equipment.trials.items():
        if not trial.work or setting not in FORMATS:
            continue
        rates = beside_loops(trial, FORMATS[str(setting)], options.rounds)
        best = max(rates, key=lambda name: statistics.median(rate for _, rate in rates[name]))
        show(f"matmul, {setting} / best of five loops ({best})", rates[best], 1e9, "GFLOP/s", 0.9, 1.0)


def beside_loops(trial: Trial, number_format: torch.dtype, rounds: int) -> dict[str, list[tuple[float, float]]]:
    """FLOP/s of the probe and of each loop at its best size, by the name of the loop."""
    tried: dict[str, dict[int, Callable[..., float]]] = {}
    for size in SIZES:
        for name, step in loops(number_format, size).items():
            tried.setdefault(name, {})[size] = partial(loop_rate, step, size)
    sides: dict[str, Callable[[], float]] = {}
    for name, by_size in tried.items():
        size = max(by_size, key=lambda size: max(by_size[size](0.05) for _ in range(4)))
        sides[f"{name}, {size} rows"] = by_size[size]
    found: list[list[float]] = [
        in_turn(number, lambda: trial.work * repeated(trial.step, SAMPLE_SECONDS), *sides.values())
        for number in range(rounds)
    ]
    return {name: [(row[0], row[place]) for row in found] for place, name in enumerate(sides, 1)}


def loops(number_format: torch.dtype, size: int) -> Mapping[str, Callable[[], Tensor]]:
    """Five ways to multiply square matrices, as people write them; each 2 size^3 FLOP, bmm four times as many."""
    left, right, product, bias = (torch.randn(size, size).to(number_format) for _ in range(4))
    several, more = (torch.randn(4, size, size).to(number_format) for _ in range(2))
    return {
        "torch.mm with out": lambda: torch.mm(left, right, out=product),
        "a @ b": lambda: left @ right,
        "addmm": lambda: torch.addmm(bias, left, right),
        "bmm": lambda: torch.bmm(several, more),
        "linear": lambda: linear(left, right),
    }


def loop_rate(step: Callable[[], Tensor], size: int, seconds: float = SAMPLE_SECONDS) -> float:
    """FLOP/s"""
    result = step()
    flop = 2.0 * size**3 * (len(result) if result.dim() == 3 else 1)
    return flop * repeated(step, seconds)


def sample(trial: Trial, seconds: float) -> float:
    """Bytes per second; all steps of the trial run at once, as in a sample of the contest."""
    trial.step()
    steps = max(1, round(seconds / timed(trial.finish, trial.step)))
    return trial.work * steps / timed(*[trial.step] * steps, trial.finish)


def repeated(step: Callable[[], object], seconds: float) -> float:
    """Steps per second, of as many as end within these seconds; one at least."""
    begun, done = time.perf_counter(), 0
    while done == 0 or time.perf_counter() - begun < seconds:
        step()
        done += 1
    return done / (time.perf_counter() - begun)


def timed(*steps: Callable[[], object]) -> float:
    begun = time.perf_counter()
    for step in steps:
        step()
    return time.perf_counter() - begun


def in_turn(number: int, *sides: Callable[[], Any]) -> list[Any]:
    """What every side gives, in their order; run in that order and, every other time, in the reverse."""
    order = list(enumerate(sides))
    found = {place: side() for place, side in (order if number % 2 == 0 else order[::-1])}
    return [found[place] for place in range(len(sides))]


def ready(prepare: Prepare, probe: Probe, folder: str) -> Equipment:
    """The equipment with its trials warmed up, as a child has it; what cannot run is said."""
    facts = {name: sorted(value) if isinstance(value, frozenset) else value for name, value in detect().facts().items()}
    before = "fp32" if probe is MATMUL else probe.before({}, None, facts)
    assert before is not None
    request = Request(probe.name, None, before, probe.settings(None, facts, before), 60.0, 4 * 10**9, 0, facts, folder)
    equipment = prepare(probe, request, tell)
    for setting, trial in equipment.trials.items():
        try:
            trial.warm_up(10.0)
        except CannotRunError as error:
            print(f"  {setting}: {error}")
    return equipment


def tell(message: Message) -> None:
    if isinstance(message, Note):
        print(f"  {message.text}")


def show(what: str, pairs: Sequence[tuple[float, float]], unit: float, name: str, least: float, most: float) -> None:
    median, low, high = median_interval([own / other for own, other in pairs])
    own, other = (statistics.median(side) / unit for side in zip(*pairs, strict=True))
    line = "pass" if least <= median <= most else "FAIL"
    print(f"{what}: {median:.3f} [{low:.3f}, {high:.3f}], {own:,.1f} and {other:,.1f} {name}, {line} ({least}-{most})")


if __name__ == "__main__":
    main()
