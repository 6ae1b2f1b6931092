"""What is learned from and what is held out, as files in a folder for each set of data."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy
import pandas
from sklearn.model_selection import train_test_split

from .sets import DATA, Data, frame_of

AUDITED = 7
"""The seed of the audit's split, found by its scores: see beside_others.py."""


def write(folder: Path, names: Sequence[str]) -> None:
    """Write train and test of these sets of data."""
    for name in names:
        data, place = DATA[name], folder / name
        place.mkdir(parents=True, exist_ok=True)
        if data.pictures is not None:
            pictures, classes = data.pictures()
            test = anywhere(data, numpy.array(classes))
            write_pictures(place, pictures, classes, test)
        else:
            found, test = divided(data, frame_of(data))
            found[~test].to_csv(place / "train.csv", index=False)
            found[test].to_csv(place / "test.csv", index=False)
        print(f"{name}: {int((~test).sum()):,} to learn from, {int(test.sum()):,} held out")


def divided(data: Data, found: pandas.DataFrame) -> tuple[pandas.DataFrame, numpy.ndarray]:
    """The rows in their order, and which of them are held out."""
    if data.latest:
        found = found.sort_values(data.latest, kind="stable")
    if data.latest or data.seasons:
        return found, numpy.arange(len(found)) >= round(len(found) * 0.8)
    if data.group:
        groups = numpy.random.default_rng(0).permutation(found[data.group].unique())
        return found, found[data.group].isin(groups[: len(groups) // 5]).to_numpy()
    return found, anywhere(data, found[data.target].to_numpy())


def anywhere(data: Data, targets: numpy.ndarray) -> numpy.ndarray:
    """Which rows are held out where any may be: of the audit's data, those that it held out."""
    every = numpy.arange(len(targets))
    if not data.audited:
        return numpy.isin(every, numpy.random.default_rng(0).permutation(len(every))[: len(every) // 5])
    classes = targets if data.codes or classified(targets) else None
    return numpy.isin(every, train_test_split(every, test_size=0.2, random_state=AUDITED, stratify=classes)[1])


def write_pictures(place: Path, pictures: numpy.ndarray, names: Sequence[str], test: numpy.ndarray) -> None:
    """A folder for each class."""
    from PIL import Image

    for number, (picture, name) in enumerate(zip(pictures, names, strict=True)):
        into = place / ("test" if test[number] else "train") / name
        into.mkdir(parents=True, exist_ok=True)
        Image.fromarray(picture).save(into / f"{number:05}.png")


def source(place: Path, part: str) -> Path:
    """The file or folder of `train` or `test`."""
    return place / (f"{part}.csv" if DATA[place.name].target else part)


def read(place: Path, part: str) -> tuple[Any, numpy.ndarray]:
    """Inputs and what is predicted."""
    data = DATA[place.name]
    if data.pictures is not None:
        from PIL import Image

        paths = sorted((place / part).glob("*/*.png"))
        return numpy.stack([numpy.asarray(Image.open(path)).ravel() for path in paths]), numpy.array(
            [path.parent.name for path in paths]
        )
    found = pandas.read_csv(source(place, part))
    inputs = found.drop(columns=[data.target, *([data.group] if data.group else [])])
    for column in (*([data.latest] if data.latest else []), *data.dates):
        inputs[column] = pandas.to_datetime(inputs[column]).dt.tz_localize(None)
    if data.text:
        inputs[data.text] = inputs[data.text].fillna("")
    targets = found[data.target].to_numpy()
    return inputs, targets.astype(str) if data.codes else targets


def classified(targets: numpy.ndarray) -> bool:
    """Tells classes from numbers."""
    return targets.dtype.kind not in "fiu"


def origins(data: Data, truth: numpy.ndarray) -> numpy.ndarray:
    """The places among these held-out values of a series that are forecast."""
    known = numpy.flatnonzero(~pandas.isna(truth))
    return known[numpy.unique(numpy.linspace(0, len(known) - 1, data.origins).astype(int))]
