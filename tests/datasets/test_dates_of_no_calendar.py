"""Texts among dates that are none are counted, and dates that cannot be read are reported."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from pathlib import Path

import polars
import pytest

from advisor.datasets.again import intake_of
from advisor.datasets.dataset import Kind, Weight
from advisor.datasets.inspect import inspect
from advisor.datasets.matching import matched
from advisor.datasets.tables.columns import judge
from advisor.datasets.values.dates import zones_in
from advisor.errors import InputError
from tests.datasets.tables_made import written

DAYS = [date(2020, 1, 1) + timedelta(days=3 * n) for n in range(95)]


def column(form: str, others: list[str]) -> polars.Series:
    return polars.Series("when", [day.strftime(form) for day in DAYS] + others)


@pytest.mark.parametrize(
    ("form", "impossible"),
    [
        ("%Y-%m-%d", ["2023-02-30"] * 5),
        ("%Y-%m-%d", ["2023-02-29", "2023-04-31", "2021-02-29", "2022-06-31", "2022-13-01"]),
        ("%d.%m.%Y", ["31.02.2023"] * 5),
        ("%d.%m.%y", ["31.02.23"] * 5),
        ("%m/%d/%Y", ["02/30/2023"] * 5),
        ("%d %b %Y", ["31 Feb 2023"] * 5),
        ("%Y%m%d", ["20230230"] * 5),
        ("%Y-%m", ["2023-13"] * 5),
        ("%Y-%m-%d 10:00", ["2023-01-10 24:30", "2023-01-10 25:10"] * 3),
        ("%Y-%m-%d 10:00:00.5", ["2023-02-30 10:00:00.5"] * 5),
        ("%Y-%m-%dT10:00:00Z", ["2023-01-10T10:61:00Z"] * 5),
        ("%m/%d/%Y 01:00 PM", ["02/30/2023 13:00 PM"] * 5),
        ("%Y%m%dT1000", ["20230230T1000"] * 5),
    ],
)
def test_impossible_dates_are_missing_and_counted(form: str, impossible: list[str]) -> None:
    judged = judge(column(form, impossible))
    assert judged.kind is Kind.DATE
    assert judged.values.null_count() == len(impossible)
    doubt = next(doubt for doubt in judged.doubts if "no date" in doubt.what)
    assert doubt.weight is Weight.WARNING
    count = f"{len(impossible)} of {95 + len(impossible)} dates of 'when' are no dates and count as missing"
    assert doubt.what == f"{count}, such as {impossible[0]!r}."


def test_an_offset_that_no_place_has_is_none() -> None:
    judged = judge(column("%Y-%m-%dT10:00+02:00", ["2023-01-10T00:00+25:00"] * 5))
    assert (judged.kind, judged.values.null_count()) == (Kind.DATE, 5)
    assert [doubt.what for doubt in judged.doubts] == [
        "5 of 100 dates of 'when' are no dates and count as missing, such as '2023-01-10T00:00+25:00'.",
        "95 of 100 times of 'when' are converted to UTC, from +02:00 (95 rows).",
    ]


@pytest.mark.parametrize("word", ["hello", "2020"])
def test_few_other_words_among_dates_are_counted(word: str) -> None:
    judged = judge(column("%Y-%m-%d", [word]))
    assert judged.kind is Kind.DATE
    assert judged.doubts[0].what == f"1 of 96 dates of 'when' is no date and counts as missing, such as {word!r}."


@pytest.mark.parametrize(
    ("texts", "shown"),
    [
        (column("%Y-%m-%d", ["hello"] * 5), "5 of 100 cannot be read as dates of one format, such as 'hello'"),
        (column("%d %B %Y", ["soon"] * 5), "5 of 100 cannot be read as dates of one format, such as 'soon'"),
        (column("%Y-%m-%d", ["2023-02-30"] * 20), "20 of 115 cannot be read as dates of one format, such as '2023-02-30'"),
        (column("%m/%d/%Y", ["25/12/2023"] * 5), "5 of 100 cannot be read as dates of one format, such as '25/12/2023'"),
        (column("%Y-%m-%d", [f"{day:%d.%m.%Y}" for day in DAYS[:40]]), "40 of 135 cannot be read"),
        (column("%Y-%m-%d 10:00 IST", []), "none of 95 can be read as dates of one format, such as '2020-01-01 10:00 IST'"),
        (column("%Y-%m-%d 10:00 NPT", []), "none of 95 can be read as dates of one format"),
        (column("%Y-%m-%dT10:00+15:00", []), "none of 95 can be read as dates of one format"),
        (column("%G-W%V-%u", []), "none of 95 can be read as dates of one format, such as '2020-W01-3'"),
        (column("%GW%V", []), "none of 95 can be read as dates of one format, such as '2020W01'"),
        (column("%Y-%j", []), "none of 95 can be read as dates of one format, such as '2020-001'"),
    ],
)  # fmt: skip
def test_dates_that_cannot_be_read_are_words_and_reported(texts: polars.Series, shown: str) -> None:
    judged = judge(texts)
    assert judged.kind not in (Kind.DATE, Kind.NUMBER, Kind.WHOLE)
    (doubt,) = judged.doubts
    assert doubt.weight is Weight.WARNING
    assert shown in doubt.what


@pytest.mark.parametrize(
    "texts",
    [
        [f"2023-{n}" for n in range(400, 500)], [f"1.{n}.3" for n in range(100)], [f"192.168.1.{n}" for n in range(100)],
        [f"shop {n}" for n in range(100)], [f"{n}-{n + 9}" for n in range(10, 99)], [f"{n} Main St" for n in range(99)],
        [f"{2000 + n % 20}-{2001 + n % 20}" for n in range(90)], [f"A-{n}" for n in range(99)],
    ],
)  # fmt: skip
def test_other_words_are_no_dates(texts: list[str]) -> None:
    judged = judge(polars.Series("x", texts))
    assert judged.kind is not Kind.DATE
    assert not judged.doubts


@pytest.mark.parametrize(
    ("zone", "hour"), [("GMT+2", 8), ("UTC+02:00", 8), ("UTC-5", 15), ("GMT+0200", 8), ("UTC +2", 8), ("GMT+0", 10)]
)
def test_offsets_behind_the_name_of_utc_are_read(zone: str, hour: int) -> None:
    texts = column(f"%Y-%m-%d 10:00 {zone}", [])
    judged = judge(texts)
    assert judged.values[0] == datetime(2020, 1, 1, hour)
    assert zones_in(texts) == {zone: 95}
    assert len(judged.doubts) == (hour != 10)


def test_other_rows_with_impossible_dates_are_read_and_told(tmp_path: Path) -> None:
    rows = [[day.isoformat(), n * 37 % 11, "ab"[n * n % 5 % 2]] for n, day in enumerate(DAYS)]
    found = inspect(written(tmp_path / "table.csv", [["when", "size", "y"], *rows]), "y")
    assert "when" in found.inputs
    rows[3][0] = rows[8][0] = "2021-02-29"
    told: list[tuple[str, str]] = []
    other = written(tmp_path / "other.csv", [["when", "size", "y"], *rows])
    again = matched(other, intake_of(found), lambda title, what: told.append((title, what)))
    assert again.inputs["when"].null_count() == 2
    assert "2 rows have dates that no calendar or clock has: row 4 has '2021-02-29'." in told[0][1], told
    rows[3][0] = "soon"
    with pytest.raises(InputError, match="'when' should hold dates, and row 1 has 'soon'"):
        matched(
            written(tmp_path / "third.csv", [["when", "size", "y"], *rows[3:20]]), intake_of(found), lambda *_: None
        )


def test_rows_in_the_order_of_incomplete_dates_are_not_said_to_be_out_of_order(tmp_path: Path) -> None:
    rows = [[day.isoformat() if n % 20 else "2021-02-29", n * 37 % 11 / 7] for n, day in enumerate(DAYS)]
    found = inspect(written(tmp_path / "table.csv", [["when", "y"], *rows]), "y")
    assert found.time_column is None
    sentences = [remark.what for remark in found.remarks]
    assert "The rows are in the order of 'when', but 5 of 95 have no date: they are not split by time." in sentences
    assert not [sentence for sentence in sentences if "not in their order" in sentence]
