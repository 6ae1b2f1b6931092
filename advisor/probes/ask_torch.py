"""The view of the installed torch on itself and this machine, asked in a child process.

Importing torch takes seconds, and with a damaged build or driver it crashes or hangs: that costs the child only.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from advisor.children.command import module_command
from advisor.children.messages import parsed
from advisor.children.stopping import STOPPED, Stop
from advisor.children.supervise import End, supervise
from advisor.machine.torch_view import TorchView
from advisor.plain import decode
from advisor.wording import shorten

SECONDS = 90.0
"""The first start of torch with CUDA from a cold disk can take half a minute."""


def ask_torch(seconds: float = SECONDS, command: Sequence[str] | None = None, stop: Stop | None = None) -> TorchView:
    """The answer of torch. A child that is missing torch, crashes, hangs or babbles gives a view with `error`.

    Args:
        seconds: after so many the child is ended with all its children.
        command: to start instead of the module `torch_view`.
        stop: ends the child when everything is to end; the view then has `error`.
    """
    answers: list[TorchView] = []

    def hear(line: bytes) -> bool:
        answers.append(_view(line))
        return True

    try:
        ending = supervise(
            module_command("advisor.probes.child.torch_view", instead=command),
            hear,
            deadline=time.monotonic() + seconds,
            stopped=lambda: stop is not None and stop.all,
        )
    except OSError as error:
        return TorchView(error=f"No process can be started ({error.strerror or error}).")
    match ending.end:
        case End.SAID_ALL:
            return answers[0]
        case End.STOPPED:
            return TorchView(error=STOPPED)
        case End.LATE:
            return TorchView(error=f"torch did not answer within {seconds:g} seconds.")
        case End.FAILED:
            return TorchView(error=f"Importing torch ended the process. {ending.explain(ending.reason)}")


def _view(line: bytes) -> TorchView:
    try:
        return decode(TorchView, parsed(line), "torch")
    except ValueError:
        return TorchView(error=f"torch's answer makes no sense: {shorten(line.decode(errors='replace'))}")
