"""The events of a run of trials so far, as values to show."""

from __future__ import annotations

import statistics
from dataclasses import dataclass, field

from advisor.agent.events import JournalFailed
from advisor.agent.timed import Timed
from advisor.agent.trials.events import TrialEvent, TrialsResumed
from advisor.training.child.request import Began, Costly, EpochSeen, Finals, Note, Ready
from advisor.training.ladder.insight import Insight
from advisor.training.ladder.outcome import Metric
from advisor.training.ladder.trial_record import Kind, Stage, Status, Trial

UNKNOWN = Metric("score", "score", 0.0)
"""The metric before the data are read."""
MOST_NOTES = 20
MOST_CURVES = 10
"""Curves drawn for one candidate: those of the newest folds."""


@dataclass
class Row:
    """One candidate with its scores so far."""

    name: str
    kind: Kind
    stage: Stage
    scores: list[float] = field(default_factory=list)
    seconds: float = 0.0
    failure: str = ""
    short: str = ""
    """Words for a trial that the budget cut short."""


@dataclass
class Trials(Timed):
    """Everything that a run of trials has told."""

    ready: Ready | None = None
    rows: dict[str, Row] = field(default_factory=dict)
    now: Began | None = None
    finals: Finals | None = None
    insight: Insight | None = None
    curves_of: str = ""
    """The candidate of the newest epoch."""
    trainings: list[list[tuple[int, float]]] = field(default_factory=list)
    """Its epochs and losses, one list for each fold."""
    resumed: int | None = None
    """Trials that an earlier run had finished; None where there was none."""
    notes: list[str] = field(default_factory=list)

    def tell(self, event: TrialEvent) -> None:
        match event:
            case TrialsResumed(trials, spent, ready):
                self.resumed, self.spent, self.ready = len(trials), spent, ready
                for trial in trials:
                    self._count(trial)
            case JournalFailed(error):
                self._remark(str(error.problems[0]))
            case Ready():
                self.ready = event
                for text in (one for one in event.data.warned if one not in self.notes):  # a child may begin anew
                    self._remark(text)
            case Began():
                self.now = event
            case EpochSeen(number, value):
                self._epoch(number, value)
            case Trial():
                self._count(event)
                self.now = None
            case Finals():
                self.finals, self.now = event, None
            case Insight():
                self.insight, self.now = event, None
            case Costly(name, seconds):
                self._remark(f"{name} is left out: its first trial would take about {seconds:.0f} s.")
            case Note(text):
                self._remark(text)

    def _epoch(self, number: int, value: float) -> None:
        """Add a loss; another candidate, or an epoch that is not later than the last one, begins another training."""
        name = self.now.name if self.now is not None else self.curves_of
        if name != self.curves_of:
            self.curves_of, self.trainings = name, []
        if not self.trainings or number <= self.trainings[-1][-1][0]:
            self.trainings.append([])
        self.trainings[-1].append((number, value))

    def _count(self, trial: Trial) -> None:
        row = self.rows.setdefault(trial.name, Row(trial.name, trial.kind, trial.stage))
        row.scores += trial.scores
        row.seconds += trial.seconds
        row.short = trial.status.value if trial.status in (Status.SHORT, Status.CUT) else row.short
        words = {Status.FAILED: "failed: ", Status.SLOW: "not begun: "}
        row.failure = f"{words[trial.status]}{trial.failure or 'it did not say why'}" if trial.status in words else ""

    def _remark(self, text: str) -> None:
        if len(self.notes) < MOST_NOTES:
            self.notes.append(text)

    @property
    def metric(self) -> Metric:
        return self.ready.metric if self.ready is not None else UNKNOWN

    def ranked(self) -> list[Row]:
        """The candidates with scores, the best first; then those that failed."""
        sign = -1 if self.metric.greater_is_better else 1
        scored = [row for row in self.rows.values() if row.scores]
        failed = [row for row in self.rows.values() if not row.scores]
        return [*sorted(scored, key=lambda row: sign * statistics.fmean(row.scores)), *failed]

    @property
    def curves(self) -> list[list[tuple[int, float]]]:
        """The newest trainings of one candidate."""
        return self.trainings[-MOST_CURVES:]

    @property
    def doing(self) -> str:
        """The present activity in words."""
        if self.insight is not None:
            return f"Finding out what {self.insight.of} rests on, and where it errs"
        if self.finals is not None:
            return "Everything is scored; waiting for the results."
        if self.ready is None:
            return "Starting a process and reading the data ..."
        if self.now is None:
            return "Choosing what to try next ..."
        if self.now.stage is None:
            return f"Scoring {self.now.name} on examples that selection never saw"
        more = " on more folds" if self.now.rung else ""
        return f"Training {self.now.name}{more} ({self.now.stage.value})"
