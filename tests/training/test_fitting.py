"""Candidates fitted to real data: scikit-learn's own tables and pictures."""

from __future__ import annotations

import math
import time
from dataclasses import replace

import numpy
import polars
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import datasets as shipped
from sklearn.ensemble import RandomForestClassifier

from advisor.datasets.dataset import Examples, Task
from advisor.datasets.preparing.preparation import preparation
from advisor.datasets.preparing.splits import Split, outer_split
from advisor.training.child.fitted import Allowance, FittingError, TooSlowError
from advisor.training.child.fitting import FEWEST_ROUNDS, Fitting
from advisor.training.child.folds import Folds
from advisor.training.child.metrics import (
    ACCURACY,
    BALANCED_ACCURACY,
    R2,
    RMSE,
    Metric,
    metric_named,
    score,
)
from advisor.training.child.network_fitting import FEWEST_STEPS, enough_epochs
from advisor.training.child.scoring import Resampling, described, interval
from advisor.training.child.stopping import BLOCKS, EARLY_STOPPING_NEEDS, best_rounds, divisions, kept_back
from advisor.training.ladder.candidates import FEWEST_EPOCHS, Candidate, NetworkSettings, Planned
from advisor.training.ladder.menu import menu
from advisor.training.ladder.trial_record import Kind, Stage
from advisor.training.ladder.variants import EARLY_STOPPED_ROUNDS
from advisor.training.recipe import Recipe

IN_TIME = Allowance(60.0, math.inf)


def table(inputs: numpy.ndarray, targets: numpy.ndarray) -> Examples:
    frame = polars.DataFrame({f"x{number}": inputs[:, number] for number in range(inputs.shape[1])})
    if targets.dtype.kind == "f":
        return Examples("tabular", Task.REGRESS, frame, targets.reshape(-1, 1).astype(numpy.float32))
    classes = tuple(map(str, numpy.unique(targets)))
    return Examples("tabular", Task.CLASSIFY, frame, targets.astype(numpy.int64), classes)


def pictures() -> Examples:
    digits = shipped.load_digits()
    keep = digits.target < 4
    images = (digits.images[keep] / 16).astype(numpy.float32)[:, None]
    return Examples("image", Task.CLASSIFY, images, digits.target[keep].astype(numpy.int64), ("0", "1", "2", "3"))


def series() -> Examples:
    """Windows of a walk with rhythm: the next value follows from the steps before."""
    steps = numpy.sin(numpy.arange(400) / 3) + 0.02 * numpy.random.default_rng(0).normal(size=400)
    windows = numpy.stack([steps[at : at + 12] for at in range(388)]).astype(numpy.float32)[:, :, None]
    targets = steps[12:].astype(numpy.float32)[:, None]
    return Examples("time_series", Task.FORECAST, windows, targets, times=numpy.arange(388))


def scored(examples: Examples, metric: Metric, *names: str) -> dict[str, float]:
    """Openers, fitted once."""
    fitting, split = Fitting(examples, 1), outer_split(examples)
    found = {}
    for candidate in menu(Planned("ffn", (), (32, 32)), examples.modality).openers:
        if names and candidate.name not in names:
            continue
        fitted = fitting.fit(candidate, split.training, split.test, 0, IN_TIME)
        found[candidate.name] = score(metric, examples.targets[split.test], fitted.predicted)
    return found


def test_on_a_table_of_classes_all_beat_the_trivial() -> None:
    found = scored(table(*shipped.load_wine(return_X_y=True)), ACCURACY)
    assert found.pop("trivial") < 0.5
    assert min(found.values()) > 0.9, found


@pytest.mark.parametrize("normalization", ["batch_norm", "layer_norm", "group_norm"])
def test_a_planned_network_is_tried_with_its_normalisation_and_dropout(normalization: str) -> None:
    examples = table(*shipped.load_wine(return_X_y=True))
    planned = Planned("ffn", (), (32, 32), normalization=normalization, dropout=0.2)
    (candidate,) = [c for c in menu(planned, "tabular").openers if c.name == "ffn 32-32 as planned"]
    split = outer_split(examples)
    fitted = Fitting(examples, 1).fit(candidate, split.training, split.test, 0, IN_TIME)
    assert score(ACCURACY, examples.targets[split.test], fitted.predicted) > 0.9


def test_on_a_table_of_numbers_all_beat_the_mean() -> None:
    found = scored(table(*shipped.load_diabetes(return_X_y=True)), R2)
    assert found.pop("trivial") <= 0
    assert min(found.values()) > 0.02, found


@pytest.mark.parametrize("name", ["trivial", "linear", "random forest", "gradient boosting", "ffn 32-32 as planned"])
def test_classes_come_with_the_probabilities_that_they_are_the_largest_of(name: str) -> None:
    examples = table(*shipped.load_wine(return_X_y=True))
    split = outer_split(examples)
    (candidate,) = [c for c in menu(Planned("ffn", (), (32, 32)), "tabular").openers if c.name == name]
    without_one = split.training[examples.targets[split.training] != 1]
    for training in (split.training, without_one):
        fitted = Fitting(examples, 1).fit(candidate, training, split.test, 0, IN_TIME)
        assert fitted.probabilities is not None
        assert fitted.probabilities.shape == (len(split.test), 3)
        assert fitted.probabilities.sum(axis=1) == pytest.approx(1)
        assert (fitted.probabilities.argmax(axis=1) == fitted.predicted).all()
        if candidate.kind is not Kind.NETWORK and training is without_one:
            assert not fitted.probabilities[:, 1].any()
            assert {0, 2} >= set(fitted.predicted)


@pytest.mark.parametrize("name", ["trivial", "random forest", "gradient boosting"])
def test_of_one_class_alone_that_one_is_certain(name: str) -> None:
    examples = table(*shipped.load_wine(return_X_y=True))
    split = outer_split(examples)
    (candidate,) = [c for c in menu(Planned(), "tabular").openers if c.name == name]
    ones = split.training[examples.targets[split.training] == 1]
    fitted = Fitting(examples, 1).fit(candidate, ones, split.test, 0, IN_TIME)
    assert fitted.probabilities is not None
    assert (fitted.probabilities == [0, 1, 0]).all()
    assert (fitted.predicted == 1).all()


def test_a_forest_is_as_sure_as_scikit_learn_says() -> None:
    examples = table(*shipped.load_wine(return_X_y=True))
    split = outer_split(examples)
    (candidate,) = [c for c in menu(Planned(), "tabular").openers if c.name == "random forest"]
    fitted = Fitting(examples, 1).fit(candidate, split.training, split.test, 3, IN_TIME)
    inputs, targets = preparation(examples).fit(split.training).flat, examples.targets[split.training]
    own = RandomForestClassifier(random_state=3).fit(inputs(split.training), targets)
    assert fitted.probabilities == pytest.approx(own.predict_proba(inputs(split.test)))
    assert (fitted.predicted == own.predict(inputs(split.test))).all()


def test_pictures_go_through_convolutions() -> None:
    found = scored(pictures(), ACCURACY, "cnn 32-64")
    assert found["cnn 32-64"] > 0.9


def test_a_forecast_must_beat_the_last_value() -> None:
    found = scored(series(), RMSE, "trivial", "linear", "lstm 64")
    assert found["trivial"] == pytest.approx(0.2, abs=0.1), "the last value, not the mean, whose error would be 0.7"
    assert max(found["linear"], found["lstm 64"]) < found["trivial"]


def test_a_forecast_with_a_season_must_beat_what_was_a_season_ago() -> None:
    draw = numpy.random.default_rng(0)
    steps = 10 * numpy.tile([0, 1, 0, 2, 1, 5, 7], 60) + draw.normal(size=420)
    windows = numpy.stack([steps[at : at + 14] for at in range(406)]).astype(numpy.float32)[:, :, None]
    targets = steps[14:].astype(numpy.float32)[:, None]
    weekly = Examples("time_series", Task.FORECAST, windows, targets, times=numpy.arange(406), season=7)
    assert scored(weekly, RMSE, "trivial")["trivial"] < 2.0, "noise of deviation 1, twice"
    assert scored(replace(weekly, season=None), RMSE, "trivial")["trivial"] > 20.0


def test_boosted_trees_split_categories_that_have_fewer_rows_than_a_leaf() -> None:
    draw = numpy.random.default_rng(0)
    who = numpy.repeat(numpy.arange(30), 20)
    values = draw.normal(size=30)[who] + 0.1 * draw.normal(size=600)
    names = polars.Series("who", [f"s{number}" for number in who], dtype=polars.Categorical)
    frame = polars.DataFrame([names, polars.Series("x", draw.normal(size=600))])
    people = Examples("tabular", Task.REGRESS, frame, values[:, None])
    assert scored(people, R2, "gradient boosting")["gradient boosting"] > 0.9


def test_boosted_trees_bear_a_column_of_which_nothing_is_known_in_the_training() -> None:
    draw = numpy.random.default_rng(0)
    names = polars.Series("who", [f"s{number}" for number in draw.integers(4, size=200)], dtype=polars.Categorical)
    late = polars.Series("late", [None] * 170 + list(draw.normal(size=30)), dtype=polars.Float64)
    frame = polars.DataFrame([names, late, polars.Series("x", draw.normal(size=200))])
    sensors = Examples("tabular", Task.REGRESS, frame, frame["x"].to_numpy()[:, None], times=numpy.arange(200.0))
    assert scored(sensors, R2, "gradient boosting")["gradient boosting"] > 0.8


def test_the_same_seed_gives_the_same_and_another_seed_another() -> None:
    examples = table(*shipped.load_wine(return_X_y=True))
    split = outer_split(examples)
    settings = NetworkSettings("ffn", (8,), epochs=3)
    candidate = Candidate("ffn 8", Kind.NETWORK, Stage.NETWORKS, "ffn", settings)

    def predicted(seed: int) -> list[float]:
        numbers = table(shipped.load_wine().data, shipped.load_wine().data[:, 0])
        return Fitting(numbers, 1).fit(candidate, split.training, split.test, seed, IN_TIME).predicted.ravel().tolist()

    assert predicted(1) == predicted(1)
    assert predicted(1) != predicted(2)


def test_early_stopping_learns_from_fewer_but_never_from_the_test() -> None:
    examples = table(*shipped.load_wine(return_X_y=True))
    split = outer_split(examples)
    assert len(split.training) > EARLY_STOPPING_NEEDS
    learning, stopping = kept_back(examples, split.training, 0)
    assert stopping is not None
    assert set(learning) | set(stopping) == set(split.training)
    assert not set(learning) & set(stopping)


def test_by_time_several_stretches_say_when_to_stop_each_judged_by_what_comes_before_it() -> None:
    rows = numpy.random.default_rng(0).permutation(600)
    examples = replace(table(rows[:, None].astype(float), rows.astype(float)), times=rows.astype(float))
    found = divisions(examples, numpy.arange(500), 0)
    assert len(found) == BLOCKS
    for (before, _), (learning, stopping) in zip([(numpy.array([], int), None), *found], found, strict=False):
        assert rows[learning].max() < rows[stopping].min()
        assert set(before) < set(learning)
        assert len(stopping) == pytest.approx(500 / 6, abs=20)
    assert numpy.array_equal(found[-1][1], kept_back(examples, numpy.arange(500), 0)[1])
    assert len(divisions(replace(examples, times=None), numpy.arange(500), 0)) == 1
    assert len(divisions(examples, numpy.arange(110), 0)) == 1, "of fewer than a hundred none are kept back"
    assert divisions(examples, numpy.arange(90), 0) == []


def test_the_best_number_of_rounds_is_that_of_all_stretches_however_large_their_losses_are() -> None:
    early, late = numpy.array([9.0, 1.0, 2.0, 3.0]), numpy.array([500.0, 400.0, 300.0, 200.0, 100.0])
    assert (best_rounds([early]), best_rounds([late])) == (1, 4)
    assert best_rounds([early, late]) == 4, "300 % more of the second weigh more than 200 % of the first"
    assert best_rounds([early, late / 1000]) == 4
    assert best_rounds([numpy.array([numpy.inf, 2.0, 1.0]), numpy.array([3.0, 1.0])]) == 2, "one stays at its last"


def test_trees_of_a_model_that_is_kept_go_on_growing_where_one_season_would_end_them() -> None:
    """The last stretch of the training is of another season, in which everything that was learned before is wrong."""
    draw, rows = numpy.random.default_rng(0), numpy.arange(1200)
    inputs = draw.normal(size=(1200, 3))
    right = inputs[:, 0] * inputs[:, 1]
    examples = replace(table(inputs, right), times=rows.astype(float))
    odd = divisions(examples, rows, 0)[-1][1]
    examples.targets[odd] *= -1
    tuned = next(one for one in menu(Planned(), "tabular").settings if one.name == "gradient boosting, small leaves")
    trees = {}
    for kept in (False, True):
        learned = Fitting(examples, 1).fit(tuned, rows, rows[:5], 0, replace(IN_TIME, kept=kept)).learned
        assert learned is not None
        trees[kept] = learned.model.n_iter_
    assert trees[False] < 10, "in a trial, for which that would take too long, the last stretch says when"
    assert trees[True] > 20


@given(st.lists(st.integers(1, 5) | st.integers(20, 300), min_size=2, max_size=30), st.integers(0, 9))
def test_about_a_sixth_of_each_class_is_kept_back_and_every_class_is_learned(counts: list[int], seed: int) -> None:
    targets = numpy.random.default_rng(seed).permutation(numpy.repeat(numpy.arange(len(counts)), counts))
    rows = numpy.arange(len(targets))
    learning, stopping = kept_back(table(rows[:, None].astype(float), targets), rows, seed)
    assert set(targets[learning]) == set(targets)
    if stopping is None:
        assert len(rows) < EARLY_STOPPING_NEEDS or sum(count >= 20 for count in counts) < 2
        return
    assert sorted([*learning, *stopping]) == rows.tolist()
    kept, learned = (numpy.bincount(targets[part], minlength=len(counts)) for part in (stopping, learning))
    assert (abs(kept - (kept + learned) / 6) <= 1).all()
    assert not kept[numpy.asarray(counts) <= 2].any(), "of two rows both are learned from"


@pytest.mark.parametrize("alone", range(6))
def test_boosting_that_stops_early_bears_a_class_that_only_the_kept_back_rows_have(alone: int) -> None:
    """Whichever group is kept back, once it is the only one with a class."""
    rows, groups = numpy.arange(180), numpy.repeat(numpy.arange(6), 30)
    targets = numpy.where((groups == alone) & (rows % 3 == 0), 2, rows % 2)
    inputs = numpy.random.default_rng(0).normal(size=(180, 2))
    examples = replace(table(inputs, targets), groups=groups)
    settings = menu(Planned(), "tabular").settings
    tuned = next(one for one in settings if one.model == "gradient_boosting" and one.variant)
    fitted = Fitting(examples, 1).fit(tuned, rows, rows[:5], 0, IN_TIME)
    assert fitted.probabilities is not None
    assert fitted.probabilities.shape == (5, 3)


@pytest.mark.parametrize(("seconds", "most"), [(1e-6, FEWEST_ROUNDS), (60.0, EARLY_STOPPED_ROUNDS)])
def test_boosting_grows_as_many_trees_as_there_is_time_for(seconds: float, most: int) -> None:
    draw, rows = numpy.random.default_rng(0), numpy.arange(600)
    inputs = draw.normal(size=(600, 4))
    examples = table(inputs, inputs[:, 0] * inputs[:, 1] + 0.1 * draw.normal(size=600))
    tuned = next(one for one in menu(Planned(), "tabular").settings if one.name == "gradient boosting, small steps")
    fitted = Fitting(examples, 1).fit(tuned, rows, rows[:5], 0, replace(IN_TIME, seconds=seconds))
    learned = fitted.learned
    assert learned is not None
    assert fitted.hurried == (seconds < 1), "marked where the time ended it, not where it had learned enough"
    assert 1 <= learned.model.n_iter_ <= most
    assert seconds < 1 or learned.model.n_iter_ > FEWEST_ROUNDS


def test_rows_that_say_when_to_stop_teach_no_code_of_a_category() -> None:
    draw = numpy.random.default_rng(0)
    names = polars.Series("who", [f"s{number}" for number in draw.integers(100, size=300)], dtype=polars.Categorical)
    examples = Examples("tabular", Task.REGRESS, polars.DataFrame([names]), draw.normal(size=(300, 1)))
    candidate = Candidate("ffn 8", Kind.NETWORK, Stage.NETWORKS, "ffn", NetworkSettings("ffn", (8,), epochs=1))
    fitting, rows = Fitting(examples, 1), numpy.arange(250)
    learned = fitting.fit(candidate, rows, numpy.arange(250, 300), 0, IN_TIME).learned
    learning, _ = kept_back(examples, rows, 0)
    assert learned is not None
    assert (learned.prepared.flat(rows) == preparation(examples).fit(learning).flat(rows)).all()


def test_a_training_ends_when_its_time_does() -> None:
    examples = table(*shipped.load_digits(return_X_y=True))
    split = outer_split(examples)
    settings = NetworkSettings("ffn", (64,), epochs=100_000, early_stopping=False)
    candidate = Candidate("ffn 64", Kind.NETWORK, Stage.NETWORKS, "ffn", settings)
    fitting = Fitting(examples, 1)
    warm = replace(candidate, settings=replace(settings, epochs=1))  # the first steps of torch take long
    fitting.fit(warm, split.training, split.test, 0, Allowance(math.inf, math.inf))
    fitted = fitting.fit(candidate, split.training, split.test, 0, Allowance(math.inf, time.monotonic() + 10.0))
    assert fitted.short
    assert fitted.epochs is not None
    assert 0 < fitted.epochs < 100_000


def test_fewer_epochs_are_planned_where_all_would_take_too_long() -> None:
    examples = table(*shipped.load_digits(return_X_y=True))
    split = outer_split(examples)
    settings = NetworkSettings("ffn", (64,), epochs=100_000, early_stopping=False)
    candidate = Candidate("ffn 64", Kind.NETWORK, Stage.NETWORKS, "ffn", settings)
    fitted = Fitting(examples, 1).fit(candidate, split.training, split.test, 0, Allowance(0.5, math.inf))
    assert not fitted.short, "a shorter training that ends by itself"
    assert fitted.epochs is not None
    assert fitted.epochs < 5000
    assert fitted.hurried
    usual = replace(candidate, settings=replace(settings, epochs=3))
    assert not Fitting(examples, 1).fit(usual, split.training, split.test, 0, IN_TIME).hurried


def test_what_could_not_be_judged_is_not_begun_and_says_how_long_it_would_take() -> None:
    examples = table(*shipped.load_digits(return_X_y=True))
    split = outer_split(examples)
    settings = NetworkSettings("ffn", (64,), epochs=100_000, early_stopping=False)
    candidate = Candidate("ffn 64", Kind.NETWORK, Stage.NETWORKS, "ffn", settings)
    fitting = Fitting(examples, 1)
    short = Allowance(1e-4, math.inf, judged=True)
    with pytest.raises(TooSlowError, match=r"One epoch takes about .* s: there was time for 1, and"):
        fitting.fit(candidate, split.training, split.test, 0, short)
    fitted = fitting.fit(candidate, split.training, split.test, 0, replace(short, judged=False))
    assert fitted.epochs == 1, "in the finals it is trained as long as there is time"


@given(st.integers(1, 300), st.integers(1, 10**6), st.integers(1, 512))
def test_enough_is_at_most_half_of_the_usual_epochs_and_many_steps_if_less(epochs: int, rows: int, batch: int) -> None:
    enough = enough_epochs(Recipe(epochs=epochs, batch_size=batch), rows)
    assert 1 <= enough <= math.ceil(epochs / 2)
    if enough < math.ceil(epochs / 2):
        assert enough >= FEWEST_EPOCHS
        assert enough * math.ceil(rows / batch) >= FEWEST_STEPS


def test_a_training_that_was_planned_short_since_its_first_epoch_was_held_up_begins_anew() -> None:
    examples = table(*shipped.load_wine(return_X_y=True))
    split = outer_split(examples)
    settings = NetworkSettings("ffn", (8,), epochs=40, early_stopping=False)
    candidate = Candidate("ffn 8", Kind.NETWORK, Stage.NETWORKS, "ffn", settings)
    fitting = Fitting(examples, 1)
    fitting.fit(candidate, split.training, split.test, 0, IN_TIME)
    networks = fitting._networks
    assert networks is not None
    networks._epoch_seconds = dict.fromkeys(networks._epoch_seconds, 30.0)  # as if something had held up the first
    assert fitting.fit(candidate, split.training, split.test, 0, IN_TIME).epochs == 40


def test_what_cannot_be_built_says_why() -> None:
    examples = replace(pictures(), modality="image")
    split = outer_split(examples)
    lstm = Candidate("lstm 8", Kind.NETWORK, Stage.NETWORKS, "lstm", NetworkSettings("lstm", (8,)))
    with pytest.raises(FittingError, match="lstm"):
        Fitting(examples, 1).fit(lstm, split.training, split.test, 0, IN_TIME)


def test_a_training_that_diverges_is_a_failure() -> None:
    examples = table(*shipped.load_diabetes(return_X_y=True))
    split = outer_split(examples)
    settings = NetworkSettings("ffn", (8,), optimizer="sgd", learning_rate=1e30, early_stopping=False)
    wild = Candidate("ffn 8", Kind.NETWORK, Stage.NETWORKS, "ffn", settings)
    with pytest.raises(FittingError, match=r"diverged|no numbers"):
        Fitting(examples, 1).fit(wild, split.training, split.test, 0, IN_TIME)


def test_folds_are_the_same_each_time_and_never_touch_what_is_held_out() -> None:
    examples = table(*shipped.load_wine(return_X_y=True))
    outer = outer_split(examples, seed=3)
    folds, again = Folds(examples, outer.training, 3), Folds(examples, outer.training, 3)
    seen: set[bytes] = set()
    for rung in range(folds.rungs):
        splits: list[Split] = folds.of(rung)
        assert len(splits) == folds.width
        for split, other in zip(splits, again.of(rung), strict=True):
            assert split.training.tolist() == other.training.tolist()
            assert not set(split.training) & set(outer.test)
            assert not set(split.test) & (set(outer.test) | set(split.training))
            assert split.test.tobytes() not in seen, "no two folds are the same"
            seen.add(split.test.tobytes())
    assert folds.rungs * folds.width >= 30, "few examples are asked often"


def test_by_time_there_is_one_way_to_divide_and_the_latest_fold_comes_first() -> None:
    examples = series()
    folds = Folds(examples, outer_split(examples).training, 0)
    splits = [split for rung in range(folds.rungs) for split in folds.of(rung)]
    starts = [split.test.min() for split in splits]
    assert starts == sorted(starts, reverse=True)
    assert all(split.training.max() < split.test.min() for split in splits)


def test_of_many_examples_the_latest_folds_judge_first_and_the_earliest_not_at_all() -> None:
    draw = numpy.random.default_rng(0)
    examples = replace(table(draw.normal(size=(2000, 2)), draw.normal(size=2000)), times=numpy.arange(2000.0))
    folds = Folds(examples, numpy.arange(2000), 0)
    assert (folds.width, folds.rungs) == (3, 1), "of five by time"
    assert max(split.test.max() for split in folds.of(0)) == 1999
    assert min(len(split.training) for split in folds.of(0)) >= 900


@pytest.mark.parametrize("metric", [ACCURACY, BALANCED_ACCURACY, R2, RMSE])
def test_drawn_scores_lie_around_the_score_itself(metric: Metric) -> None:
    draw = numpy.random.default_rng(0)
    if metric in (R2, RMSE):
        truth = draw.normal(size=(300, 2))
        predicted = truth + draw.normal(scale=0.5, size=(300, 2))
    else:
        truth = draw.integers(3, size=300)
        predicted = numpy.where(draw.random(300) < 0.8, truth, 0)
    low, high = interval(Resampling(metric, truth).scores(predicted))
    exact = score(metric, truth, predicted)
    assert low < exact < high
    assert high - low < 0.3


@pytest.mark.parametrize("name", ["average_precision", "roc_auc", "log_loss", "f1", "neg_brier_score"])
def test_so_do_those_of_probabilities_and_of_scikit_learn_s_metrics(name: str) -> None:
    draw = numpy.random.default_rng(0)
    truth = (draw.random(400) < 0.2).astype(int)
    likely = numpy.clip(0.2 + 0.3 * truth + draw.normal(scale=0.15, size=400), 0.01, 0.99)
    metric, said = metric_named(name, "classify", truth), numpy.column_stack([1 - likely, likely])
    low, high = interval(Resampling(metric, truth).scores(said))
    assert low < score(metric, truth, said) < high
    assert high - low < 0.3


def test_a_difference_matters_by_the_size_that_scores_have() -> None:
    prices = 170_000 + 80_000 * numpy.random.default_rng(0).random((200, 1))

    def matters(name: str) -> float:
        return described(metric_named(name, "regress", prices), "regress", prices, prices).matters

    assert matters("rmse") == pytest.approx(0.01 * prices.std())
    assert matters("mean_absolute_percentage_error") < 0.01
    assert matters("mse") == pytest.approx(0.01 * prices.var(), rel=0.01)


def test_an_interval_covers_other_examples_about_as_often_as_it_says() -> None:
    covered = 0
    for seed in range(100):
        draw = numpy.random.default_rng(seed)
        truth = draw.integers(2, size=150)
        predicted = numpy.where(draw.random(150) < 0.8, truth, 1 - truth)
        low, high = interval(Resampling(ACCURACY, truth, seed).scores(predicted))
        covered += low <= 0.8 <= high
    assert 0.88 <= covered / 100 <= 0.99


def test_who_never_names_the_rare_class_is_not_flattered_by_draws_without_it() -> None:
    truth = numpy.repeat([0, 1], [300, 2])
    assert interval(Resampling(BALANCED_ACCURACY, truth).scores(numpy.zeros(302, int))) == (0.5, 0.5)


def test_answers_that_stand_or_fall_together_are_drawn_together() -> None:
    """Twenty groups of which all or none is right: as independent examples they would seem certain."""
    covered = alone = 0
    for seed in range(60):
        draw = numpy.random.default_rng(seed)
        group = numpy.repeat(numpy.arange(20), 15)
        truth = numpy.zeros(300, int)
        predicted = numpy.where(draw.random(20) < 0.7, 0, 1)[group]
        low, high = interval(Resampling(ACCURACY, truth, seed, group).scores(predicted))
        covered += low <= 0.7 <= high
        low, high = interval(Resampling(ACCURACY, truth, seed).scores(predicted))
        alone += low <= 0.7 <= high
    assert covered > 0.85 * 60 > 0.6 * 60 > alone


def test_draws_in_which_no_target_varies_say_nothing_of_r2() -> None:
    truth = numpy.zeros((60, 1))
    truth[0] = 1.0  # in one draw of three it is missing
    low, high = interval(Resampling(R2, truth).scores(truth * 0.9))
    assert 0.9 < low <= high <= 1.0


def test_far_off_targets_are_scored_by_what_they_differ_in() -> None:
    draw = numpy.random.default_rng(0)
    truth = 1.7e9 + draw.normal(size=(200, 1))
    low, high = interval(Resampling(R2, truth).scores(truth + draw.normal(scale=0.1, size=(200, 1))))
    assert 0.97 < low <= high < 1.0


def test_the_same_foretelling_differs_by_nothing() -> None:
    truth = numpy.arange(100) % 3
    predicted = (numpy.arange(100) * 7) % 3
    resampling = Resampling(ACCURACY, truth)
    one, other = resampling.scores(predicted), resampling.scores(predicted)
    assert (one == other).all(), "both are judged on the same draws"


def test_what_many_examples_or_classes_will_take_is_known_before() -> None:
    few = Fitting(table(*shipped.load_wine(return_X_y=True)), 1)
    boosting = next(c for c in menu(Planned(), "tabular").openers if c.model == "gradient_boosting")
    rows = numpy.arange(178)
    assert few.rehearsed(boosting, rows) == 0
    draw = numpy.random.default_rng(0)
    many = Fitting(table(draw.normal(size=(1200, 4)), draw.integers(40, size=1200)), 1)
    assert many.rehearsed(boosting, numpy.arange(1200)) > 0
