"""Handwritten digits that scikit-learn ships, in a file as somebody would have it, and the task of telling them apart."""

from __future__ import annotations

from pathlib import Path

import numpy
from sklearn.datasets import load_digits

from advisor.distributed.task import Task


def write_digits(folder: Path) -> Path:
    """A table of 64 pixels and the digit a row."""
    digits = load_digits()
    path = folder / "digits.csv"
    header = ",".join([*(f"pixel{number}" for number in range(64)), "digit"])
    rows = numpy.column_stack([digits.data, digits.target])
    numpy.savetxt(path, rows, delimiter=",", fmt="%d", header=header, comments="")
    return path


def digits_task(path: Path, **changed: object) -> Task:
    settings = {"hidden_units": (32,), "rate": 0.05, "batch": 16, **changed}
    return Task("ffn", "tabular", 1, 1, data=str(path), target="digit", **settings)  # type: ignore[arg-type]
