"""Simulating in a process of its own: what it says, and how it ends."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest

from advisor.children.command import Command, module_command
from advisor.children.errors import CannotRunError, NonsenseError
from advisor.children.supervise import Limits
from advisor.distributed.strategies import DECLARED
from advisor.distributed.task import DIGITS, Task
from advisor.errors import InputError
from advisor.simulation.request import MESSAGES, Found, Progress, Request, read_request, request_line
from advisor.simulation.running import LateError, StoppedError, simulate, simulate_all
from advisor.simulation.scenario import Faults, Link
from advisor.simulation.timing import timing
from tests.simulation.made import scenario

TASK = Task("ffn", "tabular", 64, 10, hidden_units=(8,), data=DIGITS, rate=0.05)


def child(script: str) -> Command:
    return module_command("", instead=[sys.executable, "-c", f"import os, sys, time\n{script}"])


def test_a_child_finds_what_is_found_here() -> None:
    asked = scenario("local_sgd:every=3", 5, 20, "gamma:1s:0.3", link=Link(1e6, 0.01), message_bytes=1000)
    assert simulate(asked, seconds=60) == timing(asked)


def test_a_child_learns_and_tells_how_far_it_is() -> None:
    shares: list[float] = []
    result = simulate(
        scenario("asynchronous", 8, 200, "exponential:1s", batch=8), TASK, seconds=120, tell=shares.append
    )
    assert result.loss[-1][1] < result.loss[0][1]
    assert shares == sorted(shares)
    assert all(0 <= share <= 1 for share in shares)


@pytest.mark.parametrize("name", DECLARED)
def test_every_strategy_is_simulated(name: str) -> None:
    asked = scenario(name, 120, 60, "exponential:1s", link=Link(1e9, 1e-4), message_bytes=10**6, straggler=2.0)
    result = timing(asked)
    assert result.examples > 0
    assert 0 <= result.waiting_share < 1
    assert result.bytes > 0


def test_what_has_no_lesson_is_refused_by_its_name_from_the_folder_of_who_asks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match=str(tmp_path / "nowhere")):
        simulate(scenario("synchronous", 2, 3), Task("ffn", "tabular", 1, 1, data="nowhere.csv"), seconds=120)


def test_failures_that_let_nothing_be_done_are_refused() -> None:
    with pytest.raises(InputError, match="gets nowhere"):
        simulate(scenario("synchronous", 10, 100, faults=Faults(0.001, 1.0)), seconds=120)


def test_a_simulation_that_takes_too_long_is_ended() -> None:
    with pytest.raises(CannotRunError, match="not done within"):
        simulate(scenario("asynchronous", 10_000, 2000, "exponential:1s"), seconds=0.5)


def test_what_was_simulated_before_the_time_was_over_is_kept() -> None:
    short, endless = scenario("synchronous", 2, 10), scenario("asynchronous", 10_000, 2000, "exponential:1s")
    with pytest.raises(LateError) as caught:
        simulate_all([short, endless], seconds=10)
    assert caught.value.found == (timing(short),)


def test_somebody_can_stop_it() -> None:
    begun = time.monotonic()
    with pytest.raises(StoppedError):
        simulate(scenario("asynchronous", 10_000, 2000), seconds=600, stop=lambda: time.monotonic() - begun > 0.5)
    assert time.monotonic() - begun < 60


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("sys.exit('no such library')", "no such library"),
        ("os.kill(os.getpid(), 9)", "SIGKILL"),
        ("print('{}')\nsys.exit(0)", "status 0"),
        ("held = b'1' * 300_000_000; time.sleep(60)", "may take 100 MB"),
    ],
)
def test_a_child_that_fails_gives_its_reason(script: str, reason: str) -> None:
    limits = Limits(memory_bytes=100_000_000, poll_seconds=0.05)
    with pytest.raises(CannotRunError, match=reason):
        simulate(scenario("synchronous", 2, 3), seconds=60, command=child(script), limits=limits)


def test_requests_and_messages_survive_the_way() -> None:
    request = Request((scenario("powersgd", 2, 3, shapes=((2, 3),)),), TASK)
    assert read_request(request_line(request)) == request
    found = Found(timing(scenario("mixed", 4, 9, "exponential:1s")))
    assert MESSAGES.read(MESSAGES.line(found)) == found
    assert MESSAGES.read(MESSAGES.line(Progress(0.5))) == Progress(0.5)
    with pytest.raises(NonsenseError):
        MESSAGES.read(b'{"type": "Found", "result": {"strategy": 1}}')
    with pytest.raises(InputError, match="workers"):
        read_request(request_line(request).replace(b'"workers": 2', b'"workers": 0'))


@pytest.mark.thorough
@pytest.mark.parametrize("name", DECLARED)
def test_a_thousand_workers_take_a_thousand_steps_in_time(name: str) -> None:
    begun = time.monotonic()
    asked = scenario(name, 1000, 1000, "exponential:1s", link=Link(1e9, 1e-4), message_bytes=10**6)
    simulate(asked, seconds=60)
    assert time.monotonic() - begun < 60
