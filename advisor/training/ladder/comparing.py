"""Comparison of candidates on the same folds, against noise: pure, without numpy."""

from __future__ import annotations

import math
import statistics
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from advisor.training.ladder.intervals import Interval, t_interval
from advisor.training.ladder.trial_record import Trial

Fold: TypeAlias = tuple[int, int]
"""Rung and place within it."""


FINEST = 4
"""Decimals of a refined Brier score from which on two candidates are the same."""


@dataclass(frozen=True, slots=True)
class Paired:
    """By how much one candidate is better than another, on each of the folds that both have seen."""

    gains: tuple[float, ...]
    held_out_share: float

    @property
    def mean(self) -> float:
        return statistics.fmean(self.gains)

    @property
    def error(self) -> float:
        """The standard error of the mean, made up for folds that share examples as `t_interval` does."""
        return statistics.stdev(self.gains) * math.sqrt(1 / len(self.gains) + self.held_out_share)

    @property
    def beyond_noise(self) -> bool:
        """Better by more than a standard error."""
        return self.mean > self.error

    def interval(self, looks: int = 1) -> Interval:
        """With 95 % confidence; all of `looks` intervals, of which one is chosen afterwards, together (Bonferroni)."""
        return t_interval(self.gains, overlap=self.held_out_share, confidence=1 - 0.05 / looks)


class Scores:
    """The scores of a run's trials, fold by fold."""

    def __init__(self, trials: Iterable[Trial], held_out_share: float, *, greater_is_better: bool = True) -> None:
        """
        Args:
            held_out_share: examples that a fold scores, by those that it learns from (0.25 of five folds).
        """
        self._share = held_out_share
        self._sign = 1 if greater_is_better else -1
        self._by_name: dict[str, dict[Fold, float]] = {}
        self._losses: dict[str, dict[Fold, float]] = {}
        for trial in trials:
            if trial.counts:
                mine = self._by_name.setdefault(trial.name, {})
                mine.update({(trial.rung, place): self._sign * score for place, score in trial.by_fold.items()})
                losses = self._losses.setdefault(trial.name, {})
                losses.update({(trial.rung, place): loss for place, loss in trial.losses_by_fold.items()})

    def of(self, name: str) -> Mapping[Fold, float]:
        """Its scores, turned so that greater is better."""
        return self._by_name.get(name, {})

    def rungs(self, name: str) -> int:
        """On how many rungs it has scores."""
        return len({rung for rung, _ in self.of(name)})

    def common(self, names: Collection[str]) -> list[Fold]:
        """Folds that all of them have seen."""
        seen = [set(self.of(name)) for name in names]
        return sorted(set.intersection(*seen)) if seen else []

    def mean(self, name: str, folds: Sequence[Fold] | None = None) -> float:
        """Over these folds, or all of its own; minus infinity where there is none."""
        mine = self.of(name)
        values = [mine[fold] for fold in (mine if folds is None else folds) if fold in mine]
        return statistics.fmean(values) if values else -math.inf

    def loss(self, name: str, folds: Sequence[Fold]) -> float:
        """The mean of its losses over these folds; infinite unless it has all of them."""
        mine = self._losses.get(name, {})
        return statistics.fmean(mine.get(fold, math.inf) for fold in folds) if folds else math.inf

    def paired(self, one: str, other: str, folds: Sequence[Fold] | None = None) -> Paired | None:
        """By how much one is better than the other, on these folds or all that both have seen.

        None for fewer than two, and where one of them has not seen all of these.
        """
        seen = self.common((one, other))
        folds = seen if folds is None else folds
        if len(folds) < 2 or not {*folds} <= {*seen}:
            return None
        return Paired(tuple(self.of(one)[fold] - self.of(other)[fold] for fold in folds), self._share)


def leader(
    scores: Scores,
    defaults: Sequence[str],
    variations: Sequence[str],
    averages: Sequence[str] = (),
    *,
    by_score: bool = False,
) -> str | None:
    """The candidate to bet on.

    Among those that were on the menu from the start it is the one that is ahead on the folds that all survivors have seen.
    A variation, one of many made around the best, is taken only if it is better than that one, and than the one with the best
    score, by more than a standard error: the best of many always looks better than it is. An average of several is
    taken unless it is worse by more than a standard error: it is one, not the best of many, and its shares are found on fewer
    folds than it will have.

    Args:
        averages: of several of the others.
        by_score: whether the scores alone say who is ahead.
    """
    reached = survivors(scores, defaults)
    if not reached:
        return None
    best = best_by_score(scores, reached)
    chosen = best if by_score else ahead(scores, reached)
    tested = [name for name in variations if scores.rungs(name) >= min(2, scores.rungs(chosen))]
    for name in sorted(tested, key=lambda name: -scores.mean(name)):
        over = [scores.paired(name, other) for other in (chosen, best)]
        if all(found is not None and found.beyond_noise for found in over):
            chosen = best = name
            break
    for name in averages:
        if all(_no_worse(scores, name, other) for other in (chosen, best)):
            return name
    return chosen


def best_by_score(scores: Scores, names: Sequence[str]) -> str:
    """The best on the folds that all of them have seen; of equals the first, which is the simpler."""
    folds = scores.common(names)
    return max(names, key=lambda name: scores.mean(name, folds))


def ahead(scores: Scores, names: Sequence[str]) -> str:
    """The best on the folds that all of them have seen, or what is as good and tells the classes apart better.

    Of those that lie within a standard error of the best, the one with the least refined Brier score of its probabilities, which
    says more of few examples than how many of them it told right.

    Args:
        names: of at least one candidate, all with scores.
    """
    folds = scores.common(names)
    best = best_by_score(scores, names)
    level = [name for name in names if name == best or _level(scores.paired(best, name, folds))]
    losses = {name: scores.loss(name, folds) for name in level}
    if not all(map(math.isfinite, losses.values())):  # of numbers; or of an earlier run, which did not keep them
        return best
    return min(level, key=lambda name: (round(losses[name], FINEST), -scores.mean(name, folds)))


def survivors(scores: Scores, names: Sequence[str]) -> list[str]:
    """Those that reached the highest rung that at least two have reached, and for whose further folds there was no time: who
    is better by more than a standard error than all of these on the same folds, or on one was better than any of these on any.
    """
    known = [name for name in names if scores.of(name)]
    heights = sorted((len(scores.of(name)) for name in known), reverse=True)
    reached = [name for name in known if len(scores.of(name)) >= heights[min(1, len(heights) - 1)]]
    best = max((value for name in reached for value in scores.of(name).values()), default=math.inf)

    def in_front(name: str) -> bool:
        folds = list(scores.of(name))
        over = [scores.paired(name, other, folds) for other in reached]
        return all(found is not None and found.beyond_noise for found in over)

    return [name for name in known if name in reached or scores.mean(name) > best or in_front(name)]


def _level(found: Paired | None) -> bool:
    """True if the other is not shown to be worse by more than a standard error."""
    return found is not None and not found.beyond_noise


def _no_worse(scores: Scores, one: str, other: str) -> bool:
    """True if it is not shown to be worse, and tells classes apart as well, on the folds that both have seen."""
    folds = scores.common((one, other))
    found = scores.paired(other, one, folds)
    return _level(found) and scores.loss(one, folds) <= scores.loss(other, folds)
