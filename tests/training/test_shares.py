"""Intervals of shares: known values, and how often they hold the truth."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.training.child.metrics import ACCURACY, R2, RMSE, Metric, score
from advisor.training.child.scoring import Resampling, interval, of_new_examples, over_times
from advisor.training.ladder.intervals import finest_gain, mean_gain, mean_share, reach_of_next, wilson


def test_all_right_is_no_certainty() -> None:
    low, high = wilson(1.0, 12)
    assert (low, high) == (pytest.approx(12 / (12 + 1.959964**2)), pytest.approx(1.0))
    assert wilson(0.0, 12) == (0.0, pytest.approx(1 - low))


def test_a_known_interval() -> None:
    """Newcombe 1998 (Two-sided confidence intervals for the single proportion), table I: 81 of 263."""
    assert wilson(81 / 263, 263) == (pytest.approx(0.2553, abs=1e-4), pytest.approx(0.3662, abs=1e-4))


def test_the_mean_of_several_classes_is_known_better_than_each() -> None:
    one, mean = wilson(0.8, 20), mean_share([0.8] * 4, [20] * 4)
    assert mean[1] - mean[0] == pytest.approx((one[1] - one[0]) / 2)
    assert mean_share([0.8], [20]) == pytest.approx(one)


def test_two_models_with_the_same_answers_may_still_differ_by_less_the_more_examples_there_are() -> None:
    low, high = mean_gain([0.0], [0.0], [12])
    assert (low, high) == (pytest.approx(-0.14, abs=0.001), pytest.approx(0.14, abs=0.001))
    assert finest_gain([120]) == pytest.approx(0.016, abs=0.001)
    assert finest_gain([1000]) < 0.01 / 4


@given(st.integers(1, 200), st.data())
def test_an_interval_holds_what_was_seen(n: int, data: st.DataObject) -> None:
    only_one = data.draw(st.integers(0, n))
    only_other = data.draw(st.integers(0, n - only_one))
    low, high = wilson(only_one / n, n)
    assert 0 <= low <= only_one / n <= high <= 1
    low, high = mean_gain([(only_one - only_other) / n], [(only_one + only_other) / n], [n])
    assert -1 <= low <= high <= 1


@pytest.mark.parametrize(("better", "worse"), [(0.02, 0.02), (0.1, 0.02), (0.3, 0.2)])
def test_intervals_of_differences_cover_what_is_true_about_as_often_as_they_say(better: float, worse: float) -> None:
    covered, n = 0, 48
    for seed in range(400):
        draw = random.Random(seed)
        gains = draw.choices((1, -1, 0), (better, worse, 1 - better - worse), k=n)
        low, high = mean_gain([sum(gains) / n], [sum(map(abs, gains)) / n], [n])
        covered += low <= better - worse <= high
    assert covered / 400 >= 0.93


def test_one_more_value_lies_within_reach_as_often_as_is_said() -> None:
    draw = np.random.default_rng(0)
    held = sum(
        abs(values[-1] - values[:-1].mean()) <= reach_of_next(values[:-1]) for values in draw.normal(size=(2000, 6))
    )
    assert held / 2000 == pytest.approx(0.95, abs=0.015)


def test_the_score_of_as_many_new_examples_lies_in_the_interval_about_as_often_as_it_says() -> None:
    draw, held, of_the_true_score = np.random.default_rng(1), 0, 0
    for seed in range(300):
        truth = draw.normal(size=(120, 1))
        said = truth + draw.normal(scale=0.5, size=truth.shape)
        mean, found = score(RMSE, truth, said), interval(Resampling(RMSE, truth, seed).scores(said))
        low, high = of_new_examples(RMSE, mean, found, ())
        anew = float(np.sqrt(np.mean(draw.normal(scale=0.5, size=120) ** 2)))
        held += low <= anew <= high
        of_the_true_score += found[0] <= anew <= found[1]
    assert held / 300 > 0.9
    assert of_the_true_score / 300 < 0.9


def test_of_later_times_the_interval_reaches_as_far_as_earlier_ones_differed() -> None:
    calm = of_new_examples(R2, 0.8, (0.75, 0.85), [0.81, 0.79, 0.8], by_time=True)
    varied = of_new_examples(R2, 0.8, (0.75, 0.85), [0.9, 0.5, 0.7], by_time=True)
    few = of_new_examples(R2, 0.8, (0.75, 0.85), [0.2], by_time=True)

    assert calm == few
    assert varied[0] < 0.3
    assert varied[1] == 1.0


def test_learning_from_all_may_gain_what_learning_from_more_than_a_fold_did() -> None:
    gained = of_new_examples(ACCURACY, 0.8, (0.75, 0.85), [0.7, 0.74])
    nothing = of_new_examples(ACCURACY, 0.8, (0.75, 0.85), ())
    assert gained == pytest.approx((nothing[0], nothing[1] + 0.08))
    less = of_new_examples(RMSE, 2.0, (1.9, 2.1), [2.5, 2.3])
    assert less[0] == pytest.approx(2.0 - 0.1 * 2**0.5 - 0.4)
    assert less[1] == of_new_examples(RMSE, 2.0, (1.9, 2.1), ())[1]


def test_folds_that_were_better_say_how_unlucky_the_held_out_examples_may_be() -> None:
    alone, beside = (of_new_examples(ACCURACY, 0.76, (0.73, 0.79), folds) for folds in ((), (0.79, 0.81)))
    assert beside == pytest.approx((alone[0], alone[1] + 0.04))
    worse = of_new_examples(RMSE, 2.0, (1.9, 2.1), [1.7])
    assert worse[0] == pytest.approx(of_new_examples(RMSE, 2.0, (1.9, 2.1), ())[0] - 0.3)


def test_who_is_better_in_one_season_alone_is_not_shown_to_be_better() -> None:
    found = (0.11, 0.22)
    assert over_times(0.17, found, [-0.03, -0.05, -0.1, 0.18])[0] < 0
    low, high = over_times(0.17, found, [0.16, 0.18, 0.15, 0.17])
    assert low == found[0]
    assert high == found[1]
    assert over_times(0.17, found, [-1.0]) == found, "two times tell nothing of how times differ"


def test_errors_of_later_times_may_be_so_many_times_as_large_or_as_small() -> None:
    low, high = of_new_examples(RMSE, 2.0, (1.9, 2.1), [1.0, 4.0, 2.0], by_time=True)
    assert low > 0
    assert low * high == pytest.approx(2.0**2)


@pytest.mark.parametrize(("metric", "found", "bound"), [(ACCURACY, (0.9, 1.0), 1.0), (RMSE, (0.1, 2.0), 0.0)])
def test_nothing_is_better_than_everything_right(metric: Metric, found: tuple[float, float], bound: float) -> None:
    low, high = of_new_examples(metric, 0.95 if metric is ACCURACY else 0.5, found, ())
    assert (high if metric is ACCURACY else low) == bound
