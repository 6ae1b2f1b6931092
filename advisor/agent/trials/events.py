"""Events that a run of trials tells while it goes on, in the thread that waits for its child."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from advisor.agent.events import JournalFailed
from advisor.training.child.request import Message, Ready
from advisor.training.ladder.trial_record import Trial


@dataclass(frozen=True, slots=True)
class Forewarned:
    """Warnings about the data, before anything is tried."""

    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TrialsResumed:
    """The run goes on from one that was stopped."""

    trials: tuple[Trial, ...]
    spent: float
    """Seconds of the budget that were used before."""
    ready: Ready | None


TrialEvent: TypeAlias = Forewarned | TrialsResumed | Message | JournalFailed
"""Messages of the child as they come; a trial that its crash has cost is told like one that failed."""
TrialListener: TypeAlias = Callable[[TrialEvent], None]
