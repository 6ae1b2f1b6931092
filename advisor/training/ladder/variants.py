"""Settings of models that are no networks, a few for each under a name: a small portfolio instead of a search.

A fixed list of settings that were good on many data sets serves a short budget better than a search that begins from
nothing (Feurer et al. 2022, Auto-Sklearn 2.0, JMLR 23:261; Salinas and Erickson 2024, TabRepo, arXiv:2311.02971). The names
are those of the facts `trial.variant.*`, so that a plan and a project of its own have the settings that won. No
scikit-learn here.

LightGBM and CatBoost learn at the rate that AutoGluon gives them, and are else as they come (Erickson et al. 2020,
arXiv:2003.06505).
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any

DEFAULT = "default"
AFTER_LINEAR = "after_linear"
"""The variant of boosting whose trees grow on what a linear model leaves of numbers to predict."""
STATISTICAL = ("ets", "arima", "theta", "seasonal_naive")
"""Names of the statistical models of a series; none of them is the default."""
BOOSTERS: Mapping[str, str] = {"lightgbm": "lightgbm>=4.6", "catboost": "catboost>=1.2"}
"""Variants of boosting that are libraries of their own, and the versions of these that serve."""
_SAME: Mapping[str, Mapping[str, Mapping[str, Any]]] = {
    "gradient_boosting": {
        DEFAULT: {},
        "few_leaves": {"learning_rate": 0.05, "max_leaf_nodes": 8, "min_samples_leaf": 5, "max_features": 0.5},
        "lightgbm": {"learning_rate": 0.05},
        "regularised": {
            "learning_rate": 0.05, "max_leaf_nodes": 8, "min_samples_leaf": 40, "l2_regularization": 10.0, "max_features": 0.3,
        },
        "shallow": {"max_depth": 3, "learning_rate": 0.1, "max_features": 0.7},
        "small_leaves": {"learning_rate": 0.05, "max_leaf_nodes": 16, "min_samples_leaf": 5},
        "small_steps": {"learning_rate": 0.03, "max_features": 0.5, "l2_regularization": 1.0},
        "large": {"learning_rate": 0.05, "max_leaf_nodes": 127, "min_samples_leaf": 5, "max_features": 0.5},
        "catboost": {"learning_rate": 0.05},
    },
    "random_forest": {
        DEFAULT: {},
        "large_leaves": {"min_samples_leaf": 5, "max_features": 0.5},
        "extra": {"n_estimators": 200},
    },
    "knn": {DEFAULT: {}, "weighted": {"n_neighbors": 15, "weights": "distance"}},
    "naive_bayes": {DEFAULT: {}, "less_smoothing": {"alpha": 0.1}},
}  # fmt: skip
_OF_CLASSES: Mapping[str, Mapping[str, Mapping[str, Any]]] = {
    "linear": {DEFAULT: {}, "more_penalty": {"C": 0.05}, "less_penalty": {"C": 20.0}},
    "svm": {DEFAULT: {}, "more_penalty": {"C": 0.2}, "less_penalty": {"C": 10.0}},
}
_OF_NUMBERS: Mapping[str, Mapping[str, Mapping[str, Any]]] = {
    "gradient_boosting": {
        DEFAULT: {},
        AFTER_LINEAR: {"learning_rate": 0.05, "max_leaf_nodes": 16, "min_samples_leaf": 5},
        **_SAME["gradient_boosting"],
    },
    "linear": {DEFAULT: {}, "more_penalty": {"alpha": 30.0}, "less_penalty": {"alpha": 0.03}},
    "svm": {DEFAULT: {}, "more_penalty": {"C": 0.2}, "less_penalty": {"C": 10.0}},
}
EARLY_STOPPED_ROUNDS = 1000
"""Rounds of boosting at most, where examples that were kept back say when to stop; all variants but the default."""


def variants(model: str, *, classes: bool) -> Mapping[str, Mapping[str, Any]]:
    """The variants of a model by name, the default first, each with parameters by their names in scikit-learn.

    Empty for what has no variants.

    Args:
        classes: the task is to tell classes apart, rather than to predict numbers.
    """
    return {**_SAME, **(_OF_CLASSES if classes else _OF_NUMBERS)}.get(model, {})


def is_there(variant: str) -> bool:
    """True where the library of a variant is installed; of those that need none always."""
    return variant not in BOOSTERS or find_spec(variant) is not None
