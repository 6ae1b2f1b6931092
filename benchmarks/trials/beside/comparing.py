"""Everybody's predictions of the test file, scored."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy
import pandas
from sklearn import metrics

from .files import classified, origins, read
from .sets import DATA

NUMBERS = ("r2", "rmse", "mase", "mae")
DECIDED = ("accuracy", "balanced_accuracy")
"""By the audit, of what a model says, which need not be its likeliest class."""


def compare(folder: Path, names: Sequence[str]) -> None:
    """By the metric of `advisor try`, with its interval, and by those of the audit: ours, and each other.

    With the paired difference and its standard error.
    """
    for name in names:
        place = folder / name
        if not (place / "ours.csv").exists():
            continue
        found, truth = json.loads((place / "try.json").read_text()), read(place, "test")[1]
        if DATA[name].seasons:
            truth = truth[origins(DATA[name], truth)]
        classes = sorted({str(value) for value in truth}) if classified(truth) else []
        paths = [*place.glob("project.csv"), *sorted(place.glob("other *.csv"))]
        metric, best, mine = found["metric"], found["best"], matrix(place / "ours.csv", classes)
        reached = scored(metric, truth, mine, classes, numpy.arange(len(truth)))
        low, high = sorted((best["low"], best["high"]))
        low, high = (low, high) if found["greater_is_better"] else (-high, -low)
        held = low <= reached <= high
        print(f"{name}: {metric}, chose {best['name']}, on the test {reached:.4f}, interval {low:.4f} to {high:.4f} "
              f"{'holds' if held else 'DOES NOT HOLD'}, {found['seconds']:.0f} s")  # fmt: skip
        beside(metric, truth, mine, {path.stem: matrix(path, classes) for path in paths}, classes)
        for metric in DATA[name].audited:
            if metric == found["metric"] and metric not in DECIDED:
                continue
            reading = decided if metric in DECIDED else matrix
            mine = reading(place / "ours.csv", classes)
            reached = scored(metric, truth, mine, classes, numpy.arange(len(truth)))
            print(f"  {metric} of the audit, on the test {reached:.4f}")
            beside(metric, truth, mine, {path.stem: reading(path, classes) for path in paths}, classes)


def beside(
    metric: str, truth: numpy.ndarray, mine: numpy.ndarray, others: Mapping[str, numpy.ndarray], classes: list[str]
) -> None:
    """A line for each other."""
    draw, every = numpy.random.default_rng(0), numpy.arange(len(truth))
    drawn = [draw.integers(0, len(truth), len(truth)) for _ in range(200)]
    for name, other in others.items():
        theirs = scored(metric, truth, other, classes, every)
        apart = numpy.std([scored(metric, truth, mine, classes, rows) - scored(metric, truth, other, classes, rows)
                           for rows in drawn])  # fmt: skip
        gap = scored(metric, truth, mine, classes, every) - theirs
        mark = "BEHIND" if gap < -2 * apart else "ahead" if gap > 2 * apart else "level"
        print(f"    {name.removeprefix('other '):24} {theirs:.4f}  {gap:+.4f} ± {apart:.4f}  {mark}")


def scored(metric: str, truth: numpy.ndarray, said: numpy.ndarray, names: list[str], rows: Any) -> float:
    """Higher is better; `said` are probabilities in the order of `names`, or values."""
    truth, said = truth[rows], said[rows]
    if metric in NUMBERS:
        truth = truth.astype(float)
        if metric == "r2":
            return float(metrics.r2_score(truth, said[:, 0]))
        return -float(
            numpy.sqrt(numpy.mean((truth - said[:, 0]) ** 2))
            if metric == "rmse"
            else numpy.abs(truth - said[:, 0]).mean()
        )
    if metric == "log_loss":
        return -float(metrics.log_loss(truth, said, labels=names))
    rare = min(names, key=list(truth).count)
    if metric == "average_precision":
        return float(metrics.average_precision_score(truth == rare, said[:, names.index(rare)]))
    if metric == "roc_auc":
        if len(names) == 2:
            return float(metrics.roc_auc_score(truth == rare, said[:, names.index(rare)]))
        shares = said / said.sum(axis=1, keepdims=True)  # those that were written with few digits
        return float(metrics.roc_auc_score(truth, shares, labels=names, multi_class="ovr"))
    chosen = numpy.array(names)[said.argmax(1)]
    if metric == "balanced_accuracy":
        return float(metrics.balanced_accuracy_score(truth, chosen))
    assert metric == "accuracy", metric
    return float((truth == chosen).mean())


def matrix(path: Path, names: list[str]) -> numpy.ndarray:
    """What a file predicts, (n, classes) in the order of names, or (n, 1)."""
    frame = pandas.read_csv(path, keep_default_na=False)
    if not names:
        return frame[["prediction"]].to_numpy(float)
    columns = {column.removeprefix("probability of ").removeprefix("p_"): column for column in frame}
    return numpy.stack([frame[columns[name]].to_numpy(float) for name in names], axis=1)


def decided(path: Path, names: list[str]) -> numpy.ndarray:
    """The class that a file says as one of (n, classes), or the probabilities where it says none."""
    frame = pandas.read_csv(path, keep_default_na=False, dtype=str)
    if "prediction" not in frame:
        return matrix(path, names)
    return (frame[["prediction"]].to_numpy() == numpy.array(names)).astype(float)
