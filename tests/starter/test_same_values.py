"""A saved model and a project read the values that the inspection of the data showed, however the file writes them."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import date
from pathlib import Path

import numpy
import polars
import pytest

from advisor.datasets.again import intake_of
from advisor.datasets.inspect import inspect
from advisor.datasets.loading import load
from advisor.datasets.matching import matched
from advisor.datasets.preparing.table_columns import plain_columns
from advisor.starter.project import refuse_unreadable
from tests.starter.blueprints import module
from tests.starter.test_as_tried import blueprint, written

ROWS = 90


def far_days(folder: Path) -> Path:
    """Days of which some have no year that a calendar has."""
    days = [18_000 + place if place % 5 else 2**31 - 1 - place for place in range(ROWS)]
    return _parquet(folder, polars.Series("when", days, dtype=polars.Int32).cast(polars.Date))


def far_moments(folder: Path) -> Path:
    seconds = [1_600_000_000 + 5_000 * place if place % 7 else 10**13 for place in range(ROWS)]
    moments = polars.Series("when", seconds) * 1000
    return _parquet(folder, moments.cast(polars.Datetime("ms", "Europe/Berlin")))


def zero_dates(folder: Path) -> Path:
    """As MySQL writes what it does not know."""
    return _csv(folder, [f"{date(2020, 1 + n % 12, 1 + n % 28)}" if n % 6 else "0000-00-00" for n in range(ROWS)])


def endless_dates(folder: Path) -> Path:
    return _csv(
        folder, [f"{date(2020, 1 + n % 12, 1 + n % 28):%d.%m.%Y}" if n % 6 else "31.12.9999" for n in range(ROWS)]
    )


def impossible_days(folder: Path) -> Path:
    return _csv(
        folder, [f"{date(2020, 1 + n % 12, 1 + n % 28)}" if n % 19 else f"2021-02-{29 + n % 3}" for n in range(ROWS)]
    )


def hours_after_midnight(folder: Path) -> Path:
    """As timetables count them, on the day on which the bus started."""
    return _csv(
        folder, [f"2023-10-{1 + n % 28:02} {n % 24 if n % 13 else 24 + n % 2}:{10 + n % 50}" for n in range(ROWS)]
    )


def letters_of_the_forties(folder: Path) -> Path:
    return _csv(folder, [f"{1 + n % 28:02}.{1 + n % 12:02}.{40 + n % 9}" for n in range(ROWS)])


def quarters(folder: Path) -> Path:
    return _csv(folder, [f"{2000 + n % 20}-Q{1 + n % 4}" for n in range(ROWS)])


def none_is_a_class(folder: Path) -> Path:
    others = {**_others(), "kind": [["Apnea", "None", "Insomnia"][n % 3] for n in range(ROWS)]}
    polars.DataFrame({"region": ["EU", "NA", "AS"] * (ROWS // 3), **others}).write_csv(folder / "table.csv")
    return folder / "table.csv"


def unknown_words(folder: Path) -> Path:
    others = {**_others(), "kind": [["a", "?", "b"][n % 3] for n in range(ROWS)]}
    rooms = ["unknown" if n % 9 == 0 else str(n % 7) for n in range(ROWS)]
    polars.DataFrame({"rooms": rooms, **others}).write_csv(folder / "table.csv")
    return folder / "table.csv"


def _named(folder: Path, dtype: type[polars.Categorical | polars.Enum]) -> Path:
    """Categories of a typed file, in the target and beside it, among which words stand for missing values."""
    words = {"kind": ["good", "NA", "bad"], "color": ["red", "blue", "null", "green"], "rooms": ["1", "2", "?"]}
    columns = []
    for name, values in words.items():
        held = dtype() if dtype is polars.Categorical else polars.Enum(values)
        columns.append(polars.Series(name, [values[n * n % 7 % len(values)] for n in range(ROWS)]).cast(held))
    polars.DataFrame([*columns, polars.Series("size", _others()["size"])]).write_parquet(folder / "table.parquet")
    return folder / "table.parquet"


def categorical_columns(folder: Path) -> Path:
    return _named(folder, polars.Categorical)


def enum_columns(folder: Path) -> Path:
    return _named(folder, polars.Enum)


def microseconds_in_csv(folder: Path) -> Path:
    return _csv(folder, [str(1_600_000_000_000_000 + 3_600_000_001 * n) for n in range(ROWS)])


def milliseconds_in_parquet(folder: Path) -> Path:
    return _parquet(folder, polars.Series("when", [1_600_000_000_000 + 3_600_001 * n for n in range(ROWS)]))


def long_codes(folder: Path) -> Path:
    return _parquet(folder, polars.Series("code", [2**60 + n % 4 for n in range(ROWS)]))


def offsets(folder: Path) -> Path:
    return _csv(folder, [f"2023-10-{1 + n % 28:02}T0{n % 10}:00:00+0{n % 3}:00" for n in range(ROWS)])


def _others() -> dict[str, list[object]]:
    draw = random.Random(3)
    return {"size": [round(draw.gauss(0, 1), 3) for _ in range(ROWS)], "kind": ["ab"[n % 2] for n in range(ROWS)]}


def _parquet(folder: Path, column: polars.Series) -> Path:
    polars.DataFrame({column.name: column, **_others()}).write_parquet(folder / "table.parquet")
    return folder / "table.parquet"


def _csv(folder: Path, texts: list[str]) -> Path:
    polars.DataFrame({"when": texts, **_others()}).write_csv(folder / "table.csv")
    return folder / "table.csv"


@pytest.mark.parametrize(
    "made",
    [
        far_days,
        far_moments,
        zero_dates,
        endless_dates,
        impossible_days,
        hours_after_midnight,
        letters_of_the_forties,
        quarters,
        none_is_a_class,
        unknown_words,
        categorical_columns,
        enum_columns,
        microseconds_in_csv,
        milliseconds_in_parquet,
        long_codes,
        offsets,
    ],
)
def test_every_room_reads_the_same_values(made: Callable[[Path], Path], tmp_path: Path) -> None:
    data = made(tmp_path)
    found = inspect(data, "kind")
    examples = load(found, most_examples=10_000)
    again = matched(data, intake_of(found), lambda *_: None)
    assert again.target is not None
    there = polars.Series(again.target).is_not_null()
    assert again.inputs.filter(there).equals(examples.inputs, null_equal=True)
    refuse_unreadable(found)
    project = module(written(tmp_path / "project", blueprint(data, "kind", "linear")), "data").load(data, 0)
    assert project.inputs.equals(plain_columns(examples.inputs), null_equal=True)
    assert [project.kept["answers"][number] for number in project.targets] == [
        examples.classes[n] for n in examples.targets
    ]
    assert numpy.isfinite(examples.inputs["size"].to_numpy()).all()
