"""Simulating in a process of its own, whose time and memory are watched; so no face of the program waits for numpy or torch."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from advisor.children.command import Command, module_command
from advisor.children.errors import CannotRunError
from advisor.children.stopping import STOPPED
from advisor.children.supervise import End, Ending, Limits, supervise
from advisor.distributed.task import DIGITS, Task
from advisor.errors import InputError
from advisor.simulation.request import (
    MESSAGES,
    Failing,
    Found,
    Message,
    Progress,
    Refused,
    Request,
    Saved,
    request_line,
)
from advisor.simulation.result import Result
from advisor.simulation.scenario import Scenario

MEMORY_BYTES, LEARNING_BYTES = 1_000_000_000, 3_000_000_000
"""Limits of a simulation: of times alone, and where something is learned."""
_CHILD = "advisor.simulation.child"
_ONE_THREAD = {
    **dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "POLARS_MAX_THREADS"), "1"),
    "OMP_WAIT_POLICY": "PASSIVE",
}


class LateError(CannotRunError):
    """Its time was over."""

    found: Sequence[Result] = ()
    """Of the scenarios that were done by then, in their order."""


class StoppedError(CannotRunError):
    """Somebody stopped it."""


def simulate(
    scenario: Scenario,
    task: Task | None = None,
    *,
    seconds: float,
    stop: Callable[[], bool] = lambda: False,
    tell: Callable[[float], None] = lambda share: None,
    command: Command | None = None,
    limits: Limits | None = None,
) -> Result:
    """Simulate a strategy in virtual time; see `simulate_all`."""
    return simulate_all([scenario], task, seconds=seconds, stop=stop, tell=tell, command=command, limits=limits)[0]


def simulate_all(
    scenarios: Sequence[Scenario],
    task: Task | None = None,
    *,
    seconds: float,
    stop: Callable[[], bool] = lambda: False,
    tell: Callable[[float], None] = lambda share: None,
    command: Command | None = None,
    limits: Limits | None = None,
) -> list[Result]:
    """Simulate strategies in virtual time, one scenario after the other in one process; with a task also the loss while it
    is learned.

    Args:
        seconds: that all may take, real ones.
        stop: whether somebody wants it to end; asked several times a second.
        tell: is told the share that is done, now and then.
        command: starts another child than our own.
        limits: of what the child may take.

    Raises:
        InputError: the task has no lesson, or failures let the work get nowhere.
        CannotRunError: it took too long (LateError, with what was found) or too much memory, or crashed; StoppedError: it was
            stopped.
    """
    found: list[Result] = []

    def hear(message: Message) -> bool:
        match message:
            case Progress(share):
                tell((len(found) + share) / len(scenarios))
            case Found(result):
                found.append(result)
        return len(found) == len(scenarios)

    try:
        _ask(Request(tuple(scenarios), _found_from_anywhere(task)), hear, seconds, stop, command, limits)
    except LateError as error:
        error.found = tuple(found)
        raise
    return found


def checkpoints(failing: Failing, *, seconds: float, stop: Callable[[], bool] = lambda: False) -> Saved:
    """Find how often to save a training in which all keep step. Raises as `simulate_all` does."""
    said: list[Saved] = []

    def hear(message: Message) -> bool:
        if isinstance(message, Saved):
            said.append(message)
        return bool(said)

    _ask(Request(failing=failing), hear, seconds, stop)
    return said[0]


def _ask(
    request: Request,
    hear: Callable[[Message], bool],
    seconds: float,
    stop: Callable[[], bool],
    command: Command | None = None,
    limits: Limits | None = None,
) -> None:
    """Have a child answer until `hear` says that it was all. Raises as `simulate_all` does."""
    limits = limits or Limits(memory_bytes=MEMORY_BYTES if request.task is None else LEARNING_BYTES)
    refused: list[Refused] = []

    def hear_line(line: bytes) -> bool:
        message: Message = MESSAGES.read(line)
        if isinstance(message, Refused):
            refused.append(message)
            return True
        return hear(message)

    try:
        ending = supervise(
            command or module_command(_CHILD, _ONE_THREAD),
            hear_line,
            deadline=time.monotonic() + seconds,
            request=request_line(request),
            memory_bytes=limits.memory(),
            limits=limits,
            stopped=stop,
        )
    except OSError as error:
        raise CannotRunError(f"The simulation cannot be started: {error.strerror or error}.") from error
    if refused:
        raise InputError(refused[0].title, refused[0].problems)
    if ending.end is not End.SAID_ALL:
        raise _failed(ending, seconds)


def _found_from_anywhere(task: Task | None) -> Task | None:
    """The task with the whole path of its data: the child has another folder."""
    if task is None or task.data in (None, DIGITS):
        return task
    return replace(task, data=str(Path(str(task.data)).absolute()))


def _failed(ending: Ending, seconds: float) -> CannotRunError:
    if ending.end is End.STOPPED:
        return StoppedError(STOPPED)
    if ending.end is End.LATE:
        return LateError(f"The simulation was not done within {seconds:.3g} seconds: take fewer workers or steps.")
    return CannotRunError(ending.explain(f"The simulation failed. {ending.reason}"))
