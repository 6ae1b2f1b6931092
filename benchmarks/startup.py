"""Cold starts and memory of the command line, beside a bare interpreter in the same run.

    python benchmarks/startup.py [N] [--scenarios FILE.yaml] [--beside /another/version/.venv/bin/advisor]

First some commands, the best of N. Then `recommend` for half-answered projects, those of ../shared/checks/scenarios.yaml
where that file is there, else those of benchmarks/situations.yaml: each N times, in turn with a bare interpreter, and the
ratio of the medians. Processor time is told beside the time on the clock, since it minds neighbours less.

With another version the two take turns, each with a state and a cache of its own. What Python compiles is kept, as after
`make install`.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import yaml

HERE = Path(__file__).parent
ADVISOR = str(Path(sys.executable).parent / "advisor")
BARE = (sys.executable, "-c", "pass")
SCENARIOS = next(
    path for path in (HERE.parents[1] / "shared/checks/scenarios.yaml", HERE / "situations.yaml") if path.exists()
)
ANSWERS = str(HERE.parent / "examples" / "digits.yaml")
COMMANDS = {
    "advisor --help": ("--help",),
    "advisor recommend --help": ("recommend", "--help"),
    "advisor probe list": ("probe", "list"),
    "advisor recommend": ("recommend", "--answers", ANSWERS),
    "advisor recommend, JSON": ("recommend", "--answers", ANSWERS, "--format", "json"),
}


@dataclass(frozen=True, slots=True)
class Start:
    seconds: float
    processor_seconds: float
    megabytes: float


@dataclass(frozen=True, slots=True)
class Place:
    """A program, and the environment with its own state and cache."""

    program: str
    environment: Mapping[str, str]

    def start(self, arguments: Sequence[str]) -> Start:
        return once((self.program, *arguments), self.environment)


def once(command: Sequence[str], environment: Mapping[str, str]) -> Start:
    nothing = subprocess.DEVNULL
    started = time.perf_counter()
    child = subprocess.Popen(command, stdout=nothing, stderr=nothing, stdin=nothing, env=dict(environment))
    _, status, usage = os.wait4(child.pid, 0)
    seconds = time.perf_counter() - started
    if status:
        raise SystemExit(f"{command} failed")
    return Start(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1000)


@contextmanager
def places(*programs: str) -> Iterator[list[Place]]:
    """Each program in a place of its own, where it has been started once."""
    plain = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    with tempfile.TemporaryDirectory() as folder:
        found = [
            Place(program, {**plain, "ADVISOR_STATE": f"{folder}/state{at}", "ADVISOR_CACHE": f"{folder}/cache{at}"})
            for at, program in enumerate(programs)
        ]
        for place in found:
            for arguments in COMMANDS.values():
                place.start(arguments)
        yield found


def some_commands(runs: int, here: Place, other: Place | None) -> None:
    starts: dict[str, list[Start]] = {name: [] for name in ("bare interpreter", *COMMANDS)}
    theirs: dict[str, list[Start]] = {name: [] for name in COMMANDS}
    for _ in range(runs):
        starts["bare interpreter"].append(once(BARE, here.environment))
        for name, arguments in COMMANDS.items():
            if other is not None:
                theirs[name].append(other.start(arguments))
            starts[name].append(here.start(arguments))
    bare = min(start.seconds for start in starts["bare interpreter"])
    for name, found in starts.items():
        best, memory = min(start.seconds for start in found), max(start.megabytes for start in found)
        before = theirs.get(name)
        there = f", {min(start.seconds for start in before) / bare:.1f} there" if before else ""
        print(f"{name}: {best:.3f} s, {best / bare:.1f} times a bare interpreter{there}, {memory:.0f} MB")


def half_answered(path: Path) -> dict[str, tuple[str, ...]]:
    """The commands for the projects of a file: a list of `name`, `given` (facts) and perhaps `school`."""
    commands = {}
    for case in yaml.safe_load(path.read_text(encoding="utf-8")):
        facts = {
            name: str(value).lower() if isinstance(value, bool) else value for name, value in case["given"].items()
        }
        sets = (part for name, value in facts.items() for part in ("--set", f"{name}={value}"))
        commands[case["name"]] = ("recommend", "--machine", "none", "--school", case.get("school", "today"), *sets)
    return commands


def ratios(runs: int, command: Sequence[str], all_places: Sequence[Place]) -> list[tuple[float, float]]:
    """For each place the time on the clock and that of the processor, in times of a bare interpreter."""
    bare: list[Start] = []
    found: list[list[Start]] = [[] for _ in all_places]
    for _ in range(runs):
        bare.append(once(BARE, all_places[0].environment))
        for place, starts in zip(all_places, found, strict=True):
            starts.append(place.start(command))
    return [
        (
            statistics.median(start.seconds for start in starts) / statistics.median(start.seconds for start in bare),
            statistics.median(start.processor_seconds for start in starts)
            / statistics.median(start.processor_seconds for start in bare),
        )
        for starts in found
    ]


def scenarios(runs: int, path: Path, all_places: Sequence[Place], names: Sequence[str]) -> None:
    commands = half_answered(path)
    for format_ in ("text", "json"):
        each = {name: ratios(runs, (*command, "--format", format_), all_places) for name, command in commands.items()}
        for at, place in enumerate(names):
            clock, processor = ([found[at][which] for found in each.values()] for which in (0, 1))
            worst = max(each, key=lambda name: each[name][at][0])
            print(
                f"recommend, {format_}, {len(each)} projects, {place}: median {statistics.median(clock):.1f} times a bare "
                f"interpreter, worst {max(clock):.1f} ({worst}); processor time {statistics.median(processor):.1f}, "
                f"worst {max(processor):.1f}"
            )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("runs", nargs="?", type=int, default=15)
    parser.add_argument("--scenarios", type=Path, default=SCENARIOS, metavar="FILE")
    parser.add_argument("--beside", metavar="ADVISOR", help="the program of another version")
    given = parser.parse_args()
    programs, names = ([given.beside, ADVISOR], ["there", "here"]) if given.beside else ([ADVISOR], ["here"])
    with places(*programs) as found:
        some_commands(given.runs, found[-1], found[0] if given.beside else None)
        scenarios(given.runs, given.scenarios, found, names)


if __name__ == "__main__":
    main()
