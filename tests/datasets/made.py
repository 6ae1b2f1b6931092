"""Data for tests: what scikit-learn ships, and seeded pictures, sounds and series, written to real files."""

from __future__ import annotations

import csv
import wave
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy
from PIL import Image
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_wine

from advisor.datasets.dataset import Examples, Inspection, Task

SHIPPED = {
    "digits": load_digits,
    "wine": load_wine,
    "breast cancer": load_breast_cancer,
    "diabetes": load_diabetes,
}


def shipped_csv(name: str, folder: Path) -> Path:
    """A data set of scikit-learn as CSV, with the column `answer` last."""
    data = SHIPPED[name]()
    names = [str(column).replace(" ", "_") for column in data.feature_names]
    rows = [[*map(float, values), answer] for values, answer in zip(data.data, data.target, strict=True)]
    return write_csv(folder / f"{name.replace(' ', '_')}.csv", [*names, "answer"], rows)


def load_data(inspection: Inspection, most_examples: int, seed: int) -> Examples:
    """Examples as their reader loads them, few or of a single class though they may be."""
    assert inspection.reading is not None
    return inspection.reading.load(inspection, most_examples, seed)


def write_csv(path: Path, header: Sequence[str], rows: Sequence[Sequence[Any]]) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(header)
        writer.writerows(rows)
    return path


def write_picture(path: Path, dots: Any) -> Path:
    """(height, width) of grey or (height, width, 3) of colours, 0 to 255."""
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(numpy.asarray(dots, numpy.uint8)).save(path)
    return path


def write_digits(folder: Path, count: int = 60) -> Path:
    """The first pictures of scikit-learn's digits, FOLDER/DIGIT/NUMBER.png."""
    digits = load_digits()
    for number in range(count):
        write_picture(folder / str(digits.target[number]) / f"{number:04}.png", digits.images[number] * 15)
    return folder


def write_sound(path: Path, signal: Any, *, rate: int = 8000, width: int = 2, channels: int = 1) -> Path:
    """A signal between -1 and 1 as WAV with `width` bytes a sample."""
    path.parent.mkdir(parents=True, exist_ok=True)
    whole = numpy.round(numpy.asarray(signal) * (2 ** (8 * width - 1) - 1)).astype(numpy.int64)
    if width == 1:
        data = (whole + 128).astype(numpy.uint8).tobytes()
    else:
        data = whole.astype("<i8").view(numpy.uint8).reshape(-1, 8)[:, :width].tobytes()
    with wave.open(str(path), "wb") as file:
        file.setparams((channels, width, rate, 0, "NONE", ""))
        file.writeframes(data)
    return path


def tone(hertz: float, seconds: float = 0.3, rate: int = 8000) -> Any:
    return 0.5 * numpy.sin(2 * numpy.pi * hertz * numpy.arange(round(seconds * rate)) / rate)


def numbered(count: int, **changes: Any) -> Examples:
    """Series of one step whose value is their position; two classes in turn."""
    given = {
        "modality": "time_series",
        "task": Task.CLASSIFY,
        "inputs": numpy.arange(count, dtype=numpy.float32).reshape(-1, 1, 1),
        "targets": numpy.arange(count) % 2,
        "classes": ("even", "odd"),
    }
    return Examples(**(given | changes))
