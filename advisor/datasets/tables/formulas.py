"""Answers that are computed from a few other columns: sums, differences, products, ratios."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
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
_MOST_MULTIPLIED = 30
_LEFT = 1e-4
"""Of the variance of the answers: what rounding may leave."""
_LEFT_BY_WEIGHTS = 1e-5
"""The same where the weights are no whole numbers: with them, smooth columns come near to many answers."""
_NOTHING = 1e-3
"""Of the spread of the answers: what a column that is no part of the formula contributes at most."""
_MANY = 300
_NEAR, _NEARER = 1e-2, 1e-4
_POWERS, _WHOLE = 3, 0.02
_OFF = 0.03
"""Of the spread of the answers, or of a product its size: a row that is further off does not follow the formula."""
_NEARLY, _HALF = 0.95, 0.5
"""Shares of the rows: so many follow it where nearly all are said to, and where anything is said."""


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
    terms = [_Term(judged.quoted, judged.values, (judged,)) for judged in numeric]
    found = _sum(terms, held, sought, numbers, rows) or _product(numeric, held, sought, numbers, rows)
    if found is None and len(numeric) <= _MOST_MULTIPLIED:
        couples = list(combinations(range(len(numeric)), 2))
        terms += [_times(numeric[one], numeric[other]) for one, other in couples]
        more = [held[:, one] * held[:, other] for one, other in couples]
        found = _sum(terms, numpy.column_stack([held, *more]), sought, numbers, rows)
    if found is not None:
        yield _remark(name, found)


@dataclass(frozen=True, slots=True)
class _Formula:
    """A formula in words, its columns, and in which rows it gives the answer, also in words."""

    said: str
    columns: Sequence[Judged]
    where: str


@dataclass(frozen=True, slots=True)
class _Term:
    """A column, or two multiplied, that may be a part of a sum."""

    said: str
    values: polars.Series
    columns: tuple[Judged, ...]


def _times(one: Judged, other: Judged) -> _Term:
    return _Term(f"{one.quoted} times {other.quoted}", one.values * other.values, (one, other))


def _sum(
    terms: Sequence[_Term], held: _Floats, sought: _Floats, answers: polars.Series, rows: polars.Series
) -> _Formula | None:
    """The weighted sum of terms that gives the answers in all rows; None where there is none."""
    chosen = _parts(held, sought)
    if chosen is None:
        return None
    kept = [terms[place] for place in chosen]
    every, answer = numpy.column_stack([term.values.gather(rows).to_numpy() for term in kept]), answers.to_numpy()
    weights = _fitted(every, answer)
    if weights is None:
        return None
    left = answer - every @ weights
    known = numpy.isfinite(left)
    off = numpy.abs(left[known] - left[known].mean())
    where = _where(off <= _OFF * answer[known].std(), len(answer))
    said = ""
    for weight, term in sorted(zip(weights, kept, strict=True), key=lambda pair: pair[0] < 0):
        sign = ("-" if weight < 0 else "") if not said else (" - " if weight < 0 else " + ")
        factor = "" if abs(abs(weight) - 1) < _WHOLE else f"{abs(weight):.3g} * "
        said += f"{sign}{factor}{term.said}"
    columns = {judged.column.name: judged for term in kept for judged in term.columns}
    return _Formula(said, list(columns.values()), where)


def _where(follow: NDArray[numpy.bool_], rows: int) -> str:
    """`in every row`, by the rows that have all columns of a formula and so many rows in all."""
    if follow.all():
        return "in every row" if len(follow) == rows else "in every row where all of them are known"
    share = float(follow.mean())
    return "in nearly every row" if share >= _NEARLY else f"in {share * 100:.0f} % of the rows"


def _product(
    numeric: Sequence[Judged], held: _Floats, sought: _Floats, answers: polars.Series, rows: polars.Series
) -> _Formula | None:
    """The product or ratio that the answers follow, which some of the rows show and most follow; None where there is none."""
    with numpy.errstate(divide="ignore", invalid="ignore"):
        held, sought = _logarithms(held), _logarithms(sought)
    known = numpy.isfinite(sought)
    if known.mean() < 0.5 or sought[known].std() == 0:
        return None
    chosen = _parts(held[known], sought[known])
    powers = None if chosen is None else _fitted(held[known][:, chosen], sought[known])
    if chosen is None or powers is None or not all(map(_is_power, powers)):
        return None
    columns = [numeric[place] for place in chosen]
    every = numpy.column_stack([judged.values.gather(rows).to_numpy() for judged in columns])
    follow = _multiplied(every, numpy.rint(powers), answers.to_numpy())
    if len(follow) < max(_FEWEST_ROWS, _HALF * len(answers)) or follow.mean() < _HALF:
        return None
    above: list[str] = []
    below: list[str] = []
    for power, judged in zip(powers, columns, strict=True):
        times = {1: "", 2: " squared", 3: " cubed"}[abs(round(power))]
        (above if power > 0 else below).append(f"{judged.quoted}{times}")
    divided = f" divided by {' and by '.join(below)}" if below else ""
    return _Formula(f"{' times '.join(above) or 'a constant'}{divided}", columns, _where(follow, len(answers)))


def _multiplied(held: _Floats, powers: _Floats, sought: _Floats) -> NDArray[numpy.bool_]:
    """True for each row that has all columns and whose answer is their product, but for a constant; signs and zeros count."""
    with numpy.errstate(all="ignore"):
        product = (held**powers).prod(axis=1)
        times = sought / product
    known, told = numpy.isfinite(product), numpy.isfinite(times) & (times != 0)
    if not told.any():
        return numpy.zeros(0, numpy.bool_)
    product, sought = float(numpy.median(times[told])) * product[known], sought[known]
    size = numpy.abs(sought)
    follow: NDArray[numpy.bool_] = numpy.abs(sought - product) <= _OFF * numpy.maximum(size, numpy.median(size))
    return follow


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
        return sorted(int(numpy.flatnonzero(usable & ~missing.any(axis=0))[place]) for place in pair)
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
    whole = numpy.rint(numpy.abs(weights))
    plain = ((numpy.abs(numpy.abs(weights) - whole) < _WHOLE) & (whole >= 1)).all()
    allowed = (_LEFT if plain else _LEFT_BY_WEIGHTS) * (sought @ sought)
    return [float(weight) for weight in weights] if left @ left <= allowed else None


def _remark(name: str, formula: _Formula) -> Remark:
    shown = repr(shorten(name, 40))
    what = f"{shown} can be computed from other columns: it follows {formula.said} {formula.where}."
    remedy = (
        "Leave out at least one of these columns, and each that is not known before the answer: else a model only learns "
        "this formula."
    )
    return Remark(what, Weight.WARNING, remedy, tuple(judged.column.name for judged in formula.columns))
