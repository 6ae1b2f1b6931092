"""Candidates of forecasts that are no networks: statistical models, and boosting of differences. No heavy library here."""

from __future__ import annotations

from importlib.util import find_spec

from advisor.training.ladder.candidates import Candidate
from advisor.training.ladder.trial_record import Kind, Stage
from advisor.training.ladder.variants import STATISTICAL

NAMES = {"ets": "AutoETS", "arima": "AutoARIMA", "theta": "AutoTheta", "seasonal_naive": "seasonal naive"}
LIBRARY = "statsforecast"
MISSING = (
    f"AutoETS, AutoARIMA and AutoTheta were not tried: they need {LIBRARY}. "
    "`pip install 'nn-advisor[forecast]'` installs it."
)


def statistical_there() -> bool:
    """True where the library of statistical models is installed."""
    return find_spec(LIBRARY) is not None


def forecasters() -> tuple[Candidate, ...]:
    """Those that can be tried here, the quick ones first."""
    variants = STATISTICAL if statistical_there() else ("seasonal_naive",)
    statistical = (
        Candidate(NAMES[name], Kind.BASELINE, Stage.BASELINES, "statistical", variant=name) for name in variants
    )
    boosted = Candidate("boosting of differences", Kind.BASELINE, Stage.BASELINES, "gradient_boosting", lagged=True)
    return (*statistical, boosted)
