"""Events that a run of probes tells while it goes on, in the thread that measures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from advisor.errors import InputError
from advisor.probes.outcome import Outcome
from advisor.probes.probe import Probe, Setting
from advisor.probes.protocol import Message


@dataclass(frozen=True, slots=True)
class MeasuringResumed:
    """The run goes on from one that was stopped."""

    outcomes: tuple[Outcome, ...]
    spent: float
    """Seconds of the budget that were used before."""


@dataclass(frozen=True, slots=True)
class NetworkUntimed:
    """The network that somebody named cannot be timed: probes that need it are left out. Told before any other begins."""

    reason: str


@dataclass(frozen=True, slots=True)
class ProbeStarted:
    """A probe begins; messages of its child follow as they come."""

    probe: Probe
    seconds: float
    """The time that it may take at most."""
    seconds_left: float
    """Of the whole budget."""
    before: Setting | None = None
    """The plan's recommendation in terms of this probe."""
    again: bool = False
    """True for a second look at a result that overturned a bet."""


@dataclass(frozen=True, slots=True)
class ProbeFinished:
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class ProbeSkipped:
    """A probe that was not run, and why. `open` says that it could still change the plan."""

    probe: str
    reason: str
    open: bool = False
    seconds: float = 0.0
    """The time that it would take, where that is the reason."""


@dataclass(frozen=True, slots=True)
class JournalFailed:
    """The journal cannot be written: the run goes on, and could not be resumed."""

    error: InputError


MeasuringEvent: TypeAlias = (
    MeasuringResumed | NetworkUntimed | ProbeStarted | Message | ProbeFinished | ProbeSkipped | JournalFailed
)
MeasuringListener: TypeAlias = Callable[[MeasuringEvent], None]
