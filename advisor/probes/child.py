"""The child of a probe, `python -m advisor.probes.child PARENT`: reads a request, times training steps, answers.

Only this process imports torch. See `protocol` for the lines and `guard` for how it ends with its parent.
"""

from __future__ import annotations

import gc
import os
import platform
import sys
import time

from advisor.networks.names import UnbuildableError
from advisor.probes import guard
from advisor.probes.catalogue import probe_named
from advisor.probes.contest import CannotRunError, Contest, NothingToCompareError, Trial
from advisor.probes.probe import Setting
from advisor.probes.protocol import LONGEST_LINE, Failed, Message, Ready, Request, Result, decode_request, encode
from advisor.probes.workload import Workload

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
        self._waiting += encode(message)
        if time.monotonic() - self._told > _TELL_EVERY or isinstance(message, Ready | Result | Failed):
            self.flush()

    def flush(self) -> None:
        while self._waiting:
            del self._waiting[: os.write(self._descriptor, self._waiting)]
        self._told = time.monotonic()


def measure(request: Request, until: float, tell: Telling) -> None:
    """Builds the network and holds the contest; `until` is a time of the monotonic clock."""
    probe = probe_named(request.probe)
    workload = Workload.from_json(request.workload)
    variants: dict[Setting, Workload] = {
        setting: probe.variant(workload, setting) for setting in dict.fromkeys([*request.settings, request.before])
    }
    import torch

    from advisor.probes.training_step import StepTrial, TrainingStep

    if workload.threads is not None:
        torch.set_num_threads(workload.threads)
    step = TrainingStep(workload, request.memory_bytes, request.seed)
    tell(Ready(torch.__version__, platform.python_version(), torch.get_num_threads()))
    trials: dict[Setting, Trial] = {setting: StepTrial(step, variant, setting) for setting, variant in variants.items()}
    gc.collect()
    gc.disable()  # a collection in the middle of a sample would be blamed on its setting
    Contest(
        probe=probe,
        before=request.before,
        trials=trials,
        clock=time.monotonic,
        until=until,
        tell=tell,
        memory_bytes=request.memory_bytes,
        seed=request.seed,
    ).hold()


def main() -> None:
    begun = time.monotonic()
    guard.die_with(int(sys.argv[1]))
    guard.be_first_to_go()
    answers = os.dup(1)
    os.dup2(2, 1)  # what a library prints must not stand among the answers
    line = sys.stdin.buffer.readline(LONGEST_LINE)
    request = decode_request(line)
    guard.die_when_closed(0)
    tell = Telling(answers)
    try:
        measure(request, begun + request.seconds - LEFT_FOR_LAST_WORDS, tell)
    except (UnbuildableError, CannotRunError, NothingToCompareError) as error:
        tell(Failed(str(error)))
    finally:
        tell.flush()
    os._exit(0)  # at once: torch's own end takes a while, and a pool of threads may hang


if __name__ == "__main__":
    main()
