"""Boosted trees on what a linear model leaves: together they go on with a trend, which trees alone do not.

Beyond the values that it has seen a tree predicts the last of them. A penalised linear model fitted first and trees on its
residuals are what Zhang, Nettleton and Zhu 2019 (Regression-enhanced random forests, arXiv:1904.10416) do with forests.
"""

from typing import Any

import numpy
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.linear_model import Ridge
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import OneHotEncoder

PENALTY = 30.0
"""Of the squares of the weights of standardised inputs: what trees cannot do is the large lines, and they see to the rest."""
LARGEST = 30.0
"""Standard deviations from the mean beyond which a number counts as so many: one odd number must not carry the line away."""


class AfterLinear(HistGradientBoostingRegressor):  # type: ignore[misc]
    """A ridge regression, and boosted trees of its residuals with the parameters and the names of scikit-learn's own."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, X_val: Any = None, y_val: Any = None) -> "AfterLinear":
        """Learn from inputs (n, columns), NaN where a value is missing, and targets (n,).

        Args:
            sample_weight: how much each example counts (n,), where no examples are drawn for early stopping.
            X_val: examples that are kept back for early stopping; some of the others where there are none.
            y_val: their targets.

        Raises:
            ValueError: scikit-learn refuses these examples.
        """
        if self.early_stopping is True and X_val is None:  # the line must not have learned from them either
            parts = train_test_split(X, y, test_size=self.validation_fraction, random_state=self.random_state)
            return self.fit(parts[0], parts[2], X_val=parts[1], y_val=parts[3])
        numbers = X[:, ~self._are_categories(X)]
        with numpy.errstate(all="ignore"):
            known = ~numpy.isnan(numbers)
            count = numpy.maximum(known.sum(axis=0), 1)
            self.mean_ = numpy.where(known, numbers, 0).sum(axis=0) / count
            spread = numpy.sqrt((numpy.where(known, numbers - self.mean_, 0) ** 2).sum(axis=0) / count)
        self.spread_ = numpy.where((spread > 0) & numpy.isfinite(spread), spread, 1.0)
        self.mean_ = numpy.where(numpy.isfinite(self.mean_), self.mean_, 0.0)
        self.categories_ = None
        if self._are_categories(X).any():
            self.categories_ = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
            self.categories_.fit(X[:, self._are_categories(X)])
        self.linear_ = Ridge(alpha=PENALTY).fit(self._columns(X), y, sample_weight)
        kept = None if X_val is None else y_val - self._line(X_val)
        super().fit(X, y - self._line(X), sample_weight, X_val=X_val, y_val=kept)
        return self

    def predict(self, X: Any) -> Any:
        """Numbers (n,)."""
        return self._line(X) + super().predict(X)

    def _line(self, inputs: Any) -> Any:
        return self.linear_.predict(self._columns(inputs))

    def _columns(self, inputs: Any) -> Any:
        """Inputs of the linear model: numbers are standardised, a gap is the mean, categories are columns of their own."""
        of_categories = self._are_categories(inputs)
        numbers = (inputs[:, ~of_categories] - self.mean_) / self.spread_
        columns = numpy.nan_to_num(numpy.clip(numbers, -LARGEST, LARGEST))
        if self.categories_ is None:
            return columns
        return numpy.hstack([columns, self.categories_.transform(inputs[:, of_categories])])

    def _are_categories(self, inputs: Any) -> Any:
        """True for columns that hold the numbers of categories (columns,)."""
        given = self.categorical_features
        if given is None or isinstance(given, str):
            return numpy.zeros(inputs.shape[1], bool)
        return numpy.asarray(given, bool)
