"""What the installed torch says of itself, asked in a child process.

Importing torch takes seconds, and with a damaged build or driver it crashes or hangs: that costs the child only.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Sequence

from advisor.children.process import ChildProcess, Closed, Flood, Line
from advisor.children.stopping import STOPPED, Stop
from advisor.machine.torch_view import TorchView
from advisor.wording import shorten

SECONDS = 90.0
"""The first start of torch with CUDA from a cold disk can take half a minute."""
LOOKS_EVERY = 0.1
"""Seconds between two looks at whether to stop."""


def ask_torch(seconds: float = SECONDS, command: Sequence[str] | None = None, stop: Stop | None = None) -> TorchView:
    """What torch says. A child that is missing torch, crashes, hangs or babbles gives a view with `error`.

    Args:
        seconds: after so many the child is ended with all its children.
        command: what to start instead of the module `torch_view`.
        stop: ends the child when everything is to end; the view then has `error`.
    """
    command = command or [sys.executable, "-m", "advisor.probes.child.torch_view", str(os.getpid())]
    until = time.monotonic() + seconds
    try:
        with ChildProcess(command, os.environ) as child:
            while (left := until - time.monotonic()) > 0:
                if stop is not None and stop.all:
                    return TorchView(error=STOPPED)
                event = child.event(left if stop is None else min(left, LOOKS_EVERY))
                if isinstance(event, Line):
                    return _view(event.content)
                if isinstance(event, Closed | Flood):
                    status = child.ending(1.0)
                    words = child.last_words().splitlines()
                    last = f" Its last words: {shorten(words[-1], 300)}" if words else ""
                    return TorchView(error=f"Importing torch ended the process ({_status_text(status)}).{last}")
    except OSError as error:
        return TorchView(error=f"No process can be started ({error.strerror or error}).")
    return TorchView(error=f"torch did not answer within {seconds:g} seconds.")


def _view(line: bytes) -> TorchView:
    try:
        return TorchView.from_json(json.loads(line))
    except (ValueError, RecursionError):
        return TorchView(error=f"torch's answer makes no sense: {shorten(line.decode(errors='replace'))}")


def _status_text(status: int | None) -> str:
    if status is None:
        return "it does not say why"
    return f"signal {-status}" if status < 0 else f"exit code {status}"
