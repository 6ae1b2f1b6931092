"""Projects that are stopped at any line of code that saves something go on as if they had not been."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.starter.matrix.catalogue import EVERY, Case, made, representatives
from tests.starter.matrix.environments import python_with
from tests.starter.matrix.runs import Runs, differences, results

ASKING = (signal.SIGINT, signal.SIGTERM)
SIGNALS = (*ASKING, signal.SIGKILL)
EVERY_INSTANT = frozenset(representatives())
"""Projects that are stopped at each instant; those that save by the same code are stopped at every tenth."""
WANTED = os.environ.get("NIGHTLY_PROJECTS", "")
ALWAYS = ["ffn with patience", "cnn with changed pictures"]
"""Projects that every run of the tests stops, at some instants; `make nightly` takes all, at all instants."""


@pytest.fixture(scope="module")
def runs() -> Iterator[Runs]:
    with Runs() as some:
        yield some


def instants(places: list[str]) -> list[int]:
    """The first and the last time at which each line is executed."""
    first = {place: number for number, place in reversed(list(enumerate(places)))}
    last = {place: number for number, place in enumerate(places)}
    return sorted({*first.values(), *last.values()})


def check_stops(case: Case, runs: Runs, every: int, begin: int = 0) -> None:
    """Stop at one in so many instants, by each signal in turn, resume, and compare with a training that was not stopped.

    With `every` 1 both signals that ask a program to end come at each instant.
    """
    assert runs.run(case.folder, f"{case.train} --output whole") == 0, runs.said
    whole = results(case.folder / "whole")
    assert whole
    answers = ask(case.folder, case.asked, "whole", runs)
    places = runs.instants(case.folder, f"{case.train} --output traced")
    found = instants(places)
    wrong = []
    for turn, at in enumerate(found[begin::every]):
        for each in (SIGNALS[(turn + begin) % len(SIGNALS)],) if every > 1 else ASKING:
            output = case.folder / "stopped"
            shutil.rmtree(output, ignore_errors=True)
            line = f"{case.train} --output stopped"
            status, said = runs.run(case.folder, line, at=at, signal=int(each)), runs.said
            again = runs.run(case.folder, f"{line} --resume")
            differ = differences(whole, results(output))
            if status not in (0, 128 + each) or "Traceback" in said or again or differ:
                wrong.append(f"{each.name} at {places[at]}: {status}, then {again}\n{differ[:3]}\n{said}\n{runs.said}")
    assert not wrong, f"{len(wrong)} of {len(found[begin::every])}:\n" + "\n".join(wrong[:5])
    if (case.folder / "stopped").exists():
        assert not differences(answers, ask(case.folder, case.asked, "stopped", runs))


def ask(folder: Path, programs: tuple[str, ...], output: str, runs: Runs) -> dict[str, object]:
    """What the programs answer with the model in this folder."""
    answers = folder / "answers"
    shutil.rmtree(answers, ignore_errors=True)
    answers.mkdir()
    found: dict[str, object] = {}
    (model,) = [path for name in ("best.pt", "model.skops", "model.json") if (path := folder / output / name).exists()]
    for program in programs:
        weights = "--weights" if model.suffix == ".pt" else "--model"
        line = program.replace("MODEL", str(model)).replace("ANSWERS", str(answers))
        line += "" if weights in line else f" {weights} {model}"
        assert runs.run(folder, line) == 0, runs.said
        found[program] = runs.said.replace(str(model), "MODEL") if not any(answers.iterdir()) else ""
    return {**found, **results(answers)}


@pytest.mark.parametrize("name", ALWAYS)
def test_a_project_that_is_stopped_anywhere_goes_on_as_if_it_had_not_been(
    name: str, tmp_path: Path, runs: Runs
) -> None:
    check_stops(made(name, tmp_path / "case"), runs, every=23)


@pytest.mark.nightly
@pytest.mark.parametrize("name", [name for name in EVERY if WANTED in name])
def test_every_kind_of_project_works_from_its_own_requirements_and_is_stopped_where_it_saves(
    name: str, tmp_path: Path
) -> None:
    case = made(name, tmp_path / "case")
    every = int(os.environ.get("NIGHTLY_EVERY", "1" if name in EVERY_INSTANT else "10"))
    with Runs(python_with(case.folder / "requirements.txt")) as runs:
        check_stops(case, runs, every, begin=EVERY.index(name) % every)
