"""One thread or all: the faster on the machine at hand, as it is loaded now."""

from __future__ import annotations

import numpy
import pytest

from advisor.training.child.threads import chosen, faster, products


@pytest.mark.parametrize(("alone", "together", "taken"), [(1.0, 0.5, 8), (1.0, 0.95, 1), (1.0, 1.0, 1), (1.0, 30.0, 1)])
def test_several_threads_are_taken_only_where_they_are_clearly_faster(
    alone: float, together: float, taken: int
) -> None:
    assert chosen({1: alone, 8: together}) == taken


def test_who_may_use_one_thread_times_nothing() -> None:
    def work() -> None:
        raise AssertionError("not to be done")

    assert faster(1, work) == 1


def test_work_is_done_with_one_thread_and_with_all_in_turn() -> None:
    done: list[int] = []

    assert faster(4, lambda: done.append(1)) in (1, 4)
    assert len(done) == 4


def test_products_of_inputs_and_weights_are_timed_for_long_enough() -> None:
    tiny = products(numpy.ones((10, 3), numpy.float32), 2)()
    large = products(numpy.ones((40_000, 100), numpy.float32), 9)()

    assert isinstance(tiny, list)
    assert isinstance(large, list)
    assert len(tiny) > len(large) >= 1
