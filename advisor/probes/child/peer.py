"""The training step in a process of its own: what only a start can set is timed there, and a result is re-checked there.

`python -m advisor.probes.child.peer PARENT` is told a Launch, binds itself to processors and memory and builds the network; then
it warms up, and runs as many steps as each line says.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from advisor.children import guard
from advisor.children.command import module_command
from advisor.children.errors import CannotRunError
from advisor.children.helper import HelperProcess, Say, answer_in, number_in, serve
from advisor.networks.description import UnbuildableError
from advisor.plain import decode, encode
from advisor.probes.judging.trial import Equipment, Trial
from advisor.probes.probe import Setting, Work
from advisor.probes.protocol import Rechecked, Request
from advisor.probes.workload import Workload

_RECHECK_STEPS = 3
_START_SECONDS = 60.0
"""For starting and building at most, where nobody says otherwise."""
LONGEST_SILENCE = 5.0
"""Seconds beyond what the steps should take, ..."""
SLOWEST = 20
"""... times which they may take on a machine that is suddenly busy; then the process is taken to hang."""


@dataclass(frozen=True, slots=True)
class Launch:
    """The settings with which a peer is started."""

    workload: Workload
    memory_bytes: int
    seed: int
    work: Work = Work.STEP
    interop_threads: int | None = None
    processors: Sequence[int] | None = None
    """Hardware threads that it may run on; None for all."""
    memory_node: int | None = None
    """The NUMA node from which alone it takes memory; None for any."""


class Startable:
    """Processes that take a while to start."""

    def __init__(self) -> None:
        self._running: list[HelperProcess] = []
        self._ready: tuple[str, int] | CannotRunError | None = None

    def start(self) -> None:
        """Begin to start them: torch and the network take seconds, which several processes can spend at once."""
        raise NotImplementedError

    def wait(self, until: float) -> tuple[str, int]:
        """Until all have built their networks: the version of torch and the threads of the first.

        Raises CannotRunError where one failed, or they are not ready by then.
        """
        if not self._running:
            self.start()
        if self._ready is None:
            try:
                said = answer_in(self._running, until)[0]
                self._ready = str(said.get("torch", "")), int(number_in(said, "threads"))
            except CannotRunError as error:
                self._ready = error
        if isinstance(self._ready, CannotRunError):
            raise self._ready
        return self._ready

    def close(self) -> None:
        for process in self._running:
            process.close()


def started(trials: Mapping[Setting, Trial], processes: Sequence[Startable], seconds: float) -> Equipment:
    """Trials whose processes are started side by side; the first of these tells versions. One that fails fails its trial."""
    until = time.monotonic() + seconds
    for each in processes:
        each.start()
    ready = []
    for each in processes:
        try:
            ready.append(each.wait(until))
        except CannotRunError:
            ready.append(("", 1))
    version, threads = ready[0]
    return Equipment(dict(trials), torch=version, threads=threads, close=[each.close for each in processes])


class RemoteTrial:
    """A trial whose steps are collected, and then run by other processes."""

    _asked = 0
    _step_seconds = 0.0
    _until = math.inf
    """A time of the monotonic clock after which nobody waits for its steps."""

    def step(self) -> None:
        """Collect a step; `finish` has them run."""
        self._asked += 1

    def finish(self) -> None:
        """Raises CannotRunError where a process does not answer any more."""
        if not self._asked:
            return
        steps, self._asked = self._asked, 0
        self._order(steps)
        begun = time.monotonic()
        patience = max(LONGEST_SILENCE, self._step_seconds * steps * SLOWEST) if self._step_seconds else _START_SECONDS
        self._answer(min(begun + patience, self._until))
        self._step_seconds = (time.monotonic() - begun) / steps

    def _order(self, steps: int) -> None:
        raise NotImplementedError

    def _answer(self, until: float) -> None:
        raise NotImplementedError


class PeerTrial(RemoteTrial, Startable):
    """A trial whose steps are run by a process of its own."""

    def __init__(
        self, launch: Launch, setting: Setting, command: Sequence[str] | None = None, until: float = math.inf
    ) -> None:
        super().__init__()
        self.setting = setting
        self.work = 1.0
        self._launch = launch
        pools = variables_of_pools(launch.workload.threads)
        self._command = module_command("advisor.probes.child.peer", pools, instead=command)
        self._peak = 0
        self._until = until

    def start(self) -> None:
        self._running = [HelperProcess(f"The process for {self.setting}", self._command)]
        self._running[0].say(**encode(self._launch))

    def warm_up(self, seconds: float) -> None:
        """Raises CannotRunError where the process cannot run the step within so many seconds."""
        until = time.monotonic() + seconds
        self.wait(until)
        self._running[0].say(warm_up=until - time.monotonic())
        self._answer(until)

    def peak_memory_bytes(self) -> int:
        return self._peak

    def _order(self, steps: int) -> None:
        self._running[0].say(steps=steps)

    def _answer(self, until: float) -> None:
        said = self._running[0].answer(until)
        self._peak, self.work = int(number_in(said, "peak")), number_in(said, "work")


def recheck(
    workload: Workload, setting: Setting, request: Request, seconds: float, command: Sequence[str] | None = None
) -> Rechecked:
    """Run a few steps of the workload in a fresh process, within so many seconds."""
    launch = Launch(workload, request.memory_bytes, request.seed)
    trial = PeerTrial(launch, setting, command, until=time.monotonic() + seconds)
    try:
        trial.warm_up(seconds)
        for _ in range(_RECHECK_STEPS):
            trial.step()
        trial.finish()
    except CannotRunError as error:
        return Rechecked(setting, 0, str(error))
    finally:
        trial.close()
    return Rechecked(setting, trial.peak_memory_bytes(), "")


def variables_of_pools(threads: int | None) -> dict[str, str]:
    """Changes in the environment for pools of as many threads."""
    return {"OMP_NUM_THREADS": str(threads), "MKL_NUM_THREADS": str(threads)} if threads else {}


def bind(processors: Sequence[int] | None, memory_node: int | None) -> None:
    """Keep this process on processors and memory. Raises CannotRunError where the system does not let it."""
    try:
        guard.bind(processors, memory_node)
    except OSError as error:
        raise CannotRunError(
            f"the system does not let a process choose its processors and memory ({error.strerror}). In a container, "
            "start that with the capability SYS_NICE."
        ) from error


def _work(arguments: Mapping[str, Any], told: Iterator[Mapping[str, Any]], say: Say) -> None:
    """Run in the peer: build, warm up, run."""
    launch = decode(Launch, arguments, "launch")
    bind(launch.processors, launch.memory_node)
    import torch  # after binding: what it takes of memory at its start belongs to the node as well

    from advisor.probes.child.training_step import StepTrial, TrainingStep

    workload = launch.workload
    if launch.interop_threads is not None:
        torch.set_num_interop_threads(launch.interop_threads)
    if workload.threads is not None:
        torch.set_num_threads(workload.threads)
    trial = StepTrial(TrainingStep(workload, launch.memory_bytes, launch.seed), workload, 0, launch.work)
    say(torch=torch.__version__, threads=torch.get_num_threads())
    for order in told:
        if "warm_up" in order:
            trial.warm_up(order["warm_up"])
        for _ in range(order.get("steps", 0)):
            trial.step()
        trial.finish()
        say(peak=trial.peak_memory_bytes(), work=trial.work)


if __name__ == "__main__":
    serve(_work, UnbuildableError)
