"""The quantile that a metric asks for, and the parameters by which a model is fitted to it. No scikit-learn here.

The mean of what may come makes the squared error least, the median the absolute error, and the quantile of a share the
pinball loss of this share (Koenker and Bassett 1978, Regression quantiles, Econometrica 46). A model of the mean loses by
the last, however good it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

MEDIAN = 0.5
PINBALL = "pinball_"
"""Begins the name of the pinball loss; its share follows."""


def share_of(metric: str) -> float | None:
    """The share of the targets below the prediction that this metric likes best, 0 to 1; None where it wants no quantile.

    Args:
        metric: its name as trials tell it, such as pinball_0.9 or mae.
    """
    if metric.startswith(PINBALL):
        with suppress(ValueError):  # in a file that somebody has changed
            return float(metric.removeprefix(PINBALL))
    return MEDIAN if metric in ("mae", "mase") else None


def is_moved(share: float | None) -> bool:
    """True where predictions are moved to the quantile. To the median they are not, from which a mean mostly differs little."""
    return share not in (None, MEDIAN)


def fitted_to(model: str, share: float | None) -> Mapping[str, Any]:
    """Parameters by their names in scikit-learn that fit a model to the quantile itself; empty where it has none.

    Args:
        model: by the plan's name.
        share: as of `share_of`.
    """
    if share is None or model not in ("trivial", "gradient_boosting"):
        return {}
    if model == "trivial":
        return {"strategy": "quantile", "quantile": share}
    return {"loss": "absolute_error"} if share == MEDIAN else {"loss": "quantile", "quantile": share}
