"""Projects tell how far they are: lines of metrics, a bar on a terminal, curves, the device."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from itertools import count
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
import torch

from advisor.starter.blueprint import Layout, Targets
from advisor.starter.planning import _log_every
from tests.starter.blueprints import blueprint, module, project
from tests.starter.projects import complaints, environment, run


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A project of 48 examples to learn from: four steps of 12 an epoch."""
    made = project(tmp_path / "project", blueprint("ffn", Layout.TABLE, Targets.CLASS))
    settings = made / "settings.py"
    settings.write_text(re.sub("(?m)^LOG_EVERY = [0-9]+", "LOG_EVERY = 3", settings.read_text()))
    return made


def lines_of(folder: Path, output: str = "runs") -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / output / "metrics.jsonl").read_text().splitlines()]


def test_a_line_of_metrics_every_few_steps_and_one_after_each_epoch(folder: Path) -> None:
    said = run(folder, "python train.py --epochs 2")
    lines = lines_of(folder)
    assert [line["step"] for line in lines] == [3, 4, 6, 8]
    assert [line["epoch"] for line in lines] == [0.75, 1.0, 1.5, 2.0]
    assert [("validation_loss" in line) for line in lines] == [False, True, False, True]
    needed = {"loss", "accuracy", "learning_rate", "examples_per_second", "seconds_left"}
    assert all(needed <= line.keys() for line in lines)
    assert lines[-1]["seconds_left"] == 0
    assert re.search(r"epoch 1, 3 of 8: loss .*, [0-9.e+]+ examples/s, \d+ s left", said)


def test_metrics_have_each_step_once_after_a_stop(folder: Path) -> None:
    run(folder, "python train.py --epochs 1")
    metrics = folder / "runs" / "metrics.jsonl"
    with metrics.open("a") as file:
        file.write('{"step": 6, "epoch": 1.5, "loss": 1.0}\n{"step": 8, "epo')  # as a sudden end leaves it
    run(folder, "python train.py --epochs 2 --resume")
    assert [line["step"] for line in lines_of(folder)] == [3, 4, 6, 8]
    run(folder, "python train.py --epochs 1 --force")
    assert [line["step"] for line in lines_of(folder)] == [3, 4]


def test_a_checkpoint_is_written_when_its_time_has_come(folder: Path) -> None:
    train = module(folder, "train")
    with mock.patch.object(sys, "argv", ["train.py", "--epochs", "1", "--output", str(folder / "runs")]):
        training = train.Training(train.arguments(), train.start("cpu"))
    steps: list[int] = []
    save = training.save
    training.save = lambda: (steps.append(training.step), save())
    clock = count(0, 250)  # seconds between two looks at it
    with mock.patch.object(train.time, "monotonic", clock.__next__):
        training.run()
    assert steps[0] == 0
    assert set(steps) >= {0, 4}
    assert len(steps) > 3, "also within the epoch"


def test_a_bar_is_drawn_on_a_terminal_and_nowhere_else(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    progress = module(folder, "progress")
    for terminal in (False, True):
        with mock.patch.object(sys.stderr, "isatty", lambda terminal=terminal: terminal, create=True):
            bar = progress.Progress(8, 4, shows=True)
        bar.drawn = float("-inf")
        bar.begin(0)
        bar.count(2, 12)
        bar.say("a line")
        found = capsys.readouterr()
        assert found.out == "a line\n"
        assert ("epoch 1, step 2/8" in found.err) is terminal
        assert ("[#" in found.err) is terminal
        assert not terminal or found.err.endswith("\r")


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0, "0 s"), (59.6, "1 min 0 s"), (125, "2 min 5 s"), (7260, "2 h 1 min"), (200_000, "2 d 7 h")],
)
def test_the_time_left_is_told_in_two_units(seconds: float, words: str, folder: Path) -> None:
    assert module(folder, "progress").duration(seconds) == words


def test_curves_show_both_losses_with_their_axes(folder: Path) -> None:
    run(folder, "python train.py --epochs 3")
    picture = ElementTree.parse(folder / "runs" / "curves.svg").getroot()  # noqa: S314 - of our own making
    space = "{http://www.w3.org/2000/svg}"
    words = [text.text or "" for text in picture.iter(f"{space}text")]
    assert "step" in words
    assert "loss" in words
    assert [word.split()[0] for word in words if re.match("(training|validation) ", word)] == ["training", "validation"]
    lines = picture.findall(f"{space}polyline")
    assert [len(line.attrib["points"].split()) for line in lines] == [len(lines_of(folder)), 3]


def test_curves_of_many_steps_stay_small_and_large_ranges_get_a_logarithmic_axis(folder: Path, tmp_path: Path) -> None:
    curves = module(folder, "curves")
    lines = [{"step": step, "loss": 10.0 ** (3 - step / 10_000)} for step in range(1, 50_000)]
    curves.draw_curves(tmp_path / "curves.svg", [*lines, {"step": 50_000, "loss": float("nan")}])
    text = (tmp_path / "curves.svg").read_text()
    assert len(text) < 20_000
    assert "loss, logarithmic" in text
    assert "nan" not in text
    curves.draw_curves(tmp_path / "none.svg", [{"step": 1, "loss": float("nan")}])
    assert not (tmp_path / "none.svg").exists()


def test_tensorboard_that_is_not_installed_is_named_with_its_command(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "torch.utils.tensorboard", None)
    with pytest.raises(SystemExit, match="pip install tensorboard"):
        run(folder, "python train.py --steps 1 --tensorboard")
    assert not (folder / "runs").exists()


class Accelerator:
    """As many GPUs as it is told, for what asks torch about them."""

    def __init__(self, devices: Any, monkeypatch: pytest.MonkeyPatch, kind: str | None, count: int) -> None:
        found = None if kind is None else torch.device(kind)
        monkeypatch.setattr(devices.torch.accelerator, "current_accelerator", lambda check_available: found)
        monkeypatch.setattr(devices.torch.accelerator, "device_count", lambda: count)


@pytest.mark.parametrize(
    ("kind", "count", "processes", "wanted", "expected"),
    [
        (None, 0, 1, "auto", "cpu"),
        (None, 0, 1, "cpu", "cpu"),
        ("cuda", 1, 1, "auto", "cuda"),
        ("cuda", 1, 1, "cpu", "cpu"),
        ("cuda", 1, 1, "cuda", "cuda"),
        ("mps", 1, 1, "auto", "mps"),
        ("cuda", 1, 2, "auto", "cpu"),
        ("cuda", 2, 2, "auto", "cuda:1"),
        (None, 0, 1, "cuda", "torch finds no cuda here, only the CPU"),
        ("mps", 1, 1, "cuda", "torch finds no cuda here, only mps"),
        ("cuda", 1, 2, "cuda", "2 processes need a GPU each, and torch finds 1"),
    ],
)
def test_the_device_is_a_gpu_where_there_is_one_for_each_process_or_the_one_that_is_named(
    kind: str | None,
    count: int,
    processes: int,
    wanted: str,
    expected: str,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    devices = module(folder, "devices")
    Accelerator(devices, monkeypatch, kind, count)
    if processes > 1:
        monkeypatch.setenv("LOCAL_WORLD_SIZE", str(processes))
        monkeypatch.setenv("LOCAL_RANK", "1")
    if " " in expected:
        with pytest.raises(SystemExit, match=expected):
            devices.device_of(wanted)
    else:
        assert str(devices.device_of(wanted)) == expected


@pytest.mark.parametrize(("seconds", "steps"), [(None, 50), (0.001, 1000), (0.1, 100), (0.15, 50), (4.0, 2), (60.0, 1)])
def test_lines_come_about_every_ten_seconds_of_the_plan(seconds: float | None, steps: int) -> None:
    assert _log_every(seconds) == steps


def test_what_was_measured_to_be_faster_is_on_and_can_be_switched_off(tmp_path: Path) -> None:
    from dataclasses import replace

    plan = blueprint("cnn", Layout.PICTURE, Targets.CLASS)
    for measured in (False, True):
        computing = replace(plan.computing, compiled=measured, channels_last=measured, fused=measured)
        made = project(tmp_path / str(measured), replace(plan, computing=computing))
        train = module(made, "train")
        with mock.patch.object(sys, "argv", ["train.py"]):
            usual = train.arguments()
        assert (usual.compile, usual.channels_last, usual.fused) == (measured,) * 3
        off = ["train.py", "--no-compile", "--no-channels-last", "--fused", "--output", str(made / "runs")]
        with mock.patch.object(sys, "argv", off):
            training = train.Training(train.arguments(), train.start("cpu"))
        assert training.model is training.network
        (batch, *_) = training.move(next(iter(training.batches)))
        assert batch.is_contiguous()
        assert training.optimizer.param_groups[0]["fused"] is True
        training.run()
    with mock.patch.object(sys, "argv", ["train.py", "--no-compile", "--output", str(made / "other")]):
        training = train.Training(train.arguments(), train.start("cpu"))
    coloured = torch.zeros(2, 3, 8, 8)
    assert training.move([coloured])[0].is_contiguous(memory_format=torch.channels_last)


def test_without_a_compiler_nothing_is_compiled_and_that_is_said(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    devices = module(folder, "devices")
    monkeypatch.setattr(devices.shutil, "which", lambda name: None)
    assert not devices.can_compile(torch.device("cpu"))
    assert "there is no C++ compiler" in capsys.readouterr().err
    assert devices.can_compile(torch.device("cuda"))


@pytest.mark.parametrize("network", ["ffn", "linear"])
def test_ctrl_c_while_libraries_are_imported_ends_without_a_traceback(network: str, tmp_path: Path) -> None:
    made = project(tmp_path / "project", blueprint(network, Layout.TABLE, Targets.CLASS))
    assert complaints(made) == ""
    for library in ("torch", "numpy"):  # whichever comes first
        (made / f"{library}.py").write_text("import os, signal\nos.kill(os.getpid(), signal.SIGINT)\n")
    done = subprocess.run(
        [sys.executable, "train.py"], check=False, cwd=made, env=environment(), capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (-signal.SIGINT, "")


def test_tensorboard_is_given_every_figure_of_the_metrics(folder: Path) -> None:
    accumulators = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    run(folder, "python train.py --epochs 2 --tensorboard")
    board = accumulators.EventAccumulator(str(folder / "runs" / "tensorboard" / "1")).Reload()
    kept = {line["step"]: line["loss"] for line in lines_of(folder) if "loss" in line}
    assert kept
    assert {point.step: point.value for point in board.Scalars("loss")} == pytest.approx(kept)
