from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path
from typing import Any

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.datasets.dataset import Inspection, Task
from advisor.datasets.inspect import inspect
from advisor.datasets.loading import load
from advisor.datasets.preparing.splits import inner_folds, outer_split
from advisor.datasets.sampling import spread
from advisor.errors import InputError
from advisor.report.found.inspection import inspection_page
from advisor.report.page import Look
from tests.datasets.made import write_csv
from tests.properties import examples

START = date(2020, 1, 1)


def wave_at(step: int) -> float:
    return round(10 + 3 * float(numpy.sin(step * 2 * numpy.pi / 7)) + 0.01 * step, 4)


def write_days(folder: Path, count: int = 120, **columns: list[Any]) -> Path:
    rows = [
        [START + timedelta(step), wave_at(step), *(values[step] for values in columns.values())]
        for step in range(count)
    ]
    return write_csv(folder / "days.csv", ["day", "sold", *columns], rows)


def inspected(path: Path, target: str | None = None) -> Inspection:
    found = inspect(path, target)
    assert found.modality == "time_series", [column.kind for column in found.columns]
    return found


def test_a_value_a_day_is_a_series_to_foretell(tmp_path: Path) -> None:
    found = inspected(write_days(tmp_path))
    assert found.task is Task.FORECAST
    assert found.target == "sold"
    assert found.time_column == "day"
    assert found.facts["data.sequence_length"] == 14, "two weeks of days"
    assert found.facts["data.inputs"] == 1
    assert found.facts["data.examples"] == 106
    assert found.facts["task.outputs"] == 1
    assert load(found, most_examples=100).season == 7


def test_a_target_that_was_chosen_and_one_that_was_named_are_the_same_data(tmp_path: Path) -> None:
    path = write_days(tmp_path)
    assert inspect(path).fingerprint == inspect(path, "sold").fingerprint


def test_an_example_is_a_window_and_the_value_that_follows(tmp_path: Path) -> None:
    data = load(inspected(write_days(tmp_path)), most_examples=1000)
    assert data.inputs.shape == (106, 14, 1)
    values = numpy.array([wave_at(step) for step in range(120)], numpy.float32)
    for example in (0, 50, 105):
        assert data.inputs[example, :, 0].tolist() == values[example : example + 14].tolist()
        assert data.targets[example, 0] == values[example + 14]


def test_rows_in_another_order_make_the_same_examples(tmp_path: Path) -> None:
    path = write_days(tmp_path)
    sorted_examples = load(inspected(path), most_examples=1000)
    header, *rows = path.read_text().splitlines()
    path.write_text("\n".join([header, *rows[::-1]]))
    assert numpy.array_equal(load(inspected(path), most_examples=1000).inputs, sorted_examples.inputs)


def test_no_window_that_is_learnt_from_reaches_a_value_of_the_test(tmp_path: Path) -> None:
    data = load(inspected(write_days(tmp_path)), most_examples=1000)
    split = outer_split(data)
    assert data.times is not None
    assert data.times[split.training].max() < data.times[split.test].min()
    judged = set(data.targets[split.test, 0].tolist())
    assert not judged & set(data.inputs[split.training].ravel().tolist())
    for fold in inner_folds(data, split.training, 3, 0):
        assert not set(data.targets[fold.test, 0].tolist()) & set(data.inputs[fold.training].ravel().tolist())


def test_several_series_in_one_table_are_told_apart(tmp_path: Path) -> None:
    rows = [
        [START + timedelta(step), shop, base + wave_at(step)]
        for step in range(60)
        for shop, base in (("north", 0), ("south", 100))
    ]
    found = inspected(write_csv(tmp_path / "shops.csv", ["day", "shop", "sold"], rows), "sold")
    assert found.group_column == "shop"
    data = load(found, most_examples=1000)
    assert len(data) == 2 * (60 - found.facts["data.sequence_length"])  # type: ignore[operator]
    assert found.facts["data.examples"] == len(data), "counted as they will be made"
    spans = data.inputs.max(axis=(1, 2)) - data.inputs.min(axis=(1, 2))
    assert spans.max() < 50, "no window goes over from one shop to the other"
    split = outer_split(data)
    assert data.times is not None
    assert data.times[split.training].max() < data.times[split.test].min()


def test_of_rows_that_stand_series_by_series_it_is_not_said_that_they_are_out_of_order(tmp_path: Path) -> None:
    rows = [
        [START + timedelta(step), shop, base + wave_at(step)]
        for shop, base in (("north", 0), ("south", 100))
        for step in range(60)
    ]
    found = inspected(write_csv(tmp_path / "shops.csv", ["day", "shop", "sold"], rows), "sold")
    assert not any("do not stand in their order" in remark.what for remark in found.remarks)
    assert "Split        in the order of day, at the same time for every shop" in inspection_page(found, Look(80))


def test_several_values_wait_for_a_target_and_put_it_first(tmp_path: Path) -> None:
    warmth = [round(20 - wave_at(step + 3), 3) for step in range(120)]
    path = write_days(tmp_path, warmth=warmth)
    open_question = inspected(path)
    assert open_question.task is None
    assert "--target: sold, warmth" in open_question.remarks[1].remedy
    found = inspected(path, "warmth")
    data = load(found, most_examples=1000)
    assert data.inputs.shape[2] == 2
    assert data.targets[:, 0] == pytest.approx(warmth[14:])
    assert data.inputs[1:, -1, 0] == pytest.approx(data.targets[:-1, 0])


def test_gaps_are_filled_with_the_past_and_never_foretold(tmp_path: Path) -> None:
    rows = [[START + timedelta(step), "" if step in (50, 51) else wave_at(step)] for step in range(120)]
    found = inspected(write_csv(tmp_path / "days.csv", ["day", "sold"], rows), "sold")
    data = load(found, most_examples=1000)
    assert len(data) == 104
    after = data.inputs[36, :, 0]
    assert data.targets[36, 0] == pytest.approx(wave_at(52))
    assert after[-2:] == pytest.approx([wave_at(49)] * 2)


def test_what_was_not_measured_yet_begins_no_window(tmp_path: Path) -> None:
    rows = [[START + timedelta(step), "" if step < 30 else wave_at(step)] for step in range(120)]
    data = load(inspected(write_csv(tmp_path / "days.csv", ["day", "sold"], rows), "sold"), most_examples=1000)
    assert len(data) == 89
    assert numpy.isfinite(data.inputs[:, -1, 0]).all()


def test_working_days_make_weeks_of_five(tmp_path: Path) -> None:
    days = [day for day in (START + timedelta(step) for step in range(168)) if day.isoweekday() < 6]
    rows = [[day, wave_at(step)] for step, day in enumerate(days)]
    found = inspected(write_csv(tmp_path / "prices.csv", ["day", "price"], rows))
    assert load(found, most_examples=100).season == 5
    assert found.facts["data.sequence_length"] == 10


def test_a_date_beside_categories_and_codes_is_a_table(tmp_path: Path) -> None:
    weekday = [(START + timedelta(step)).isoweekday() for step in range(120)]
    assert inspect(write_days(tmp_path, weekday=weekday), "sold").modality == "tabular"
    kind = [["fair", "market", "none"][step % 3] for step in range(120)]
    assert inspect(write_days(tmp_path, kind=kind), "kind").modality == "tabular"


def test_irregular_dates_are_a_table(tmp_path: Path) -> None:
    draw = numpy.random.default_rng(0)
    days = numpy.sort(draw.choice(5000, 100, replace=False))
    rows = [[START + timedelta(int(day)), float(value)] for day, value in zip(days, draw.normal(size=100), strict=True)]
    assert inspect(write_csv(tmp_path / "visits.csv", ["day", "value"], rows), "value").modality == "tabular"


def write_wide(folder: Path, label: bool) -> Path:
    draw = numpy.random.default_rng(0)
    rows = []
    for row in range(60):
        values = numpy.sin(numpy.arange(24) / (3 if row % 2 else 6) + draw.random()).round(4)
        rows.append([*values.tolist(), *(["fast" if row % 2 else "slow"] if label else [])])
    return write_csv(folder / "wide.csv", [*(f"t{step}" for step in range(24)), *(["kind"] if label else [])], rows)


def test_rows_that_are_series_are_told_apart_by_their_class(tmp_path: Path) -> None:
    found = inspected(write_wide(tmp_path, label=True), "kind")
    assert found.task is Task.CLASSIFY
    assert (found.facts["data.inputs"], found.facts["data.sequence_length"]) == (1, 24)
    data = load(found, most_examples=1000)
    assert data.inputs.shape == (60, 24, 1)
    assert data.times is None
    assert [data.classes[number] for number in data.targets[:2]] == ["slow", "fast"]


def test_rows_that_are_series_without_a_class_are_foretold(tmp_path: Path) -> None:
    found = inspected(write_wide(tmp_path, label=False))
    assert found.task is Task.FORECAST
    data = load(found, most_examples=10_000)
    assert len(data) == 60 * 12 == found.examples
    assert data.inputs.shape[1:] == (12, 1)
    split = outer_split(data)
    assert data.times is not None
    assert data.times[split.training].max() < data.times[split.test].min()


def test_numbered_features_are_no_series(tmp_path: Path) -> None:
    draw = numpy.random.default_rng(0)
    rows = [[*draw.normal(size=20).tolist(), row % 2] for row in range(60)]
    path = write_csv(tmp_path / "features.csv", [*(f"t{step}" for step in range(20)), "kind"], rows)
    assert inspect(path, "kind").modality == "tabular"


def test_a_series_changed_since_it_was_inspected_is_refused(tmp_path: Path) -> None:
    found = inspected(write_days(tmp_path))
    write_days(tmp_path, 5)
    with pytest.raises(InputError, match="no series in it is longer than the 14 steps"):
        load(found, most_examples=100)


@given(st.integers(1, 40), st.integers(11, 300))
@examples(40)
def test_windows_are_taken_evenly_over_time(most: int, count: int) -> None:
    chosen = spread(count, most)
    assert len(set(chosen)) == len(chosen) == min(most, count)
    assert most == 1 or (chosen[0], chosen[-1]) == (0, count - 1)
    assert numpy.ptp(numpy.diff(chosen)) <= 1 if len(chosen) > 1 else True


def write_weeks(folder: Path, seed: int, step: str, memory: float) -> Path:
    """A counter named `step`, a target that keeps this share of its last value, and a column that has to do with it."""
    draw, value, rows = numpy.random.default_rng(seed), 0.0, []
    for number in range(200):
        value = memory * value + draw.normal()
        rows.append([number, round(value, 4), round(value + draw.normal(), 4)])
    return write_csv(folder / "weeks.csv", [step, "amount", "margin"], rows)


@pytest.mark.parametrize("seed", range(5))
def test_rows_that_a_counter_only_numbers_are_examples_of_their_own(tmp_path: Path, seed: int) -> None:
    found = inspect(write_weeks(tmp_path, seed, "week", memory=0), "amount")
    assert (found.task, found.examples) == (Task.REGRESS, 200)
    assert any("'amount' does not depend on its past" in remark.what for remark in found.remarks)
    assert inspect(tmp_path / "weeks.csv", "amount", Task.FORECAST).task is Task.FORECAST


@pytest.mark.parametrize(("step", "memory"), [("week", 0.9), ("week", -0.7), ("year", 0)])
def test_a_target_that_depends_on_its_past_is_forecast(tmp_path: Path, step: str, memory: float) -> None:
    assert inspect(write_weeks(tmp_path, 1, step, memory), "amount").task is Task.FORECAST
