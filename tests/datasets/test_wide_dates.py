"""Tables with a column for each day, month or quarter, and other tables of times that were mistaken for something else."""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import date, timedelta
from pathlib import Path

import polars
import pytest

from advisor.datasets.dataset import Inspection, Kind, Task
from advisor.datasets.delimited.header import has_header
from advisor.datasets.inspect import inspect
from advisor.datasets.loading import load
from advisor.datasets.tables.columns import judge
from advisor.datasets.values.dated_names import times_of

from .tables_made import written

MONTHS = [(year, month) for year in (2018, 2019) for month in range(1, 13)]


def sales(path: Path, names: Sequence[str], label: bool = False) -> Path:
    """40 regions, and for each date what was sold."""
    draw = random.Random(0)
    rows: list[list[object]] = [["region", *names, *(["kind"] if label else [])]]
    for region in range(40):
        sold = [round(100 + draw.gauss(0, 10), 2) for _ in names]
        rows.append([f"region {region}", *sold, *([f"kind {region % 2}"] if label else [])])
    return written(path, rows)


def said(found: Inspection) -> str:
    return " ".join(f"{remark.what} {remark.remedy}" for remark in found.remarks)


@pytest.mark.parametrize(
    "names",
    [
        [f"{year}-{month:02}-01" for year, month in MONTHS],
        [f"{year}-{month:02}" for year, month in MONTHS],
        [f"{year}-{month:02}" for year, month in reversed(MONTHS)],
        [f"{year}Q{quarter}" for year in range(2013, 2019) for quarter in (1, 2, 3, 4)],
        [date(year, month, 1).strftime("%b %Y") for year, month in MONTHS],
        [f"{day.month}/{day.day}/{day:%y}" for day in (date(2020, 1, 22) + timedelta(n) for n in range(24))],
        [f"2020-03-{day:02}" for day in range(1, 25)],
    ],
)
def test_a_header_of_dates_above_numbers_is_a_header_and_makes_series(tmp_path: Path, names: list[str]) -> None:
    found = inspect(sales(tmp_path / "t.csv", names))
    assert [column.name for column in found.columns] == ["region", *names]
    assert (found.modality, found.task, found.target) == ("time_series", Task.FORECAST, None)
    assert found.inputs in (tuple(names), tuple(reversed(names)))
    assert found.examples == 40 * 12  # 12 of 24 months are looked back on
    assert load(found, most_examples=50).inputs.shape == (50, 12, 1)
    assert "not said what is to be learnt" not in said(found)


def test_series_under_dates_are_told_apart_by_a_class(tmp_path: Path) -> None:
    found = inspect(sales(tmp_path / "t.csv", [f"{year}-{month:02}-01" for year, month in MONTHS], label=True), "kind")
    assert (found.modality, found.task, found.examples) == ("time_series", Task.CLASSIFY, 40)
    assert found.facts["data.sequence_length"] == 24


@pytest.mark.parametrize(
    "first",
    [
        ["north", "2015-01-01", "2015-02-01"],  # a row of a table of stays: dates are below it, too
        ["2015-01-01", "3", "4"],
        ["north", "2015.01", "2015.02"],
        ["north", "2015-02-01", "2015-02-01"],
    ],
)
def test_a_row_with_dates_is_no_header(first: list[str]) -> None:
    rest = [["south", "2016-01-01", "2016-02-01"]] * 5 if first[1] == "2015-01-01" else [["south", "3.5", "4.5"]] * 5
    assert not has_header([first, *rest])


def test_names_are_dates_only_where_all_are_of_one_spelling_and_in_order() -> None:
    assert times_of(["2015Q4", "2016Q1"]) == [8064, 8065]
    assert times_of(["22/1/20", "23/1/20"]) is not None
    for names in (
        ["2015-01"],
        ["2015-01", "2015-01"],
        ["2015-03", "2015-01", "2015-02"],
        ["2015-01", "2015Q2"],
        ["a", "b"],
    ):
        assert times_of(names) is None


def test_columns_at_odd_distances_are_no_series(tmp_path: Path) -> None:
    names = [
        f"2020-{month:02}-{day:02}"
        for month, day in zip(range(1, 11), (1, 28, 2, 25, 3, 29, 1, 30, 2, 31), strict=True)
    ]
    assert inspect(sales(tmp_path / "t.csv", names)).modality == "tabular"


@pytest.mark.parametrize("spelling", ["%Y-%m-%dT%H", "%Y-%m-%d %H", "%Y-%m-%dT%HZ"])
def test_hours_without_minutes_are_times(spelling: str) -> None:
    hours = polars.datetime_range(date(2023, 1, 1), date(2023, 1, 3), "1h", eager=True)
    judged = judge(polars.Series("when", hours.dt.strftime(spelling)))
    assert judged.kind is Kind.DATE
    assert judged.values.to_list() == hours.to_list()


def test_of_a_series_with_a_single_value_it_is_not_said_that_a_target_is_wanting(tmp_path: Path) -> None:
    rows = [[f"2023-01-{1 + hour // 24:02}T{hour % 24:02}", 5 + hour % 24 / 4] for hour in range(24 * 20)]
    found = inspect(written(tmp_path / "hourly.csv", [["time", "kwh"], *rows]))
    assert (found.target, found.task, found.time_column) == ("kwh", Task.FORECAST, "time")
    assert "not said what is to be learnt" not in said(found)
