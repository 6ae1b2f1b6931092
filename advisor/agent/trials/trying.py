"""Tries models on somebody's data in a child process: what is finished is kept, whatever happens to child or parent."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from advisor.agent.advised import after_layers_of
from advisor.agent.events import JournalFailed
from advisor.agent.remembered.trial_journal import Known, TrialJournal
from advisor.agent.trials.events import TrialEvent, TrialListener, TrialsResumed
from advisor.children.command import module_command
from advisor.children.stopping import STOPPED, Stop
from advisor.children.supervise import End, Limits, supervise
from advisor.datasets.dataset import Task
from advisor.errors import InputError, Problem
from advisor.inference.plan import Plan
from advisor.machine.detection.limits import read_limits
from advisor.machine.host import Tree
from advisor.networks.registry import find
from advisor.training.child.request import (
    MESSAGES,
    Began,
    Costly,
    Ended,
    Finals,
    Message,
    Note,
    Ready,
    Refused,
    Request,
    request_line,
)
from advisor.training.ladder.backbones import LIBRARIES, smallest
from advisor.training.ladder.candidates import Planned
from advisor.training.ladder.insight import Insight
from advisor.training.ladder.ladder import Ladder
from advisor.training.ladder.menu import menu
from advisor.training.ladder.outcome import NotTried, TrialResults
from advisor.training.ladder.trial_record import Stage, Status, Trial
from advisor.training.ladder.verdicts import Judging

MOST_STARTS = 6
"""Of a child: each crash costs the trial that was running."""
MOST_BEGINNINGS = 2
"""Of a trial: one that was running each time the whole run was stopped is left out."""
GRACE_SECONDS = 1.0
"""After the budget, until a child that is still busy is ended."""
RESTART_NEEDS = 3.0
"""Seconds of the budget below which no further child is started."""

PLANNED = {
    "init": "network.init",
    "activation": "network.activation",
    "optimizer": "training.optimizer",
    "learning_rate": "training.learning_rate",
    "batch_size": "training.batch_size",
}
"""The settings that are taken from the plan, by topic."""


def planned(plan: Plan) -> Planned:
    """The bets of this plan, as far as they can be tried."""
    kind = plan.recommendations["network.type"]
    others = [alternative.value for alternative in kind.alternatives]
    leading = [kind.value] if kind.value is not None else list(kind.tied)
    rest = {name: plan.value(topic) for name, topic in PLANNED.items()}
    network = leading[0] if leading else None
    family = find(network) if network is not None else None
    normalization, dropout = ("none", 0.0) if family is None else after_layers_of(plan, family)
    return Planned(
        network=network,
        runners_up=tuple(str(value) for value in (*leading[1:], *others)),
        hidden_units=tuple(plan.value("network.hidden_units") or ()),
        normalization=normalization,
        dropout=dropout,
        backbone=_backbone(plan),
        **rest,
    )


def _backbone(plan: Plan) -> str | None:
    modality, allowed = (plan.facts.get(name) for name in ("data.modality", "project.pretrained_allowed"))
    if modality is None or modality.value not in LIBRARIES or (allowed is not None and allowed.value is False):
        return None
    return smallest(str(modality.value))


class NothingTriedError(InputError):
    """Not even the data were in memory when the time was over, or the child never came so far."""


class Trying:
    """One run of `advisor try`, which may be interrupted: `outcome` then says what is known by then."""

    def __init__(
        self,
        request: Request,
        *,
        journal: TrialJournal | None = None,
        listener: TrialListener | None = None,
        limits: Limits | None = None,
        command: Sequence[str] | None = None,
        stop: Stop | None = None,
    ) -> None:
        """
        Args:
            request: with the whole budget; what earlier runs have spent of it is taken off.
            command: starts another child than our own; the number of this process is added to it.
            stop: ends the run; `run` then gives back what is known by then.
        """
        self._request = request
        self._journal = journal
        self._listener = listener
        self._stop = stop or Stop()
        self._limits = limits or Limits(grace_seconds=GRACE_SECONDS)
        self._command = module_command(
            "advisor.training.child.main", thread_variables(request.threads), instead=command
        )
        self.known = journal.known() if journal is not None else Known()
        self._gave_up = False
        self._explaining = False
        """True once the verdict is told, and there is only more to be found out about the winner."""
        self._running: Began | None = None
        """In the child under way."""
        self._cut_off: Began | None = None
        """The candidate that is being tried, or was when the child was ended."""
        self._begun = time.monotonic()

    def run(self) -> TrialResults:
        """Climb the ladder, until it ends or the budget does.

        Raises InputError where the data cannot be learned from, and whatever interrupts it (KeyboardInterrupt): the child
        is gone by then.
        """
        self._take_over()
        for _ in range(MOST_STARTS):
            left = self._seconds_left()
            if self._stop.all or (self.known.trials and left < RESTART_NEEDS):
                if self.known.finals is None and not self._stop.all:
                    what = f"{max(0.0, left):.0f} s of the budget were left, too few to look at the held-out examples."
                    self.known.notes.append(f"{what} Begin anew with a longer --budget.")
                break
            crash = self._climb(left)
            if crash is not None and self._explaining:
                self.known.notes.append(f"The process that looked into the winner ended early. {crash[1]}")
            if crash is None or self._explaining:
                break
            self._lose(*crash)
        else:
            self._gave_up = True
        return self.outcome(interrupted=self._stop.all)

    def outcome(self, *, interrupted: bool = False) -> TrialResults:
        """The outcome so far. Raises NothingTriedError where not even the data could be read in time."""
        known, request = self.known, self._request
        ready = known.ready
        if ready is None:
            what = known.notes[-1] if known.notes else "the time was over before the data were in memory"
            problem = Problem("", what, "Give it more time with --budget.")
            raise NothingTriedError("Nothing could be tried", [problem])
        ladder = Ladder(
            menu(
                request.planned,
                ready.data.modality,
                ready.data.learnt_from,
                uneven=ready.data.uneven,
                forecast=ready.data.task == Task.FORECAST,
                classes=ready.data.task == Task.CLASSIFY,
            ),
            ready.rungs,
            ready.data.held_out_share_of_a_fold,
            greater_is_better=ready.metric.greater_is_better,
        )
        told = known.finals or Finals((), ())
        judging = Judging(ladder, ready.metric, known.trials, told.finals, told.differences)
        judged, says = judging.verdict()
        bets, best = judging.bets(judged), judging.best(judged)
        failed = {t.name: t.failure or "" for t in known.trials if t.status in (Status.FAILED, Status.SLOW)}
        missing = [name for name in ladder.not_tried(known.trials) if name not in failed]
        return TrialResults(
            metric=ready.metric,
            data=ready.data,
            verdict=judged,
            says=f"{says} {judging.advice(judged, bets)}".rstrip(),
            best=best,
            trials=tuple(known.trials),
            finals=told.finals,
            differences=told.differences,
            insight=known.insight if best is not None and known.insight and known.insight.of == best.name else None,
            bets=bets,
            varied=judging.varied(),
            not_tried=(
                *(NotTried(name, reason) for name, reason in failed.items()),
                *(NotTried(name, self._why_not(name, interrupted)) for name in missing),
            ),
            notes=(*ready.data.warned, *known.notes),
            seconds=known.spent + time.monotonic() - self._begun,
            resumed=known.resumed,
            interrupted=interrupted,
        )

    def _why_not(self, name: str, interrupted: bool) -> str:
        """A sentence."""
        if self._cut_off is not None and name == self._cut_off.name:
            why = "the run was stopped" if interrupted else "the time was over"
            return f"It was begun, and {why} before its first scores were there."
        if interrupted:
            return "The run was stopped before its turn came."
        if name in self.known.costly:
            return f"It would take about {self.known.costly[name]:.0f} s, and there was no time left for that."
        if self._gave_up:
            return f"The process that tries ended early {MOST_STARTS} times, so it was not started again."
        return "No time was left."

    def _seconds_left(self) -> float:
        return self._request.budget - self.known.spent - (time.monotonic() - self._begun)

    def _take_over(self) -> None:
        """Take over the trials that an earlier run has finished, but for one that ended it time and again."""
        if self.known.ready is None and not self.known.trials:
            return
        for times, began in self.known.began.values():
            if times >= MOST_BEGINNINGS:
                self._lose(began, "The run ended in the middle of it each time, so it is left out.")
        self._tell(TrialsResumed(tuple(self.known.trials), self.known.spent, self.known.ready))

    def _climb(self, seconds: float) -> tuple[Began | None, str] | None:
        """One child, to its end. None where it has said everything; otherwise what was running when it went, and why."""
        begun = time.monotonic()
        request = replace(self._request, seconds=seconds, finished=tuple(self.known.trials))
        self._running = None
        try:
            ending = supervise(
                self._command,
                self._hear,
                deadline=begun + max(0.0, seconds) + self._limits.grace_seconds,
                request=request_line(request),
                memory_bytes=self._limits.memory(read_limits(Tree(Path("/"))).memory_left_bytes),
                limits=self._limits,
                stopped=lambda: self._stop.all,
            )
        except KeyboardInterrupt:
            self._note_stop()
            raise
        if ending.end is End.FAILED:
            return self._running, ending.explain(ending.reason)
        if ending.end is End.STOPPED:
            self.known.notes.append(STOPPED)
            self._note_stop()
        elif ending.end is End.LATE and not self._explaining:
            self.known.notes.append("The time was over before everything was done.")
        return None

    def _hear(self, line: bytes) -> bool:
        """Take down what the child says. Raises ValueError where it is no message."""
        message = MESSAGES.read(line)
        if isinstance(message, Ended):
            return True
        self._running = message if isinstance(message, Began) else self._running
        self._take(message)
        self._running = None if isinstance(message, Trial | Finals) else self._running
        return False

    def _take(self, message: Message) -> None:
        known = self.known
        match message:
            case Ready():
                if known.ready is None:
                    self._note(message)
                known.ready = message
            case Trial():
                self._cut_off = None
                known.trials.append(message)
                self._note(message)
            case Finals():
                if known.finals is None or message.adds_to(known.finals):
                    known.finals = message
                    self._note(message)
            case Insight():
                self._explaining = True
                if known.insight is None or message.adds_to(known.insight):
                    known.insight = message
                    self._note(message)
            case Costly():
                known.costly[message.name] = message.seconds
            case Began(stage=Stage()):
                self._cut_off = message
                self._note(message)
            case Note(text):
                known.notes.append(text)
            case Refused():
                raise InputError(message.title, message.problems)
        self._tell(message)

    def _lose(self, running: Began | None, reason: str) -> None:
        """Count what was running when the child ended as failed; note anything else."""
        if running is None or running.stage is None:
            what = "the finals" if running is not None else "the data"
            self.known.notes.append(f"The process that tried {what} ended early. {reason}")
            return
        trial = Trial(running.name, running.kind, running.stage, running.rung, status=Status.FAILED, failure=reason)
        self.known.trials.append(trial)
        self._note(trial)
        self._tell(trial)

    def _note_stop(self) -> None:
        """The trial under way is begun again by the same command, however often somebody ends the run in it."""
        if self._cut_off is not None:
            self._note(self._cut_off, by_hand=True)

    def _note(self, message: Message, *, by_hand: bool = False) -> None:
        """Write to the journal; where that cannot be done, trying goes on."""
        if self._journal is not None:
            try:
                self._journal.write(message, self._request.budget - self._seconds_left(), by_hand=by_hand)
            except InputError as error:
                self._tell(JournalFailed(error))

    def _tell(self, event: TrialEvent) -> None:
        if self._listener is not None:
            self._listener(event)


def thread_variables(threads: int) -> dict[str, str]:
    """As many threads as the child may use; no library may start more."""
    names = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "POLARS_MAX_THREADS")
    waiting = {"OMP_WAIT_POLICY": "PASSIVE"}  # threads that wait do not keep others from the processors
    return dict.fromkeys(names, str(threads)) | waiting
