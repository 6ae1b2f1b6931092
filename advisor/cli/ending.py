"""The end of the program by Ctrl-C or another signal: one message, and the exit code that shells know."""

from __future__ import annotations

import os
import signal
from typing import NoReturn

from advisor.cli.console import INTERRUPTED, panel

_ENDING = ("SIGTERM", "SIGHUP")
_ended_by: list[signal.Signals] = []
"""The signal other than Ctrl-C that ends the program, once it has come."""


def hear_of_the_end() -> None:
    """Let SIGTERM and SIGHUP end the program as Ctrl-C does: terminal restored, children ended, one message. Those that are
    ignored (nohup) stay so."""
    for name in _ENDING:
        number = getattr(signal, name, None)  # Windows has no SIGHUP
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _interrupt)


def _interrupt(number: int, frame: object) -> NoReturn:
    _ignore_signals()  # another one while everything is being put away would leave half of it
    _ended_by.append(signal.Signals(number))
    raise KeyboardInterrupt


def _ignore_signals() -> None:
    for name in ("SIGINT", *_ENDING):
        if hasattr(signal, name):  # Windows has no SIGHUP
            signal.signal(getattr(signal, name), signal.SIG_IGN)


def ended_by_signal() -> bool:
    """Say whether a signal other than Ctrl-C ends the program."""
    return bool(_ended_by)


def end_interrupted(what: str = "What was saved before is kept.") -> NoReturn:
    """End the program with 130 and one message: what is kept, and how to go on. By another signal with 128 and its number,
    as a shell tells of it."""
    _ignore_signals()  # a second one has nothing left to stop
    try:
        panel(f"Ended by {_ended_by[0].name}" if _ended_by else "Interrupted", [what], style="yellow")
    except OSError:  # the terminal is gone
        close_stdout()
        os.dup2(1, 2)
    raise SystemExit(128 + _ended_by[0] if _ended_by else INTERRUPTED)


def close_stdout() -> None:
    """Send what is still to be written nowhere, so that nothing complains a second time at the end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
