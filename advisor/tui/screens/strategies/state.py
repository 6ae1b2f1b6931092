"""The events of workers that train, or of a simulation, so far, as values to show."""

from __future__ import annotations

import statistics
from dataclasses import dataclass, field
from typing import TypeAlias

from advisor.agent.timed import Timed
from advisor.distributed.job import Began, Calibrated, Message, Progress, Ready, Run, Undone
from advisor.report.numbers import number_words

MOST_NOTES = 20


@dataclass(frozen=True, slots=True)
class Planned:
    """Strategies in the order in which they are shown, and how often each is trained."""

    strategies: tuple[str, ...]
    seeds: int


@dataclass(frozen=True, slots=True)
class Simulated:
    """A simulation begins; its findings come at its end."""

    what: str


@dataclass(frozen=True, slots=True)
class Share:
    """The simulation goes on."""

    done: float
    """0 to 1."""


Heard: TypeAlias = Planned | Simulated | Share | Message


@dataclass
class Row:
    """One strategy."""

    strategy: str
    runs: list[Run] = field(default_factory=list)
    now: Progress | None = None
    """Of the training under way."""
    curve: list[tuple[float, float]] = field(default_factory=list)
    """Seconds, and the loss of the batches that were learned from: of the newest training."""
    undone: int = 0
    """Trainings that gave no numbers."""

    @property
    def examples_per_s(self) -> float | None:
        """Of the trainings that are done, or else of the one under way."""
        if self.runs:
            return statistics.median(run.examples_per_s for run in self.runs)
        return self.now.examples / self.now.seconds if self.now is not None and self.now.seconds > 0 else None

    @property
    def loss(self) -> float | None:
        """The newest."""
        return self.curve[-1][1] if self.curve else None

    @property
    def held_out(self) -> str:
        """The metric at the end, the median of what is done; empty before that."""
        if not self.runs:
            return ""
        return f"{self.runs[0].metric} {statistics.median(run.held_out.value for run in self.runs):.3g}"


@dataclass
class Strategies(Timed):
    """Everything that was told."""

    planned: Planned = Planned((), 0)
    simulates: str = ""
    share: float | None = None
    """Of the simulation that is done; None before anything is."""
    rows: dict[str, Row] = field(default_factory=dict)
    ready: Ready | None = None
    began: Began | None = None
    notes: list[str] = field(default_factory=list)

    def tell(self, event: Heard) -> None:
        match event:
            case Planned():
                self.planned = event
                self.rows = {name: Row(name) for name in event.strategies}
            case Simulated(what):
                self.simulates = what
            case Share(done):
                self.share = done
            case Ready():
                self.ready = event
                self._remark(f"{event.how} The network has {event.weights:,} weights.")
            case Calibrated():
                self._remark(
                    f"An exchange without any bytes takes {number_words(event.all_reduce.alpha, 's')}, a step with a gradient "
                    f"{number_words(_typical(event), 's')}."
                )
            case Began():
                self.began = event
                row = self._row(event.strategy)
                row.now, row.curve = None, []
            case Progress():
                row = self._row(event.strategy)
                row.now = event
                row.curve.append((event.seconds, event.loss))
            case Run():
                row = self._row(event.strategy)
                row.now = None
                row.runs.append(event)
            case Undone(name, seed, why):
                self._row(name).undone += 1
                self._remark(f"✗ {name}, seed {seed}: {why}")

    def _row(self, name: str) -> Row:
        return self.rows.setdefault(name, Row(name))

    def _remark(self, text: str) -> None:
        if len(self.notes) < MOST_NOTES and text not in self.notes:
            self.notes.append(text)

    @property
    def doing(self) -> str:
        """The present activity in words."""
        if self.simulates:
            return f"Simulating {self.simulates}."
        if self.ready is None:
            return "Starting the processes and reading the examples ..."
        if self.began is None:
            return "Timing steps and exchanges by themselves ..."
        begun = self.began
        done = sum(len(row.runs) + row.undone for row in self.rows.values())
        if done >= begun.of:
            return "Everything is trained; waiting for the results."
        return f"Training {begun.number} of {begun.of}: {begun.strategy}, seed {begun.seed}"


def _typical(told: Calibrated) -> float:
    """Seconds of a step of a worker while all compute."""
    return statistics.median(seconds for worker in told.together for seconds in worker)
