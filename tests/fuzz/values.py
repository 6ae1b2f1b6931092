"""Values in place of a value: of the same kind most times, so that the file is still read to its end."""

from __future__ import annotations

import re

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from .marks import HOSTILE

_NUMBER = re.compile(r"-?\d[\d_,]*(\.\d+)?([eE][+-]?\d+)?")
INTEGERS = (0, 1, -1, 2, 3, 7, 10, 64, 100, 255, 256, 1000, 65_535, 2**31 - 1, 2**31, 2**53, 2**53 + 1, 2**63 - 1, 2**63,
            2**64, 10**18, 10**30, 10**400, -(2**63))  # fmt: skip
FLOATS = (0.0, -0.0, 0.5, 1.0, 1.5, -1.0, 1e-9, 5e-324, 1e9, 1e30, 1.7976931348623157e308, 0.1, 99.999_999, 1 / 3)
NUMBER_TEXTS = ("1e9", "1E+9", "1e999", "1e-999", "0x10", "0b1", "010", "1_000", "1,000", "+5", "５", "٣", "²", "½", "Ⅷ",
                ".5", "5.", "-0", "1e5000000", "9" * 400, "9" * 5_000, "inf", "-inf", "nan", "1/2", "10%", "50 %", "2 GB",
                "16 GiB", "10 Gbit/s", "50k", "2M", "3 h", "1e3 GB", "5 parsecs", "2026-11-21", "12:30:45", "1 2")  # fmt: skip


def numbers(value: float) -> SearchStrategy[float]:
    """Numbers near one, at the boundaries of machines, and far away."""
    if isinstance(value, int):
        near = st.integers(value - 2, value + 2) | st.sampled_from([value * 2, value // 2, value * 10, -value])
        return near | st.sampled_from(INTEGERS[:16]) | near | st.sampled_from(INTEGERS)
    near = st.sampled_from([value * f for f in (0.5, 0.999, 1.001, 2.0, 10.0, -1.0)])
    return near | st.sampled_from(FLOATS) | st.floats(allow_nan=False, allow_infinity=False)


@st.composite
def texts(draw: DrawFn, value: str) -> str:
    """A text with something changed in it: its number, a character, its length; or another one."""
    found = _NUMBER.search(value)
    if found and draw(st.integers(0, 3)) < 3:
        put = draw(number_texts(found.group()))
        return value[: found.start()] + put + value[found.end() :]
    kind = draw(st.integers(0, 9))
    if kind < 3:
        return draw(st.sampled_from(HOSTILE))
    if kind < 5:
        return draw(st.text(max_size=20))
    place = draw(st.integers(0, len(value)))
    if kind < 7:
        return value[:place] + draw(st.sampled_from(HOSTILE)) + value[place:]
    if kind < 8:
        return value[:place]
    if kind < 9:
        return value.swapcase() if draw(st.booleans()) else f" {value} "
    return value[:place] + draw(st.characters()) + value[place + 1 :]


@st.composite
def number_texts(draw: DrawFn, value: str) -> str:
    """How a number may be written in place of another."""
    if draw(st.integers(0, 2)) == 0:
        return draw(st.sampled_from(NUMBER_TEXTS))
    plain = value.replace(",", "").replace("_", "")
    try:
        number: float = int(plain)
    except ValueError:
        number = float(plain)
    return str_of(draw(numbers(number)))


def str_of(number: float) -> str:
    """A number in digits, of which Python writes no more than 4,300 at once."""
    return f"{number}" if isinstance(number, float) or abs(number) < 10**4000 else "9" * 4500
