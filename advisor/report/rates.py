"""Rates for people: three digits, the interval in the same unit, and a bar for a share."""

from __future__ import annotations

from advisor.probes.outcome import Rate

_PREFIXES = ((1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))
PREFIXED = {"bytes": "B", "bytes/s": "B/s", "FLOP/s": "FLOP/s"}


def rate_words(rate: Rate) -> str:
    """`13.1 GB/s [12.9, 13.4]`, `214 GFLOP/s [210, 218]`, `1,240 steps/s [1,230, 1,260]`."""
    size, unit = scale(rate.median, rate.unit)
    low, high = (_digits(value / size) for value in (rate.low, rate.high))
    return f"{_digits(rate.median / size)} {unit} [{low}, {high}]"


def amount(value: float, unit: str) -> str:
    """`13.1 GB/s`."""
    size, name = scale(value, unit)
    return f"{_digits(value / size)} {name}"


def times(ratio: float, low: float, high: float) -> str:
    """`1.33x [1.26, 1.46]`."""
    return f"{multiple(ratio)} [{_two_places(low)}, {_two_places(high)}]"


def multiple(ratio: float) -> str:
    """`1.33x`."""
    return f"{_two_places(ratio)}x"


def bar(share: float, width: int, *, unicode: bool) -> str:
    """A bar of this many columns, filled as far as the share (0..1) goes."""
    full, empty = ("█", "░") if unicode else ("#", "-")
    filled = min(width, max(0, round(share * width)))
    return full * filled + empty * (width - filled)


def scale(value: float, unit: str) -> tuple[float, str]:
    """The divisor for values as large as this one, and the unit that they have then: 1e9 and `GB/s`."""
    if unit not in PREFIXED:
        return 1.0, unit
    size, prefix = next(((size, prefix) for size, prefix in _PREFIXES if value >= size), (1.0, ""))
    return size, f"{prefix}{PREFIXED[unit]}"


def _two_places(value: float) -> str:
    """Two decimals near 1, three digits far from it."""
    return f"{value:.2f}" if 0.1 <= value < 10 else _digits(value)


def _digits(value: float) -> str:
    """Three digits; whole numbers from 1000 on."""
    return f"{value:,.0f}" if value >= 999.5 else f"{value:#.3g}".rstrip(".")
