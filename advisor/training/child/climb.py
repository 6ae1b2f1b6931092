"""A run of trials in the child: the data are loaded and divided, the ladder is climbed, the finals are held."""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy

from advisor.children import guard
from advisor.datasets.dataset import Task
from advisor.datasets.dividing import asked, divided
from advisor.datasets.inspect import inspect
from advisor.errors import InputError, input_error
from advisor.training.child.deciding import Decisions, decided_for, decisions, shares_of
from advisor.training.child.finals import LONGER, FinalRound, finalists, seconds_of_a_round
from advisor.training.child.fitted import Allowance, Fitted, FittingError, Numbers, TooSlowError
from advisor.training.child.fitting import FEWEST_ROUNDS, ROUNDS_OF_VARIANTS, TIMED_ROUNDS, Fitting
from advisor.training.child.folds import Folds, Once, on_folds
from advisor.training.child.forecaster import fitted_steps
from advisor.training.child.insight.explaining import explain
from advisor.training.child.insight.subject import Subject
from advisor.training.child.lagged import usual_error
from advisor.training.child.metrics import (
    R2,
    UNEVEN,
    MeaninglessError,
    Reads,
    imbalance,
    mase,
    metric_named,
    metric_of,
    r2_of_folds,
    refined_brier,
    says_something,
    score,
)
from advisor.training.child.request import (
    MESSAGES,
    Began,
    Costly,
    EpochSeen,
    Finals,
    Message,
    Note,
    Ready,
    Refused,
    Request,
)
from advisor.training.child.resumed import lacking
from advisor.training.child.scoring import described
from advisor.training.child.together import averaged
from advisor.training.ladder.backbones import LIBRARIES
from advisor.training.ladder.backbones import missing as missing_backbone
from advisor.training.ladder.candidates import SIMPLEST, Candidate
from advisor.training.ladder.comparing import Fold
from advisor.training.ladder.forecasters import MISSING, statistical_there
from advisor.training.ladder.ladder import Clock, Ladder, Step
from advisor.training.ladder.menu import menu
from advisor.training.ladder.outcome import DataTried, Winner
from advisor.training.ladder.shares import share_of
from advisor.training.ladder.trial_record import Kind, Stage, Status, Trial
from advisor.training.ladder.verdicts import Judging
from advisor.training.recipe import Epoch
from advisor.version import torch_version

ENDS_BEFORE, ENDS_BEFORE_SHARE = 0.7, 0.03
"""Seconds before the budget is over at which the finals should be done, or this share of it: a fit that is under way then may
take longer than it was expected to, and telling takes a moment.
"""
FEWEST_FOR_FINALS, MOST_FOR_FINALS = 0.08, 0.2
"""Shares of the budget that are kept for the finals."""
MOST_FOR_ONE_ROUND = 0.4
"""The same where one refit of each finalist takes longer: without it nothing is known of held-out examples."""
LATEST = 3
"""Times what it is allowed, after which a training is stopped in any case: an epoch may take that long."""
ONE_BASELINE = 0.25
"""Share of the budget after which no further fold of a model that is no network is begun on its first rung."""
MOST_OF_ALLOWED = 2
"""Times what a network's trainings are allowed, from which on the same holds for it."""
FINAL_ROUNDS = 2
"""Seeds that time is kept for."""
ONE_TRIAL, OF_THE_PLAN = 0.1, 0.35
"""Share of the budget that a network's first trial should take at most, and that of the type which the plan bets on."""
OF_A_VARIANT = 0.08
"""The same of other settings of boosting."""
_EPOCHS_TOLD = 3000
"""At most so many epochs of a run are told, so that what is told stays small however long it runs."""

EXPLAINING = 0.07
"""Share of the budget that is kept to find out more about the winner, once the finals are told."""


class Telling:
    """Writer of messages to the parent."""

    def __init__(self, descriptor: int, budget: float) -> None:
        self._descriptor = descriptor
        self._every = max(0.25, budget / _EPOCHS_TOLD)
        self._epoch_told = 0.0

    def __call__(self, message: Message) -> None:
        guard.write(self._descriptor, MESSAGES.line(message))

    def epoch(self, epoch: Epoch) -> None:
        """Now and then."""
        now, value = time.monotonic(), epoch.loss if epoch.validation is None else epoch.validation
        if now - self._epoch_told >= self._every and math.isfinite(value):
            self._epoch_told = now
            self(EpochSeen(epoch.number, value))


class Climb:
    """One run: the data, the folds, and the trials so far."""

    def __init__(self, request: Request, begun: float, tell: Telling) -> None:
        """Load and divide the data. Raises InputError where there is nothing to learn from them."""
        inspection = inspect(Path(request.path), request.target, Task(request.task) if request.task else None)
        if inspection.fingerprint != request.fingerprint:
            what = "they are not what they were when this run began"
            raise input_error("The data have changed", what, where=request.path, remedy="Begin anew with --fresh.")
        inspection = asked(inspection, request.given)
        data = divided(
            inspection,
            request.given,
            most_examples=request.most_examples,
            seed=request.seed,
            horizon=request.horizon,
        )
        examples, self._outer = data.examples, data.split
        self._tell, self._request = tell, request
        self._last = begun + request.seconds - max(ENDS_BEFORE, ENDS_BEFORE_SHARE * request.budget)
        self._end = self._last - EXPLAINING * request.budget
        task, targets = examples.task.value, examples.targets
        self._seen: dict[str, dict[Fold, tuple[Numbers, Numbers]]] = {}
        """Of each candidate the truth and its answers, probabilities or values, on folds that it did not learn from."""
        self._folds = Folds(examples, self._outer.training, request.seed)
        parts = [targets[part] for part in (self._outer.test, *self._folds.scored)]
        unit = usual_error(examples, self._outer.training) if examples.task is Task.FORECAST else None
        self._metric = (
            metric_named(request.metric, task, targets, unit) if request.metric else metric_of(task, targets, parts)
        )
        left_out = self._judging(targets)
        self._of_folds = r2_of_folds(targets[self._outer.training]) if self._metric.name == R2.name else self._metric
        self._beside = mase(unit) if unit is not None and self._metric.name != "mase" else None
        self._fitting = Fitting(examples, request.threads, share_of(self._metric.name))
        uneven = task == Task.CLASSIFY and imbalance(targets) >= UNEVEN
        self._ladder = Ladder(
            menu(
                request.planned,
                examples.modality,
                len(self._outer.training),
                uneven=uneven,
                forecast=examples.task is Task.FORECAST,
                classes=examples.task is Task.CLASSIFY,
            ),
            self._folds.rungs,
            self._folds.held_out_share,
            greater_is_better=self._metric.greater_is_better,
        )
        self._trials: list[Trial] = list(request.finished)
        self._rehearsed: dict[str, float] = {}
        tried = DataTried(
            path=request.path,
            target=request.target,
            fingerprint=request.fingerprint,
            modality=examples.modality,
            task=examples.task.value,
            examples=len(examples),
            held_out=len(self._outer.test),
            learnt_from=len(self._outer.training),
            how=self._outer.how,
            folds=self._folds.width,
            held_out_share_of_a_fold=self._folds.held_out_share,
            left_out=examples.left_out,
            torch=torch_version(),
            task_told=request.task is not None,
            uneven=uneven,
            given=request.given,
            warned=data.warned,
            horizon=request.horizon,
            metric_told=self._metric.name if request.metric else None,
            seed=request.seed,
        )
        learned = self._outer.training
        self._told_metric = described(self._metric, task, targets, targets[learned])
        tell(Ready(tried, self._told_metric, self._folds.rungs))
        if left_out:
            told = "1 fold was" if left_out == 1 else f"{left_out:,} folds were"
            tell(Note(f"{told} left out, since {self._metric.title} says nothing of examples as much alike as theirs."))
        if examples.task is Task.FORECAST and not statistical_there():
            tell(Note(MISSING))
        if examples.modality in LIBRARIES and request.planned.backbone == "":
            tell(Note(missing_backbone(examples.modality)))
        if examples.series is not None and statistical_there():
            longest, most = int(numpy.bincount(examples.series.number).max()), fitted_steps(examples.series.seasons)
            if longest > most:
                tell(Note(f"Statistical models are fitted to the latest {most:,} steps; the series has {longest:,}."))
        self._to_start = time.monotonic() - begun
        """Seconds that scikit-learn and the data took; torch takes about as long."""

    def _judging(self, targets: Numbers) -> int:
        """Leave out the folds of which the metric says nothing, and say how many. Raises InputError where all are such, or the
        held-out examples.
        """
        says = partial(says_something, self._metric, targets)
        left_out, held_out = self._folds.keep(says), says(self._outer.test)
        if held_out and self._folds.width:
            return left_out
        why = "a class is missing there" if targets.ndim == 1 else "their values never vary"
        which = "the folds that models are chosen by" if held_out else "the held-out examples"
        what = f"{self._metric.title} says nothing of {which}, since {why}"
        other = "log_loss or accuracy" if targets.ndim == 1 else "rmse or mae"
        named = self._request.metric is not None
        remedy = f"Take {other}{'' if named else ' with --metric'}, or divide the data in another way."
        place = "--metric" if named else self._request.path
        raise input_error("The metric cannot be used", what, where=place, remedy=remedy)

    def search(self) -> None:
        """Trials until nothing is worth its time."""
        while True:
            reserve = self._reserve()
            until = self._end - reserve
            left = until - time.monotonic()
            clock = Clock(max(self._request.budget - reserve, 1e-9), max(left, 1e-9) if self._must_go_on() else left)
            step = self._ladder.next(self._trials, clock, self._expected)
            if step is None or (left <= 0 and not step.candidate.simplest):
                self._tell_what_was_costly()
                self._average()
                return
            if step.candidate.settings is not None and not any(t.kind is Kind.NETWORK for t in self._trials):
                self._fitting.with_torch()
                if time.monotonic() >= until:
                    continue
            self._tell(Began(step.candidate.name, step.candidate.stage, step.rung, step.candidate.kind))
            trial = self._trial(step, until)
            self._trials.append(trial)
            self._tell(trial)

    def _average(self) -> None:
        """Several models together, which have answered on folds by then and so cost nothing to score."""
        if any(trial.stage is Stage.TOGETHER for trial in self._trials):
            return  # in a run that was stopped; its shares stay, since this one has not seen all folds
        simple = [one for one in self._ladder.candidates(self._trials).values() if one.kind is Kind.BASELINE]
        others = [one for one in self._finalists(ahead_only=True) if one.kind is not Kind.BASELINE]
        left = self._end - time.monotonic() - seconds_of_a_round(others, self._trials)
        found = averaged(simple, self._seen, self._folds.apart, self._of_folds, self._trials, left)
        for trial in found or ():
            self._trials.append(trial)
            self._tell(trial)

    def _tell_what_was_costly(self) -> None:
        tried = {trial.name for trial in self._trials}
        for name, seconds in self._rehearsed.items():
            if name not in tried and seconds > 0:
                self._tell(Costly(name, seconds * self._folds.width))

    def finals(self) -> None:
        """The finals, and once they are told what there is to know about the winner."""
        if told := self._lacking():
            self._tell(Note(told))
        final_round = FinalRound(
            self._fitting,
            self._outer,
            self._metric,
            self._request.seed,
            self._deciding,
            self._beside,
            self._on_its_folds,
            self._gains,
        )
        known: Finals | None = None
        for message in final_round.hold(self._finalists(), self._trials, self._allowed, self._end):
            self._tell(message)
            known = message if isinstance(message, Finals) else known
        if known is not None:
            self._explain(final_round, known)

    def _on_its_folds(self, name: str) -> list[float]:
        """Scores of whole trainings."""
        mine = (trial for trial in self._trials if trial.name == name and trial.counts and not trial.hurried)
        return [score for trial in mine if trial.status is not Status.CUT for score in trial.scores]

    def _gains(self, one: str, other: str) -> Sequence[float]:
        found = self._ladder.scores(self._trials).paired(one, other)
        return found.gains if found is not None else ()

    def _lacking(self) -> str:
        decided = [(self._deciding(one.name), one.name) for one in self._finalists() if one.kind is not Kind.TRIVIAL]
        guessed = any(how is not None and how.thresholds and not self._answers(name) for how, name in decided)
        known = self._ladder.candidates(self._trials)
        return lacking(self._request.finished, known, self._seen, guessed=guessed)

    def _explain(self, final_round: FinalRound, known: Finals) -> None:
        """Nothing is to be explained where nothing was better than looking at no input."""
        judging = Judging(self._ladder, self._told_metric, self._trials, known.finals, known.differences)
        judged, _ = judging.verdict()
        best = judging.best(judged)
        refits = final_round.refits.get(best.name) if best is not None else None
        if refits is None or judged is Winner.NOTHING or refits.candidate.kind is Kind.TRIVIAL:
            return
        fitted, seconds = refits.fitted, refits.seconds / len(refits.scores)
        seconds -= self._fitting.looked(refits.candidate, math.inf)
        assert fitted is not None  # noqa: S101 - there are scores
        asked = self._request
        subject = Subject(
            refits.candidate, fitted, refits.scores, seconds, self._fitting, self._outer, self._metric, self._told_metric,
            asked.seed, asked.threads,
        )  # fmt: skip
        explain(subject, self._last, self._tell)

    def _deciding(self, name: str) -> Decisions | None:
        """The way from a candidate's probabilities to classes, where a metric that looks at no classes decides."""
        if self._metric.reads is not Reads.PROBABILITIES:
            return None
        learned = self._fitting.examples.targets[self._outer.training]
        shares = shares_of(learned, len(self._fitting.examples.classes))
        return decisions(shares, decided_for(self._metric, learned), self._answers(name))

    def _answers(self, name: str) -> list[tuple[Numbers, Numbers]]:
        """The truth and the probabilities of a candidate on the folds; of several together those of their average."""
        members = self._ladder.candidates(self._trials)[name].members
        if not members:
            return list(self._seen.get(name, {}).values())
        every = self._ladder.candidates(self._trials).values()
        known = {(c.model, c.variant, c.weighted): c.name for c in every if not (c.lagged or c.backbone)}
        seen = [self._seen.get(known.get((one.model, one.variant, one.weighted), ""), {}) for one in members]
        folds = set.intersection(*map(set, seen))
        shares = [one.share for one in members]
        return [
            (seen[0][fold][0], numpy.tensordot(shares, numpy.stack([mine[fold][1] for mine in seen]), 1))
            for fold in sorted(folds)
        ]

    def _finalists(self, *, ahead_only: bool = False) -> list[Candidate]:
        return finalists(self._ladder, self._trials, self._request.planned.network, ahead_only=ahead_only)

    def _reserve(self) -> float:
        """Seconds kept for the finals; more than the usual share of the budget only for who may win them."""
        budget = self._request.budget
        one, of_best = (seconds_of_a_round(self._finalists(ahead_only=only), self._trials) for only in (False, True))
        most = max(MOST_FOR_FINALS * budget, min(of_best, MOST_FOR_ONE_ROUND * budget))
        return min(max(FINAL_ROUNDS * one, FEWEST_FOR_FINALS * budget), most)

    def _must_go_on(self) -> bool:
        """The trivial and the linear model are tried however short the budget is."""
        return not {trial.name for trial in self._trials}.issuperset(SIMPLEST)

    def _allowed(self, candidate: Candidate) -> float:
        """Seconds that one training of a network may take, more where it is the type that the plan bets on; or that other
        settings of boosting may, of which there are several."""
        if candidate.model == "gradient_boosting" and candidate.variant:
            return OF_A_VARIANT * self._request.budget / self._folds.width
        planned = candidate.model == self._request.planned.network and candidate.model != "ffn"
        return (OF_THE_PLAN if planned else ONE_TRIAL) * self._request.budget / self._folds.width

    def _trial(self, step: Step, until: float) -> Trial:
        """The candidate on the folds of the rung; what goes wrong with it costs this trial only.

        A network for which there is no time on all of them is judged on one, in a training as long as they had together.
        """
        candidate, folds = step.candidate, self._folds.of(step.rung)
        begun = time.monotonic()
        made = Trial(candidate.name, candidate.kind, candidate.stage, step.rung, candidate.settings_json)
        try:
            try:
                return self._on_folds(made, step, len(folds), until)
            except TooSlowError:
                if step.rung or len(folds) == 1:
                    raise
                found = self._on_folds(made, step, 1, until)
                return replace(found, status=Status.SHORT if found.status is Status.DONE else found.status)
        except TooSlowError as error:
            return replace(made, seconds=time.monotonic() - begun, status=Status.SLOW, failure=str(error))
        except (FittingError, MemoryError) as error:
            failure = "The memory was not enough for it." if isinstance(error, MemoryError) else str(error)
            return replace(made, seconds=time.monotonic() - begun, status=Status.FAILED, failure=failure)

    def _on_folds(self, made: Trial, step: Step, width: int, until: float) -> Trial:
        candidate, folds = step.candidate, self._folds.of(step.rung)
        looked = time.monotonic()
        self._fitting.looked(candidate, until)
        begun = time.monotonic()
        first = next((t for t in self._trials if t.name == candidate.name and t.counts), None)
        usual = first.seconds / len(first.scores) if first is not None else 0.0
        together = min(
            self._allowed(candidate) * len(folds) / width, MOST_FOR_ONE_ROUND / LONGER * self._request.budget
        )
        allowed = max(2 * usual, together)

        def fit(place: int) -> Once:
            fitted = self._fitting.fit(
                candidate,
                folds[place].training,
                folds[place].test,
                self._request.seed * 1000 + step.rung * len(folds) + place,
                Allowance(allowed, until, LATEST * allowed, judged=first is None),
                self._tell.epoch,
            )
            truth = self._fitting.examples.targets[folds[place].test]
            likely, by_class = fitted.probabilities, self._metric.name == "balanced_accuracy"
            loss = refined_brier(truth, likely, by_class=by_class) if likely is not None else None
            found = self._score(truth, fitted)
            if candidate.kind is Kind.BASELINE or self._metric.reads is Reads.PROBABILITIES:
                answers = fitted.predicted if likely is None else likely.astype(numpy.float32)  # of many classes, much
                self._seen.setdefault(candidate.name, {})[step.rung, place] = truth, answers
            return Once(found, loss, fitted.epochs, fitted.short, fitted.hurried)

        last = min(until, begun + self._most(candidate, allowed)) if step.rung == 0 else until
        tried = on_folds(made, fit, width, last)
        return replace(tried, seconds=tried.seconds + begun - looked)

    def _score(self, truth: Numbers, fitted: Fitted) -> float:
        """Raises FittingError where the metric means nothing on this fold."""
        try:
            return score(self._of_folds, truth, fitted.read_by(self._metric.reads))
        except MeaninglessError as error:
            raise FittingError(str(error)) from error

    def _most(self, candidate: Candidate, allowed: float) -> float:
        """Seconds of a first trial after which no further fold is begun."""
        if candidate.kind is Kind.BASELINE:
            return self._share_of_one(candidate) * self._request.budget
        return MOST_OF_ALLOWED * allowed * self._folds.width

    def _expected(self, candidate: Candidate) -> float:
        """Of a network what one of its kind took; of a model that cannot be stopped while it is fitted what a part says."""
        if candidate.settings is not None:
            similar = [t.seconds for t in self._trials if t.name.startswith(f"{candidate.model} ") and t.counts]
            return statistics.median(similar) if similar else self._to_start + ONE_TRIAL / 4 * self._request.budget
        if candidate.backbone:  # what its features will still take serves all folds
            once = self._fitting.rehearsed(candidate, self._folds.of(0)[0].training)
            self._rehearsed[candidate.name] = once / self._folds.width
            return once
        if candidate.name not in self._rehearsed:
            self._rehearsed[candidate.name] = self._fitting.rehearsed(candidate, self._folds.of(0)[0].training)
        one = self._rehearsed[candidate.name] * self._off(candidate)
        if candidate.model == "gradient_boosting" and candidate.variant:  # as many rounds as there is time for
            least = one * (TIMED_ROUNDS + 2 * FEWEST_ROUNDS) / ROUNDS_OF_VARIANTS
            one = min(one, max(least, self._allowed(candidate)))
        most = self._folds.width * one
        return min(most, max(one, self._share_of_one(candidate) * self._request.budget))

    def _share_of_one(self, candidate: Candidate) -> float:
        return OF_THE_PLAN if self._is_bet(candidate) else ONE_BASELINE

    def _off(self, candidate: Candidate) -> float:
        """Times what its rehearsal says that the same model took with its usual settings; 1 before it was tried.

        Many rounds on few examples cost more than their share.
        """
        usual = (c for c in self._ladder.menu.openers if c.model == candidate.model and not c.weighted)
        plain = next((c.name for c in usual if candidate.variant and not c.variant), "")
        took = next((t.seconds / len(t.scores) for t in self._trials if t.name == plain and t.scores), 0.0)
        said = self._rehearsed.get(plain, 0.0)
        return took / said if took and said else 1.0

    def _is_bet(self, candidate: Candidate) -> bool:
        return candidate.model == self._request.planned.network


def climb(request: Request, begun: float, tell: Telling) -> None:
    """Everything, from loading the data to the finals."""
    try:
        run = Climb(request, begun, tell)
    except InputError as error:
        problems = (one if one.where else replace(one, where=request.path) for one in error.problems)
        tell(Refused(error.title, tuple(problems)))
        return
    run.search()
    run.finals()
