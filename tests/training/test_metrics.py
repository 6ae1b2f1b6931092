from __future__ import annotations

import math
import random
import warnings

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.special import softmax
from sklearn.metrics import brier_score_loss

from advisor.training.child.metrics import Metric, brier, imbalance, metric_of, refined_brier, score
from advisor.training.ladder.intervals import t_interval

TRUTH = np.array([0, 0, 0, 1])
FOUND = np.array([0, 0, 1, 1])


def test_each_metric_of_classes_on_four_examples() -> None:
    assert score(Metric.ACCURACY, TRUTH, FOUND) == 0.75
    assert score(Metric.BALANCED_ACCURACY, TRUTH, FOUND) == pytest.approx((2 / 3 + 1) / 2)


def test_the_brier_score_is_the_squared_distance_from_the_truth() -> None:
    probabilities = np.array([[0.8, 0.2], [0.5, 0.5], [0.4, 0.6], [0.1, 0.9]])
    off = [2 * 0.2**2, 2 * 0.5**2, 2 * 0.6**2, 2 * 0.1**2]
    assert brier(TRUTH, probabilities) == pytest.approx(sum(off) / 4)
    assert brier(TRUTH, probabilities, by_class=True) == pytest.approx((sum(off[:3]) / 3 + off[3]) / 2)
    assert brier(np.array([0]), np.array([[0.0, 1.0]])) == 2


def test_the_brier_score_of_two_classes_is_twice_that_of_scikit_learn() -> None:
    draw = np.random.default_rng(1)
    truth, likely = draw.integers(2, size=50), draw.random(50)
    probabilities = np.column_stack([1 - likely, likely])
    assert brier(truth, probabilities) == pytest.approx(2 * brier_score_loss(truth, likely))


def tempered(logits: np.ndarray, temperature: float) -> np.ndarray:
    return softmax(logits / temperature, axis=1)


@given(st.integers(0, 10_000), st.floats(0.1, 5.0))
def test_the_refined_brier_score_does_not_see_how_sure_a_model_is_in_general(seed: int, temperature: float) -> None:
    draw = np.random.default_rng(seed)
    logits = 2 * draw.normal(size=(60, 3))
    truth = (logits + draw.gumbel(size=logits.shape)).argmax(axis=1)  # as probable as the model says
    everywhere = np.exp(np.linspace(-7, 6, 131))
    best = everywhere[np.argmin([brier(truth, tempered(logits, one)) for one in everywhere])]
    assume(0.5 < best < 2)  # by chance one far off may be better, which is not looked for
    plain = refined_brier(truth, tempered(logits, 1.0))
    assert plain <= brier(truth, tempered(logits, 1.0)) + 1e-9
    assert refined_brier(truth, tempered(logits, temperature)) == pytest.approx(plain, abs=2e-3)


@pytest.mark.parametrize(("right", "by", "wrong", "off"), [(28, 0.08, 2, 2.0), (18, 1.0, 12, 7.0)])
def test_the_least_of_several_valleys_is_found(right: int, by: float, wrong: int, off: float) -> None:
    """Against twenty thousand temperatures, by what a model is sure of wrongly."""
    odds = np.array([by] * right + [-off] * wrong)
    truth, probabilities = np.zeros(len(odds), int), np.column_stack([1 / (1 + np.exp(-odds)), 1 / (1 + np.exp(odds))])
    every = [np.mean(2 / (1 + np.exp(odds / one)) ** 2) for one in np.exp(np.linspace(-3, 3, 20_000))]
    assert refined_brier(truth, probabilities) == pytest.approx(min(every), abs=1e-3)


def test_the_refined_brier_score_tells_apart_what_orders_the_classes_better() -> None:
    """Both tell three of four right; one is wrong by a hair, the other by far."""
    near = np.array([[0.9, 0.1], [0.8, 0.2], [0.49, 0.51], [0.1, 0.9]])
    far = np.array([[0.9, 0.1], [0.8, 0.2], [0.01, 0.99], [0.1, 0.9]])
    assert refined_brier(TRUTH, near) < refined_brier(TRUTH, far)
    assert refined_brier(TRUTH, far, by_class=True) != refined_brier(TRUTH, far)
    certain = np.array([[1.0, 0.0], [1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    assert refined_brier(TRUTH, certain) == 0


def test_each_metric_of_numbers_on_four_examples() -> None:
    truth, predicted = np.array([1.0, 2, 3, 4]), np.array([1.0, 2, 3, 6])
    assert score(Metric.RMSE, truth, predicted) == 1
    assert score(Metric.R2, truth, predicted) == pytest.approx(1 - 4 / 5)
    assert score(Metric.R2, truth, np.full(4, truth.mean())) == 0


@pytest.mark.parametrize("metric", [Metric.ACCURACY, Metric.BALANCED_ACCURACY])
def test_probabilities_count_as_the_most_probable_class(metric: Metric) -> None:
    probabilities = np.array([[0.8, 0.2], [0.6, 0.4], [0.3, 0.7], [0.1, 0.9]])
    assert score(metric, TRUTH, probabilities) == score(metric, TRUTH, FOUND)


def test_a_class_that_no_test_example_has_is_not_asked_for_and_no_warning() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert score(Metric.BALANCED_ACCURACY, np.array([0, 0, 1, 1]), np.array([0, 2, 1, 1])) == 0.75
        likely = np.array([[0.6, 0.2, 0.2], [0.2, 0.6, 0.2]])
        assert brier(np.array([0, 1]), likely, by_class=True) == brier(np.array([0, 1]), likely)


def test_better_lies_up_for_shares_and_down_for_errors() -> None:
    assert {metric for metric in Metric if not metric.greater_is_better} == {Metric.RMSE}


def test_one_metric_is_the_metric_of_a_task() -> None:
    assert metric_of("classify") is Metric.ACCURACY
    assert metric_of("classify", imbalance=4.9) is Metric.ACCURACY
    assert metric_of("classify", imbalance=5) is Metric.BALANCED_ACCURACY
    assert metric_of("regress", imbalance=5) is Metric.R2
    assert metric_of("forecast") is Metric.RMSE


def test_imbalance_counts_only_classes_that_occur() -> None:
    assert imbalance(np.array([0, 0, 0, 0, 2, 2])) == 2


def test_naming_only_the_large_class_looks_good_by_accuracy_alone() -> None:
    truth = np.array([0] * 95 + [1] * 5)
    lazy = np.zeros(100, dtype=int)
    assert score(Metric.ACCURACY, truth, lazy) == 0.95
    assert score(metric_of("classify", imbalance(truth)), truth, lazy) == 0.5


def test_student_s_interval_of_four_differences_by_hand() -> None:
    found = t_interval([1.0, 2.0, 3.0, 4.0])
    reach = 3.182446 * math.sqrt(5 / 3) / 2
    assert (found.mean, found.low, found.high, found.n) == pytest.approx((2.5, 2.5 - reach, 2.5 + reach, 4), rel=1e-6)


@pytest.mark.parametrize(("n", "quantile"), [(2, 12.70620), (3, 4.30265), (11, 2.22814), (30, 2.04523), (121, 1.97993)])
def test_student_s_quantiles_are_those_of_the_tables(n: int, quantile: float) -> None:
    differences = [0.0] * (n - 1) + [float(n)]  # mean 1, variance n
    assert t_interval(differences).high == pytest.approx(1 + quantile, rel=1e-5)


def test_one_difference_alone_says_nothing() -> None:
    found = t_interval([0.3])
    assert (found.mean, found.low, found.high) == (0.3, -math.inf, math.inf)


def test_splits_that_share_their_examples_make_the_interval_wider() -> None:
    differences = [0.01, 0.03, 0.02, 0.04, 0.02]
    plain, corrected = t_interval(differences), t_interval(differences, overlap=0.25)
    assert (corrected.high - corrected.mean) / (plain.high - plain.mean) == pytest.approx(math.sqrt((0.2 + 0.25) / 0.2))


def coverage(n: int) -> float:
    """How often the interval of n differences around 1 contains 1."""
    generator = random.Random(1)
    inside = 0
    for _ in range(200):
        differences = [generator.gauss(1, 2) for _ in range(n)]
        found = t_interval(differences)
        inside += found.low <= 1 <= found.high
    return inside / 200


def test_student_s_intervals_contain_the_truth_nineteen_times_in_twenty() -> None:
    assert 0.9 <= coverage(5) <= 0.99


@given(st.lists(st.floats(-100, 100), min_size=2, max_size=30))
def test_the_mean_lies_within_and_turning_the_sides_turns_the_interval(differences: list[float]) -> None:
    found, turned = t_interval(differences), t_interval([-difference for difference in differences])
    assert found.low <= found.mean <= found.high
    assert (turned.low, turned.high) == pytest.approx((-found.high, -found.low), abs=1e-6)
