"""The compiled training step: what compiling costs is part of what is timed, spread over the steps that a plan takes."""

from __future__ import annotations

import contextlib
import math
import os
import statistics
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from advisor.probes.child.training_step import StepTrial, TrainingStep
from advisor.probes.judging.contest import REHEARSAL_SHARE
from advisor.probes.judging.trial import Tell
from advisor.probes.probe import Setting
from advisor.probes.protocol import Failed, Note
from advisor.probes.verdict import MATTERS
from advisor.probes.workload import Workload

PASSES = 10
"""Over the data, in a plan."""
STEPS_OF_UNKNOWN_DATA = 1000
COMPILING_SHARE = 0.6
"""Of the time left, after which compiling is given up: the rest is for timing."""
CACHE_PREFIX = "advisor-compiled-"
_CACHE_VARIABLES = ("TORCHINDUCTOR_CACHE_DIR", "TRITON_CACHE_DIR")
_SAMPLES = 5
_SAMPLE_SECONDS = 0.05


def steps_of_plan(examples: int | None, batch_size: int) -> int:
    """Over which the time to compile is spread: ten passes over the data; 1000 steps where their number is not known."""
    return STEPS_OF_UNKNOWN_DATA if examples is None else PASSES * math.ceil(examples / batch_size)


class CompiledTrial(StepTrial):
    """The compiled step. `charged` are the seconds of compiling that the steps made so far have to bear."""

    def __init__(self, step: TrainingStep, workload: Workload, setting: Setting, plan_steps: int, tell: Tell) -> None:
        super().__init__(step, workload, setting)
        self._plan_steps = plan_steps
        self._tell = tell
        self.compile_seconds = 0.0
        self.charged = 0.0

    def clock(self) -> float:
        """Seconds, which go on by the share of each compiled step in the time to compile."""
        return time.monotonic() + self.charged

    def step(self) -> None:
        super().step()
        self.charged += self.compile_seconds / self._plan_steps

    def _compile(self, seconds: float) -> None:
        """Compile with empty caches, as on the first day, and tell what that took and from when on it pays.

        Compiling cannot be interrupted, so another thread tells of the failure when it takes too long: then the parent
        ends the child and all processes that torch has started for compiling. Should the parent die first, these end by
        themselves: torch's own within seconds of losing touch with the child, a compiler when it has done its file.
        """
        limit = seconds / REHEARSAL_SHARE * COMPILING_SHARE
        given_up = threading.Timer(limit, self._tell, [Failed(f"Compiling it took longer than {limit:.0f} s.")])
        given_up.daemon = True
        begun = time.monotonic()
        with empty_caches():
            given_up.start()
            try:
                super()._compile(seconds)
            finally:
                given_up.cancel()
        first = time.monotonic() - begun
        eager, compiled = self._compare()
        self.compile_seconds = max(0.0, first - compiled)
        self._tell(Note(sentence(self.compile_seconds, eager, compiled, self._plan_steps)))

    def _compare(self) -> tuple[float, float]:
        """Seconds per step, not compiled and compiled: the medians of a few samples in turns."""
        samples: dict[bool, list[float]] = {True: [], False: []}
        for _ in range(_SAMPLES):
            for eager in samples:
                done, begun = 0, time.monotonic()
                while time.monotonic() - begun < _SAMPLE_SECONDS:
                    self._step.run(self.examples, self._workload.precision, eager=eager)
                    self._step.wait()
                    done += 1
                samples[eager].append((time.monotonic() - begun) / done)
        return statistics.median(samples[True]), statistics.median(samples[False])


def sentence(compile_seconds: float, eager: float, compiled: float, plan_steps: int) -> str:
    """The time that compiling took, and the number of steps from which it pays.

    Args:
        eager, compiled: seconds per step.
    """
    told = f"Compiling took {compile_seconds:.1f} s."
    if eager < compiled * MATTERS:
        slower = "longer" if compiled > eager * MATTERS else "about as long"
        return f"{told} A compiled step took {slower}, so it never pays ({_ms(eager)} before, {_ms(compiled)} after)."
    steps = math.ceil(compile_seconds / (eager - compiled))
    return (
        f"{told} A step took {_ms(eager)} before and {_ms(compiled)} after, so it pays from {steps:,} steps on; the plan "
        f"is taken to have {plan_steps:,}."
    )


def _ms(seconds: float) -> str:
    return f"{seconds * 1e3:.3g} ms"


@contextlib.contextmanager
def empty_caches() -> Iterator[Path]:
    """A folder of this process for torch's compiled code, removed in the end: what is loaded stays in memory.

    It also stands in for the system's folder of temporary files, where torch keeps headers that it has compiled.
    A process that is killed leaves its folder to the parent, which removes it with all of the child's temporary files.
    """
    base = tempfile.gettempdir()
    before = {name: os.environ.get(name) for name in _CACHE_VARIABLES}
    with tempfile.TemporaryDirectory(prefix=CACHE_PREFIX, dir=base, ignore_cleanup_errors=True) as folder:
        os.environ |= dict.fromkeys(_CACHE_VARIABLES, folder)
        tempfile.tempdir = folder
        try:
            yield Path(folder)
        finally:
            tempfile.tempdir = base
            for name, value in before.items():
                os.environ.pop(name)
                if value is not None:
                    os.environ[name] = value
