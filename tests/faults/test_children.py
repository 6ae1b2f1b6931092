"""Commands that are ended while a process of theirs works: nothing is left of it, whatever ends them."""

from __future__ import annotations

import signal
import sys
from pathlib import Path

import pytest

from tests.faults.terminals import ADVISOR, PATIENCE, Terminal

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="needs /proc and signals as on Linux"),
]

ENDLESS = """
import subprocess, time
subprocess.Popen(["/bin/sleep", "1000"], start_new_session=True)
time.sleep(1000)
"""
COMMANDS = {
    "a simulation": ("simulate", "--machine", "none", "--workers", "8", "--loss"),
    "a look at torch": ("doctor",),
    "code of the user": ("models", "show", "net.py:make", "--input", "4"),
}
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL)


@pytest.mark.parametrize("number", SIGNALS, ids=lambda one: one.name)
@pytest.mark.parametrize("name", COMMANDS)
def test_nothing_is_left_of_a_command_whose_child_works(name: str, number: signal.Signals, tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(ENDLESS)
    (tmp_path / "tmp").mkdir()
    private = {"ADVISOR_STATE": str(tmp_path / "state"), "TMPDIR": str(tmp_path / "tmp")}
    terminal = Terminal([*ADVISOR, *COMMANDS[name]], tmp_path, private)
    try:
        while not terminal.children() and terminal.process.poll() is None:
            terminal.take()
        assert terminal.process.poll() is None, terminal.lines()
        terminal.process.send_signal(number)

        assert terminal.ends(PATIENCE) in (128 + number, -number), terminal.lines()
        assert "Traceback" not in terminal.lines()
        assert terminal.left() == []
    finally:
        terminal.close()
