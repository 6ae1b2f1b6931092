"""Pauses of a process are counted."""

from __future__ import annotations

import signal
import subprocess
import sys

import psutil
import pytest

COUNTS = """
import sys
from advisor.children.pauses import counted
pauses = counted()
print("counting", flush=True)
for _ in sys.stdin:
    print(pauses(), flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows stops no processes")
def test_each_stop_from_outside_counts_once_the_process_goes_on() -> None:
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", COUNTS], stdin=pipe, stdout=pipe, text=True, bufsize=1) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        assert child.stdout.readline() == "counting\n"
        for number in range(3):
            child.stdin.write("\n")
            assert int(child.stdout.readline()) == number
            child.send_signal(signal.SIGSTOP)
            while psutil.Process(child.pid).status() != psutil.STATUS_STOPPED:
                pass
            child.send_signal(signal.SIGCONT)
