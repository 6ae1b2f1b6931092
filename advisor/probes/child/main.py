"""The child of a probe, `python -m advisor.probes.child.main PARENT`: reads a request, times what it asks for, answers.

Only this process and those that it starts import torch. See `protocol` for the lines and `guard` for how it ends with
its parent.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import os
import platform
import sys
import time

from advisor.children import guard
from advisor.children.errors import CannotRunError
from advisor.children.messages import LONGEST_LINE
from advisor.children.pauses import counted
from advisor.networks.description import UnbuildableError
from advisor.probes.catalogue import probe_named
from advisor.probes.judging.contest import Contest, NothingToCompareError, TimeOverError
from advisor.probes.judging.trial import Equipment, Prepare
from advisor.probes.probe import RECHECK_STARTS
from advisor.probes.protocol import MESSAGES, Failed, Message, Predicted, Ready, Request, Result, read_request

LEFT_FOR_LAST_WORDS = 0.15
"""Seconds before the deadline at which the last sample must be done."""
_TELL_EVERY = 0.25


class Telling:
    """Writes messages to the parent, a few at a time: a parent that wakes for each sample would disturb the next."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._waiting = bytearray()
        self._told = time.monotonic()

    def __call__(self, message: Message) -> None:
        self._waiting += MESSAGES.line(message)
        if time.monotonic() - self._told > _TELL_EVERY or isinstance(message, Ready | Predicted | Result | Failed):
            self.flush()

    def flush(self) -> None:
        guard.write(self._descriptor, bytes(self._waiting))
        self._waiting.clear()
        self._told = time.monotonic()


def measure(request: Request, begun: float, tell: Telling, closing: contextlib.ExitStack) -> None:
    """Make the trials and hold the contest; `begun` is the time of the monotonic clock at which the seconds began."""
    until = begun + request.seconds - LEFT_FOR_LAST_WORDS
    probe = probe_named(request.probe)
    prepare: Prepare = importlib.import_module(f"advisor.probes.benches.{probe.bench}").prepare
    equipment: Equipment = prepare(probe, request, tell)
    for close in equipment.close:
        closing.callback(close)
    tell(
        Ready(
            equipment.torch,
            platform.python_version(),
            equipment.threads,
            equipment.device,
            equipment.disk,
            equipment.weights,
        )
    )
    reserved = (time.monotonic() - begun) * RECHECK_STARTS if equipment.recheck is not None else 0.0
    gc.collect()
    gc.disable()  # a collection in the middle of a sample would be blamed on its setting
    Contest(
        probe=probe,
        before=request.before,
        equipment=equipment,
        clock=time.monotonic,
        until=until - reserved,
        last=until,
        tell=tell,
        memory_bytes=equipment.memory_bytes or request.memory_bytes,
        pauses=counted(),
        seed=request.seed,
    ).hold()


def main() -> None:
    begun = time.monotonic()
    answers = guard.begin()
    line = sys.stdin.buffer.readline(LONGEST_LINE)
    request = read_request(line)
    named = None if request.workload is None else request.workload.named
    if named is not None and named.runs_foreign_code:
        guard.keep_family(int(sys.argv[-1]))
    guard.die_when_closed(guard.hide_input())
    tell = Telling(answers)
    try:
        with contextlib.ExitStack() as closing:
            try:
                measure(request, begun, tell, closing)
            finally:
                tell.flush()
        last: Message = Result()
    except (UnbuildableError, CannotRunError, NothingToCompareError) as error:
        last = Failed(str(error), late=isinstance(error, TimeOverError))
    # The parent ends us as soon as it reads this. What helpers computed counts as ours only once they are waited for.
    tell(last)
    os._exit(0)  # at once: torch's own end takes a while, and a pool of threads may hang


if __name__ == "__main__":
    main()
