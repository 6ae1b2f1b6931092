"""The file of predictions of a project: its format, and the columns of the data beside the predictions."""

from __future__ import annotations

import json
import math
from pathlib import Path

import polars
import pytest
import torch
from polars.testing import assert_frame_equal

from advisor.starter.blueprint import Layout, ReadColumn, Reads, Targets
from tests.starter.blueprints import blueprint, project
from tests.starter.projects import run
from tests.starter.test_predicting import FEW, MADE, moments

NETWORKS = [("ffn", Layout.TABLE), ("linear", Layout.TABLE), ("cnn", Layout.TOKENS), ("linear", Layout.TOKENS)]


@pytest.mark.parametrize(("network", "layout"), NETWORKS)
def test_a_file_has_the_format_and_the_columns_that_were_asked_for(
    network: str, layout: Layout, tmp_path: Path
) -> None:
    data = MADE[layout](tmp_path)
    polars.read_csv(data).with_columns(code=polars.lit("007")).write_csv(data)
    read = {"code": polars.String}
    columns = polars.read_csv(data).columns
    polars.read_csv(data, schema_overrides=read).select(polars.exclude("kind"), "kind").write_csv(data)
    folder = project(tmp_path / "project", blueprint(network, layout, Targets.CLASS))
    run(folder, f"python train.py --data {data}{f' {FEW}' if network != 'linear' else ''}")
    said = f"python predict.py --data {data}"
    run(folder, f"{said} --output keys.csv")
    run(folder, f"{said} --output all.parquet --keep all")
    run(folder, f"{said} --output none.jsonl --keep none")
    run(folder, f"{said} --output named.txt --keep none --format jsonl")
    keys, every = polars.read_csv(folder / "keys.csv"), polars.read_parquet(folder / "all.parquet")
    lines = [json.loads(line) for line in (folder / "none.jsonl").read_text().splitlines()]
    assert keys.columns == ["row", *lines[0]]
    others = [name for name in columns if name != "kind"]
    assert every.columns == [*others, "kind_given", *lines[0]]
    assert set(every["code"]) == {"007"}, "as it stands in the file"
    assert_frame_equal(every.select(list(lines[0])), keys.select(list(lines[0])), abs_tol=1e-9)
    assert [line["kind"] for line in lines] == keys["kind"].to_list()
    assert (folder / "named.txt").read_text() == (folder / "none.jsonl").read_text()
    with pytest.raises(SystemExit, match=r"not written as \.xlsx"):
        run(folder, f"{said} --output other.xlsx")


@pytest.mark.parametrize("network", ["cnn", "linear"])
def test_images_are_named_by_their_files_or_not_at_all(network: str, tmp_path: Path) -> None:
    data = MADE[Layout.PICTURE](tmp_path)
    folder = project(tmp_path / "project", blueprint(network, Layout.PICTURE, Targets.CLASS))
    run(folder, f"python train.py --data {data}{f' {FEW}' if network != 'linear' else ''}")
    run(folder, f"python predict.py --data {data} --output keys.jsonl")
    run(folder, f"python predict.py --data {data} --output none.csv --keep none")
    named = json.loads((folder / "keys.jsonl").read_text().splitlines()[0])
    assert named["file"] == "dark/1.png"
    assert polars.read_csv(folder / "none.csv").columns == [name for name in named if name != "file"]


def no_constant(name: str) -> float:
    raise ValueError(f"{name} is no JSON")


@pytest.mark.parametrize("network", ["ffn", "linear"])
def test_json_has_null_where_a_number_is_none_of_its_own(network: str, tmp_path: Path) -> None:
    """Among them NaN of Parquet, infinities, and those within lists."""
    odd = [math.nan, math.inf, -math.inf, None, 1.5] * 8
    columns = {
        "size": odd,
        "several": [[value, 2.0] if place % 3 else [] for place, value in enumerate(odd)],
        "part": [{"of": value} for value in odd],
        "kind": ["a", "b"] * 20,
    }
    read = ReadColumn("size", "number")
    made = blueprint(network, Layout.TABLE, Targets.CLASS, reads=Reads((read,), None, "", None), target="kind")
    data = tmp_path / "data.parquet"
    polars.DataFrame(columns).write_parquet(data)
    folder = project(tmp_path / "project", made)
    run(folder, f"python train.py --data {data}{f' {FEW}' if network != 'linear' else ''}")
    run(folder, f"python predict.py --data {data} --output found.jsonl --keep all")
    lines = (folder / "found.jsonl").read_text().splitlines()
    found = [json.loads(line, parse_constant=no_constant) for line in lines]
    assert [line["size"] for line in found] == [None, None, None, None, 1.5] * 8
    assert found[1]["several"] == [None, 2.0]
    assert [line["part"]["of"] for line in found[:5]] == [None, None, None, None, 1.5]


def test_predictions_never_replace_a_file_among_the_data(tmp_path: Path) -> None:
    data = MADE[Layout.PICTURE](tmp_path)
    folder = project(tmp_path / "project", blueprint("linear", Layout.PICTURE, Targets.CLASS))
    run(folder, f"python train.py --data {data}")
    before = (data / "dark" / "1.png").read_bytes()
    with pytest.raises(SystemExit, match=r"1\.png lies among the data, and is not written over"):
        run(folder, f"python predict.py --data {data} --output {data / 'dark' / '1.png'} --force")
    assert (data / "dark" / "1.png").read_bytes() == before
    for _ in range(2):
        run(folder, f"python predict.py --data {data} --output {data / 'found.csv'} --force")


def single(path: Path) -> Path:
    """A series of one column, which polars hands to NumPy as it is in memory."""
    polars.DataFrame({"load": [50 + 9 * math.sin(hour / 5) for hour in range(200)]}).write_csv(path / "hours.csv")
    return path / "hours.csv"


SERIES = [("autoencoder", "", Targets.ITSELF), ("lstm", "forecast", Targets.NUMBERS), ("lstm", "", Targets.CLASS)]


@pytest.mark.filterwarnings("error:The given NumPy array is not writable:UserWarning")
@pytest.mark.parametrize(("network", "kind", "targets"), SERIES)
def test_series_are_read_without_a_warning(network: str, kind: str, targets: Targets, tmp_path: Path) -> None:
    """PyTorch warns once in a process, if asked so."""
    data = MADE[Layout.SERIES](tmp_path) if targets is Targets.CLASS else single(tmp_path)
    folder = project(tmp_path / "project", blueprint(network, Layout.SERIES, targets, kind=kind, outputs=2))
    torch.set_warn_always(True)
    try:
        run(folder, f"python train.py --data {data} {FEW}")
        run(folder, f"python predict.py --data {data}")
    finally:
        torch.set_warn_always(False)


def test_a_forecast_takes_the_same_options(tmp_path: Path) -> None:
    data = moments(tmp_path)
    made = blueprint("statistical", Layout.SERIES, Targets.NUMBERS, kind="forecast", members=(), outputs=2)
    folder = project(tmp_path / "project", made)
    run(folder, f"python train.py --data {data}")
    run(folder, f"python predict.py --data {data} --output next.parquet --keep none")
    assert polars.read_parquet(folder / "next.parquet").columns == ["heat", "low", "high"]


def test_a_network_answers_on_the_device_that_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = MADE[Layout.TABLE](tmp_path)
    folder = project(tmp_path / "project", blueprint("ffn", Layout.TABLE, Targets.CLASS))
    run(folder, f"python train.py --data {data} {FEW}")
    run(folder, f"python predict.py --data {data} --device cpu")
    assert (folder / "predictions.csv").exists()
    with pytest.raises(SystemExit):
        run(folder, f"python predict.py --data {data} --device tpu --force")
    assert "invalid choice: 'tpu'" in capsys.readouterr().err
