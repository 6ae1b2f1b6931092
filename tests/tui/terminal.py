"""The real program on a pseudo-terminal, and what a person would see there."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

import pexpect
import pyte

ADVISOR = str(Path(sys.executable).parent / "advisor")
PATIENCE = 120.0
"""Seconds that anything may take before a test gives up: machines of tests are busy."""
ENTER, ESCAPE, UP, DOWN = "\r", "\x1b", "\x1b[A", "\x1b[B"
CTRL_Q, CTRL_S, CTRL_Z = "\x11", "\x13", "\x1a"


def heed_signals() -> None:
    """As in a terminal, wherever the tests were started: what ignores signals, such as nohup, hands that on."""
    for name in (signal.SIGHUP, signal.SIGINT):
        signal.signal(name, signal.SIG_DFL)


class Terminal:
    """`advisor` on a terminal of 24 lines and 80 columns, started in `folder`, where it also remembers things."""

    def __init__(self, folder: Path, *arguments: str, **environment: str) -> None:
        home = {**os.environ, "ADVISOR_STATE": str(folder / "state"), "TERM": "xterm-256color", **environment}
        for name in ("NO_COLOR", "COLUMNS", "LINES"):
            if name not in environment:
                home.pop(name, None)
        self.screen = pyte.Screen(80, 24)
        self._stream = pyte.ByteStream(self.screen)
        self.process = pexpect.spawn(
            ADVISOR,
            list(arguments),
            env=home,
            cwd=str(folder),
            dimensions=(24, 80),
            preexec_fn=heed_signals,  # type: ignore[arg-type]
        )
        self.process.delaybeforesend = None
        self.said = b""

    def text(self) -> str:
        return "\n".join(self.screen.display)

    def sees(self, *texts: str) -> None:
        """Waits until all of these are on the screen at once."""
        deadline = time.monotonic() + PATIENCE
        while not all(text in self.text() for text in texts):
            assert time.monotonic() < deadline, f"{texts} not seen:\n{self.text()}"
            self._take()

    def _take(self) -> bool:
        """Takes what the program has written; False when it has ended."""
        try:
            written = self.process.read_nonblocking(65536, timeout=0.1)
        except pexpect.TIMEOUT:
            return True
        except pexpect.EOF:
            return False
        self.said += written
        self._stream.feed(written)
        return True

    def press(self, *keys: str) -> None:
        for key in keys:
            self.process.send(key)

    def click(self, text: str) -> None:
        """Presses the first mouse button where this text stands, and lets it go once nothing is drawn any more."""
        line = next(number for number, shown in enumerate(self.screen.display) if text in shown)
        column = self.screen.display[line].index(text)
        for end in "Mm":
            self.process.send(f"\x1b[<0;{column + 1};{line + 1}{end}")
            self._settle()

    def _settle(self) -> None:
        """Takes what is written until nothing has come for as long as a finger rests on a button."""
        before = -1
        while before != len(self.said):
            before = len(self.said)
            for _ in range(3):
                self._take()

    def ends(self) -> int | None:
        """Waits for the end of the program; its exit status."""
        deadline = time.monotonic() + PATIENCE
        while self._take():
            assert time.monotonic() < deadline, self.text()
        self.process.close()
        return self.process.exitstatus
