from __future__ import annotations

import math
import random
import re
import warnings
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.special import softmax
from sklearn.metrics import average_precision_score, brier_score_loss, log_loss, r2_score, roc_auc_score

from advisor.errors import InputError
from advisor.training.child.metrics import (
    ACCURACY,
    AVERAGE_PRECISION,
    BALANCED_ACCURACY,
    LOG_LOSS,
    OURS,
    R2,
    RMSE,
    ROC_AUC,
    MeaninglessError,
    Metric,
    brier,
    guessed_ranking,
    imbalance,
    looking_for,
    metric_named,
    metric_of,
    r2_of_folds,
    ranking,
    rarer,
    refined_brier,
    says_something,
    score,
)
from advisor.training.ladder.intervals import t_interval

TRUTH = np.array([0, 0, 0, 1])
FOUND = np.array([0, 0, 1, 1])


def test_each_metric_of_classes_on_four_examples() -> None:
    assert score(ACCURACY, TRUTH, FOUND) == 0.75
    assert score(BALANCED_ACCURACY, TRUTH, FOUND) == pytest.approx((2 / 3 + 1) / 2)


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
    assert score(RMSE, truth, predicted) == 1
    assert score(R2, truth, predicted) == pytest.approx(1 - 4 / 5)
    assert score(R2, truth, np.full(4, truth.mean())) == 0


@pytest.mark.parametrize("metric", [ACCURACY, BALANCED_ACCURACY])
def test_probabilities_count_as_the_most_probable_class(metric: Metric) -> None:
    probabilities = np.array([[0.8, 0.2], [0.6, 0.4], [0.3, 0.7], [0.1, 0.9]])
    assert score(metric, TRUTH, probabilities) == score(metric, TRUTH, FOUND)


def test_a_class_that_no_test_example_has_is_not_asked_for_and_no_warning() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert score(BALANCED_ACCURACY, np.array([0, 0, 1, 1]), np.array([0, 2, 1, 1])) == 0.75
        likely = np.array([[0.6, 0.2, 0.2], [0.2, 0.6, 0.2]])
        assert brier(np.array([0, 1]), likely, by_class=True) == brier(np.array([0, 1]), likely)


def test_better_lies_up_for_shares_and_down_for_errors() -> None:
    assert {metric.name for metric in OURS if not metric.greater_is_better} == {"rmse", "mae", "log_loss"}


def test_one_metric_is_the_metric_of_a_task() -> None:
    assert metric_of("classify", np.repeat([0, 1], [49, 10])) is ACCURACY
    assert metric_of("classify", np.repeat([0, 1], [10, 50])) == replace(AVERAGE_PRECISION, positive=0)
    assert metric_of("classify", np.repeat([0, 1, 2], [50, 50, 10])) is LOG_LOSS
    assert metric_of("regress", np.zeros((3, 1))) is R2
    assert metric_of("forecast", np.zeros((3, 1))) is RMSE


def test_where_some_parts_lack_the_rare_class_the_logarithmic_loss_decides() -> None:
    targets = np.repeat([0, 1], [90, 10])
    assert metric_of("classify", targets, [targets[50:], targets[80:95]]).name == "average_precision"
    assert metric_of("classify", targets, [targets[:50], targets[50:]]) is LOG_LOSS, "by time, the first half has none"


def test_where_nothing_varies_the_error_decides_over_the_explained_share() -> None:
    varied, level = np.linspace(0, 1, 10)[:, None], np.full((10, 1), 0.1)
    targets = np.concatenate([varied, level])
    assert metric_of("regress", targets, [varied, level, varied]) is R2, "a fold of one value is left out"
    assert metric_of("regress", targets, [level, varied]) is RMSE
    assert metric_of("regress", targets, [varied, level, level]) is RMSE
    assert [says_something(R2, targets, rows) for rows in (np.arange(10), np.arange(10, 20))] == [True, False]
    assert says_something(RMSE, targets, np.arange(10, 20))
    two_levels = np.broadcast_to([0.1, 0.9], (10, 2))
    assert metric_of("regress", np.concatenate([np.eye(10, 2), two_levels]), [two_levels, np.eye(10, 2)]) is RMSE


def test_a_score_that_is_no_number_is_told_and_never_returned() -> None:
    truth, likely = np.zeros(4, int), np.full((4, 2), 0.5)
    with pytest.raises(MeaninglessError, match="average precision is no number here"):
        score(looking_for(AVERAGE_PRECISION, np.array([0, 0, 1])), truth, likely)
    below = metric_named("mean_squared_log_error", "regress", np.ones((3, 1)))
    with pytest.raises(MeaninglessError, match="cannot be computed"):
        score(below, np.ones((3, 1)), np.full((3, 1), -2.0))


def test_imbalance_counts_only_classes_that_occur() -> None:
    assert imbalance(np.array([0, 0, 0, 0, 2, 2])) == 2


def test_naming_only_the_large_class_looks_good_by_accuracy_alone() -> None:
    truth = np.array([0] * 95 + [1] * 5)
    lazy = np.tile([1.0, 0.0], (100, 1))
    assert score(ACCURACY, truth, lazy) == 0.95
    assert score(BALANCED_ACCURACY, truth, lazy) == 0.5
    assert score(metric_of("classify", truth), truth, lazy) == pytest.approx(0.05), "the share of the rare class"


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


def likely_ones(seed: int, n: int = 60, classes: int = 2) -> tuple[np.ndarray, np.ndarray]:
    """Truth, and probabilities that say something of it, some of them equal."""
    draw = np.random.default_rng(seed)
    truth = np.r_[np.arange(classes), draw.integers(classes, size=n - classes)]
    logits = draw.normal(size=(n, classes)).round(1)
    logits[np.arange(n), truth] += 0.5
    return truth, softmax(logits, axis=1)


@given(st.integers(0, 10_000))
def test_metrics_of_probabilities_are_those_of_scikit_learn_for_any_weights(seed: int) -> None:
    truth, likely = likely_ones(seed)
    counts = np.random.default_rng(seed).integers(0, 3, size=(1, len(truth))).astype(float)
    assume(all((counts[0] * (truth == one)).sum() for one in (0, 1)))
    for metric, known in (
        (looking_for(AVERAGE_PRECISION, truth), average_precision_score),
        (looking_for(ROC_AUC, truth), roc_auc_score),
    ):
        mine, read = metric.read(truth, likely)
        assert metric.drawn is not None
        assert metric.drawn(mine, read, counts)[0] == pytest.approx(known(mine, read, sample_weight=counts[0]))
        assert score(metric, truth, likely) == pytest.approx(known(mine, read))
    assert LOG_LOSS.drawn is not None
    assert LOG_LOSS.drawn(truth, likely, counts)[0] == pytest.approx(log_loss(truth, likely, sample_weight=counts[0]))


@given(st.integers(0, 10_000), st.integers(2, 4))
def test_the_ranking_is_the_area_of_each_class_against_the_others(seed: int, classes: int) -> None:
    truth, likely = likely_ones(seed, classes=classes)
    area, influence = ranking(truth, likely)
    known = roc_auc_score(truth, likely[:, 1] if classes == 2 else likely, multi_class="ovr")
    assert area == pytest.approx(known)
    assert influence.mean() == pytest.approx(0, abs=1e-9)


def test_what_an_example_adds_to_the_ranking_tells_how_it_varies() -> None:
    """Against five hundred draws of examples, each computed anew."""
    truth, likely = likely_ones(3, n=200)
    area, influence = ranking(truth, likely)
    draw = np.random.default_rng(0)
    rows = [draw.integers(200, size=200) for _ in range(500)]
    drawn = [ranking(truth[one], likely[one])[0] for one in rows]
    by_influence = [area + influence[one].mean() for one in rows]
    assert np.std(by_influence) == pytest.approx(np.std(drawn), rel=0.05)


def test_a_single_class_ranks_by_chance() -> None:
    assert ranking(np.zeros(4, int), np.full((4, 2), 0.5))[0] == 0.5


@pytest.mark.parametrize(
    ("name", "found", "up"),
    [
        ("Average Precision", "average_precision", True),
        ("auc", "roc_auc", True),
        ("neg_log_loss", "log_loss", False),
        ("f1", "f1", True),
        ("neg_brier_score", "brier_score", False),
        ("matthews_corrcoef", "matthews_corrcoef", True),
    ],
)
def test_a_metric_has_any_of_its_names(name: str, found: str, up: bool) -> None:
    truth, likely = likely_ones(1)
    metric = metric_named(name, "classify", truth)
    assert (metric.name, metric.greater_is_better) == (found, up)
    assert math.isfinite(score(metric, truth, likely))


def test_errors_of_numbers_are_told_as_they_are() -> None:
    truth = np.array([[1.0], [2], [3], [6]])
    metric = metric_named("neg_mean_absolute_error", "regress", truth)
    assert score(metric, truth, truth + 2) == 2
    assert score(metric_named("neg_median_absolute_error", "regress", truth), truth, truth + 3) == 3
    assert score(metric_named("mse", "regress", truth), truth, truth + 3) == 9


def test_of_two_classes_the_rarer_is_looked_for_whichever_number_it_has() -> None:
    truth = np.repeat([0, 1], [3, 9])
    likely = np.column_stack([np.r_[0.9, 0.8, 0.7, np.full(9, 0.1)], np.r_[0.1, 0.2, 0.3, np.full(9, 0.9)]])
    assert rarer(truth) == 0
    for name in ("average_precision", "roc_auc", "f1", "recall"):
        assert score(metric_named(name, "classify", truth), truth, likely) == 1


@pytest.mark.parametrize(
    ("name", "task", "said"),
    [
        ("acuracy", "classify", "Did you mean accuracy"),
        ("r2", "classify", "r2 is for numbers"),
        ("roc_auc", "classify", "roc_auc_ovr"),
        ("log_loss", "regress", "log_loss is for classes"),
        ("xyz", "regress", "Take one of mae, r2, rmse"),
    ],
)
def test_a_metric_that_does_not_fit_is_refused_with_one_that_does(name: str, task: str, said: str) -> None:
    truth = np.repeat([0, 1, 2], 5) if task == "classify" else np.linspace(0, 1, 15)[:, None]
    with pytest.raises(InputError) as refused:
        metric_named(name, task, truth)
    problem = refused.value.problems[0]
    assert problem.where == "--metric"
    assert re.search(said, f"{problem.what} {problem.remedy}")


def test_a_quiet_fold_does_not_decide_alone_what_explains_the_numbers() -> None:
    draw = np.random.default_rng(0)
    loud, quiet = draw.normal(scale=10.0, size=(200, 1)), draw.normal(scale=0.1, size=(200, 1))
    everything = np.concatenate([loud, quiet])
    metric = r2_of_folds(everything)
    exact_where_loud = score(metric, loud, loud + 1), score(metric, quiet, quiet + 1)
    exact_where_quiet = score(metric, loud, loud * 0.5), score(metric, quiet, quiet)
    assert sum(exact_where_loud) > sum(exact_where_quiet)
    assert score(R2, quiet, quiet + 1) < -50, "by its own variance"
    assert score(metric, everything, loud.repeat(2)[:, None]) == pytest.approx(
        r2_score(everything, loud.repeat(2)[:, None])
    )


def test_guesses_rank_as_widely_as_mann_and_whitney_say() -> None:
    draw = np.random.default_rng(0)
    truth = np.arange(40) < 4
    areas = [roc_auc_score(truth, draw.random(40)) for _ in range(2000)]
    assert guessed_ranking(truth.astype(int)) == pytest.approx(np.std(areas), rel=0.06)
    assert guessed_ranking(np.arange(12) == 0) == pytest.approx(0.31, abs=0.01), "one example may be anywhere"
    assert guessed_ranking(np.zeros(5, int)) == 0
