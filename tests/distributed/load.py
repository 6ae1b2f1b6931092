"""A worker that is slower than the others, for real: it is stopped for a while after each short while that it has computed.

This file, run as a program, does so from outside, so that it needs nothing of the worker. What the worker waits for (others, a
disk) is not slowed down. Linux only.

A neighbour on the same processor is no substitute: it takes half of it, so that the factor is always two, and slows down
whatever else runs there.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
from collections.abc import Iterator, Mapping
from typing import Any

from advisor.children.command import module_command
from advisor.children.errors import CannotRunError
from advisor.children.helper import HelperProcess, Say, serve
from advisor.distributed.wires.prompt import be_prompt
from advisor.errors import input_error

MOST = 100.0
_STOPPED_AFTER = 0.01
"""Seconds of computing between two stops: shorter than most training steps, and long against what a stop takes."""
_MOST_SPARED = 0.05
"""Seconds that waiting for the processor can save of later stops."""
_START_SECONDS = 10.0


@contextlib.contextmanager
def straggler(worker: int, factor: float) -> Iterator[None]:
    """Until the block ends, what the main thread of a process computes takes so many times as long as it would alone on a
    processor. Where others share its processor, the time that it waits for them counts.

    Args:
        worker: its process number. Its threads stop together.
        factor: 1 changes nothing.

    Raises:
        InputError: a factor out of range.
        CannotRunError: there is no such process, or the system cannot do it.
    """
    if not 1 <= factor <= MOST:
        what = f"{factor:g} is not between 1 and {MOST:g}"
        raise input_error("No worker can be slowed down so", what, where="straggler", remedy="For example 2.")
    if factor == 1:
        yield
        return
    load = HelperProcess("The load on a worker", module_command("load", instead=(sys.executable, "-P", __file__)))
    try:
        load.say(worker=worker, factor=factor)
        load.answer(time.monotonic() + _START_SECONDS)
        yield
    finally:
        load.close()
        with contextlib.suppress(OSError):  # it has ended
            os.kill(worker, signal.SIGCONT)


def _work(arguments: Mapping[str, Any], _: Iterator[Mapping[str, Any]], say: Say) -> None:
    """Run beside the worker, until that ends."""
    worker, factor = int(arguments["worker"]), float(arguments["factor"])
    if sys.platform != "linux":
        raise CannotRunError("only Linux tells how long a process has computed.")
    try:
        process, times = os.pidfd_open(worker), os.open(f"/proc/{worker}/schedstat", os.O_RDONLY)
    except OSError as error:
        raise CannotRunError(f"process {worker} cannot be slowed down ({error.strerror}).") from error
    be_prompt()
    say(ready=True)
    with contextlib.suppress(OSError):  # the worker has ended
        _slow_down(process, times, factor)


def _slow_down(process: int, times: int, factor: float) -> None:
    """Stop the process whenever it has got further than it should. Raises OSError when it is gone."""
    ran, waited = _times(times)
    ahead = 0.0  # seconds for which it ought to stop
    while True:
        time.sleep(_STOPPED_AFTER / 2)
        ran_before, waited_before = ran, waited
        ran, waited = _times(times)
        ahead += (factor - 1) * (ran - ran_before) - (waited - waited_before)
        ahead = max(ahead, -_MOST_SPARED)
        if ahead > (factor - 1) * _STOPPED_AFTER / 2:
            begun, ran_before = time.monotonic(), ran
            signal.pidfd_send_signal(process, signal.SIGSTOP)
            time.sleep(ahead)
            signal.pidfd_send_signal(process, signal.SIGCONT)
            ran, waited = _times(times)
            ahead += factor * (ran - ran_before) - (time.monotonic() - begun)


def _times(times: int) -> tuple[float, float]:
    """Seconds that the main thread has run, and has waited for a processor (Documentation/scheduler/sched-stats.rst)."""
    ran, waited, _ = os.pread(times, 100, 0).split()
    return int(ran) * 1e-9, int(waited) * 1e-9


if __name__ == "__main__":
    serve(_work)
