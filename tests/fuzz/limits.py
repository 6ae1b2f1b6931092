"""Limits of time and memory that bite within this process: soft ones raise, hard ones end it and name the case."""

from __future__ import annotations

import faulthandler
import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

MOST_SECONDS = 30.0
MOST_BYTES = 2 << 30
_PATIENCE = 5
"""So many times a limit, and the process is ended: nothing in it has listened."""
_STATUS = Path("/proc/self/status")
_SILENCE = 60
"""So many times its seconds, whoever had the processor."""


class LimitExceededError(BaseException):
    """Raised within the command; no `except Exception` catches it."""


@dataclass
class Spent:
    """Of one command; bytes are those beyond what the process had before."""

    seconds: float = 0.0
    bytes: int = 0
    exceeded: str = ""


@contextmanager
def limited(
    errors: int, case: str, most_seconds: float = MOST_SECONDS, most_bytes: int = MOST_BYTES
) -> Iterator[Spent]:
    """Measure what is spent, and raise LimitExceededError in the main thread when it is too much.

    Args:
        errors: file descriptor on which the end of the process is told.
        case: where the case lies.
    """
    spent, done = Spent(), threading.Event()
    before, resident, began = _begin_peak(), _resident("VmRSS"), _own_seconds()

    def refuse(number: int, _: object) -> None:
        if number == signal.SIGALRM and _own_seconds() - began < most_seconds:
            return  # others had the processor meanwhile
        spent.exceeded = spent.exceeded or f"took longer than {most_seconds:g} s"
        raise LimitExceededError(spent.exceeded)

    def end(why: str) -> NoReturn:
        os.write(errors, f"\nThis case {why}, and does not hear that it must end: {case}\n".encode())
        faulthandler.dump_traceback(errors)
        os._exit(70)

    def watch() -> None:
        while not done.wait(0.05):
            more = _resident("VmRSS") - resident
            if more > most_bytes and not spent.exceeded:
                spent.exceeded = f"took more than {most_bytes / 2**30:g} GiB"
                signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGUSR2)
            if more > _PATIENCE * most_bytes:
                end(f"took {more / 2**30:.1f} GiB")
            if _own_seconds() - began > _PATIENCE * most_seconds:
                end(f"took longer than {_PATIENCE * most_seconds:g} s")

    old = {number: signal.signal(number, refuse) for number in (signal.SIGALRM, signal.SIGUSR2)}
    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    # Should native code let no other thread run, this one does not ask.
    faulthandler.dump_traceback_later(_SILENCE * most_seconds, exit=True, file=errors)
    signal.setitimer(signal.ITIMER_REAL, most_seconds, min(1.0, most_seconds))  # and again, should somebody swallow it
    try:
        yield spent
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        faulthandler.cancel_dump_traceback_later()
        done.set()
        watcher.join()
        for number, handler in old.items():
            signal.signal(number, handler)
        spent.seconds = _own_seconds() - began
        spent.bytes = max(0, _resident("VmHWM") - before)
        if spent.bytes > most_bytes:  # between two looks
            spent.exceeded = spent.exceeded or f"took {spent.bytes / 2**30:.1f} GiB"


def _own_seconds() -> float:
    """A clock that stands still while the main thread is ready to run and others have the processor, where Linux tells."""
    try:
        waited = int(Path("/proc/self/schedstat").read_text("ascii").split()[1]) / 1e9
    except (OSError, ValueError, IndexError):
        waited = 0.0
    return time.perf_counter() - waited


def _begin_peak() -> int:
    """Forget the peak of resident memory so far, where the system can. The bytes that are resident now."""
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    return _resident("VmHWM")


def _resident(name: str) -> int:
    """A line of /proc/self/status in bytes; 0 where there is no such file."""
    try:
        text = _STATUS.read_text("ascii", "replace")
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in text.splitlines() if line.startswith(f"{name}:")), 0)
