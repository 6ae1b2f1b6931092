"""A small network that was scored learns once more from all examples, where `--all-rows` says so."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars
import pytest
import torch

from advisor.starter.blueprint import Layout, Targets
from tests.starter.blueprints import blueprint, module, project
from tests.starter.projects import TABLE, commands, complaints, generated, plan_of, run
from tests.starter.test_predicting import FEW, MADE, moments, table


def ffn(folder: Path, **choices: Any) -> Path:
    return project(folder, blueprint("ffn", Layout.TABLE, Targets.CLASS, **choices))


def weights(folder: Path, file: str) -> dict[str, Any]:
    content: dict[str, Any] = torch.load(folder / "runs" / file, weights_only=True)
    return content


def same(one: dict[str, Any], other: dict[str, Any]) -> bool:
    return all(torch.equal(values, other[name]) for name, values in one.items())


NETWORKS = [
    (Layout.TABLE, "ffn"),
    (Layout.PICTURE, "cnn"),
    (Layout.SOUND, "lstm"),
    (Layout.TOKENS, "cnn"),
    (Layout.SERIES, "lstm"),
]


@pytest.mark.parametrize(("layout", "network"), NETWORKS)
def test_a_network_learns_once_more_from_all_examples_and_then_answers(
    layout: Layout, network: str, tmp_path: Path
) -> None:
    data = MADE[layout](tmp_path)
    folder = project(tmp_path / "project", blueprint(network, layout, Targets.CLASS))
    reader = module(folder, "data")
    part, whole = reader.load(data, 0), reader.load(data, 0, every=True)
    assert len(whole.train) == len(part.train) + len(part.validation)
    closing = run(folder, f"python train.py --data '{data}' --steps 6 --batch-size 8").splitlines()[-1]
    run(folder, f"python predict.py --data '{data}'")
    before = (folder / "predictions.csv").read_text()
    best = weights(folder, "best.pt")
    told = run(folder, f"python train.py --data '{data}' --all-rows").splitlines()[-1]
    assert f"have learned from all {len(whole.train)} examples. Their score is from before: validation " in told
    assert closing.partition("validation ")[2] in told
    assert same(best["network"], weights(folder, "best.pt")["network"]), "what was scored stays"
    steps = weights(folder, "all/last.pt")["step"]
    assert steps == round(best["epoch"] * (len(whole.train) // 8)), "as many epochs as were best"
    run(folder, f"python predict.py --data '{data}' --force")
    assert (folder / "predictions.csv").read_text() != before
    run(folder, f"python predict.py --data '{data}' --force --weights runs/best.pt")
    assert (folder / "predictions.csv").read_text() == before
    assert complaints(folder) == ""


def test_what_prepares_examples_is_fitted_to_all_of_them_too(tmp_path: Path) -> None:
    data = moments(tmp_path)
    folder = project(tmp_path / "project", blueprint("lstm", Layout.SERIES, Targets.NUMBERS, kind="forecast"))
    reader = module(folder, "data")
    part, whole = reader.load(data, 0), reader.load(data, 0, every=True)
    values = polars.read_csv(data)["heat"].to_numpy()
    assert part.kept["mean"][1] == pytest.approx(
        values[:162].mean(), abs=1e-4
    )  # the first that is held out to be predicted
    assert whole.kept["mean"][1] == pytest.approx(values.mean(), abs=1e-4)
    assert len(whole.train) == 200 - 12 - 1 + 1


STOPS_AFTER_AN_EPOCH = """
import train

whole, begun = train.Training.train_epoch, []


def train_epoch(training):
    if begun:
        raise KeyboardInterrupt
    begun.append(training)
    return whole(training)


train.Training.train_epoch = train_epoch
train.main()
"""


def test_a_network_that_was_stopped_goes_on_from_all_examples_as_if_it_had_not_been(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = table(tmp_path)
    folder = ffn(tmp_path / "project")
    train = f"python train.py --data {data}"
    with pytest.raises(SystemExit, match="train without --all-rows first"):
        run(folder, f"{train} --all-rows")
    run(folder, f"{train} --epochs 3 --batch-size 8")
    run(folder, f"{train} --all-rows")
    straight = weights(folder, "all/best.pt")["network"]
    with pytest.raises(SystemExit, match=r"runs/all holds an earlier result\. Add --resume"):
        run(folder, f"{train} --all-rows")
    for file in (folder / "runs" / "all").iterdir():
        file.unlink()
    (folder / "stop.py").write_text(STOPS_AFTER_AN_EPOCH)
    with pytest.raises(SystemExit) as raised:
        run(folder, f"python stop.py --data {data} --all-rows")
    assert raised.value.code == 130
    assert "runs/all/last.pt goes on with --all-rows --resume" in capsys.readouterr().err
    assert not (folder / "runs" / "all" / "best.pt").exists()
    run(folder, f"python predict.py --data {data}")  # with what was scored
    run(folder, f"{train} --all-rows --resume")
    assert same(weights(folder, "all/best.pt")["network"], straight)


def test_better_weights_put_those_of_all_examples_aside(tmp_path: Path) -> None:
    data = table(tmp_path)
    folder = ffn(tmp_path / "project")
    run(folder, f"python train.py --data {data} --epochs 1 --batch-size 8")
    run(folder, f"python train.py --data {data} --all-rows")
    before = weights(folder, "best.pt")
    run(folder, f"python train.py --data {data} --epochs 6 --batch-size 8 --resume")
    assert not same(before["network"], weights(folder, "best.pt")["network"])
    assert not list((folder / "runs" / "all").glob("*.pt"))
    other = tmp_path / "other.csv"
    other.write_text(data.read_text() + "1,1,red,100,big\n")
    with pytest.raises(SystemExit, match="trained on other data"):
        run(folder, f"python train.py --data {other} --all-rows")


def test_made_up_examples_are_all_learned_from_too(tmp_path: Path) -> None:
    folder = ffn(tmp_path / "project")
    run(folder, f"python train.py {FEW}")
    assert "learned from all 60 examples" in run(folder, "python train.py --all-rows")


def test_it_is_offered_where_it_is_cheap_and_has_an_answer(tmp_path: Path) -> None:
    def says(name: str, plan: Any) -> bool:
        folder = generated(tmp_path / name, plan)
        offered = [any("--all-rows" in line for line in commands(folder))]
        offered += ["--all-rows" in (folder / file).read_text() for file in ("README.md", "train.py", "settings.py")]
        offered += ["every: bool" in (folder / "data.py").read_text(), "runs/all" in (folder / "README.md").read_text()]
        assert len(set(offered)) == 1, offered
        return offered[0]

    pictures = "data.modality=image data.inputs=64 data.examples=60000 project.pretrained_allowed=no"
    assert says("table", plan_of(TABLE, network_type="ffn", network_hidden_units=[8]))
    assert not says("cluster", plan_of(TABLE, network_type="ffn", network_hidden_units=[8], compute_device="cluster"))
    assert not says("vae", plan_of(f"task.kind=generate task.generation=random {pictures}", network_type="vae"))
    assert not says("masks", plan_of(f"task.kind=segment task.outputs=2 {pictures}", network_type="unet"))
