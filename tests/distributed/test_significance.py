"""Student's distribution and Holm's correction, as scipy and statsmodels have them."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from advisor.distributed.significance import beyond, holm, probability_above

multitest = pytest.importorskip("statsmodels.stats.multitest")


@given(st.floats(-1e4, 1e4), st.integers(1, 60))
def test_students_distribution_is_that_of_scipy(t: float, freedom: int) -> None:
    assert beyond(t, freedom) == pytest.approx(stats.t.sf(t, freedom), abs=1e-12)


@pytest.mark.parametrize("t", [math.inf, -math.inf])
def test_beyond_all_bounds_is_nothing_or_everything(t: float) -> None:
    assert beyond(t, 3) == (0.0 if t > 0 else 1.0)


@given(st.lists(st.floats(-10, 10), min_size=2, max_size=12), st.floats(-5, 5))
def test_a_mean_above_a_bound_is_tested_as_scipy_does(values: list[float], bound: float) -> None:
    if max(values) - min(values) < 1e-3:
        return
    expected = stats.ttest_1samp(values, bound, alternative="greater").pvalue
    assert probability_above(values, bound) == pytest.approx(expected, abs=1e-9)


def test_values_without_any_spread_are_above_or_not() -> None:
    assert probability_above([2.0, 2.0], 1.0) == 0.0
    assert probability_above([2.0, 2.0], 2.0) == 1.0
    assert probability_above([2.0], 1.0) == 1.0, "one value shows nothing"


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_holms_correction_is_that_of_statsmodels(probabilities: list[float]) -> None:
    expected = multitest.multipletests(probabilities, method="holm")[1]
    assert holm(probabilities) == pytest.approx(list(expected))
