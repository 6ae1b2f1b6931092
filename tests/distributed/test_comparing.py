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
    same = [falling(10), falling(20), falling(30)]
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


def ratios_of(*ratios: float, among: float = 10.0) -> list[list[tuple[float, float]]]:
    """Curves that come to the loss so many times as fast as those of `among`, seed by seed."""
    return [falling(among / ratio) for ratio in ratios]


BASE = [falling(10)] * 3


def test_two_pairs_decide_nothing_and_three_do() -> None:
    for count, verdict in ((2, Verdict.UNDECIDED), (3, Verdict.OVERTURNED)):
        found = compared({"synchronous": BASE[:count], "local_sgd": ratios_of(2, 2.01, 2.02)[:count]}, "synchronous")
        assert found.standings[0].verdict is verdict
        assert found.best.strategy == ("local_sgd" if verdict is Verdict.OVERTURNED else "synchronous")


def test_a_difference_that_one_rival_would_show_is_not_shown_by_the_best_of_many() -> None:
    near = ratios_of(1.33, 1.42, 1.52)
    one = compared({"synchronous": BASE, "local_sgd": near}, "synchronous")
    assert one.best.strategy == "local_sgd"
    others = {name: ratios_of(0.9, 1.1, 1.02) for name in ("asynchronous", "downpour", "diloco")}
    many = compared({"synchronous": BASE, "local_sgd": near, **others}, "synchronous")
    local = next(each for each in many.standings if each.strategy == "local_sgd")
    assert (local.ratio, local.verdict) == (one.best.ratio, Verdict.UNDECIDED)
    assert many.best.strategy == "synchronous"


def test_one_that_is_shown_does_not_win_over_one_that_may_be_faster_still() -> None:
    found = compared(
        {"synchronous": BASE, "delay_compensated": ratios_of(1.2, 1.21, 1.22), "local_sgd": ratios_of(1.2, 2.1, 3.6)},
        "synchronous",
    )
    assert [one.strategy for one in found.level] == ["delay_compensated"]
    assert found.faster_still is not None
    assert found.faster_still.strategy == "local_sgd"
    assert found.best.strategy == "synchronous"


def test_those_that_cannot_be_told_apart_are_level_and_the_first_declared_stands_for_them() -> None:
    curves = {
        "synchronous": BASE, "asynchronous": ratios_of(2.0, 2.02, 2.04), "local_sgd": ratios_of(1.99, 2.0, 2.03),
        "diloco": ratios_of(1.5, 1.51, 1.52),
    }  # fmt: skip
    found = compared(curves, "synchronous")
    assert [one.strategy for one in found.level] == ["local_sgd", "asynchronous"], (
        "diloco is shown to be slower than both"
    )
    assert found.best.strategy == "local_sgd"
    assert compared(dict(reversed(curves.items())), "synchronous").best.strategy == "local_sgd"


def test_one_worker_alone_is_no_rival() -> None:
    found = compared(
        {"synchronous": BASE, "local_sgd": ratios_of(2, 2.01, 2.02)}, "synchronous", ratios_of(5, 5.01, 5.02)
    )
    assert found.alone is not None
    assert found.alone.verdict is Verdict.OVERTURNED
    assert found.best.strategy == "local_sgd"
    assert {one.strategy for one in found.standings} == {"synchronous", "local_sgd"}
    assert (
        next(one for one in found.standings if one.ratio).probability
        == next(
            one
            for one in compared({"synchronous": BASE, "local_sgd": ratios_of(2, 2.01, 2.02)}, "synchronous").standings
            if one.ratio
        ).probability
    ), "it takes no share of the correction"


def test_with_a_doubt_nothing_is_decided() -> None:
    found = compared(
        {"synchronous": BASE, "local_sgd": ratios_of(2, 2.01, 2.02)}, "synchronous", BASE, "They were busy."
    )
    assert found.best.strategy == "synchronous"
    assert {one.verdict for one in found.standings if one.ratio} == {Verdict.UNDECIDED}
    assert found.alone is not None
    assert found.alone.verdict is Verdict.UNDECIDED


@given(st.lists(st.lists(st.floats(0.5, 4), min_size=3, max_size=3), min_size=2, max_size=5))
def test_more_rivals_never_make_one_more_certain(ratios: list[list[float]]) -> None:
    names = [f"rival{number}" for number in range(len(ratios))]
    curves = {name: ratios_of(*own) for name, own in zip(names, ratios, strict=True)}
    all_ = compared({"synchronous": BASE, **curves}, "synchronous")
    for name, own in curves.items():
        single = compared({"synchronous": BASE, name: own}, "synchronous")
        before, now = (next(one for one in each.standings if one.strategy == name) for each in (single, all_))
        assert before.ratio == now.ratio
        if before.probability is not None:
            assert now.probability is not None
            assert now.probability >= before.probability
