"""The file of predictions of a project: its format, and the columns of the data beside the predictions."""

from __future__ import annotations

import json
from pathlib import Path

import polars
import pytest
from polars.testing import assert_frame_equal

from advisor.starter.blueprint import Layout, Targets
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
