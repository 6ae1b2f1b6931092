"""Several models together: the shares by which their answers are averaged, found on folds that none of them learned from.

Stacking (Wolpert 1992) with shares that are not below 0 and make 1 (Breiman 1996, Stacked regressions), of a few models that
differ in kind.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

import numpy
from scipy.optimize import nnls

from advisor.training.child.fitted import Numbers
from advisor.training.child.metrics import MeaninglessError, Metric, Reads, refined_brier, score
from advisor.training.ladder.candidates import Candidate, Member, together
from advisor.training.ladder.comparing import Fold, Scores
from advisor.training.ladder.menu import MODELS
from advisor.training.ladder.trial_record import Kind, Trial

Seen: TypeAlias = Mapping[str, Mapping[Fold, tuple[Numbers, Numbers]]]
"""By candidate and fold the truth, and its probabilities (n, classes) or values (n, outputs)."""

MOST = 3
"""Models that are averaged."""
STEP = 0.05
"""Shares are multiples of this."""
LEAST = 0.1
"""A model with a smaller share is left out."""


def averaged(
    candidates: Sequence[Candidate], scores: Scores, seen: Seen, metric: Metric, trials: Sequence[Trial]
) -> tuple[Trial, ...] | None:
    """Trials of the best few models together: their scores on folds, with shares that were found on all others.

    None where fewer than two models have answered on the same two folds, or one is best alone.

    Args:
        candidates: of which each model's best is taken, those with the best scores.
        trials: for the time that each takes.
    """
    members = _best(candidates, scores, seen)
    folds = sorted(set.intersection(*(set(seen[one.name]) for one in members))) if members else []
    if len(members) < 2 or len(folds) < 2:
        return None
    answers = {fold: numpy.stack([seen[one.name][fold][1] for one in members]) for fold in folds}
    truths = {fold: seen[members[0].name][fold][0] for fold in folds}
    shares = _rounded(_shares(answers, truths, folds))
    kept = [(one, share) for one, share in zip(members, shares, strict=True) if share > 0]
    if len(kept) < 2:
        return None
    name = " + ".join(MODELS[one.model] for one, _ in kept)
    parts = [Member(one.model, one.variant, one.weighted, share) for one, share in kept]
    candidate = together(parts, name)
    found: dict[int, dict[int, tuple[float, float | None]]] = {}
    for rung, place in folds:
        others = [fold for fold in folds if fold != (rung, place)]
        mixed = numpy.tensordot(_rounded(_shares(answers, truths, others)), answers[rung, place], 1)
        truth = truths[rung, place]
        try:
            scored = _scored(metric, truth, mixed)
        except MeaninglessError:
            continue
        found.setdefault(rung, {})[place] = scored
    usual = sum(_seconds(one, trials) for one, _ in kept)
    return tuple(_trials(candidate, found, usual))


def _best(candidates: Sequence[Candidate], scores: Scores, seen: Seen) -> list[Candidate]:
    """Of each model the best, of those the few best, on the folds that were the first for all."""
    there = [
        one for one in candidates if one.model in MODELS and not (one.lagged or one.backbone) and seen.get(one.name)
    ]
    rung = min((rung for one in there for rung, _ in seen[one.name]), default=0)
    first = max(({fold for fold in seen[one.name] if fold[0] == rung} for one in there), key=len, default=set())
    ranked = sorted(
        (one for one in there if seen[one.name].keys() >= first),
        key=lambda one: scores.mean(one.name, sorted(first)),
        reverse=True,
    )
    by_model: dict[str, Candidate] = {}
    for one in ranked:
        by_model.setdefault(one.model, one)
    return list(by_model.values())[:MOST]


def _shares(answers: Mapping[Fold, Numbers], truths: Mapping[Fold, Numbers], folds: Sequence[Fold]) -> Numbers:
    """The shares with the least squared error of the average; (models,)."""
    said = numpy.concatenate([answers[fold].reshape(len(answers[fold]), -1) for fold in folds], axis=1).T
    wanted = numpy.concatenate([_wanted(truths[fold], answers[fold].shape[2]).ravel() for fold in folds])
    scale = float(numpy.abs(wanted).max()) or 1.0
    heavy = 1e3 * numpy.sqrt(len(wanted))  # so that the shares make 1
    system = numpy.vstack([said / scale, numpy.full((1, said.shape[1]), heavy)])
    found: Numbers = nnls(system, numpy.append(wanted / scale, heavy))[0]
    return found


def _wanted(truth: Numbers, width: int) -> Numbers:
    return numpy.eye(width)[truth] if truth.ndim == 1 else truth


def _rounded(shares: Numbers) -> Numbers:
    """Multiples of a step that make 1; small ones are left out."""
    large = numpy.where(shares >= LEAST, shares, 0.0)
    steps = round(1 / STEP)
    whole = numpy.round(large / (large.sum() or 1.0) * steps)
    whole[whole.argmax()] += steps - whole.sum()
    return numpy.round(whole * STEP, 4)


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
    candidate: Candidate, found: Mapping[int, Mapping[int, tuple[float, float | None]]], usual: float
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
        )
