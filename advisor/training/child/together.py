"""Several models together: the shares by which their answers are averaged, found on folds that none of them learned from.

The next model is always the one that makes the average of all so far best, and may come again (Caruana et al. 2004,
Ensemble selection from libraries of models). On 26 tables at most three of them were as good as any number
(benchmarks/trials/ensembles.py).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeAlias

import numpy

from advisor.training.child.finals import seconds_of_a_round
from advisor.training.child.fitted import Numbers
from advisor.training.child.metrics import MeaninglessError, Metric, Reads, refined_brier, score
from advisor.training.ladder.candidates import Candidate, Member, together
from advisor.training.ladder.comparing import Fold
from advisor.training.ladder.menu import MODELS
from advisor.training.ladder.trial_record import Kind, Trial

Seen: TypeAlias = Mapping[str, Mapping[Fold, tuple[Numbers, Numbers]]]
"""By candidate and fold the truth, and its probabilities (n, classes) or values (n, outputs)."""

MOST = 3
"""Models that are averaged."""
STEPS = 20
"""Times that a model is added: shares are multiples of one in so many."""
ENOUGH = 5
"""Candidates to choose from, for which folds are given up that fewer have answered on."""
_LEAST = 1e-15
"""Probabilities below count as this."""


def averaged(
    candidates: Sequence[Candidate],
    seen: Seen,
    apart: Sequence[Fold],
    metric: Metric,
    trials: Sequence[Trial],
    seconds: float,
) -> tuple[Trial, ...] | None:
    """Trials of a few models together: their scores on folds, each with models and shares that were found on all others.

    None where fewer than two models have answered on the same two folds, or one is best alone.

    Args:
        candidates: which may be averaged.
        apart: folds that share no row, so that none has a say in what is chosen for another.
        trials: for the time that each takes.
        seconds: the longest that fitting all of them once more may take.
    """
    possible = [one for one in candidates if one.model in MODELS and not (one.lagged or one.backbone)]
    members, folds = _answered(possible, seen, apart)
    if len(members) < 2 or len(folds) < 2:
        return None
    answers = {fold: numpy.stack([seen[one.name][fold][1] for one in members]) for fold in folds}
    truths = {fold: seen[members[0].name][fold][0] for fold in folds}
    costs = numpy.array([seconds_of_a_round([one], trials) for one in members])

    def shares(chosen: Sequence[Fold]) -> Numbers:
        return _shares([answers[fold] for fold in chosen], [truths[fold] for fold in chosen], metric, costs, seconds)

    kept = [(one, float(share)) for one, share in zip(members, shares(folds), strict=True) if share > 0]
    if len(kept) < 2:
        return None
    parts = [Member(one.model, one.variant, one.weighted, share) for one, share in kept]
    found: dict[int, dict[int, tuple[float, float | None]]] = {}
    for rung, place in folds:
        mixed = numpy.tensordot(shares([fold for fold in folds if fold != (rung, place)]), answers[rung, place], 1)
        try:
            scored = _scored(metric, truths[rung, place], mixed)
        except MeaninglessError:
            continue
        found.setdefault(rung, {})[place] = scored
    usual = sum(_seconds(one, trials) for one, _ in kept)
    names = {one.name for one, _ in kept}
    hurried = any(trial.hurried for trial in trials if trial.name in names)
    return tuple(_trials(together(parts, _name(parts)), found, usual, hurried=hurried))


def _name(parts: Sequence[Member]) -> str:
    times = Counter(MODELS[one.model] for one in parts)
    return " + ".join(f"{many} × {name}" if many > 1 else name for name, many in times.items())


def _answered(candidates: Sequence[Candidate], seen: Seen, apart: Sequence[Fold]) -> tuple[list[Candidate], list[Fold]]:
    """Enough candidates that have answered on the same folds, on as many rungs as they have; or else on the first rung."""
    there = [one for one in candidates if seen.get(one.name)]
    for last in sorted({rung for rung, _ in apart}, reverse=True):
        folds = [fold for fold in apart if fold[0] <= last and any(fold in seen[one.name] for one in there)]
        found = [one for one in there if seen[one.name].keys() >= set(folds)]
        if len(found) >= ENOUGH or (last == 0 and found):
            return found, folds
    return [], []


def _shares(
    answers: Sequence[Numbers], truths: Sequence[Numbers], metric: Metric, costs: Numbers, seconds: float
) -> Numbers:
    """The share of each model (models,), 0 of most.

    Args:
        answers: of each fold those of each model (models, n, outputs).
        costs: seconds that each model takes (models,), of which those that are taken may have so many together.
    """
    times, loss = numpy.zeros(len(costs)), partial(_loss, metric)
    mixed = [numpy.zeros_like(one[0]) for one in answers]
    for step in range(STEPS):
        taken = times > 0
        full = taken.sum() >= MOST
        possible = [
            place
            for place in range(len(costs))
            if taken[place] or not (full or (step and costs[taken].sum() + costs[place] > seconds))
        ]
        best = min(possible, key=lambda one: sum(map(loss, truths, _more(mixed, step, answers, one))))
        mixed = list(_more(mixed, step, answers, best))
        times[best] += 1
    return times / STEPS


def _more(mixed: Sequence[Numbers], step: int, answers: Sequence[Numbers], place: int) -> Iterator[Numbers]:
    """The average of so many steps with the answers of one more model."""
    return ((so_far * step + one[place]) / (step + 1) for so_far, one in zip(mixed, answers, strict=True))


def _loss(metric: Metric, truth: Numbers, said: Numbers) -> float:
    """The metric of numbers, turned so that less is better; of classes the logarithmic loss, in which shares pay off the
    more steadily the fewer examples there are.
    """
    if truth.ndim == 1:
        return float(-numpy.log(numpy.maximum(said[numpy.arange(len(truth)), truth], _LEAST)).mean())
    try:
        found = score(metric, truth, said)
    except MeaninglessError:
        return math.inf
    return -found if metric.greater_is_better else found


def _scored(metric: Metric, truth: Numbers, mixed: Numbers) -> tuple[float, float | None]:
    if truth.ndim > 1:
        return score(metric, truth, mixed), None
    said = mixed if metric.reads is Reads.PROBABILITIES else mixed.argmax(axis=1)
    return score(metric, truth, said), refined_brier(truth, mixed, by_class=metric.name == "balanced_accuracy")


def _seconds(candidate: Candidate, trials: Sequence[Trial]) -> float:
    """Of one training."""
    mine = [trial for trial in trials if trial.name == candidate.name and trial.counts]
    return min((trial.seconds / len(trial.scores) for trial in mine), default=0.0)


def _trials(
    candidate: Candidate,
    found: Mapping[int, Mapping[int, tuple[float, float | None]]],
    usual: float,
    *,
    hurried: bool,
) -> Iterator[Trial]:
    for rung, scored in found.items():
        losses = tuple(loss for _, loss in scored.values() if loss is not None)
        places = tuple(scored)
        made = Trial(candidate.name, Kind.BASELINE, candidate.stage, rung, candidate.settings_json)
        yield replace(
            made,
            scores=tuple(value for value, _ in scored.values()),
            losses=losses,
            folds=() if places == tuple(range(len(places))) else places,
            seconds=usual * len(scored),
            hurried=hurried,
        )
