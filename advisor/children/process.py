"""A child process that is not trusted: what it says arrives bit by bit, and it can be ended, whatever it does."""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from enum import Enum
from pathlib import Path
from typing import IO, Self, TypeAlias

import psutil

from advisor.children import temporary
from advisor.children.command import Command, start
from advisor.children.guard import end_strays
from advisor.children.messages import LONGEST_LINE
from advisor.wording import printable

_READ = 65536
_LAST_WORDS = 4000
"""Bytes of the child's standard error that are kept."""
_FAMILY_EVERY = 0.5
"""Seconds between two looks for children of the child; each look reads the state of every process."""
_REAP_SECONDS = 0.5
MOST_BYTES = 4_000_000
"""A whole measurement writes a tenth of it."""


class Sign(Enum):
    """An event of the output besides a line."""

    TOO_LONG = "a line is longer than LONGEST_LINE; its content is thrown away"
    FLOOD = "more than MOST_BYTES were written"
    CLOSED = "the output has ended"


Event: TypeAlias = bytes | Sign
"""A line, or what there is instead."""


def _resident(process: psutil.Process, *, shared_once: bool = False) -> int:
    """Bytes; 0 for a process that has ended. With `shared_once`, its share of what several hold (Linux)."""
    with contextlib.suppress(psutil.Error):
        if shared_once:
            return int(getattr(process.memory_full_info(), "pss", 0)) or process.memory_info().rss
        return process.memory_info().rss
    return 0


def _processor_seconds(process: psutil.Process) -> float:
    """Seconds of the process and of children that it has waited for; 0 for one that is gone."""
    with contextlib.suppress(psutil.Error):
        return sum(process.cpu_times()[:4])
    return 0.0


def _read(pipe: IO[bytes]) -> bytes:
    """The next bytes; none at the end, and where the pipe was closed since an interrupt came while its reader was started."""
    try:
        return os.read(pipe.fileno(), _READ)
    except (OSError, ValueError):
        return b""


class ChildProcess:
    """Started on entering, in a process group and in a folder of its own; gone with its children and files on leaving."""

    def __init__(self, command: Command) -> None:
        self._command = command
        self._events: queue.Queue[Event] = queue.Queue(maxsize=1000)
        self._last_words = bytearray()
        self._leaving = threading.Event()
        self._family: set[psutil.Process] = set()
        self._family_seen = 0.0
        self._readers: list[threading.Thread] = []
        self._closing = contextlib.ExitStack()
        self._folder: Path | None = None
        self.unwaited_seconds = 0.0
        """Processor time of children of the child that it had not waited for when it was ended, so that no process
        counts it as that of its children."""

    def __enter__(self) -> Self:
        with contextlib.ExitStack() as closing:
            folder = closing.enter_context(temporary.temporary_folder())
            self._start(folder)
            self._closing = closing.pop_all()
        return self

    def _start(self, folder: Path) -> None:
        self._folder = folder
        environment = {**self._command.environment, **temporary.variables(folder)}
        command = replace(self._command, environment=environment)
        self._process = start(command, folder=folder, errors=subprocess.PIPE, session=True)
        try:
            self._watched = psutil.Process(self._process.pid)
            self._family.add(self._watched)
            self._readers = [
                threading.Thread(target=self._read_answers, args=(self._process.stdout,), daemon=True),
                threading.Thread(target=self._read_last_words, args=(self._process.stderr,), daemon=True),
            ]
            for reader in self._readers:
                reader.start()
        except BaseException:
            self._kill()
            raise

    def __exit__(self, *_: object) -> None:
        with self._closing:
            try:
                self._look_for_family()
                self.unwaited_seconds = sum(map(_processor_seconds, self._family - {self._watched}))
            finally:
                self._kill()

    def send(self, line: bytes) -> None:
        """One line to the standard input, which stays open: the child ends when it closes."""
        assert self._process.stdin is not None  # noqa: S101  it was asked for above
        with contextlib.suppress(BrokenPipeError):  # it has ended already, which its output will show
            self._process.stdin.write(line)

    def event(self, seconds: float) -> Event | None:
        """The next event, or None when nothing was written for so long."""
        try:
            return self._events.get(timeout=max(0.0, seconds))
        except queue.Empty:
            return None

    def resident_bytes(self) -> int:
        """The memory that the child and its children hold."""
        if time.monotonic() - self._family_seen > _FAMILY_EVERY:
            self._look_for_family()
        return sum(_resident(process) for process in self._family)

    def own_bytes(self) -> int:
        """The same with every shared page counted once, as far as the system tells; slower."""
        return sum(_resident(process, shared_once=True) for process in self._family)

    def ending(self, seconds: float) -> int | None:
        """The exit status, minus the signal where one ended it; None while it lives after so many seconds."""
        until = time.monotonic() + seconds
        while self._watched.status() != psutil.STATUS_ZOMBIE:
            if time.monotonic() > until:
                return None
            time.sleep(0.01)
        self._kill_group()
        status = self._process.wait()
        for reader in self._readers:  # so that its last words are whole
            reader.join(timeout=_REAP_SECONDS)
        return status

    def last_words(self) -> str:
        """The end of what it wrote to standard error, without control characters; whole once it is gone."""
        return printable(self._last_words.decode(errors="replace")).strip()

    def _look_for_family(self) -> None:
        """Children are remembered, since those of a dead parent are no longer found under it."""
        with contextlib.suppress(psutil.Error):
            self._family.update(self._watched.children(recursive=True))
        self._family_seen = time.monotonic()

    def _kill(self) -> None:
        self._leaving.set()
        if self._process.returncode is None:
            self._kill_group()
        for process in self._family:
            with contextlib.suppress(psutil.Error):
                process.kill()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=_REAP_SECONDS)
        end_strays(self._folder)
        psutil.wait_procs(self._family - {self._watched}, timeout=_REAP_SECONDS)
        for reader in self._readers:
            if reader.ident is not None:  # an interrupt can come before it is started
                reader.join(timeout=_REAP_SECONDS)
        if not any(reader.is_alive() for reader in self._readers):
            for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
                if pipe is not None:
                    pipe.close()

    def _kill_group(self) -> None:
        """Before the child is waited for: until then its number belongs to nobody else."""
        if sys.platform == "win32":
            self._process.kill()
        else:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)

    def _read_answers(self, output: IO[bytes]) -> None:
        """Split the output into lines; no line and no number of them can fill the memory."""
        rest, total, too_long = bytearray(), 0, False
        while total <= MOST_BYTES:
            chunk = _read(output)
            if not chunk:
                self._pass_on(Sign.CLOSED)
                return
            total += len(chunk)
            *complete, rest_of_chunk = chunk.split(b"\n")
            for end in complete:
                line = bytes(rest + end)
                rest.clear()
                self._pass_on(Sign.TOO_LONG if too_long or len(line) > LONGEST_LINE else line)
                too_long = False
            rest += rest_of_chunk
            if len(rest) > LONGEST_LINE:
                rest.clear()
                too_long = True
        self._pass_on(Sign.FLOOD)

    def _pass_on(self, event: Event) -> None:
        """Wait while the parent is busy, unless it is about to leave."""
        while not self._leaving.is_set():
            with contextlib.suppress(queue.Full):
                self._events.put(event, timeout=0.1)
                return

    def _read_last_words(self, errors: IO[bytes]) -> None:
        while chunk := _read(errors):
            self._last_words += chunk
            del self._last_words[:-_LAST_WORDS]
