from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from advisor.training.loop.schedules import factor, schedule
from advisor.training.recipe import SCHEDULES

names = st.sampled_from(SCHEDULES)


def rates(name: str, steps: int, warmup: int = 0, peak: float = 0.1) -> list[float]:
    """The learning rate of every step, as an optimiser sees it."""
    optimizer = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=peak)
    plan = schedule(name, optimizer, steps, warmup)
    seen = []
    for _ in range(steps):
        seen.append(optimizer.param_groups[0]["lr"])
        optimizer.step()
        plan.step()
    return seen


def test_constant_stays() -> None:
    assert rates("constant", 4) == [0.1] * 4


def test_linear_falls_by_the_same_amount_every_step() -> None:
    assert rates("linear", 4) == pytest.approx([0.1, 0.075, 0.05, 0.025])


def test_cosine_is_at_half_in_the_middle_and_flat_at_both_ends() -> None:
    shares = rates("cosine", 100, peak=1.0)
    assert shares[50] == pytest.approx(0.5)
    assert shares[0] - shares[1] < 0.001
    assert shares[-1] < 0.001


def test_step_is_divided_by_ten_twice() -> None:
    assert rates("step", 8, peak=1.0) == pytest.approx([1.0] * 4 + [0.1] * 2 + [0.01] * 2)


def test_warmup_stable_decay_falls_over_the_last_fifth_only() -> None:
    shares = rates("warmup_stable_decay", 10, warmup=0, peak=1.0)
    assert shares == pytest.approx([1.0] * 9 + [0.5])


def test_one_cycle_rises_over_three_tenths_and_then_falls() -> None:
    shares = rates("one_cycle", 100, peak=1.0)
    assert shares[0] == pytest.approx(0.04)
    assert shares.index(max(shares)) == 30
    assert shares[:31] == sorted(shares[:31])
    assert shares[30:] == sorted(shares[30:], reverse=True)
    assert shares[-1] < 0.001


def test_the_warm_up_rises_in_a_line_and_never_begins_at_zero() -> None:
    assert rates("constant", 6, warmup=4, peak=1.0) == pytest.approx([0.2, 0.4, 0.6, 0.8, 1.0, 1.0])


@given(names, st.integers(1, 500), st.integers(0, 600))
def test_the_rate_stays_between_zero_and_what_was_given(name: str, steps: int, warmup: int) -> None:
    shares = [factor(name, step, steps, warmup) for step in range(steps + 2)]
    assert all(0 <= share <= 1 for share in shares)
    assert shares[0] > 0


@given(names, st.integers(20, 500), st.integers(0, 10))
def test_every_schedule_reaches_nearly_the_whole_rate(name: str, steps: int, warmup: int) -> None:
    assert max(factor(name, step, steps, warmup) for step in range(steps)) > 0.95
