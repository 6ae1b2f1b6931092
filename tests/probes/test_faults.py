"""Children that misbehave: each costs its own result, says what happened, and leaves no process behind."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

from advisor.children.supervise import Limits
from advisor.facts.verdict import Verdict
from advisor.probes import runner
from advisor.probes.conditions import Moment
from advisor.probes.outcome import Outcome
from advisor.probes.protocol import Message, Ready
from advisor.probes.runner import run
from advisor.probes.settings.cores import THREADS
from advisor.probes.workload import Workload

WORKLOAD = Workload("ffn", "tabular", 4, 2, (4,))

PRELUDE = """
import json, os, signal, subprocess, sys, time
def say(**message): print(json.dumps(message), flush=True)
def note(pid): open(sys.argv[1], "a").write(f"{pid}\\n")
def sample(number, setting, seconds):
    say(type="Sample", phase="duel", setting=setting, round=number, seconds=seconds)
def duel(pairs, before=1.0, rival=2.0):
    say(type="Ready", torch="2", python="3", threads=2)
    say(type="Duel", rival=1)
    for number in range(pairs):
        sample(number, 2, before)
        sample(number, 1, rival)
note(os.getpid())
sys.stdin.readline()
"""


@dataclass
class Misbehaviour:
    """Starts a probe whose child runs a script after PRELUDE."""

    pids: Path

    def __call__(self, script: str, seconds: float = 10.0, limits: Limits | None = None) -> Outcome:
        command = [sys.executable, "-c", PRELUDE + script, str(self.pids)]
        limits = limits or Limits()
        return run(THREADS, WORKLOAD, before=2, settings=[1, 2], budget_seconds=seconds, command=command, limits=limits)

    def survivors(self) -> list[int]:
        return [pid for pid in map(int, self.pids.read_text().split()) if lives(pid)]


@pytest.fixture(autouse=True)
def quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stands in for a machine on which nothing else runs: what these children are told to say must decide."""
    monkeypatch.setattr(runner, "Moment", QuietMoment)


class QuietMoment:
    @classmethod
    def now(cls) -> Moment:
        return Moment(0.0, total=100.0, stolen=0.0, busy=50.0, ours=5.0, governor=None, megahertz=None)


@pytest.fixture
def misbehaving(tmp_path: Path) -> Misbehaviour:
    return Misbehaviour(tmp_path / "pids")


def lives(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def gone_within(pids: Sequence[int], seconds: float) -> bool:
    until = time.monotonic() + seconds
    while any(map(lives, pids)):
        if time.monotonic() > until:
            return False
        time.sleep(0.02)
    return True


def test_a_child_that_says_everything_is_believed(misbehaving: Misbehaviour) -> None:
    outcome = misbehaving('duel(12); say(type="Result"); time.sleep(60)')
    assert outcome.verdict is Verdict.CONFIRMED
    assert (outcome.before, outcome.after, outcome.rival) == (2, 2, 1)
    assert (outcome.median, outcome.n) == (pytest.approx(2.0), 12)
    assert outcome.facts() == {"probe.threads.best": 2}
    assert outcome.failure is None
    assert outcome.measured
    assert misbehaving.survivors() == []


def test_an_overturned_verdict_is_the_speed_up_of_the_rival(misbehaving: Misbehaviour) -> None:
    outcome = misbehaving('duel(12, before=3.0, rival=2.0); say(type="Result")')
    assert outcome.verdict is Verdict.OVERTURNED
    assert outcome.after == 1
    assert outcome.median == pytest.approx(1.5)
    assert outcome.facts() == {"probe.threads.best": 1}


@pytest.mark.parametrize(
    ("script", "failure"),
    [
        ("sys.exit(3)", "It ended with status 3 before there was a result."),
        ("sys.exit(0)", "It ended with status 0 before there was a result."),
        ("os.kill(os.getpid(), signal.SIGKILL)", "It was ended by SIGKILL before there was a result."),
        ("os.abort()", "It was ended by SIGABRT before there was a result."),
        ("raise ArithmeticError('no such step')", "Its last words: .*ArithmeticError: no such step"),
        ('say(type="Failed", reason="a gan cannot be built yet")', "^a gan cannot be built yet$"),
        ("os.close(1); time.sleep(60)", "It closed its output before there was a result."),
        ("while True: print('what')", "lines that are no messages"),
        ("while True: sys.stdout.write('x' * 65536)", "It wrote without end."),
        ("while True: sample(0, 1, 1.0)", "It wrote without end."),
        ("say(type='Sample', stage=[]); sys.exit(1)", "It ended with status 1"),
        ("print('{\"type\": \"Failed\", \"reason\": ' + '9' * 400 + '}'); sys.exit(1)", "It ended with status 1"),
        ("duel(9, before=1e300, rival=1e-300); sys.exit(1)", "It ended with status 1"),
        ("print('[' * 900_000); print('x' * 2_000_000)\nsys.exit(1)", "It ended with status 1"),
    ],
)
def test_what_went_wrong_is_said(misbehaving: Misbehaviour, script: str, failure: str) -> None:
    outcome = misbehaving(script)
    assert outcome.verdict is Verdict.UNDECIDED
    assert not outcome.measured
    assert outcome.facts() == {}
    assert outcome.after is None
    assert outcome.failure is not None
    assert re.search(failure, outcome.failure, re.DOTALL)
    assert misbehaving.survivors() == []


@pytest.mark.parametrize(
    "script",
    [
        "time.sleep(60)",
        "signal.signal(signal.SIGTERM, signal.SIG_IGN); duel(2)\nwhile True: pass",
        "sys.stdout.write('{\"type\":'); sys.stdout.flush(); time.sleep(60)",
    ],
    ids=["silent", "deaf", "half a line"],
)
def test_a_child_that_hangs_is_ended_when_its_time_is_over(misbehaving: Misbehaviour, script: str) -> None:
    begun = time.monotonic()
    outcome = misbehaving(script, seconds=0.5)
    assert time.monotonic() - begun < 20  # it would have slept for 60
    assert outcome.failure in (
        "Its time was over before it was ready to measure.",
        "It had no result when its time was over.",
    )
    assert misbehaving.survivors() == []


def test_pairs_that_were_timed_before_the_time_was_over_count(misbehaving: Misbehaviour) -> None:
    outcome = misbehaving("duel(9); time.sleep(60)", seconds=0.5)
    assert outcome.failure is None
    assert outcome.verdict is Verdict.CONFIRMED


def test_samples_before_a_crash_are_kept_but_decide_nothing(misbehaving: Misbehaviour) -> None:
    outcome = misbehaving("duel(9); os.abort()")
    assert outcome.verdict is Verdict.UNDECIDED
    assert outcome.failure is not None
    assert [len(record.duel) for record in outcome.settings] == [9, 9]
    assert outcome.n == 9


def test_too_much_memory_ends_the_child(misbehaving: Misbehaviour) -> None:
    outcome = misbehaving(
        "hold = bytearray(os.urandom(1)) * 400_000_000; time.sleep(60)", limits=Limits(memory_bytes=200_000_000)
    )
    assert "MB of memory and may take 200 MB" in str(outcome.failure)
    assert misbehaving.survivors() == []


def test_memory_of_its_children_counts(misbehaving: Misbehaviour) -> None:
    eater = "hold = bytearray(b'x') * 400_000_000; import time; time.sleep(60)"
    script = f'note(subprocess.Popen([sys.executable, "-c", {eater!r}]).pid); time.sleep(60)'
    outcome = misbehaving(script, limits=Limits(memory_bytes=200_000_000))
    assert "MB of memory" in str(outcome.failure)
    assert gone_within(misbehaving.survivors(), 2)


def test_what_a_container_has_left_counts_not_its_whole_limit() -> None:
    assert Limits(memory_share=0.5).memory(4_000_000, 1_000_000) == 500_000
    assert Limits(memory_share=0.5).memory(4_000_000, None) == 2_000_000
    assert Limits(memory_share=0.5, memory_bytes=300_000).memory(None, 1_000_000) == 300_000


BURNER = """
import sys, time
while time.process_time() < 1.5: pass
print("burnt", flush=True)
time.sleep(60)
"""


class TwoBusySeconds:
    """Stands in for a machine on which one core is busy for two seconds, for whomever."""

    busy = 50.0

    @classmethod
    def now(cls) -> Moment:
        cls.busy += 2.0
        return Moment(0.0, total=10 * cls.busy, stolen=0.0, busy=cls.busy, ours=5.0, governor=None, megahertz=None)


def test_the_work_of_helpers_that_are_ended_with_their_child_is_ours(
    misbehaving: Misbehaviour, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner, "Moment", TwoBusySeconds)
    script = (
        f"helper = subprocess.Popen([sys.executable, '-c', {BURNER!r}], stdout=subprocess.PIPE)\n"
        "helper.stdout.readline(); duel(9); say(type='Result'); time.sleep(60)"
    )
    outcome = misbehaving(script, seconds=60.0)
    assert outcome.failure is None
    assert outcome.conditions.others_share < 0.06  # of two busy seconds in twenty, most were the helper's


def test_children_of_the_child_end_with_it_even_in_their_own_session(misbehaving: Misbehaviour) -> None:
    script = (
        "for own in (False, True):\n"
        "    note(subprocess.Popen(['sleep', '60'], start_new_session=own).pid)\n"
        "time.sleep(1); duel(9); say(type='Result')"
    )
    assert misbehaving(script).verdict is Verdict.CONFIRMED
    assert gone_within(misbehaving.survivors(), 1)


def test_lines_that_are_not_understood_are_counted_and_the_rest_is_believed(misbehaving: Misbehaviour) -> None:
    outcome = misbehaving(
        "print('hello'); sample(0, 77, 1.0); duel(9); say(type='Sample', seconds='x'); say(type='Result')"
    )
    assert outcome.verdict is Verdict.CONFIRMED
    assert "3 lines from the probe's process could not be understood." in outcome.conditions.warnings


def test_a_program_that_does_not_exist_is_an_error_of_ours() -> None:
    with pytest.raises(FileNotFoundError):
        run(THREADS, WORKLOAD, before=2, settings=[1, 2], budget_seconds=1, command=["/no/such/program"])


def test_an_interrupt_ends_the_child_and_is_raised_again(misbehaving: Misbehaviour) -> None:
    def interrupt(message: Message) -> None:
        raise KeyboardInterrupt

    command = [sys.executable, "-c", PRELUDE + "duel(1); time.sleep(60)", str(misbehaving.pids)]
    with pytest.raises(KeyboardInterrupt):
        run(
            THREADS,
            WORKLOAD,
            before=2,
            settings=[1, 2],
            budget_seconds=10,
            command=command,
            on_event=interrupt,
        )
    assert misbehaving.survivors() == []


PARENT = """
import sys
from advisor.probes.runner import run
from advisor.probes.settings.cores import THREADS
from advisor.probes.workload import Workload
def show(message): print(type(message).__name__, flush=True)
run(THREADS, Workload("ffn", "tabular", 64, 10, (64,)), before=2, settings=[1, 2], budget_seconds=60, on_event=show)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="asks the kernel of Linux")
def test_no_child_survives_a_parent_that_is_killed() -> None:
    parent = subprocess.Popen([sys.executable, "-c", PARENT], stdout=subprocess.PIPE, text=True)
    try:
        assert parent.stdout is not None
        assert parent.stdout.readline().strip() == Ready.__name__
        children = [child.pid for child in psutil.Process(parent.pid).children(recursive=True)]
        assert children
    finally:
        parent.kill()
        parent.wait()
        assert parent.stdout is not None
        parent.stdout.close()
    assert gone_within(children, 5)


def real_child(parent: int) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "advisor.probes.child.main", str(parent)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)


def test_a_child_whose_parent_died_before_it_could_look_ends_at_once() -> None:
    with real_child(parent=1) as child:
        assert child.wait(timeout=20) == 1


def test_a_child_ends_when_its_input_is_closed() -> None:
    from advisor.probes.protocol import Request, request_line

    with real_child(parent=os.getpid()) as child:
        assert child.stdin is not None
        child.stdin.write(request_line(Request("threads", WORKLOAD, 2, (1, 2), 60.0, 10**10, 0, {}, "")))
        child.stdin.flush()
        assert child.stdout is not None
        assert b"Ready" in child.stdout.readline()
        child.stdin.close()
        assert child.wait(timeout=20) == 1
