"""Applying a saved model to other examples: predictions in a table, and their score where the answers are known."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy

from advisor.datasets.again import NEW_CLASS, examples_again
from advisor.datasets.intake import Source
from advisor.datasets.predicted.names import names_for, wanted
from advisor.datasets.predicted.writing import PredictionWriter, predicted_columns, typed
from advisor.datasets.preparing.kept import unseen_categories
from advisor.datasets.preparing.preparation import Preparation
from advisor.errors import Problem, input_error
from advisor.training.child.deciding import Decisions
from advisor.training.child.fitted import Fitted, Learned, Numbers
from advisor.training.child.metrics import BALANCED_ACCURACY, OURS, Metric, metric_named, score
from advisor.training.child.predicting import predictions
from advisor.training.child.thresholds import BALANCED
from advisor.training.kept.card import TITLE, Card, damaged, raise_if_out_of_memory, read_card
from advisor.training.kept.forecasting import forecast
from advisor.training.kept.looking import looking
from advisor.training.kept.request import Applied, Apply, Message, Progress, Said, WorkFailedError
from advisor.training.kept.storing import fitted, stored_model, stored_parts
from advisor.training.ladder.backbones import library_of
from advisor.training.ladder.variants import BOOSTERS, is_there
from advisor.version import torch_version
from advisor.wording import join_first, shorten

AT_ONCE = 5_000
"""Examples in numbers at a time."""
_ODD = (ValueError, LookupError, TypeError, AttributeError, RuntimeError, ArithmeticError, AssertionError)
"""Errors of files that are each readable and are not of one model."""


def apply(request: Apply, tell: Callable[[Message], None]) -> None:
    """Predict every example of the request's data, write the predictions in its order, and tell what is to be known.

    Raises InputError where the model or the data cannot be read, or do not fit together, and WorkFailedError where
    memory runs out.
    """
    try:
        _apply(request, tell)
    except MemoryError:
        remedy = "Close other programs, or apply the model to parts of the data."
        raise WorkFailedError(TITLE, [Problem("", "Memory ran out.", remedy)]) from None


def _apply(request: Apply, tell: Callable[[Message], None]) -> None:
    folder = Path(request.folder)
    card = read_card(folder)
    _tell_versions(card, tell)
    if card.intake.source is Source.SERIES:
        tell(forecast(request, card, tell))
        return
    parts, model = stored_parts(folder), stored_model(folder, card)
    deciding, look = _decisions(card), looking(card.backbone, request.threads)
    truths: list[Numbers] = []
    predicted: list[Numbers] = []
    rows = 0

    def say(title: str, what: str) -> None:
        tell(Said(title, what))

    with PredictionWriter(Path(request.output), request.format) as writer:
        for part in examples_again(Path(request.data), card.intake, say, wanted(card.intake, request.keep)):
            kept = typed(part.kept, request.format, card.intake)
            names = names_for(card.intake, kept.columns)
            if not rows:
                names.tell(say)
            kept = kept.rename(names.kept)
            tell(Progress(rows, part.total))
            prepared = fitted(parts, look(part.examples), folder)
            _tell_unseen(card, prepared, say)
            for start in range(0, len(part.examples), AT_ONCE):
                some = numpy.arange(start, min(start + AT_ONCE, len(part.examples)))
                try:
                    found = predictions(Learned(model, prepared, card.network), card.model, some, request.threads)
                    if deciding is not None and found.probabilities is not None:
                        found = replace(found, predicted=deciding.classes(found.probabilities))
                    told = predicted_columns(names, card.intake, **_predicted(card, found))
                except _ODD as error:
                    raise_if_out_of_memory(error)
                    raise damaged(folder, f"its files do not fit together: {error}") from None
                writer.write(kept[start : start + AT_ONCE], told)
                rows += len(some)
                tell(Progress(rows, part.total))
                if part.truth is not None:
                    truths.append(part.truth[some])
                    predicted.append(found.predicted if found.probabilities is None else found.probabilities)
    tell(_scored(card, deciding, rows, truths, predicted))


def _tell_versions(card: Card, tell: Callable[[Message], None]) -> None:
    """Say where the library that made the model is of another series (1.8 for 1.9), which may compute otherwise.

    Raises InputError where it is one that is not installed.
    """
    boosters = [name for name in BOOSTERS if name in card.versions]
    for name in boosters:
        if not is_there(name):
            what = f"it was made by {name} {shorten(card.versions[name], 30)}, which is not installed"
            raise input_error(TITLE, what, remedy=f"Install it: pip install '{BOOSTERS[name]}'.")
    of_torch = card.network is not None or card.backbone is not None
    looking_by = [library_of(card.backbone.name)] if card.backbone is not None else []
    for name in ("scikit-learn", *boosters, *(["torch"] if of_torch else []), *looking_by):
        try:
            then, now = card.versions.get(name, ""), torch_version() if name == "torch" else version(name)
        except PackageNotFoundError:  # which is told where the package is needed
            continue
        if then and then.split(".")[:2] != now.split(".")[:2]:
            what = f"The model was saved with {name} {shorten(then, 30)}, and {shorten(now, 30)} is here"
            tell(Said("Another version", f"{what}: predictions may differ. Save the model once more if in doubt."))


def _predicted(card: Card, found: Fitted) -> dict[str, Any]:
    if found.probabilities is not None:
        return {"classes": found.predicted, "probabilities": found.probabilities}
    numbers = found.predicted[:, 0]
    return {"numbers": numbers, "bounds": _bounds(card, numbers)}


def _bounds(card: Card, numbers: Numbers) -> tuple[Numbers, Numbers] | None:
    return None if card.off_low is None or card.off_high is None else (numbers + card.off_low, numbers + card.off_high)


def _tell_unseen(card: Card, prepared: Preparation, say: Callable[[str, str], None]) -> None:
    for place, values in unseen_categories(prepared).items():
        say("Values that the model has never seen", _unseen_words(card.intake.columns[place].name, values))


def _unseen_words(column: str, values: Counter[str]) -> str:
    names = join_first([repr(shorten(name, 30)) for name, _ in values.most_common()])
    rows = values.total()
    many = "1 row has" if rows == 1 else f"{rows:,} rows have"
    return f"In the column {shorten(column, 40)!r} {many} {names}. Such a value tells the model nothing."


def _decisions(card: Card) -> Decisions | None:
    if (told := card.deciding) is None:
        return None
    return Decisions(told.positive, numpy.array(told.shares), {BALANCED: told.threshold})


def _scored(
    card: Card, deciding: Decisions | None, rows: int, truths: Sequence[Numbers], predicted: Sequence[Numbers]
) -> Applied:
    """With the score of the rows whose answer is known; without where that means nothing, as of a single number."""
    if not truths:
        return Applied(rows)
    truth, said = numpy.concatenate(truths), numpy.concatenate(predicted)
    known = truth >= 0 if truth.ndim == 1 else numpy.isfinite(truth[:, 0])
    new = int((truth == NEW_CLASS).sum()) if truth.ndim == 1 else 0
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            value = score(_metric(card, truth[known]), truth[known], said[known])
    except (ValueError, TypeError, LookupError):  # too few for it, or of one class
        return Applied(rows, new=new)
    if not numpy.isfinite(value):
        return Applied(rows, new=new)
    found = Applied(rows, value, int(known.sum()), new, _covered(card, truth[known], said[known]))
    if deciding is None or len(numpy.unique(truth[known])) < len(card.intake.classes):
        return found
    return replace(found, decided=score(BALANCED_ACCURACY, truth[known], deciding.classes(said[known])))


def _covered(card: Card, truth: Numbers, said: Numbers) -> float | None:
    """The share of known numbers from low to high; None of classes."""
    bounds = None if truth.ndim == 1 else _bounds(card, said[:, 0])
    if bounds is None:
        return None
    return float(((bounds[0] <= truth[:, 0]) & (truth[:, 0] <= bounds[1])).mean())


def _metric(card: Card, truth: Numbers) -> Metric:
    """The metric of the trials, about the same class. Raises ValueError where it says nothing of this truth."""
    ours = {one.name: one for one in OURS}
    named = card.asked_metric or card.metric.name
    found = ours.get(card.metric.name) or metric_named(named, card.intake.task.value, truth)
    return replace(found, positive=card.positive)
