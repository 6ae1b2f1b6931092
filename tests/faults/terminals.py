"""A program on a terminal of its own, with all that it starts: marked, so that no process of it can hide."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import re
import select
import signal
import subprocess
import sys
import termios
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import psutil
import pyte

from tests.cli.program import environment

ADVISOR = [str(Path(sys.executable).parent / "advisor")]
PATIENCE = 180.0
"""Seconds that anything may take before a test gives up: machines of tests are busy."""
GONE_WITHIN = 20.0
"""Seconds for the kernel to end what a killed program leaves, while the machine is busy."""
_MARK = "ADVISOR_TEST_FAULTS"
_CONTROL = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b[@-_]|[\r\x07]")
_MODES = re.compile(rb"\x1b\[\?([0-9;]+)([hl])")
CURSOR, ALTERNATE_SCREEN, BRACKETED_PASTE = 25, 1049, 2004
MOUSE = (1000, 1002, 1003, 1006, 1015)


class Terminal:
    """24 lines and 80 columns, with a program in a session of its own, as after opening a window."""

    def __init__(self, command: Sequence[str], folder: Path, env: Mapping[str, str]) -> None:
        self.mark = uuid.uuid4().hex
        self.screen = pyte.Screen(80, 24)
        self._stream = pyte.ByteStream(self.screen)
        self.said = b""
        self._fd, slave = pty.openpty()
        termios.tcsetwinsize(slave, (24, 80))
        self._settings = termios.tcgetattr(slave)
        self.process = subprocess.Popen(
            command,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            cwd=folder,
            env=environment(TERM="xterm-256color", **{_MARK: self.mark}, **env),
            start_new_session=True,
            preexec_fn=_controlled_by_its_terminal,  # noqa: PLW1509  no thread here holds a lock that it needs
        )
        os.close(slave)
        self._open = True

    # --- looking and typing ----------------------------------------------------------------------------------------

    def text(self) -> str:
        """The screen as a person sees it."""
        return "\n".join(self.screen.display)

    def lines(self) -> str:
        """Everything that was written, without control codes."""
        return _CONTROL.sub("", self.said.decode("utf-8", "replace"))

    def take(self, seconds: float = 0.05) -> None:
        """Take what the program writes, for so long or until it has written something."""
        if not self._open or not select.select([self._fd], [], [], seconds)[0]:
            return
        with contextlib.suppress(OSError):  # the other side is closed
            written = os.read(self._fd, 65536)
            self.said += written
            self._stream.feed(written)
            return
        time.sleep(seconds)

    def press(self, *keys: str) -> None:
        for key in keys:
            with contextlib.suppress(OSError):
                os.write(self._fd, key.encode())

    def hang_up(self) -> None:
        """Close the window."""
        os.close(self._fd)
        self._open = False

    # --- the end ---------------------------------------------------------------------------------------------------

    def ends(self, seconds: float = PATIENCE) -> int | None:
        """Wait for the end of the program; its exit status, minus the signal where one ended it. None: it goes on."""
        until = time.monotonic() + seconds
        while self.process.poll() is None:
            if time.monotonic() > until:
                return None
            self.take()
        if self._open:
            while select.select([self._fd], [], [], 0)[0]:
                before = len(self.said)
                self.take(0)
                if len(self.said) == before:
                    break
        return self.process.returncode

    def modes(self) -> dict[int, bool]:
        """Private modes of the terminal that were switched, and whether they are on now."""
        found: dict[int, bool] = {}
        for numbers, way in _MODES.findall(self.said):
            found |= {int(number): way == b"h" for number in numbers.split(b";")}
        return found

    def wrong(self) -> list[str]:
        """Sentences on what is not as it was before the program came."""
        if not self._open:
            return []
        modes = self.modes()
        on = [number for number in (ALTERNATE_SCREEN, BRACKETED_PASTE, *MOUSE) if modes.get(number)]
        found = [f"The mode {number} of the terminal is still on." for number in on]
        if not modes.get(CURSOR, True):
            found.append("The cursor is hidden.")
        if termios.tcgetattr(self._fd)[:4] != self._settings[:4]:
            found.append("The terminal is not in the mode in which it was.")
        return found

    def close(self) -> None:
        """End everything at once, whatever it does."""
        for process in self.family():
            with contextlib.suppress(psutil.Error):
                process.kill()
        if self._open:
            self.hang_up()
        self.process.wait()

    # --- processes -------------------------------------------------------------------------------------------------

    def children(self) -> list[psutil.Process]:
        """Everything that the program has started, and that lives."""
        return [process for process in self.family() if process.pid != self.process.pid]

    def family(self) -> list[psutil.Process]:
        """Every process that bears the mark, wherever it hangs in the tree of processes."""
        return list(_marked(f"{_MARK}={self.mark}".encode()))

    def left(self) -> list[str]:
        """The commands of processes that have outlived the program, after a moment in which they may end."""
        until = time.monotonic() + GONE_WITHIN
        while (found := self.children()) and time.monotonic() < until:
            time.sleep(0.1)
        return [" ".join(_command(process)) for process in found]


def _marked(mark: bytes) -> Iterator[psutil.Process]:
    for folder in Path("/proc").iterdir():
        with contextlib.suppress(OSError, psutil.Error):
            if folder.name.isdecimal() and mark in (folder / "environ").read_bytes().split(b"\0"):
                yield psutil.Process(int(folder.name))


def _command(process: psutil.Process) -> list[str]:
    with contextlib.suppress(psutil.Error):
        return process.cmdline()
    return ["?"]


def _controlled_by_its_terminal() -> None:
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    for name in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):  # whatever ignores them hands that on
        signal.signal(name, signal.SIG_DFL)


def state_files(state: Path) -> list[Path]:
    return [path for path in sorted(state.rglob("*")) if path.is_file()] if state.exists() else []


def unlocked(path: Path) -> bool:
    """True if nobody holds the lock on it."""
    with path.open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
    return True
