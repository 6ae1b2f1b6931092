"""The acted link of a parameter server: what its workers send at once waits for each other, as on one real link."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest

from advisor.distributed.job import Job
from advisor.distributed.launching.launch import run
from advisor.distributed.task import Task
from advisor.distributed.wires.links import Links, links
from advisor.distributed.wires.pacing import Pace, ServerLink, Way

MESSAGES = 5
SECONDS = 0.02
"""Of each message."""


def workers(folder: Path, *ways: tuple[Way, ...]) -> float:
    """The seconds in which workers, each with the file open by itself, exchange so many messages in these directions."""

    def exchange(pace: Pace, mine: tuple[Way, ...]) -> None:
        for _ in range(MESSAGES):
            for way in mine:
                pace.wait_at_server(1000, way)

    threads = [
        threading.Thread(target=exchange, args=(Pace(1000 / SECONDS, 0.0, ServerLink(folder / "link")), mine))
        for mine in ways
    ]
    begun = time.monotonic()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return time.monotonic() - begun


@pytest.mark.parametrize("count", [1, 2, 3])
def test_what_workers_push_takes_as_long_as_through_one_link(tmp_path: Path, count: int) -> None:
    assert workers(tmp_path, *[(Way.TO_SERVER,)] * count) >= count * MESSAGES * SECONDS * 0.999


def test_the_two_directions_do_not_wait_for_each_other(tmp_path: Path) -> None:
    both = min(workers(tmp_path, (Way.TO_SERVER,), (Way.FROM_SERVER,)) for _ in range(3))
    assert MESSAGES * SECONDS * 0.999 <= both < 2 * MESSAGES * SECONDS


def test_a_rest_is_not_made_up_for(tmp_path: Path) -> None:
    link = ServerLink(tmp_path / "link")
    link.reserved(Way.TO_SERVER, 0.001)
    time.sleep(0.05)
    now = time.monotonic()
    assert link.reserved(Way.TO_SERVER, 2.0) == pytest.approx(now + 2.0, abs=0.04)


def test_the_latency_of_one_message_does_not_keep_the_next(tmp_path: Path) -> None:
    pace, begun = Pace(1e6, 0.03, ServerLink(tmp_path / "link")), time.monotonic()
    pace.wait_at_server(10_000, Way.TO_SERVER)
    assert time.monotonic() - begun >= 0.04
    assert pace.server is not None
    assert pace.server.reserved(Way.TO_SERVER, 0.0) <= time.monotonic()


def test_without_a_shared_link_a_message_waits_for_no_other() -> None:
    pace, begun = Pace(1e6, 0.01), time.monotonic()
    pace.wait_at_server(10_000, Way.FROM_SERVER)
    assert time.monotonic() - begun >= 0.02


@pytest.mark.thorough
def test_three_workers_push_as_often_as_one_link_carries() -> None:
    job = Job(Task("ffn", "tabular", 12, 4, (16, 16), batch=8), ("asynchronous",), 3, seconds=2.0, calibrates=False)
    with links(4, None, 0) as local:
        results = run(job, links=Links(local.places, "acted", Pace(5e4, 0.0)))
    assert results.failed == ""
    (one,) = results.runs
    each_way = one.bytes / 2 / one.seconds
    assert each_way < 1.1 * 5e4  # without waiting for each other they would reach 1.5 times as much
