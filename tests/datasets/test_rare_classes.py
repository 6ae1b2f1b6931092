"""Classes of which a large file has a handful: what a sample shows of them is not told as the truth."""

from __future__ import annotations

import json
from pathlib import Path

import polars
import pytest

from advisor.datasets.dataset import Inspection
from advisor.datasets.delimited import pieces
from advisor.datasets.inspect import inspect
from advisor.datasets.readers import delimited_text, json_lines, parquet
from advisor.errors import InputError

from .tables_made import read_frame, text_file

ROWS = 20_000


@pytest.fixture(autouse=True)
def _small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file of 300 KB is large, and is looked at in pieces of 500 bytes."""
    for module in (delimited_text, json_lines):
        monkeypatch.setattr(module, "READ_WHOLE", 10_000)
        monkeypatch.setattr(module, "PIECE", 500)
    monkeypatch.setattr(pieces, "PIECE", 500)
    monkeypatch.setattr(parquet, "MOST_CELLS", 4_800)


def answers(places: dict[int, str]) -> list[str]:
    return [places.get(row, "no") for row in range(ROWS)]


def csv_of(folder: Path, target: list[str]) -> Path:
    rows = "".join(f"{row * 37 % 1001}.5,{answer}\n" for row, answer in enumerate(target))
    return text_file(folder / "t.csv", f"x,y\n{rows}")


def said(found: Inspection) -> str:
    return " ".join(f"{remark.what} {remark.remedy}" for remark in found.remarks)


def test_rare_classes_are_counted_in_all_rows_of_a_sampled_file(tmp_path: Path) -> None:
    target = answers({number * 2371 + 700: "yes" for number in range(8)})
    path = csv_of(tmp_path, target)
    polars.DataFrame({"x": [row % 101 + 0.5 for row in range(ROWS)], "y": target}).write_parquet(tmp_path / "t.parquet")
    for found in (inspect(path, "y"), inspect(tmp_path / "t.parquet", "y")):
        assert found.sampled
        assert found.classes == ("no", "yes")
        assert found.facts["data.imbalance"] == 2499  # 19,992 to 8, however few the sample shows
        assert "'no' has 2,499 times as many rows as the smallest class." in said(found)
        assert "fewer than 5" not in said(found)


def test_classes_that_the_sample_does_not_show_are_found(tmp_path: Path) -> None:
    found = inspect(csv_of(tmp_path, answers({700: "yes", 1900: "perhaps", 2500: "?"})), "y")
    assert found.classes == ("no", "perhaps", "yes")
    assert "2 of 3 classes have fewer than 5 examples: 'perhaps' and 'yes'." in said(found)
    assert found.facts["data.labelled_fraction"] == round(1 - 1 / ROWS, 4)


def test_a_target_that_never_changes_is_said_to_have_one_value_in_every_row(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="has the same value in every row, 'no': there is one class only"):
        inspect(csv_of(tmp_path, answers({})), "y")


def test_what_is_nearly_always_right_is_not_right_in_100_percent(tmp_path: Path) -> None:
    found = inspect(csv_of(tmp_path, answers({700: "yes"})), "y")
    assert "always predicting 'no' is right in 99.99" in said(found)
    assert "1 of 2 classes has fewer than 5 examples: 'yes'." in said(found)


def test_numbers_of_rows_that_only_the_sample_shows_are_called_so(tmp_path: Path) -> None:
    target = answers(dict.fromkeys(range(0, ROWS, 500), "yes"))
    lines = "".join(json.dumps({"x": row % 101, "y": answer}) + "\n" for row, answer in enumerate(target))
    found = inspect(text_file(tmp_path / "t.jsonl", lines), "y")  # lines of JSON take long to read
    assert found.sampled
    assert "fewer than 5 examples in the rows that were read: 'yes'" in said(found)
    assert "'no' has about " in said(found)
    assert "times as many rows as the smallest class in the rows that were read." in said(found)


def test_rows_are_not_sorted_by_a_target_of_which_one_class_is_a_handful(tmp_path: Path) -> None:
    assert "sorted" not in said(inspect(csv_of(tmp_path, answers({0: "yes", 1: "yes"})), "y"))
    halves = ["no"] * (ROWS // 2) + ["yes"] * (ROWS // 2)
    assert "The rows are sorted by the target 'y'." in said(inspect(csv_of(tmp_path, halves), "y"))


def test_a_single_class_beside_missing_ones_is_told_of_as_many_rows_as_were_looked_at(tmp_path: Path) -> None:
    target = answers(dict.fromkeys(range(0, ROWS, 10), "?"))
    with pytest.raises(InputError, match="single class, 'no', in all of the 18,000 rows that have a value"):
        inspect(csv_of(tmp_path, target), "y")
    lines = "".join(json.dumps({"x": row % 101, "y": answer}) + "\n" for row, answer in enumerate(target))
    with pytest.raises(InputError, match="rows that have a value, of those that were read"):
        inspect(text_file(tmp_path / "t.jsonl", lines), "y")


@pytest.mark.parametrize("kind", [polars.Int8, polars.Boolean, polars.Float32, polars.String, polars.Categorical])
def test_classes_are_counted_whatever_the_type_of_their_column(tmp_path: Path, kind: polars.DataType) -> None:
    rare = polars.Series("y", [int(row in (1, 700)) for row in range(ROWS)])
    target = rare.cast(polars.String).cast(kind) if kind == polars.Categorical else rare.cast(kind)
    path = tmp_path / "t.parquet"
    polars.DataFrame([polars.Series("x", [row % 101 + 0.5 for row in range(ROWS)]), target]).write_parquet(path)
    found = inspect(path, "y")
    assert found.classes == (("false", "true") if kind == polars.Boolean else ("0", "1"))
    assert found.facts["data.imbalance"] == 9999
    assert set(read_frame(found, ROWS, 0)["y"].unique()) == set(found.classes)
