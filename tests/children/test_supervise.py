"""The supervisor of every child: what it hears, how it ends, what it believes."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

from advisor.children.command import module_command
from advisor.children.ending import how_it_ended
from advisor.children.errors import NonsenseError
from advisor.children.supervise import End, Ending, Limits, supervise


def run(script: str, *, seconds: float = 30.0, limits: Limits | None = None, memory: int | None = None) -> Ending:
    """A child that says `end` when it has said everything, and `what` for nonsense."""

    def hear(line: bytes) -> bool:
        if line == b"what":
            raise NonsenseError
        return line == b"end"

    command = [sys.executable, "-c", f"import os, sys, time\n{script}"]
    deadline = time.monotonic() + seconds
    return supervise(
        module_command("", instead=command), hear, deadline=deadline, limits=limits or Limits(), memory_bytes=memory
    )


def test_a_child_that_says_everything_is_ended_and_nonsense_is_counted() -> None:
    ending = run("print('what\\nwhat\\nend', flush=True); time.sleep(600)")
    assert (ending.end, ending.rubbish, ending.reason) == (End.SAID_ALL, 2, "")


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("sys.exit(3)", "It ended with status 3 before there was a result."),
        ("os.kill(os.getpid(), 9)", "It was ended by SIGKILL before there was a result."),
        ("while True: print('what')", "lines that are no messages."),
        ("while True: sys.stdout.write('x' * 65536)", "It wrote without end."),
    ],
)
def test_a_child_that_fails_gives_its_reason(script: str, reason: str) -> None:
    ending = run(script)
    assert ending.end is End.FAILED
    assert reason in ending.reason


def test_last_words_are_told_with_the_reason() -> None:
    ending = run("sys.exit('no such library')")
    assert ending.explain("It failed.") == "It failed. Its last words: no such library"


def test_a_child_that_hangs_is_late_and_gone() -> None:
    begun = time.monotonic()
    assert run("time.sleep(600)", seconds=0.3).end is End.LATE
    assert time.monotonic() - begun < 60


def test_a_parent_that_was_stopped_itself_hears_what_its_child_has_said_meanwhile() -> None:
    paused: list[bool] = []

    def pause() -> bool:
        if not paused:
            paused.append(True)
            time.sleep(4.0)
        return False

    command = [sys.executable, "-c", "print('end', flush=True); import time; time.sleep(600)"]
    deadline = time.monotonic() + 3.0
    child = module_command("", instead=command)
    ending = supervise(child, lambda line: line == b"end", deadline=deadline, stopped=pause)
    assert ending.end is End.SAID_ALL


@pytest.mark.skipif(sys.platform == "win32", reason="Windows stops no processes")
def test_a_child_that_is_stopped_from_outside_is_late_and_gone(tmp_path: Path) -> None:
    number = tmp_path / "pid"
    script = f"open({str(number)!r}, 'w').write(str(os.getpid())); os.kill(os.getpid(), 19)"
    assert run(script, seconds=3.0).end is End.LATE
    with pytest.raises(ProcessLookupError):
        os.kill(int(number.read_text()), 0)


def test_memory_without_a_limit_is_not_looked_at() -> None:
    hungry = "held = b'1' * 200_000_000; time.sleep(1); print('end', flush=True); time.sleep(600)"
    assert run(hungry).end is End.SAID_ALL
    ending = run(hungry, memory=100_000_000, limits=Limits(poll_seconds=0.02))
    assert ending.end is End.FAILED
    assert "may take 100 MB" in ending.reason


def test_what_the_listener_raises_ends_the_child_and_goes_on() -> None:
    def hear(line: bytes) -> bool:
        raise ValueError("of the listener's own")

    command = [sys.executable, "-c", "print('hello', flush=True); import time; time.sleep(600)"]
    with pytest.raises(ValueError, match="of the listener's own"):
        supervise(module_command("", instead=command), hear, deadline=time.monotonic() + 30)


def test_the_end_of_a_process_in_words() -> None:
    assert [how_it_ended(status) for status in (None, 0, -9, -999)] == [
        "closed its output",
        "ended with status 0",
        "was ended by SIGKILL",
        "was ended by signal 999",
    ]
