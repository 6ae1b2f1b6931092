"""Earlier results: nothing replaces them unasked, and no training goes on with other data than it began with."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
import torch

from advisor.starter.blueprint import Layout, Targets
from tests.starter.blueprints import blueprint, module
from tests.starter.blueprints import project as written
from tests.starter.projects import TABLE, generated, plan_of, run
from tests.starter.test_training import SMALL

FEW = "--steps 2 --batch-size 4"


def table(path: Path, rows: int = 40) -> Path:
    path.write_text("a,b,kind\n" + "".join(f"{i % 7},{i % 5},{'even' if i % 2 else 'odd'}\n" for i in range(rows)))
    return path


@pytest.mark.parametrize(
    "left", [["best.pt"], ["best.unfinished"], ["last.unfinished"], ["best.pt", "last.unfinished"]]
)
def test_whatever_a_sudden_end_leaves_resume_goes_on_or_begins_anew_and_loses_nothing(
    left: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = written(tmp_path / "project", blueprint("ffn", Layout.TABLE, Targets.CLASS))
    (folder / "runs").mkdir()
    for name in left:
        (folder / "runs" / name).write_text("earlier")
    run(folder, f"python train.py {FEW} --resume")
    assert "There is no runs/last.pt yet: this training starts anew" in capsys.readouterr().err
    kept = [file for file in (folder / "runs").glob("best-*.pt") if file.read_text() == "earlier"]
    assert [file.name for file in kept] == (["best-1.pt"] if "best.pt" in left else [])
    assert torch.load(folder / "runs" / "last.pt", weights_only=True)["step"] == 2
    assert "goes on from step 2" in run(folder, "python train.py --steps 3 --batch-size 4 --resume")


def test_a_damaged_checkpoint_is_named_with_a_remedy(tmp_path: Path) -> None:
    folder = written(tmp_path / "project", blueprint("ffn", Layout.TABLE, Targets.CLASS))
    run(folder, f"python train.py {FEW}")
    last = folder / "runs" / "last.pt"
    for content in (b"", b"nonsense", last.read_bytes()[:-200]):
        last.write_bytes(content)
        with pytest.raises(SystemExit, match=r"(?s)runs/last\.pt is damaged: .*Move it away and run train\.py again\."):
            run(folder, "python train.py --steps 4 --batch-size 4 --resume")


@pytest.fixture(params=["network", "trees"])
def project(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, str, str]:
    """A project, a short training, and one that goes on."""
    if request.param == "network":
        plan = plan_of(TABLE, network_hidden_units=[4], **SMALL)
        return generated(tmp_path / "project", plan), FEW, "--steps 4 --batch-size 4 --resume"
    plan = plan_of(TABLE.replace("sparse_ids=yes", "sparse_ids=no"), network_type="random_forest")
    return generated(tmp_path / "project", plan), "--rounds 2", "--rounds 3 --resume"


def test_an_earlier_result_is_replaced_only_where_that_is_said(project: tuple[Path, str, str]) -> None:
    folder, short, _ = project
    said = run(folder, f"python train.py {short}")
    (result,) = [file for file in (folder / "runs").iterdir() if file.name in ("best.pt", "model.skops")]
    assert f"runs/{result.name}" in said.splitlines()[-1], "the last line names the file"
    before = result.read_bytes()
    with pytest.raises(SystemExit, match="--force to replace it"):
        run(folder, f"python train.py --seed 5 {short}")
    assert result.read_bytes() == before
    run(folder, f"python train.py --seed 5 {short} --output elsewhere")
    assert result.read_bytes() == before
    run(folder, f"python train.py --seed 5 {short} --force")
    assert result.read_bytes() != before


def test_a_training_goes_on_with_the_data_that_it_began_with(project: tuple[Path, str, str], tmp_path: Path) -> None:
    folder, short, on = project
    first, other = table(tmp_path / "first.csv"), table(tmp_path / "other.csv", 44)
    run(folder, f"python train.py --data {first} {short}")
    for wrong in (f"--data {other}", ""):
        with pytest.raises(SystemExit, match="other data"):
            run(folder, f"python train.py {wrong} {on}")
    moved = first.rename(tmp_path / "moved.csv")
    run(folder, f"python train.py --data {moved} {on}")
    run(folder, f"python train.py --data {other} {on} --force")


def test_data_of_other_classes_do_not_go_on_even_with_force_and_it_is_told_what_does(
    project: tuple[Path, str, str], tmp_path: Path
) -> None:
    folder, short, on = project
    first, other = table(tmp_path / "first.csv"), table(tmp_path / "other.csv")
    other.write_text(other.read_text() + "1,1,zero\n2,2,zero\n3,3,zero\n4,4,zero\n5,5,zero\n")
    run(folder, f"python train.py --data {first} {short}")
    with pytest.raises(SystemExit, match=r"(?s)other (sizes|classes).*leave out --resume"):
        run(folder, f"python train.py --data {other} {on} --force")


def test_the_last_line_has_the_score_of_the_weights_that_it_names(tmp_path: Path) -> None:
    folder = generated(tmp_path / "project", plan_of(TABLE, network_hidden_units=[4], **SMALL))
    said = run(folder, "python train.py --steps 60 --batch-size 16 --learning-rate 0.5").splitlines()
    scores = [line.partition("validation ")[2] for line in said if line.startswith("step ")]
    best = min(scores, key=lambda score: float(score.split()[1]))
    assert said[-1] == f"The best weights are in runs/best.pt: validation {best}"
    again = run(folder, "python train.py --steps 61 --batch-size 16 --learning-rate 0.5 --resume").splitlines()
    assert again[-1].startswith("The best weights are in runs/best.pt: validation loss ")


def test_a_stop_from_the_keyboard_says_how_to_go_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = written(tmp_path / "project", blueprint("ffn", Layout.TABLE, Targets.CLASS))
    train = module(folder, "train")
    with mock.patch.object(sys, "argv", ["train.py", "--output", str(folder / "runs"), "--steps", "20"]):
        options = train.arguments()
    training = train.Training(options, train.Place(torch.device("cpu")))
    stopped = mock.patch.object(train.Training, "train_epoch", side_effect=[{"loss": 1.0}, KeyboardInterrupt])
    with stopped, pytest.raises(SystemExit) as raised:
        training.run()
    assert raised.value.code == 130
    assert "last.pt goes on with --resume" in capsys.readouterr().err

    options.force = True
    anew = train.Training(options, train.Place(torch.device("cpu")))
    at_once = mock.patch.object(train.Training, "train_epoch", side_effect=KeyboardInterrupt)
    with at_once, pytest.raises(SystemExit):
        anew.run()
    assert "Stopped at step 0." in capsys.readouterr().err
    assert torch.load(folder / "runs" / "last.pt", weights_only=True)["step"] == 0


def test_a_training_does_not_go_on_with_data_that_are_read_otherwise(
    project: tuple[Path, str, str], tmp_path: Path
) -> None:
    folder, short, on = project
    data = table(tmp_path / "data.csv")
    run(folder, f"python train.py --data {data} {short}")
    settings = folder / "settings.py"
    settings.write_text(settings.read_text().replace("VALIDATION_SHARE = 0.2", "VALIDATION_SHARE = 0.4"))
    with pytest.raises(SystemExit, match="read"):
        run(folder, f"python train.py --data {data} {on}")


def test_a_model_that_has_fewer_trees_than_the_one_that_was_scored_says_so(tmp_path: Path) -> None:
    plan = plan_of(TABLE.replace("sparse_ids=yes", "sparse_ids=no"), network_type="random_forest")
    folder, data = generated(tmp_path / "project", plan), table(tmp_path / "data.csv")
    run(folder, f"python train.py --data {data} --rounds 2")
    model, scored = folder / "runs" / "model.skops", folder / "runs" / "scored.skops"
    older = model.read_bytes()
    run(folder, f"python train.py --data {data} --rounds 3 --resume")
    predict = [sys.executable, "predict.py", "--data", str(data), "--force"]

    def warned() -> str:
        return subprocess.run(predict, cwd=folder, capture_output=True, text=True, check=True).stderr

    assert "older" not in warned()
    model.write_bytes(older)  # as a stop before the end of the second half leaves it
    os.utime(scored)
    os.utime(model, (0, 0))
    assert "runs/model.skops is older than runs/scored.skops: train.py --resume goes on with it." in warned()


def test_a_stop_while_more_trees_grow_says_which_model_is_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = plan_of(TABLE.replace("sparse_ids=yes", "sparse_ids=no"), network_type="random_forest")
    folder, data = generated(tmp_path / "project", plan), table(tmp_path / "data.csv")
    run(folder, f"python train.py --data {data} --rounds 2")
    train = module(folder, "train")
    fit = train.fitted

    def stopped(examples: Any, rows: Any, *more: Any) -> Any:
        if len(rows) == len(examples.targets):
            raise KeyboardInterrupt
        return fit(examples, rows, *more)

    output = str(folder / "runs")
    words = ["train.py", "--data", str(data), "--rounds", "3", "--resume", "--output", output]
    typed, stops = mock.patch.object(sys, "argv", words), mock.patch.object(train, "fitted", stopped)
    with typed, stops, pytest.raises(SystemExit) as raised:
        train.main()
    assert raised.value.code == 130
    assert f"{output}/model.skops is still the one before." in capsys.readouterr().err
