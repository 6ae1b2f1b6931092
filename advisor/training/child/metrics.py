"""By what number models are compared; scikit-learn computes it."""

from __future__ import annotations

from enum import StrEnum
from typing import Any, TypeAlias

import numpy as np
from scipy.special import softmax
from sklearn import metrics

Numbers: TypeAlias = np.ndarray[Any, Any]

_FEWEST = 1e-30
"""Probabilities below count as this: a forest is certain of much that is not so."""
_TEMPERATURES = np.exp(np.linspace(-3, 3, 31))
"""From a twentieth to twenty, one among them. All are looked at, since the score may have several valleys."""
UNEVEN = 5.0
"""Largest over smallest class from which each class counts the same, however rare it is.

Of two classes, always naming the larger is then right for five examples in six.
"""


class Metric(StrEnum):
    """A score computed from the truth and a model's predictions."""

    ACCURACY = "accuracy"  # share of the examples whose class is right
    BALANCED_ACCURACY = "balanced_accuracy"  # mean over the classes of the share that was found
    R2 = "r2"  # share of the variance that is explained; 0 for the mean, below for worse
    RMSE = "rmse"  # root of the mean squared error, in the units of the target

    @property
    def greater_is_better(self) -> bool:
        return self is not Metric.RMSE


def metric_of(task: str, imbalance: float = 1.0) -> Metric:
    """The one number by which models for this task (of the fact task.kind) are compared.

    Classes: accuracy, but balanced accuracy from an imbalance of 5 on, as a model that knows only the large class must
    not look good. Numbers: the explained share of the variance, which can be read without knowing the units. Forecasts
    and restored examples: the root of the mean squared error, as the variance of a stretch of time depends on its length.
    """
    match task:
        case "classify" | "segment":
            return Metric.BALANCED_ACCURACY if imbalance >= UNEVEN else Metric.ACCURACY
        case "regress":
            return Metric.R2
        case _:
            return Metric.RMSE


def imbalance(classes: Numbers) -> float:
    """The largest class over the smallest of those that occur, from class numbers (n,)."""
    counts = np.unique(classes, return_counts=True)[1]
    return float(counts.max() / counts.min())


def score(metric: Metric, truth: Numbers, predicted: Numbers) -> float:
    """The metric of a model's predictions.

    Args:
        truth: class numbers (n,), or values (n,) or (n, outputs).
        predicted: probabilities (n, classes), which all metrics of classes take, or class numbers (n,); or values.
    """
    match metric:
        case Metric.ACCURACY:
            return float(metrics.accuracy_score(truth, _named(predicted)))
        case Metric.BALANCED_ACCURACY:  # classes that no example has are not asked for
            found = metrics.recall_score(truth, _named(predicted), labels=np.unique(truth), average="macro")
            return float(found)
        case Metric.R2:
            return float(metrics.r2_score(truth, predicted))
        case Metric.RMSE:
            return float(metrics.root_mean_squared_error(truth, predicted))


def brier(truth: Numbers, probabilities: Numbers, *, by_class: bool = False) -> float:
    """The distance of predicted probabilities from the truth: the mean over the examples of the squared distance (Brier 1950,
    Verification of forecasts expressed in terms of probability), from 0 to 2, for certain and wrong.

    Args:
        truth: class numbers (n,).
        probabilities: (n, classes).
        by_class: the mean over the classes that occur instead, each of which counts the same.
    """
    off = (probabilities**2).sum(axis=1) - 2 * probabilities[np.arange(len(truth)), truth] + 1
    return float(np.mean([off[truth == one].mean() for one in np.unique(truth)]) if by_class else off.mean())


def refined_brier(truth: Numbers, probabilities: Numbers, *, by_class: bool = False) -> float:
    """The least Brier score of these probabilities at any temperature: how well they tell the classes apart, however sure
    or unsure of itself a model is in general.

    A proper score is a sum of how far confidence is off (calibration) and of what no calibration improves (refinement); a
    temperature takes part of the first away and leaves the most probable class as it is (Berta, Holzmueller, Jordan and Bach
    2025, Rethinking early stopping: refine, then calibrate).

    Args:
        truth, probabilities, by_class: as for `brier`.
    """
    logarithms = np.log(np.clip(probabilities.astype(np.float64), _FEWEST, 1.0))
    return min(brier(truth, softmax(logarithms / one, axis=1), by_class=by_class) for one in _TEMPERATURES)


def _named(predicted: Numbers) -> Numbers:
    """The class that is thought most probable."""
    return predicted.argmax(axis=1) if predicted.ndim == 2 else predicted
