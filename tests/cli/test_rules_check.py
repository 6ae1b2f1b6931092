"""`advisor rules check`: with the solver and without it, on a given day."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.traps import sprung, trapped

from .program import Finished, environment, refused

WITHOUT_SOLVER = """
import sys
sys.modules["z3"] = None
sys.argv = ["advisor", "rules", "check", *sys.argv[1:]]
from advisor.cli.main import main
main()
"""
PACK = Path(__file__).parents[2] / "examples" / "packs" / "eight-a10s"
NOTE = "Without z3-solver, a development dependency, remarks that need proof were left out.\n"


def check_without_solver(*arguments: str | Path) -> Finished:
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_SOLVER, *map(str, arguments)],
        env=environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    return Finished(done.returncode, done.stdout, done.stderr)


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    """One rule that never holds, which only proof can tell."""
    folder = tmp_path / "house"
    folder.mkdir()
    (folder / "house.yaml").write_text(
        "- {id: storage.house, topic: storage, school: any, when: data.examples < data.inputs and data.inputs < data.examples,\n"
        "   value: network, because: House rule., sources: [judgement], verified: no, actions: [mount /house]}\n"
    )
    return folder


def said_of_house(done: Finished) -> list[str]:
    return [remark["what"] for remark in json.loads(done.out) if "storage.house" in remark["what"]]


@pytest.mark.slow
def test_what_needs_proof_is_found_where_the_solver_is_installed(pack: Path, tmp_path: Path) -> None:
    """In one pack of two, and nowhere else: CI proves the rules here and not a second time by `make lint-proofs`.

    Among files with the names of libraries, since proofs take half a minute.
    """
    pytest.importorskip("z3")
    folder = trapped(tmp_path / "download")
    words = ["rules", "check", "--rules", str(PACK), "--rules", str(pack), "--format", "json"]
    run = subprocess.run(
        [str(Path(sys.executable).with_name("advisor")), *words],
        cwd=folder, env=environment(), stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    done = Finished(run.returncode, run.stdout, run.stderr)
    assert (done.code, sprung(folder)) == (1, [])
    assert [remark["what"] for remark in json.loads(done.out)] == [
        "rule storage.house can never hold: `data.examples < data.inputs and data.inputs < data.examples`."
    ], "nothing is remarked on the rules and on the example pack"


def test_without_the_solver_the_rest_is_checked_and_it_says_so(pack: Path) -> None:
    done = check_without_solver("--rules", pack, "--format", "json")
    assert said_of_house(done) == []
    assert done.err == NOTE


def test_dates_are_judged_as_of_today_or_a_day_that_is_named() -> None:
    assert "was last looked up" not in check_without_solver("--today", "2026-11-22").out
    done = check_without_solver("--today", "2031-01-01")
    assert done.code == 1
    assert "was last looked up on 2026-11-21. Look it up again." in done.out


@pytest.mark.parametrize("day", ["21.11.2026", "today", "2026-02-30"])
def test_a_day_is_written_as_a_date(day: str) -> None:
    assert refused("rules", "check", "--today", day) == f"This is not a day --today: {day} Write it as 2026-11-21."
