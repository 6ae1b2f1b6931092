"""Sentences and rows about the winner: what it rests on, where it errs, whether more data would help."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from advisor.training.ladder.insight import (
    Calibration,
    ColumnImportance,
    Confusion,
    Dependence,
    Fit,
    Importance,
    Insight,
    LearningCurve,
    MoreData,
    Residuals,
    Slice,
    Slices,
    Words,
)
from advisor.training.ladder.outcome import Metric, TrialResults
from advisor.wording import join_names

TITLES = {
    "confusion": "Which classes it takes for which",
    "residuals": "How far it is off",
    "calibration": "Are its probabilities right?",
    "slices": "Where it errs more than elsewhere",
    "importance": "What it rests on",
    "words": "The words that matter",
    "learning_curve": "Would more data help?",
    "dependence": "What it says as a column changes",
}
"""Of the pieces, by the fields of `Insight`."""
IMPORTANCE_HEAD = ("Column", "Loss", "95 % interval")
WORDS_HEAD, WITHOUT_HEAD = ("Of", "For it", "Against it"), ("Word", "Loss without it", "95 % interval")
SLICES_HEAD = ("Where", "Error", "95 % interval", "Elsewhere", "Examples")
CALIBRATION_HEAD = ("Said", "Came true", "95 % interval", "Examples")
PAIRS_HEAD = ("It is", "Taken for", "Examples", "Of")
RESIDUALS_HEAD = ("Share of examples", "Truth less prediction")
LARGEST_HEAD = ("Example", "Truth", "Prediction")
SIZES_HEAD = ("Size of the prediction", "Mean error", "95 % interval", "Examples")
CURVE_HEAD = ("Examples to learn from", "Score", "95 % interval", "Trainings")
MOST_IN_MATRIX = 12
"""Classes that have room in a table of all pairs."""
_MOST_NAMED = 3
_FITS = {
    Fit.TOO_SURE: "They are too sure of themselves: what they name comes true less often than they say.",
    Fit.TOO_UNSURE: "They are too cautious: what they name comes true more often than they say.",
    Fit.OFF: "They are too high in places and too low in others.",
}
_SHARES = {"p05": "5 % are below", "p25": "25 % are below", "p50": "half are below", "p75": "75 % are below",
           "p95": "95 % are below"}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Table:
    caption: str
    head: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Told:
    """One piece of what is known, by the name of its field: in a sentence or two, with the figures behind it."""

    piece: str
    sentence: str
    tables: tuple[Table, ...] = ()

    @property
    def title(self) -> str:
        return TITLES[self.piece]


def brief_lines(outcome: TrialResults) -> list[str]:
    """A sentence on each: columns, the worst slice, more data, probabilities or errors; those that found nothing come last."""
    known = outcome.insight
    if known is None:
        return []
    found: list[tuple[bool, str]] = []
    if known.importance is not None:
        found.append((bool(known.importance.shown), importance_sentence(known.importance, outcome.metric)))
    if known.words is not None and (said := words_sentence(known.words, outcome.metric)):
        found.append((not known.words.without or bool(known.words.without.shown), said))
    if known.slices is not None and known.slices.looked_at:
        found.append((bool(known.slices.found), slice_sentence(known.slices, outcome.metric)))
    if known.learning_curve is not None:
        found.append((True, curve_sentence(known.learning_curve, outcome.metric)))
    fit, confused = known.calibration, known.confusion
    if confused is not None and confused.pairs and len(confused.classes) != 2 and (not fit or fit.fit is Fit.FITS):
        found.append((True, confusion_sentence(confused)))
    elif fit is not None:
        found.append((True, calibration_sentence(fit)))
    elif known.residuals is not None:
        found.append((True, residuals_sentence(known.residuals)))
    return [sentence for _, sentence in sorted(found, key=lambda one: not one[0])]


def told(outcome: TrialResults) -> list[Told]:
    """Everything that is known, in the order in which it is read."""
    known, metric = outcome.insight, outcome.metric
    return [] if known is None else list(_told(known, metric))


def _told(known: Insight, metric: Metric) -> Iterator[Told]:
    if (one := known.importance) is not None:
        columns = Table("Every column", IMPORTANCE_HEAD, importance_rows(one, metric))
        yield Told("importance", importance_sentence(one, metric), (columns,))
    if (texts := known.words) is not None and (sentence := words_sentence(texts, metric)):
        yield Told("words", sentence, (_words_table(texts, metric),))
    if known.dependence:
        said = " ".join(map(dependence_sentence, known.dependence))
        yield Told("dependence", said, tuple(map(_dependence_table, known.dependence)))
    if (sliced := known.slices) is not None:
        found = Table("The worst of them", SLICES_HEAD, slice_rows(sliced, metric))
        yield Told("slices", slice_sentence(sliced, metric), (found,) if sliced.found else ())
    if (confused := known.confusion) is not None:
        matrix = matrix_rows(confused)
        pairs = Table("The most confused classes", PAIRS_HEAD, pair_rows(confused))
        every = pairs if matrix is None else Table("All classes", *matrix)
        yield Told("confusion", confusion_sentence(confused), (every,) if confused.pairs else ())
    if (fit := known.calibration) is not None:
        of = f"The probability of {fit.of}" if fit.of else "The probability of the class that is named"
        yield Told("calibration", calibration_sentence(fit), (Table(of, CALIBRATION_HEAD, calibration_rows(fit)),))
    if (off := known.residuals) is not None:
        tables = (
            Table("Errors", RESIDUALS_HEAD, quantile_rows(off)),
            Table("The largest errors", LARGEST_HEAD, largest_rows(off)),
            *([Table("Errors by size", SIZES_HEAD, size_rows(off))] if off.by_size else []),
        )
        yield Told("residuals", f"{residuals_sentence(off)}{_advice(off)}", tables)
    if (curve := known.learning_curve) is not None:
        points = Table("By the number of examples", CURVE_HEAD, curve_rows(curve, metric))
        yield Told("learning_curve", curve_sentence(curve, metric), (points,))


def not_known(known: Insight) -> list[str]:
    return [f"{TITLES.get(one.piece, one.piece).rstrip('?')}: not known. {one.reason}" for one in known.not_known]


def importance_sentence(found: Importance, metric: Metric) -> str:
    """`Most important: age (shuffled, accuracy is 0.20 worse), city (0.07) and income (0.05).`"""
    shown = found.shown[:_MOST_NAMED]
    among = f" among the first {len(found.columns):,} columns (no time for the others)" if found.not_reached else ""
    if not shown:
        why = "others stand in for it, or examples are too few to tell"
        return f"No single column{among} is needed beyond noise: {why}."
    first, *others = shown
    named = [f"{first.column} (shuffled, {found.metric} is {_loss(first, found, metric)} worse)"]
    named += [f"{one.column} ({_loss(one, found, metric)})" for one in others]
    return f"Most important{among}: {join_names(named)}."


def words_sentence(found: Words, metric: Metric) -> str:
    """`Words that speak most for yes: 'good', 'fine' and 'great'; against it: 'bad' and 'poor'.`; empty where there are none."""
    if found.without is not None:
        shown, most = found.without.shown[:_MOST_NAMED], len(found.without.columns)
        where_ = f" of {found.column}" if found.column else ""
        if not shown:
            return f"No single one of the {most:,} most frequent words{where_} is needed beyond noise." if most else ""
        first, *others = shown
        named = [
            f"{first.column!r} (without it, {found.without.metric} is {_loss(first, found.without, metric)} worse)"
        ]
        named += [f"{one.column!r} ({_loss(one, found.without, metric)})" for one in others]
        return f"Of the {most:,} most frequent words{where_} these matter most: {join_names(named)}."
    if len(found.by_class) == 1:
        (one,) = found.by_class
        for_, against = (
            (f"speak most for {one.of}", "against it") if one.of else ("raise the prediction most", "lower it")
        )
        sides = [f"{how}: {_quoted(side)}" for how, side in ((for_, one.raising), (against, one.lowering)) if side]
        return f"Words that {'; '.join(sides)}." if sides else ""
    named = [f"for {one.of} {_quoted(one.raising)}" for one in found.by_class[:_MOST_NAMED] if one.raising]
    return f"Words that speak most {'; '.join(named)}." if named else ""


def _quoted(words: Sequence[str], most: int = _MOST_NAMED) -> str:
    return join_names([repr(word) for word in words[:most]])


def slice_sentence(found: Slices, metric: Metric) -> str:
    """`It errs most where city is Lima: 50 % wrong of 152 examples, elsewhere 20 %.`"""
    if not found.found:
        return "It errs nowhere clearly more than elsewhere, as far as so many examples tell."
    worst = found.found[0]
    error, elsewhere = _error(worst.error, metric), _error(worst.elsewhere, metric)
    if metric.task == "classify":
        said = f"{error} wrong of {worst.count:,} examples, elsewhere {elsewhere}"
    else:
        said = f"off by {error} on average in {worst.count:,} examples, elsewhere by {elsewhere}"
    return f"It errs most where {where(worst)}: {said}."


def curve_sentence(found: LearningCurve, metric: Metric) -> str:
    """`More data would probably help: twice as many examples made accuracy 0.029 better (95 % interval ...).`"""
    verdict = {
        MoreData.HELPS: "More data would probably help",
        MoreData.HARDLY: "More data of this kind would hardly help",
        MoreData.UNCLEAR: "Whether more data would help is not clear",
    }[found.verdict]
    gain, word = (found.gain, "better") if found.gain >= 0 else (-found.gain, "worse")
    low, high = (found.low, found.high) if found.gain >= 0 else (-found.high, -found.low)
    many = f", from {found.points[-2].examples:,} to {found.points[-1].examples:,}," if len(found.points) > 1 else ""
    interval = f"(95 % interval {metric.shown(low)} to {metric.shown(high)})"
    return f"{verdict}: twice as many examples{many} made {metric.title} {metric.shown(gain)} {word} {interval}."


def calibration_sentence(found: Calibration) -> str:
    """`Its probabilities can be taken as they are: 0.02 off on average, and chance alone gives up to 0.05.`"""
    figures = f"{found.error:.2f} off on average; chance alone gives up to {found.at_most:.2f}"
    if found.fit is Fit.FITS:
        return f"Its probabilities can be taken as they are ({figures})."
    return f"Its probabilities are not to be taken as they are ({figures}). {_FITS[found.fit]}"


def confusion_sentence(found: Confusion) -> str:
    """`Most often it takes yes for no: 105 of 427.`"""
    if not found.pairs:
        return f"It told all {found.rows:,} held-out examples right."
    worst = found.pairs[0]
    return (
        f"Of {found.rows:,} held-out examples it told {found.wrong:,} wrong; most often it took {worst.truth} for "
        f"{worst.said} ({worst.count:,} of {worst.of:,})."
    )


def residuals_sentence(found: Residuals) -> str:
    """`On average it is off by 42.1, and always answering with the mean by 66. Nine in ten errors (truth less prediction) lie
    between -75.6 and 94.4.`
    """
    average = ""
    if found.average is not None and found.of_the_mean is not None:
        average = f"On average it is off by {_number(found.average)}, and always answering with the mean by "
        average += f"{_number(found.of_the_mean)}. "
    low, high = _number(found.quantiles["p05"]), _number(found.quantiles["p95"])
    grows = "; they grow with the size of what is predicted" if found.grows else ""
    return f"{average}Nine in ten errors (truth less prediction) lie between {low} and {high}{grows}."


def _advice(found: Residuals) -> str:
    return " If all targets are above 0, their logarithm may be easier to predict." if found.grows else ""


def dependence_sentence(one: Dependence) -> str:
    """`With age set to one value in all examples, the mean probability of yes goes from 23 % at 21 to 84 % at 76.`"""
    ends = [chosen(one.points, key=lambda point: point.predicted) for chosen in (min, max)]
    low, high = (f"{_predicted(point.predicted, one.of)} at {point.value}" for point in ends)
    what = f"the mean probability of {one.of}" if one.of else "the mean prediction"
    return f"With {one.column} set to one value in all examples, {what} goes from {low} to {high}."


def where(one: Slice) -> str:
    return f"{one.column} is {one.values}"


# --- rows of tables ----------------------------------------------------------------------------------------------


def importance_rows(found: Importance, metric: Metric) -> list[tuple[str, ...]]:
    """All columns, the most important first."""
    return [(one.column, _loss(one, found, metric), _span(one.low, one.high, metric)) for one in found.columns]


def _words_table(found: Words, metric: Metric) -> Table:
    if found.without is not None:
        return Table("The most frequent words", WITHOUT_HEAD, importance_rows(found.without, metric))
    rows = [(one.of or "the prediction", *(", ".join(side) for side in (one.raising, one.lowering)))
            for one in found.by_class]  # fmt: skip
    return Table("The words with the largest weights", WORDS_HEAD, rows)


def slice_rows(found: Slices, metric: Metric) -> list[tuple[str, ...]]:
    return [
        (
            where(one),
            _error(one.error, metric),
            f"{_error(one.low, metric)} to {_error(one.high, metric)}",
            _error(one.elsewhere, metric),
            f"{one.count:,}",
        )
        for one in found.found
    ]


def calibration_rows(found: Calibration) -> list[tuple[str, ...]]:
    return [
        (_share(one.said), _share(one.was), f"{_share(one.low)} to {_share(one.high)}", f"{one.count:,}")
        for one in found.bins
    ]


def pair_rows(found: Confusion) -> list[tuple[str, ...]]:
    return [(one.truth, one.said, f"{one.count:,}", f"{one.of:,}") for one in found.pairs]


def matrix_rows(found: Confusion) -> tuple[tuple[str, ...], list[tuple[str, ...]]] | None:
    """The head and the rows of all pairs, a row for each true class; None of too many classes."""
    if not 0 < len(found.classes) <= MOST_IN_MATRIX:
        return None
    rows = zip(found.classes, found.matrix, strict=True)
    return ("It is \\ it says", *found.classes), [(name, *(f"{count:,}" for count in row)) for name, row in rows]


def quantile_rows(found: Residuals) -> list[tuple[str, ...]]:
    return [(words, _number(found.quantiles[name])) for name, words in _SHARES.items() if name in found.quantiles]


def largest_rows(found: Residuals) -> list[tuple[str, ...]]:
    return [(f"{one.example:,}", _number(one.truth), _number(one.predicted)) for one in found.largest]


def size_rows(found: Residuals) -> list[tuple[str, ...]]:
    return [
        (_number(one.size), _number(one.error), f"{_number(one.low)} to {_number(one.high)}", f"{one.count:,}")
        for one in found.by_size
    ]


def curve_rows(found: LearningCurve, metric: Metric) -> list[tuple[str, ...]]:
    return [
        (f"{one.examples:,}", metric.shown(one.score), _span(one.low, one.high, metric), str(one.fits))
        for one in found.points
    ]


def _dependence_table(one: Dependence) -> Table:
    what = f"probability of {one.of}" if one.of else "prediction"
    rows = [(point.value, _predicted(point.predicted, one.of)) for point in one.points]
    return Table(one.column, (one.column, f"Mean {what}"), rows)


def _span(low: float, high: float, metric: Metric) -> str:
    return f"{metric.shown(low)} to {metric.shown(high)}"


def _loss(one: ColumnImportance, found: Importance, metric: Metric) -> str:
    return metric.shown(one.loss) if found.metric == metric.title else f"{one.loss:.3f}"


def _error(value: float, metric: Metric) -> str:
    return _share(value) if metric.task == "classify" else _number(value)


def _predicted(value: float, of: str) -> str:
    return _share(value) if of else _number(value)


def _share(value: float) -> str:
    return f"{100 * value:.0f} %"


def _number(value: float) -> str:
    return f"{value:,.0f}" if 1000 <= abs(value) < 1e15 else f"{value:.3g}"
