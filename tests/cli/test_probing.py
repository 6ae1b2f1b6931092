"""`advisor probe` as people run it: real processes, killed, interrupted, in a pipe."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests.cli.program import PROGRAM, advisor, environment, refused

SMALL = [
    "--set", "task.kind=classify", "--set", "task.outputs=2", "--set", "data.modality=image", "--set", "data.inputs=64",
    "--set", "data.examples=5000", "--set", "project.pretrained_allowed=no",
]  # fmt: skip
TWO_CORES = pytest.mark.skipif(
    len(os.sched_getaffinity(0)) < 2, reason="with one core there is no number of threads to choose"
)


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "state"


def started(state: Path, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*PROGRAM, "probe", *SMALL, *arguments],
        env=environment(ADVISOR_STATE=str(state)),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finished(state: Path) -> list[dict[str, object]]:
    """The outcomes in the journal."""
    lines = [line for path in state.glob("*/journal/*.jsonl") for line in path.read_bytes().split(b"\n")[:-1]]
    return [entry["outcome"] for entry in map(json.loads, lines) if entry["outcome"] is not None]


def wait_until(condition: object, seconds: float = 120.0) -> bool:
    """Whether it came true; the time only ends a test that would hang."""
    assert callable(condition)
    until = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > until:
            return False
        time.sleep(0.05)
    return True


def alive(processes: list[psutil.Process]) -> Iterator[psutil.Process]:
    for process in processes:
        try:
            if process.status() != psutil.STATUS_ZOMBIE:
                yield process
        except psutil.NoSuchProcess:
            continue


@TWO_CORES
@pytest.mark.slow
def test_a_killed_run_leaves_no_child_and_goes_on_where_it_was(state: Path) -> None:
    command = ["--only", "threads", "--only", "layout", "--budget", "45s"]
    run = started(state, *command)
    family = psutil.Process(run.pid)
    seen: set[psutil.Process] = set()

    def second_probe_runs() -> bool:
        if run.poll() is not None:
            return True
        children = family.children(recursive=True)
        seen.update(children)
        return bool(finished(state)) and bool(children)

    assert wait_until(second_probe_runs)
    assert run.poll() is None, run.communicate()[1]
    run.send_signal(signal.SIGKILL)
    run.communicate()
    assert wait_until(lambda: not list(alive(list(seen))), 10.0), "a child outlived its parent"
    kept = finished(state)
    assert len(kept) == 1

    again = advisor("probe", *SMALL, *command, "--format", "json", env={"ADVISOR_STATE": str(state)})
    assert again.code in (0, 1), again.err  # 1 where other programs left no time to measure anything
    assert "Going on where a stopped run ended" in again.said
    outcomes = json.loads(again.out)["outcomes"]
    first = kept[0]
    assert outcomes[0] == first
    times = [outcome["probe"] for outcome in outcomes].count(first["probe"])
    assert times == 1 or first["verdict"] == "undecided", "what was decided is not measured again"
    assert list(state.glob("*/journal/*.jsonl")) == []


@TWO_CORES
@pytest.mark.slow
def test_ctrl_c_ends_at_once_and_says_how_to_go_on(state: Path) -> None:
    run = started(state, "--only", "threads", "--only", "layout", "--budget", "45s")
    assert wait_until(lambda: finished(state) or run.poll() is not None)
    children = psutil.Process(run.pid).children(recursive=True)
    run.send_signal(signal.SIGINT)
    _, err = run.communicate(timeout=30)
    assert run.returncode == 130
    said = err[err.index("Interrupted") :]
    assert "the same command goes on from there" in said
    assert len(re.findall(r"^\S", said, re.MULTILINE)) == 1, "one message is enough"
    assert wait_until(lambda: not list(alive(children)), 10.0)


@TWO_CORES
def test_what_was_measured_is_told_and_nothing_else_is_on_stdout(state: Path) -> None:
    done = advisor("probe", *SMALL, "--only", "threads", "--budget", "20s", env={"ADVISOR_STATE": str(state)})
    assert done.code == 0, done.err
    assert "before -> measured -> after" in " ".join(done.out.split())
    assert "Processor threads " in done.out
    assert "up to" in done.err
    assert "\x1b" not in done.out + done.err


def test_data_that_are_not_there_are_refused_before_anything_is_measured(tmp_path: Path) -> None:
    assert "There are no such data" in refused("probe", *SMALL, "--data", tmp_path / "missing", "--budget", "5s")


@pytest.mark.parametrize("name", ["t4", "NVIDIA-A100-SXM4-80GB"])
def test_a_name_that_means_a_device_is_refused_before_anything_is_measured(name: str, state: Path) -> None:
    said = refused("probe", *SMALL, "--save", name, "--budget", "5s", env={"ADVISOR_STATE": str(state)})
    assert "This name cannot be used --save:" in said
    assert f"`--machine {name}`" in said
    assert list(state.glob("*/measurements/*")) == []


@pytest.mark.slow
@TWO_CORES
def test_an_unwritable_state_is_a_warning(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    done = advisor("probe", *SMALL, "--only", "threads", "--budget", "20s", env={"ADVISOR_STATE": str(blocked)})
    assert "before -> measured -> after" in " ".join(done.out.split())
    assert "it cannot go on from there" in done.said


def test_the_list_tells_questions_costs_and_units() -> None:
    listed = json.loads(advisor("probe", "list", "--format", "json").out)
    by_name = {entry["name"]: entry for entry in listed}
    assert by_name["threads"]["unit"] == "steps/s"
    assert by_name["batch"]["unit"] == "examples/s"
    assert all(entry["question"].endswith("?") and entry["seconds"] > 0 for entry in listed)


@pytest.mark.gpu
def test_a_card_is_measured_from_end_to_end(state: Path) -> None:
    pictures = [
        "--set", "task.kind=classify", "--set", "task.outputs=1000", "--set", "data.modality=image",
        "--set", "data.inputs=150528", "--set", "data.examples=1200000", "--set", "project.pretrained_allowed=no",
    ]  # fmt: skip
    only = [word for name in ("precision", "device", "matmul", "transfer") for word in ("--only", name)]
    asked = [*pictures, *only, "--budget", "120s", "--format", "json"]
    done = advisor("probe", *asked, env={"ADVISOR_STATE": str(state)})
    assert done.code == 0, done.err
    document = json.loads(done.out)
    outcomes = {outcome["probe"]: outcome for outcome in document["outcomes"]}
    assert {"precision", "device", "matmul", "transfer"} <= set(outcomes)
    assert [one["failure"] for one in outcomes.values() if one["failure"]] == []
    assert outcomes["matmul"]["applies"]["device"] == "cuda"
    assert document["facts"]["machine.gpu.usable_by_torch"]["value"] is True
    page = advisor("profiles", "show", "last", env={"ADVISOR_STATE": str(state)})
    assert "Memory to card" in page.out
    assert "above" not in page.out.partition("WHAT IS UNUSUAL")[0]


def test_code_of_a_network_that_does_not_end_takes_no_longer_than_the_budget(tmp_path: Path) -> None:
    file = tmp_path / "slow.py"
    file.write_text("import time\n\ndef make():\n    time.sleep(400)\n")

    said = refused("probe", "--budget", "12s", "--model", f"{file}:make", "--input", "3x8x8")

    told, _, end = said.partition("This network cannot be counted")
    assert "The code of" in told
    assert "has been running for 10 seconds. It is ended after 12 seconds." in told
    assert "it was not built and counted within 12 seconds" in end
    assert "--budget gives more time" in end
