"""From probabilities to decisions where one class is rare: thresholds chosen on folds, and what they give on other examples."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy
from sklearn.metrics import f1_score

from advisor.training.child.metrics import BALANCED_ACCURACY, Floats, Metric, Numbers, rarer, score
from advisor.training.child.thresholds import BALANCED, F1, best_thresholds


@dataclass(frozen=True)
class Decisions:
    """The way from probabilities to classes: a threshold for each purpose, or more weight for rare classes.

    Of two classes an example is taken for the rarer one from a threshold on. Of several the class is taken whose probability
    is largest beside its share of the examples, which serves balanced accuracy (the rule of Bayes for equal costs a class).
    """

    positive: int | None
    """The rarer of two classes."""
    shares: Floats
    """Of the classes among the examples that were learned from (classes,)."""
    thresholds: Mapping[str, float]
    """By the metric that each serves; empty of several classes."""

    def classes(self, probabilities: Numbers, purpose: str = BALANCED) -> Numbers:
        """The class numbers (n,) that these probabilities (n, classes) are taken for, to serve this metric."""
        if self.positive is None:
            likeliest: Numbers = (probabilities / numpy.maximum(self.shares, 1e-12)).argmax(axis=1)
            return likeliest
        others = probabilities.copy()
        others[:, self.positive] = -1.0
        taken = probabilities[:, self.positive] >= self.thresholds[purpose]
        return numpy.where(taken, self.positive, others.argmax(axis=1))

    def scores(self, truth: Numbers, probabilities: Numbers) -> dict[str, float]:
        """Balanced accuracy, and F1 of the rarer of two classes, of these decisions."""
        found = {BALANCED: score(BALANCED_ACCURACY, truth, self.classes(probabilities))}
        if self.positive is not None:
            taken = self.classes(probabilities, F1) == self.positive
            found[F1] = float(f1_score(truth == self.positive, taken, zero_division=0.0))
        return found


def decided_for(metric: Metric, learned: Numbers) -> int | None:
    """The rarer of two classes, by the class numbers (n,) that were learned from; None of several."""
    if metric.positive is None and len(numpy.unique(learned)) == 2:
        return rarer(learned)
    return metric.positive


def shares_of(learned: Numbers, classes: int) -> Floats:
    """Of the classes among the class numbers (n,) that were learned from; (classes,)."""
    return numpy.bincount(learned, minlength=classes) / len(learned)


def decisions(shares: Floats, positive: int | None = None, seen: Iterable[tuple[Numbers, Numbers]] = ()) -> Decisions:
    """The decisions that would have been best on the folds.

    Args:
        shares: of the classes among the examples that were learned from (classes,).
        positive: the rarer of two classes, None of several.
        seen: of each fold the truth (n,) and the probabilities (n, classes) of a model that did not learn from it. Without
            any, as where a stopped run goes on, the threshold is the share of the class: the best for balanced accuracy
            where probabilities are right.
    """
    if positive is None:
        return Decisions(None, shares, {})
    pairs = [(truth == positive, likely[:, positive]) for truth, likely in seen]
    if not pairs or not sum(map(numpy.sum, (mine for mine, _ in pairs))) > 0:
        return Decisions(positive, shares, {BALANCED: float(shares[positive]), F1: float(shares[positive])})
    mine, likely = (numpy.concatenate(part) for part in zip(*pairs, strict=True))
    return Decisions(positive, shares, best_thresholds(mine, likely))
