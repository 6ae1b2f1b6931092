"""The finals: a few candidates, refitted on all that was not held out, scored on what selection never saw."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from statistics import NormalDist

import numpy

from advisor.datasets.dataset import Task
from advisor.datasets.preparing.splits import Split
from advisor.training.child.deciding import Decisions
from advisor.training.child.fitted import Allowance, Fitted, FittingError, Numbers
from advisor.training.child.fitting import Fitting
from advisor.training.child.metrics import MeaninglessError, Metric, guessed_ranking, ranking, score
from advisor.training.child.request import Began, Finals
from advisor.training.child.scoring import Floats, Resampling, interval, of_new_examples, over_times, units_of
from advisor.training.ladder.candidates import Candidate
from advisor.training.ladder.ladder import Ladder
from advisor.training.ladder.outcome import Difference, Final, Ranking
from advisor.training.ladder.trial_record import Kind, Trial
from advisor.training.ladder.verdicts import CHANCE

MOST_SEEDS = 5
DRAW_NOTHING = ("trivial", "linear", "statistical", "knn", "svm", "naive_bayes", "gradient_boosting")
"""Models that are the same with every seed, and so are fitted once; of boosting only without a variant."""
LONGER = 1.5
"""Times what a fold takes, for a refit on all that was not held out."""
LEAST_SECONDS = 1.0
"""Seconds that the training of a network may take in the finals, however late it is."""
IN_ANY_CASE = 2
"""Finalists that are refitted even if the time is over."""


def finalists(
    ladder: Ladder, trials: Sequence[Trial], planned: str | None, *, ahead_only: bool = False
) -> list[Candidate]:
    """The trivial model, the choice of the folds, the best of each kind, the plan's network, the linear model.

    In the order in which they are refitted, so that the most important ones are known first.

    Args:
        ahead_only: without the last two, which are there to compare with.
    """
    known = ladder.candidates(trials)
    of_plan = ladder.leader([t for t in trials if t.name in known and known[t.name].model == planned])
    chosen = [
        ladder.leader(trials, Kind.TRIVIAL),
        ladder.leader(trials),
        ladder.leader(trials, Kind.BASELINE),
        ladder.leader(trials, Kind.NETWORK),
    ]
    if not ahead_only:
        linear = any(trial.name == "linear" and trial.counts for trial in trials)
        chosen += [of_plan, known.get("linear") if linear else None]
    return list({candidate.name: candidate for candidate in chosen if candidate is not None}.values())


def draws(candidate: Candidate) -> bool:
    """True if another seed may give another model."""
    if candidate.members:
        return any(draws(one.alone) for one in candidate.members)
    return candidate.model not in DRAW_NOTHING or (candidate.model == "gradient_boosting" and bool(candidate.variant))


def seconds_of_a_round(candidates: Sequence[Candidate], trials: Sequence[Trial]) -> float:
    """The time that one refit of each may take: somewhat longer than a fold, which learns from fewer."""
    total = 0.0
    for candidate in candidates:
        mine = [trial for trial in trials if trial.name == candidate.name and trial.counts]
        if candidate.backbone:  # whose network has looked at all examples by then, in its first trial
            mine = [trial for trial in mine if trial.rung]
        if mine:
            total += min(trial.seconds / len(trial.scores) for trial in mine) * LONGER
    return total


@dataclass(slots=True)
class Refits:
    """The refits of one finalist that count, seed by seed."""

    candidate: Candidate
    fitted: Fitted | None = None
    """The first of them."""
    scores: list[float] = field(default_factory=list)
    drawn: list[Floats] = field(default_factory=list)
    right: list[Numbers] = field(default_factory=list)
    areas: list[float] = field(default_factory=list)
    """Of each refit the ROC AUC, where there are classes."""
    drawn_areas: list[Floats] = field(default_factory=list)
    also: list[Mapping[str, float]] = field(default_factory=list)
    seconds: float = 0.0
    cut: bool = False
    hurried: bool = False


class FinalRound:
    """The finalists' scores so far; each refit adds to them."""

    def __init__(
        self,
        fitting: Fitting,
        split: Split,
        metric: Metric,
        seed: int,
        deciding: Callable[[str], Decisions | None] = lambda _: None,
        beside: Metric | None = None,
        folds: Callable[[str], Sequence[float]] = lambda _: (),
        gains: Callable[[str, str], Sequence[float]] = lambda _one, _other: (),
    ) -> None:
        """
        Args:
            deciding: how the probabilities of the candidate of this name become classes, where that is told too.
            beside: a metric of numbers that is told too.
            folds: the scores of the candidate of this name on folds.
            gains: by how much the first candidate was better than the second on folds that both have seen.
        """
        self._beside, self._folds, self._gains = beside, folds, gains
        self._deciding = deciding
        self._fitting, self._split, self._metric, self._seed = fitting, split, metric, seed
        self._by_time = fitting.examples.times is not None
        self._truth = fitting.examples.targets[split.test]
        learned = fitting.examples.targets[split.training]
        self._all_classes = fitting.examples.task is Task.CLASSIFY and numpy.isin(learned, self._truth).all()
        """False where the held-out examples lack a class: what decisions are worth to it is not known then."""
        units = units_of(fitting.examples, split.test)
        self._resampling = Resampling(metric, self._truth, seed, units)
        self.refits: dict[str, Refits] = {}
        """By the names of the finalists."""

    def hold(
        self,
        candidates: Sequence[Candidate],
        trials: Sequence[Trial],
        allowed: Callable[[Candidate], float],
        until: float,
    ) -> Iterator[Began | Finals]:
        """As many seeds as there is time for, up to five. Tells what is known whenever there is something to compare.

        Args:
            allowed: seconds that a network's training may take on a fold, so that as many epochs are planned here.
            until: a time of time.monotonic.
        """
        failed: set[str] = set()
        for number, place, candidate in _turns(candidates):
            usual = seconds_of_a_round([candidate], trials)
            known = self.refits.get(candidate.name)
            late = time.monotonic() + (known.seconds if known else usual) / max(1, number) > until
            if candidate.name in failed or (late and (number > 0 or place >= IN_ANY_CASE)):
                continue
            yield Began(candidate.name, None, 0, candidate.kind)
            seconds = max(usual, allowed(candidate))
            if candidate.settings is not None:  # a score after fewer epochs is better than none
                self._fitting.with_torch()
                seconds = min(seconds, max(LEAST_SECONDS, until - time.monotonic()))
            try:
                fitted = self._fitting.fit(
                    candidate,
                    self._split.training,
                    self._split.test,
                    self._seed * 1000 + 500 + number,
                    Allowance(seconds, max(until, time.monotonic() + usual)),
                )
                if fitted.epochs == 0:
                    raise FittingError("There was no time for an epoch of it.")
                self._add(candidate, fitted)
            except (FittingError, MeaninglessError):
                failed.add(candidate.name)
                continue
            if len(self.refits) > 1:
                yield self._known()

    def _add(self, candidate: Candidate, fitted: Fitted) -> None:
        """A refit that the clock has cut counts only as long as there is no whole one. Raises MeaninglessError."""
        said = fitted.read_by(self._metric.reads)
        found, drawn = score(self._metric, self._truth, said), self._resampling.scores(said)
        refits = self.refits.setdefault(candidate.name, Refits(candidate))
        refits.seconds += fitted.seconds
        if fitted.short and refits.scores:
            return
        if refits.cut:
            refits = self.refits[candidate.name] = Refits(candidate, seconds=refits.seconds, hurried=refits.hurried)
        refits.cut = fitted.short
        refits.hurried |= fitted.hurried
        refits.fitted = refits.fitted or fitted
        refits.scores.append(found)
        refits.drawn.append(drawn)
        refits.right.append(self._truth == fitted.predicted)
        if fitted.probabilities is None:
            if self._beside is not None:
                refits.also.append({self._beside.name: score(self._beside, self._truth, fitted.predicted)})
            return
        area, influence = ranking(self._truth, fitted.probabilities)
        refits.areas.append(area)
        refits.drawn_areas.append(area + self._resampling.means(influence))
        deciding = self._deciding(candidate.name)
        if deciding is not None and self._all_classes:
            refits.also.append(deciding.scores(self._truth, fitted.probabilities))

    def _known(self) -> Finals:
        draws = {name: self._resampling.over_seeds(refits.drawn) for name, refits in self.refits.items()}
        right = {name: numpy.mean(refits.right, axis=0) for name, refits in self.refits.items()}
        finals = []
        for name, refits in self.refits.items():
            kind, settings = refits.candidate.kind, refits.candidate.settings_json
            scores, mean = tuple(refits.scores), float(numpy.mean(refits.scores))
            found = self._resampling.of_score(interval(draws[name]), right[name])
            low, high = of_new_examples(self._metric, mean, found, self._folds(name), by_time=self._by_time)
            cut = refits.cut or refits.hurried
            final = Final(name, kind, scores, mean, low, high, refits.seconds, settings, cut)
            finals.append(self._with_more(final, refits))
        sign = 1 if self._metric.greater_is_better else -1
        differences = []
        for one, other in combinations(finals, 2):
            drawn = interval(sign * (draws[one.name] - draws[other.name]))
            low, high = self._resampling.of_difference(drawn, right[one.name], right[other.name])
            if self._by_time and Kind.TRIVIAL not in (one.kind, other.kind):
                low, high = over_times(sign * (one.mean - other.mean), (low, high), self._gains(one.name, other.name))
            differences.append(Difference(one.name, other.name, sign * (one.mean - other.mean), low, high))
        return Finals(tuple(finals), tuple(differences))

    def _ranking(self, area: float, drawn: Floats) -> Ranking:
        """Its interval reaches down to chance where guesses come as far."""
        (low, high), surely = interval(drawn), interval(drawn, len(self.refits))[0]
        guessed = guessed_ranking(self._truth)
        by_one, by_any = (area - NormalDist().inv_cdf(1 - 0.025 / looks) * guessed for looks in (1, len(self.refits)))
        low = min(low, max(0.0, by_one)) if by_one <= CHANCE else low
        return Ranking(area, low, high, max(0.0, min(low, surely, by_any)))

    def _with_more(self, final: Final, refits: Refits) -> Final:
        """With how well it ranks the classes, and what its decisions are worth."""
        if not refits.areas:
            return replace(final, also=_means(refits.also)) if refits.also else final
        drawn = self._resampling.over_seeds(refits.drawn_areas)
        found = self._ranking(float(numpy.mean(refits.areas)), drawn)
        deciding = self._deciding(final.name)
        if deciding is None or not refits.also:
            return replace(final, ranking=found)
        return replace(final, ranking=found, also=_means(refits.also), thresholds=dict(deciding.thresholds))


def _means(told: Sequence[Mapping[str, float]]) -> dict[str, float]:
    return {name: float(numpy.mean([one[name] for one in told])) for name in told[0]}


def _turns(candidates: Sequence[Candidate]) -> Iterator[tuple[int, int, Candidate]]:
    """The number of the seed, the place among the finalists, and who it is."""
    for number in range(MOST_SEEDS):
        for place, candidate in enumerate(candidates):
            if number == 0 or draws(candidate):
                yield number, place, candidate
