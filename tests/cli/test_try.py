"""`advisor try` as people run it: real data, real processes, killed, interrupted, in a pipe."""

from __future__ import annotations

import csv
import json
import signal
import subprocess
import time
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import psutil
import pytest
from sklearn import datasets as shipped

from advisor.cli.console import warn
from advisor.datasets.dataset import Inspection, Task
from advisor.facts.fact_base import Source
from advisor.session.inputs import gather
from advisor.session.trial_request import for_the_task, most_examples
from tests.cli.program import PROGRAM, advisor, environment, refused


def written(folder: Path) -> Path:
    """178 wines of three kinds."""
    inputs, targets = shipped.load_wine(return_X_y=True)
    path = folder / "wine.csv"
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([*(f"x{n}" for n in range(inputs.shape[1])), "kind"])
        writer.writerows(
            [*row, f"kind {target}"] for row, target in zip(inputs.tolist(), targets.tolist(), strict=True)
        )
    return path


@pytest.fixture(scope="module")
def wine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(tmp_path_factory.mktemp("data"))


def test_it_says_who_won_and_by_how_much_and_tells_each_trial_on_stderr(wine: Path, tmp_path: Path) -> None:
    report = tmp_path / "report.md"
    done = advisor("try", "--data", wine, "--target", "kind", "--budget", "12s", "--details", "--output", report)
    assert done.code == 0, done.err
    for heading in ("what won", "on examples that selection never saw", "on the folds", "what to do next"):
        assert heading in done.out
    assert "new ones, 95 %" in done.out
    assert "random forest" in done.out
    assert max(len(line) for line in done.out.splitlines() if "/" not in line) <= 100, "but for paths to be copied"
    assert "\x1b" not in done.out + done.err
    assert report.read_text().startswith("# Tried on wine.csv")
    assert "| Candidate |" in report.read_text()
    lines = done.err.splitlines()
    assert any(line.startswith("linear: accuracy 0.9") for line in lines), lines
    assert any(line.startswith("trivial: accuracy") for line in lines)


def started(wine: Path, state: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*PROGRAM, "try", "--data", str(wine), "--target", "kind", "--budget", "60s", "--format", "json"],
        env=environment(ADVISOR_STATE=str(state)),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def trials(state: Path) -> list[dict[str, Any]]:
    """What the journal holds."""
    lines = [line for path in state.glob("*/journal/*.trial.jsonl") for line in path.read_bytes().split(b"\n")[:-1]]
    return [entry["content"] for entry in map(json.loads, lines) if entry["what"] == "Trial"]


def wait_until(condition: Callable[[], object], seconds: float = 120.0) -> bool:
    """Whether it came true; the time only ends a test that would hang."""
    until = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > until:
            return False
        time.sleep(0.05)
    return True


def gone(processes: list[psutil.Process]) -> bool:
    return not any(process.is_running() and process.status() != psutil.STATUS_ZOMBIE for process in processes)


@pytest.mark.slow
def test_killed_it_goes_on_from_its_last_trial_and_interrupted_it_tells_what_it_knows(
    wine: Path, tmp_path: Path
) -> None:
    killed = started(wine, tmp_path)
    assert wait_until(lambda: len(trials(tmp_path)) >= 3 or killed.poll() is not None)
    children = psutil.Process(killed.pid).children(recursive=True)
    killed.send_signal(signal.SIGKILL)
    killed.communicate()
    assert wait_until(lambda: gone(children), 10.0), "a child outlived its parent"
    kept = trials(tmp_path)

    again = started(wine, tmp_path)
    assert wait_until(lambda: len(trials(tmp_path)) >= len(kept) + 2 or again.poll() is not None)
    children = psutil.Process(again.pid).children(recursive=True)
    again.send_signal(signal.SIGINT)
    out, err = again.communicate(timeout=30)
    assert again.returncode == 130, err
    assert wait_until(lambda: gone(children), 10.0)
    assert "Going on where a stopped run ended" in " ".join(err.split())
    assert "the same command goes on from there" in " ".join(err.split())
    found = json.loads(out)
    assert found["interrupted"] is True
    assert found["resumed"] == len(kept)
    assert [trial["scores"] for trial in found["trials"][: len(kept)]] == [trial["scores"] for trial in kept]
    assert len({(t["name"], t["rung"]) for t in found["trials"]}) == len(found["trials"]), "nothing is tried twice"
    assert found["best"]["name"]


@pytest.mark.slow
def test_wrong_input_is_refused_before_anything_is_tried(wine: Path, tmp_path: Path) -> None:
    assert "missing.csv" in refused("try", "--data", tmp_path / "missing.csv", "--target", "kind")
    assert "kind" in refused("try", "--data", wine, "--target", "kidn")
    unnamed = refused("try", "--data", wine)
    assert "Name it with --target. It could be 'kind'. The columns are x0, x1, " in unnamed
    assert "x10, x11 and 2 more." in unnamed
    assert "--budget" in refused("try", "--data", wine, "--target", "kind", "--budget", "soon")
    words = refused("try", "--data", wine, "--target", "kind", "--set", "task.kind=regress")
    assert "'kind' holds words such as 'kind 0', so that no number can be predicted" in words
    no_series = refused("try", "--data", wine, "--target", "kind", "--set", "task.kind=forecast")
    assert no_series.count("These data cannot be read") + no_series.count("do not fit together") == 1, "one message"
    assert "the task is said to be forecast, but it is read as one to classify" in no_series
    no_steps = refused("try", "--data", wine, "--target", "kind", "--horizon", "3")
    assert "--horizon: it is of forecasts, and the task is to classify" in no_steps
    no_truth = refused("try", "--data", wine, "--target", "kind", "--set", "task.kind=generate")
    assert "task.kind: the answers say generate, and only classes, numbers and forecasts can be tried" in no_truth
    report = tmp_path / "there.md"
    report.write_text("mine")
    said = refused("try", "--data", wine, "--target", "kind", "--output", report)
    assert "the file exists" in said
    assert report.read_text() == "mine"


def test_what_has_no_columns_is_told_how_its_classes_are_named_and_not_sent_to_target(tmp_path: Path) -> None:
    (tmp_path / "note.txt").write_text("one line\nanother line\n")
    said = refused("try", "--data", tmp_path / "note.txt")
    assert "Make a folder of texts for each class" in said
    assert "--target" not in said
    edges = [f"{n},{(7 * n + 3) % 40}" for n in range(120)]
    (tmp_path / "edges.csv").write_text("source,target\n" + "\n".join(edges) + "\n")
    assert "networks on graphs cannot be tried yet" in refused("try", "--data", tmp_path / "edges.csv")


def test_too_few_rows_are_told_with_the_file(tmp_path: Path) -> None:
    path = tmp_path / "few.csv"
    path.write_text("size,price\n1,2\n3,4\n5,7\n")
    said = refused("try", "--data", path, "--target", "price")
    assert f"{path}: 3 examples are left" in said


def test_too_many_steps_ahead_are_told_where_they_were_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "sales.csv"
    rows = [f"{date(2024, 1, 1) + timedelta(n)},{n % 7 + n / 9:.2f}" for n in range(90)]
    path.write_text("\n".join(["day,sold", *rows, ""]))
    command = ("try", "--data", path, "--target", "sold")
    what = "60 steps ahead are too many for a series with 76 steps to learn from"
    assert f"--horizon: {what}" in refused(*command, "--horizon", "60")
    assert f"task.outputs: {what}" in refused(*command, "--set", "task.outputs=60")


def test_where_a_class_is_rare_it_is_what_is_looked_for_and_a_threshold_is_told(tmp_path: Path) -> None:
    inputs, targets = shipped.make_classification(600, 6, weights=[0.9], class_sep=0.7, random_state=3)
    path = tmp_path / "rare.csv"
    rows = zip(inputs.round(3).tolist(), targets.tolist(), strict=True)
    path.write_text("a,b,c,d,e,f,ill\n" + "".join(f"{','.join(map(str, row))},{'ny'[ill]}\n" for row, ill in rows))
    command = ("try", "--data", path, "--target", "ill", "--budget", "12s")
    usual = json.loads(advisor(*command, "--format", "json").out)
    assert usual["metric"] == "average_precision"
    assert {final["name"] for final in usual["finals"] if set(final["also"]) == {"balanced_accuracy", "f1"}}
    assert "linear with class weights" in {one["name"] for one in (*usual["trials"], *usual["not_tried"])}
    said = refused(*command, "--metric", "f2")
    assert "--metric: 'f2' is not known" in said


def test_where_no_column_is_left_one_message_says_so_and_where_each_column_is_told_of(tmp_path: Path) -> None:
    path = tmp_path / "one.csv"
    path.write_text("my price\n" + "".join(f"{n * n % 97 + n / 7:.3f}\n" for n in range(80)))
    said = refused("try", "--data", path, "--target", "my price")
    assert said.count("olumn is left to learn from") == 1
    assert f"`advisor inspect {path} --target 'my price'` says of each column why it was left out." in said
    assert "table above" not in said


def test_a_task_that_is_said_goes_before_what_the_target_looks_like(tmp_path: Path) -> None:
    path = tmp_path / "films.csv"
    path.write_text("length,stars\n" + "".join(f"{60 + n % 97},{1 + n % 5}\n" for n in range(200)))
    found = gather(sets=["task.kind=regress"], data=path, target="stars", complain=warn)
    assert found.inspection is not None
    told, inspection = for_the_task(found, found.inspection)
    assert (inspection.task, inspection.told, told.inspection) == (Task.REGRESS, True, inspection)
    known = {name: told.facts.by_source(Source.INSPECTED).get(name) for name in ("task.kind", "data.imbalance")}
    assert known == {"task.kind": "regress", "data.imbalance": None}, "what was found of classes is gone"
    assert told.facts.by_source(Source.INSPECTED)["data.fingerprint"] == inspection.fingerprint
    assert for_the_task(told, inspection) == (told, inspection)


def test_as_many_examples_are_read_as_there_is_time_and_memory_for() -> None:
    def enough(modality: str, values: int, seconds: float, memory: int) -> int:
        inspection = Inspection("/d", "delimited text", modality, 10**9, {"data.inputs": values}, "f" * 16)
        return most_examples(inspection, seconds, memory)

    assert enough("tabular", 10, 60.0, 16 * 10**9) == 24_000, "400 a second"
    assert enough("tabular", 10, 1.0, 16 * 10**9) == 2_000
    assert enough("tabular", 10, 86_400.0, 16 * 10**9) == 200_000
    wide = enough("image", 200_000, 3_600.0, 16 * 10**9)
    assert wide * 200_000 * 4 < 0.05 * 16 * 10**9, "one copy of them is a small part of the memory"
    assert enough("text", 1, 3_600.0, 10**9) < enough("tabular", 1, 3_600.0, 10**9)
