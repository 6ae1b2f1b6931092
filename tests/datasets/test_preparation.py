from __future__ import annotations

import string
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy
import polars
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from skops import io as skops

from advisor.datasets.dataset import Examples, Task
from advisor.datasets.inspect import inspect
from advisor.datasets.loading import load
from advisor.datasets.preparing.kept import parts_of, prepared_by
from advisor.datasets.preparing.preparation import Preparation, preparation
from advisor.datasets.preparing.splits import inner_folds, outer_split
from tests.datasets.made import SHIPPED, numbered, shipped_csv
from tests.properties import examples

numbers = st.none() | st.floats(allow_nan=True, allow_infinity=True) | st.integers(-5, 5).map(float)
words = st.none() | st.text(string.ascii_lowercase + " ", max_size=12)
moments = st.none() | st.datetimes(datetime(1800, 1, 1), datetime(2200, 1, 1))


def table_of(rows: list[tuple[Any, ...]]) -> polars.DataFrame:
    schema = {
        "size": polars.Float64,
        "colour": polars.String,
        "remark": polars.String,
        "when": polars.Datetime("us"),
        "new": polars.Boolean,
    }
    frame = polars.DataFrame(rows, schema=schema, orient="row")
    return frame.with_columns(polars.col("colour").cast(polars.Categorical))


def coded_of(prepared: Preparation, rows: Any) -> tuple[NDArray[Any], list[bool]]:
    found = prepared.coded(rows)
    assert found is not None
    return found


def examples_of(inputs: Any, **changes: Any) -> Examples:
    return numbered(len(inputs), inputs=inputs, **changes)


row = st.tuples(numbers, st.none() | st.sampled_from("abcdef"), words, moments, st.none() | st.booleans())


@given(st.lists(row, min_size=8, max_size=20), st.lists(row, min_size=8, max_size=20))
@examples(25)
def test_a_table_is_prepared_by_the_training_rows_alone(training: list[Any], others: list[Any]) -> None:
    known = numpy.arange(len(training))
    one = preparation(examples_of(table_of(training + others), modality="tabular")).fit(known)
    other = preparation(examples_of(table_of(training + others[::-1][:3]), modality="tabular")).fit(known)
    assert one.shape == other.shape
    assert numpy.array_equal(one.flat(known), other.flat(known))
    codes = [coded_of(prepared, known) for prepared in (one, other)]
    assert numpy.array_equal(codes[0][0], codes[1][0], equal_nan=True)
    assert codes[0][1].count(True) == 1, "the column of colours"
    everything = one.flat(numpy.arange(len(training) + len(others)))
    assert everything.dtype == numpy.float32
    assert numpy.isfinite(everything).all()


@given(
    st.lists(st.text("ab c!", min_size=1, max_size=20), min_size=4, max_size=12),
    st.lists(st.text(max_size=20), max_size=8),
)
@examples(60)
def test_texts_are_prepared_by_the_training_texts_alone(training: list[str], others: list[str]) -> None:
    known = numpy.arange(len(training))
    training = [text + "x" for text in training]
    one = preparation(examples_of(training + others, modality="text")).fit(known)
    alone = preparation(examples_of(training, modality="text")).fit(known)
    assert one.shape == alone.shape
    assert numpy.array_equal(one.structured(known), alone.structured(known))
    assert numpy.array_equal(one.flat(known), alone.flat(known))
    everything = one.structured(numpy.arange(len(training) + len(others)))
    assert everything.min() >= 0
    assert everything.max() < one.shape.inputs


@given(st.integers(0, 1000), st.sampled_from([(3, 5, 5), (1, 4, 4), (6, 2), (9, 1)]))
@examples(40)
def test_pictures_and_series_are_scaled_by_the_training_examples_alone(seed: int, shape: tuple[int, ...]) -> None:
    values = numpy.random.default_rng(seed).normal(3, 5, (30, *shape)).astype(numpy.float32)
    changed = values.copy()
    changed[20:] = 1e6
    known = numpy.arange(20)
    one, other = (preparation(examples_of(inputs)).fit(known) for inputs in (values, changed))
    assert numpy.array_equal(one.structured(known), other.structured(known))
    axes = (0, 2, 3) if len(shape) == 3 else (0, 1)
    assert numpy.abs(one.structured(known).mean(axis=axes)).max() < 1e-3
    assert numpy.abs(one.structured(known).std(axis=axes) - 1).max() < 1e-3
    assert one.flat(known).shape == (20, numpy.prod(shape))


def test_numbers_have_mean_0_and_deviation_1_over_the_training() -> None:
    frame = polars.DataFrame({"size": [1.0, 2.0, 3.0, 1000.0], "constant": [4.0] * 4})
    prepared = preparation(examples_of(frame)).fit(numpy.arange(3))
    scaled = prepared.flat(numpy.arange(4))
    assert numpy.allclose(scaled[:3, 0], [-1.2247449, 0, 1.2247449])
    assert scaled[3].tolist() == [30.0, 0.0], "what is far outside is drawn nearer"


def test_a_missing_number_takes_the_median_and_is_marked() -> None:
    frame = polars.DataFrame({"size": [0.0, 0.0, 10.0, None]})
    prepared = preparation(examples_of(frame)).fit(numpy.arange(4))
    values = prepared.flat(numpy.arange(4))
    assert prepared.shape.inputs == 2
    assert values[3, 0] == values[0, 0]
    assert (values[:3, 1] < values[3, 1]).all()


def test_a_category_that_training_never_saw_is_none_of_the_known() -> None:
    colours = ["red"] * 4 + ["blue"] * 4 + ["green"]
    frame = polars.DataFrame({"colour": colours}, schema={"colour": polars.Categorical})
    prepared = preparation(examples_of(frame)).fit(numpy.arange(8))
    assert prepared.flat(numpy.array([0, 4, 8])).tolist() == [[0, 1], [1, 0], [0, 0]]
    codes, of_categories = coded_of(prepared, numpy.array([0, 4, 8]))
    assert of_categories == [True]
    assert numpy.array_equal(codes, numpy.array([[1], [0], [numpy.nan]]), equal_nan=True)


def test_rare_categories_share_a_column() -> None:
    colours = [f"colour {number}" for number in range(1000)] + ["red"] * 10
    frame = polars.DataFrame({"colour": colours}, schema={"colour": polars.Categorical})
    prepared = preparation(examples_of(frame)).fit(numpy.arange(1010))
    assert prepared.shape.inputs == 3, "red, all others, and how often a colour's rows are of the class"


def test_a_date_becomes_numbers_as_far_as_its_parts_vary() -> None:
    frame = polars.DataFrame({"when": [datetime(2020, 1, 6, 5), datetime(2021, 3, 9, 7), None]})
    prepared = preparation(examples_of(frame)).fit(numpy.arange(2))
    parts = ["day of all days", "year", "month", "day of the year", "weekday", "hour"]
    coded, _ = coded_of(prepared, numpy.arange(3))
    assert coded.shape == (3, len(parts))
    assert coded[:2, 1:].tolist() == [[2020, 1, 6, 1, 5], [2021, 3, 68, 2, 7]]
    assert coded[1, 0] - coded[0, 0] == pytest.approx(428 + 2 / 24)
    assert numpy.isnan(coded[2]).all(), "trees see that there is none"
    assert prepared.shape.inputs == len(parts) + 6, "and sine and cosine of what comes round: year, week and day"
    assert numpy.isfinite(prepared.flat(numpy.arange(3))).all()
    days = frame.with_columns(polars.Series("when", [datetime(2020, 1, 6), datetime(2020, 1, 7), None]))
    of_days, _ = coded_of(preparation(examples_of(days)).fit(numpy.arange(2)), numpy.arange(1))
    assert of_days.shape == (1, 3)


def test_trees_see_what_is_missing_and_others_get_the_median_and_a_mark() -> None:
    frame = polars.DataFrame({"size": [0.0, 0.0, 10.0, None], "weight": [1.0, 2.0, 3.0, 4.0]})
    prepared = preparation(examples_of(frame)).fit(numpy.arange(4))
    coded, of_categories = coded_of(prepared, numpy.arange(4))
    assert numpy.array_equal(coded, numpy.array([[0, 1], [0, 2], [10, 3], [numpy.nan, 4]]), equal_nan=True)
    assert of_categories == [False, False]
    assert prepared.flat(numpy.arange(4)).shape == (4, 3)


def many_places(rows: int = 1000) -> tuple[polars.DataFrame, NDArray[Any]]:
    """50 places, of which each tenth is good; a name, its number, and a number that is nothing but noise."""
    place = numpy.random.default_rng(0).integers(50, size=rows)
    frame = polars.DataFrame({"name": [f"place {number}" for number in place], "number": place.astype(float)})
    return frame.with_columns(polars.col("name").cast(polars.Categorical)), (place % 10 == 3).astype(int)


def test_many_categories_and_codes_become_what_the_target_is_for_them() -> None:
    frame, targets = many_places()
    prepared = preparation(examples_of(frame, targets=targets)).fit(numpy.arange(800))
    other = numpy.arange(800, 1000)
    for values in (prepared.flat(other)[:, -2:], coded_of(prepared, other)[0][:, -2:]):
        good, bad = values[targets[other] == 1], values[targets[other] == 0]
        assert (good.min(axis=0) > bad.max(axis=0)).all()
    number = coded_of(prepared, other)[0][:, 0]
    assert number.tolist() == frame["number"][800:].to_list(), "and stay numbers, too"


def test_a_category_of_digits_is_a_number_as_well() -> None:
    frame = polars.DataFrame({"code": ["03", "1", "7", "1"]}, schema={"code": polars.Categorical})
    coded, of_categories = coded_of(preparation(examples_of(frame)).fit(numpy.arange(3)), numpy.arange(4))
    assert of_categories == [False, True]
    assert [row[0] for row in coded] == [3, 1, 7, 1]


@pytest.mark.parametrize("groups", [None, numpy.arange(1000) // 4])
def test_the_code_of_a_row_that_is_learned_from_does_not_tell_its_own_answer(groups: NDArray[Any] | None) -> None:
    frame, _ = many_places()
    names = polars.Series("name", [f"row {number // 2}" for number in range(1000)]).cast(polars.Categorical)
    chance = numpy.random.default_rng(1).integers(2, size=500).repeat(2)
    chance[1::2] = numpy.random.default_rng(2).integers(2, size=500)
    made = examples_of(frame.with_columns(names), targets=chance, groups=groups)
    known = numpy.arange(1000)
    prepared = preparation(made).fit(known)
    name = prepared.flat(known)[:, -2]
    assert abs(numpy.corrcoef(name, chance)[0, 1]) < 0.1, "each of the two rows of a name knows the other at most"
    part = numpy.array([5, 900, 7])
    assert numpy.array_equal(prepared.flat(part), prepared.flat(known)[part])


def test_numbers_and_classes_are_both_coded_by() -> None:
    frame, targets = many_places()
    sizes = examples_of(frame, task=Task.REGRESS, targets=targets[:, None] * 100.0, classes=())
    three = examples_of(frame, targets=targets + numpy.arange(1000) % 2, classes=("a", "b", "c"))
    of_size, of_three = (preparation(made).fit(numpy.arange(1000)).shape.inputs for made in (sizes, three))
    assert of_three - of_size == 2 * 2, "a column for each class instead of one"


def test_texts_of_many_words_become_a_few_themes() -> None:
    draws = numpy.random.default_rng(0)
    texts = [" ".join(f"word{number}" for number in draws.integers(200, size=9)) for _ in range(300)]
    frame = polars.DataFrame({"remark": texts, "size": draws.normal(size=300)})
    prepared = preparation(examples_of(frame)).fit(numpy.arange(200))
    assert prepared.shape.inputs == 51
    assert numpy.isfinite(prepared.flat(numpy.arange(300))).all()


def test_a_kept_preparation_prepares_other_examples_alike(tmp_path: Path) -> None:
    frame, targets = many_places()
    made = examples_of(frame, targets=targets)
    prepared = preparation(made).fit(numpy.arange(800))
    skops.dump(parts_of(prepared), tmp_path / "parts.skops")
    assert skops.get_untrusted_types(file=tmp_path / "parts.skops") == ["numpy.dtype"]
    parts = skops.load(tmp_path / "parts.skops", trusted=["numpy.dtype"])
    again = prepared_by(parts, examples_of(frame[800:], targets=targets[800:]))
    other, same = numpy.arange(800, 1000), numpy.arange(200)
    assert numpy.array_equal(again.flat(same), prepared.flat(other))
    assert numpy.array_equal(coded_of(again, same)[0], coded_of(prepared, other)[0])


def test_texts_end_at_the_last_step_and_unknown_words_are_1() -> None:
    texts = ["The cat sat.", "The cat.", "A dog!"]
    prepared = preparation(examples_of(texts, modality="text")).fit(numpy.array([0, 1]))
    first, second, third = prepared.structured(numpy.arange(3)).tolist()
    assert (first[0], first[1], first[3]) == (second[1], second[2], second[3]), "the same words have the same numbers"
    assert second[0] == 0
    assert third == [0, 1, 1, 1]
    assert 1 not in first
    assert prepared.shape.inputs == 6


def test_targets_are_scaled_for_training_and_restored_in_their_units() -> None:
    prices = numpy.array([[100.0], [200.0], [300.0], [900.0]], numpy.float32)
    data = numbered(4, task=Task.REGRESS, targets=prices, classes=())
    prepared = preparation(data).fit(numpy.arange(3))
    scaled = prepared.targets(numpy.arange(4))
    assert scaled.dtype == numpy.float32
    assert abs(scaled[:3].mean()) < 1e-6
    assert numpy.allclose(prepared.restore(scaled), prices)
    assert prepared.shape.outputs == 1


def test_numbers_of_classes_stay_as_they_are() -> None:
    prepared = preparation(numbered(6)).fit(numpy.arange(4))
    assert prepared.targets(numpy.arange(6)).tolist() == [0, 1, 0, 1, 0, 1]
    assert prepared.shape.outputs == 2


def test_a_preparation_is_fitted_before_it_is_used() -> None:
    with pytest.raises(RuntimeError, match="fitted"):
        preparation(numbered(4)).flat(numpy.arange(4))


@pytest.mark.parametrize("name", SHIPPED)
def test_the_data_that_scikit_learn_ships_go_all_the_way(name: str, tmp_path: Path) -> None:
    found = inspect(shipped_csv(name, tmp_path), "answer")
    data = load(found, most_examples=10_000)
    original = SHIPPED[name]()
    assert len(data) == len(original.data)
    assert data.task is (Task.REGRESS if name == "diabetes" else Task.CLASSIFY)
    if data.task is Task.CLASSIFY:
        assert [int(data.classes[number]) for number in data.targets] == original.target.tolist()
    split = outer_split(data)
    for fold in inner_folds(data, split.training, 3, 0):
        prepared = preparation(data).fit(fold.training)
        assert prepared.flat(fold.test).shape == (len(fold.test), prepared.shape.inputs)
        assert numpy.isfinite(prepared.structured(fold.test)).all()
        assert len(prepared.targets(fold.test)) == len(fold.test)
