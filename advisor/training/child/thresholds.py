"""From which probability on an example is taken for the rarer of two classes, by examples that were not learned from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy
from numpy.typing import NDArray

BALANCED, F1 = "balanced_accuracy", "f1"


def best_thresholds(mine: NDArray[Any], likely: NDArray[Any]) -> Mapping[str, float]:
    """Return a threshold for each purpose: balanced accuracy, and F1 of the class.

    Args:
        mine: true for examples of the class (n,), of which there is one at least.
        likely: the probability of the class, as a model gives it that did not learn from the example (n,).
    """
    order = numpy.argsort(-likely, kind="stable")
    found, named = mine[order].cumsum(), numpy.arange(1, len(mine) + 1)
    last = numpy.r_[likely[order][1:] != likely[order][:-1], True]
    """True where the next example is less likely, so that a threshold can lie between the two."""
    recall = found / found[-1]
    false = (named - found) / max(1, len(mine) - found[-1])
    values = ((BALANCED, recall - false), (F1, 2 * found / (named + found[-1])))
    places = {name: int(numpy.flatnonzero(last)[value[last].argmax()]) for name, value in values}
    return {name: _between(likely[order], place) for name, place in places.items()}


def _between(likely: NDArray[Any], place: int) -> float:
    """Halfway from the last probability that is taken to the next below it."""
    below = likely[place + 1] if place + 1 < len(likely) else likely[place]
    return float((likely[place] + below) / 2)
