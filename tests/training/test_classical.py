from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_wine

from advisor.training.child.classical import CLASSICAL, for_outputs, model

WINE, DIABETES = load_wine(), load_diabetes()
SCALED = (WINE.data - WINE.data.mean(0)) / WINE.data.std(0)
QUICK = {"random_forest": {"n_estimators": 20}, "gradient_boosting": {"max_iter": 20}, "mlp": {"max_iter": 50}}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("name", CLASSICAL)
@pytest.mark.parametrize("task", ["classify", "regress"])
def test_every_model_does_no_worse_than_the_trivial_one(name: str, task: str) -> None:
    if name == "naive_bayes" and task == "regress":
        with pytest.raises(ValueError, match="tells classes apart"):
            model(name, task)
        return
    inputs, targets = (SCALED, WINE.target) if task == "classify" else (DIABETES.data * 20, DIABETES.target)
    if name == "naive_bayes":  # of counts
        inputs = WINE.data
    seen, held_out = slice(None, None, 2), slice(1, None, 2)
    own, trivial = (
        model(each, task, 0, QUICK.get(each))
        .fit(inputs[seen], targets[seen])
        .score(inputs[held_out], targets[held_out])
        for each in (name, "trivial")
    )
    assert own == trivial if name == "trivial" else own > trivial or name == "mlp"


@pytest.mark.parametrize("name", ["random_forest", "gradient_boosting"])
def test_the_same_seed_gives_the_same_model(name: str) -> None:
    first, second = (
        model(name, "classify", 3, QUICK[name]).fit(SCALED, WINE.target).predict_proba(SCALED) for _ in range(2)
    )
    assert np.array_equal(first, second)


def test_the_trivial_model_gives_the_most_frequent_class_and_the_mean() -> None:
    assert model("trivial", "classify").fit([[0], [1], [2]], [1, 0, 1]).predict([[9]]).tolist() == [1]
    assert model("trivial", "regress").fit([[0], [1]], [1.0, 4.0]).predict([[9]]).tolist() == [2.5]


@pytest.mark.parametrize("name", ["linear", "gradient_boosting", "random_forest", "svm", "knn"])
def test_several_numbers_can_be_foretold_at_once(name: str) -> None:
    targets = np.stack([DIABETES.target, -DIABETES.target], axis=1)
    made = for_outputs(model(name, "forecast", 0, QUICK.get(name)), name, 2).fit(DIABETES.data, targets)
    assert made.predict(DIABETES.data[:3]).shape == (3, 2)


@pytest.mark.parametrize(
    ("name", "settings", "reason"),
    [
        ("random_forrest", {}, "random_forrest is no model without a network. Did you mean random_forest?"),
        ("linear", {"alfa": 1.0}, "alfa is no setting of linear. Did you mean alpha?"),
    ],
)
def test_unknown_names_are_refused_with_the_nearest_known_one(
    name: str, settings: dict[str, float], reason: str
) -> None:
    with pytest.raises(ValueError) as error:  # noqa: PT011 - compared below
        model(name, "regress", 0, settings)
    assert str(error.value) == reason
