"""Alpha and the rate of an exchange."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.cluster.fitting import alpha_and_rate

SIZES = (4096.0, 32768.0, 262144.0, 2097152.0)


@given(st.floats(1e-6, 1.0), st.floats(1e5, 1e11))
def test_an_exact_line_is_found(alpha: float, rate: float) -> None:
    found_alpha, found_rate = alpha_and_rate([(size, alpha + size / rate) for size in SIZES])
    assert found_rate is None or found_rate == pytest.approx(rate, rel=1e-2) or SIZES[-1] / rate < 1e-3 * alpha
    assert found_alpha == pytest.approx(alpha, rel=1e-3, abs=1e-9)


def test_small_sizes_count_as_much_as_large_ones() -> None:
    """Where the largest takes ten times as long as a line would have it, the latency is still that of small ones."""
    samples = [(4096.0, 1.0e-3), (8192.0, 1.0e-3), (16384.0, 1.0e-3), (1e8, 1.0)]
    alpha, rate = alpha_and_rate(samples)
    assert alpha == pytest.approx(1e-3, rel=0.1)
    assert rate == pytest.approx(1e8, rel=0.1)


def test_where_more_bytes_take_no_longer_there_is_no_rate() -> None:
    assert alpha_and_rate([(1e3, 0.002), (1e6, 0.002)]) == (0.002, None)
    assert alpha_and_rate([(1e3, 0.002), (1e6, 0.001)])[1] is None
    assert alpha_and_rate([(1e3, 0.002)]) == (0.002, None)


def test_a_latency_is_never_below_zero() -> None:
    alpha, rate = alpha_and_rate([(1e6, 0.5e-3), (1e7, 10e-3), (1e8, 110e-3)])
    assert alpha == 0
    assert rate is not None
    assert 0.8e9 < rate < 2.1e9
