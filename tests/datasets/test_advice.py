"""Advice that follows from what the columns hold, and silence where it would be wrong."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from datetime import date, timedelta
from pathlib import Path

import polars
import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.datasets.dataset import Inspection, Kind, Weight
from advisor.datasets.inspect import inspect
from advisor.datasets.tables.columns import judge
from advisor.datasets.tables.skewness import about_skewness
from advisor.datasets.values.legends import legend
from tests.properties import examples

from .made import shipped_csv
from .tables_made import kinds, written


def inspected(folder: Path, columns: dict[str, Sequence[object]], target: str | None = None) -> Inspection:
    return inspect(written(folder / "t.csv", [list(columns), *zip(*columns.values(), strict=True)]), target)


def about(found: Inspection, *names: str) -> str:
    """Everything that is said about just these columns."""
    return " ".join(f"{remark.what} {remark.remedy}" for remark in found.remarks if remark.columns == names)


def said(found: Inspection) -> str:
    return " ".join(f"{remark.what} {remark.remedy}" for remark in found.remarks)


def normal(count: int, seed: int = 0) -> list[float]:
    draw = random.Random(seed)
    return [round(draw.gauss(0, 1), 4) for _ in range(count)]


def log_normal(count: int) -> list[float]:
    return [math.exp(2 * value) for value in normal(count, 7)]


def skewed(values: Sequence[float]) -> str:
    judged = judge(polars.Series("x", values, dtype=polars.Float64))
    return " ".join(f"{remark.what} {remark.remedy}" for remark in about_skewness(judged, outliers=True))


def test_the_logarithm_is_proposed_only_where_every_value_has_one_and_it_takes_the_skewness_away() -> None:
    assert "predict the logarithm" in skewed(log_normal(500))
    assert "predict log(1 + value)" in skewed([0.0] * 20 + [round(10 * value) for value in log_normal(500)])
    assert "log" not in skewed([value - 75 for value in log_normal(500)]), "some are negative"
    assert "log" not in skewed([*normal(500), 5000.0])
    assert "log" not in skewed([value + 50 for value in normal(500)]), "not skewed"


@given(st.lists(st.floats(-1e6, 1e6), min_size=30, max_size=60))
@examples(100)
def test_no_logarithm_is_proposed_of_negative_numbers(values: list[float]) -> None:
    assert min(values) >= 0 or "log" not in skewed(values)


def test_skewed_counts_are_told_of_a_loss_for_counts(tmp_path: Path) -> None:
    draw = random.Random(0)
    rented = [int(draw.expovariate(1 / 40)) for _ in range(500)]
    assert "take a loss for counts (Poisson)" in about(
        inspected(tmp_path, {"x": normal(500), "rented": rented}, "rented"), "rented"
    )


def test_repeated_rows_of_coarse_codes_are_to_be_kept(tmp_path: Path) -> None:
    draw = random.Random(0)
    rows = 5000
    columns = {name: [min(int(draw.expovariate(1)), 9) for _ in range(rows)] for name in "abcdefgh"}
    columns["speed"] = [10 * draw.randrange(2, 8) for _ in range(rows)]
    text = said(inspected(tmp_path, {**columns, "hurt": ["yes", "no"] * (rows // 2)}, "hurt"))
    assert "keep these rows unless you know that they were recorded twice" in text
    assert "Remove them" not in text


@pytest.mark.parametrize("coarse", [0, 3])
def test_copies_of_measured_rows_are_to_be_removed(tmp_path: Path, coarse: int) -> None:
    draw = random.Random(0)
    rows = [[*normal(2, row), *(draw.randrange(4) for _ in range(coarse)), draw.gauss(0, 1)] for row in range(300)]
    names = ["x", "z", *(f"c{place}" for place in range(coarse)), "y"]
    found = inspect(written(tmp_path / "t.csv", [names, *rows, *rows[:30]]), "y")
    assert "Rows that repeat another one: 30 of 330. Remove them" in said(found)


def test_hours_weekdays_months_and_times_of_a_day_come_round_again(tmp_path: Path) -> None:
    columns: dict[str, Sequence[object]] = {
        "hr": [n % 24 for n in range(480)],
        "DayOfWeek": [n // 24 % 7 + 1 for n in range(480)],
        "mnth": [n // 40 % 12 + 1 for n in range(480)],
        "when": [("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")[n % 7] for n in range(480)],
        "dep_time": [100 * (n % 24) + n * 7 % 60 for n in range(480)],
        "hours_worked": [n % 60 for n in range(480)],
        "x": normal(480),
        "kind": random.Random(1).choices("ab", k=480),
    }
    found = inspected(tmp_path, columns, "kind")
    assert "come round again" in about(found, "hr", "DayOfWeek", "mnth", "when", "dep_time")


def test_parts_of_dates_that_come_round_are_named(tmp_path: Path) -> None:
    draw = random.Random(0)
    days = [date(2018, 1, 1) + timedelta(draw.randrange(1500)) for _ in range(300)]
    assert "the weekday and the month" in about(inspected(tmp_path, {"day": days, "x": normal(300)}, "x"), "day")
    few = [date(2018, 1, 1) + timedelta(n % 9) for n in range(300)]
    draw.shuffle(few)
    assert "comes round" not in about(inspected(tmp_path, {"day": few, "x": normal(300)}, "x"), "day")


def test_numbers_that_are_names_can_be_tried_in_both_ways(tmp_path: Path) -> None:
    draw = random.Random(0)
    columns = {
        "zone": [draw.randrange(1, 60) for _ in range(600)],
        "pickup_id": [draw.randrange(1, 60) for _ in range(600)],
        "rooms": [draw.randrange(1, 60) for _ in range(600)],
        "kind": ["a", "b"] * 300,
    }
    found = inspected(tmp_path, columns, "kind")
    assert "Try both" in about(found, "zone")
    assert "try both" in found.columns[1].remark
    assert about(found, "rooms") == ""


def test_numbers_and_names_that_only_tell_rows_apart_are_pointed_out(tmp_path: Path) -> None:
    draw = random.Random(0)
    columns: dict[str, Sequence[object]] = {
        "case": draw.sample(range(1000, 1900), 600),
        "turnover": draw.sample(range(100_000, 999_999), 600),
        "inhabitants": draw.sample(range(10, 3_000_000), 600),
        "college": [f"{draw.choice(['North', 'South'])} {n} College" for n in range(600)],
        "kind": ["a", "b"] * 300,
    }
    found = inspected(tmp_path, columns, "kind")
    assert "another whole number in every row" in about(found, "case")
    assert "a name of its own in nearly every row" in about(found, "college")


def test_amounts_and_years_are_no_numbers_of_rows(tmp_path: Path) -> None:
    draw = random.Random(0)
    columns: dict[str, Sequence[object]] = {
        "population": draw.sample(range(100_000, 999_999), 80),
        "year": range(1941, 2021),
        "kind": ["a", "b"] * 40,
    }
    assert "another whole number in every row" not in said(inspected(tmp_path, columns, "kind"))


def test_gaps_that_go_with_the_answer_are_said(tmp_path: Path) -> None:
    draw = random.Random(0)
    ill = [draw.random() < 0.4 for _ in range(600)]
    columns: dict[str, Sequence[object]] = {
        "pressure": [
            value if draw.random() > (0.5 if sick else 0.1) else ""
            for value, sick in zip(normal(600), ill, strict=True)
        ],
        "age": [value if draw.random() > 0.3 else "" for value in normal(600, 1)],
        "x": normal(600, 2),
        "weight": [70 + 10 * value + 20 * sick for value, sick in zip(normal(600, 3), ill, strict=True)],
        "ill": [int(sick) for sick in ill],
    }
    found = inspected(tmp_path, columns, "ill")
    assert "Missing values of 'pressure' go with the answer 'ill'" in about(found, "pressure")
    assert "% of the rows of '1'" in about(found, "pressure")
    assert about(found, "age") == ""
    of_numbers = inspected(tmp_path, {name: held for name, held in columns.items() if name != "ill"}, "weight")
    assert "Missing values of 'pressure' go with the answer 'weight'" in about(of_numbers, "pressure")
    assert about(of_numbers, "age") == ""


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("Public (1)/ Private (2)", {"1": "Public", "2": "Private"}),
        ("sex (0=female, 1=male)", {"0": "female", "1": "male"}),
        ("1: low 2: middle 3: high", {"1": "low", "2": "middle", "3": "high"}),
        ("height (cm)", {}),
        ("price (2)", {}),
    ],
)
def test_a_name_may_say_what_its_numbers_stand_for(name: str, words: dict[str, str]) -> None:
    assert legend(name) == words


def test_codes_that_the_name_explains_are_categories(tmp_path: Path) -> None:
    name = "Public (1)/ Private (2)"
    found = inspected(tmp_path, {name: [1, 2] * 100, "x": normal(200)}, "x")
    assert kinds(found)[name] is Kind.CATEGORY
    assert found.columns[0].remark == "Its name says that 1 is Public and 2 is Private."
    assert kinds(inspected(tmp_path, {name: [1, 2, 3, 4] * 50, "x": normal(200)}, "x"))[name] is Kind.WHOLE


@pytest.mark.parametrize("name", ["digits", "wine", "breast cancer", "diabetes"])
def test_data_of_measurements_get_no_false_advice(tmp_path: Path, name: str) -> None:
    found = inspect(shipped_csv(name, tmp_path), "answer")
    assert not [remark for remark in found.remarks if remark.weight is Weight.WARNING]
    assert not any(
        part in said(found) for part in ("Try both", "come round", "whole number in every row", "Missing values")
    )


def test_amounts_that_chance_repeats_beside_next_to_nothing_else_are_kept(tmp_path: Path) -> None:
    draw = random.Random(0)
    income = [round(draw.gauss(30_000, 6_000)) for _ in range(1500)]
    owed = [0 if draw.random() < 0.98 else draw.randrange(10_000) for _ in range(1500)]
    assert "recorded twice" in said(inspected(tmp_path, {"income": income, "owed": owed, "y": normal(1500)}, "income"))
    text = said(inspected(tmp_path, {"income": income, "owed": owed, "kind": ["a"] * 750 + ["b"] * 750}, "kind"))
    assert "Remove them" not in text


def test_rows_in_the_order_of_parts_of_a_time_are_said_to_be(tmp_path: Path) -> None:
    columns: dict[str, Sequence[object]] = {
        "yr": [n // 200 for n in range(400)],
        "day": [n // 8 % 25 for n in range(400)],
        "hr": [n % 8 * 3 for n in range(400)],
        "x": normal(400),
        "kind": random.Random(1).choices("ab", k=400),
    }
    assert "in the order of time" in about(inspected(tmp_path, columns, "kind"), "yr", "day", "hr")
    mixed = {name: random.Random(0).sample(values, len(values)) for name, values in columns.items()}
    assert "in the order of time" not in said(inspected(tmp_path, mixed, "kind"))
