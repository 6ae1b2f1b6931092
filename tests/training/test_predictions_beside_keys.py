"""Predictions stand beside the columns that tell rows apart, in the order of the data, in three formats."""

from __future__ import annotations

import json
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import polars
import pytest

from advisor.datasets.again import intake_of
from advisor.datasets.inspect import inspect
from advisor.datasets.predicted.formats import KeptColumns, PredictionFormat
from advisor.errors import InputError
from advisor.training.kept.applying import apply
from advisor.training.kept.card import CARD
from advisor.training.kept.request import Applied, Apply, Message, Said
from tests.training.test_kept import LINEAR, flats, saved, written

FIRST_ID = 2**60 + 1
"""No float holds it."""


def with_keys(count: int, seed: int = 0) -> list[dict[str, object]]:
    """Flats with a number that no float holds, a name and a constant."""
    rows = flats(count, seed)
    return [
        {"id": FIRST_ID + place, "name": f"flat-{place:04}", "source": "x", **row} for place, row in enumerate(rows)
    ]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("keys")
    data = written(folder / "flats.csv", [{k: v for k, v in row.items() if k != "class"} for row in with_keys(200)])
    assert intake_of(inspect(data, "rent")).keys == ("id", "name")
    return saved(data, "rent", LINEAR, folder / "model")


def predicted(model: Path, data: Path, **asked: Any) -> tuple[Path, list[Message]]:
    told: list[Message] = []
    output = data.parent / "predictions"
    apply(Apply(str(model), str(data), str(output), 1, **asked), told.append)
    return output, told


def test_keys_are_written_exactly_and_in_the_order_of_the_data(model: Path, tmp_path: Path) -> None:
    rows = with_keys(30, seed=2)[::-1]
    data = written(tmp_path / "new.csv", rows)
    frame = polars.read_csv(predicted(model, data)[0])
    assert frame.columns == ["id", "name", "rent", "low", "high"]
    assert frame["id"].to_list() == [row["id"] for row in rows]
    alone = polars.read_csv(predicted(model, data, keep=KeptColumns.NONE)[0])
    assert alone.equals(frame.select("rent", "low", "high"))


def test_all_columns_are_kept_and_the_given_answers_under_another_name(model: Path, tmp_path: Path) -> None:
    rows = with_keys(30, seed=2)
    output, told = predicted(model, written(tmp_path / "new.csv", rows), keep=KeptColumns.ALL)
    frame = polars.read_csv(output, infer_schema=False)
    given = ["id", "name", "source", "size", "city", "lift", "built", "rent_given", "class"]
    assert frame.columns == [*given, "rent", "low", "high"]
    assert frame["rent_given"].to_list() == [row["rent"] for row in rows]
    assert any(isinstance(one, Said) and "'rent' as 'rent_given'" in one.what for one in told)


def test_typed_keys_keep_their_types(model: Path, tmp_path: Path) -> None:
    rows = [{**row, "size": row["size"] or None, "rent": None} for row in with_keys(12, seed=3)]
    days = [date(2020, 1, 1) + timedelta(days=place) for place in range(12)]
    data = tmp_path / "new.parquet"
    polars.DataFrame(rows).with_columns(name=polars.Series(days)).write_parquet(data)
    frame = polars.read_parquet(predicted(model, data, format=PredictionFormat.PARQUET)[0])
    assert dict(frame.schema) | {"id": polars.Int64(), "name": polars.Date()} == dict(frame.schema)
    assert frame["name"].to_list() == days
    first = json.loads(predicted(model, data, format=PredictionFormat.JSONL)[0].read_text().splitlines()[0])
    assert (first["id"], first["name"], list(first)) == (FIRST_ID, "2020-01-01", ["id", "name", "rent", "low", "high"])


def test_how_many_known_numbers_lie_between_low_and_high_is_counted(model: Path, tmp_path: Path) -> None:
    rows = with_keys(300, seed=4)
    output, told = predicted(model, written(tmp_path / "new.csv", rows))
    frame = polars.read_csv(output)
    truth = polars.Series([float(str(row["rent"])) for row in rows])
    inside = ((frame["low"] <= truth) & (truth <= frame["high"])).mean()
    (found,) = (one for one in told if isinstance(one, Applied))
    assert found.covered == pytest.approx(inside)
    assert 0.8 < found.covered < 1.0


def test_a_key_that_is_not_there_is_left_out(model: Path, tmp_path: Path) -> None:
    rows = [{name: value for name, value in row.items() if name != "name"} for row in with_keys(30)]
    assert polars.read_csv(predicted(model, written(tmp_path / "new.csv", rows))[0]).columns[:2] == ["id", "rent"]


def test_a_card_of_an_earlier_version_takes_what_the_model_was_not_given_for_keys(model: Path, tmp_path: Path) -> None:
    folder = tmp_path / "older"
    folder.mkdir()
    for path in model.iterdir():
        (folder / path.name).write_bytes(path.read_bytes())
    card = json.loads((model / CARD).read_text())
    del card["intake"]["keys"]
    (folder / CARD).write_text(json.dumps(card))
    output, _ = predicted(folder, written(tmp_path / "new.csv", with_keys(30)))
    assert polars.read_csv(output).columns == ["id", "name", "source", "rent", "low", "high"]


def test_columns_of_one_name_are_refused(model: Path, tmp_path: Path) -> None:
    new = tmp_path / "new.csv"
    new.write_text("id,id,size,city,lift,built\n1,2,30,Ulm,yes,2001-01-03\n2,3,40,Ulm,no,2001-01-03\n")
    with pytest.raises(InputError, match="id"):
        predicted(model, new)
