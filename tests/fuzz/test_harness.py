"""The harness sees what it is there to see: every way not to survive is told, and cases are the same everywhere."""

from __future__ import annotations

import json
import mmap
import os
import pickle
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from advisor.cli import main

from .case import Case, Link, load
from .limits import LimitExceededError, limited
from .marks import ELEMENT, MARKED
from .surviving import End, survive

ROOT = Path(__file__).resolve().parents[2]


def _write_elsewhere() -> None:
    (Path.cwd().parents[1] / "elsewhere").write_text("x")


def _write_beside() -> None:
    Path("beside").write_text("x")


def _leave_a_temporary_file() -> None:
    (Path(os.environ["TMPDIR"]) / "left").write_text("x")


def _change_the_input() -> None:
    Path("a.yaml").write_text("other")


def _run_code() -> None:
    os.system("true")  # noqa: S605


def _start_a_process() -> None:
    subprocess.run(["true"], check=True)


def _read_a_pickle() -> None:
    pickle.loads(pickle.dumps(Path))  # noqa: S301


def _raise() -> None:
    raise ValueError("unexpected")


def _print_a_traceback() -> None:
    sys.stderr.write("Traceback (most recent call last):\n")


def _end_strangely() -> None:
    sys.exit(70)


def _take_over_the_terminal() -> None:
    sys.stdout.write("\x1b]0;title\x07")


def _draw_markup() -> None:
    sys.stdout.write(f"a {MARKED}")


def _put_an_element_into_the_page() -> None:
    sys.stdout.write(f"<!doctype html>{ELEMENT}>")


def _refuse_without_a_name() -> None:
    sys.stderr.write("This cannot be used\n")
    sys.exit(2)


def _refuse_after_writing_data() -> None:
    sys.stdout.write("a.yaml")
    sys.exit(2)


@pytest.mark.parametrize(
    ("deed", "fault"),
    [
        (_write_elsewhere, "changed what lies elsewhere"),
        (_write_beside, "wrote beside"),
        (_leave_a_temporary_file, "left left in tmp"),
        (_change_the_input, "changed a.yaml"),
        (_run_code, "started a process: os.system"),
        (_start_a_process, "started a process: subprocess.Popen"),
        (_read_a_pickle, "pickle.find_class"),
        (_raise, "raised ValueError: unexpected"),
        (_print_a_traceback, "'Traceback (most recent' on stderr"),
        (_end_strangely, "ended with 70"),
        (_take_over_the_terminal, "control characters reach the terminal"),
        (_draw_markup, "markup of the input was eaten"),
        (_put_an_element_into_the_page, "an element of the input stands in the page"),
        (_refuse_without_a_name, "the message names none of a.yaml"),
        (_refuse_after_writing_data, "refused, but wrote to stdout"),
    ],
)
def test_what_is_not_survival_is_told(
    deed: Callable[[], None], fault: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def command() -> None:
        deed()
        sys.exit(0)

    monkeypatch.setattr(main, "main", command)
    outcome = survive(Case(("recommend",), {"a.yaml": b"x"}), tmp_path / "case")
    assert outcome.end is End.FAILED
    assert any(fault in one for one in outcome.faults), outcome


def test_the_real_command_survives_a_valid_file_and_a_wrong_one(tmp_path: Path) -> None:
    command = ("recommend", "--machine", "none", "--answers", "a.yaml")
    accepted = survive(Case(command, {"a.yaml": b"data.modality: image\n"}), tmp_path / "right")
    assert (accepted.end, accepted.faults) == (End.ACCEPTED, ())
    refused = survive(Case(command, {"a.yaml": b"data.modality: imag\n"}), tmp_path / "wrong")
    assert (refused.end, refused.faults) == (End.REFUSED, ())
    assert "Did you mean image?" in refused.ran.err


def test_a_file_that_is_asked_for_may_be_written(tmp_path: Path) -> None:
    case = Case(("recommend", "--machine", "none", "--output", "plan.txt"), writes=("plan.txt",))
    assert survive(case, tmp_path / "case").faults == ()


def test_a_case_is_kept_before_it_runs_and_can_be_read_again(tmp_path: Path) -> None:
    case = Case(("inspect", "d\udcff"), {"d/a": b"\x00\xff", "d/b": Link("a")}, ("out",), ("d",), "typed")
    case.save(tmp_path / "case")
    assert load(tmp_path / "case") == case


def test_time_bites() -> None:
    with pytest.raises(LimitExceededError, match="took longer"), limited(2, "case", most_seconds=0.05):
        time.sleep(60)


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs Linux to know resident memory")
def test_memory_bites() -> None:
    with pytest.raises(LimitExceededError, match="GiB"), limited(2, "case", most_bytes=50 << 20):
        _hold(90 << 20)


def _hold(count: int) -> None:
    """Memory that is new to the process: what others have freed in it is still resident."""
    with mmap.mmap(-1, count) as kept:
        for _ in range(count >> 20):
            kept.write(b"x" * (1 << 20))
        while True:
            time.sleep(0.1)


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="needs Linux to know the peak of memory")
def test_a_short_peak_of_memory_is_seen() -> None:
    with limited(2, "case", most_bytes=1 << 40) as spent:
        b"x" * (200 << 20)
    assert spent.bytes >= 150 << 20  # the kernel may take other pages of this process away meanwhile


def test_what_hears_no_limit_is_ended_and_its_case_named() -> None:
    deaf = (
        "import signal\n"
        "from tests.fuzz.limits import limited\n"
        "with limited(2, 'the-case', most_seconds=0.1):\n"
        "    signal.signal(signal.SIGALRM, signal.SIG_IGN)\n"
        "    while True: pass\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", deaf], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode != 0
    assert "the-case" in done.stderr


def _drawn(hash_seed: str, first: str) -> str:
    program = (
        f"{first}\n"
        "import hashlib, json\n"
        "from tests.fuzz.drawing import for_each\n"
        "from tests.fuzz.formats import formats\n"
        "found = {}\n"
        "for name, one in formats().items():\n"
        "    digest = hashlib.sha256()\n"
        "    for_each(one.mutated(), 3, name, lambda case: digest.update(repr(case).encode()))\n"
        "    found[name] = digest.hexdigest()\n"
        "print(json.dumps(found))\n"
    )
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )
    return json.loads(done.stdout)


def test_the_same_name_gives_the_same_cases_in_every_process() -> None:
    assert _drawn("1", "") == _drawn("2", "import tests.inference.oracle, advisor.tui.app")
