from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy
import polars
import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.datasets.dataset import Task
from advisor.datasets.inspect import inspect
from advisor.datasets.loading import load
from advisor.datasets.preparing.preparation import preparation
from advisor.datasets.preparing.splits import outer_split
from advisor.datasets.sampling import evened, stratified
from advisor.errors import InputError
from tests.datasets.made import write_csv, write_digits, write_picture
from tests.properties import examples

COLOURS = ("red", "green", "blue")


def write_mixed(folder: Path, count: int = 200) -> Path:
    """All kinds of columns, with gaps; every tenth row has no answer."""
    draw = numpy.random.default_rng(0)
    rows: list[list[Any]] = []
    for row in range(count):
        size = "" if row % 7 == 0 else round(float(draw.normal()), 3)
        answer = "" if row % 10 == 0 else ("yes" if row % 4 else "no")
        rows.append(
            [
                row,
                size,
                COLOURS[row % 3],
                f"{2000 + row % 20}-0{1 + row % 9}-15",
                f"bought item number {row % 50} today",
                answer,
            ]
        )
    return write_csv(folder / "mixed.csv", ["id", "size", "colour", "since", "note", "answer"], rows)


def test_rows_without_an_answer_are_left_out_and_said(tmp_path: Path) -> None:
    found = inspect(write_mixed(tmp_path), "answer")
    data = load(found, most_examples=1000)
    assert len(data) == 180
    assert data.left_out == "20 rows have no value for the target and were left out."
    assert set(data.classes) == {"no", "yes"}
    rows = [row for row in range(200) if row % 10]
    assert [data.classes[number] for number in data.targets] == ["yes" if row % 4 else "no" for row in rows]


def test_columns_come_typed_and_the_identifier_does_not_come(tmp_path: Path) -> None:
    data = load(inspect(write_mixed(tmp_path), "answer"), most_examples=1000)
    assert isinstance(data.inputs, polars.DataFrame)
    assert dict(data.inputs.schema) == {
        "size": polars.Float64,
        "colour": polars.Categorical,
        "since": polars.Datetime("us"),
        "note": polars.String,
    }
    prepared = preparation(data).fit(numpy.arange(100))
    assert numpy.isfinite(prepared.flat(numpy.arange(180))).all()
    assert prepared.shape.inputs > 2 + 3 + 5 + 10


def test_a_sample_is_even_and_repeatable(tmp_path: Path) -> None:
    found = inspect(write_mixed(tmp_path), "answer")
    data = load(found, most_examples=60, seed=1)
    assert 45 <= len(data) <= 60
    assert f"{len(data)} of about 200 rows were taken" in data.left_out
    assert data.targets.tolist() == load(found, most_examples=60, seed=1).targets.tolist()
    assert 0.5 < data.targets.mean() < 0.85


def test_numbers_to_predict_are_floats_in_a_column(tmp_path: Path) -> None:
    rows = [[number, "" if number == 5 else number * 1.5 + 0.25] for number in range(40)]
    data = load(inspect(write_csv(tmp_path / "a.csv", ["x", "price"], rows), "price"), most_examples=100)
    assert data.task is Task.REGRESS
    assert data.targets.shape == (39, 1)
    assert data.targets.dtype == numpy.float64


def test_without_a_target_there_is_nothing_to_learn(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"it is not known what to predict\. Name it with --target\."):
        load(inspect(write_mixed(tmp_path)), most_examples=100)
    write_picture(tmp_path / "cat" / "1.png", numpy.zeros((8, 8)))
    with pytest.raises(InputError, match="Put the pictures of each class into a folder of its own"):
        load(inspect(tmp_path / "cat"), most_examples=100)


def test_a_table_of_nothing_but_its_answer_is_refused(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "a.csv", ["id", "kind"], [[number, COLOURS[number % 3]] for number in range(60)])
    with pytest.raises(InputError, match="no column is left to learn from"):
        load(inspect(path, "kind"), most_examples=100)


def test_pictures_are_loaded_through_the_same_door(tmp_path: Path) -> None:
    data = load(inspect(write_digits(tmp_path, 40)), most_examples=20)
    assert (data.modality, len(data)) == ("image", 20)


def test_rows_of_a_group_have_its_number(tmp_path: Path) -> None:
    draw = numpy.random.default_rng(0)
    rows = [[f"person{row // 5}", *draw.normal(size=2).round(3), row % 2] for row in range(200)]
    found = inspect(write_csv(tmp_path / "a.csv", ["patient_id", "a", "b", "ill"], rows), "ill")
    assert found.group_column == "patient_id"
    data = load(found, most_examples=1000)
    assert data.groups is not None
    assert len(set(data.groups)) == 40
    assert len(set(data.groups[:5])) == 1


def test_a_sample_keeps_the_rows_of_a_class_that_its_share_would_lose(tmp_path: Path) -> None:
    """40 of 60,000: a sample of 2,000 that kept shares would have one of them."""
    draw = numpy.random.default_rng(0)
    rare = set(draw.choice(60_000, 40, replace=False).tolist())
    numbers = draw.normal(size=60_000).round(4)
    rows = [[numbers[row], "fraud" if row in rare else "fine"] for row in range(60_000)]
    data = load(inspect(write_csv(tmp_path / "a.csv", ["a", "kind"], rows), "kind"), most_examples=2000)
    assert len(data) == 2000
    assert (data.targets == data.classes.index("fraud")).sum() == 40
    assert "more of those of rare classes" in data.left_out


def test_copies_of_a_row_stay_on_one_side_of_every_split(tmp_path: Path) -> None:
    draw = numpy.random.default_rng(0)
    once = [[*draw.normal(size=2).round(4), row % 2] for row in range(100)]
    data = load(inspect(write_csv(tmp_path / "a.csv", ["a", "b", "kind"], once * 3), "kind"), most_examples=1000)
    assert data.groups is not None
    split = outer_split(data)
    assert not set(split.training % 100) & set(split.test % 100)
    assert "no copy of a training row is in the test" in data.left_out


def test_answers_that_come_again_by_themselves_are_no_copies(tmp_path: Path) -> None:
    draw = numpy.random.default_rng(0)
    few = [[*draw.integers(3, size=3), row % 2] for row in range(300)]
    one = [[row % 30 * 1.5, "", "", row % 2] for row in range(300)]
    for rows in (few, one):
        data = load(inspect(write_csv(tmp_path / "a.csv", ["a", "b", "c", "kind"], rows), "kind"), most_examples=1000)
        assert data.groups is None
        assert data.left_out == ""


def test_copies_of_rows_of_whole_numbers_are_copies_too(tmp_path: Path) -> None:
    draw = numpy.random.default_rng(0)
    once = [[*draw.integers(100, size=8), row % 2] for row in range(200)]
    path = write_csv(tmp_path / "a.csv", [*"abcdefgh", "kind"], once * 2)
    assert load(inspect(path, "kind"), most_examples=1000).groups is not None


def test_next_to_nothing_but_one_class_is_refused(tmp_path: Path) -> None:
    numbers = numpy.random.default_rng(0).normal(size=300).round(4)
    rows = [[numbers[row], "fraud" if row in (7, 200) else "fine"] for row in range(300)]
    with pytest.raises(InputError, match=r"are 2 examples of another class than 'fine'.*more examples of what is rare"):
        load(inspect(write_csv(tmp_path / "a.csv", ["a", "kind"], rows), "kind"), most_examples=1000)


@pytest.mark.parametrize(("others", "told"), [(1, "there is one example"), (5, "there are 5 examples")])
def test_a_refusal_counts_the_examples_of_other_classes(
    others: int, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("advisor.datasets.loading.FEWEST_OF_OTHERS", 9)
    rows = [[row * 0.37, "fraud" if row < others else "fine"] for row in range(300)]
    with pytest.raises(InputError, match=f"{told} of another class than 'fine'"):
        load(inspect(write_csv(tmp_path / "a.csv", ["a", "kind"], rows), "kind"), most_examples=1000)


def test_a_sample_without_rare_classes_keeps_the_shares() -> None:
    labels = numpy.repeat([0, 1, 2], [6000, 3000, 1000])
    chosen = stratified(labels, 1000, 0)
    assert numpy.bincount(labels[chosen]).tolist() == [600, 300, 100]
    assert not evened(labels, labels[chosen])


@given(st.lists(st.integers(0, 5), min_size=1, max_size=300), st.integers(1, 300), st.integers(0, 3))
@examples(100)
def test_a_stratified_sample_keeps_order_and_shares(classes: list[int], most: int, seed: int) -> None:
    labels = numpy.array(classes)
    chosen = stratified(labels, most, seed)
    assert len(chosen) <= most
    assert (numpy.diff(chosen) > 0).all()
    if most >= 2 * len(set(classes)) + len(set(classes)):
        for label in set(classes):
            wanted = min(2, classes.count(label))
            assert (labels[chosen] == label).sum() >= min(wanted, most)
