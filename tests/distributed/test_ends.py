"""Whatever happens to a process, all end soon, with one sentence, with what was measured until then, and nothing is left."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import replace

import psutil
import pytest

from advisor.children.stopping import STOPPED, Stop
from advisor.distributed.job import Job, Message, Progress
from advisor.distributed.launching.group import processors_for
from advisor.distributed.launching.launch import Results, run
from advisor.distributed.launching.pulse import Phase
from advisor.distributed.task import DIGITS, Task
from advisor.errors import InputError

TASK = Task("ffn", "tabular", 12, 4, (16,), most_examples=1000)
WITHIN = 15.0
"""Seconds in which everything ends."""


def children() -> list[psutil.Process]:
    """Those of this process that run torch, in the order of their ranks."""
    found = [
        one
        for one in psutil.Process().children()
        if any("advisor.distributed.worker" in part for part in one.cmdline())
    ]
    return sorted(found, key=lambda one: one.pid)


def ended_by(job: Job, what: Callable[[list[psutil.Process]], None]) -> tuple[Results, float]:
    """The results of a job to whose processes something is done while they train the last strategy, and the seconds until all
    had ended."""
    done: list[float] = []

    def hear(message: Message) -> None:
        if isinstance(message, Progress) and message.strategy == job.strategies[-1] and not done:
            done.append(time.monotonic())
            what(children())

    results = run(job, hear=hear)
    assert done, results.failed
    return results, time.monotonic() - done[0]


def job(*strategies: str, **changed: object) -> Job:
    settings = {"workers": 2, "seconds": 60.0, "calibrates": False, **changed}
    return Job(TASK, strategies, **settings)  # type: ignore[arg-type]


def send(rank: int, number: signal.Signals) -> Callable[[list[psutil.Process]], None]:
    return lambda ranks: os.kill(ranks[rank].pid, number)


CASES = {
    "a worker that is killed": ("asynchronous", 1, signal.SIGKILL, "Worker 2 was ended by SIGKILL"),
    "a server that is killed": ("asynchronous", 2, signal.SIGKILL, "The server was ended by SIGKILL"),
    "a worker that is suspended": ("synchronous", 1, signal.SIGSTOP, "Worker 2 was suspended"),
    "a server that is suspended": ("stale_synchronous", 2, signal.SIGSTOP, "The server was suspended"),
    "the first of those in step": ("synchronous", 0, signal.SIGKILL, "Worker 1 was ended by SIGKILL"),
    "one that shares weights": ("sharded", 1, signal.SIGKILL, "Worker 2 was ended by SIGKILL"),
    "a stage of a pipeline": ("pipeline", 0, signal.SIGKILL, "Worker 1 was ended by SIGKILL"),
    "a crash": ("mixed_asynchronous", 1, signal.SIGSEGV, "Worker 2 was ended by SIGSEGV"),
    "a polite end": ("local_sgd", 1, signal.SIGTERM, "Worker 2 was ended by SIGTERM"),
}
QUICK = ("a worker that is suspended",)


@pytest.mark.parametrize(
    "case", [name if name in QUICK else pytest.param(name, marks=pytest.mark.thorough) for name in CASES]
)
def test_one_that_is_lost_ends_everything(case: str) -> None:
    strategy, rank, number, said = CASES[case]
    results, seconds = ended_by(job(strategy), send(rank, number))
    assert results.failed.startswith(f"{said} while it trained ({strategy}), "), results.failed
    assert results.failed.endswith((" gradients in.", " updates in."))
    assert seconds < WITHIN
    assert results.under_way is not None
    assert results.under_way.examples > 0
    assert children() == []


def test_what_was_finished_is_kept() -> None:
    results, seconds = ended_by(job("local_sgd", "asynchronous", seconds=0.8), send(1, signal.SIGKILL))
    assert seconds < WITHIN
    assert children() == []
    assert [one.strategy for one in results.runs] == ["local_sgd"]
    assert results.runs[0].curve[-1].loss < results.runs[0].curve[0].loss
    assert results.failed.startswith("Worker 2 was ended by SIGKILL")


def test_a_loss_that_is_no_number_is_said() -> None:
    diverging = replace(TASK, loss="mse", rate=1e4)
    results = run(replace(job("synchronous"), task=diverging))
    assert "was no number any more, while it trained (synchronous)" in results.failed
    assert results.runs == ()
    assert children() == []


@pytest.mark.thorough
def test_strategies_go_on_after_one_that_diverges() -> None:
    steep = replace(TASK, loss="mse", rate=0.02)
    strategies = ("local_sgd", "gradient_accumulation:every=2000", "asynchronous")  # 2000 gradients are added up
    results = run(replace(job(*strategies, seconds=20.0), task=steep), until=time.monotonic() + 20.0)
    assert results.failed == ""
    assert [one.strategy for one in results.runs] == ["local_sgd", "asynchronous"]
    first, second = (one.seconds for one in results.runs)
    assert second == pytest.approx(first, abs=0.3), "with the same seed, in the new processes too"
    assert [one.strategy for one in results.undone] == ["gradient_accumulation:every=2000"]
    assert "no number" in results.undone[0].why


@pytest.mark.thorough
def test_strategies_go_on_after_one_that_the_network_does_not_fit() -> None:
    lstm = Task("lstm", "time_series", 2, 3, (8,), 6, most_examples=500)
    results = run(replace(job("pipeline", "synchronous", seconds=0.5), task=lstm))
    assert [one.strategy for one in results.runs] == ["synchronous"]
    assert "ffn" in results.undone[0].why
    assert results.failed == ""


@pytest.mark.thorough
def test_one_after_the_other_that_diverges_ends_everything() -> None:
    results = run(replace(job("synchronous", "asynchronous", "local_sgd"), task=replace(TASK, loss="mse", rate=1e4)))
    assert "while it trained (asynchronous)" in results.failed
    assert [one.strategy for one in results.undone] == ["synchronous"]


_PRETENDS = """
import json, sys, time
from advisor.distributed.launching.pulse import Phase, Pulse
told = json.loads(sys.stdin.readline())
rank, pulse = told["rank"], Pulse(told["pulse"], told["ranks"])
pulse.enter(rank, Phase[sys.argv[1]])
if rank == 1:
    pulse.beat(rank, 1)
    pulse.beat(rank, 2)
    while sys.argv[2] == "computes":
        pass
with pulse.waiting(0) if rank == 0 else open("/dev/null"):
    time.sleep(60)
"""
"""Two processes that enter a phase; there the first waits for the second, which hangs."""
_HANGS = """
import time
from advisor.distributed import worker
from advisor.distributed.running import session

def hang(*arguments):
    time.sleep({seconds})
    while True:
        pass

{instead}
worker.main()
"""
"""The true worker, in which a part of the work hangs."""
_POINTS = {
    Phase.STARTING: "before training began.",
    Phase.READING: "while it read the examples.",
    Phase.CALIBRATING: "while its steps and exchanges were timed.",
    Phase.PREPARING: "before it trained (synchronous).",
    Phase.TRAINING: "while it trained (synchronous), 2 gradients in.",
    Phase.JUDGING: "while it looked at held-out examples (synchronous).",
}


@pytest.mark.parametrize("phase", [*_POINTS])
def test_one_that_hangs_is_named_in_every_phase(phase: Phase, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("advisor.distributed.launching.watching._BEYOND", 0.3)
    results = run(job("synchronous", timeout=0.5), command=[sys.executable, "-c", _PRETENDS, phase.name, "sleeps"])
    assert results.failed.startswith("Worker 2 did nothing for 1 s ")
    assert results.failed.endswith(_POINTS[phase])


def test_one_that_computes_without_end_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("advisor.distributed.launching.watching._BEYOND", 0.3)
    results = run(job("synchronous", timeout=0.5), command=[sys.executable, "-c", _PRETENDS, "JUDGING", "computes"])
    assert "without getting any further while it looked at held-out examples (synchronous)." in results.failed


_CASES_OF_HANGING = {
    "reading": ("session.prepared = hang", 1e6, "Worker 1 did nothing for "),
    "calibrating": (
        "true = session.calibrated\nsession.calibrated = lambda *a: hang() if a[2].rank == 1 else true(*a)",
        1e6,
        "Worker 2 did nothing for ",
    ),
    "judging": ("session.judged = hang", 1e6, "Worker 1 did nothing for "),
    "judging without end": ("session.judged = hang", 0, "Worker 1 worked for "),
}


@pytest.mark.thorough
@pytest.mark.parametrize("case", [*_CASES_OF_HANGING])
def test_a_true_worker_that_hangs_is_named_and_what_was_measured_is_kept(case: str) -> None:
    instead, seconds, said = _CASES_OF_HANGING[case]
    code = _HANGS.format(instead=instead, seconds=seconds)
    hanging = replace(
        job("local_sgd", "synchronous", seconds=1.0, calibrates=True, timeout=4.0), task=replace(TASK, data=DIGITS)
    )
    begun: list[float] = []
    results = run(hanging, hear=lambda _: begun.append(time.monotonic()), command=[sys.executable, "-c", code])
    assert results.failed.startswith(said), results.failed
    assert children() == []
    if case != "reading":
        assert results.ready is not None
        assert time.monotonic() - begun[-1] < WITHIN


@pytest.mark.thorough
def test_a_worker_that_answers_nobody_is_named() -> None:
    results = run(job("synchronous", straggler=1e6, timeout=2.0))
    assert results.failed.startswith("Worker 2 answered nobody for "), results.failed
    assert children() == []


def test_it_is_stopped_by_hand() -> None:
    stop = Stop()
    stop.everything()
    assert run(job("synchronous"), stop=stop).failed == STOPPED
    assert children() == []


@pytest.mark.thorough
def test_an_error_of_who_listens_ends_everything() -> None:
    def hear(message: Message) -> None:
        raise KeyError(type(message).__name__)

    with pytest.raises(KeyError):
        run(job("synchronous"), hear=hear)
    assert children() == []


def test_a_program_that_talks_nonsense_is_ended() -> None:
    results = run(job("synchronous"), command=["/bin/echo", "nonsense"])
    assert "no message" in results.failed or "status 0" in results.failed


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"workers": 0}, "workers"),
        ({"seconds": -1.0}, "seconds"),
        ({"straggler": 0.5}, "straggler"),
        ({"seeds": ()}, "seeds"),
        ({"precision": "float8"}, "precision"),
    ],
)
def test_a_job_that_is_not_right_is_refused(changed: dict[str, object], said: str) -> None:
    with pytest.raises(InputError, match=said):
        run(job("synchronous", **changed))


@pytest.mark.parametrize(
    ("strategy", "said"),
    [
        ("pipeline:stages=3", "3 stages need as many workers"),
        ("mixed:groups=5", "5 groups need as many workers"),
        ("backup_workers:backups=2", "at most 1 can be backups"),
    ],
)
def test_a_strategy_that_needs_more_workers_is_refused(strategy: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        run(job(strategy))


def test_more_workers_than_processors_share_them_and_that_is_said() -> None:
    there = sorted(os.sched_getaffinity(0))
    processors, notes = processors_for(job("asynchronous", workers=len(there) + 1))
    assert len(processors) == len(there) + 2  # and the server
    assert processors[0] == processors[len(there)] == (there[0],)
    assert "share" in notes[0]
    assert processors_for(job("synchronous", workers=1))[1] == ()
