"""Boosted trees of LightGBM or CatBoost, with the names that scikit-learn has for those of its own.

LightGBM is of Ke et al. 2017 (LightGBM: a highly efficient gradient boosting decision tree, NeurIPS), CatBoost of
Prokhorenkova et al. 2018 (CatBoost: unbiased boosting with categorical features, NeurIPS). A fitted model is kept in the
format of its library, which holds numbers and no code.
"""

import tempfile
from collections.abc import Callable, Sequence
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, is_classifier
from sklearn.model_selection import train_test_split
from sklearn.utils.class_weight import compute_sample_weight

LOSSES = {
    "lightgbm": {"squared_error": "regression", "absolute_error": "l1", "quantile": "quantile"},
    "catboost": {"squared_error": "RMSE", "absolute_error": "MAE", "quantile": "Quantile"},
}
"""The libraries, and their names for losses of numbers."""


def loaded(library: str) -> Any:
    """The module of a library. Raises ValueError where it is none of these, or is not there."""
    if library not in LOSSES:
        raise ValueError(f"{library!r} is no library of boosted trees.")
    try:
        return import_module(library)
    except (ImportError, OSError) as error:  # the latter where the system lacks what it is linked with
        raise ValueError(f"{library} cannot be loaded: {error}") from None


class Booster(BaseEstimator):  # type: ignore[misc]
    """Boosted trees; the library decides on all that has no parameter here."""

    def __init__(
        self,
        library: str = "lightgbm",
        max_iter: int = 100,
        learning_rate: float = 0.05,
        loss: str = "squared_error",
        quantile: float | None = None,
        class_weight: str | None = None,
        categorical_features: Sequence[bool] | None = None,
        early_stopping: bool = False,
        n_iter_no_change: int = 50,
        validation_fraction: float = 0.1,
        n_jobs: int = 1,
        random_state: int = 0,
    ) -> None:
        """
        Args:
            max_iter: trees; of several classes for each of them.
            loss: of numbers; classes have the logarithmic one.
            class_weight: "balanced" where rare classes count as much together as frequent ones.
            categorical_features: true for columns that hold the numbers of categories, NaN for an unknown one.
            early_stopping: end after `n_iter_no_change` trees that were of no use to examples that are kept back.
            n_jobs: threads; -1 for all that there are.
        """
        self.library = library
        self.max_iter = max_iter
        self.learning_rate = learning_rate
        self.loss = loss
        self.quantile = quantile
        self.class_weight = class_weight
        self.categorical_features = categorical_features
        self.early_stopping = early_stopping
        self.n_iter_no_change = n_iter_no_change
        self.validation_fraction = validation_fraction
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, inputs: Any, targets: Any, X_val: Any = None, y_val: Any = None) -> "Booster":
        """Learn from inputs (n, columns), NaN where a value is missing, and targets (n,).

        `validation_score_` then says how good the model was before the first tree and after each one.

        Args:
            X_val: examples that are kept back for early stopping; some of the others where there are none.
            y_val: their targets.

        Raises:
            ValueError: the library is missing, or refuses these examples.
        """
        module, classes = loaded(self.library), is_classifier(self)
        stopping = X_val, y_val
        if self.early_stopping and X_val is None:
            inputs, kept_back, targets, answers = train_test_split(
                inputs,
                targets,
                test_size=self.validation_fraction,
                random_state=self.random_state,
                stratify=targets if classes else None,
            )
            stopping = kept_back, answers
        weights = compute_sample_weight(self.class_weight, targets) if classes and self.class_weight else None
        if classes:
            self.classes_, targets = numpy.unique(targets, return_inverse=True)
            if len(self.classes_) < 2:  # which is certain then; no library learns that
                self.model_, self.validation_score_ = "", -numpy.array([numpy.inf])
                return self
            if self.early_stopping:
                stopping = stopping[0], numpy.searchsorted(self.classes_, stopping[1])
        fit: Callable[..., tuple[Any, list[float]]] = _lightgbm if self.library == "lightgbm" else _catboost
        try:
            found = fit(module, self, inputs, targets, weights, stopping if self.early_stopping else None)
        except Exception as error:  # each library has a kind of its own
            raise ValueError(f"{self.library}: {error}") from error
        self.model_, losses = found
        self.validation_score_ = -numpy.array([numpy.inf, *losses])
        return self

    @property
    def categories(self) -> list[int]:
        """The places of columns that hold categories."""
        return [place for place, yes in enumerate(self.categorical_features or ()) if yes]

    def _answers(self, inputs: Any) -> Any:
        """Probabilities (n, classes), of two classes from LightGBM those of the second (n,); or numbers (n,)."""
        model = _read(self.library, self.model_)
        if self.library == "lightgbm":
            return model.predict(inputs, num_threads=self.n_jobs)
        told = "Probability" if is_classifier(self) else "RawFormulaVal"
        return model.predict(_taken(inputs, self.categories), prediction_type=told, thread_count=self.n_jobs)


class BoosterClassifier(ClassifierMixin, Booster):  # type: ignore[misc]
    """Boosted trees that tell classes apart."""

    def predict_proba(self, inputs: Any) -> Any:
        """The probabilities of the classes (n, classes)."""
        if len(self.classes_) < 2:
            return numpy.ones((len(inputs), 1))
        answers = self._answers(inputs)
        return answers if answers.ndim > 1 else numpy.stack([1 - answers, answers], axis=1)

    def predict(self, inputs: Any) -> Any:
        """The most probable classes (n,)."""
        return self.classes_[self.predict_proba(inputs).argmax(axis=1)]


class BoosterRegressor(RegressorMixin, Booster):  # type: ignore[misc]
    """Boosted trees that predict a number."""

    def predict(self, inputs: Any) -> Any:
        """Numbers (n,)."""
        return self._answers(inputs)


def _lightgbm(
    lightgbm: Any, booster: Booster, inputs: Any, targets: Any, weights: Any, kept: Any
) -> tuple[str, list[float]]:
    """A model as text, and its loss on what is kept back after each tree."""
    settings = {
        "objective": LOSSES["lightgbm"][booster.loss],
        "alpha": booster.quantile or 0.5,
        "learning_rate": booster.learning_rate,
        "seed": booster.random_state,
        "deterministic": True,
        "force_row_wise": True,
        "num_threads": booster.n_jobs,
        "verbosity": -1,
    }
    if is_classifier(booster):
        classes = len(booster.classes_)
        settings |= {"objective": "multiclass", "num_class": classes} if classes > 2 else {"objective": "binary"}
    data = lightgbm.Dataset(inputs, targets, weight=weights, categorical_feature=booster.categories, params=settings)
    told: dict[str, dict[str, list[float]]] = {}
    more = {}
    if kept is not None:
        stop = lightgbm.early_stopping(booster.n_iter_no_change, verbose=False)
        more = {
            "valid_sets": [lightgbm.Dataset(*kept, reference=data)],
            "callbacks": [stop, lightgbm.record_evaluation(told)],
        }
    model = lightgbm.train(settings, data, booster.max_iter, **more)
    return model.model_to_string(num_iteration=-1), _losses(told)


def _catboost(
    catboost: Any, booster: Booster, inputs: Any, targets: Any, weights: Any, kept: Any
) -> tuple[bytes, list[float]]:
    """A model in bytes, and its loss on what is kept back after each tree."""
    loss = LOSSES["catboost"][booster.loss] + (f":alpha={booster.quantile}" if booster.quantile else "")
    if is_classifier(booster):
        loss = "MultiClass" if len(booster.classes_) > 2 else "Logloss"
    settings = {
        "loss_function": loss,
        "iterations": booster.max_iter,
        "learning_rate": booster.learning_rate,
        "random_seed": booster.random_state,
        "thread_count": booster.n_jobs,
        "allow_writing_files": False,
    }
    categories = booster.categories
    more = {}
    if kept is not None:
        whole = ~numpy.isnan(inputs).any(axis=0)  # in a column without gaps it takes none that is kept back
        filled = numpy.where(numpy.isnan(kept[0]) & whole, inputs.min(axis=0), kept[0])
        more = {
            "eval_set": catboost.Pool(_taken(filled, categories), kept[1], cat_features=categories),
            "early_stopping_rounds": booster.n_iter_no_change,
            "use_best_model": False,
        }
    pool = catboost.Pool(_taken(inputs, categories), targets, weight=weights, cat_features=categories)
    model = catboost.CatBoost(settings).fit(pool, verbose=False, **more)
    losses = _losses({name: of for name, of in model.get_evals_result().items() if name == "validation"})
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "model.cbm"
        model.save_model(str(file))
        return file.read_bytes(), losses


def _losses(told: dict[str, dict[str, list[float]]]) -> list[float]:
    """The first one of what is kept back, after each tree."""
    return [loss for by_name in told.values() for loss in next(iter(by_name.values()))]


def _taken(inputs: Any, categories: list[int]) -> Any:
    """Inputs as CatBoost takes them: numbers of categories are whole, that of an unknown one is -1."""
    if not categories:
        return inputs
    import pandas  # CatBoost brings it

    codes = {place: numpy.nan_to_num(inputs[:, place], nan=-1).astype(int) for place in categories}
    return pandas.DataFrame({place: codes.get(place, inputs[:, place]) for place in range(inputs.shape[1])})


@lru_cache(maxsize=64)  # one for each output
def _read(library: str, model: str | bytes) -> Any:
    module = loaded(library)
    try:
        return module.Booster(model_str=model) if library == "lightgbm" else module.CatBoost().load_model(blob=model)
    except Exception as error:  # each library has a kind of its own
        raise ValueError(f"{library} cannot read the model: {error}") from error
