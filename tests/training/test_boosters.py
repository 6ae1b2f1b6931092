"""Boosted trees of LightGBM and CatBoost: they take categories and gaps as they are, stop in time, and are kept as numbers."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy
import polars
import pytest
from sklearn.base import clone
from sklearn.multioutput import MultiOutputRegressor
from skops import io as skops

from advisor.datasets.dataset import Examples, Task
from advisor.datasets.preparing.splits import outer_split
from advisor.training.child.boosters import Booster, BoosterClassifier, BoosterRegressor
from advisor.training.child.classical import model
from advisor.training.child.fitted import Allowance, FittingError
from advisor.training.child.fitting import FEWEST_ROUNDS, Fitting
from advisor.training.ladder.candidates import Candidate, Planned
from advisor.training.ladder.menu import menu
from advisor.training.ladder.trial_record import Kind, Stage
from advisor.training.ladder.variants import EARLY_STOPPED_ROUNDS, is_there

needs_catboost = pytest.mark.skipif(not is_there("catboost"), reason="it is not installed")
LIBRARIES = ["lightgbm", pytest.param("catboost", marks=needs_catboost)]
each = pytest.mark.parametrize("library", LIBRARIES)


def odd_ones(rows: int = 1200) -> tuple[Any, Any]:
    """A category of forty whose odd numbers are of class 7, and noise with gaps; the other class is 2."""
    draw = numpy.random.default_rng(0)
    inputs = numpy.stack([draw.integers(0, 40, rows).astype(float), draw.normal(size=rows)], axis=1)
    targets = numpy.where(inputs[:, 0] % 2 == 1, 7, 2)
    inputs[::5, 1] = numpy.nan
    return inputs, targets


@each
def test_categories_are_split_as_such_and_not_by_their_numbers(library: str) -> None:
    inputs, targets = odd_ones()
    right = {}
    for categories in ([True, False], [False, False]):
        booster = BoosterClassifier(library, 3, categorical_features=categories).fit(inputs[:900], targets[:900])
        assert booster.predict_proba(inputs[900:]).sum(axis=1) == pytest.approx(1)
        right[categories[0]] = (booster.predict(inputs[900:]) == targets[900:]).mean()
    assert right[True] > 0.98
    assert right[True] > right[False] + 0.03


@each
def test_a_gap_is_no_number_and_an_unknown_category_no_error(library: str) -> None:
    draw = numpy.random.default_rng(0)
    inputs = draw.normal(size=(400, 2))
    inputs[:, 1] = draw.integers(0, 4, 400)
    gaps = draw.random(400) < 0.3
    inputs[gaps, 0] = numpy.nan
    targets = gaps + 0.1 * draw.normal(size=400)
    booster = BoosterRegressor(library, 60, categorical_features=[False, True]).fit(inputs[:300], targets[:300])
    assert numpy.corrcoef(booster.predict(inputs[300:]), targets[300:])[0, 1] > 0.9
    others = inputs[300:].copy()
    others[::2, 1], others[1::2, 1] = 99, numpy.nan
    assert numpy.isfinite(booster.predict(others)).all()


@each
@pytest.mark.parametrize("classes", [2, 3])
def test_it_stops_where_kept_back_examples_no_longer_gain(library: str, classes: int) -> None:
    draw = numpy.random.default_rng(0)
    inputs, noise = draw.normal(size=(500, 3)), draw.normal(size=500)
    targets = numpy.digitize(inputs[:, 0] + noise, [0.0, 1.0][: classes - 1])
    inputs[450:, 1] = numpy.nan  # as none of the others is
    stopped = BoosterClassifier(library, 1000, early_stopping=True, n_iter_no_change=20)
    stopped.fit(inputs[:400], targets[:400], X_val=inputs[400:], y_val=targets[400:])
    best = int(numpy.argmax(stopped.validation_score_))
    assert 1 < best < 300
    assert len(stopped.validation_score_) == best + 1 + 20

    drawn = clone(stopped).fit(inputs, targets)
    assert 1 < len(drawn.validation_score_) < 1000


@each
def test_rare_classes_count_as_much_as_frequent_ones_where_they_are_weighted(library: str) -> None:
    draw = numpy.random.default_rng(0)
    inputs = draw.normal(size=(600, 2))
    targets = (inputs[:, 0] + draw.normal(size=600) > 2.2).astype(int)
    plain, weighted = (
        BoosterClassifier(library, 150, class_weight=weight).fit(inputs, targets).predict_proba(inputs)[:, 1].mean()
        for weight in (None, "balanced")
    )
    assert plain == pytest.approx(targets.mean(), abs=0.03)
    assert weighted > plain + 0.02


@each
def test_of_one_class_alone_that_one_is_certain(library: str) -> None:
    inputs, _ = odd_ones(50)
    booster = BoosterClassifier(library, 3, early_stopping=True).fit(inputs, numpy.full(50, 4))
    assert booster.predict_proba(inputs).tolist() == [[1.0]] * 50
    assert set(booster.predict(inputs)) == {4}


@each
def test_losses_of_numbers_aim_at_what_they_are_named_for(library: str) -> None:
    draw = numpy.random.default_rng(0)
    inputs, targets = draw.normal(size=(2000, 1)), draw.exponential(size=2000)
    mean, median, high = (
        BoosterRegressor(library, 100, loss=loss, quantile=quantile).fit(inputs, targets).predict(inputs).mean()
        for loss, quantile in (("squared_error", None), ("absolute_error", None), ("quantile", 0.9))
    )
    assert median < mean < high
    assert mean == pytest.approx(targets.mean(), abs=0.1)


@each
def test_the_same_seed_gives_the_same_and_nothing_is_written(
    library: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    inputs, targets = odd_ones(300)
    first, second = (
        BoosterClassifier(library, 10, random_state=3).fit(inputs, targets).predict_proba(inputs) for _ in range(2)
    )
    assert (first == second).all()
    assert list(tmp_path.iterdir()) == []
    assert capfd.readouterr() == ("", "")


@each
def test_it_is_kept_as_text_or_numbers_alone(library: str) -> None:
    inputs, targets = odd_ones(300)
    both = numpy.stack([targets, -targets], axis=1).astype(float)
    for fitted in (
        BoosterClassifier(library, 5, categorical_features=[True, False]).fit(inputs, targets),
        MultiOutputRegressor(BoosterRegressor(library, 5)).fit(inputs, both),
    ):
        stored = skops.dumps(fitted)
        ours = skops.get_untrusted_types(data=stored)
        assert {name.rpartition(".")[0] for name in ours} == {"advisor.training.child.boosters"}
        assert (skops.loads(stored, trusted=ours).predict(inputs) == fitted.predict(inputs)).all()


@each
def test_what_the_library_refuses_or_cannot_read_is_an_error_of_value(library: str) -> None:
    inputs, targets = odd_ones(100)
    with pytest.raises(ValueError, match=library):
        BoosterRegressor(library, 3).fit(inputs[:0], targets[:0])
    changed = BoosterRegressor(library, 3).fit(inputs, targets)
    changed.model_ = changed.model_[:50]
    with pytest.raises(ValueError, match="cannot read the model"):
        changed.predict(inputs)


def test_a_library_that_is_missing_or_unknown_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    inputs, targets = odd_ones(100)
    monkeypatch.setitem(sys.modules, "lightgbm", None)
    with pytest.raises(ValueError, match="lightgbm cannot be loaded"):
        BoosterRegressor("lightgbm").fit(inputs, targets)
    with pytest.raises(ValueError, match="lightgbm cannot be loaded"):
        model("gradient_boosting", "regress", variant="lightgbm")
    with pytest.raises(ValueError, match="'os' is no library of boosted trees"):
        BoosterRegressor("os").fit(inputs, targets)


def test_each_is_offered_where_it_is_installed_and_only_there(monkeypatch: pytest.MonkeyPatch) -> None:
    def offered(*installed: str) -> list[str]:
        monkeypatch.setattr(
            "advisor.training.ladder.variants.find_spec", lambda name: name if name in installed else None
        )
        return [one.variant for one in menu(Planned(), "tabular").settings if one.model == "gradient_boosting"]

    assert offered("lightgbm", "catboost")[:2] == ["few_leaves", "lightgbm"]
    assert offered("lightgbm", "catboost")[-1] == "catboost"
    assert set(offered("lightgbm", "catboost")) - set(offered("catboost")) == {"lightgbm"}
    assert set(offered()) == set(offered("lightgbm")) - {"lightgbm"}


# --- as candidates -----------------------------------------------------------------------------------------------


def shops(task: Task = Task.CLASSIFY, rows: int = 400) -> Examples:
    """Shops of which every other one sells, and a temperature that has gaps."""
    draw = numpy.random.default_rng(0)
    shop = draw.integers(0, 12, rows)
    sells = shop % 2 == 0
    warm = [None if draw.random() < 0.2 else float(draw.normal()) for _ in range(rows)]
    names = polars.Series("shop", [f"s{one}" for one in shop], dtype=polars.Categorical)
    frame = polars.DataFrame([names, polars.Series("warm", warm)])
    if task is Task.CLASSIFY:
        sells ^= draw.random(rows) < 0.1
        return Examples("tabular", task, frame, sells.astype(numpy.int64), ("no", "yes"))
    targets = (3 * sells + 0.1 * draw.normal(size=rows)).astype(numpy.float32)[:, None]
    return Examples("tabular", task, frame, targets)


def candidate(variant: str) -> Candidate:
    return Candidate(variant, Kind.BASELINE, Stage.BASELINES, "gradient_boosting", variant=variant)


@each
@pytest.mark.parametrize("task", [Task.CLASSIFY, Task.REGRESS])
def test_as_a_candidate_it_learns_what_a_table_shows(library: str, task: Task) -> None:
    examples = shops(task)
    split = outer_split(examples)
    fitted = Fitting(examples, 2).fit(candidate(library), split.training, split.test, 0, Allowance(60, 1e9))
    truth = examples.targets[split.test]
    if task is Task.CLASSIFY:
        assert (fitted.predicted == truth).mean() > 0.8
    else:
        assert numpy.abs(fitted.predicted - truth).mean() < 0.3
    assert fitted.learned is not None
    made: Booster = fitted.learned.model
    assert made.library == library
    assert made.n_jobs == 1, "on few examples threads wait for each other"
    assert made.learning_rate == 0.05
    assert made.categories, "categories are handed over as such"
    assert FEWEST_ROUNDS <= made.max_iter < EARLY_STOPPED_ROUNDS


@each
def test_as_a_candidate_it_grows_as_many_trees_as_there_is_time_for(library: str) -> None:
    examples = shops()
    split = outer_split(examples)
    fitted = Fitting(examples, 1).fit(candidate(library), split.training, split.test, 0, Allowance(1e-6, 1e9))
    assert fitted.learned is not None
    assert fitted.learned.model.max_iter <= FEWEST_ROUNDS


@each
def test_a_fit_that_fails_in_the_library_fails_as_a_trial(library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    class LibraryError(Exception):
        pass

    def fail(*_: Any, **__: Any) -> None:
        raise LibraryError("it is tired")

    monkeypatch.setattr(f"advisor.training.child.boosters._{library}", fail)
    examples = shops()
    split = outer_split(examples)
    with pytest.raises(FittingError, match="it is tired"):
        Fitting(examples, 1).fit(candidate(library), split.training, split.test, 0, Allowance(60, 1e9))
