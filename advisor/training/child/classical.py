"""Models that are no networks, by the names of the plan, mostly through scikit-learn: what a network must beat.

They take what `Preparation.flat` gives (numbers, scaled, categories as columns) and plain targets: class numbers (n,),
or values (n,) or (n, outputs).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.calibration import CalibratedClassifierCV
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.multioutput import MultiOutputRegressor
from sklearn.naive_bayes import ComplementNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.svm import SVC, SVR, LinearSVC

from advisor.datasets.preparing.preparation import Preparation
from advisor.errors import did_you_mean
from advisor.training.child.after_linear import AfterLinear
from advisor.training.child.boosters import BoosterClassifier, BoosterRegressor, loaded
from advisor.training.ladder.candidates import TOGETHER
from advisor.training.ladder.variants import AFTER_LINEAR, BOOSTERS
from advisor.wording import shorten

_Maker = Callable[..., BaseEstimator]

MOST_ROUNDS = 1000
"""Of the solver of the logistic regression; scikit-learn's 100 are too few for tables of some hundred columns."""


CALIBRATED_ON = 3
"""Folds on which the probabilities of a support vector machine are fitted to its distances."""
SINGLE = ("gradient_boosting", "svm")
"""Models that predict one number only."""
OF_WORDS = "of words"
"""Ends the name of a model that is another one for texts."""
_EXTRA = "random_forest extra"


def model(
    name: str,
    task: str,
    seed: int = 0,
    settings: Mapping[str, Any] | None = None,
    *,
    variant: str = "",
    words: bool = False,
) -> BaseEstimator:
    """A model that has not been fitted, with scikit-learn's defaults except for what the settings say.

    trivial gives the most frequent class or the mean; linear is a logistic regression (Cox 1958) or a ridge regression
    (Hoerl and Kennard 1970); random_forest Breiman 2001; gradient_boosting over histograms, Friedman 2001 as in LightGBM
    (Ke et al. 2017); knn the nearest neighbours; svm a support vector machine (Cortes and Vapnik 1995), its probabilities by
    Platt's sigmoid; naive_bayes that of the complement (Rennie et al. 2003), for counts of words; mlp scikit-learn's network
    of one hidden layer.

    Args:
        task: classify; or regress or forecast, whose targets are numbers.
        seed: for models that draw random numbers; the others don't look at it.
        settings: parameters of the estimator by their names in scikit-learn.
        variant: of a forest `extra` draws its thresholds (Geurts et al. 2006), of boosting `lightgbm` (Ke et al. 2017) and
            `catboost` (Prokhorenkova et al. 2018) are libraries, and `after_linear` is boosting of what a linear model leaves
            of numbers; other variants are settings.
        words: the inputs are weighted counts of words, which a straight border divides best.

    Raises:
        ValueError: there is no model of this name, its library is missing, or a setting is not one of its parameters.
    """
    if name not in CLASSICAL:
        raise ValueError(f"{shorten(name)} is no model without a network. {did_you_mean(name, CLASSICAL)}")
    classes = task == "classify"
    if (name, classes) not in _MAKERS:
        raise ValueError(f"{name} tells classes apart, and here are numbers to predict.")
    if variant in BOOSTERS:
        loaded(variant)  # before anything is timed
    special = f"svm {OF_WORDS}" if name == "svm" and words else f"{name} {variant}"
    made = _MAKERS.get((special, classes), _MAKERS[name, classes])(seed)
    known = made.get_params()
    for setting in settings or {}:
        if setting not in known:
            raise ValueError(f"{shorten(setting)} is no setting of {name}. {did_you_mean(setting, known)}")
    made.set_params(**(settings or {}))
    return CalibratedClassifierCV(made, ensemble=False, cv=CALIBRATED_ON) if name == "svm" and classes else made


def for_outputs(estimator: BaseEstimator, name: str, outputs: int) -> BaseEstimator:
    """The model for so many numbers to predict: one copy for each if it predicts a single one only."""
    return MultiOutputRegressor(estimator) if outputs > 1 and name in SINGLE else estimator


def said(fitted: Any, name: str, prepared: Preparation, rows: NDArray[numpy.int64], *, classes: bool) -> NDArray[Any]:
    """The outputs (n, outputs) of a fitted model for rows of the preparation's examples: probabilities, or scaled numbers.

    Args:
        fitted: an estimator; of several together a list of name, share and estimator of each.
        name: the model, by the plan's name.
    """
    if name == TOGETHER:
        parts = [share * said(one, member, prepared, rows, classes=classes) for member, share, one in fitted]
        mixed: NDArray[Any] = numpy.sum(parts, axis=0)
        return mixed
    return asked(fitted, inputs_for(name, prepared, rows)[0], prepared.outputs, classes=classes)


def inputs_for(name: str, prepared: Preparation, rows: NDArray[numpy.int64]) -> tuple[NDArray[Any], list[bool] | None]:
    """Inputs of a model (n, values), and which of them are categories that it splits itself.

    In columns of their own, categories with fewer rows than a leaf must have would be lost on boosted trees.
    """
    coded = prepared.coded(rows) if name == "gradient_boosting" else None
    return (prepared.flat(rows), None) if coded is None else coded


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


def _booster(made: _Maker, library: str, seed: int) -> BaseEstimator:
    return made(library, random_state=seed)


_MAKERS: Mapping[tuple[str, bool], _Maker] = {
    ("trivial", True): lambda seed: DummyClassifier(strategy="prior"),
    ("trivial", False): lambda seed: DummyRegressor(strategy="mean"),
    ("linear", True): lambda seed: LogisticRegression(max_iter=MOST_ROUNDS),
    ("linear", False): lambda seed: Ridge(),
    ("knn", True): lambda seed: KNeighborsClassifier(),
    ("knn", False): lambda seed: KNeighborsRegressor(),
    ("svm", True): lambda seed: SVC(),
    ("svm", False): lambda seed: SVR(),
    (f"svm {OF_WORDS}", True): lambda seed: LinearSVC(random_state=seed),
    ("naive_bayes", True): lambda seed: ComplementNB(),
    (_EXTRA, True): lambda seed: ExtraTreesClassifier(random_state=seed),
    (_EXTRA, False): lambda seed: ExtraTreesRegressor(random_state=seed),
    ("random_forest", True): lambda seed: RandomForestClassifier(random_state=seed),
    ("random_forest", False): lambda seed: RandomForestRegressor(random_state=seed),
    ("gradient_boosting", True): lambda seed: HistGradientBoostingClassifier(early_stopping=False, random_state=seed),
    ("gradient_boosting", False): lambda seed: HistGradientBoostingRegressor(early_stopping=False, random_state=seed),
    (f"gradient_boosting {AFTER_LINEAR}", False): lambda seed: AfterLinear(early_stopping=False, random_state=seed),
    **{(f"gradient_boosting {one}", True): partial(_booster, BoosterClassifier, one) for one in BOOSTERS},
    **{(f"gradient_boosting {one}", False): partial(_booster, BoosterRegressor, one) for one in BOOSTERS},
    ("mlp", True): lambda seed: MLPClassifier(random_state=seed),
    ("mlp", False): lambda seed: MLPRegressor(random_state=seed),
}
CLASSICAL = tuple(dict.fromkeys(name for name, _ in _MAKERS if " " not in name))
"""Their names, the simplest first."""
