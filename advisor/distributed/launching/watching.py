"""The watch over the processes of a group: which one is suspended, does nothing, or works without getting any further.

Each process says in its pulse when a piece of work is done, and when it waits for others. To blame is one that

- is suspended: after two looks;
- works, says nothing, takes no time of a processor, and neither reads nor writes: two seconds after an exchange would have
  taken too long. Outside of training only where all others wait; two that exchange something find that out by themselves;
- computes without a word: after the same time, but not before a hundred times its longest piece of work so far. Where no
  such piece is known (the first steps, data that are read) it may take five minutes.

All that wait for each other are ended too. Not found are a process that hangs before its first word, and one of several that
hang at once outside of training, before five minutes are over. No torch here.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import psutil

from advisor.distributed.launching.pulse import Beat, Phase, Pulse

LOOK_EVERY = 0.5
"""Seconds between two looks."""
LONGEST_WORK = 300.0
"""Seconds without a word that a piece of work may take, and until all have read the data."""
_SUSPENDED_LOOKS = 2
"""In a row, after which a process is taken to be suspended."""
_BEYOND = 2.0
"""Seconds after the time of an exchange is over, until a process that does nothing is taken to hang."""
_FAR = 100
"""A piece of work that takes so many times as long as any before is taken to be endless."""
_BUSY = 0.05
"""Share of the time for which a process has a processor, at least, while it computes."""
_UNLIKE_OTHERS = (Phase.STARTING, Phase.READING, Phase.PREPARING)
"""Phases with work that is not like the pieces before."""


@dataclass(frozen=True, slots=True)
class Look:
    """The state of a process at one moment."""

    beat: Beat
    stopped: bool = False
    processor: float = 0.0
    """Seconds of processors that it has had so far."""
    moved: tuple[int, ...] = ()
    """Bytes that it has read and written so far, and that it holds in memory: where these grow it is alive."""


@dataclass(frozen=True, slots=True)
class Stuck:
    """A process that is to blame."""

    rank: int
    how: str
    """The words after its name."""


def look_at(pulse: Pulse, rank: int) -> Look:
    """The state of a rank now. What the system does not tell counts as no sign of life."""
    beat = pulse.of(rank)
    if not beat.process:
        return Look(beat)
    with contextlib.suppress(psutil.Error):
        process = psutil.Process(beat.process)
        with process.oneshot():
            times = process.cpu_times()
            stopped = process.status() == psutil.STATUS_STOPPED
            return Look(beat, stopped, times.user + times.system, (*_exchanged(process), process.memory_info().rss))
    return Look(beat)


def _exchanged(process: psutil.Process) -> tuple[int, ...]:
    """Bytes that a process has read and written; nothing where the system does not say."""
    with contextlib.suppress(psutil.Error, AttributeError):  # macOS has no such counters
        counters = process.io_counters()
        return counters.read_chars, counters.write_chars
    return ()


@dataclass(slots=True)
class Watch:
    """Over all ranks, by one look at them after the other."""

    timeout: float
    """Seconds that any exchange may take."""
    _seen: dict[int, _Seen] = field(default_factory=dict)

    def look(self, looks: Mapping[int, Look], seconds: float) -> Stuck | None:
        """The first rank that is to blame; None where all is well.

        Args:
            looks: at the ranks that have not ended.
            seconds: since the look before. What goes beyond the usual is not counted: this process was held up itself.
        """
        for rank, look in looks.items():
            self._seen.setdefault(rank, _Seen(look)).add(look, min(seconds, 2 * LOOK_EVERY))
        seen = {rank: self._seen[rank] for rank in looks}
        for rank, one in seen.items():
            others = [other for number, other in seen.items() if number != rank]
            if how := self._wrong(one, others):
                return Stuck(rank, how)
        if seen and all(one.look.beat.waits and one.silent > self._patience for one in seen.values()):
            return Stuck(next(iter(seen)), "and all others waited for each other in vain")
        return None

    @property
    def _patience(self) -> float:
        return self.timeout + _BEYOND

    def _wrong(self, one: _Seen, others: Sequence[_Seen]) -> str:
        """The words for what is wrong with it; empty where nothing is."""
        beat = one.look.beat
        if one.stopped >= _SUSPENDED_LOOKS:
            return "was suspended"
        if beat.waits or not beat.process:
            return ""
        alone = beat.phase is Phase.TRAINING or all(other.look.beat.waits for other in others)
        if one.idle > (self._patience if alone else LONGEST_WORK):
            return f"did nothing for {one.idle:.0f} s"
        if one.busy > self._longest_work(beat) or one.silent > LONGEST_WORK:
            return f"worked for {one.silent:.0f} s without getting any further"
        return ""

    def _longest_work(self, beat: Beat) -> float:
        """Seconds that a process may compute without a word."""
        if beat.longest == 0 or beat.phase in _UNLIKE_OTHERS:
            return LONGEST_WORK
        return min(max(self._patience, _FAR * beat.longest), LONGEST_WORK)


@dataclass(slots=True)
class _Seen:
    """All that was seen of one process."""

    look: Look
    stopped: int = 0
    """Looks in a row at which it was stopped."""
    silent: float = 0.0
    """Seconds without a word."""
    busy: float = 0.0
    """Seconds of them in which it computed."""
    idle: float = 0.0
    """Seconds without any sign of life."""

    def add(self, look: Look, seconds: float) -> None:
        """Another look, so many seconds later."""
        before, self.look = self.look, look
        if look.beat != before.beat:
            self.stopped, self.silent, self.busy, self.idle = 0, 0.0, 0.0, 0.0
            return
        computed = look.processor - before.processor >= _BUSY * seconds > 0
        moved = any(now > then for now, then in zip(look.moved, before.moved, strict=False))
        self.stopped = self.stopped + 1 if look.stopped else 0
        self.silent += seconds
        self.busy += seconds if computed else 0.0
        self.idle = 0.0 if computed or moved else self.idle + seconds
