"""One scene: a program runs, something happens to it at some moment, and the same command is given again."""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

import psutil

from tests.faults.programs import Finished, Program, Step
from tests.faults.terminals import ADVISOR, PATIENCE, Terminal

AIMED = str(Path(__file__).with_name("aimed.py"))
STOPPED_FOR = 2.0
"""Seconds."""


class Fault(Enum):
    """What happens to a program."""

    KILL = "SIGKILL"
    TERM = "SIGTERM"
    INT = "SIGINT"
    HUP = "SIGHUP"
    TWICE = "SIGINT, and another a moment later"
    HANG_UP = "its window is closed"
    GROUP_INT = "SIGINT to its process group"
    GROUP_KILL = "SIGKILL to its process group"
    PAUSED = "SIGSTOP, and SIGCONT later"
    PAUSED_AND_KILLED = "SIGSTOP, and SIGKILL later"
    CHILD_KILLED = "SIGKILL to its child"
    CHILD_STOPPED = "SIGSTOP to its child"


KILLS = frozenset({Fault.KILL, Fault.GROUP_KILL, Fault.PAUSED_AND_KILLED})
CODES = {
    Fault.TERM: 128 + signal.SIGTERM,
    Fault.INT: 128 + signal.SIGINT,
    Fault.HUP: 128 + signal.SIGHUP,
    Fault.TWICE: 128 + signal.SIGINT,
    Fault.HANG_UP: 128 + signal.SIGHUP,
    Fault.GROUP_INT: 128 + signal.SIGINT,
} | dict.fromkeys(KILLS, -signal.SIGKILL)
"""Exit statuses of a program that did not come to its end before; of others the usual ones."""


@dataclass(frozen=True)
class Moment:
    """The time of a fault: within a step of the program, some seconds after what it awaits was seen."""

    step: int
    seconds: float

    @classmethod
    def drawn(cls, program: Program, generator: random.Random) -> Moment:
        """Every step as likely as any other, so that short ones are hit too."""
        step = generator.randrange(len(program.steps))
        return cls(step, round(generator.random() * program.steps[step].lasts, 3))


@dataclass(frozen=True)
class Aim:
    """The time of a fault: right before or after a call that the program makes, such as the second of os.fsync."""

    function: str
    when: str
    number: int

    @classmethod
    def drawn(cls, program: Program, generator: random.Random) -> Aim:
        return cls(generator.choice(program.calls), generator.choice(("before", "after")), generator.randint(1, 3))


@dataclass(frozen=True)
class Aftermath:
    """What is there when a program has ended."""

    code: int | None
    """Exit status, minus the signal; None where it did not end."""
    said: str
    finished: Finished
    told: int
    """Number of things that it has called finished on the terminal."""
    processes: list[str]
    """Commands of those that outlived it."""
    terminal: list[str]
    """Sentences on what it has left of the terminal."""
    files: frozenset[str]
    """Everything under the folder."""

    @property
    def last_words(self) -> str:
        return self.said[-1500:]


class Scene:
    """A folder in which a program works, remembers things and has its temporary files."""

    def __init__(self, program: Program, folder: Path, data: Path) -> None:
        self.program = program
        self.folder = folder
        (folder / "tmp").mkdir()
        shutil.copy(data, folder / "wine.csv")

    def disturbed(self, fault: Fault, moment: Moment | Aim) -> Aftermath:
        """The program until its end, which the fault brings or not."""
        if isinstance(moment, Aim):
            return self._hit(fault, moment)
        with self._started(ADVISOR, self.program.command) as terminal:
            self._steps(terminal, self.program.steps[: moment.step + 1])
            _while_it_writes(terminal, moment.seconds)
            _happen(terminal, fault)
            return self._end(terminal, fault)

    def _hit(self, fault: Fault, aim: Aim) -> Aftermath:
        with tempfile.TemporaryDirectory() as folder:
            held = [sys.executable, AIMED, folder, aim.function, aim.when, str(aim.number)]
            reached = Path(folder) / "reached"
            with self._started(held, self.program.command) as terminal:
                self._steps(terminal, self.program.steps, until=reached.exists)
                while not reached.exists() and terminal.process.poll() is None and not self.program.leaving:
                    terminal.take()
                if reached.exists():
                    _happen(terminal, fault)
                (Path(folder) / "go").touch()
                return self._end(terminal, fault if reached.exists() else None)

    def again(self) -> Aftermath:
        """The command that goes on, undisturbed and to its end."""
        program = self.program
        with self._started(ADVISOR, program.again or program.command) as terminal:
            self._steps(terminal, program.to_the_end)
            return self._end(terminal, None)

    def _started(self, program: list[str], command: tuple[str, ...]) -> contextlib.closing[Terminal]:
        private = {"ADVISOR_STATE": str(self.folder / "state"), "TMPDIR": str(self.folder / "tmp")}
        return contextlib.closing(Terminal([*program, *command], self.folder, private))

    def _steps(self, terminal: Terminal, steps: Sequence[Step], until: Callable[[], bool] = lambda: False) -> None:
        """Wait for one after the other, and press its keys, until something else has come or the program has ended."""
        seen = 0
        for step in steps:
            latest = time.monotonic() + PATIENCE
            while (now := self.program.sees(terminal, step, seen)) is None:
                if until() or terminal.process.poll() is not None:
                    return
                assert time.monotonic() < latest, f"{step} is not seen:\n{terminal.text()}"
                terminal.take()
            seen = now
            terminal.press(*step.keys)

    def _end(self, terminal: Terminal, fault: Fault | None) -> Aftermath:
        """A conversation that nothing has ended is left by whoever holds it."""
        left = bool(self.program.leaving) and fault not in CODES
        code = terminal.ends(STOPPED_FOR if left else PATIENCE)
        if code is None:
            self.program.leave(terminal)
            code = terminal.ends()
        return Aftermath(
            code,
            terminal.lines(),
            self.program.finished(self.folder),
            self.program.count_told(terminal),
            terminal.left(),
            terminal.wrong(),
            frozenset(str(path.relative_to(self.folder)) for path in self.folder.rglob("*")),
        )


def _while_it_writes(terminal: Terminal, seconds: float) -> None:
    until = time.monotonic() + seconds
    while (left := until - time.monotonic()) > 0:
        terminal.take(min(left, 0.05))


def _happen(terminal: Terminal, fault: Fault) -> None:
    send = terminal.process.send_signal
    match fault:
        case Fault.KILL | Fault.TERM | Fault.INT | Fault.HUP:
            send(signal.Signals[f"SIG{fault.name}"])
        case Fault.TWICE:
            send(signal.SIGINT)
            time.sleep(0.02)
            send(signal.SIGINT)
        case Fault.HANG_UP:
            terminal.hang_up()
        case Fault.GROUP_INT | Fault.GROUP_KILL:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(terminal.process.pid, signal.SIGINT if fault is Fault.GROUP_INT else signal.SIGKILL)
        case Fault.PAUSED | Fault.PAUSED_AND_KILLED:
            send(signal.SIGSTOP)
            _while_it_writes(terminal, STOPPED_FOR)
            send(signal.SIGCONT if fault is Fault.PAUSED else signal.SIGKILL)
        case Fault.CHILD_KILLED | Fault.CHILD_STOPPED:
            for child in terminal.children()[:1]:
                with contextlib.suppress(psutil.Error):
                    child.send_signal(signal.SIGKILL if fault is Fault.CHILD_KILLED else signal.SIGSTOP)
