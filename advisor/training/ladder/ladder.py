"""The next trial: simple models first, then more of the promising ones. Pure: the same trials lead to the same step.

That makes a stopped run easy to resume. More folds for fewer candidates, the better half each time, is successive
halving (Jamieson and Talwalkar 2016, Non-stochastic best arm identification and hyperparameter optimization).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from advisor.plain import decode
from advisor.training.ladder.candidates import FIELDS, Candidate, Factor, Member, NetworkSettings, together
from advisor.training.ladder.comparing import Scores, ahead, best_by_score, leader, survivors
from advisor.training.ladder.menu import AS_PLANNED, VARIED, Menu
from advisor.training.ladder.trial_record import Kind, Stage, Status, Trial

OPENERS_AGAIN, VARIATIONS_UNTIL = 0.4, 0.8
"""Shares of the searching time: more folds for what was on the menu, then variations, then more folds for all."""
LOOKS = 2
"""Rungs that the best of the menu has before variations are tried: one look is not enough to choose by."""
MODELS_VARIED = 3
"""Models that are no networks of which other settings are tried, the best of the first rung."""
MOST_PROMISING = 3
"""Candidates that are followed from each rung, at least."""
COSTLY = 0.8
"""Share of the time left that a single trial may be expected to take, unless it is the simplest of its kind."""
CHEAP = 0.02
"""Share of the searching time from which class weights wait until models were tried without, in other settings as well."""
DEAR = 0.1
"""Share of the searching time from which a baseline waits until every network was tried once and the best have had a second
look, unless the plan bets on it.
"""
_SLOW = 4


@dataclass(frozen=True, slots=True)
class Step:
    """One candidate on the folds of one rung."""

    candidate: Candidate
    rung: int


@dataclass(frozen=True, slots=True)
class Clock:
    """The searching time so far and in all, in seconds."""

    total: float
    left: float

    @property
    def share(self) -> float:
        """Of the searching time that has passed, 0 to 1."""
        return 1.0 if self.total <= 0 else min(1.0, max(0.0, 1 - self.left / self.total))


Expected = Callable[[Candidate], float]
"""Seconds that the first trial of a candidate will take, as far as can be told; 0 where nothing is known."""


class Ladder:
    """The order of the trials of one run."""

    def __init__(self, menu: Menu, rungs: int, held_out_share: float, *, greater_is_better: bool = True) -> None:
        """
        Args:
            rungs: how many times a survivor may be scored, on other folds each time.
            held_out_share: see `Scores`.
        """
        self.menu = menu
        self._rungs = rungs
        self.held_out_share = held_out_share
        self._greater = greater_is_better

    def scores(self, trials: Sequence[Trial]) -> Scores:
        return Scores(trials, self.held_out_share, greater_is_better=self._greater)

    def next(self, trials: Sequence[Trial], clock: Clock, expected: Expected) -> Step | None:
        """The next step, or None where nothing is worth trying, or nothing that there is time for."""
        if clock.left <= 0:
            return None
        view = _View(trials, self.scores(trials))
        for step in self._wanted(view, clock, expected):
            cost = view.seconds.get(step.candidate.name) or expected(step.candidate)
            cheapest = step.candidate.simplest
            if cost <= clock.left * COSTLY or (cheapest and cost <= clock.left):
                return step
        return None

    def not_tried(self, trials: Sequence[Trial]) -> tuple[str, ...]:
        """Names of the menu and of its variations that have no trial."""
        tried = {trial.name for trial in trials}
        base = self.base(trials)
        view = _View(trials, self.scores(trials))
        openers = (one for one in self.menu.openers if not one.instead_of or view.slow(one.instead_of))
        varied = self.menu.variations(base) if base is not None else ()
        possible = (*openers, *self._settings(trials), *varied)
        return tuple(candidate.name for candidate in possible if candidate.name not in tried)

    def base(self, trials: Sequence[Trial]) -> Candidate | None:
        """The network that variations are made of: the best on the menu after its first rung.

        Once one was varied it stays the base, though a network that is tried later may be better.
        """
        varied = next((trial.name for trial in trials if trial.stage is Stage.VARIATIONS), None)
        if varied is not None:
            return next((c for c in self.menu.openers if varied.startswith(f"{c.name}{VARIED}")), None)
        first = self.scores([trial for trial in trials if trial.rung == 0])
        networks = [c for c in self.menu.openers if c.kind is Kind.NETWORK and first.of(c.name)]
        return max(networks, key=lambda c: first.mean(c.name), default=None)

    def variations(self, trials: Sequence[Trial]) -> tuple[Candidate, ...]:
        """Of the base; and once all of them were tried, the winners of several factors in one network."""
        base = self.base(trials)
        if base is None:
            return ()
        made = self.menu.variations(base)
        tried = {trial.name for trial in trials}
        known = {candidate.name for candidate in (*self.menu.openers, *made)}
        joined = [trial for trial in trials if trial.stage is Stage.VARIATIONS and trial.name not in known]
        if joined:  # what joins the winners is fixed by then, though later trials may see others win
            first = joined[0]
            settings = decode(NetworkSettings, first.settings)
            return (*made, Candidate(first.name, Kind.NETWORK, Stage.VARIATIONS, base.model, settings))
        both = _joined(base, made, self.scores(trials)) if all(c.name in tried for c in made) else None
        return (*made, both) if both is not None else made

    def candidates(self, trials: Sequence[Trial]) -> Mapping[str, Candidate]:
        """All that a run like this may have tried, by name."""
        joined = {trial.name: trial.settings for trial in trials if trial.stage is Stage.TOGETHER}
        several = (
            together([decode(Member, one) for one in told.get("members", ())], name) for name, told in joined.items()
        )
        every = (*self.menu.openers, *self.menu.settings, *self.variations(trials), *several)
        return {candidate.name: candidate for candidate in every}

    def _settings(self, trials: Sequence[Trial]) -> list[Candidate]:
        """Other settings of the models that looked best on the first rung, and of the plan's, the best model's first."""
        first = self.scores([trial for trial in trials if trial.rung == 0])
        known = [
            one for one in self.menu.openers if one.kind is Kind.BASELINE and first.of(one.name) and not one.backbone
        ]
        models = list(dict.fromkeys(one.model for one in sorted(known, key=lambda one: -first.mean(one.name))))
        wanted = [*models[:MODELS_VARIED], *(one for one in models if one == self.menu.planned.network)]
        made = [[one for one in self.menu.settings if one.model == model] for model in dict.fromkeys(wanted)]
        return [one for turn in zip_longest(*made) for one in turn if one is not None]

    def leader(self, trials: Sequence[Trial], kind: Kind | None = None, *, by_score: bool = False) -> Candidate | None:
        """The candidate to bet on, of one kind; or of all, which is the leader of its kind too.

        What looks at no input is that only if its score is the best, since its probabilities tell nothing apart.
        """
        known, scores = self.candidates(trials), self.scores(trials)
        if kind is not None:
            of_kind = [c for c in known.values() if c.kind is kind]
            defaults = [c.name for c in of_kind if not c.varied]
            variations = [c.name for c in of_kind if c.stage is Stage.VARIATIONS]
            averages = [c.name for c in of_kind if c.stage is Stage.TOGETHER]
            name = leader(scores, defaults, variations, averages, by_score=by_score)
            return known[name] if name is not None else None
        reached = survivors(scores, [c.name for c in known.values() if not c.varied])
        leaders = [one for kind in Kind if (one := self.leader(trials, kind, by_score=by_score)) is not None]
        leaders = [one for one in leaders if one.varied or one.name in reached] or leaders
        trivial = [one.name for one in leaders if one.kind is Kind.TRIVIAL]
        names = [one.name for one in leaders if one.kind is not Kind.TRIVIAL]
        if names:
            names = [best_by_score(scores, names) if by_score else ahead(scores, names)]
        return known[best_by_score(scores, [*trivial, *names])] if trivial or names else None

    def _first(self, view: _View, clock: Clock, expected: Expected) -> tuple[list[Candidate], list[Candidate]]:
        """Candidates of the menu without a trial: in its order, but one network, the plan's if it has one, before other settings
        of what is simple, since whether a network is worth it is the question. Then the slow ones, which wait.
        """

        networks = [c for c in self.menu.openers if c.kind is Kind.NETWORK]
        foremost = next((c for c in networks if c.name.endswith(AS_PLANNED)), networks[0] if networks else None)

        def late(candidate: Candidate) -> int:
            if candidate.kind is Kind.NETWORK:
                return 1 if candidate == foremost or candidate.instead_of else 3
            if candidate.weighted:
                return 0 if expected(candidate) <= CHEAP * clock.total else 3
            if candidate.backbone:  # to time it loads torch, which waits for the first network
                waits = foremost is not None and not view.tried(foremost.name, 0)
                return 2 if waits or expected(candidate) <= DEAR * clock.total else _SLOW
            bet = candidate.model == self.menu.planned.network or candidate.simplest
            if candidate.variant and candidate.model != "statistical":
                return 2 if expected(candidate) <= DEAR * clock.total else _SLOW
            return 0 if bet or candidate.kind is Kind.TRIVIAL or expected(candidate) <= DEAR * clock.total else _SLOW

        openers = (c for c in self.menu.openers if not c.instead_of or view.slow(c.instead_of))
        possible = (*openers, *self._settings(view.trials))
        places = {c: late(c) for c in possible if not view.tried(c.name, 0)}
        in_order = sorted(places, key=places.__getitem__)
        return [c for c in in_order if places[c] < _SLOW], [c for c in in_order if places[c] == _SLOW]

    def _wanted(self, view: _View, clock: Clock, expected: Expected) -> Iterator[Step]:
        """Steps that make sense, the best first."""
        openers = (*self.menu.openers, *self.menu.settings)
        soon, slow = self._first(view, clock, expected)
        yield from (Step(candidate, 0) for candidate in soon)
        variations = self.variations(view.trials)
        base = self.base(view.trials)
        again = list(self._again(view, openers))
        judged = base is not None and base.model == self.menu.planned.network
        looks = LOOKS if judged else LOOKS + 1  # variations of another type than the plan's judge no bet of it
        yield from (step for step in again if step.rung < looks)
        yield from (Step(candidate, 0) for candidate in slow)
        varied = [Step(candidate, 0) for candidate in variations if not view.tried(candidate.name, 0)]
        around = (base, *variations) if base is not None else ()
        further = list(self._again(view, around))
        every = list(self._again(view, (*openers, *variations)))
        if clock.share < OPENERS_AGAIN:
            yield from again
        if clock.share < VARIATIONS_UNTIL:
            yield from [*further, *varied] if len(varied) < len(around) / 2 else varied
        yield from every
        yield from again
        yield from varied
        yield from self._left_behind(view)

    def _again(self, view: _View, candidates: Sequence[Candidate]) -> Iterator[Step]:
        """More folds for the better half of each rung, the lower rungs first."""
        for rung in range(self._rungs - 1):
            here = [c for c in candidates if view.done(c.name, rung)]
            for candidate in self._promoted(view, here):
                if not view.tried(candidate.name, rung + 1):
                    yield Step(candidate, rung + 1)

    def _left_behind(self, view: _View) -> Iterator[Step]:
        """Steps for spare time: more folds for candidates that trail on few of them, unless a 95 % interval shows them worse."""
        leader = self.leader(view.trials)
        for candidate in (*self.menu.openers, *self.menu.settings):
            if leader is None or candidate.kind is Kind.TRIVIAL or candidate.name == leader.name:
                continue
            behind = view.scores.paired(leader.name, candidate.name)
            rung = next((rung for rung in range(self._rungs) if not view.tried(candidate.name, rung)), 0)
            if rung and view.done(candidate.name, rung - 1) and behind is not None and behind.interval().low <= 0:
                yield Step(candidate, rung)

    def _promoted(self, view: _View, here: Sequence[Candidate]) -> list[Candidate]:
        """The leader of each kind, then the rest of the better half; the trivial model is no contender."""
        contenders = [c for c in here if c.kind is not Kind.TRIVIAL]
        ranked = sorted(contenders, key=lambda c: -view.scores.mean(c.name))
        leading: set[str] = set()
        for kind in (Kind.BASELINE, Kind.NETWORK):
            names = [c.name for c in contenders if c.kind is kind]
            on_menu = [c.name for c in contenders if c.kind is kind and not c.varied]
            leading |= {best_by_score(view.scores, names)} if names else set()
            leading |= {ahead(view.scores, on_menu)} if on_menu else set()
        first = [c for c in ranked if c.name in leading]
        return [*first, *(c for c in ranked[: max(MOST_PROMISING, math.ceil(len(ranked) / 2))] if c not in first)]


class _View:
    """The trials so far, looked up by name and rung."""

    def __init__(self, trials: Sequence[Trial], scores: Scores) -> None:
        self.trials = trials
        self.scores = scores
        self._tried = {(trial.name, trial.rung) for trial in trials}
        self._done = {(trial.name, trial.rung) for trial in trials if trial.counts and trial.status is Status.DONE}
        self._slow = {trial.name for trial in trials if trial.status is Status.SLOW}
        self._failed = {trial.name for trial in trials if trial.status is Status.FAILED} | self._slow
        self.seconds = {trial.name: trial.seconds for trial in trials if trial.rung or "backbone" not in trial.settings}
        """Of the latest trial; but not of one in which a network looked at all pictures once."""

    def tried(self, name: str, rung: int) -> bool:
        return (name, rung) in self._tried or name in self._failed

    def slow(self, name: str) -> bool:
        """True if there was no time to train it."""
        return name in self._slow

    def done(self, name: str, rung: int) -> bool:
        return (name, rung) in self._done


def _joined(base: Candidate, variations: Sequence[Candidate], scores: Scores) -> Candidate | None:
    """The winners of at least two factors in one network."""
    assert base.settings is not None  # noqa: S101 - a network
    winners: dict[Factor, Candidate] = {}
    for candidate in variations:
        found = scores.paired(candidate.name, base.name) if candidate.factor is not None else None
        if found is None or candidate.factor is None or not found.beyond_noise:
            continue
        best = winners.get(candidate.factor)
        if best is None or scores.mean(candidate.name) > scores.mean(best.name):
            winners[candidate.factor] = candidate
    winners = {factor: winners[factor] for factor in Factor if factor in winners}
    if len(winners) < 2:
        return None
    settings = base.settings
    for factor, candidate in winners.items():
        assert candidate.settings is not None  # noqa: S101
        settings = replace(settings, **{name: getattr(candidate.settings, name) for name in FIELDS[factor]})
    words = " and ".join(candidate.name.removeprefix(f"{base.name}{VARIED}") for candidate in winners.values())
    return Candidate(f"{base.name}{VARIED}{words}", Kind.NETWORK, Stage.VARIATIONS, base.model, settings)
