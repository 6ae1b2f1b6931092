"""Alpha and beta of an exchange: seconds = alpha + bytes / rate (Hockney 1994). No torch here."""

from __future__ import annotations

from collections.abc import Sequence


def alpha_and_rate(samples: Sequence[tuple[float, float]]) -> tuple[float, float | None]:
    """The line through pairs of bytes and seconds whose relative errors have the least squares.

    Neither alpha nor the seconds of a byte are below 0: where the best line has one of them so, it is 0 and the other the best
    without it. The rate is None where more bytes take no longer.
    """
    weights = [1 / seconds**2 for _, seconds in samples]
    total = sum(weights)
    mean_bytes = sum(w * count for w, (count, _) in zip(weights, samples, strict=True)) / total
    mean_seconds = sum(w * seconds for w, (_, seconds) in zip(weights, samples, strict=True)) / total
    spread = sum(w * (count - mean_bytes) ** 2 for w, (count, _) in zip(weights, samples, strict=True))
    together = sum(
        w * (count - mean_bytes) * (seconds - mean_seconds)
        for w, (count, seconds) in zip(weights, samples, strict=True)
    )
    if spread == 0 or together <= 0:
        return mean_seconds, None
    per_byte = together / spread
    alpha = mean_seconds - per_byte * mean_bytes
    if alpha < 0:
        squares = sum(w * count**2 for w, (count, _) in zip(weights, samples, strict=True))
        per_byte = sum(w * count * seconds for w, (count, seconds) in zip(weights, samples, strict=True)) / squares
        alpha = 0.0
    return alpha, 1 / per_byte
