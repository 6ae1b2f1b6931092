"""Advice on the columns of a table: values that come round again, numbers that are names, gaps that tell something."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy
import polars

from advisor.datasets.dataset import Kind, Remark, Task
from advisor.datasets.tables.columns import CLOCK, CLOCK_IN_WORDS, Judged, words_of_name
from advisor.datasets.tables.target import TargetView
from advisor.datasets.values.words import tokens_of
from advisor.wording import join_first, shorten

_CYCLES = (
    (frozenset({"hour", "hours", "hr"}), (0, 23), (1, 24)),
    (frozenset({"weekday", "dow", "dayofweek"}), (0, 6), (1, 7)),
    (frozenset({"month", "mnth", "mon"}), (1, 12), (0, 11)),
    (frozenset({"minute", "minutes"}), (0, 59)),
    (frozenset({"season", "quarter"}), (1, 4), (0, 3)),
    (frozenset({"direction", "bearing", "heading", "azimuth", "winddir", "wdir"}), (0, 360)),
)
"""Words of names, and the least and greatest values of what comes round again under such a name."""
_CYCLIC = frozenset().union(*(names for names, *_ in _CYCLES), {"week"})
_NAMES_OF_CYCLES = (
    ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"),
    ("january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december"),
)  # fmt: skip
_PARTS_OF_TIME = (
    frozenset({"year", "yr"}), frozenset({"month", "mnth"}), frozenset({"week"}), frozenset({"day"}),
    frozenset({"hour", "hr"}), frozenset({"minute"}),
)  # fmt: skip
"""Words of names of the parts of a time, the longest part first."""
_FEWEST_OF_A_CYCLE = 3
_NAMING = frozenset(
    {
        "airline", "airport", "area", "branch", "brand", "carrier", "category", "channel", "city", "class", "cluster", "code",
        "country", "county", "department", "dept", "district", "group", "industry", "item", "kind", "line", "location",
        "model", "occupation", "operator", "product", "region", "route", "sector", "segment", "shop", "state", "station",
        "store", "type", "zone",
    }
)  # fmt: skip
_FEWEST_NAMES, _ROWS_A_NAME = 3, 5
_FEWEST_UNIQUE = 50
_DENSE = 3
_NEARLY_UNIQUE = 0.95
_WORDS_OF_A_NAME = 6
_MOST_ROWS = 20_000
_FEWEST_OF_A_CLASS = 30
_OFTEN_ENOUGH = 0.01
_DIFFERENT_SHARE, _DIFFERENT_MEAN, _SIGNIFICANT = 0.1, 0.3, 5.0
"""Of missing values: by how much their share differs between classes, or the mean answer with and without them in standard
deviations; and in standard errors of either."""


def advice(columns: Sequence[Judged], target: TargetView | None, inputs: Sequence[str]) -> Iterator[Remark]:
    """Notes on the columns that a model is given, none of which stops it from learning."""
    given = set(inputs)
    held = [judged for judged in columns if judged.column.name in given]
    yield from _order_of_parts(held)
    yield from _cycles(held)
    yield from _numbers_as_names(held)
    yield from _numbers_of_rows(held)
    yield from _names_of_rows(held)
    if target is not None:
        yield from _telling_gaps(held, target)


def _order_of_parts(columns: Sequence[Judged]) -> Iterator[Remark]:
    """Rows in the order of time, where no date says so but its parts do: a column of years, one of days, one of hours."""
    if not columns or any(judged.kind is Kind.DATE for judged in columns):
        return
    sorted_by: list[Judged] = []
    same = polars.repeat(True, len(columns[0].values) - 1, eager=True)  # so far, as in the row before
    for names in _PARTS_OF_TIME:
        for judged in columns:
            if judged.kind not in (Kind.WHOLE, Kind.YES_NO) or not words_of_name(judged.column.name) & names:
                continue
            steps = judged.values.cast(polars.Float64, strict=False).diff()[1:]  # a year may be 0 or 1
            if steps.null_count() or len(steps) < _FEWEST_UNIQUE:
                continue
            if bool((same & (steps < 0)).any()):
                continue
            sorted_by.append(judged)
            same = same & (steps == 0)
    if sum(judged.column.distinct - 1 for judged in sorted_by) >= _FEWEST_OF_A_CYCLE:
        what = f"The rows stand in the order of {_quoted(sorted_by)}, so in the order of time."
        remedy = (
            "If the model is to predict what comes later, test it on the last rows: with one column of dates instead of these "
            "parts, the split is by time."
        )
        yield Remark(what, remedy=remedy, columns=_named(sorted_by))


def _cycles(columns: Sequence[Judged]) -> Iterator[Remark]:
    found = [judged for judged in columns if _comes_round(judged)]
    if found:
        come = "comes" if len(found) == 1 else "come"
        what = f"{_quoted(found)} {come} round again: the last value is next to the first, as December is to January."
        remedy = (
            "Networks and linear models learn that from the sine and the cosine of the place in the circle, or from "
        )
        yield Remark(what, remedy=remedy + "categories; trees need neither.", columns=_named(found))
    dates = [(judged, parts) for judged in columns if judged.kind is Kind.DATE and (parts := _parts(judged.values))]
    if dates:
        varied = [part for part in _PARTS if any(part in others for _, others in dates)]
        what = f"{_quoted([judged for judged, _ in dates])} helps most through what repeats: {join_first(varied)}."
        names = _named([judged for judged, _ in dates])
        yield Remark(
            what, remedy="Add columns of these parts: they often help more than the date itself.", columns=names
        )


def _comes_round(judged: Judged) -> bool:
    if CLOCK in judged.column.remark or judged.column.remark == CLOCK_IN_WORDS:
        return True
    if judged.kind is Kind.WHOLE:
        words = words_of_name(judged.column.name)
        if not words & _CYCLIC:
            return False
        week = {"day", "week"} <= words  # day_of_week
        spans = [span for names, *spans in _CYCLES if names & words or (week and "dow" in names) for span in spans]
        if not spans or judged.column.distinct < _FEWEST_OF_A_CYCLE:
            return False
        low, high = judged.values.min(), judged.values.max()
        return any(least <= low and high <= most and 2 * (high - low) > most - least for least, most in spans)  # type: ignore[operator]
    if judged.kind is not Kind.CATEGORY or not _FEWEST_OF_A_CYCLE <= judged.column.distinct <= 12:
        return False
    if not any(judged.column.examples[0][:3].lower() == name[:3] for names in _NAMES_OF_CYCLES for name in names):
        return False  # most columns end here
    values = judged.values.drop_nulls().unique().str.to_lowercase().to_list()
    return any(
        all(len(value) >= 3 and any(name.startswith(value.rstrip(".")) for name in names) for value in values)
        for names in _NAMES_OF_CYCLES
    )


_PARTS = ("the hour", "the weekday", "the month")


def _parts(moments: polars.Series) -> tuple[str, ...]:
    """The parts of dates that come round at least twice within them."""
    span = (moments.max() - moments.min()).days  # type: ignore[operator, union-attr]
    dates = moments.drop_nulls()
    varied = (dates.dt.hour().n_unique() > 1, dates.dt.weekday().n_unique() > 1, dates.dt.month().n_unique() > 1)
    return tuple(
        part for part, days, varies in zip(_PARTS, (2, 14, 730), varied, strict=True) if varies and span >= days
    )


def _numbers_as_names(columns: Sequence[Judged]) -> Iterator[Remark]:
    """Whole numbers with few values and a name such as `zone`: they may be read in two ways, and neither is always better."""
    found = [
        judged
        for judged in columns
        if judged.kind is Kind.WHOLE
        and words_of_name(judged.column.name) & _NAMING
        and _FEWEST_NAMES <= judged.column.distinct <= judged.values.count() / _ROWS_A_NAME
    ]
    if found:
        what = f"The numbers of {_quoted(found)} may be names of things rather than amounts."
        remedy = "Try both: as numbers, and as categories (with a letter in front of each they are read as words)."
        yield Remark(what, remedy=remedy, columns=_named(found))


def _numbers_of_rows(columns: Sequence[Judged]) -> Iterator[Remark]:
    found = [judged for judged in columns if _numbers_rows(judged)]
    if found:
        what = f"{_quoted(found)} {_has(found)} another whole number in every row, as numbers of rows or of persons do."
        remedy = "Leave out what only tells rows apart: a model can learn it by heart, and it says nothing of new rows."
        yield Remark(what, remedy=remedy, columns=_named(found))


def _numbers_rows(judged: Judged) -> bool:
    """True where whole numbers never come twice and stand as close as numbers given in turn, unless they are parts of a time."""
    known = judged.values.count()
    if judged.kind is not Kind.WHOLE or known < _FEWEST_UNIQUE or judged.column.distinct < known:
        return False
    low, high = float(judged.values.min()), float(judged.values.max())  # type: ignore[arg-type]
    if low < 0:
        return False
    return high - low < _DENSE * known and not any(
        words_of_name(judged.column.name) & names for names in _PARTS_OF_TIME
    )


def _names_of_rows(columns: Sequence[Judged]) -> Iterator[Remark]:
    """Short texts of which nearly every row has its own, beside columns of other kinds."""
    if all(judged.kind is Kind.TEXT for judged in columns):
        return
    found = []
    for judged in columns:
        known = judged.values.count()
        if judged.kind is not Kind.TEXT or known < _FEWEST_UNIQUE or judged.column.distinct < _NEARLY_UNIQUE * known:
            continue
        some = judged.values.drop_nulls().head(1000).to_list()
        if sum(len(tokens_of(text)) for text in some) < _WORDS_OF_A_NAME * len(some):
            found.append(judged)
    if found:
        what = f"{_quoted(found)} {_has(found)} a name of its own in nearly every row."
        remedy = "Leave it out unless its words tell something, as a title before a name does."
        yield Remark(what, remedy=remedy, columns=_named(found))


def _telling_gaps(columns: Sequence[Judged], target: TargetView) -> Iterator[Remark]:
    """Columns whose values are missing more often for some answers than for others."""
    gapped = [judged for judged in columns if _OFTEN_ENOUGH <= judged.column.missing <= 1 - _OFTEN_ENOUGH]
    rows = target.values.is_not_null().arg_true()
    rows = rows.gather_every(-(-len(rows) // _MOST_ROWS) or 1)
    if not gapped or len(rows) < 2 * _FEWEST_OF_A_CLASS:
        return
    answers = target.values.gather(rows)
    gaps = numpy.column_stack([judged.values.gather(rows).is_null().to_numpy() for judged in gapped]).astype(
        numpy.float32
    )
    if target.task is Task.REGRESS:
        yield from _gaps_of_numbers(gapped, gaps, answers.to_numpy(), target.name)
    else:
        yield from _gaps_of_classes(gapped, gaps, answers, target.name)


def _gaps_of_classes(
    columns: Sequence[Judged], gaps: numpy.ndarray, answers: polars.Series, target: str
) -> Iterator[Remark]:
    counted = (
        answers.alias("answer").value_counts(name="rows", sort=True).filter(polars.col("rows") >= _FEWEST_OF_A_CLASS)
    )
    names, rows = counted["answer"].to_list()[:20], counted["rows"].to_numpy()[:20]
    if len(names) < 2:
        return
    shares = numpy.stack([gaps[(answers == name).to_numpy()].mean(axis=0) for name in names])
    most, least = shares.argmax(axis=0), shares.argmin(axis=0)
    apart = shares.max(axis=0) - shares.min(axis=0)
    mean = gaps.mean(axis=0)
    error = numpy.sqrt(mean * (1 - mean) * (1 / rows[most] + 1 / rows[least]))
    found = numpy.flatnonzero((apart >= _DIFFERENT_SHARE) & (apart >= _SIGNIFICANT * error))
    if len(found):
        first = int(found[apart[found].argmax()])
        often, seldom = (f"{100 * shares[place, first]:.0f} % of the rows of {shorten(names[place], 30)!r}"
                         for place in (most[first], least[first]))  # fmt: skip
        yield _said_of_gaps(
            [columns[int(place)] for place in found], columns[first], target, f"in {often}, in {seldom}"
        )


def _gaps_of_numbers(
    columns: Sequence[Judged], gaps: numpy.ndarray, answers: numpy.ndarray, target: str
) -> Iterator[Remark]:
    count, spread = gaps.sum(axis=0), answers.std() or 1.0
    with numpy.errstate(invalid="ignore", divide="ignore"):
        missing = answers @ gaps / count
        there = (answers.sum() - answers @ gaps) / (len(gaps) - count)
        apart = numpy.abs(missing - there) / spread
        error = numpy.sqrt(1 / count + 1 / (len(gaps) - count))
    found = numpy.flatnonzero((apart >= _DIFFERENT_MEAN) & (apart >= _SIGNIFICANT * error))
    if len(found):
        first = int(found[apart[found].argmax()])
        means = f"the mean answer is {missing[first]:.4g} where it is missing, else {there[first]:.4g}"
        yield _said_of_gaps([columns[int(place)] for place in found], columns[first], target, means)


def _said_of_gaps(found: Sequence[Judged], first: Judged, target: str, shown: str) -> Remark:
    example = f" ({shown})" if len(found) == 1 else f" ({first.quoted}: {shown})"
    what = f"Missing values of {_quoted(found)} go with the answer {shorten(target, 40)!r}{example}."
    remedy = (
        "Give the model a column that says where a value is missing; and check that values are not filled in only after "
        "the answer is known."
    )
    return Remark(what, remedy=remedy, columns=_named(found))


def _has(found: Sequence[Judged]) -> str:
    return "has" if len(found) == 1 else "have"


def _named(found: Sequence[Judged]) -> tuple[str, ...]:
    return tuple(judged.column.name for judged in found)


def _quoted(found: Sequence[Judged]) -> str:
    return join_first([judged.quoted for judged in found])
