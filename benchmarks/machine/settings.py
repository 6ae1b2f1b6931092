"""Is the setting that the agent advises as good as the best of the whole grid, in a fraction of the time?

python benchmarks/machine/settings.py [--seconds S] [--rounds N] [NETWORK]...

Objective: training examples per second, data loading included, at the batch size of the plan. The grid is every combination
of threads, number format, memory format (pictures only) and loader processes, each up to the number of cores. Each cell runs
in a fresh process, as a script over the grid would do it, for S seconds of samples after its warm-up. The agent runs its
probes for the same four choices, with 15 % of that time as its budget. Then the best three cells, the agent's setting and
PyTorch's defaults are measured anew in N rounds and compared by pairs. In each round every one of them is started afresh, as
two starts of the same setting may differ, and then they take turns at samples of a fraction of a second, as what neighbours
of a virtual machine take from it changes within seconds. A cell that is not warm, with time for a sample, in LONGEST_START
seconds (bf16 where the processor has no instructions for it, say) is none of the best; the grid's time is told without it too.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import json
import math
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from advisor.agent.agent import plan_facts, settle
from advisor.agent.settling.advising import advise_here
from advisor.agent.settling.workloads import workload_of
from advisor.facts.fact_base import FactBase, Source
from advisor.facts.vocabulary import Value
from advisor.inference.advise import VALUES_ONLY
from advisor.knowledge.cache import load_cached
from advisor.machine.detection.detection import detect
from advisor.plain import decode, encode
from advisor.probes.outcome import Outcome
from advisor.probes.settings.loading import planned
from advisor.probes.surroundings import Surroundings
from advisor.probes.verdict import median_interval
from advisor.probes.workload import MemoryFormat, Precision, Workload
from advisor.resources import rules_folder

PICTURES: dict[str, Value] = {"task.kind": "classify", "task.outputs": 10, "data.modality": "image"}
TASKS: Mapping[str, dict[str, Value]] = {
    "pictures": PICTURES | {"data.inputs": 784, "data.examples": 60_000},
    "series": {
        "task.kind": "classify", "task.outputs": 5, "data.modality": "time_series", "data.inputs": 8,
        "data.sequence_length": 64, "data.examples": 20_000,
    },
    "table": {"task.kind": "reconstruct", "data.modality": "tabular", "data.inputs": 256, "data.examples": 50_000},
    "ids": {
        "task.kind": "classify", "task.outputs": 10, "data.modality": "tabular", "data.inputs": 256, "data.examples": 50_000,
        "data.sparse_ids": True,
    },
    "masks": {
        "task.kind": "segment", "task.outputs": 3, "data.modality": "image", "data.inputs": 1024, "data.examples": 5000,
    },
    "texts": {
        "task.kind": "classify", "task.outputs": 4, "data.modality": "text", "data.inputs": 5000, "data.sequence_length": 64,
        "data.examples": 20_000,
    },
    "colours": PICTURES | {"data.inputs": 3072, "data.examples": 50_000},
}  # fmt: skip
PROBES = ("threads", "precision", "layout", "workers")
ENOUGH = 0.95
SHARE = 0.15
SAMPLES = 5
"""Timed ones of one start."""
REST = 0.2
"""Seconds before each turn, in which threads of the one before that wait for work fall asleep."""
START_SECONDS = 3.0
"""Of a cell's process, before its samples."""
LONGEST_START = 45.0
READY = "ready"
TOO_LONG = "too long for the time left"


class TooSlowError(Exception):
    """A setting that is not warm, with time for a sample, in LONGEST_START seconds."""


@dataclass(frozen=True)
class Setting:
    threads: int
    precision: str
    memory_format: str
    workers: int

    def __str__(self) -> str:
        return f"{self.threads} threads, {self.precision}, {self.memory_format}, {self.workers} workers"


class Cell:
    """A process that trains in one setting and says how fast."""

    def __init__(self, workload: Workload, setting: Setting, facts: Mapping[str, Any]) -> None:
        shown = {name: sorted(value) if isinstance(value, frozenset) else value for name, value in facts.items()}
        order = {"workload": encode(workload), "setting": asdict(setting), "facts": shown}
        environment = os.environ | {"OMP_NUM_THREADS": str(setting.threads), "MKL_NUM_THREADS": str(setting.threads)}
        self._process = subprocess.Popen(
            [sys.executable, __file__, "--cell", json.dumps(order)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment,
        )  # fmt: skip
        if (answer := self._answer().strip()) != READY:
            self.close()
            raise TooSlowError(answer)

    def sample(self) -> float:
        """Examples per second."""
        assert self._process.stdin is not None
        self._process.stdin.write("go\n")
        self._process.stdin.flush()
        return float(self._answer())

    def close(self) -> None:
        self._process.kill()
        self._process.wait()

    def _answer(self) -> str:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise SystemExit("a cell ended early")
        return line


def serve(order: dict[str, Any]) -> None:
    """The process of a cell."""
    from advisor.children.errors import CannotRunError
    from advisor.probes.benches.loading import prepare
    from advisor.probes.protocol import Request
    from advisor.probes.settings.loading import WORKERS

    setting = Setting(**order["setting"])
    workload = workload_in(decode(Workload, order["workload"]), setting)
    request = Request(
        "workers",
        workload,
        setting.workers,
        (setting.workers,),
        600.0,
        8 * 10**9,
        0,
        order["facts"],
        str(Path.cwd()),
    )
    equipment = prepare(WORKERS, request, lambda message: None)
    trial, meter = equipment.trials[setting.workers], equipment.meter
    assert meter is not None
    try:
        trial.warm_up(LONGEST_START)
    except CannotRunError as error:
        if TOO_LONG not in str(error):
            raise
        print(error, flush=True)
        return
    print(READY, flush=True)
    for _ in sys.stdin:
        begun = meter()
        trial.step()
        trial.finish()
        print(trial.work / (meter() - begun), flush=True)


def workload_in(workload: Workload, setting: Setting) -> Workload:
    return replace(
        workload, threads=setting.threads, precision=Precision(setting.precision),
        memory_format=MemoryFormat(setting.memory_format),
    )  # fmt: skip


def grid(workload: Workload, cores: int) -> list[Setting]:
    threads = sorted({1, cores, *(2**n for n in range(cores.bit_length()) if 2**n <= cores)})
    formats = ["fp32", "bf16"]
    layouts = ["contiguous", "channels_last"] if workload.modality == "image" else ["contiguous"]
    workers = sorted({0, *threads})
    return [Setting(*cell) for cell in itertools.product(threads, formats, layouts, workers)]


def advised(plan_workload: Workload, outcomes: tuple[Outcome, ...], before: Setting) -> Setting:
    found = {name: value for outcome in outcomes for name, value in outcome.facts().items()}
    return Setting(
        threads=plan_workload.threads or before.threads,
        precision=plan_workload.precision.value,
        memory_format=str(found.get("probe.layout.best", before.memory_format)),
        workers=int(found.get("probe.workers.best", before.workers)),
    )


def compare(name: str, task: dict[str, Value], seconds: float, rounds: int) -> tuple[bool, str]:
    knowledge, machine = load_cached(rules_folder(), ()), detect()
    detected = {fact: value for fact, value in machine.facts().items() if fact in knowledge.vocabulary.facts}
    facts = FactBase.of(detected, Source.DETECTED).with_values(
        {**task, "project.pretrained_allowed": False}, Source.ASKED
    )
    plan = advise_here(knowledge, facts, machine)
    workload = workload_of(plan)
    assert isinstance(workload, Workload), workload
    cores = machine.usable_cores or 1
    known = plan_facts(plan)
    default = Setting(cores, "fp32", "contiguous", 0)
    workers = planned(plan.value("data.pipeline"), workload, Surroundings.of(known)).workers
    advised_before = Setting(workload.threads or cores, workload.precision.value, "contiguous", workers)

    begun = time.monotonic()
    only = [probe for probe in PROBES if probe != "layout" or workload.modality == "image"]
    budget = SHARE * len(grid(workload, cores)) * (seconds + START_SECONDS)
    revision = settle(knowledge, facts, machine, budget, only=only, detail=VALUES_ONLY)
    after = workload_of(revision.after)
    assert isinstance(after, Workload), after
    choice = advised(after, revision.outcomes, advised_before)
    agent_seconds = time.monotonic() - begun

    begun = time.monotonic()
    found: dict[Setting, float] = {}
    slow_seconds = 0.0
    for setting in grid(workload, cores):
        started = time.monotonic()
        try:
            cell = Cell(workload, setting, known)
        except TooSlowError as error:
            print(f"{name}: {setting}: {error}", file=sys.stderr)
            slow_seconds += time.monotonic() - started
            continue
        with contextlib.closing(cell):
            samples: list[float] = []
            until = time.monotonic() + seconds
            while not samples or time.monotonic() < until:
                samples.append(cell.sample())
        found[setting] = statistics.median(samples)
    grid_seconds = time.monotonic() - begun

    if choice not in found:
        return False, f"{name}: the agent's setting, {choice}, was too slow to be measured: MISSED"
    best = sorted(found, key=lambda setting: -found[setting])[:3]
    again: dict[Setting, list[float]] = {setting: [] for setting in (choice, default, *best) if setting in found}
    for number in range(rounds):
        turns = sorted(again, key=lambda setting: hash((number, setting)))
        for setting, speed in started_afresh(workload, turns, known).items():
            again[setting].append(speed)
    rival = max(best, key=lambda setting: statistics.median(again[setting]))
    ratio, low, high = ratio_of(again[choice], again[rival])
    against_default, _, _ = ratio_of(again[choice], again[default]) if default in again else (math.inf, 0.0, 0.0)
    share = agent_seconds / grid_seconds
    passed = low >= ENOUGH and share <= SHARE
    slow = len(grid(workload, cores)) - len(found)
    without = (
        f" and {slow} that were too slow, {agent_seconds / (grid_seconds - slow_seconds):.1%} without these"
        if slow
        else ""
    )
    lines = [
        f"{name}: {workload.describe()}, batch {workload.batch_size}; {len(found)} cells{without}",
        f"  agent: {choice}; {agent_seconds:.0f} s, {share:.1%} of the grid's {grid_seconds:.0f} s",
        f"  its verdicts: {'; '.join(map(told, revision.outcomes)) or 'none'}",
        f"  best of the grid's best three, measured anew: {rival}",
        f"  agent / best: {ratio:.3f} ({low:.3f} to {high:.3f}); agent / PyTorch's defaults: {against_default:.2f}",
        f"  {'met' if passed else 'MISSED'}: lower end >= {ENOUGH}, time <= {SHARE:.0%}",
    ]
    return passed, "\n".join(lines)


def told(outcome: Outcome) -> str:
    """`precision overturned, bf16 -> fp32, 1.18 times`, or why there is none."""
    if outcome.failure or outcome.median is None:
        return f"{outcome.probe}: {outcome.failure}"
    return f"{outcome.probe} {outcome.verdict}, {outcome.before} -> {outcome.after}, {outcome.median:.2f} times"


def started_afresh(workload: Workload, turns: Sequence[Setting], facts: Mapping[str, Any]) -> dict[Setting, float]:
    """Examples per second of one start of each: the median of a few samples, at which they take turns."""
    with contextlib.ExitStack() as cells:
        started = {
            setting: cells.enter_context(contextlib.closing(Cell(workload, setting, facts))) for setting in turns
        }
        samples: dict[Setting, list[float]] = {setting: [] for setting in turns}
        for _ in range(SAMPLES):
            for setting, cell in started.items():
                time.sleep(REST)
                cell.sample()  # untimed: steps may be slow after a rest, and only who reads ahead has some before its window
                samples[setting].append(cell.sample())
    return {setting: statistics.median(found) for setting, found in samples.items()}


def ratio_of(mine: list[float], theirs: list[float]) -> tuple[float, float, float]:
    """The median ratio of interleaved pairs with its 95 % interval; one setting against itself is exactly 1."""
    return median_interval([a / b for a, b in zip(mine, theirs, strict=True)])


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*", choices=[*TASKS, []])
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--cell")
    options = parser.parse_args()
    if options.cell:
        serve(json.loads(options.cell))
        return
    results = []
    for name in options.names or TASKS:
        passed, text = compare(name, TASKS[name], options.seconds, options.rounds)
        results.append(passed)
        print(text, flush=True)
    print(f"{sum(results)} of {len(results)} networks: the agent's setting is as good as the best, in time")
    sys.exit(0 if all(results) else 1)


if __name__ == "__main__":
    main()
