"""The notes that a process takes while it trains: times, bytes, staleness, and copies of the weights now and then."""

from __future__ import annotations

import math
import time
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum

from torch import Tensor

from advisor.distributed.launching.pulse import Phase, Pulse

MOST_SEGMENTS = 80
"""Of one rank that are kept."""
_LAST_LOSSES = 20
_TELL_EVERY = 0.5
"""Seconds between two words on the way."""
_AHEAD = 0.9
"""Of the way: steps may become slower."""
_BENT = 1.5
"""Copies are closer together at the beginning, where the loss falls fastest."""


class Doing(StrEnum):
    COMPUTING = "computing"
    EXCHANGING = "exchanging"
    """With others, which may mean to wait for them."""
    WAITING = "waiting"
    """Of a server, for the next gradient."""
    APPLYING = "applying"


@dataclass(frozen=True, slots=True)
class Limits:
    """The end of a run: whichever comes first."""

    seconds: float
    gradients: int | None = None
    """Of each worker."""
    points: int = 16
    """Copies of the weights, at most, besides those at the beginning."""

    def share(self, seconds: float, gradients: float) -> float:
        """Of the run that is over, 0 to 1 and more."""
        done = gradients / self.gradients if self.gradients else 0.0
        return max(seconds / self.seconds, done)

    def due(self, share: float) -> int:
        """Copies that are due when this share is over."""
        bent: float = min(1.0, share) ** (1 / _BENT)
        return math.floor(self.points * bent)

    def ahead(self, share: float, gradients: int) -> int:
        """Gradients until nearly the next copy is due, or the end, as they have come so far: to agree on the time workers have to
        exchange something, so they do it rarely."""
        if share <= 0:
            return 1
        following = min(1.0, float(((self.due(share) + 1) / self.points) ** _BENT))
        return max(1, int(_AHEAD * (following - share) / share * gradients))


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The weights at some time, or the part of them that this rank holds."""

    seconds: float
    examples: int
    weights: Tensor


Tell = Callable[[float, int, int, float], None]
"""Is told seconds, examples, updates and the loss of a run under way."""


@dataclass(slots=True)
class Diary:
    """Of one rank and one run."""

    rank: int
    pulse: Pulse
    run: int
    limits: Limits
    tell: Tell | None = None
    segments: list[tuple[float, float, Doing]] = field(default_factory=list)
    spent: dict[Doing, float] = field(default_factory=lambda: dict.fromkeys(Doing, 0.0))
    """Seconds."""
    gradients: list[float] = field(default_factory=list)
    """Seconds of computing each."""
    staleness: Counter[int] = field(default_factory=Counter)
    bytes: float = 0.0
    """Sent by this rank."""
    examples: int = 0
    """Of gradients that were applied."""
    updates: int = 0
    dropped: int = 0
    snapshots: list[Snapshot] = field(default_factory=list)
    seconds: float = 0.0
    """Of the whole run."""
    losses: deque[float] = field(default_factory=lambda: deque(maxlen=_LAST_LOSSES))
    _begun: float = 0.0
    _last: float = 0.0
    _told: float = 0.0
    _copied: int = -1

    def begin(self) -> None:
        """The clock starts: every rank is here."""
        self.pulse.enter(self.rank, Phase.TRAINING, self.run)
        self._begun = self._last = self._told = time.monotonic()

    @property
    def elapsed(self) -> float:
        return time.monotonic() - self._begun

    def did(self, doing: Doing) -> float:
        """Everything since the last such note was this; its seconds."""
        now = time.monotonic()
        took = now - self._last
        if len(self.segments) < MOST_SEGMENTS:
            self.segments.append((self._last - self._begun, now - self._begun, doing))
        self.spent[doing] += took
        self._last = now
        if doing in (Doing.EXCHANGING, Doing.WAITING):
            self.pulse.rest(self.rank)
        return took

    def did_both(self, computing: float) -> None:
        """Of everything since the last note so many seconds were computing, the rest was exchanging, in turn."""
        now = time.monotonic()
        middle = min(now, self._last + computing)
        pieces = ((self._last, middle, Doing.COMPUTING), (middle, now, Doing.EXCHANGING))
        for begin, end, doing in pieces:
            if len(self.segments) < MOST_SEGMENTS:
                self.segments.append((begin - self._begun, end - self._begun, doing))
            self.spent[doing] += end - begin
        self._last = now
        self.pulse.rest(self.rank)

    def computed(self, seconds: float, loss: float) -> None:
        """A gradient is there."""
        self.gradients.append(seconds)
        self.losses.append(loss)
        self.pulse.beat(self.rank, len(self.gradients))

    def updated(self, examples: int) -> None:
        """The weights have changed by so many more examples."""
        self.updates += 1
        self.examples += examples
        if self.tell is not None and time.monotonic() - self._told > _TELL_EVERY:
            self._told = time.monotonic()
            loss = sum(self.losses) / max(1, len(self.losses))
            if math.isfinite(loss):
                self.tell(self.elapsed, self.examples, self.updates, loss)

    def look(self, share: float, weights: Callable[[], Tensor]) -> None:
        """Keep a copy of the weights if it is time for one.

        Args:
            share: of the run that is over; from 1 on there is a copy in any case.
            weights: gives them; they are copied here.
        """
        due = self.limits.due(share)
        if due > self._copied or share >= 1:
            self._copied = due
            self.snapshots.append(Snapshot(self.elapsed, self.examples, weights().detach().clone()))

    def end(self) -> None:
        self.seconds = self.elapsed
