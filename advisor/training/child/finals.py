"""The finals: a few candidates, refitted on all that was not held out, scored on what selection never saw."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from typing import Any, TypeAlias

import numpy
from numpy.typing import NDArray

from advisor.datasets.preparing.splits import Split
from advisor.training.child.fitting import Fitted, Fitting, FittingError
from advisor.training.child.metrics import Metric, score
from advisor.training.child.request import Finals
from advisor.training.child.scoring import Floats, Resampling, interval, units_of
from advisor.training.ladder.candidates import Candidate
from advisor.training.ladder.ladder import Ladder
from advisor.training.ladder.outcome import Difference, Final
from advisor.training.ladder.trial_record import Kind, Trial

Numbers: TypeAlias = NDArray[Any]

MOST_SEEDS = 5
DRAW_NOTHING = ("trivial", "linear")
"""Models that are the same with every seed, and so are fitted once."""
IN_ANY_CASE = 2
"""Finalists that are refitted even if the time is over."""


def finalists(ladder: Ladder, trials: Sequence[Trial], planned: str | None) -> list[Candidate]:
    """The trivial model, the choice of the folds, the best of each kind, the plan's network, the linear model.

    In the order in which they are refitted, so that the most important ones are known first.
    """
    known = ladder.candidates(trials)
    of_plan = ladder.leader([t for t in trials if t.name in known and known[t.name].model == planned])
    chosen = [
        ladder.leader(trials, Kind.TRIVIAL),
        ladder.leader(trials),
        ladder.leader(trials, Kind.BASELINE),
        ladder.leader(trials, Kind.NETWORK),
        of_plan,
        known.get("linear") if any(trial.name == "linear" and trial.counts for trial in trials) else None,
    ]
    return list({candidate.name: candidate for candidate in chosen if candidate is not None}.values())


def seconds_of_a_round(candidates: Sequence[Candidate], trials: Sequence[Trial]) -> float:
    """The time that one refit of each may take: somewhat longer than a fold, which learns from fewer."""
    total = 0.0
    for candidate in candidates:
        mine = [trial for trial in trials if trial.name == candidate.name and trial.counts]
        if mine:
            total += min(trial.seconds / len(trial.scores) for trial in mine) * 1.5
    return total


class FinalRound:
    """The finalists' scores so far; each refit adds to them."""

    def __init__(self, fitting: Fitting, split: Split, metric: Metric, seed: int) -> None:
        self._fitting, self._split, self._metric, self._seed = fitting, split, metric, seed
        self._truth = fitting.examples.targets[split.test]
        units = units_of(fitting.examples, split.test)
        self._resampling = Resampling(metric, self._truth, seed, units)
        self._scores: dict[str, list[float]] = {}
        self._drawn: dict[str, list[Floats]] = {}
        self._right: dict[str, list[Numbers]] = {}
        self._cut: set[str] = set()
        self._hurried: set[str] = set()
        self._seconds: dict[str, float] = {}
        self._candidates: dict[str, Candidate] = {}

    def hold(
        self,
        candidates: Sequence[Candidate],
        trials: Sequence[Trial],
        *,
        allowed: Callable[[Candidate], float],
        until: float,
        begins: Callable[[Candidate], None],
    ) -> Iterator[Finals]:
        """As many seeds as there is time for, up to five. Tells what is known whenever there is something to compare.

        Args:
            allowed: seconds that a network's training may take on a fold, so that as many epochs are planned here.
            until: a time of time.monotonic.
        """
        failed: set[str] = set()
        for number, place, candidate in _turns(candidates):
            usual = seconds_of_a_round([candidate], trials)
            late = time.monotonic() + (self._seconds.get(candidate.name, usual) / max(1, number)) > until
            if candidate.name in failed or (late and (number > 0 or place >= IN_ANY_CASE)):
                continue
            begins(candidate)
            try:
                fitted = self._fitting.fit(
                    candidate,
                    self._split.training,
                    self._split.test,
                    self._seed * 1000 + 500 + number,
                    seconds=max(usual, allowed(candidate)),
                    until=max(until, time.monotonic() + usual),
                )
            except FittingError:
                failed.add(candidate.name)
                continue
            self._add(candidate, fitted)
            if len(self._candidates) > 1:
                yield self._known()

    def _add(self, candidate: Candidate, fitted: Fitted) -> None:
        """A refit that the clock has cut counts only as long as there is no whole one."""
        name, predicted = candidate.name, fitted.predicted
        self._candidates[name] = candidate
        self._seconds[name] = self._seconds.get(name, 0.0) + fitted.seconds
        if fitted.short and name in self._scores:
            return
        kept: tuple[dict[str, list[Any]], ...] = (self._scores, self._drawn, self._right)
        if name in self._cut:
            for of_seeds in kept:
                of_seeds.pop(name)
            self._cut.discard(name)
        if fitted.short:
            self._cut.add(name)
        if fitted.hurried:
            self._hurried.add(name)
        new = score(self._metric, self._truth, predicted), self._resampling.scores(predicted), self._truth == predicted
        for of_seeds, one in zip(kept, new, strict=True):
            of_seeds.setdefault(name, []).append(one)

    def _known(self) -> Finals:
        draws = {name: self._resampling.over_seeds(drawn) for name, drawn in self._drawn.items()}
        right = {name: numpy.mean(told, axis=0) for name, told in self._right.items()}
        finals = []
        for name, candidate in self._candidates.items():
            scores, (low, high) = (
                tuple(self._scores[name]),
                self._resampling.of_score(interval(draws[name]), right[name]),
            )
            mean, seconds, settings = float(numpy.mean(scores)), self._seconds[name], candidate.settings_json
            cut = name in self._cut | self._hurried
            finals.append(Final(name, candidate.kind, scores, mean, low, high, seconds, settings, cut))
        sign = 1 if self._metric.greater_is_better else -1
        differences = []
        for one, other in combinations(finals, 2):
            drawn = interval(sign * (draws[one.name] - draws[other.name]))
            low, high = self._resampling.of_difference(drawn, right[one.name], right[other.name])
            differences.append(Difference(one.name, other.name, sign * (one.mean - other.mean), low, high))
        return Finals(tuple(finals), tuple(differences))


def _turns(candidates: Sequence[Candidate]) -> Iterator[tuple[int, int, Candidate]]:
    """The number of the seed, the place among the finalists, and who it is."""
    for number in range(MOST_SEEDS):
        for place, candidate in enumerate(candidates):
            if number == 0 or candidate.model not in DRAW_NOTHING:
                yield number, place, candidate
