"""Inspected data brought into memory as examples that models learn from."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy

from advisor.datasets.dataset import Examples, Inspection, Task
from advisor.datasets.quiet import native_silence
from advisor.datasets.refusals import not_opened, unlearnable
from advisor.datasets.tables.series.series import SeriesReading
from advisor.wording import shorten

FEWEST_OF_OTHERS = 3
"""Examples that are not of the largest class."""


def load(inspection: Inspection, *, most_examples: int, seed: int = 0, horizon: int = 1) -> Examples:
    """Bring at most so many examples into memory, in the order of the files; of more, an even sample that keeps classes' shares.

    Args:
        horizon: steps that an example of a forecast predicts.

    Raises InputError where there is no target, nothing to learn from, next to nothing but one class, or the data changed
    since they were inspected.
    """
    if inspection.reading is None:
        remedy = "Their facts serve advice: `advisor recommend --data`."
        raise unlearnable(inspection.path, f"{inspection.modality}s cannot be tried yet", remedy)
    if inspection.task is None:
        raise unlearnable(inspection.path, "it is not known what to predict", inspection.task_remedy)
    try:
        with native_silence():
            reading = inspection.reading
            if horizon > 1 and isinstance(reading, SeriesReading):
                reading = replace(reading, horizon=horizon)
            examples = reading.load(inspection, most_examples, seed)
    except OSError as error:
        raise not_opened(Path(inspection.path), error) from None
    if examples.task is Task.CLASSIFY:
        _refuse_single_class(inspection, examples)
    return examples


def _refuse_single_class(inspection: Inspection, examples: Examples) -> None:
    """Raise InputError where next to no example is of another class: some must test what was learned from others."""
    numbers, counts = numpy.unique(examples.targets, return_counts=True)
    others = int(counts.sum() - counts.max())
    if others >= FEWEST_OF_OTHERS:
        return
    most = shorten(examples.classes[numbers[counts.argmax()]], 30)
    there = {0: "there is no example", 1: "there is one example"}.get(others, f"there are {others} examples")
    among = f" among the {len(examples):,} that were taken" if examples.left_out else ""
    raise unlearnable(
        inspection.path,
        f"{there} of another class than {most!r}{among}, and some must test what was learned from others",
        "Find more examples of what is rare: some dozens before scores mean much.",
    )
