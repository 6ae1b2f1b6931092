from __future__ import annotations

import statistics

import pytest
import torch

from benchmarks.trials.initial_trial import (
    HE,
    LARGER,
    SMALLER,
    SURVEY,
    Effort,
    Ruling,
    StartScores,
    initial_weights_trial,
    judged,
)

torch.set_num_threads(1)


def scores(start: object, *accuracies: float) -> StartScores:
    return StartScores(start, 1e-3, 1.0, 1.0, accuracies, (None,) * len(accuracies))  # type: ignore[arg-type]


def test_he_learns_and_weights_that_are_far_too_small_do_not() -> None:
    short = Effort(learning_rates=(3e-3,), epochs=5)
    he, small = initial_weights_trial(64, seeds=(0,), starts=(HE, SMALLER), effort=short)
    assert he.accuracies[0] > 0.8
    assert small.accuracies[0] < 0.3
    assert small.epochs_to_learn == (None,)
    assert 0.2 < he.signal < 5
    assert small.signal < 1e-6


def test_time_that_is_over_leaves_no_seed_half_done() -> None:
    found = initial_weights_trial(16, layers=2, seconds=0.0, starts=(HE, SURVEY))
    assert [each.accuracies for each in found] == [(), ()]
    with pytest.raises(statistics.StatisticsError):
        judged(found, SURVEY, HE)


def test_starts_are_judged_seed_by_seed() -> None:
    found = (scores(SURVEY, 0.80, 0.90, 0.85), scores(LARGER, 0.70, 0.80, 0.75), scores(HE, 0.97, 0.98, 0.97))
    assert judged(found, SURVEY, LARGER).ruling is Ruling.BETTER
    assert judged(found, SURVEY, LARGER).gained.mean == pytest.approx(0.1)
    assert judged(found, SURVEY, HE).ruling is Ruling.UNDECIDED
    even = (scores(SURVEY, 0.970, 0.980, 0.975, 0.972), scores(HE, 0.971, 0.979, 0.976, 0.972))
    assert judged(even, SURVEY, HE).ruling is Ruling.NO_DIFFERENCE


def test_a_judgement_reads_as_a_sentence() -> None:
    found = (scores(SURVEY, 0.50, 0.51, 0.52), scores(HE, 0.97, 0.98, 0.99))
    assert str(judged(found, SURVEY, HE)).startswith(
        "small_normal (0.1) against he: -0.470 in accuracy (95 % interval -0.470"
    )
    assert str(judged(found, SURVEY, HE)).endswith("3 pairs): worse")
