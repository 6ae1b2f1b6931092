"""The end of a process, in words for people."""

from __future__ import annotations

import contextlib
import signal


def how_it_ended(status: int | None) -> str:
    """The end of a process by its exit status, as a verb with what belongs to it; None where it is not known."""
    if status is None:
        return "closed its output"
    if status >= 0:
        return f"ended with status {status}"
    with contextlib.suppress(ValueError):
        return f"was ended by {signal.Signals(-status).name}"
    return f"was ended by signal {-status}"
