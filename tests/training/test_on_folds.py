"""One candidate on the folds of a rung, against a made-up clock: what the clock cuts is repeated, dropped or marked."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy

from advisor.datasets.dataset import Examples, Task
from advisor.training.child.folds import Folds, Once, on_folds
from advisor.training.ladder.trial_record import Kind, Stage, Status, Trial

MADE = Trial("ffn 8", Kind.NETWORK, Stage.NETWORKS, 0)


class Clock:
    """Stands still but for trainings."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def trainings(clock: Clock, *told: tuple[float, Once]) -> tuple[Callable[[int], Once], list[int]]:
    """Each takes so many seconds and ends so, one after the other, and the places of the folds that were asked for."""
    asked: list[int] = []
    left = list(told)

    def fit(place: int) -> Once:
        asked.append(place)
        seconds, once = left.pop(0)
        clock.now += seconds
        return once

    return fit, asked


def whole(*scores: float) -> Sequence[tuple[float, Once]]:
    return [(1.0, Once(score, epochs=10)) for score in scores]


def test_with_time_enough_every_fold_is_scored_once() -> None:
    clock = Clock()
    fit, asked = trainings(clock, *whole(0.9, 0.8, 0.7))
    found = on_folds(MADE, fit, 3, 100.0, clock)
    assert (dict(found.by_fold), found.status, found.epochs) == ({0: 0.9, 1: 0.8, 2: 0.7}, Status.DONE, 10)
    assert asked == [0, 1, 2]


def test_one_hurried_training_marks_the_trial() -> None:
    clock = Clock()
    fit, _ = trainings(clock, (1.0, Once(0.9)), (1.0, Once(0.8, hurried=True)))
    assert on_folds(MADE, fit, 2, 100.0, clock).hurried
    fit, _ = trainings(clock, *whole(0.9, 0.8))
    assert not on_folds(MADE, fit, 2, 100.0, clock).hurried


def test_each_score_keeps_the_loss_of_its_fold() -> None:
    clock = Clock()
    cut, *others = (Once(0.3, 2.0, 1, cut=True), Once(0.9, 0.2), Once(0.8, 0.4), Once(0.7, 0.6))
    fit, _ = trainings(clock, (1.0, cut), *((1.0, once) for once in others))
    found = on_folds(MADE, fit, 3, 100.0, clock)
    assert (dict(found.by_fold), dict(found.losses_by_fold)) == ({0: 0.7, 1: 0.9, 2: 0.8}, {0: 0.6, 1: 0.2, 2: 0.4})


def test_a_first_fold_that_was_cut_is_repeated_and_its_spoilt_score_forgotten() -> None:
    clock = Clock()
    fit, asked = trainings(clock, (3.0, Once(0.3, epochs=1, cut=True)), *whole(0.9, 0.9, 0.95))
    found = on_folds(MADE, fit, 3, 100.0, clock)
    assert asked == [0, 1, 2, 0]
    assert (list(found.by_fold.items()), found.status) == ([(0, 0.95), (1, 0.9), (2, 0.9)], Status.DONE)


def test_without_time_to_repeat_it_a_cut_fold_does_not_count() -> None:
    clock = Clock()
    fit, asked = trainings(clock, (3.0, Once(0.3, epochs=1, cut=True)), *whole(0.9, 0.8))
    found = on_folds(MADE, fit, 3, 6.5, clock)
    assert asked == [0, 1, 2]
    assert (dict(found.by_fold), found.status) == ({1: 0.9, 2: 0.8}, Status.SHORT)


def test_where_every_training_was_cut_the_scores_are_marked() -> None:
    clock = Clock()
    fit, asked = trainings(clock, *[(1.0, Once(0.3, epochs=1, cut=True))] * 3)
    found = on_folds(MADE, fit, 3, 100.0, clock)
    assert asked == [0, 1, 2], "another would be cut as well"
    assert (len(found.scores), found.status) == (3, Status.CUT)


def test_no_fold_is_begun_that_would_end_too_late_but_one_in_any_case() -> None:
    clock = Clock()
    fit, asked = trainings(clock, *whole(0.9, 0.8, 0.7))
    assert on_folds(MADE, fit, 3, 2.5, clock).status is Status.SHORT
    assert asked == [0, 1]
    late = Clock()
    fit, asked = trainings(late, *whole(0.9))
    assert dict(on_folds(MADE, fit, 3, -1.0, late).by_fold) == {0: 0.9}


def test_folds_apart_share_no_row() -> None:
    rows = numpy.arange(1500)
    examples = Examples("tabular", Task.REGRESS, rows[:, None].astype(float), rows[:, None].astype(float))
    folds = Folds(examples, rows, 0)
    apart = folds.apart
    assert apart == [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1)], "three a rung, five of the first division"
    tested = numpy.concatenate([folds.of(rung)[place].test for rung, place in apart])
    assert len(numpy.unique(tested)) == len(tested) == 1500
