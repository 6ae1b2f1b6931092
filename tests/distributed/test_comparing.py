"""Strategies are compared by when they come to a loss, seed by seed."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.distributed.comparing import compared, geometric, goal_of, seconds_to
from advisor.facts.verdict import Verdict


def falling(scale: float, *, to: float = 1.0, last: float = 100.0) -> list[tuple[float, float]]:
    """A loss that falls from 3 in proportion to e^(-t/scale)."""
    return [(at, to + (3 - to) * math.exp(-at / scale)) for at in (last * n / 50 for n in range(51))]


def test_the_goal_is_nine_tenths_of_the_way() -> None:
    assert goal_of([[(0, 2.0), (1, 1.0)], [(0, 4.0), (1, 1.0), (2, 3.0)]]) == pytest.approx(3 - 0.9 * 2)


def test_the_time_lies_on_the_line_between_two_points() -> None:
    curve = [(0.0, 4.0), (10.0, 2.0), (20.0, 1.0)]
    assert seconds_to(curve, 3.0) == 5.0
    assert seconds_to(curve, 1.0) == 20.0
    assert seconds_to(curve, 4.5) == 0.0
    assert seconds_to(curve, 0.5) is None


def test_a_strategy_twice_as_fast_overturns_the_plan() -> None:
    slow = [falling(scale) for scale in (9.5, 10.0, 10.5)]
    fast = [falling(scale / 2) for scale in (9.5, 10.0, 10.5)]
    found = compared({"synchronous": slow, "local_sgd": fast}, "synchronous")
    assert found.best.strategy == "local_sgd"
    assert found.best.verdict is Verdict.OVERTURNED
    assert found.best.ratio is not None
    assert found.best.ratio.value == pytest.approx(2, rel=0.02)
    assert [one.strategy for one in found.standings] == ["local_sgd", "synchronous"]


def test_a_slower_one_confirms_it() -> None:
    found = compared({"a": [falling(10), falling(11), falling(12)], "b": [falling(30), falling(33), falling(36)]}, "a")
    assert found.best.strategy == "a"
    assert found.rival is not None
    assert found.rival.verdict is Verdict.CONFIRMED


def test_the_same_curves_are_no_difference() -> None:
    same = [falling(10), falling(20)]
    found = compared({"a": same, "b": same}, "a")
    assert found.rival is not None
    assert found.rival.verdict is Verdict.NO_DIFFERENCE


def test_one_seed_decides_nothing() -> None:
    found = compared({"a": [falling(10)], "b": [falling(1)]}, "a")
    assert found.best.strategy == "a"
    assert found.standings[0].verdict is Verdict.UNDECIDED


def test_who_never_comes_there_is_slower_and_has_no_ratio() -> None:
    stuck = [falling(10, to=2.0)] * 3
    found = compared({"a": [falling(10)] * 3, "b": stuck}, "a")
    last = found.standings[-1]
    assert (last.strategy, last.reached, last.typical, last.ratio) == ("b", 0, None, None)
    assert last.verdict is Verdict.CONFIRMED


def test_who_comes_there_with_some_seeds_only_is_undecided() -> None:
    found = compared({"a": [falling(10)] * 3, "b": [falling(1), falling(1), falling(10, to=2.5)]}, "a")
    assert next(one for one in found.standings if one.strategy == "b").verdict is Verdict.UNDECIDED


@given(st.lists(st.floats(0.01, 100), min_size=2, max_size=40))
def test_the_interval_holds_the_mean_and_turns_with_the_ratio(ratios: list[float]) -> None:
    found, turned = geometric(ratios), geometric([1 / ratio for ratio in ratios])
    assert found.low <= found.value * (1 + 1e-9)
    assert found.value <= found.high * (1 + 1e-9)
    assert turned.value == pytest.approx(1 / found.value)
    assert turned.high == pytest.approx(1 / found.low)
