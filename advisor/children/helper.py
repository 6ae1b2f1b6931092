"""A process that a child starts to do a part of its work, and does not trust: it may hang, die or talk nonsense.

It is given a line, its arguments, and later one line for each thing to do; it answers each with an object of JSON on a
line. What else is printed there goes to the standard error. It ends with the child, and its memory counts as the child's.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from advisor.children import guard
from advisor.children.command import Command, start
from advisor.children.ending import how_it_ended
from advisor.children.errors import CannotRunError
from advisor.children.messages import LONGEST_LINE
from advisor.wording import shorten

_READ = 65536
_LONGEST_REASON = 500
_FAREWELL_SECONDS = 1.0
"""For a process that has closed its output to be gone as well."""


class HelperProcess:
    """One such process, as the child sees it. `name` begins the sentences about it."""

    def __init__(self, name: str, command: Command) -> None:
        self.name = name
        self._rest = bytearray()
        self._process = start(command)
        assert self._process.stdin is not None  # noqa: S101  a pipe
        assert self._process.stdout is not None  # noqa: S101
        self._input, self._output = self._process.stdin, self._process.stdout

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def killed_by(self) -> str | None:
        """A sentence on the signal that ended it, None where none did."""
        return f"{self.name} {self._how_it_ended()}." if (self._process.poll() or 0) < 0 else None

    def fileno(self) -> int:
        """Of its answers: readable when there is something to read."""
        return self._output.fileno()

    def say(self, **message: object) -> None:
        with contextlib.suppress(OSError):  # it has ended already, so the answer will be missing
            self._input.write(json.dumps(message).encode() + b"\n")

    def answer(self, until: float) -> Mapping[str, Any]:
        """Its next answer, awaited until a time of the monotonic clock.

        Raises CannotRunError where it says nothing until then, ends, fails, or says what is no answer.
        """
        line = self._line(until)
        try:
            said = json.loads(line)
        except (ValueError, RecursionError):
            said = None
        if not isinstance(said, dict):
            raise CannotRunError(f"{self.name} wrote what is no answer: {shorten(line.decode(errors='replace'))}.")
        if "failed" in said:
            raise CannotRunError(shorten(said["failed"], _LONGEST_REASON))
        return said

    def close(self) -> None:
        """End it at once."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._input, self._output):
            with contextlib.suppress(OSError):
                pipe.close()

    def _line(self, until: float) -> bytes:
        while b"\n" not in self._rest:
            if len(self._rest) > LONGEST_LINE:
                raise CannotRunError(f"{self.name} wrote without end.")
            if not select.select([self], [], [], max(0.0, until - time.monotonic()))[0]:
                raise CannotRunError(f"{self.name} gave no answer in the time it had.")
            chunk = os.read(self.fileno(), _READ)
            if not chunk:
                raise CannotRunError(f"{self.name} {self._how_it_ended()}.")
            self._rest += chunk
        line, _, rest = bytes(self._rest).partition(b"\n")
        self._rest[:] = rest
        return line

    def _how_it_ended(self) -> str:
        try:
            status = self._process.wait(_FAREWELL_SECONDS)
        except subprocess.TimeoutExpired:
            return how_it_ended(None)
        return how_it_ended(status)


def answer_in(answers: Sequence[HelperProcess], until: float) -> list[Mapping[str, Any]]:
    """The next answer of each, in their order. The first that fails ends the waiting: CannotRunError."""
    if len(answers) == 1:
        return [answers[0].answer(until)]
    said: dict[int, Mapping[str, Any]] = {}
    while waiting := {process.fileno(): place for place, process in enumerate(answers) if place not in said}:
        readable = select.select(list(waiting), [], [], max(0.0, until - time.monotonic()))[0]
        for descriptor in readable or waiting:
            try:
                said[waiting[descriptor]] = answers[waiting[descriptor]].answer(until)
            except CannotRunError as error:
                raise CannotRunError(_killed_among(answers) or str(error)) from error
    return [said[place] for place in range(len(answers))]


def _killed_among(processes: Sequence[HelperProcess]) -> str | None:
    """A sentence on the one that a signal ended: the others only miss it, and say so a moment before it is gone."""
    until = time.monotonic() + _FAREWELL_SECONDS
    while time.monotonic() < until:
        for process in processes:
            if process.killed_by is not None:
                return process.killed_by
        time.sleep(0.01)
    return None


def number_in(said: Mapping[str, Any], name: str) -> float:
    """A number of an answer. Raises CannotRunError where there is none."""
    value = said.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < float("inf"):
        raise CannotRunError(f"a process answered {name}: {shorten(value)}, which is no number.")
    return float(value)


Say = Callable[..., None]


def serve(
    work: Callable[[Mapping[str, Any], Iterator[Mapping[str, Any]], Say], None],
    *explained: type[Exception],
    own_input: bool = False,
) -> None:
    """The life of such a process: `work` gets the arguments, what there is to do, and how to answer.

    Whatever goes wrong is said, so that the child can tell the reason.

    Args:
        explained: errors that say in words for people what is wrong, besides CannotRunError.
        own_input: leave it the standard input, on which it may wait for the end of its parent; otherwise that is empty,
            so that code of others takes nothing of what there is to do.
    """
    answers = guard.begin()
    orders = sys.stdin.buffer if own_input else os.fdopen(guard.hide_input(), "rb")

    def say(**message: object) -> None:
        guard.write(answers, json.dumps(message).encode() + b"\n")

    told = (json.loads(line) for line in orders)
    try:
        work(next(told), told, say)
    except (CannotRunError, ValueError, OSError, RuntimeError, LookupError, ArithmeticError, TypeError) as error:
        known = isinstance(error, (CannotRunError, *explained))
        say(failed=str(error) if known else f"its process met an error: {type(error).__name__}: {error}")
    os._exit(0)  # at once: a pool of threads or an exchange with other processes may hang
