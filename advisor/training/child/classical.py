"""Models that are no networks, by the names of the plan, through scikit-learn: what a network must beat.

They take what `Preparation.flat` gives (numbers, scaled, categories as columns) and plain targets: class numbers (n,),
or values (n,) or (n, outputs).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.multioutput import MultiOutputRegressor
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.neural_network import MLPClassifier, MLPRegressor

from advisor.errors import did_you_mean
from advisor.wording import shorten

_Maker = Callable[..., BaseEstimator]

MOST_ROUNDS = 1000
"""Of the solver of the logistic regression; scikit-learn's 100 are too few for tables of some hundred columns."""


def model(name: str, task: str, seed: int = 0, settings: Mapping[str, Any] | None = None) -> BaseEstimator:
    """A model that has not been fitted, with scikit-learn's defaults except for what the settings say.

    trivial gives the most frequent class or the mean; linear is a logistic regression (Cox 1958) or a ridge regression
    (Hoerl and Kennard 1970); random_forest Breiman 2001; gradient_boosting over histograms, Friedman 2001 as in LightGBM
    (Ke et al. 2017); knn the nearest neighbours; mlp scikit-learn's network of one hidden layer.

    Args:
        task: classify; or regress or forecast, whose targets are numbers.
        seed: for models that draw random numbers; the others don't look at it.
        settings: parameters of the estimator by their names in scikit-learn.

    Raises:
        ValueError: there is no model of this name, or a setting is not one of its parameters.
    """
    if name not in CLASSICAL:
        raise ValueError(f"{shorten(name)} is no model without a network. {did_you_mean(name, CLASSICAL)}")
    made = _MAKERS[name, task == "classify"](seed)
    known = made.get_params()
    for setting in settings or {}:
        if setting not in known:
            raise ValueError(f"{shorten(setting)} is no setting of {name}. {did_you_mean(setting, known)}")
    return made.set_params(**(settings or {}))


def for_outputs(estimator: BaseEstimator, name: str, outputs: int) -> BaseEstimator:
    """The model for so many numbers to predict: one copy for each if it predicts a single one only."""
    return MultiOutputRegressor(estimator) if outputs > 1 and name == "gradient_boosting" else estimator


def asked(estimator: Any, inputs: Any, outputs: int, *, classes: bool) -> NDArray[Any]:
    """The outputs (n, outputs) of a fitted model: probabilities of all classes, or numbers."""
    predicted = numpy.asarray(estimator.predict_proba(inputs) if classes else estimator.predict(inputs))
    if not classes:
        return predicted.reshape(len(inputs), -1)
    if len(estimator.classes_) == outputs:
        return predicted
    probabilities = numpy.zeros((len(inputs), outputs))  # some classes were not there to be learned
    probabilities[:, estimator.classes_] = predicted if len(estimator.classes_) > 1 else 1.0
    return probabilities


_MAKERS: Mapping[tuple[str, bool], _Maker] = {
    ("trivial", True): lambda seed: DummyClassifier(strategy="prior"),
    ("trivial", False): lambda seed: DummyRegressor(strategy="mean"),
    ("linear", True): lambda seed: LogisticRegression(max_iter=MOST_ROUNDS),
    ("linear", False): lambda seed: Ridge(),
    ("knn", True): lambda seed: KNeighborsClassifier(),
    ("knn", False): lambda seed: KNeighborsRegressor(),
    ("random_forest", True): lambda seed: RandomForestClassifier(random_state=seed),
    ("random_forest", False): lambda seed: RandomForestRegressor(random_state=seed),
    ("gradient_boosting", True): lambda seed: HistGradientBoostingClassifier(early_stopping=False, random_state=seed),
    ("gradient_boosting", False): lambda seed: HistGradientBoostingRegressor(early_stopping=False, random_state=seed),
    ("mlp", True): lambda seed: MLPClassifier(random_state=seed),
    ("mlp", False): lambda seed: MLPRegressor(random_state=seed),
}
CLASSICAL = tuple(dict.fromkeys(name for name, _ in _MAKERS))
"""Their names, the simplest first."""
