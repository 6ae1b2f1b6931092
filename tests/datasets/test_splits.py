from __future__ import annotations

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.datasets.dataset import Examples, Task
from advisor.datasets.preparing.splits import inner_folds, outer_split
from advisor.errors import InputError
from tests.datasets.made import numbered
from tests.properties import examples


@st.composite
def any_examples(draw: st.DrawFn) -> Examples:
    """Classes or numbers, with or without groups and times, of any sizes."""
    count = draw(st.integers(10, 80))
    small = st.integers(0, draw(st.integers(0, 12)))
    classes = draw(st.lists(small, min_size=count, max_size=count))
    groups = draw(st.none() | st.lists(small, min_size=count, max_size=count))
    times = draw(st.none() | st.lists(st.integers(0, 30), min_size=count, max_size=count))
    numeric = draw(st.booleans())
    return numbered(
        count,
        task=Task.REGRESS if numeric else Task.CLASSIFY,
        targets=numpy.array(classes, numpy.float32)[:, None] if numeric else numpy.array(classes, numpy.int64),
        classes=() if numeric else tuple(map(str, range(13))),
        groups=None if groups is None else numpy.array(groups),
        times=None if times is None else numpy.array(times, numpy.float64),
    )


@given(any_examples(), st.integers(0, 5))
@examples(150)
def test_no_example_is_lost_or_on_both_sides_of_an_outer_split(data: Examples, seed: int) -> None:
    split = outer_split(data, seed=seed)
    assert len(split.training) >= len(data) // 2
    assert len(split.test) >= 1
    both = numpy.concatenate([split.training, split.test])
    assert len(numpy.unique(both)) == len(both)
    if data.groups is None:
        assert len(both) == len(data)


@given(any_examples(), st.integers(2, 5), st.integers(0, 3))
@examples(150)
def test_folds_are_within_the_rows_and_judge_each_row_once_at_most(data: Examples, folds: int, seed: int) -> None:
    rows = outer_split(data, seed=seed).training
    made = inner_folds(data, rows, folds, seed)
    assert 1 <= len(made) <= folds
    for fold in made:
        assert len(fold.training) >= 1
        assert len(fold.test) >= 1
        assert not set(fold.training) & set(fold.test)
        assert set(fold.training) | set(fold.test) <= set(rows)
    judged = numpy.concatenate([fold.test for fold in made])
    assert len(numpy.unique(judged)) == len(judged)


@given(any_examples())
@examples(150)
def test_groups_stay_on_one_side_where_the_split_says_so(data: Examples) -> None:
    split = outer_split(data)
    if data.groups is not None and "too few or too large" not in split.how:
        assert not set(data.groups[split.training]) & set(data.groups[split.test])


@given(any_examples())
@examples(150)
def test_the_test_is_later_where_the_split_says_so(data: Examples) -> None:
    split = outer_split(data)
    if "the last ones by time" in split.how:
        assert data.times is not None
        assert data.times[split.training].max() < data.times[split.test].min()


def test_classes_keep_their_shares() -> None:
    data = numbered(200, targets=numpy.array([0] * 150 + [1] * 50), classes=("a", "b"))
    split = outer_split(data)
    assert numpy.bincount(data.targets[split.test]).tolist() == [30, 10]
    assert split.how == "The test is 40 of 200 (20 %) of the examples, drawn so that every class keeps its share."


def test_a_class_with_one_example_is_learnt_from() -> None:
    data = numbered(41, targets=numpy.array([0] * 20 + [1] * 20 + [2]), classes=("a", "b", "c"))
    for seed in range(5):
        assert 40 in outer_split(data, seed=seed).training
    assert all(40 in fold.training for fold in inner_folds(data, numpy.arange(41), 4, 0))


def test_more_classes_than_test_places_are_drawn_at_random() -> None:
    data = numbered(20, targets=numpy.arange(20) // 2, classes=tuple("abcdefghij"))
    assert "drawn at random" in outer_split(data).how


def test_the_same_seed_gives_the_same_split_and_another_one_another() -> None:
    data = numbered(100)
    assert outer_split(data, seed=3).test.tolist() == outer_split(data, seed=3).test.tolist()
    assert outer_split(data, seed=3).test.tolist() != outer_split(data, seed=4).test.tolist()


def test_the_last_fifth_by_time_judges_whatever_the_order_of_the_rows() -> None:
    times = numpy.arange(50, dtype=numpy.float64)[::-1].copy()
    split = outer_split(numbered(50, times=times))
    assert split.test.tolist() == list(range(10))
    assert split.how.endswith("the last ones by time.")


def test_rows_of_one_moment_are_not_divided() -> None:
    times = numpy.repeat(numpy.arange(10.0), 7)
    split = outer_split(numbered(70, times=times))
    assert set(times[split.test]) == {8.0, 9.0}


def test_a_time_that_all_share_orders_nothing() -> None:
    assert "by time is impossible" in outer_split(numbered(40, times=numpy.zeros(40))).how


def test_a_test_by_time_that_has_one_class_only_judges_nothing() -> None:
    data = numbered(100, times=numpy.arange(100.0), targets=(numpy.arange(100) >= 70).astype(numpy.int64))
    split = outer_split(data)
    assert "by time is impossible, since one side would have a single class" in split.how
    assert set(data.targets[split.test]) == {0, 1}


def test_folds_by_time_learn_from_several_classes_and_judge_by_several() -> None:
    classes = numpy.where(numpy.arange(100) < 40, 0, numpy.arange(100) % 2)
    data = numbered(100, times=numpy.arange(100.0), targets=classes)
    folds = inner_folds(data, numpy.arange(100), 5, 0)
    assert folds
    assert all(set(classes[part]) == {0, 1} for fold in folds for part in (fold.training, fold.test))
    assert all(fold.training.max() < fold.test.min() for fold in folds)


def test_groups_that_reach_into_the_test_are_not_learnt_from() -> None:
    groups = numpy.repeat(numpy.arange(20), 5)
    data = numbered(100, groups=groups, times=numpy.arange(100.0))
    split = outer_split(data)
    assert set(groups[split.test]) == {16, 17, 18, 19}
    assert "of groups that are not in the training (4 of 20 groups)" in split.how


def test_groups_that_last_all_the_time_are_kept_apart_without_regard_to_time() -> None:
    data = numbered(100, groups=numpy.arange(100) % 10, times=numpy.arange(100.0))
    split = outer_split(data)
    assert "whole groups" in split.how
    assert not set(data.groups[split.training]) & set(data.groups[split.test])  # type: ignore[index]


def test_every_class_is_learnt_where_groups_allow_it() -> None:
    groups = numpy.arange(60) // 3
    targets = (groups >= 16).astype(numpy.int64)
    for seed in range(5):
        split = outer_split(numbered(60, groups=groups, targets=targets), seed=seed)
        assert set(targets[split.training]) == {0, 1}
        assert set(targets[split.test]) == {0, 1}


def test_folds_by_time_look_ahead() -> None:
    data = numbered(60, times=numpy.arange(60.0))
    folds = inner_folds(data, numpy.arange(48), 3, 0)
    assert [fold.test.tolist()[0] for fold in folds] == [12, 24, 36]
    assert all(fold.training.max() < fold.test.min() for fold in folds)


def test_of_two_classes_the_rarer_one_judges_in_every_fold() -> None:
    """Without it, always naming the other one would be right."""
    data = numbered(40, targets=numpy.array([0] * 37 + [1] * 3))
    folds = inner_folds(data, numpy.arange(40), 5, 0)
    assert len(folds) == 3
    assert all(1 in data.targets[fold.test] and 1 in data.targets[fold.training] for fold in folds)


def test_one_rare_class_of_many_takes_no_folds_from_the_others() -> None:
    data = numbered(53, targets=numpy.repeat(numpy.arange(6), [10, 10, 10, 10, 10, 3]), classes=tuple("abcdef"))
    folds = inner_folds(data, numpy.arange(53), 5, 0)
    assert len(folds) == 5
    assert sum(5 in data.targets[fold.test] for fold in folds) == 3
    assert all(5 in data.targets[fold.training] for fold in folds)


def test_of_many_groups_a_rare_class_is_in_the_test_and_in_every_fold() -> None:
    draw = numpy.random.default_rng(0)
    groups = draw.permutation(numpy.arange(4000) // 2)
    targets = numpy.isin(groups, draw.choice(2000, 20, replace=False)).astype(numpy.int64)
    data = numbered(4000, groups=groups, targets=targets)
    split = outer_split(data)
    assert targets[split.test].sum() == 8
    assert not set(groups[split.training]) & set(groups[split.test])
    for fold in inner_folds(data, split.training, 5, 0):
        assert 4 <= targets[fold.test].sum() <= 8
        assert not set(groups[fold.training]) & set(groups[fold.test])


@pytest.mark.parametrize("count", [1, 9])
def test_a_handful_of_examples_is_refused(count: int) -> None:
    with pytest.raises(InputError, match="At least 10 are needed"):
        outer_split(numbered(count))
