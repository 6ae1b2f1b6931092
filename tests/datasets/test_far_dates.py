"""Dates that stand for none, or that Python cannot hold: missing, with their number, and never an error."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import polars
import pytest
from hypothesis import given
from hypothesis import strategies as some

from advisor.datasets.dataset import Kind, Weight
from advisor.datasets.inspect import inspect
from advisor.datasets.values.dates import moments_of
from advisor.errors import InputError
from tests.datasets.tables_made import kinds, written

INT64 = some.integers(-(2**63), 2**63 - 1)
UNITS = {"ms": 10**3, "us": 10**6, "ns": 10**9}
ROWS = 100


def table(folder: Path, column: polars.Series) -> Path:
    rest = {"size": [float(place) for place in range(len(column))], "y": ["a", "b"] * (len(column) // 2)}
    polars.DataFrame({"when": column, **rest}).write_parquet(folder / "table.parquet")
    return folder / "table.parquet"


def moments(far: int, unit: str, zone: str | None = None) -> polars.Series:
    """Moments from 2020 on, of which every fifth is far from them."""
    ticks = [far if place % 5 == 0 else (1_600_000_000 + place) * UNITS[unit] for place in range(ROWS)]
    return polars.Series("when", ticks, dtype=polars.Int64).cast(polars.Datetime(unit, zone))  # type: ignore[arg-type]


def days(far: int) -> polars.Series:
    held = [far if place % 5 == 0 else 18_000 + place for place in range(ROWS)]
    return polars.Series("when", held, dtype=polars.Int32).cast(polars.Date)


@pytest.mark.parametrize(
    ("column", "year"),
    [
        (moments(253_402_300_800_000, "ms"), 10000),
        (moments(2**62, "ms"), 146_140_482),
        (moments(-140_000_000_000 * 10**6, "us"), -2467),
        (moments(300_000_000_000 * 10**6, "us", "Europe/Berlin"), 11476),
        (moments(-(2**63) + 1, "ns"), 1677),
        (moments(2**63 - 1, "ns", "UTC"), 2262),
        (days(2_932_896), 9999),
        (days(2**31 - 1), 5_881_580),
        (days(-(2**31) + 1), -5_877_641),
    ],
)
def test_dates_of_no_calendar_are_missing_and_counted(column: polars.Series, year: int, tmp_path: Path) -> None:
    found = inspect(table(tmp_path, column), "y")
    when = found.columns[0]
    assert (when.kind, when.missing, when.distinct) == (Kind.DATE, 0.2, 80)
    warning = next(
        remark for remark in found.remarks if remark.columns == ("when",) and "count as missing" in remark.what
    )
    assert warning.weight is Weight.WARNING
    assert "20 of 100 dates of 'when'" in warning.what
    assert f"the year {year}" in warning.what


@pytest.mark.parametrize(
    "text", ["0000-00-00", "9999-12-31", "10000-01-01", "9999-99-99", "0001-01-01", "-0001-11-30", "2262-04-11"]
)
def test_texts_that_stand_for_no_date_are_missing_and_counted(text: str, tmp_path: Path) -> None:
    rows = [[text if n % 4 == 0 else f"202{n % 3}-0{1 + n % 9}-1{n % 8}", n % 7, "ab"[n // 5 % 2]] for n in range(100)]
    found = inspect(written(tmp_path / "table.csv", [["when", "size", "y"], *rows]), "y")
    assert (found.columns[0].kind, found.columns[0].missing) == (Kind.DATE, 0.25)
    assert any(f"25 of 100 dates of 'when' count as missing, such as one {text!r}" in r.what for r in found.remarks)


def test_a_column_of_such_dates_alone_is_empty_and_no_target(tmp_path: Path) -> None:
    wrong_unit = polars.Series("when", [1_600_000_000_000_000 + n for n in range(ROWS)]).cast(polars.Datetime("ms"))
    data = table(tmp_path, wrong_unit)
    found = inspect(data, "y")
    assert kinds(found)["when"] is Kind.EMPTY
    assert any("wrong unit" in remark.remedy for remark in found.remarks)
    with pytest.raises(InputError, match="'when' has no value in any row"):
        inspect(data, "when")


def test_spans_of_time_beyond_64_bits_of_microseconds_stay_what_they_are(tmp_path: Path) -> None:
    spans = polars.Series("when", [2**60, 2**61] * 50).cast(polars.Duration("ms"))
    found = inspect(table(tmp_path, spans), "y")
    assert found.columns[0].examples == ("1.152921505e+21", "2.305843009e+21")


@given(some.lists(INT64, min_size=1, max_size=20), some.sampled_from(sorted(UNITS)))
def test_moments_of_every_unit_are_those_that_python_reads_or_missing(ticks: list[int], unit: str) -> None:
    read = moments_of(polars.Series("when", ticks, dtype=polars.Int64).cast(polars.Datetime(unit)))  # type: ignore[arg-type]
    for tick, moment in zip(ticks, read.to_list(), strict=True):
        micros = tick * 10**6 // UNITS[unit]
        if moment is None:
            assert not -60_000_000_000 * 10**6 < micros < 250_000_000_000 * 10**6 or abs(tick) > 2**63 - 10**14
        else:
            assert (moment - datetime(1970, 1, 1)).total_seconds() * 10**6 == pytest.approx(micros, abs=100)
