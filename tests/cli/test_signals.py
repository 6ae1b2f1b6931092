"""Signals that end the program are heard, whatever Python does at that moment, and once."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.cli.program import environment

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows sends no signals")
PATIENCE = 120.0


@contextmanager
def program(work: str) -> Iterator[subprocess.Popen[str]]:
    """`advisor` with another work than its commands; it writes to stdout and reads from stdin."""
    script = f"""
import gc, os, signal, sys, threading, time
from advisor.cli import main
{work}
main._run = work
main.main()
"""
    pipe = subprocess.PIPE
    with subprocess.Popen(
        [sys.executable, "-c", script], env=environment(), stdin=pipe, stdout=pipe, stderr=pipe, text=True
    ) as child:
        try:
            yield child
        finally:
            child.kill()


LOST = """
def elsewhere():
    time.sleep(1)
    signal.pthread_kill(threading.get_ident(), signal.SIGNUMBER)

def work():
    threading.Thread(target=elsewhere, daemon=True).start()
    sys.stdin.readline()
    return 0
"""
"""The system gives the signal to another thread: Python notes it, and the main thread goes on waiting for a line."""

THROWN_AWAY = """
class Closing:
    def __del__(self):
        signal.raise_signal(signal.SIGNUMBER)

def work():
    Closing()
    print("went on", flush=True)
    sys.stdin.readline()
    return 0
"""
"""The exception is raised in a destructor, where Python tells of it and throws it away."""

ENDING = [(signal.SIGINT, 130, "Interrupted"), (signal.SIGTERM, 143, "Ended by SIGTERM")]


@pytest.mark.parametrize("work", [LOST, THROWN_AWAY])
@pytest.mark.parametrize(("number", "code", "said"), ENDING)
def test_a_signal_that_python_has_lost_is_heard(work: str, number: signal.Signals, code: int, said: str) -> None:
    with program(work.replace("SIGNUMBER", number.name)) as child:
        assert child.wait(PATIENCE) == code
        assert child.stderr is not None
        err = child.stderr.read()
    assert err.startswith(said), err
    assert "Exception ignored" not in err


@pytest.mark.parametrize(("number", "code", "said"), ENDING)
def test_whoever_ends_in_order_is_told_and_nothing_is_raised(number: signal.Signals, code: int, said: str) -> None:
    work = """
from advisor.children.stopping import Stop
from advisor.cli.signals import told_to

def work():
    stop = Stop()
    with told_to(stop.everything):
        print("under way", flush=True)
        while not stop.all:
            time.sleep(0.01)
        print("in order", flush=True)
        time.sleep(0.3)
    print("put away", flush=True)
    main.end_interrupted("It goes on from there.")
"""
    with program(work) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "under way\n"
        child.send_signal(number)
        assert child.stdout.readline() == "in order\n"
        child.send_signal(signal.SIGTERM)
        out, err = child.communicate(timeout=PATIENCE)
    assert (child.returncode, out) == (code, "put away\n")
    assert err == f"{said}\n  It goes on from there.\n"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_another_signal_while_python_itself_ends_changes_nothing(number: signal.Signals) -> None:
    work = f"""
class AtTheVeryEnd:
    def __del__(self, kill=os.kill, pid=os.getpid(), write=os.write):
        write(1, b"ends")
        kill(pid, {int(number)})

signal.kept = AtTheVeryEnd()  # gone with the module, after Python has given its handlers back

def work():
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep({PATIENCE})
"""
    with program(work) as child:
        out, err = child.communicate(timeout=PATIENCE)
    assert (child.returncode, out) == (130, "ends"), err
    assert "Traceback" not in err
