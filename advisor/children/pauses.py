"""Pauses of a process: it was stopped from outside (SIGSTOP, Ctrl-Z, a debugger), and went on."""

from __future__ import annotations

import signal
from collections.abc import Callable
from dataclasses import dataclass


@dataclass
class _Counter:
    pauses: int = 0


def counted() -> Callable[[], int]:
    """The number of pauses since this call, whenever it is asked. Called in the main thread; Windows has no such pauses."""
    counter = _Counter()

    def went_on(_number: int, _frame: object) -> None:
        counter.pauses += 1

    if hasattr(signal, "SIGCONT"):
        signal.signal(signal.SIGCONT, went_on)
    return lambda: counter.pauses
