"""Categorical and Enum columns of a typed file are read as the texts that they are."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import polars
import pytest

from advisor.datasets.again import intake_of
from advisor.datasets.inspect import inspect
from advisor.datasets.matching import matched
from advisor.datasets.values.conversion import class_texts
from tests.datasets.tables_made import read_frame

ROWS = 300
KINDS = ("categorical", "enum", "text")


def table(folder: Path, name: str, values: list[str], kind: str) -> Path:
    dtypes = {"categorical": polars.Categorical(), "enum": polars.Enum(sorted(set(values))), "text": polars.String()}
    column = polars.Series(name, [values[n % len(values)] for n in range(ROWS)]).cast(dtypes[kind])
    sizes = polars.Series("size", [n * 7919 % 1009 / 7 for n in range(ROWS)])
    data = folder / "table.parquet"
    polars.DataFrame([sizes, column]).write_parquet(data)
    return data


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "words", [["yes", "no", "NA"], ["true", "false", ""], ["a", "b", "c", "n/a"], ["1", "2", "3", "NA"]]
)
def test_a_target_has_the_classes_that_the_inspection_names(words: list[str], kind: str, tmp_path: Path) -> None:
    data = table(tmp_path, "y", words, kind)
    found = inspect(data, "y")
    assert found.classes == tuple(sorted(words[:-1]))
    assert set(read_frame(found, ROWS, 0)["y"].cast(polars.String).drop_nulls()) == set(words[:-1])
    again = matched(data, intake_of(found), lambda *_: None)
    assert again.target is not None
    assert set(again.target) == {*words[:-1], None}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("words", "values"),
    [
        (["1.5", "2", "NA"], [1.5, 2.0, None]),
        (
            ["2020-01-31", "2020-02-01", "2021-03-05"],
            [datetime(2020, 1, 31), datetime(2020, 2, 1), datetime(2021, 3, 5)],
        ),
        (["yes", "no", "NA"], [True, False, None]),
    ],
)
def test_inputs_are_read_as_their_words_say(words: list[str], values: list[object], kind: str, tmp_path: Path) -> None:
    data = table(tmp_path, "seen", words, kind)
    found = inspect(data, "size")
    assert read_frame(found, ROWS, 0)["seen"].to_list()[:3] == values
    assert matched(data, intake_of(found), lambda *_: None).inputs["seen"].to_list()[:3] == values


def test_classes_of_19_digits_stay_apart() -> None:
    whole = [1_234_567_890_123_456_789, 1_234_567_890_123_456_790]
    for kind in (polars.Int64, polars.UInt64, polars.Decimal(30, 0)):
        assert class_texts(polars.Series("y", whole, dtype=kind), "").to_list() == [str(value) for value in whole]
