"""predict.py of networks that restore their examples tells how badly they do with new ones."""

from __future__ import annotations

from pathlib import Path

import numpy
import polars
import pytest
import torch
from PIL import Image

from advisor.starter.blueprint import Layout, Targets
from tests.starter.blueprints import blueprint, module, project
from tests.starter.projects import complaints, run

CHANCE = numpy.random.default_rng(3)


def table(folder: Path, name: str, sign: int) -> Path:
    a = CHANCE.normal(size=200)
    columns = {"a": a, "b": sign * a + 0.05 * CHANCE.normal(size=200), "c": ["x", "y"] * 100}
    polars.DataFrame(columns).write_csv(folder / name)
    return folder / name


def pictures(folder: Path) -> Path:
    (folder / "pictures").mkdir()
    for number in range(20):
        grey = CHANCE.integers(0, 256, (8, 8), dtype=numpy.uint8)
        Image.fromarray(grey).save(folder / "pictures" / f"{number}.png")
    return folder / "pictures"


def test_rows_unlike_those_of_the_training_have_larger_errors(tmp_path: Path) -> None:
    folder = project(tmp_path / "project", blueprint("autoencoder", Layout.TABLE, Targets.ITSELF, hidden_units=(8, 2)))
    run(folder, f"python train.py --data {table(tmp_path, 'usual.csv', 1)} --epochs 60")
    errors = {}
    for name, sign in (("alike", 1), ("unlike", -1)):
        said = run(folder, f"python predict.py --data {table(tmp_path, f'{name}.csv', sign)} --output {name}.csv")
        assert said.startswith(f"200 errors are in {name}.csv: median ")
        errors[name] = polars.read_csv(folder / f"{name}.csv")["error"].to_numpy()
    assert numpy.median(errors["unlike"]) > 2 * numpy.median(errors["alike"])


def test_an_error_is_the_mean_square_of_what_the_network_misses_and_the_code_is_the_encoders(tmp_path: Path) -> None:
    folder = project(tmp_path / "project", blueprint("autoencoder", Layout.TABLE, Targets.ITSELF))
    data = table(tmp_path, "data.csv", 1)
    run(folder, f"python train.py --data {data} --epochs 1")
    run(folder, f"python predict.py --data {data} --encode --output found.csv")
    found = polars.read_csv(folder / "found.csv")
    content = torch.load(folder / "runs" / "best.pt", weights_only=True)
    beside, new = module(folder, "data").read_new(data, content["preparation"])
    network = module(folder, "model").Network(new)
    network.load_state_dict(content["network"])
    inputs = new.train.tensors[0]
    with torch.no_grad():
        errors = (network(inputs) - inputs).square().flatten(1).mean(1)
        code = network.encoder(inputs).flatten(1)
    assert found["row"].to_list() == beside["row"]
    assert found["error"].to_list() == pytest.approx(errors.tolist(), rel=1e-4)
    assert found.select(polars.col("^code_.*$")).to_numpy() == pytest.approx(code.numpy(), rel=1e-4, abs=1e-6)


@pytest.mark.parametrize("network", ["autoencoder", "vae"])
def test_images_are_written_as_they_are_restored(network: str, tmp_path: Path) -> None:
    folder = project(tmp_path / "project", blueprint(network, Layout.PICTURE, Targets.ITSELF))
    data = pictures(tmp_path)
    run(folder, f"python train.py --data {data} --epochs 1")
    line = f"python predict.py --data {data} --output found.csv --restored restored"
    run(folder, line)
    names = polars.read_csv(folder / "found.csv")["file"].to_list()
    assert sorted(path.name for path in (folder / "restored").iterdir()) == sorted(names)
    with pytest.raises(SystemExit, match="is there already"):
        run(folder, line)
    assert complaints(folder) == ""


def test_each_window_of_a_series_has_an_error_and_its_rows(tmp_path: Path) -> None:
    folder = project(tmp_path / "project", blueprint("autoencoder", Layout.SERIES, Targets.ITSELF))
    steps = module(folder, "settings").STEPS
    polars.DataFrame({"load": numpy.sin(numpy.arange(90) / 5)}).write_csv(tmp_path / "hours.csv")
    run(folder, f"python train.py --data {tmp_path / 'hours.csv'} --epochs 1")
    run(folder, f"python predict.py --data {tmp_path / 'hours.csv'} --output found.csv")
    found = polars.read_csv(folder / "found.csv")
    assert found["first_row"].to_list() == list(range(1, 92 - steps))
    assert (found["last_row"] - found["first_row"]).unique().to_list() == [steps - 1]


def test_weights_of_made_up_examples_score_nothing(tmp_path: Path) -> None:
    folder = project(tmp_path / "project", blueprint("autoencoder", Layout.TABLE, Targets.ITSELF))
    run(folder, "python train.py --steps 1")
    with pytest.raises(SystemExit, match=r"made-up examples: run train.py with --data first"):
        run(folder, f"python predict.py --data {table(tmp_path, 'data.csv', 1)}")
