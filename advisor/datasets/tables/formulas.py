"""Answers that are computed from a few other columns: sums, differences, products, ratios."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

import numpy
import polars
from numpy.typing import NDArray

from advisor.datasets.dataset import Kind, Remark, Weight
from advisor.datasets.tables.columns import Judged
from advisor.wording import shorten

_Floats: TypeAlias = NDArray[numpy.float64]
_FEWEST_ROWS, _MOST_ROWS, _COMPARED = 50, 1_000, 200
_MOST_CELLS = 10_000_000
_MOST_COLUMNS, _STEPS = 4, 6
"""Columns of a formula, and those that are tried one after the other to find them."""
_LEFT = 1e-4
"""Of the variance of the answers: what rounding may leave."""
_LEFT_BY_WEIGHTS = 1e-5
"""The same where the weights are no whole numbers: with them, smooth columns come near to many answers."""
_NOTHING = 1e-3
"""Of the spread of the answers: what a column that is no part of the formula contributes at most."""
_MANY = 300
_NEAR, _NEARER = 1e-2, 1e-4
_POWERS, _WHOLE = 3, 0.02


def formulas(columns: Sequence[Judged], name: str, answers: polars.Series, rows: polars.Series) -> Iterator[Remark]:
    """Say from which columns the answers in these rows can be computed, if there are such.

    `answers` are those of `rows`, which are the positions of the rows that have one.
    """
    numeric = [judged for judged in columns if judged.kind in (Kind.NUMBER, Kind.WHOLE)]
    numbers = answers.cast(polars.Float64, strict=False)
    if len(numeric) < 2 or numbers.null_count() or numbers.n_unique() < 3:
        return
    most = min(_MOST_ROWS, max(_MOST_CELLS // len(numeric), _FEWEST_ROWS))
    drawn = numpy.linspace(0, len(rows) - 1, min(most, len(rows))).astype(numpy.int64)
    some = rows.gather(drawn)
    held = polars.DataFrame([judged.values.alias(str(place)) for place, judged in enumerate(numeric)])[some].to_numpy()
    sought = numbers.gather(drawn).to_numpy()
    if (chosen := _parts(held, sought)) is not None:
        whole = numpy.column_stack([numeric[place].values.gather(rows).to_numpy() for place in chosen])
        weights = _fitted(whole, numbers.to_numpy())
        if weights is not None:
            yield _remark(name, [numeric[place] for place in chosen], _sum(numeric, chosen, weights))
            return
    with numpy.errstate(divide="ignore", invalid="ignore"):
        held, sought = _logarithms(held), _logarithms(sought)
    known = numpy.isfinite(sought)
    if known.mean() < 0.5 or sought[known].std() == 0:
        return
    if (chosen := _parts(held[known], sought[known])) is not None:
        powers = _fitted(held[known][:, chosen], sought[known])
        if powers is not None and all(_is_power(power) for power in powers):
            yield _remark(name, [numeric[place] for place in chosen], _product(numeric, chosen, powers))


def _is_power(number: float) -> bool:
    return 1 <= round(abs(number)) <= _POWERS and abs(number - round(number)) < _WHOLE


def _logarithms(numbers: _Floats) -> _Floats:
    """Of the sizes; what is zero has none."""
    held: _Floats = numpy.where(numbers == 0, numpy.nan, numpy.log(numpy.abs(numbers)))
    return held


def _parts(held: _Floats, sought: _Floats) -> list[int] | None:
    """Places of two to four columns whose weighted sum is what is sought, but for a constant."""
    if len(sought) < _FEWEST_ROWS:
        return None
    missing = ~numpy.isfinite(held)
    filled = numpy.where(missing, 0.0, held)
    there = (~missing).sum(axis=0)
    centred = numpy.where(missing, 0.0, held - filled.sum(axis=0) / numpy.maximum(there, 1))
    sought = sought - sought.mean()
    spread = numpy.sqrt((centred**2).sum(axis=0))
    usable = (spread > 0) & (there > 0.5 * len(held))
    pair = _two(centred[:, usable & ~missing.any(axis=0)], sought)
    if pair is not None:
        return [int(numpy.flatnonzero(usable & ~missing.any(axis=0))[place]) for place in pair]
    chosen: list[int] = []
    left = sought
    for _ in range(min(_STEPS, int(usable.sum()))):
        with numpy.errstate(divide="ignore", invalid="ignore"):
            going_along = numpy.where(usable, numpy.abs(centred.T @ left) / spread, -1.0)
        going_along[chosen] = -1.0
        chosen.append(int(going_along.argmax()))
        complete = ~missing[:, chosen].any(axis=1)
        if complete.sum() < max(_FEWEST_ROWS, 0.5 * len(sought)):
            return None
        parts = centred[complete][:, chosen]
        parts, whole = parts - parts.mean(axis=0), sought[complete] - sought[complete].mean()
        weights, *_ = numpy.linalg.lstsq(parts, whole, rcond=None)
        left = numpy.zeros(len(sought))
        left[complete] = whole - parts @ weights
        if len(chosen) > 1 and left @ left <= _LEFT * (whole @ whole):
            shares = numpy.abs(weights) * parts.std(axis=0) / whole.std()
            kept = [place for place, share in zip(chosen, shares, strict=True) if share > _NOTHING]
            return sorted(kept) if 2 <= len(kept) <= _MOST_COLUMNS else None
    return None


def _two(centred: _Floats, sought: _Floats) -> tuple[int, int] | None:
    """Find the two columns whose sum or difference is nearest to what is sought, if it is that, among any number of them.

    One random mixture of the rows makes a number of each column. Those of the two add up as the columns do, so that the
    partner of each is found by looking it up in a sorted list.
    """
    centred, sought = centred[:_COMPARED], sought[:_COMPARED]
    if centred.shape[1] < 2:
        return None
    mixture = numpy.random.default_rng(0).normal(size=len(sought))
    mixed, whole = mixture @ centred, float(mixture @ sought)
    order = numpy.argsort(mixed)
    near = (_NEAR if len(mixed) <= _MANY else _NEARER) * float(numpy.sqrt(sought @ sought))
    best, least = None, _LEFT * float(sought @ sought)
    for wanted, sign in ((whole - mixed, 1.0), (mixed - whole, -1.0)):
        first = numpy.searchsorted(mixed[order], wanted - near)
        last = numpy.searchsorted(mixed[order], wanted + near, side="right")
        for one in numpy.flatnonzero(last > first):
            others = order[first[one] : last[one]]
            left = (((sought - centred[:, one])[:, None] - sign * centred[:, others]) ** 2).sum(axis=0)
            left[others == one] = numpy.inf
            if left.min() <= least:
                best, least = (int(one), int(others[left.argmin()])), float(left.min())
    return best


def _fitted(held: _Floats, sought: _Floats) -> list[float] | None:
    """The weights of the columns, where they give the answers in all rows that have all of them."""
    complete = numpy.isfinite(held).all(axis=1)
    if complete.sum() < max(_FEWEST_ROWS, 0.5 * len(sought)):
        return None
    held, sought = held[complete], sought[complete]
    held, sought = held - held.mean(axis=0), sought - sought.mean()
    weights, *_ = numpy.linalg.lstsq(held, sought, rcond=None)
    left = sought - held @ weights
    plain = (numpy.abs(numpy.abs(weights) - numpy.rint(numpy.abs(weights))) < _WHOLE).all()
    allowed = (_LEFT if plain else _LEFT_BY_WEIGHTS) * (sought @ sought)
    return [float(weight) for weight in weights] if left @ left <= allowed else None


def _sum(columns: Sequence[Judged], chosen: Sequence[int], weights: Sequence[float]) -> str:
    """The terms in words, positive ones first; a weight of one is not written."""
    said = ""
    for weight, place in sorted(zip(weights, chosen, strict=True), key=lambda term: (term[0] < 0, term[1])):
        sign = ("-" if weight < 0 else "") if not said else (" - " if weight < 0 else " + ")
        times = "" if abs(abs(weight) - 1) < _WHOLE else f"{abs(weight):.3g} * "
        said += f"{sign}{times}{columns[place].quoted}"
    return said


def _product(columns: Sequence[Judged], chosen: Sequence[int], powers: Sequence[float]) -> str:
    above: list[str] = []
    below: list[str] = []
    for power, place in zip(powers, chosen, strict=True):
        times = {1: "", 2: " squared", 3: " cubed"}[abs(round(power))]
        (above if power > 0 else below).append(f"{columns[place].quoted}{times}")
    divided = f" divided by {' and by '.join(below)}" if below else ""
    return f"{' times '.join(above) or 'a constant'}{divided}"


def _remark(name: str, columns: Sequence[Judged], formula: str) -> Remark:
    shown = repr(shorten(name, 40))
    what = f"{shown} can be computed from other columns: it follows {formula} in nearly every row."
    remedy = (
        "Leave out at least one of these columns, and each that is not known before the answer: else a model only learns "
        "this formula."
    )
    return Remark(what, Weight.WARNING, remedy, tuple(judged.column.name for judged in columns))
