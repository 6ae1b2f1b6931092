"""Everything that is known about the winner as figures, each with the table behind it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from advisor.report.found.insight import Table, Told, dependence_sentence, told, where
from advisor.report.html.drawing import Chart, Point, Shape
from advisor.training.ladder.insight import Dependence, Insight
from advisor.training.ladder.outcome import Metric, TrialResults

MOST_COLUMNS = 15
"""Of the importance that are drawn; the table has all."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """One piece with its figures, and the tables that are not behind one of them."""

    title: str
    sentence: str
    """Empty where the figures say it each by itself."""
    charts: tuple[Chart, ...]
    tables: tuple[Table, ...]


def drawn(outcome: TrialResults) -> list[Drawn]:
    """Everything that is known, in the order in which it is read."""
    known = outcome.insight
    if known is None:
        return []
    found = []
    for one in told(outcome):
        charts = tuple(_charts(known, one, outcome.metric))
        behind = [chart.rows for chart in charts]
        tables = tuple(shown for shown in one.tables if tuple(shown.rows) not in behind)
        sentence = "" if one.piece == "dependence" else one.sentence
        found.append(Drawn(one.title, sentence, charts, tables))
    return found


def _charts(known: Insight, one: Told, metric: Metric) -> Iterator[Chart]:
    match one.piece:
        case "importance" if known.importance is not None:
            columns = known.importance.columns[:MOST_COLUMNS]
            yield _chart(
                one, 0, "How much worse it is with a column shuffled",
                "The columns with their 95 % intervals, the most important first. Right of 0 the model needs a column.",
                Shape.SCORES, [Point(c.column, c.loss, c.low, c.high) for c in columns],
                f"loss in {known.importance.metric}",
            )  # fmt: skip
        case "slices" if known.slices is not None and known.slices.found:
            yield _chart(
                one, 0, "Parts with the largest errors",
                "The error in each part with its 95 % interval, the clearest first. The table has the error elsewhere.",
                Shape.SCORES, [Point(where(s), s.error, s.low, s.high) for s in known.slices.found],
                "share told wrong" if metric.task == "classify" else "mean error",
            )  # fmt: skip
        case "calibration" if known.calibration is not None:
            yield _chart(
                one, 0, "What came true of what was said",
                "Groups of examples with about the same probability, with 95 % intervals. Right probabilities are on the dashed "
                "line; below it too few came true.",
                Shape.LINE, [Point("", b.was, b.low, b.high, b.said) for b in known.calibration.bins],
                "share that came true", "probability that was said", diagonal=True,
            )  # fmt: skip
        case "residuals" if known.residuals is not None and known.residuals.by_size:
            yield _chart(
                one, len(one.tables) - 1, "Errors by the size of the prediction",
                "Groups of examples from the smallest predictions to the largest, with 95 % intervals.",
                Shape.LINE, [Point("", b.error, b.low, b.high, b.size) for b in known.residuals.by_size],
                "mean error", "size of the prediction",
            )  # fmt: skip
        case "learning_curve" if known.learning_curve is not None:
            points = known.learning_curve.points
            yield _chart(
                one, 0, "The score by the number of examples",
                f"After learning from {' and from '.join(f'{p.examples:,}' for p in points)} examples, with 95 % intervals.",
                Shape.LINE, [Point(f"{p.examples:,}", p.score, p.low, p.high, p.examples) for p in points],
                metric.title, "examples to learn from",
            )  # fmt: skip
        case "dependence":
            for number, dependence in enumerate(known.dependence):
                yield _dependence(one, number, dependence)


def _dependence(one: Told, number: int, found: Dependence) -> Chart:
    """Over the numbers of a column, or a row for each of its categories; what is missing stands in the table alone."""
    of_numbers = any(point.at is not None for point in found.points)
    points = [
        Point(point.value, point.predicted, point.predicted, point.predicted, point.at or 0.0)
        for point in found.points
        if point.at is not None or not of_numbers
    ]
    what = f"mean probability of {found.of}" if found.of else "mean prediction"
    shape, across = (Shape.LINE, found.column) if of_numbers else (Shape.SCORES, "")
    says = dependence_sentence(found)
    return _chart(one, number, f"What it says as {found.column} changes", says, shape, points, what, across)


def _chart(
    one: Told,
    place: int,
    title: str,
    says: str,
    shape: Shape,
    points: list[Point],
    axis: str,
    across: str = "",
    *,
    diagonal: bool = False,
) -> Chart:
    """A figure with one of the piece's tables behind it."""
    table = one.tables[place]
    return Chart(
        name=f"insight-{one.piece.replace('_', '-')}-{place}",
        title=title,
        says=says,
        shape=shape,
        points=tuple(points),
        axis=axis,
        head=table.head,
        rows=tuple(table.rows),
        across=across,
        diagonal=diagonal,
    )
