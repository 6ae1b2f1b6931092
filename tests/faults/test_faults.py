"""Every program, disturbed in every way at any moment: nothing that was finished is lost, nothing of it is left.

FAULTS says how many: 10 without it, 60 by `make fuzz`. The number in the name of a case draws its moment, so that a case
that failed can be repeated by its name.
"""

from __future__ import annotations

import os
import random
import sys
from pathlib import Path

import pytest

from tests.cli.test_try import written
from tests.faults.aftermath import ENDED, assert_nothing_left, assert_nothing_lost
from tests.faults.programs import ANSWERING, BENCH, PLAIN, PROBE, PROBING, TRY, TRYING, Program
from tests.faults.scenes import Aim, Fault, Moment, Scene

FAULTS = int(os.environ.get("FAULTS", "10"))
PROGRAMS = ((PROBE,), (TRY,), (BENCH,), (PLAIN,), (ANSWERING, PROBING, TRYING))
"""The full screen counts as one program, at different work."""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="needs /proc and signals as on Linux"),
]


def cases(number: int) -> list[object]:
    """One program after the other; each meets every fault before it meets one again."""
    found = []
    for seed in range(number):
        turn, which = divmod(seed, len(PROGRAMS))
        program = PROGRAMS[which][turn % len(PROGRAMS[which])]
        fault = list(Fault)[(turn + which * len(Fault) // len(PROGRAMS)) % len(Fault)]
        found.append(pytest.param(program, fault, seed, id=f"{seed}: {program.name}, {fault.value}"))
    return found


@pytest.fixture(scope="module")
def wine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(tmp_path_factory.mktemp("data"))


@pytest.mark.parametrize(("program", "fault", "seed"), cases(FAULTS))
def test_nothing_is_lost_and_nothing_is_left(
    program: Program, fault: Fault, seed: int, tmp_path: Path, wine: Path
) -> None:
    generator = random.Random(seed)
    moment = generator.choice((Moment, Moment, Aim)).drawn(program, generator)
    scene = Scene(program, tmp_path, wine)
    first = scene.disturbed(fault, moment)
    assert_nothing_left(scene, first, fault)
    second = scene.again()
    assert_nothing_lost(program, first, second)
    nothing_to_resume = program.again and not first.finished
    assert_nothing_left(scene, second, ended=(2,) if nothing_to_resume else ENDED)
