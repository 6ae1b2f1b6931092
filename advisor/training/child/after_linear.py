"""Boosted trees on what a linear model leaves: together they go on with a trend, which trees alone do not.

Beyond the values that it has seen a tree predicts the last of them. A penalised linear model fitted first and trees on its
residuals are what Zhang, Nettleton and Zhu 2019 (Regression-enhanced random forests, arXiv:1904.10416) do with forests.
"""

from typing import Any

from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.impute import SimpleImputer
from sklearn.linear_model import Ridge
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

PENALTY = 30.0
"""Of the squares of the weights of standardised inputs: what trees cannot do is the large lines, and they see to the rest."""


class AfterLinear(HistGradientBoostingRegressor):  # type: ignore[misc]
    """A ridge regression, and boosted trees of its residuals with the parameters and the names of scikit-learn's own."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, X_val: Any = None, y_val: Any = None) -> "AfterLinear":  # noqa: N803 - as scikit-learn has it
        """Learn from inputs (n, columns), NaN where a value is missing, and targets (n,).

        Args:
            sample_weight: how much each example counts (n,).
            X_val: examples that are kept back for early stopping; some of the others where there are none.
            y_val: their targets.

        Raises:
            ValueError: scikit-learn refuses these examples.
        """
        self.linear_ = self._line().fit(X, y, ridge__sample_weight=sample_weight)
        kept = None if X_val is None else y_val - self.linear_.predict(X_val)
        super().fit(X, y - self.linear_.predict(X), sample_weight, X_val=X_val, y_val=kept)
        return self

    def predict(self, X: Any) -> Any:  # noqa: N803
        """Numbers (n,)."""
        return self.linear_.predict(X) + super().predict(X)

    def _line(self) -> Pipeline:
        """The linear model, for which categories are columns of their own and a gap is the mean."""
        given = self.categorical_features
        if given is None or isinstance(given, str):
            given = ()
        places = [place for place, yes in enumerate(given) if yes]
        numbers = make_pipeline(SimpleImputer(keep_empty_features=True), StandardScaler())
        parts = make_column_transformer((OneHotEncoder(handle_unknown="ignore"), places), remainder=numbers)
        return make_pipeline(parts, Ridge(alpha=PENALTY))
