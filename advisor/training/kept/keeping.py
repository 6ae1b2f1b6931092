"""Keeping the winner of the trials: it learns once more, from all examples where there is time, and is written."""

from __future__ import annotations

import time
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from platform import python_version
from typing import Any

import numpy

from advisor.datasets.again import intake_of
from advisor.datasets.dataset import Examples, Task
from advisor.datasets.dividing import asked as asked_for
from advisor.datasets.dividing import divided
from advisor.datasets.inspect import inspect
from advisor.datasets.intake import Intake, Source
from advisor.errors import Problem, input_error
from advisor.plain import decode, encode
from advisor.training.child.deciding import decided_for, shares_of
from advisor.training.child.fitted import Allowance, Fitted, FittingError, Numbers
from advisor.training.child.fitting import Fitting
from advisor.training.child.lagged import reach, usual_error
from advisor.training.child.metrics import Metric, metric_named
from advisor.training.child.thresholds import BALANCED
from advisor.training.kept.card import CARD, README, Card, Deciding, card_text
from advisor.training.kept.opening import UnopenableError
from advisor.training.kept.readme import readme
from advisor.training.kept.request import Keep, WorkFailedError
from advisor.training.kept.storing import store
from advisor.training.ladder.backbones import library_of
from advisor.training.ladder.candidates import Candidate, Member, NetworkSettings, together
from advisor.training.ladder.forecasters import LIBRARY, statistical_there
from advisor.training.ladder.menu import menu
from advisor.training.ladder.outcome import Final
from advisor.training.ladder.shares import share_of
from advisor.training.ladder.trial_record import Kind, Stage
from advisor.training.ladder.variants import BOOSTERS
from advisor.version import __version__, torch_version

TITLE = "The model could not be saved"
LOWEST, HIGHEST = 0.05, 0.95
"""The quantiles that are told beside a predicted number."""
OVERDRAWN = 3.0
"""Seconds beyond the budget in which a quick model may still learn from all examples."""
LONGER = 1.5
"""Times what a training on the examples that were not held out took, one on all may take."""


def keep(request: Keep, begun: float) -> None:
    """Fit the winner to all examples and write it with its card into the folder of the request.

    Where numbers are predicted, it is fitted to the examples that were not held out first: the others show how far off it
    is. That one is kept where there is no time for another.

    Args:
        begun: a time of the monotonic clock, from which the request's seconds count.

    Raises InputError where the data have changed, or it cannot be fitted or written.
    """
    asked = request.asked
    inspection = inspect(Path(asked.path), asked.target, Task(asked.task) if asked.task else None)
    if inspection.fingerprint != asked.fingerprint:
        what = "the data changed while models were tried on them"
        raise input_error(TITLE, what, where=asked.path, remedy="Try once more.")
    inspection = asked_for(inspection, asked.given)
    data = divided(inspection, asked.given, most_examples=asked.most_examples, seed=asked.seed, horizon=asked.horizon)
    examples, split = data.examples, data.split
    candidate = _candidate(request, examples)
    fitting, usual = Fitting(examples, asked.threads, share_of(request.metric.name)), max(request.usual, 1.0)
    end = begun + request.seconds

    def fit(rows: Numbers) -> Fitted:
        seconds = 2 * LONGER * usual
        allowance = Allowance(seconds, max(end, time.monotonic() + seconds), kept=True)
        try:
            return fitting.fit(candidate, rows, split.test, asked.seed * 1000 + 500, allowance)
        except FittingError as error:
            what = f"{request.best.name} had to learn once more. {error}"
            raise WorkFailedError(TITLE, [Problem("", what, "Try once more.")]) from None

    task, targets = examples.task.value, examples.targets
    forecast = examples.task is Task.FORECAST
    unit = usual_error(examples, split.training) if forecast else None
    metric = metric_named(asked.metric or request.metric.name, task, targets, unit)
    off: tuple[float | None, float | None] = (None, None)
    ahead: list[tuple[float, float]] = []
    rows = numpy.arange(len(examples)) if asked.given.test is None else split.training
    """A test of its own stays one, so that the score is of this very model."""
    if examples.task is Task.CLASSIFY:
        found = fit(rows)
    else:
        found = fit(split.training)
        errors = examples.targets[split.test] - found.predicted
        off = quantiles(errors[:, 0])
        ahead = [quantiles(errors[:, step]) for step in range(errors.shape[1])] if forecast else []
        if len(rows) == len(split.training) or time.monotonic() + LONGER * request.usual >= end + OVERDRAWN:
            rows = split.training
        else:
            found = fit(rows)
    assert found.learned is not None  # noqa: S101 - it was fitted
    card = Card(
        name=request.best.name,
        kind=request.best.kind,
        model=candidate.model,
        intake=_intake(intake_of(inspection), examples),
        metric=request.metric,
        asked_metric=asked.metric,
        positive=metric.positive,
        deciding=_deciding(request.final, metric, examples.targets[split.training], len(examples.classes)),
        score=request.best.score,
        low=request.best.low,
        high=request.best.high,
        made=request.made,
        data=Path(asked.path).name,
        fingerprint=asked.fingerprint,
        examples=len(examples) if asked.given.test is None else len(split.training),
        learnt_from=len(rows),
        held_out=len(split.test),
        divided=split.how,
        network=found.learned.network,
        settings=request.best.settings,
        off_low=None if forecast else off[0],
        off_high=None if forecast else off[1],
        ahead_low=tuple(low for low, _ in ahead),
        ahead_high=tuple(high for _, high in ahead),
        variant=candidate.variant if candidate.model == "statistical" else "",
        back=found.learned.back,
        by=found.learned.by,
        backbone=fitting.backbone,
        needs=_needs(candidate, examples, found.learned.back),
        verdict=request.verdict,
        says=request.says,
        plan=encode(asked.planned),
        versions=_versions(candidate),
    )
    folder = Path(request.folder)
    try:
        store(found.learned, folder)
        (folder / README).write_text(readme(card), encoding="utf-8")
        (folder / CARD).write_text(card_text(card), encoding="utf-8")
    except UnopenableError as error:
        what = f"the model is too large to be applied: {error}"
        raise WorkFailedError(TITLE, [Problem("", what, "Try on fewer rows, or with fewer columns.")]) from None
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise input_error(TITLE, reason, where=request.folder, remedy="Check the free space.") from None


def _intake(intake: Intake, examples: Examples) -> Intake:
    """With the classes, or the horizon and the seasons, of these examples."""
    if examples.series is None or intake.source is not Source.SERIES:
        return replace(intake, classes=examples.classes)
    reading = {**intake.reading, "horizon": examples.targets.shape[1]}
    return replace(intake, reading=reading, seasons=examples.series.seasons)


def quantiles(off: Numbers) -> tuple[float, float]:
    """The values below and above which one in twenty further examples is expected, from those of n others (n,).

    Conformal: as many are left out at each end as n + 1 examples allow for (Vovk, Gammerman and Shafer 2005); fewer than 19
    leave out none.
    """
    ordered = numpy.sort(off)
    below = int(numpy.floor(LOWEST * (len(off) + 1)))
    low, high = ordered[max(0, below - 1)], ordered[min(len(off) - 1, len(off) - below)]
    return float(low), float(high)


def _deciding(final: Final | None, metric: Metric, learned: Numbers, classes: int) -> Deciding | None:
    """The decisions that the trials told; None where they told none, as where the metric looks at classes."""
    if final is None or BALANCED not in final.also:
        return None
    worth, positive = final.also[BALANCED], decided_for(metric, learned)
    if positive is None:
        return Deciding(worth, shares=tuple(shares_of(learned, classes).tolist()))
    return Deciding(worth, positive, final.thresholds[BALANCED])


def _needs(candidate: Candidate, examples: Examples, back: int) -> int:
    """Steps that a series must have: those that a forecast looks back on, or all of the shortest that was learned from."""
    series = examples.series
    if series is None:
        return 0
    seen = reach(examples, back) if candidate.lagged else max(numpy.asarray(examples.inputs).shape[1], back)
    shortest = numpy.bincount(series.number)[series.number[series.ends - 1]].min()
    return min(int(shortest), seen)


def _candidate(request: Keep, examples: Examples) -> Candidate:
    """The winner as it was tried. Raises WorkFailedError where it is none that can be fitted by its name and settings."""
    best = request.best
    if best.kind is Kind.NETWORK:
        settings = decode(NetworkSettings, best.settings, "settings")
        return Candidate(best.name, best.kind, Stage.NETWORKS, settings.network, settings)
    if "members" in best.settings:
        return together([decode(Member, one, "member") for one in best.settings["members"]], best.name)
    task = examples.task
    known = menu(
        request.asked.planned,
        examples.modality,
        uneven=True,
        forecast=task is Task.FORECAST,
        classes=task is Task.CLASSIFY,
    )
    for one in (*known.openers, *known.settings):
        if one.name == best.name:
            return one
    what = f"the winner is {best.name}, and such a model cannot be saved yet"
    raise WorkFailedError(TITLE, [Problem("", what)])


def _versions(candidate: Candidate) -> dict[str, Any]:
    variants = [candidate.variant, *(one.variant for one in candidate.members)]
    boosters = [name for name in BOOSTERS if name in variants]
    libraries = {name: version(name) for name in ("numpy", "polars", "scikit-learn", "skops", *boosters)}
    if statistical_there():
        libraries[LIBRARY] = version(LIBRARY)
    if candidate.backbone:
        libraries[library_of(candidate.backbone)] = version(library_of(candidate.backbone))
    return {"advisor": __version__, "python": python_version(), **libraries, "torch": torch_version()}
