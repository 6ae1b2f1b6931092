"""A worker that is made slower: by as much as was asked for, until the block ends."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator

import psutil
import pytest

from advisor.children.errors import CannotRunError
from advisor.errors import InputError
from tests.distributed.load import straggler

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells how long a process has computed")
FACTOR = 4.0
_COMPUTES = """
import json, sys, time
for line in sys.stdin:
    begun, used = time.monotonic(), time.thread_time()
    while time.thread_time() - used < 0.15:
        sum(range(1000))
    print(json.dumps((time.monotonic() - begun) / (time.thread_time() - used)), flush=True)
"""


class Worker:
    """A process that computes for a while when it is told to."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-Sc", _COMPUTES], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def computes(self) -> float:
        """How many times as long as it ran."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write("go\n")
        self.process.stdin.flush()
        return float(json.loads(self.process.stdout.readline()))


@pytest.fixture
def worker() -> Iterator[Worker]:
    made = Worker()
    yield made
    made.process.kill()
    made.process.communicate()


def test_computing_takes_so_many_times_as_long(worker: Worker) -> None:
    """A busy machine can make it slower still, but no faster."""
    worker.computes()
    with straggler(worker.process.pid, FACTOR):
        slowed = [worker.computes() for _ in range(3)]
    assert FACTOR * 0.85 < min(slowed) < FACTOR * 2
    assert min(worker.computes() for _ in range(3)) < min(slowed)


def test_waiting_takes_no_longer(worker: Worker) -> None:
    worker.computes()
    with straggler(worker.process.pid, 20.0):
        time.sleep(0.05)
        looks = {psutil.Process(worker.process.pid).status() for _ in range(20)}
    assert looks == {psutil.STATUS_SLEEPING}


def test_a_worker_goes_on_when_the_block_ends_while_it_is_stopped(worker: Worker) -> None:
    assert worker.process.stdin is not None
    with straggler(worker.process.pid, 100.0):
        worker.process.stdin.write("go\n")
        worker.process.stdin.flush()
        until = time.monotonic() + 5
        while psutil.Process(worker.process.pid).status() != psutil.STATUS_STOPPED and time.monotonic() < until:
            time.sleep(0.001)
    assert psutil.Process(worker.process.pid).status() != psutil.STATUS_STOPPED


def test_a_worker_that_is_killed_meanwhile_is_no_error(worker: Worker) -> None:
    with straggler(worker.process.pid, 2.0):
        os.kill(worker.process.pid, signal.SIGKILL)
        worker.process.wait()
        time.sleep(0.05)


def test_a_factor_of_one_starts_nothing(worker: Worker) -> None:
    before = set(psutil.Process().children())
    with straggler(worker.process.pid, 1.0):
        assert set(psutil.Process().children()) == before


def test_what_cannot_be_is_told() -> None:
    with pytest.raises(InputError, match=r"straggler: 0.5 is not between 1 and 100. For example 2."), straggler(1, 0.5):
        pass
    with pytest.raises(CannotRunError, match="process 4194303 cannot be slowed down"), straggler(4194303, 2.0):
        pass
