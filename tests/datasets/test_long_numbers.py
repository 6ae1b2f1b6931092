"""Whole numbers that floats cannot keep apart are names, exactly; numbers that count from 1970 are times."""

from __future__ import annotations

import json
import random
from datetime import datetime
from itertools import accumulate
from pathlib import Path

import numpy
import polars
import pytest
from hypothesis import given
from hypothesis import strategies as some

from advisor.datasets.arrays.long_numbers import beyond
from advisor.datasets.dataset import Inspection, Kind
from advisor.datasets.inspect import inspect
from advisor.datasets.loading import load
from advisor.datasets.values.dates import EPOCH, dates_of
from advisor.errors import InputError

ROWS = 120
UNITS = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}


def inspected(folder: Path, name: str, values: list[int], form: str, kind: polars.DataType | None = None) -> Inspection:
    rest = {"size": [float(n * 7 % 31) for n in range(ROWS)], "y": ["a", "b"] * (ROWS // 2)}
    data = folder / f"table.{form}"
    if form == "jsonl":
        rows = zip(values, *rest.values(), strict=True)
        lines = [json.dumps(dict(zip([name, *rest], row, strict=True))) for row in rows]
        data.write_text("\n".join(lines) + "\n")
        return inspect(data, "y")
    frame = polars.DataFrame({name: polars.Series(values, dtype=kind), **rest})
    frame.write_csv(data) if form == "csv" else frame.write_parquet(data)
    return inspect(data, "y")


@pytest.mark.parametrize("form", ["csv", "parquet", "jsonl"])
@pytest.mark.parametrize(
    ("first", "kind"),
    [
        (2**63 - 1000, polars.Int64()), (2**64 - 1000, polars.UInt64()), (10**30, polars.Decimal(38, 0)),
        (-(2**62), polars.Int64()),
    ],
)  # fmt: skip
def test_long_whole_numbers_are_names_in_every_format(
    first: int, kind: polars.DataType, form: str, tmp_path: Path
) -> None:
    found = inspected(tmp_path, "account", [first + n for n in range(ROWS)], form, kind)
    assert (found.columns[0].kind, found.columns[0].distinct) == (Kind.IDENTIFIER, ROWS)
    assert found.columns[0].examples[0][:15] == str(first)[:15]
    assert found.inputs == ("size",)


@pytest.mark.parametrize("form", ["csv", "parquet", "jsonl"])
def test_few_long_numbers_are_categories_that_stay_apart(form: str, tmp_path: Path) -> None:
    found = inspected(tmp_path, "account", [2**60 + n % 3 for n in range(ROWS)], form)
    assert (found.columns[0].kind, found.columns[0].distinct) == (Kind.CATEGORY, 3)


@pytest.mark.parametrize("form", ["csv", "parquet", "jsonl"])
@pytest.mark.parametrize("unit", UNITS)
def test_numbers_since_1970_are_times(unit: str, form: str, tmp_path: Path) -> None:
    values = [(1_600_000_000 + n * 3600) * UNITS[unit] for n in range(ROWS)]
    found = inspected(tmp_path, "ts", values, form)
    column = found.columns[0]
    assert (column.kind, column.distinct, column.remark) == (Kind.DATE, ROWS, f"Its numbers are times {EPOCH}{unit}.")
    assert column.examples[0] == "2020-09-13 12:26:40"
    assert found.time_column == "ts"


def test_numbers_of_that_size_without_a_name_or_an_order_are_numbers(tmp_path: Path) -> None:
    values = [1_600_000_000_000 + n * 7919 % 1000 for n in range(ROWS)]
    assert inspected(tmp_path, "amount", values, "parquet").columns[0].kind is Kind.WHOLE
    assert inspected(tmp_path, "ts", [n * 7 for n in range(ROWS)], "parquet").columns[0].kind is Kind.WHOLE


@given(some.integers(0, 4_000_000_000 * 10**6), some.sampled_from(sorted(UNITS)))
def test_a_time_since_1970_is_read_to_the_microsecond(micros: int, unit: str) -> None:
    texts = polars.Series("ts", [str(micros * UNITS[unit] // 10**6)])
    (moment,) = dates_of(texts, EPOCH + unit).to_list()
    passed = moment - datetime(1970, 1, 1)
    assert (passed.days * 86_400 + passed.seconds) * 10**6 + passed.microseconds == (
        micros * UNITS[unit] // 10**6 * 10**6 // UNITS[unit]
    )


NAMES_OF_TIMES = (
    "ts", "time", "timestamp", "event_time", "created_at", "createdAt", "updated_at_ms", "date", "epoch", "unix_time",
    "user_created_at", "Start Time", "timestampMs", "last_seen", "t_us",
)  # fmt: skip
OTHER_NAMES = (
    "created_by", "tweet_id", "order_id", "time_key", "date_id", "updated_user", "order_no", "update_number", "datacode",
    "candidate", "bytes_at_rest", "total_time", "matter", "statsid", "amount",
)  # fmt: skip


@pytest.mark.parametrize("form", ["csv", "parquet"])
@pytest.mark.parametrize("first", [1_500_000_000, 1_500_000_000_000, 1_500_000_000_000_000, 1_200_000_000_000_000_000])
def test_the_name_tells_times_from_long_numbers(first: int, form: str, tmp_path: Path) -> None:
    draw = random.Random(first)
    step = max(1, first // 10**7)
    values = list(accumulate([first, *(draw.randint(1, step) for _ in range(ROWS - 1))]))
    kinds = {name: inspected(tmp_path, name, values, form).columns[0].kind for name in NAMES_OF_TIMES + OTHER_NAMES}
    assert [name for name in NAMES_OF_TIMES if kinds[name] is not Kind.DATE] == []
    assert [name for name in OTHER_NAMES if kinds[name] is Kind.DATE] == []


def test_ids_13_digits_long_are_no_times(tmp_path: Path) -> None:
    for name in ("order_id", "sale"):
        found = inspected(tmp_path, name, [1_000_000_000_000 + n for n in range(ROWS)], "csv")
        assert found.columns[0].kind in (Kind.IDENTIFIER, Kind.WHOLE)
        assert not any("rise evenly" in remark.what for remark in found.remarks)


@pytest.mark.parametrize("form", ["csv", "parquet"])
@pytest.mark.parametrize("unit", ["ms", "us", "ns"])
def test_numbers_that_rise_evenly_without_a_name_of_times_are_a_remark(unit: str, form: str, tmp_path: Path) -> None:
    values = [(1_600_000_000 + n * 60) * UNITS[unit] for n in range(ROWS)]
    found = inspected(tmp_path, "x", values, form)
    assert found.columns[0].kind is not Kind.DATE
    (told,) = [remark for remark in found.remarks if "rise evenly" in remark.what]
    assert f"since 1970 in {unit}" in told.what
    assert inspected(tmp_path, "timestamp", values, form).columns[0].kind is Kind.DATE


@pytest.mark.parametrize("kind", [numpy.int64, numpy.uint64])
@pytest.mark.parametrize("sign", [1, -1])
def test_long_numbers_in_arrays_stay_exact(kind: type, sign: int, tmp_path: Path) -> None:
    if (kind, sign) == (numpy.uint64, -1):
        return
    several = [sign * (2**62 + n % 3) for n in range(ROWS)]
    rows = numpy.array([[sign * (2**61 + n), several[n], n * 7 % 31] for n in range(ROWS)], dtype=kind)
    numpy.savez(tmp_path / "data.npz", data=rows, target=numpy.array(several, dtype=kind))
    found = inspect(tmp_path / "data.npz", None)
    assert found.classes == tuple(map(str, sorted(set(several))))
    assert [remark.what.rpartition(": ")[2] for remark in found.remarks] == ["column 1.", "column 0."]
    assert found.facts["data.inputs"] == 2
    assert not found.plain
    inputs = load(found, most_examples=ROWS).inputs
    assert isinstance(inputs, polars.DataFrame)
    assert inputs["column 1"].cast(polars.String).to_list() == list(map(str, several))
    assert inputs["column 2"].to_list() == [float(n * 7 % 31) for n in range(ROWS)]


def test_long_numbers_that_name_each_example_are_no_target(tmp_path: Path) -> None:
    names = 2**60 + numpy.arange(ROWS)
    numpy.savez(tmp_path / "data.npz", data=numpy.ones((ROWS, 2)) * names[:, None] % 7, target=names)
    with pytest.raises(InputError, match="120 different whole numbers of 16 digits and more"):
        inspect(tmp_path / "data.npz", None)


@given(some.lists(some.integers(-(2**63), 2**63 - 1), min_size=1, max_size=5), some.sampled_from([10**15, 2**53]))
def test_a_long_number_is_told_by_its_size(values: list[int], limit: int) -> None:
    assert beyond(numpy.array(values), limit).tolist() == [abs(value) >= limit for value in values]


@pytest.mark.parametrize("axes", [2, 3])
def test_single_numbers_that_floats_round_are_reported(axes: int, tmp_path: Path) -> None:
    data = numpy.arange(ROWS * 6).reshape((ROWS, 6) if axes == 2 else (ROWS, 2, 3))
    data[7] = 2**53 + 1
    numpy.savez(tmp_path / "data.npz", data=data, target=numpy.arange(ROWS) % 2)
    (told,) = inspect(tmp_path / "data.npz", None).remarks
    assert told.what == (
        "6 of 720 values looked at are whole numbers beyond 2^53, which floats round; the first is in row 8 of those."
    )
