"""One supervisor for every child: it starts the child, listens to it, times it, watches its memory, and ends it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

import psutil

from advisor.children.command import Command
from advisor.children.ending import how_it_ended
from advisor.children.errors import NonsenseError
from advisor.children.process import ChildProcess, Sign

_LAST_WORDS_SHOWN = 300


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of what a child may take."""

    memory_share: float = 0.7
    """Of the memory that is free when it starts."""
    memory_bytes: int | None = None
    """At most this much in any case."""
    grace_seconds: float = 1.0
    """After its budget, until it is ended."""
    rubbish_lines: int = 1000
    """Lines that could not be understood, until it is ended."""
    poll_seconds: float = 0.1
    pause_seconds: float = 2.0
    """Between two polls of a process that was itself stopped: it then hears the child for `grace_seconds` in any case."""

    def memory(self, *known: int | None) -> int:
        """Bytes that a child may hold: a share of the least that is known to be free.

        Args:
            known: of the machine or the container, which may have less than the system tells; None where unknown.
        """
        free = (psutil.virtual_memory().available, *known)
        share = int(min(value for value in free if value is not None) * self.memory_share)
        return share if self.memory_bytes is None else min(share, self.memory_bytes)


class End(Enum):
    """The reason why a child's work is over."""

    SAID_ALL = "it has said everything"
    STOPPED = "somebody stopped it"
    LATE = "its time was over"
    FAILED = "it crashed, held too much memory, or wrote nonsense"


@dataclass(frozen=True, slots=True)
class Ending:
    """The end of a child's work."""

    end: End
    reason: str = ""
    """A sentence on what failed."""
    last_words: str = ""
    """The end of its standard error; empty where there is none."""
    rubbish: int = 0
    """Lines that were not understood."""
    unwaited_seconds: float = 0.0
    """Processor time of processes that the child had started and not waited for."""

    def explain(self, reason: str) -> str:
        """A sentence on what went wrong, with what the child said last."""
        return f"{reason} Its last words: {self.last_words}" if self.last_words else reason


def supervise(
    command: Command,
    hear: Callable[[bytes], bool],
    *,
    deadline: float | Callable[[], float],
    request: bytes = b"",
    memory_bytes: int | None = None,
    limits: Limits = Limits(),
    stopped: Callable[[], bool] = lambda: False,
) -> Ending:
    """Run a child until it has said everything or must be ended; it and all that it has started are gone by then.

    Nothing that the child does raises. Whatever `hear` raises besides NonsenseError, and an interrupt, end the child first.

    Args:
        command: of the child.
        hear: gets each line; says whether that was the last. Raises NonsenseError for one that is no message.
        deadline: a time of the monotonic clock, after which it is ended, or a function that says it at any time.
        request: one line, its input.
        memory_bytes: that the child and its processes may hold; None for no limit.
        stopped: whether somebody wants it to end; asked several times a second.

    Raises OSError where no process can be started.
    """
    with ChildProcess(command) as child:
        if request:
            child.send(request)
        end, reason, rubbish = _listen(child, hear, deadline, memory_bytes, limits, stopped)
    return Ending(end, reason, child.last_words()[-_LAST_WORDS_SHOWN:], rubbish, child.unwaited_seconds)


def _listen(
    child: ChildProcess,
    hear: Callable[[bytes], bool],
    deadline: float | Callable[[], float],
    memory_bytes: int | None,
    limits: Limits,
    stopped: Callable[[], bool],
) -> tuple[End, str, int]:
    """The reason why it is over, with a sentence where it failed, and the number of lines that were not understood."""
    looked, rubbish, before, extended = 0.0, 0, time.monotonic(), 0.0
    while rubbish <= limits.rubbish_lines:
        now = time.monotonic()
        if now - before > limits.pause_seconds:
            # This process was stopped meanwhile: the child may have said everything.
            extended = now + limits.grace_seconds
        before = now
        if stopped():
            return End.STOPPED, "", rubbish
        end = max(deadline() if callable(deadline) else deadline, extended)
        if now >= end:
            return End.LATE, "", rubbish
        if memory_bytes is not None and now - looked >= limits.poll_seconds:
            looked, held = now, child.resident_bytes()
            if held > memory_bytes and (held := child.own_bytes()) > memory_bytes:
                told = f"It held {held / 1e6:,.0f} MB of memory and may take {memory_bytes / 1e6:,.0f} MB."
                return End.FAILED, told, rubbish
        match child.event(min(limits.poll_seconds, end - now)):
            case None:
                continue
            case Sign.CLOSED:
                ended = how_it_ended(child.ending(limits.poll_seconds * 5))
                return End.FAILED, f"It {ended} before there was a result.", rubbish
            case Sign.FLOOD:
                return End.FAILED, "It wrote without end.", rubbish
            case Sign.TOO_LONG:
                rubbish += 1
            case line:
                try:
                    if hear(line):
                        return End.SAID_ALL, "", rubbish
                except NonsenseError:
                    rubbish += 1
    return End.FAILED, f"It wrote {rubbish} lines that are no messages.", rubbish
