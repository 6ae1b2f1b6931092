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


ENCODED = [("vae", Layout.TABLE), ("vae", Layout.SERIES), ("vae", Layout.PICTURE), ("unet", Layout.PICTURE)]


@pytest.mark.parametrize(("network", "layout"), ENCODED)
def test_two_runs_find_the_same(network: str, layout: Layout, tmp_path: Path) -> None:
    """A code of a variational autoencoder is its mean, and images are restored without the noise of the training."""
    folder = project(tmp_path / "project", blueprint(network, layout, Targets.ITSELF))
    data = pictures(tmp_path) if layout is Layout.PICTURE else table(tmp_path, "data.csv", 1)
    run(folder, f"python train.py --data {data} --epochs 1")
    options = ("--encode " if network == "vae" else "") + ("--restored {} " if layout is Layout.PICTURE else "")
    for seed, name in enumerate("ab"):
        with torch.random.fork_rng():
            torch.manual_seed(seed)  # as processes of their own start
            run(folder, f"python predict.py --data {data} --output {name}.csv {options.format(name)}")
    assert (folder / "a.csv").read_bytes() == (folder / "b.csv").read_bytes()
    files = sorted(path.name for path in (folder / "a").glob("*"))
    assert bool(files) == (layout is Layout.PICTURE)
    assert all((folder / "a" / name).read_bytes() == (folder / "b" / name).read_bytes() for name in files)
    found = polars.read_csv(folder / "a.csv")
    assert any(name.startswith("code_") for name in found.columns) == (network == "vae")
    assert complaints(folder) == ""


def test_restored_images_never_replace_those_that_are_read(tmp_path: Path) -> None:
    folder = project(tmp_path / "project", blueprint("autoencoder", Layout.PICTURE, Targets.ITSELF))
    data, links = pictures(tmp_path), tmp_path / "links"
    run(folder, f"python train.py --data {data} --steps 1")
    (data / "more").mkdir()
    links.mkdir()
    (links / "1.png").symlink_to(data / "1.png")
    before = {path: path.read_bytes() for path in data.glob("*.png")}
    for read, made in (
        (data, data),
        (data, data / "more"),
        (data, data / "new" / "below"),
        (data, tmp_path),
        (data, f"{data}/../pictures"),
        (data / "1.png", data),
        (links, data),
    ):
        with pytest.raises(SystemExit, match=r"is, holds or lies in what is read: name another folder with --restored"):
            run(folder, f"python predict.py --data {read} --restored {made} --force")
    assert before == {path: path.read_bytes() for path in data.rglob("*.png")}
    assert not (folder / "predictions.csv").exists()
    run(folder, f"python predict.py --data {data} --restored {tmp_path / 'pictures2'}")


def test_images_that_differ_in_their_endings_alone_are_all_restored(tmp_path: Path) -> None:
    folder = project(tmp_path / "project", blueprint("autoencoder", Layout.PICTURE, Targets.ITSELF))
    data = pictures(tmp_path)
    run(folder, f"python train.py --data {data} --steps 1")
    for name in ("0.jpg", "0.jpg.png"):
        Image.fromarray(CHANCE.integers(0, 256, (8, 8), dtype=numpy.uint8)).save(data / name)
    run(folder, f"python predict.py --data {data} --restored restored")
    names = {path.name for path in (folder / "restored").iterdir()}
    assert names == {f"{path.name}.png" for path in data.iterdir()}
    assert len(names) == 22


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
