"""Dates in every spelling, decided by all different values of a column; hours and minutes of a day."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta

import polars
import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.datasets.dataset import Kind
from advisor.datasets.tables.columns import CLOCK, CLOCK_IN_WORDS, Judged, judge
from advisor.datasets.values.conversion import as_texts, class_texts, converted
from tests.properties import examples


def column(name: str, values: Sequence[object]) -> Judged:
    return judge(polars.Series(name, [str(value) for value in values], dtype=polars.String))


def days_of(judged: Judged) -> list[date]:
    return judged.values.dt.date().to_list()


def every_day(first: date, count: int) -> list[date]:
    return [first + timedelta(number) for number in range(count)]


def test_an_ordered_log_whose_first_thousand_days_are_up_to_the_twelfth_is_read_month_first() -> None:
    early = [f"{month}/{day}/{year}" for year in range(2000, 2012) for month in range(1, 13) for day in range(1, 13)]
    later = [f"1/{day}/2013" for day in range(13, 32)]
    judged = column("when", [*early, *later])
    assert judged.kind is Kind.DATE
    assert judged.column.missing == 0
    assert judged.column.remark == ""
    assert days_of(judged)[-1] == date(2013, 1, 31)


@pytest.mark.parametrize(
    "spelling", ["%d/%m/%Y", "%m/%d/%Y", "%d.%m.%Y", "%Y-%m-%d", "%d-%b-%Y", "%B %d, %Y", "%m/%d/%y"]
)
@given(first=st.dates(date(1975, 1, 1), date(2030, 1, 1)))
@examples(10)
def test_dates_of_one_spelling_are_read_as_they_were_written(spelling: str, first: date) -> None:
    days = every_day(first, 40)
    judged = column("when", [day.strftime(spelling) for day in days])
    assert judged.kind is Kind.DATE
    assert days_of(judged) == days
    assert judged.column.remark == ""


def test_days_that_never_pass_the_twelfth_are_said_to_be_readable_in_two_ways() -> None:
    judged = column("when", [f"{day:02}/{month:02}/2020" for month in range(1, 13) for day in range(1, 13)])
    assert judged.kind is Kind.DATE
    assert "No day is above 12, so day and month could be the other way round" in judged.column.remark


@pytest.mark.parametrize(
    "spelling", ["%b-%y", "%b %y", "%b-%Y", "%b %Y", "%B %Y", "%Y-%m", "%Y/%m", "%m/%Y", "%YM%m", "%Y %b"]
)
def test_months_are_dates_on_their_first_day(spelling: str) -> None:
    months = [date(year, month, 1) for year in (1980, 1981, 1999, 2000) for month in range(1, 13)]
    judged = column("when", [month.strftime(spelling) for month in months])
    assert judged.kind is Kind.DATE
    assert days_of(judged) == months


@pytest.mark.parametrize("spelling", ["{0}Q{1}", "{0}-Q{1}", "{0} q{1}", "Q{1} {0}", "Q{1}-{0}", "{0}_Q{1}"])
def test_quarters_are_dates_on_their_first_day(spelling: str) -> None:
    judged = column("when", [spelling.format(year, quarter) for year in (1980, 1981) for quarter in (1, 2, 3, 4)])
    assert judged.kind is Kind.DATE
    assert [day.month for day in days_of(judged)] == [1, 4, 7, 10] * 2
    assert days_of(judged)[0].year == 1980


def test_six_digits_are_months_where_the_name_says_so() -> None:
    values = [f"{year}{month:02}" for year in (2019, 2020) for month in range(1, 13)]
    assert days_of(column("month", values))[-1] == date(2020, 12, 1)
    assert column("size", values).kind is Kind.WHOLE
    assert column("month", [*values, "202013"]).kind is Kind.WHOLE


@pytest.mark.parametrize(
    ("years", "first"),
    [
        (range(49, 61), 1949),
        (range(60, 76), 1960),
        ([98, 99, 0, 1], 1998),
        (range(20, 36), 2020),
        (range(24, 45), 2024),
        (range(40, 49), 1940),
    ],
)
def test_years_of_two_digits_run_on_without_a_leap(years: Sequence[int], first: int) -> None:
    values = [f"{month}-{year:02}" for year in years for month in ("Jan", "May", "Dec")]
    judged = column("when", values)
    assert [day.year for day in days_of(judged)[::3]] == list(range(first, first + len(years)))
    again = converted(polars.Series("when", values[-3:]), judged.kind, judged.style)
    assert again.to_list() == judged.values.to_list()[-3:], "a part of the file is read as all of it"


@pytest.mark.parametrize("value", ["Mark-{0}", "2020/{0}1", "Q5 20{0}", "may be {0}"])
def test_words_that_only_resemble_dates_are_none(value: str) -> None:
    assert column("when", [value.format(number) for number in range(10, 60)]).kind is not Kind.DATE


TIMES = [100 * hour + minute for hour in range(24) for minute in (0, 5, 18, 30, 59)]


@pytest.mark.parametrize(
    ("name", "values", "kind"),
    [
        ("sched_dep_time", TIMES[::7], Kind.WHOLE),
        ("x", [*TIMES, 2400], Kind.WHOLE),
        ("x", [f"{time:04}" for time in TIMES[::5]], Kind.WHOLE),
        ("x", [f"{time // 100}:{time % 100:02}" for time in TIMES * 3], Kind.CATEGORY),
    ],
)
def test_hours_and_minutes_are_recognised_as_times_of_a_day(name: str, values: list[object], kind: Kind) -> None:
    judged = column(name, values)
    assert judged.kind is kind
    assert judged.column.remark in (CLOCK, CLOCK_IN_WORDS)


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("x", TIMES[::7]),  # so few could be anything
        ("time", [*TIMES, 1275]),  # 75 is no minute
        ("air_time", range(20, 700)),
        ("price", range(100, 2400, 50)),
        ("room", [100 * floor + room for floor in range(1, 20) for room in range(1, 21)]),
        ("code", [f"{number:04}" for number in range(0, 9000, 37)]),
        ("hour", [*range(24)] * 5),
    ],
)
def test_other_numbers_are_no_times_of_a_day(name: str, values: Sequence[object]) -> None:
    assert CLOCK not in column(name, values).column.remark


def test_padded_times_are_read_again_as_the_same_numbers_and_the_same_classes() -> None:
    values = [f"{time:04}" for time in TIMES[::8]]
    judged = column("x", values)
    raw = polars.Series("x", values)
    assert converted(raw, judged.kind, judged.style).to_list() == judged.values.to_list()
    assert class_texts(raw, judged.style).to_list() == as_texts(judged.values).to_list()
