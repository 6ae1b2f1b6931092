"""Signals that end the program, Ctrl-C among them: each is heard, once, wherever the program is.

One that comes is an exception where the program computes. Where somebody can end in order, such as a run of minutes or the
whole screen, it is told to them instead (`told_to`). Two ways by which Python loses a signal are closed: one that
arrives just before the program waits in the system is sent again until it is heard, and so is one whose exception was
raised where exceptions are thrown away (in a destructor, in a callback of the garbage collector).
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

ENDING = ("SIGINT", "SIGTERM", "SIGHUP")
_AGAIN = 0.1
"""Seconds after which a signal that was not heard is sent again."""


class _Heard:
    """The signal that ends the program, and what becomes of it. No dataclass: that module takes 7 ms in which none is heard."""

    def __init__(self) -> None:
        self.by: signal.Signals | None = None
        self.lost = False
        """True if the exception was thrown away."""
        self.listener: Callable[[], object] | None = None
        self.bell: int | None = None
        """The writing end of the pipe that wakes who sends again."""


_heard = _Heard()


def hear_of_the_end() -> None:
    """Take over the signals that end a program; those that are ignored (nohup) stay so."""
    usual = (signal.SIG_DFL, signal.default_int_handler)
    taken = [getattr(signal, name) for name in ENDING if hasattr(signal, name)]  # Windows has no SIGHUP
    taken = [number for number in taken if signal.getsignal(number) in usual]
    _insist(frozenset(taken))
    for number in taken:
        signal.signal(number, _hear)


def ended_by() -> signal.Signals | None:
    """The signal that ends the program, once one has come."""
    return _heard.by


def hear_no_more() -> None:
    """From now on the program ends anyway: a signal has nothing left to stop. No process may be started any more: it would
    hear none either."""
    _heard.listener = _nobody
    for name in ENDING:  # Python gives its own handlers back before it is gone, but not these
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)


@contextmanager
def told_to(listener: Callable[[], object]) -> Iterator[None]:
    """Meanwhile the first signal calls this instead of raising an exception. It may be called between any two instructions
    of the main thread, so it only sets a flag, or wakes somebody."""
    _heard.listener = listener
    try:
        if _heard.by is not None:  # it came while this was entered
            listener()
        yield
    finally:
        _heard.listener = None


def _nobody() -> None:
    """Take no notice: it changes nothing any more."""


def _hear(number: int, _frame: object) -> None:
    """Only the first counts: another one while everything is being put away would leave half of it."""
    if _heard.by is not None and not _heard.lost:
        return
    _heard.by, _heard.lost = _heard.by or signal.Signals(number), False
    if _heard.listener is not None:
        _heard.listener()
        return
    raise KeyboardInterrupt


def _insist(taken: frozenset[int]) -> None:
    """Send a signal that has come again until it is heard."""
    if _heard.bell is not None or not hasattr(signal, "pthread_kill"):  # Windows
        return
    bell, _heard.bell = os.pipe()
    os.set_blocking(_heard.bell, False)
    signal.set_wakeup_fd(_heard.bell, warn_on_full_buffer=False)
    sys.unraisablehook = _not_thrown_away
    program = threading.get_ident()

    def send_again() -> None:
        while came := os.read(bell, 1):  # the number of a signal, written by the interpreter as soon as it is there
            time.sleep(_AGAIN)
            while came[0] in taken and (_heard.by is None or _heard.lost):
                signal.pthread_kill(program, came[0])
                time.sleep(_AGAIN)

    threading.Thread(target=send_again, daemon=True).start()


def _not_thrown_away(ignored: sys.UnraisableHookArgs) -> None:
    """An exception of ours that nobody can catch is raised again elsewhere; of any other Python tells, as usual."""
    if _heard.by is None or _heard.bell is None or not issubclass(ignored.exc_type, KeyboardInterrupt):
        sys.__unraisablehook__(ignored)
        return
    _heard.lost = True
    os.write(_heard.bell, bytes([_heard.by]))
