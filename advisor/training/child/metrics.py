"""By what number models are compared: one of ours by task and imbalance, or any of scikit-learn's by its name."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax
from scipy.stats import rankdata
from sklearn import metrics

from advisor.errors import did_you_mean, input_error
from advisor.wording import shorten

Numbers: TypeAlias = np.ndarray[Any, Any]
Floats: TypeAlias = NDArray[np.float64]

_FEWEST = 1e-30
"""Probabilities below count as this: a forest is certain of much that is not so."""
_TEMPERATURES = np.exp(np.linspace(-3, 3, 31))
"""From a twentieth to twenty, one among them. All are looked at, since the score may have several valleys."""
UNEVEN = 5.0
"""Largest over smallest class from which each class counts the same, however rare it is.

Of two classes, always naming the larger is then right for five examples in six.
"""


class Reads(StrEnum):
    """The part of a model's answer that a metric looks at."""

    CLASSES = "classes"  # class numbers (n,)
    PROBABILITIES = "probabilities"  # (n, classes); (n,) of the class that is looked for
    VALUES = "values"  # (n, outputs)


Scored: TypeAlias = Callable[[Numbers, Numbers], float]
"""The metric, from the truth and what it reads of the predictions."""
Drawn: TypeAlias = Callable[[Numbers, Numbers, Floats], Floats]
"""The same where each example counts as often as (draws, n) says; (draws,), NaN where a draw makes it meaningless."""


@dataclass(frozen=True)
class Metric:
    """A score computed from the truth and a model's predictions."""

    name: str
    title: str
    reads: Reads
    of: Scored
    drawn: Drawn | None = None
    """None where each draw is computed by itself."""
    greater_is_better: bool = True
    positive: int | None = None
    """The class that is looked for, where the metric is of one against the other; truth and predictions are then of it."""

    def read(self, truth: Numbers, predicted: Numbers) -> tuple[Numbers, Numbers]:
        """Truth and predictions as `of` and `drawn` take them.

        Args:
            truth: class numbers (n,), or values (n,) or (n, outputs).
            predicted: probabilities (n, classes), which all metrics of classes take, or class numbers (n,); or values.
        """
        if self.reads is Reads.VALUES:
            return truth, predicted
        if self.reads is Reads.CLASSES and predicted.ndim == 2:
            predicted = predicted.argmax(axis=1)  # the class that is thought most probable
        if self.positive is None:
            return truth, predicted
        found = predicted[:, self.positive] if predicted.ndim == 2 else (predicted == self.positive).astype(np.int64)
        return (truth == self.positive).astype(np.int64), found


class MeaninglessError(ValueError):
    """The metric says nothing of these examples, such as those of a single class."""


def score(metric: Metric, truth: Numbers, predicted: Numbers) -> float:
    """The metric of a model's predictions, both as for `Metric.read`. Raises MeaninglessError where it is no number."""
    try:
        found = metric.of(*metric.read(truth, predicted))
    except ValueError as error:
        said = str(error).partition("\n")[0] or type(error).__name__
        raise MeaninglessError(f"{metric.title} cannot be computed: {said}") from error
    if not np.isfinite(found):
        raise MeaninglessError(f"{metric.title} is no number here, as where a class is missing.")
    return found


def says_something(metric: Metric, targets: Numbers, rows: Numbers) -> bool:
    """True if the metric is a number for these of all examples, where each gets the answer of whoever looks at no input.

    Args:
        targets: of all examples, class numbers (n,) or values (n, outputs).
    """
    said = saying_nothing(targets, classes=targets.ndim == 1)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            score(metric, targets[rows], said[rows])
    except MeaninglessError:
        return False
    return True


def metric_of(task: str, targets: Numbers, parts: Iterable[Numbers] = ()) -> Metric:
    """The one number by which models for this task (of the fact task.kind) are compared.

    Classes: accuracy. From an imbalance of 5 on a model that knows only the large class must not look good: the average
    precision of the rarer of two classes, the logarithmic loss of several. Neither rests on a threshold, which the use
    of a model decides. Numbers: the explained share of the variance, which can be read without knowing the units.
    Forecasts and restored examples: the root of the mean squared error, as the variance of a stretch of time depends on
    its length.

    Args:
        targets: class numbers (n,), or values (n, outputs).
        parts: targets of the examples that are scored at a time, the held-out ones first. Where some lack the rarer class,
            as by time or by group, average precision says nothing of them, and the logarithmic loss decides. Where the
            first do not vary, or none of the others, no variance is to be explained, and the error decides.
    """
    match task:
        case "classify" | "segment" if imbalance(targets) >= UNEVEN:
            everywhere = all(len(np.unique(part)) > 1 for part in parts)
            return looking_for(AVERAGE_PRECISION, targets) if everywhere and len(np.unique(targets)) == 2 else LOG_LOSS
        case "classify" | "segment":
            return ACCURACY
        case "regress":
            varies = [bool((np.ptp(part, axis=0) > 0).any()) for part in parts]
            return R2 if all(varies[:1]) and any(varies[1:] or [True]) else RMSE
        case _:
            return RMSE


def imbalance(classes: Numbers) -> float:
    """The largest class over the smallest of those that occur, from class numbers (n,)."""
    counts = np.unique(classes, return_counts=True)[1]
    return float(counts.max() / counts.min())


def rarer(classes: Numbers) -> int:
    """The number of the class with the fewest examples, of those that occur; of equals the last."""
    found, counts = np.unique(classes, return_counts=True)
    return int(found[len(counts) - 1 - counts[::-1].argmin()])


def looking_for(metric: Metric, targets: Numbers) -> Metric:
    """The metric of the rarer of two classes."""
    return replace(metric, positive=rarer(targets))


def metric_named(name: str, task: str, targets: Numbers, unit: float | None = None) -> Metric:
    """The metric of this name: one of ours, or one that scikit-learn has under it (`sklearn.metrics.get_scorer_names`).

    Args:
        task: of the fact task.kind.
        targets: class numbers (n,), or values (n, outputs), on which it is tried.
        unit: of a forecast the usual error, which MASE counts in.

    Raises:
        InputError: there is none, or it says nothing of such targets.
    """
    classes = task in ("classify", "segment")
    plain = name.strip().casefold().replace(" ", "_").replace("-", "_")
    ours = {one.name: one for one in OURS if (one.reads is Reads.VALUES) != classes}
    theirs = {other.removeprefix("neg_"): other for other in metrics.get_scorer_names()}
    known = {**theirs, **{other: other for other in theirs.values()}, **{one: one for one in ours}, **_CALLED}
    title, where = "The metric cannot be used", "--metric"
    remedy = f"Take one of {', '.join(sorted(ours))}, or another name of a scikit-learn scorer."
    other = next((one for one in OURS if one.name == _CALLED.get(plain, plain) and one.name not in ours), None)
    if other is not None:
        what = f"{other.name} is for {'numbers' if classes else 'classes'}, and the targets are not"
        raise input_error(title, what, where=where, remedy=remedy)
    of_numbers = _of_numbers(plain, unit) if not classes else None
    if of_numbers is not None:
        return of_numbers
    if plain not in known:
        remedy = did_you_mean(plain, known) or remedy
        raise input_error(title, f"{shorten(name)!r} is not known", where=where, remedy=remedy)
    plain = known[plain]
    if plain in (ROC_AUC.name, AVERAGE_PRECISION.name) and len(np.unique(targets)) != 2:
        what = f"{plain} is of two classes, and there are {len(np.unique(targets))}"
        raise input_error(title, what, where=where, remedy="Take log_loss, roc_auc_ovr or balanced_accuracy.")
    found = ours.get(plain) or _of_scikit_learn(plain, classes=classes)
    if classes and len(np.unique(targets)) == 2 and found not in (ACCURACY, BALANCED_ACCURACY, LOG_LOSS):
        found = looking_for(found, targets)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            score(found, targets, saying_nothing(targets, classes=classes))
    except (ValueError, TypeError, IndexError, LookupError) as error:
        said = shorten((str(error) or type(error).__name__).splitlines()[0], 120).rstrip(".")
        raise input_error(title, f"{plain} says nothing of these targets: {said}", where=where, remedy=remedy) from None
    return found


def saying_nothing(targets: Numbers, *, classes: bool) -> Numbers:
    """The predictions of whoever looks at no input: shares of the classes (n, classes), or means (n, outputs)."""
    if not classes:
        return np.broadcast_to(targets.mean(axis=0), targets.shape)
    shares = np.bincount(targets) / len(targets)
    return np.broadcast_to(shares, (len(targets), len(shares)))


def _of_scikit_learn(name: str, *, classes: bool) -> Metric:
    """Errors, which scikit-learn turns so that greater is better, are told as they are."""
    scorer = metrics.get_scorer(name)
    function = partial(scorer._score_func, **scorer._kwargs)
    by_class = scorer._response_method == "predict"
    reads = Reads.VALUES if not classes else Reads.CLASSES if by_class else Reads.PROBABILITIES

    def of(truth: Numbers, predicted: Numbers) -> float:
        if predicted.ndim == 2 and reads is Reads.PROBABILITIES:  # classes that no example of a fold has
            return float(function(truth, predicted, labels=np.arange(predicted.shape[1])))
        return float(function(truth, predicted))

    plain = name.removeprefix("neg_")
    title = plain.replace("_", " ").replace("f1", "F1").replace("roc auc", "ROC AUC")
    return Metric(plain, title, reads, of, greater_is_better=scorer._sign > 0)


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


def _weighted(values: Numbers, counts: Floats) -> Floats:
    """The mean over the examples (n,) of each draw (draws, n)."""
    mean: Floats = counts @ values / counts.sum(axis=1)
    return mean


def _balanced_accuracy(truth: Numbers, predicted: Numbers) -> float:
    """Classes that no example has are not asked for."""
    return float(metrics.recall_score(truth, predicted, labels=np.unique(truth), average="macro", zero_division=0.0))


def _drawn_balanced_accuracy(truth: Numbers, predicted: Numbers, counts: Floats) -> Floats:
    of_class = (truth[:, None] == np.unique(truth)).astype(np.float64)
    found = counts @ (of_class * (truth == predicted)[:, None])
    there = counts @ of_class
    shares = np.divide(found, there, out=np.full_like(found, np.nan), where=there > 0)
    balanced: Floats = np.nanmean(shares, axis=1)
    return balanced


def _log_losses(truth: Numbers, probabilities: Numbers) -> Floats:
    """Of each example; probabilities as scikit-learn clips them."""
    likely = np.clip(probabilities.astype(np.float64), np.finfo(np.float64).eps, 1.0)
    losses: Floats = -np.log(likely[np.arange(len(truth)), truth] / likely.sum(axis=1))
    return losses


def _levels(truth: Numbers, likely: Numbers, counts: Floats) -> tuple[Floats, Floats]:
    """Positive and negative examples at each distinct probability from the highest down, of each draw; (draws, levels)."""
    order = np.argsort(-likely, kind="stable")
    starts = np.flatnonzero(np.r_[True, np.diff(likely[order]) != 0])
    sorted_counts = counts[:, order]
    positive: Floats = np.add.reduceat(sorted_counts * truth[order], starts, axis=1)
    return positive, np.add.reduceat(sorted_counts, starts, axis=1) - positive


def _drawn_average_precision(truth: Numbers, likely: Numbers, counts: Floats) -> Floats:
    positive, negative = _levels(truth, likely, counts)
    right, named = positive.cumsum(axis=1), (positive + negative).cumsum(axis=1)
    precision = np.divide(right, named, out=np.zeros_like(right), where=named > 0)
    return _share((precision * positive).sum(axis=1), positive.sum(axis=1))


def _drawn_roc_auc(truth: Numbers, likely: Numbers, counts: Floats) -> Floats:
    positive, negative = _levels(truth, likely, counts)
    above = positive.cumsum(axis=1) - positive / 2
    return _share((above * negative).sum(axis=1), positive.sum(axis=1) * negative.sum(axis=1))


def ranking(truth: Numbers, probabilities: Numbers) -> tuple[float, Floats]:
    """The ROC AUC, of several classes the mean of each against all others, and what each example adds to it.

    The mean over examples drawn anew of what they add says by how much the AUC of the draw differs (its influence; DeLong,
    DeLong and Clarke-Pearson 1988, Comparing the areas under two or more correlated receiver operating characteristic
    curves, whose components they are). Without two classes it is 0.5.

    Args:
        truth: class numbers (n,).
        probabilities: (n, classes).

    Returns:
        The AUC, 0 to 1, and the influence (n,), of which the mean is 0.
    """
    classes = np.unique(truth)
    looked_for = classes[-1:] if len(classes) == 2 else classes
    areas, influence = [], np.zeros(len(truth))
    for one in looked_for if len(classes) > 1 else ():
        mine, likely = truth == one, probabilities[:, one]
        every, positive, negative = rankdata(likely), rankdata(likely[mine]), rankdata(likely[~mine])
        above = (every[mine] - positive) / len(negative)
        below = 1 - (every[~mine] - negative) / len(positive)
        area = float(above.mean())
        areas.append(area)
        influence[mine] += (above - area) * len(truth) / len(positive)
        influence[~mine] += (below - area) * len(truth) / len(negative)
    return float(np.mean(areas)) if areas else 0.5, influence / max(1, len(areas))


def guessed_ranking(truth: Numbers) -> float:
    """The standard deviation of the ROC AUC of whoever guesses (Mann and Whitney 1947, On a test of whether one of two random
    variables is stochastically larger than the other), of several classes the mean; 0 without two.

    Few examples of a class say little, which their own spread does not show: a single one has none.

    Args:
        truth: class numbers (n,).
    """
    counts = np.unique(truth, return_counts=True)[1].astype(float)
    if len(counts) < 2:
        return 0.0
    return float(np.sqrt((len(truth) + 1) / (12 * counts * (len(truth) - counts))).mean())


def _share(part: Floats, whole: Floats) -> Floats:
    return np.divide(part, whole, out=np.full_like(part, np.nan), where=whole > 0)


def _by_hand(drawn: Drawn) -> Scored:
    """The metric of the examples themselves: a draw in which each counts once."""
    return lambda truth, predicted: float(drawn(truth, predicted, np.ones((1, len(truth))))[0])


def _mean_squares(truth: Numbers, predicted: Numbers, counts: Floats) -> Floats:
    """(draws, outputs)"""
    squares: Floats = counts @ (_table(truth) - _table(predicted)) ** 2 / counts.sum(axis=1, keepdims=True)
    return squares


def _drawn_r2(truth: Numbers, predicted: Numbers, counts: Floats) -> Floats:
    squared = _mean_squares(truth, predicted, counts)
    # Squares of large numbers would swallow what they differ by; what never varies is 0 then.
    truth = _table(truth) - np.median(_table(truth), axis=0)
    total = counts.sum(axis=1, keepdims=True)
    variance = counts @ truth**2 / total - (counts @ truth / total) ** 2
    meant = variance > 1e-12 * truth.var(axis=0)
    explained = np.full_like(squared, np.nan)
    explained[meant] = 1 - squared[meant] / variance[meant]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # a draw in which no target varies
        of_draw: Floats = np.nanmean(explained, axis=1)
    return of_draw


def _table(values: Numbers) -> Floats:
    return values.reshape(len(values), -1).astype(np.float64)


def _drawn_error(truth: Numbers, predicted: Numbers, counts: Floats) -> Floats:
    return _weighted(np.abs(_table(truth) - _table(predicted)).mean(axis=1), counts)


ACCURACY = Metric(
    "accuracy", "accuracy", Reads.CLASSES, lambda truth, predicted: float(metrics.accuracy_score(truth, predicted)),
    lambda truth, predicted, counts: _weighted(truth == predicted, counts),
)  # fmt: skip
"""The share of the examples whose class is right."""
BALANCED_ACCURACY = Metric(
    "balanced_accuracy", "balanced accuracy", Reads.CLASSES, _balanced_accuracy, _drawn_balanced_accuracy
)
"""The mean over the classes of the share that was found."""
AVERAGE_PRECISION = Metric(
    "average_precision", "average precision", Reads.PROBABILITIES, _by_hand(_drawn_average_precision),
    _drawn_average_precision,
)  # fmt: skip
"""The mean share of right ones among those that look most like the class, over all of its examples."""
ROC_AUC = Metric("roc_auc", "ROC AUC", Reads.PROBABILITIES, _by_hand(_drawn_roc_auc), _drawn_roc_auc)
"""The share of pairs of an example of the class and one of the other in which the first looks more like it."""
LOG_LOSS = Metric(
    "log_loss", "log loss", Reads.PROBABILITIES, lambda truth, predicted: float(_log_losses(truth, predicted).mean()),
    lambda truth, predicted, counts: _weighted(_log_losses(truth, predicted), counts), greater_is_better=False,
)  # fmt: skip
"""The mean of minus the logarithm of the probability of what is true."""
R2 = Metric("r2", "R²", Reads.VALUES, _by_hand(_drawn_r2), _drawn_r2)
"""The share of the variance that is explained; 0 for the mean, below for worse. No number where nothing varies."""


def r2_of_folds(targets: Numbers) -> Metric:
    """The explained share of the variance of all these, which measures each fold alike: their mean compares squared errors.

    By its own variance a fold in which little varies, a quiet season say, would decide alone.

    Args:
        targets: all from which folds are made, (n, outputs); one of them varies at least.
    """
    spread = _table(targets).var(axis=0)

    def explained(truth: Numbers, predicted: Numbers) -> float:
        squared = ((_table(truth) - _table(predicted)) ** 2).mean(axis=0)
        return float(np.mean(1 - squared[spread > 0] / spread[spread > 0]))

    return Metric(R2.name, R2.title, Reads.VALUES, explained)


RMSE = Metric(
    "rmse", "RMSE", Reads.VALUES, lambda truth, predicted: float(metrics.root_mean_squared_error(truth, predicted)),
    lambda truth, predicted, counts: np.sqrt(_mean_squares(truth, predicted, counts)).mean(axis=1),
    greater_is_better=False,
)  # fmt: skip
"""The root of the mean squared error, in the units of the target."""
MAE = Metric(
    "mae", "mean absolute error", Reads.VALUES,
    lambda truth, predicted: float(metrics.mean_absolute_error(truth, predicted)), _drawn_error, greater_is_better=False,
)  # fmt: skip
"""The mean distance from the truth, in the units of the target."""


def mase(unit: float) -> Metric:
    """The mean absolute scaled error: 1 is as far off as the value a season before was in the training (Hyndman and Koehler
    2006, Another look at measures of forecast accuracy, International Journal of Forecasting 22).

    Args:
        unit: that distance, above 0.
    """
    return Metric(
        "mase", "MASE", Reads.VALUES, lambda truth, predicted: float(np.abs(truth - predicted).mean() / unit),
        lambda truth, predicted, counts: _drawn_error(truth, predicted, counts) / unit, greater_is_better=False,
    )  # fmt: skip


def pinball(share: float) -> Metric:
    """The quantile loss: a unit too low costs `share`, a unit too high 1 - `share` (Koenker and Bassett 1978, Regression
    quantiles). It is least where a value lies below the prediction in this share of the cases.
    """

    def losses(truth: Numbers, predicted: Numbers) -> Floats:
        off = _table(truth) - _table(predicted)
        of_each: Floats = np.maximum(share * off, (share - 1) * off).mean(axis=1)
        return of_each

    return Metric(
        f"pinball_{share:g}", f"pinball loss at {share:g}", Reads.VALUES,
        lambda truth, predicted: float(losses(truth, predicted).mean()),
        lambda truth, predicted, counts: _weighted(losses(truth, predicted), counts), greater_is_better=False,
    )  # fmt: skip


def _of_numbers(name: str, unit: float | None) -> Metric | None:
    """MASE, and the quantile loss at a share that is part of its name, 0.9 without one. Raises InputError for a wrong share."""
    title, where = "The metric cannot be used", "--metric"
    if name == "mase":
        if unit is None:
            what = "MASE compares with the season before, and these data are no series"
            raise input_error(title, what, where=where, remedy="Take mae, or another metric of numbers.")
        return mase(unit)
    if not name.startswith("pinball"):
        return None
    said = name.removeprefix("pinball").removeprefix("_") or "0.9"
    try:
        share = float(said)
    except ValueError:
        share = 0.0
    if not 0 < share < 1:
        what = f"pinball_{shorten(said, 20)} names no share between 0 and 1"
        raise input_error(
            title, what, where=where, remedy="Write pinball_0.9 for the value that nine in ten stay below."
        )
    return pinball(share)


OURS = (ACCURACY, BALANCED_ACCURACY, AVERAGE_PRECISION, ROC_AUC, LOG_LOSS, R2, RMSE, MAE)
_CALLED = {
    "auc": "roc_auc", "ap": "average_precision", "neg_log_loss": "log_loss", "logloss": "log_loss",
    "neg_root_mean_squared_error": "rmse", "root_mean_squared_error": "rmse", "neg_mean_absolute_error": "mae",
    "mean_absolute_error": "mae", "mse": "neg_mean_squared_error", "mean_squared_error": "neg_mean_squared_error",
}  # fmt: skip
"""Other names of metrics."""
