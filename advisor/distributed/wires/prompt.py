"""A process that acts when it is due, however busy the processors are."""

from __future__ import annotations

import contextlib
import os
import sys


def be_prompt() -> None:
    """Let this process run before others, where the system allows it. For one that works little and waits much."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))
