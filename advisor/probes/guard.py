"""A child never outlives its parent, and is the first to go when memory runs out."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys
import threading
from pathlib import Path

_PR_SET_PDEATHSIG = 1  # prctl(2)
_SCRATCH = 65536


def die_with(parent: int) -> None:
    """Ends this process when the parent dies: the kernel sees to it on Linux.

    A parent that died before the kernel was asked is seen by the number of the new one.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def die_when_closed(descriptor: int) -> None:
    """Ends this process when the other end of the pipe is closed, on any system."""

    def wait() -> None:
        with contextlib.suppress(OSError):
            while os.read(descriptor, _SCRATCH):
                pass
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()


def be_first_to_go() -> None:
    """Asks Linux to end this process rather than any other when memory runs out (proc(5), oom_score_adj)."""
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000")
