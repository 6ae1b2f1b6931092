"""What each column holds, as people write it."""

from __future__ import annotations

import polars
import pytest

from advisor.datasets.dataset import Kind
from advisor.datasets.tables.columns import Judged, judge, words_of_name
from advisor.datasets.values.conversion import converted


def column(name: str, values: list[object], **said: bool) -> Judged:
    return judge(polars.Series(name, values, dtype=polars.String), **said)


def repeated(values: list[str], times: int = 10) -> list[object]:
    return [*values] * times


@pytest.mark.parametrize(
    ("name", "values", "kind"),
    [
        ("size", ["1.5", "2", "-3e4", ""], Kind.NUMBER),
        ("rooms", ["1", "2", "3", "2"], Kind.WHOLE),
        ("rooms", ["1.0", "2.0", "3.0"], Kind.WHOLE),
        ("price", ["1,234", "12,000", "999"], Kind.WHOLE),
        ("price", ["$1,234.50", "$7.25"], Kind.NUMBER),
        ("share", ["12.5 %", "3 %"], Kind.NUMBER),
        ("preis", ["1.234,50", "7,25"], Kind.NUMBER),
        ("smoker", ["yes", "No", "no"], Kind.CATEGORY),  # three spellings
        ("smoker", ["yes", "no", "no"], Kind.YES_NO),
        ("smoker", ["0", "1", "1"], Kind.YES_NO),
        ("colour", repeated(["red", "blue"]), Kind.CATEGORY),
        ("when", ["2020-01-31", "2020-02-01"], Kind.DATE),
        ("when", ["2020-01-31T10:00:00Z", "2020-02-01T11:30:15.250Z"], Kind.DATE),
        ("when", ["31.01.2020 10:00", "01.02.2020 11:30"], Kind.DATE),
        ("when", ["3 Jan 2020", "14 Feb 2021"], Kind.DATE),
        ("when", ["12/31/2020", "01/02/2021"], Kind.DATE),
        ("when", ["2020-01", "2020-02"], Kind.DATE),
        ("version", ["1.2.3", "1.2.4"], Kind.CATEGORY),
        ("zip", repeated(["01234", "04109"]), Kind.CATEGORY),
        ("zip", repeated(["81234", "14109"]), Kind.CATEGORY),
        ("key", [f"{n:08x}-0000-0000-0000-{n:012x}" for n in range(20)], Kind.IDENTIFIER),
        ("PassengerId", [str(n) for n in range(20)], Kind.IDENTIFIER),
        ("customer_id", [str(1000 + n % 40) for n in range(200)], Kind.CATEGORY),
        ("email", [f"p{n}@example.org" for n in range(30)], Kind.IDENTIFIER),
        ("population", [str(n * 37 % 1009) for n in range(50)], Kind.WHOLE),
        ("height", [str(n / 7) for n in range(50)], Kind.NUMBER),
        ("review", [f"It was a very good film number {n}" for n in range(30)], Kind.TEXT),
        ("same", ["7"] * 5, Kind.CONSTANT),
        ("nothing", ["", "NA", "?", "None", "-"], Kind.EMPTY),
    ],
)
def test_the_kind_of_a_column_follows_from_its_values_and_its_name(name: str, values: list[object], kind: Kind) -> None:
    assert column(name, values).kind is kind


def test_every_spelling_of_a_missing_value_is_one() -> None:
    judged = column("size", ["1", "NA", "NaN", " null ", "None", "?", "-", "N/A", "", "2.5"])
    assert judged.kind is Kind.NUMBER
    assert judged.column.missing == pytest.approx(0.8)
    assert judged.column.distinct == 2


def test_a_few_words_among_numbers_count_as_missing_and_are_named() -> None:
    judged = column("size", [*[f"{n}.5" for n in range(200)], "unknown", "sold out"])
    assert judged.kind is Kind.NUMBER
    assert "'unknown' and 'sold out' among its numbers count as missing" in judged.column.remark
    many = column("size", [*[f"{n}.5" for n in range(200)], *"abcdefgh"])
    assert many.kind is not Kind.NUMBER


def test_infinite_numbers_count_as_missing() -> None:
    judged = column("size", [*[f"{n}.5" for n in range(60)], "inf"])
    assert judged.kind is Kind.NUMBER
    assert judged.column.missing > 0
    assert "Infinite" in judged.column.remark
    mostly = column("size", ["inf", "-Infinity", "inf", "1.5", "2.5"])
    assert (mostly.kind, mostly.column.missing) == (Kind.NUMBER, pytest.approx(0.6))


def test_a_decimal_comma_is_told_from_a_comma_between_thousands_by_the_file() -> None:
    values: list[object] = ["1,234", "5,678"]
    assert column("x", values, comma_first=True).values.to_list() == [1.234, 5.678]
    assert column("x", values).values.to_list() == [1234.0, 5678.0]


def test_dates_that_can_be_read_in_two_ways_are_said_to_be() -> None:
    assert "other way round" in column("when", ["01/02/2020", "03/04/2020"]).column.remark
    assert column("when", ["01/02/2020", "31/04/2020"]).kind is not Kind.DATE  # there is no 31 April
    assert column("when", ["01/02/2020", "30/04/2020"]).column.remark == ""


def test_a_few_false_dates_count_as_missing() -> None:
    judged = column("when", [*[f"2020-{n % 12 + 1:02d}-{n % 28 + 1:02d}" for n in range(80)], "2020-13-01"])
    assert judged.kind is Kind.DATE
    assert judged.column.missing == pytest.approx(1 / 81)


def test_moments_keep_fractions_of_seconds() -> None:
    judged = column("when", ["2020-01-31 10:00:00.25", "2020-01-31 10:00:01", "2020-01-31T10:00:01,5Z"])
    assert judged.kind is Kind.DATE
    assert judged.values.diff().dt.total_milliseconds().to_list() == [None, 750, 500]


def test_dates_of_digits_alone_are_dates_where_all_are_real_days() -> None:
    assert column("day", [f"202001{day:02d}" for day in range(1, 32)]).kind is Kind.DATE
    assert column("size", [f"202001{day:02d}" for day in range(1, 60)]).kind is Kind.WHOLE


def test_numbers_of_rows_in_a_file_without_a_header_are_identifiers() -> None:
    values: list[object] = [str(n) for n in range(1, 40)]
    assert column("column_1", values, named=False).kind is Kind.IDENTIFIER
    assert column("x", values).kind is Kind.WHOLE


def test_a_million_categories_are_said_to_be_too_many() -> None:
    values: list[object] = [f"user{n % 4000}" for n in range(20_000)]
    judged = column("user", values)
    assert judged.kind is Kind.CATEGORY
    assert "4,000 values in 20,000 rows" in judged.column.remark


def test_values_of_a_column_are_shown_without_what_takes_over_a_terminal() -> None:
    judged = column("x", repeated(["a\x1b[2Jb", "<script>", "[bold]c"]))
    assert judged.column.examples == ("a[2Jb", "<script>", "[bold]c")


@pytest.mark.parametrize(
    ("values", "typed"),
    [
        (["1,5", "x", "2"], [1.5, None, 2.0]),
        (["2020-01-31", "?"], ["2020-01-31"]),
        (["yes", "no", ""], [True, False, None]),
    ],
)
def test_a_column_read_again_has_the_type_of_its_kind(values: list[object], typed: list[object]) -> None:
    judged = column("x", [*values, *values[:1] * 60] if "x" in values else values, comma_first=True)
    again = converted(polars.Series("x", values, dtype=polars.String), judged.kind, judged.style)
    shown = [str(value)[:10] if judged.kind is Kind.DATE else value for value in again.to_list()]
    assert shown[: len(typed)] == typed


@pytest.mark.parametrize("name", ["customerID", "customer_id", "Customer Id", "CUSTOMER-ID"])
def test_words_of_a_name_are_found_in_every_way_to_write_it(name: str) -> None:
    assert words_of_name(name) == {"customer", "id"}
