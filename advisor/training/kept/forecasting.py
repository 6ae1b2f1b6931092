"""Applying a saved model to a series: the steps that follow its end, each with a low and a high value."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy
from threadpoolctl import threadpool_limits

from advisor.datasets.again import series_again
from advisor.datasets.dataset import Examples
from advisor.datasets.predicted.ahead import keys_ahead
from advisor.datasets.predicted.formats import KeptColumns
from advisor.datasets.predicted.names import names_for
from advisor.datasets.predicted.writing import PredictionWriter, predicted_columns, typed
from advisor.errors import input_error
from advisor.training.child.classical import asked
from advisor.training.child.fitted import FittingError, Learned, Numbers
from advisor.training.child.forecasting import forecasts
from advisor.training.child.lagged import lagged, repeated
from advisor.training.child.predicting import predictions
from advisor.training.kept.card import Card, damaged, raise_if_out_of_memory
from advisor.training.kept.request import Applied, Apply, Message, Progress, Said
from advisor.training.kept.storing import fitted, stored_model, stored_parts
from advisor.training.ladder.forecasters import LIBRARY, statistical_there
from advisor.training.ladder.shares import share_of
from advisor.training.ladder.trial_record import Kind


def forecast(request: Apply, card: Card, tell: Callable[[Message], None]) -> Applied:
    """Write the next steps of each series of the request's data.

    Raises InputError where the data cannot be read or are too short, or a library is missing.
    """

    def say(title: str, what: str) -> None:
        tell(Said(title, what))

    folder = Path(request.folder)
    examples, names = series_again(Path(request.data), card.intake, card.needs, say)
    tell(Progress(0, len(examples)))
    found = _found(request, card, examples, folder)
    lows, highs = numpy.array(card.ahead_low), numpy.array(card.ahead_high)
    if not found.shape[1] == len(lows) == len(highs):
        raise damaged(folder, "its files are of different horizons")
    assert examples.series is not None  # noqa: S101 - they were read as series
    keys = keys_ahead(card.intake, examples.series, names, found.shape[1], say)
    keys = typed(keys, request.format, card.intake) if request.keep is not KeptColumns.NONE else keys.select()
    columns = names_for(card.intake, keys.columns)
    bounds = ((found + lows).ravel(), (found + highs).ravel())
    with PredictionWriter(Path(request.output), request.format) as writer:
        told = predicted_columns(columns, card.intake, numbers=found.ravel(), bounds=bounds)
        writer.write(keys.rename(columns.kept), told)
    return Applied(found.size)


def _found(request: Apply, card: Card, examples: Examples, folder: Path) -> Numbers:
    """(series, steps)"""
    ahead: Numbers
    every, horizon = numpy.arange(len(examples)), examples.targets.shape[1]
    assert examples.series is not None  # noqa: S101 - they were read as series
    if card.kind is Kind.TRIVIAL:
        if len(card.by) not in (0, horizon):
            raise damaged(folder, "its files are of different horizons")
        ahead = repeated(examples, every, card.back) + numpy.array(card.by or 0.0)
        return ahead
    if card.variant:
        return _of_statistics(request, card, examples, every)
    try:
        parts, model = stored_parts(folder), stored_model(folder, card)
        if card.back:
            inputs, base = lagged(examples, every, card.back)
            with threadpool_limits(1):
                ahead = base + asked(model, inputs, horizon, classes=False)
        else:
            learned = Learned(model, fitted(parts, examples, folder), card.network)
            ahead = predictions(learned, card.model, every, request.threads).predicted
    except (ValueError, LookupError, TypeError, AttributeError, RuntimeError) as error:
        raise_if_out_of_memory(error)
        raise damaged(folder, f"its files do not fit together: {error}") from None
    return ahead


def _of_statistics(request: Apply, card: Card, examples: Examples, every: Numbers) -> Numbers:
    title = "The model cannot be applied"
    if card.variant != "seasonal_naive" and not statistical_there():
        what = f"it is fitted to the series with {LIBRARY}, which is not installed"
        raise input_error(title, what, remedy="Install it: pip install 'nn-advisor[forecast]'.")
    assert examples.series is not None  # noqa: S101
    try:
        share = share_of(card.metric.name)
        return forecasts(card.variant, examples.series, every, examples.targets.shape[1], share=share)
    except (FittingError, ValueError) as error:
        what = f"it cannot be fitted to this series. {error}"
        raise input_error(title, what, where=request.data, remedy="Add what was measured before.") from None
