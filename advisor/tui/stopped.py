"""A wizard that was stopped from outside (SIGSTOP) and goes on: it is drawn anew, and that is all.

Textual takes every SIGCONT for the end of a suspension that it has prepared itself, and sets up the terminal once more: with a
second reader of the keys, and with its own mode as the one to return to in the end.
"""

from __future__ import annotations

import signal
from collections.abc import Callable
from types import FrameType


def heed_stops(draw_anew: Callable[[], object]) -> None:
    """Let Textual's handlers see only the stops that it has prepared for. Called once its driver has been made.

    Args:
        draw_anew: may be called between any two instructions of the main thread.
    """
    if not hasattr(signal, "SIGCONT"):  # Windows
        return
    prepare, resume = signal.getsignal(signal.SIGTSTP), signal.getsignal(signal.SIGCONT)
    if not callable(prepare) or not callable(resume):  # no terminal
        return
    prepared = False

    def stop(number: int, frame: FrameType | None) -> None:
        nonlocal prepared
        prepared = True
        prepare(number, frame)

    def go_on(number: int, frame: FrameType | None) -> None:
        nonlocal prepared
        if prepared:
            prepared = False
            resume(number, frame)
        else:
            draw_anew()

    signal.signal(signal.SIGTSTP, stop)
    signal.signal(signal.SIGCONT, go_on)
