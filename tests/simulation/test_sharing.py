"""Workers that share a core: processor sharing."""

from __future__ import annotations

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as some

from advisor.simulation.scenario import measured
from advisor.simulation.sharing import Core, together
from tests.properties import examples
from tests.simulation.made import found

TIMES = some.lists(some.floats(0, 10), min_size=1, max_size=6)


def test_two_on_a_core_take_turns() -> None:
    seconds = numpy.array([[1.0], [3.0], [2.0]])
    # Until 2 both on core 0 have had 1 s; then the second is alone.
    assert together(seconds, [0, 0, 1], 1.0).ravel().tolist() == [2.0, 4.0, 2.0]
    assert together(seconds, None, 1.0).ravel().tolist() == [1.0, 3.0, 2.0]


@examples(100)
@given(TIMES)
def test_a_core_does_all_its_work_without_a_rest(times: list[float]) -> None:
    done = together(numpy.array(times)[:, None], [0] * len(times), 1.0).ravel()
    assert done.max() == pytest.approx(sum(times))
    assert (numpy.diff(done[numpy.argsort(times)]) >= -1e-9).all()
    assert (done >= numpy.array(times) - 1e-9).all()


@examples(100)
@given(TIMES, some.sampled_from([1.0, 1.5, 3.0]))
def test_what_begins_together_is_done_as_foretold_event_by_event(times: list[float], straggler: float) -> None:
    core, last = Core(straggler), len(times) - 1
    for worker, seconds in enumerate(times):
        core.begin(5.0, 0, worker, seconds, slow=worker == last and straggler > 1)
    found_ = [0.0] * len(times)
    while (foretold := core.foretold()) is not None:
        at, _ = foretold
        _, worker = core.end(at)
        found_[worker] = at - 5.0
    expected = together(numpy.array(times)[:, None], [0] * len(times), straggler).ravel()
    assert found_ == pytest.approx(expected.tolist(), abs=1e-9)


@examples(100)
@given(TIMES, some.floats(1, 10))
def test_a_straggler_takes_no_more_than_its_share(times: list[float], straggler: float) -> None:
    """It rests, and the others have the core meanwhile: none is later than beside an even worker."""
    needed, cores = numpy.array(times)[:, None], [0] * len(times)
    done, even = together(needed, cores, straggler).ravel(), together(needed, cores, 1.0).ravel()
    assert (done[:-1] <= even[:-1] + 1e-9).all()
    assert straggler * times[-1] - 1e-9 <= done[-1] <= max(straggler, len(times)) * times[-1] + 1e-9


def test_who_comes_later_slows_down_who_is_there() -> None:
    core = Core()
    core.begin(0.0, 1, 0, 2.0)
    assert core.foretold() == (2.0, 1)
    core.begin(1.0, 2, 1, 0.5)
    assert core.foretold() == (2.0, 2)  # half of the core for half a second of work
    assert core.end(2.0) == (2, 1)
    assert core.foretold() == (2.5, 1)


@pytest.mark.parametrize(
    "name", ["synchronous", "asynchronous", "downpour", "stale_synchronous", "backup_workers", "mixed"]
)
def test_cores_of_their_own_change_nothing(name: str) -> None:
    shared = found(name, 6, 40, "exponential:1s", straggler=3.0, cores=(0, 1, 2, 3, 4, 5))
    alone = found(name, 6, 40, "exponential:1s", straggler=3.0)
    assert shared.worker_examples == alone.worker_examples
    assert shared.seconds == pytest.approx(alone.seconds, rel=1e-9)
    assert shared.waiting_share == pytest.approx(alone.waiting_share, abs=1e-9)


@pytest.mark.parametrize("name", ["synchronous", "asynchronous", "stale_synchronous:bound=0", "mixed", "local_sgd"])
def test_twice_as_many_workers_as_cores_are_half_as_fast(name: str) -> None:
    alone = found(name, 4, 40)
    shared = found(name, 4, 40, cores=(0, 0, 1, 1))
    assert shared.seconds == pytest.approx(2 * alone.seconds)
    assert shared.examples == alone.examples


def test_the_longer_time_of_a_straggler_loads_no_core() -> None:
    # It computes for a third of 3 s, and the other has the rest of the core.
    assert found("synchronous", 2, 10, cores=(0, 0), straggler=3.0).seconds == pytest.approx(30)
    result = found("asynchronous", 2, 100, cores=(0, 0), straggler=3.0)
    assert 200 / result.seconds == pytest.approx(1.0, rel=0.1)  # the core is nearly always busy


def test_who_needs_less_of_a_shared_core_comes_round_more_often() -> None:
    result = found("asynchronous", 2, 200, measured([[1.0], [3.0]]), cores=(0, 0))
    fast, slow = result.worker_examples
    assert fast / slow == pytest.approx(3, rel=0.05)
    assert result.waiting_share == pytest.approx(0, abs=1e-9)
