"""A statistical model of a series through statsforecast: exponential smoothing, ARIMA, Theta, or the season before.

A model is fitted to what was known before the first forecast. Later values are told to it as they come, its parameters
stay: a forecast rests on everything before it and on nothing after (Tashman 2000, Out-of-sample tests of forecasting
accuracy, International Journal of Forecasting 16). Generated projects have this file as it stands.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[numpy.float64]

RECENT, CYCLES, MOST_STEPS = 1500, 10, 5000
"""The latest steps that a model is fitted to: so many, or so many of the longest season, but never more than the last."""
FEWEST_STEPS = 8
OWN_SEASON: Mapping[str, int] = {"ets": 24, "arima": 12, "theta": 24}
"""The longest season that a model follows by itself; longer ones, and several, are taken off before (MSTL; Bandara,
Hyndman and Bergmeir 2021, arXiv:2107.13462)."""
OWN_STEPS: Mapping[str, int] = {"ets": 1500, "arima": 400, "theta": 1500}
"""Steps up to which it does, as it takes long on more."""
MOST_ORDERS, APPROXIMATED_FROM = 30, 150
"""Orders of ARIMA that are tried, and steps from which they are compared by an approximation, as R's forecast does."""


class Forecaster:
    """One model of one series."""

    def __init__(self, variant: str, values: Floats, seasons: Sequence[int]) -> None:
        """Fit it.

        Args:
            variant: ets, arima, theta or seasonal_naive.
            values: without gaps (steps,). Later calls give the same steps and those that follow.
            seasons: steps after which values repeat, the shortest first.

        Raises ValueError for too few steps, or a season before where there is none.
        """
        if len(values) < FEWEST_STEPS:
            raise ValueError(f"{len(values)} steps of the series are too few for it.")
        self._seasons = [season for season in seasons if 2 * season <= len(values)]
        self._first, self._known, self._patterns = len(values), 0, [numpy.zeros(0)]
        self._model: Any = None
        if variant == "seasonal_naive":
            if not self._seasons:
                raise ValueError("No season shows in the series.")
            return
        own = self._seasons[0] if len(self._seasons) == 1 else 1
        self._takes_off = bool(self._seasons) and (
            len(self._seasons) > 1 or own > OWN_SEASON[variant] or len(values) > OWN_STEPS[variant]
        )
        self._varies = bool(numpy.ptp(values) > 0)
        if self._varies:
            made = _MAKERS[variant](1 if self._takes_off else own, len(values))
            self._model = made.fit(values - self._seasonal(values, 0)[: len(values)])

    def forecast(self, values: Floats, horizon: int, share: float | None = None) -> Floats:
        """The next values (horizon,) after these (steps,), which begin as those that it was fitted to.

        Args:
            share: the quantile to forecast, by the model's own intervals, or by how far repeated values were off; None for
                the mean.
        """
        if self._model is None:
            back = self._seasons[-1] if self._seasons else 1
            found: Floats = values[len(values) - back + numpy.arange(horizon) % back]
            return found if share is None else found + _missed(values, back, horizon, share)
        seasonal = self._seasonal(values, horizon)
        within = None if share is None else [round(100 * abs(2 * share - 1), 6)]
        told = self._model.forward(y=values - seasonal[: len(values)], h=horizon, level=within)
        end = "mean" if share is None else "hi-" if share >= 0.5 else "lo-"
        found = numpy.asarray(next(told[name] for name in told if name.startswith(end)))
        return found + seasonal[len(values) :]

    def _seasonal(self, values: Floats, horizon: int) -> Floats:
        """The part that repeats itself, of these values and of the next; found anew after each season."""
        wanted = len(values) + horizon
        if not self._takes_off:
            return numpy.zeros(wanted)
        longest = self._seasons[-1]
        known = self._first + (len(values) - self._first) // longest * longest
        if known != self._known:
            from statsforecast.mstl import mstl

            parts = mstl(values[:known], self._seasons)
            names = [name for name in parts.columns if name.startswith("seasonal")]
            self._known, self._patterns = known, [parts[name].to_numpy() for name in names]
        rest = numpy.arange(wanted - known)
        pairs = zip(self._patterns, self._seasons, strict=True)
        together: Floats = numpy.sum(
            [numpy.r_[part, part[known - season + rest % season]] for part, season in pairs], axis=0
        )
        return together


def _missed(values: Floats, back: int, horizon: int, share: float) -> Floats:
    """The quantile of by how much values (steps,) have differed from those that repetition gives for so many steps ahead;
    (horizon,)."""
    ago = numpy.minimum(back * (numpy.arange(horizon) // back + 1), len(values) - 1)
    of_each = {
        int(steps): float(numpy.quantile(values[steps:] - values[:-steps], share)) for steps in set(ago.tolist())
    }
    return numpy.array([of_each[int(steps)] for steps in ago])


class History:
    """A series and its model, which is fitted at the first forecast."""

    def __init__(self, variant: str, values: Floats, seasons: Sequence[int], share: float | None = None) -> None:
        """
        Args:
            values: float64 (steps,), NaN in gaps.
            share: the quantile to forecast; None for the mean.
        """
        self._share = share
        self._variant, self._values, self._seasons = variant, values, seasons
        self._known = numpy.flatnonzero(numpy.isfinite(values))
        self._model: Forecaster | None = None
        self._start = 0

    def forecast(self, end: int, horizon: int) -> Floats:
        """The values (horizon,) from step `end` on, by those before it. Later calls have later ends.

        A gap is filled by a line between its ends; one that lasts until `end` is forecast as well.
        """
        known = self._known[: numpy.searchsorted(self._known, end)]
        if not len(known):
            raise ValueError("Nothing was measured before the first forecast.")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that an optimum was not quite reached shows in the score
            if self._model is None:
                self._start = max(int(known[0]), int(known[-1]) + 1 - fitted_steps(self._seasons))
            values = numpy.interp(numpy.arange(self._start, known[-1] + 1), known, self._values[known])
            if self._model is None:
                self._model = Forecaster(self._variant, values, self._seasons)
            gap = end - int(known[-1]) - 1
            return self._model.forecast(values, gap + horizon, self._share)[gap:]


def fitted_steps(seasons: Sequence[int]) -> int:
    """The latest steps that a model is fitted to."""
    return min(MOST_STEPS, max(RECENT, CYCLES * max(seasons, default=1)))


def _ets(season: int, steps: int) -> Any:
    from statsforecast.models import AutoETS  # seconds

    return AutoETS(season_length=season)


def _arima(season: int, steps: int) -> Any:
    from statsforecast.models import AutoARIMA

    return AutoARIMA(season_length=season, nmodels=MOST_ORDERS, approximation=steps > APPROXIMATED_FROM)


def _theta(season: int, steps: int) -> Any:
    from statsforecast.models import AutoTheta

    return AutoTheta(season_length=season)


_MAKERS: Mapping[str, Callable[[int, int], Any]] = {"ets": _ets, "arima": _arima, "theta": _theta}
"""By a season and the number of steps: AutoETS (Hyndman and Khandakar 2008), AutoARIMA (the same), the Theta method
(Assimakopoulos and Nikolopoulos 2000) in the variants of Fiorucci et al. 2016, of which the best is taken."""
