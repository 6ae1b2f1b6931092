"""Predictions as a table: names that never clash, values as they stood in the data, and times that go on as they went."""

from __future__ import annotations

import csv
import json
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from zoneinfo import ZoneInfo

import numpy
import polars
import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.datasets.again import series_again
from advisor.datasets.dataset import Kind, Task
from advisor.datasets.intake import Intake, Source, TakenColumn
from advisor.datasets.predicted.ahead import keys_ahead, times_ahead
from advisor.datasets.predicted.formats import KeptColumns, PredictionFormat, format_of
from advisor.datasets.predicted.names import names_for, wanted
from advisor.datasets.predicted.writing import PredictionWriter, predicted_columns, rounded, typed
from advisor.errors import InputError


def intake(target: str = "price", classes: tuple[str, ...] = ()) -> Intake:
    task = Task.CLASSIFY if classes else Task.REGRESS
    return Intake(Source.TABLE, "tabular", task, classes, (), TakenColumn(target, Kind.NUMBER))


def test_columns_are_named_for_the_target_and_the_classes() -> None:
    names = names_for(intake("kind", ("a b", "ü,\n")), ["id"])
    assert (names.kept, names.target, names.probabilities) == ({"id": "id"}, "kind", ("p_a b", "p_ü,\n"))
    assert (names_for(intake(), ["id"]).low, names_for(intake(), ["id"]).high) == ("low", "high")


def test_a_column_of_the_data_gives_way_and_that_is_said() -> None:
    names = names_for(intake("price"), ["price", "low", "price_given", "id"])
    assert names.kept == {"price": "price_given_given", "low": "low_given", "price_given": "price_given", "id": "id"}
    said: list[str] = []
    names.tell(lambda title, what: said.append(what))
    assert "'price' as 'price_given_given' and 'low' as 'low_given'" in said[0]
    names_for(intake(), ["id"]).tell(lambda title, what: said.append(what))
    assert len(said) == 1


def test_a_target_keeps_its_name_beside_its_own_probabilities() -> None:
    names = names_for(intake("p_a", ("a", "b")), [])
    assert (names.target, names.probabilities) == ("p_a", ("p_a_probability", "p_b"))
    assert names_for(intake("low"), []).low == "low_bound"


WORDS = st.sampled_from(["low", "high", "p_a", "p_b", "a", "b", "low_given", "p_a_probability", "low_bound", "class"])


@given(WORDS, st.lists(WORDS, unique=True), st.booleans())
def test_no_two_columns_have_one_name(target: str, kept: list[str], numbers: bool) -> None:
    names = names_for(intake(target, () if numbers else ("a", "b")), kept)
    bounds = [names.low, names.high] if numbers else []
    every = [*names.kept.values(), names.target, *names.probabilities, *bounds]
    assert len(set(every)) == len(every)
    assert list(names.kept) == kept
    assert names.target == target


def test_keys_are_those_that_were_noted_or_else_all_that_the_model_was_not_given() -> None:
    old = Intake(Source.TABLE, "tabular", Task.REGRESS, passed_over=("id", "constant"))
    new = Intake(Source.TABLE, "tabular", Task.REGRESS, passed_over=("id", "constant"), keys=("id",))
    assert wanted(old, KeptColumns.KEYS) == ("id", "constant")
    assert wanted(new, KeptColumns.KEYS) == ("id",)
    assert wanted(new, KeptColumns.NONE) == ()
    assert wanted(new, KeptColumns.ALL) is None
    assert wanted(
        Intake(Source.PICTURES, "image", Task.CLASSIFY, reading={"side": 8, "colours": 1}), KeptColumns.KEYS
    ) == ("file",)


def test_the_format_is_that_of_the_ending() -> None:
    assert format_of(Path("a.CSV"), None) is PredictionFormat.CSV
    assert format_of(Path("a.pq"), None) is PredictionFormat.PARQUET
    assert format_of(Path("a.ndjson"), None) is PredictionFormat.JSONL
    assert format_of(Path("/dev/stdout"), None) is PredictionFormat.CSV
    assert format_of(Path("a.parquet"), PredictionFormat.JSONL) is PredictionFormat.JSONL
    with pytest.raises(InputError, match=r"predictions are not written as \.xlsx"):
        format_of(Path("a.xlsx"), None)


KEYS = polars.DataFrame(
    {
        "whole": [2**63 - 1, None],
        "larger": polars.Series([2**64 - 1, 0], dtype=polars.UInt64),
        "day": [date(2024, 2, 29), None],
        "moment": [datetime(2024, 2, 29, 1, 2, 3), None],
        "exact": [Decimal("1.50"), None],
        "lasting": [timedelta(seconds=90), None],
        "bytes": [b"\xff", None],
        "several": [[1, 2], None],
        "code": ["007", "1"],
        "number": ["7", "-12"],
        "text": ['a,"b"\nc', ""],
    }
)


def in_file(tmp_path: Path, format_: PredictionFormat) -> Path:
    path = tmp_path / "predictions"
    target = intake("class", ("1", "2"))
    kept = typed(KEYS, format_, target)
    names = names_for(target, kept.columns)
    with PredictionWriter(path, format_) as writer:
        for place in (0, 1):
            told = predicted_columns(
                names, target, classes=numpy.array([place]), probabilities=numpy.array([[0.1234567891, 1e-30]])
            )
            writer.write(kept[place : place + 1].rename(names.kept), told)
    return path


def test_values_stay_exact_in_parquet(tmp_path: Path) -> None:
    frame = polars.read_parquet(in_file(tmp_path, PredictionFormat.PARQUET))
    assert frame.select(KEYS.columns).drop("number").equals(KEYS.drop("number"))
    assert frame["number"].to_list() == [7, -12]
    assert frame["class"].to_list() == [1, 2]
    assert frame["p_1"].to_list() == [0.123457, 0.123457]
    assert frame["p_2"].to_list() == [1e-30, 1e-30]


def test_values_stay_exact_in_json_lines(tmp_path: Path) -> None:
    first, second = (json.loads(line) for line in in_file(tmp_path, PredictionFormat.JSONL).read_text().splitlines())
    assert (first["whole"], first["larger"], first["code"], first["number"]) == (2**63 - 1, 2**64 - 1, "007", 7)
    assert (first["day"], first["moment"], first["exact"]) == ("2024-02-29", "2024-02-29T01:02:03.000000", "1.50")
    assert (first["text"], first["several"], first["class"]) == ('a,"b"\nc', [1, 2], 1)
    assert second["whole"] is None
    assert list(first)[-3:] == ["class", "p_1", "p_2"]


def test_values_stay_exact_in_csv(tmp_path: Path) -> None:
    with in_file(tmp_path, PredictionFormat.CSV).open(newline="") as file:
        first, second = csv.DictReader(file)
    assert (first["whole"], first["larger"], first["code"]) == (str(2**63 - 1), str(2**64 - 1), "007")
    assert (first["day"], first["text"], first["class"], second["class"]) == ("2024-02-29", 'a,"b"\nc', "1", "2")
    assert (first["several"], first["lasting"], first["bytes"]) == ("[1, 2]", "PT1M30S", "/w==")
    assert [second[name] for name in ("whole", "day", "several", "text")] == [""] * 4


TEXTS = {
    "price": (["1.50", "-0.25", "NA"], [1.5, -0.25, None]),
    "share": (["0.30000000000000004", "1e-300", ""], [0.1 + 0.2, 1e-300, None]),
    "count": (["7", None, "12"], [7, None, 12]),
    "mixed": (["7", "0.5", "12"], [7.0, 0.5, 12.0]),
    "version": (["1.2.3", "1.2", "2"], ["1.2.3", "1.2", "2"]),
    "account": (["12345678901234567.25", "1.5", "2"], ["12345678901234567.25", "1.5", "2"]),
    "code": (["007", "1", "2"], ["007", "1", "2"]),
    "spelt": (["1,234.5", "1", "2"], ["1,234.5", "1", "2"]),
    "huge": (["1e999", "1", "2"], ["1e999", "1", "2"]),
    "words": (["NA", "?", None], ["NA", "?", None]),
    "number": ([1.5, None, 2.0], [1.5, None, 2.0]),
    "merging": (["1.1", "1.10", "2.5"], ["1.1", "1.10", "2.5"]),
    "powers": (["12e3", "120e2", "1"], ["12e3", "120e2", "1"]),
}
KEY_TEXTS = {
    "version": (["1.10", "1.1", "1.2"], ["1.10", "1.1", "1.2"]),
    "release": (["1.10", "1.20", "1.30"], ["1.10", "1.20", "1.30"]),
    "power": (["12e3", "120e2", "7"], ["12e3", "120e2", "7"]),
    "one_power": (["12e3", "7", None], ["12e3", "7", None]),
    "country": (["1", "NA", "2"], ["1", "NA", "2"]),
    "shifted": ([" 7", "7", "8"], [" 7", "7", "8"]),
    "point": (["7", "7.0", "8"], ["7", "7.0", "8"]),
    "zero": (["-0.0", "0.0", "1.5"], ["-0.0", "0.0", "1.5"]),
    "large": (["9007199254740993", "0.5", "1"], ["9007199254740993", "0.5", "1"]),
    "count": (["7", "", "12"], [7, None, 12]),
    "mixed": (["7", "0.5", "-1.25"], [7.0, 0.5, -1.25]),
    "empty": (["", None, ""], ["", None, ""]),
}


@pytest.mark.parametrize("format_", [PredictionFormat.PARQUET, PredictionFormat.JSONL])
@pytest.mark.parametrize("name", TEXTS)
def test_columns_of_numbers_stay_numbers(name: str, format_: PredictionFormat) -> None:
    texts, values = TEXTS[name]
    column = polars.Series(name, texts)
    learned = Intake(Source.TABLE, "tabular", Task.REGRESS, columns=(TakenColumn(name, Kind.NUMBER),))
    found = typed(polars.DataFrame([column]), format_, learned)[name]
    assert found.to_list() == values
    assert typed(polars.DataFrame([column]), PredictionFormat.CSV, learned)[name].to_list() == texts


@pytest.mark.parametrize("format_", [PredictionFormat.PARQUET, PredictionFormat.JSONL])
@pytest.mark.parametrize("name", KEY_TEXTS)
def test_keys_stay_as_different_as_they_were(name: str, format_: PredictionFormat) -> None:
    texts, values = KEY_TEXTS[name]
    assert typed(polars.DataFrame({name: texts}), format_, intake())[name].to_list() == values


@given(st.lists(st.text("0123456789.-e NA", min_size=1, max_size=5), min_size=1, unique=True))
def test_no_two_keys_become_one(texts: list[str]) -> None:
    found = typed(polars.DataFrame({"key": texts}), PredictionFormat.PARQUET, intake())["key"]
    assert len({*found.to_list()}) == len(texts)
    assert found.null_count() == 0


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1))
def test_a_float_that_a_program_wrote_is_the_same_number(values: list[float]) -> None:
    frame = polars.DataFrame({"x": [repr(value) for value in values]})
    assert [*map(float, typed(frame, PredictionFormat.PARQUET, intake("x"))["x"])] == values


def test_as_many_probabilities_as_classes() -> None:
    names = names_for(intake("class", ("1", "2")), [])
    with pytest.raises(ValueError, match="3 probabilities are none of 2 classes"):
        predicted_columns(names, intake("class", ("1", "2")), classes=numpy.zeros(1), probabilities=numpy.ones((1, 3)))


@given(st.floats(allow_nan=False, allow_infinity=False, width=64))
def test_a_number_is_rounded_to_significant_digits(value: float) -> None:
    (found,) = rounded(numpy.array([value]), 9)
    assert found == pytest.approx(value, rel=1e-8, abs=0)
    if 1e-12 < abs(value) < 1e20:
        assert found == float(f"{value:.9g}") or found == pytest.approx(value, rel=5e-9)


def test_what_is_no_number_stays(tmp_path: Path) -> None:
    assert numpy.isnan(rounded(numpy.array([numpy.nan]), 9)).all()
    assert rounded(numpy.array([0.0, numpy.inf, 0.1 + 0.2]), 9).tolist() == [0.0, numpy.inf, 0.3]


def seconds(*days: str) -> numpy.ndarray:
    return numpy.array(days, "datetime64[s]").astype(numpy.int64).astype(float)


def days(times: object) -> list[str]:
    assert isinstance(times, numpy.ndarray)
    return numpy.datetime_as_string(times.astype(numpy.int64).astype("datetime64[s]"), unit="m").tolist()  # type: ignore[no-any-return]


def test_times_go_on_as_they_went() -> None:
    months = seconds("2023-11-01", "2023-12-01", "2024-01-01")
    assert days(times_ahead(months, 2, dated=True)) == ["2024-02-01T00:00", "2024-03-01T00:00"]
    ends = seconds("2023-11-30", "2023-12-31", "2024-01-31")
    assert days(times_ahead(ends, 2, dated=True)) == ["2024-02-29T00:00", "2024-03-31T00:00"]
    quarters = seconds("2023-01-15T12:00", "2023-04-15T12:00", "2023-07-15T12:00")
    assert days(times_ahead(quarters, 2, dated=True)) == ["2023-10-15T12:00", "2024-01-15T12:00"]
    workdays = seconds("2024-02-28", "2024-02-29", "2024-03-01", "2024-03-04")
    assert days(times_ahead(workdays, 5, dated=True))[-1] == "2024-03-11T00:00"
    hours = numpy.arange(5) * 3600.0
    assert days(times_ahead(hours, 1, dated=True)) == ["1970-01-01T05:00"]
    assert times_ahead(numpy.array([1990.0, 1992.0, 1994.0]), 2, dated=False).tolist() == [1996.0, 1998.0]  # type: ignore[union-attr]


def test_steps_without_a_row_count_and_irregular_times_are_not_made_up() -> None:
    gaps = numpy.array([0.0, 10.0, numpy.nan, 30.0, numpy.nan])
    assert times_ahead(gaps, 2, dated=False).tolist() == [50.0, 60.0]  # type: ignore[union-attr]
    assert times_ahead(numpy.array([0.0, 10.0, 21.0]), 1, dated=False) is None
    assert times_ahead(seconds("2024-01-31", "2024-02-28", "2024-03-31"), 1, dated=True) is None
    assert times_ahead(seconds("2024-03-01", "2024-03-04", "2024-03-06"), 1, dated=True) is None
    assert times_ahead(numpy.array([1.0, 2.0]), 1, dated=False) is None


HOURLY = Intake(
    Source.SERIES, "time_series", Task.FORECAST, columns=(TakenColumn("load", Kind.NUMBER, "decimal point"),),
    target=TakenColumn("load", Kind.NUMBER, "decimal point"), reading={"steps": 4, "horizon": 2},
    time=TakenColumn("when", Kind.DATE, "%Y-%m-%d %H:%M:%S"),
)  # fmt: skip


def times_written(path: Path) -> polars.Series:
    """The times of the two steps that follow the series in a file."""
    examples, names = series_again(path, HOURLY, 4, lambda *_: None)
    assert examples.series is not None
    return keys_ahead(HOURLY, examples.series, names, 2, lambda *_: None)["when"]


@pytest.mark.parametrize(
    ("zone", "last", "written"),
    [
        ("+02:00", "2023-01-26T15:00:00", ["2023-01-26T16:00:00+02:00", "2023-01-26T17:00:00+02:00"]),
        ("-0330", "2023-01-26T22:30:00", ["2023-01-26T23:30:00-03:30", "2023-01-27T00:30:00-03:30"]),
        ("Z", "2023-01-26T15:00:00", ["2023-01-26T16:00:00Z", "2023-01-26T17:00:00Z"]),
        (" CET", "2023-01-26 23:00:00", ["2023-01-27T00:00:00+01:00", "2023-01-27T01:00:00+01:00"]),
        ("+02:00[Europe/Berlin]", "2023-07-26T15:00:00", ["2023-07-26T16:00:00+02:00", "2023-07-26T17:00:00+02:00"]),
        (" Europe/Berlin", "2023-07-26 15:00:00", ["2023-07-26T16:00:00+02:00", "2023-07-26T17:00:00+02:00"]),
        ("", "2023-01-26 15:00:00", ["2023-01-26 16:00:00", "2023-01-26 17:00:00"]),
    ],
)
def test_forecast_times_keep_the_offset_of_the_last_row(
    zone: str, last: str, written: list[str], tmp_path: Path
) -> None:
    end = datetime.fromisoformat(last)
    times = [(end - timedelta(hours=back)).isoformat(sep=last[10]) for back in reversed(range(30))]
    path = tmp_path / "hourly.csv"
    path.write_text("when,load\n" + "".join(f"{time}{zone},{row % 7}.5\n" for row, time in enumerate(times)))
    assert times_written(path).to_list() == written


def test_forecast_times_have_the_offset_of_the_latest_row_where_clocks_change(tmp_path: Path) -> None:
    first = datetime(2023, 3, 25, 20, tzinfo=UTC)
    berlin = [(first + timedelta(hours=row)).astimezone(ZoneInfo("Europe/Berlin")) for row in range(30)]
    path = tmp_path / "hourly.csv"
    path.write_text("when,load\n" + "".join(f"{time.isoformat()},{row % 7}.5\n" for row, time in enumerate(berlin)))
    ahead = times_written(path).to_list()
    assert all(one.endswith("+02:00") for one in ahead)
    assert [datetime.fromisoformat(one) - berlin[-1] for one in ahead] == [timedelta(hours=1), timedelta(hours=2)]


def test_forecast_times_of_a_typed_column_keep_its_time_zone(tmp_path: Path) -> None:
    start = datetime(2023, 1, 25, tzinfo=UTC)
    times = polars.Series("when", [start + timedelta(hours=row) for row in range(30)]).dt.convert_time_zone(
        "Asia/Tokyo"
    )
    polars.DataFrame([times, polars.Series("load", [row % 7 + 0.5 for row in range(30)])]).write_parquet(
        tmp_path / "hourly.parquet"
    )
    ahead = times_written(tmp_path / "hourly.parquet")
    assert ahead.dtype == polars.Datetime("us", "Asia/Tokyo")
    assert [one - times[-1] for one in ahead] == [timedelta(hours=1), timedelta(hours=2)]
