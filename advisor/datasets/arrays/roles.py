"""The roles of the arrays in a file: the data, the target, and the shape of an example."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from advisor.datasets.arrays.stored import StoredArray
from advisor.datasets.dataset import Remark
from advisor.datasets.refusals import unreadable
from advisor.errors import did_you_mean
from advisor.wording import join_names, shorten

_DATA = ("x", "data", "images", "image", "inputs", "input", "features", "series", "samples", "examples", "arr_0")
_TARGETS = ("y", "target", "targets", "label", "labels", "class", "classes", "output", "outputs", "arr_1")
_TRAINING = ("_train", "_training", "train_")
_KINDS = "fiub"
"""Kinds of numbers that can be data: floats, whole numbers, yes or no."""
MOST_AN_EXAMPLE = 64 * 2**20
"""Bytes of an example."""
SAVE_PLAIN = "Save plain numbers: numpy.savez(FILE, data=..., target=...)."


@dataclass(frozen=True, slots=True)
class Roles:
    """The data, the target, and the shape of an example."""

    data: StoredArray
    target: StoredArray | None
    target_column: int | None
    """Of the data itself, where a single table of numbers holds both."""
    modality: str
    inputs: int
    """Values of an example, or of one step."""
    steps: int | None = None
    picture_size: tuple[int, int] = (0, 0)
    """Height and width."""
    colours: int = 1
    channels_first: bool = False
    remarks: tuple[Remark, ...] = ()

    @property
    def target_name(self) -> str | None:
        if self.target_column is not None:
            return str(self.target_column)
        return self.target.name if self.target else None


def roles_of(path: Path, arrays: Sequence[StoredArray], target: str | None) -> Roles:
    """Tell the data and the target apart.

    Raises InputError where no array can be the data, or the one that is named cannot be the target.
    """
    objects = [array for array in arrays if array.kind.hasobject]
    usable = [array for array in arrays if not array.kind.hasobject]
    if objects and (not usable or target in {array.name for array in objects}):
        what = "it holds Python objects, which only pickle reads, and a pickle can run any program"
        raise unreadable(path, what, SAVE_PLAIN)
    if not usable:
        raise unreadable(path, "there is no array in it", SAVE_PLAIN)
    data = _data(path, usable, target)
    answer = _target(path, usable, data, target)
    column = _column(path, data, target) if answer is None and target is not None else None
    remarks = list(_remarks(arrays, data, answer, objects))
    if answer is not None and answer.rows != data.rows:
        what = f"{_name(data)} has {data.rows:,} examples, but {_name(answer)} has {answer.rows:,} targets"
        raise unreadable(path, what, "Both need the same length along their first axis.")
    if data.rows == 0 or 0 in data.shape:
        what = f"{_name(data)} is empty: its shape is {_shape(data)}"
        raise unreadable(path, what, "Check that it was filled before it was saved.")
    _check_sizes(path, data, answer)
    return _shaped(path, data, answer, column, tuple(remarks))


def _check_sizes(path: Path, data: StoredArray, answer: StoredArray | None) -> None:
    """Raise InputError where one example is more than may be held: a small file can unpack to very much."""
    if data.row_bytes > MOST_AN_EXAMPLE:
        what = f"an example of {_name(data)} takes {data.row_bytes / 1e6:,.0f} MB: its shape is {_shape(data)}"
        remedy = (
            f"Examples are along the first axis, and may take {MOST_AN_EXAMPLE / 1e6:.0f} MB each: cut them smaller."
        )
        raise unreadable(path, what, remedy)


def _data(path: Path, arrays: Sequence[StoredArray], target: str | None) -> StoredArray:
    able = [array for array in arrays if array.kind.kind in _KINDS and len(array.shape) >= 2 and array.name != target]
    for array in sorted(able, key=lambda one: _rank(one.name, _DATA)):
        if _rank(array.name, _DATA) < len(_DATA):
            return array
    unnamed = [array for array in able if _rank(array.name, _TARGETS) == len(_TARGETS)]
    if unnamed or able:
        return max(unnamed or able, key=lambda one: one.bytes)
    found = join_names([f"{_name(array)} {_shape(array)} of {array.kind}" for array in arrays[:4]])
    what = f"no array in it can be data; it holds {shorten(found, 150)}"
    raise unreadable(path, what, "Data are numbers with two axes or more, the first one over the examples.")


def _rank(name: str, names: Sequence[str]) -> int:
    """The rank of a name among those of data, or of targets; the training part goes before others."""
    plain = name.casefold()
    for part in _TRAINING:
        plain = plain.replace(part, "")
    return names.index(plain) if plain in names else len(names)


def _target(path: Path, arrays: Sequence[StoredArray], data: StoredArray, target: str | None) -> StoredArray | None:
    others = [array for array in arrays if array is not data and array.kind.kind in _KINDS + "US"]
    if target is not None:
        named = [array for array in others if array.name == target]
        if not named and data.name:
            names = [shorten(array.name) for array in others]
            what = f"there is no array {shorten(target)!r} that could be the target"
            raise unreadable(path, what, did_you_mean(target, names))
        if named and not 1 <= len(named[0].shape) <= 2:
            raise unreadable(
                path, f"the array {shorten(target)} has the shape {_shape(named[0])}", "A target has one or two axes."
            )
        if named and not _fits(named[0]):
            kind = "words" if named[0].kind.kind in "US" else "numbers"
            what = f"the array {shorten(target)} holds {kind} in {named[0].shape[1]} columns, which are no targets"
            raise unreadable(path, what, "Save one class for each example, or some numbers.")
        return named[0] if named else None
    fitting = [array for array in others if _fits(array) and array.rows == data.rows]
    ranked = sorted(fitting, key=lambda one: _rank(one.name, _TARGETS))
    if ranked and _rank(ranked[0].name, _TARGETS) < len(_TARGETS):
        return ranked[0]
    plain = [array for array in fitting if math.prod(array.shape[1:]) == 1]
    return plain[0] if len(plain) == 1 else None


def _fits(array: StoredArray) -> bool:
    """True where its shape is that of targets: one for each example, or several numbers."""
    if len(array.shape) == 2:
        return array.shape[1] == 1 or (array.shape[1] > 1 and array.kind.kind in _KINDS)
    return len(array.shape) == 1


def _column(path: Path, data: StoredArray, target: str | None) -> int:
    """The number of a column in a single table of numbers."""
    text = (target or "").strip()
    width = data.shape[1] if len(data.shape) == 2 else 0
    if width >= 2 and text.lstrip("-").isdecimal() and -width <= int(text) < width:
        return int(text) % width
    what = f"{shorten(text)!r} names no target in it, since the columns of an array have no names"
    remedy = (
        f"Give the number of a column, 0 to {width - 1}, or -1 for the last."
        if width >= 2
        else "Save data and target as NPZ."
    )
    raise unreadable(path, what, remedy)


def _shaped(
    path: Path, data: StoredArray, answer: StoredArray | None, column: int | None, remarks: tuple[Remark, ...]
) -> Roles:
    """Tell by the number of axes whether an example is a row, a picture or a series."""
    shape = data.shape
    if len(shape) == 2:
        return Roles(data, answer, column, "tabular", shape[1] - (column is not None), remarks=remarks)
    if len(shape) == 3 and _is_pictures(data):
        return Roles(data, answer, None, "image", shape[1] * shape[2], picture_size=shape[1:], remarks=remarks)
    if len(shape) == 3:
        return Roles(data, answer, None, "time_series", shape[2], steps=shape[1], remarks=remarks)
    first = len(shape) == 4 and shape[1] in (1, 3, 4) and shape[3] not in (1, 3, 4)
    if len(shape) == 4 and (first or shape[3] in (1, 3, 4)):
        size = (shape[2], shape[3]) if first else (shape[1], shape[2])
        colours = min(3, shape[1] if first else shape[3])  # a fourth channel says how transparent a pixel is
        return Roles(data, answer, None, "image", colours * math.prod(size), None, size, colours, first, remarks)
    what = f"{_name(data)} has the shape {_shape(data)}, which is neither rows, nor series, nor pictures"
    shapes = (
        "Rows are (n, values), series (n, steps, values), pictures (n, height, width) or (n, height, width, colours)."
    )
    raise unreadable(path, what, shapes)


def _is_pictures(data: StoredArray) -> bool:
    """True where three axes are pictures and not series: by the name, bytes, or as many rows as columns."""
    named = any(word in data.name.casefold() for word in ("image", "picture", "pixel", "img"))
    square = data.shape[1] == data.shape[2] and data.shape[1] >= 4
    return named or data.kind == "uint8" or square


def _remarks(
    arrays: Sequence[StoredArray], data: StoredArray, answer: StoredArray | None, objects: Sequence[StoredArray]
) -> Iterator[Remark]:
    others = [shorten(array.name, 30) for array in arrays if array not in (data, answer) and array not in objects]
    if others:
        names = join_names(others if len(others) <= 5 else [*others[:4], f"{len(others) - 4} others"])
        yield Remark(
            f"The data are {_name(data)} {_shape(data)}; {names} {'was' if len(others) == 1 else 'were'} left alone."
        )
    if objects:
        names = join_names([shorten(array.name, 30) for array in objects[:4]])
        yield Remark(f"Arrays of Python objects are not read, since a pickle can run any program: {names}.")
    if answer is None and data.name:
        yield Remark("No array says what to predict.", remedy="Name one with --target.")


def _name(array: StoredArray) -> str:
    return f"the array {shorten(array.name, 40)}" if array.name else "the array"


def _shape(array: StoredArray) -> str:
    return "(" + ", ".join(map(str, array.shape)) + ")"
