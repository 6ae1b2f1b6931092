"""A model whose predictions are moved to a quantile, by its errors on rows that it did not learn from."""

from __future__ import annotations

from typing import Any

import numpy
from numpy.typing import NDArray
from sklearn.base import BaseEstimator


class Moved(BaseEstimator):  # type: ignore[misc]
    """A fitted estimator and the distance that is added to each of its outputs."""

    def __init__(self, model: Any = None, by: Any = None) -> None:
        """
        Args:
            model: a fitted estimator of numbers.
            by: (outputs,), in the units of what it predicts.
        """
        self.model = model
        self.by = by

    def predict(self, inputs: Any) -> NDArray[Any]:
        """(n, outputs)"""
        moved: NDArray[Any] = numpy.asarray(self.model.predict(inputs)).reshape(len(inputs), -1) + self.by
        return moved


def not_moved(model: Any) -> Any:
    """The estimator itself, whose weights can be looked at."""
    return model.model if isinstance(model, Moved) else model
