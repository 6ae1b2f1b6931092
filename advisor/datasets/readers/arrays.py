"""NPY and NPZ: arrays of rows, pictures or series, with their targets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy
import polars
from numpy.typing import NDArray

from advisor.datasets import fingerprint
from advisor.datasets.arrays.long_numbers import NO_NAMES, LongNumbers, long_numbers, remarks_on_long
from advisor.datasets.arrays.roles import Roles, roles_of
from advisor.datasets.arrays.stored import ARCHIVE, AnyArray, StoredArray, rows_of, stored_arrays
from advisor.datasets.arrays.targets import (
    FIRST_ROWS_FROM,
    Targets,
    judged_target,
    numbered,
    read_as,
    refuse_names,
    target_facts,
    targets_of,
    without_words,
    words_for_missing,
)
from advisor.datasets.dataset import Examples, Inspection, Remark, Task, Weight
from advisor.datasets.media.images import remarks_on_resizing, resized, side_for
from advisor.datasets.reader import Beginning, Evidence, Reader, named_or
from advisor.datasets.refusals import misnamed, unreadable
from advisor.datasets.sampling import Positions, drawn, spread
from advisor.errors import InputError
from advisor.facts.vocabulary import Value
from advisor.wording import join_first, shorten

SUFFIXES = frozenset({".npy", ".npz"})
MAGIC = b"\x93NUMPY"
EMPTY_ARCHIVE = b"PK\x05\x06"
"""The first bytes of an archive that holds nothing."""

SAMPLE_BYTES = 64 * 2**20
MOST_SAMPLED = 5_000
MOST_BYTES = 2**30
"""Of examples in memory."""


@dataclass(frozen=True, slots=True)
class ArraysReading:
    """Arrays whose roles are told again from their headers."""

    largest: float | None
    """Of pictures, the number that stands for full brightness."""
    array: str = ""
    """The name of the examples in an NPZ."""
    names: LongNumbers = NO_NAMES

    def load(self, inspection: Inspection, most_examples: int, seed: int) -> Examples:
        """Examples of the modality, and their targets; those whose target is missing are left out.

        Raises InputError where the file changed, no example has a target, or those that have one hold no number.
        """
        path = Path(inspection.path)
        roles = roles_of(path, stored_arrays(path), inspection.target)
        answers = targets_of(path, roles)
        if answers is None:
            raise unreadable(path, "no array says what to predict", "Name one with --target.")
        targets, known = numbered(answers.values, inspection)
        if not len(known):
            raise unreadable(path, "no example has a target", "Name another array with --target.")
        values_each = roles.inputs * (roles.steps or 1)
        bytes_each = (4 + roles.data.kind.itemsize) * values_each  # as read, and as floats beside it
        most = max(1, min(most_examples, MOST_BYTES // bytes_each))
        chosen = drawn(targets, inspection.task, most, seed)
        looked_at = len(answers.values)
        left_out = [f"{looked_at - len(known):,} have no target." if len(known) < looked_at else ""]
        if len(chosen) < len(known):
            left_out.append(f"{len(chosen):,} of {len(known):,} examples were taken, evenly from all of the file.")
        values = rows_of(path, roles.data, answers.positions[known[chosen]])
        if not _numbers_in(values, roles):
            raise _nothing_in(path)
        return Examples(
            inspection.modality,
            inspection.task or Task.REGRESS,
            _inputs(values, roles, self.largest, self.names),
            targets[chosen],
            inspection.classes,
            left_out=" ".join(filter(None, left_out)),
        )


def recognise(beginning: Beginning) -> Evidence:
    if beginning.start.startswith((ARCHIVE, EMPTY_ARCHIVE)):
        zipped = beginning.suffix == ".npz" or b".npy" in beginning.start[:300]
        return Evidence.MAGIC if zipped else Evidence.NONE
    return named_or(SUFFIXES, beginning, MAGIC)


def inspect(path: Path, target: str | None, stated: Task | None) -> Inspection:
    """Inspect an NPY or NPZ file. `target` names an array, or in a single table of numbers the number of a column.

    Targets are read for the task that is stated. Raises InputError where they do not allow that, and where the file is
    damaged, holds objects (which only pickle reads, and pickle can run any program), no array that can be data, or data
    without a single number.
    """
    with path.open("rb") as file:
        if not file.read(8).startswith((MAGIC, ARCHIVE, EMPTY_ARCHIVE)):
            raise misnamed(path, path.suffix[1:].upper())
    roles = roles_of(path, stored_arrays(path), target)
    data = roles.data
    positions = _sample(data)
    whole = len(positions) == data.rows
    values = rows_of(path, data, positions)
    if whole and not _numbers_in(values, roles):
        raise _nothing_in(path)
    names = long_numbers(values, roles.target_column) if roles.modality == "tabular" else NO_NAMES
    inputs = roles.inputs - len(names.left_out)
    if not inputs:
        what = "all its columns are whole numbers of 16 digits and more that tell rows apart: nothing is left to learn from"
        raise unreadable(path, what, "Save what was measured of each row.")
    targets = targets_of(path, roles)
    target_values = None if targets is None else targets.values
    about_words: tuple[Remark, ...] = ()
    if target_values is not None:
        missing, about_words = words_for_missing(target_values, roles.target_name or "")
        target_values = without_words(target_values, missing)
    task, classes = judged_target(target_values)
    if stated is not None and target_values is not None and stated is not task:
        task, classes = read_as(path, target_values, stated)
    if task is Task.REGRESS and target_values is not None:
        refuse_names(path, target_values)
    disk = path.stat().st_size
    facts: dict[str, Value] = {
        "data.modality": roles.modality, "data.examples": data.rows, "data.bytes": max(1, disk),
        "data.inputs": inputs,
    }  # fmt: skip
    if roles.steps is not None:
        facts["data.sequence_length"] = roles.steps
    if target_values is not None:
        facts |= target_facts(task, classes, target_values)
    if len(classes) == 1:
        task = None
    return Inspection(
        path=str(path),
        format="NPZ" if data.name else "NPY",
        modality=roles.modality,
        examples=data.rows,
        facts=facts,
        fingerprint=fingerprint.of_file(path, roles.target_name),
        target=roles.target_name,
        task=task,
        classes=classes,
        remarks=(
            *roles.remarks,
            *about_words,
            *remarks_on_long(names, values, roles.target_column),
            *_remarks(roles, values, target_values, task, classes),
        ),
        sampled=_sampled(data.rows, len(positions), targets),
        bytes=disk,
        memory_bytes=data.rows * roles.inputs * (roles.steps or 1) * 4,
        reading=ArraysReading(_largest(values) if roles.modality == "image" else None, data.name, names),
        plain=not names.columns,
        written=f"{'NPZ' if data.name else 'NPY'} with long whole numbers as names" if names.columns else "",
        task_remedy="Name the array of the targets with --target." if data.name else "Name it with --target.",
    )


def _sampled(rows: int, looked_at: int, targets: Targets | None) -> str:
    """The part that was read of so many examples and of their targets."""
    of_targets = rows if targets is None else len(targets.positions)
    if looked_at == rows:
        return f"Looked at the targets of {of_targets:,} of {rows:,} examples." if of_targets < rows else ""
    also = f", and at the targets of {of_targets:,}" if of_targets < rows else ""
    return f"Looked at the values of {looked_at:,} of {rows:,} examples{also}."


def _numbers_in(values: AnyArray, roles: Roles) -> bool:
    """True where any input is a number, neither missing nor infinite."""
    if values.dtype.kind != "f":
        return True
    inputs = values if roles.target_column is None else numpy.delete(values, roles.target_column, axis=1)
    return bool(numpy.isfinite(inputs).any())


def _nothing_in(path: Path) -> InputError:
    what = "all its values are missing (NaN) or infinite, so that nothing is left to learn from"
    return unreadable(path, what, "Check how the array was filled before it was saved.")


def _inputs(values: AnyArray, roles: Roles, largest: float | None, names: LongNumbers) -> polars.DataFrame | AnyArray:
    if largest is not None:
        return _pictures(values, roles, largest)
    if roles.modality == "time_series":
        return values.astype(numpy.float32)
    kept = [column for column in range(values.shape[1]) if column not in (roles.target_column, *names.left_out)]
    return polars.DataFrame(
        {f"column {column}": _column(values[:, column], column in names.categories) for column in kept}
    )


def _column(values: AnyArray, named: bool) -> polars.Series:
    """Floats, or categories of whole numbers that are names."""
    if named:
        return polars.Series(values).cast(polars.String).cast(polars.Categorical)
    return polars.Series(values.astype(numpy.float64))


def _pictures(values: AnyArray, roles: Roles, largest: float) -> NDArray[numpy.float32]:
    """(n, colours, side, side) between 0 and 1."""
    if values.ndim == 3:
        values = values[:, None]
    elif not roles.channels_first:
        values = values.transpose(0, 3, 1, 2)
    scaled: NDArray[numpy.float32] = values[:, : roles.colours].astype(numpy.float32)
    scaled /= numpy.float32(largest)
    height, width = roles.picture_size
    side = side_for(width, height)
    if scaled.shape[2:] == (side, side):
        return scaled
    return numpy.stack([numpy.stack([resized(colour, side) for colour in picture]) for picture in scaled])


def _largest(values: AnyArray) -> float:
    """The number that stands for full brightness: the largest of the type that pictures are kept in, else of those seen."""
    if values.dtype.kind == "b":
        return 1.0
    if values.dtype == numpy.uint8:
        return 255.0
    finite = numpy.abs(values[numpy.isfinite(values)])
    return float(finite.max(initial=0)) or 1.0


def _sample(data: StoredArray) -> Positions:
    """Evenly from all of an array, but the first ones of a huge one in an archive, which is unpacked in order."""
    most = max(1, min(MOST_SAMPLED, data.most_rows(), SAMPLE_BYTES // max(1, data.row_bytes)))
    if data.name and data.bytes > FIRST_ROWS_FROM:
        return numpy.arange(min(most, data.rows))
    return spread(data.rows, most)


def _remarks(
    roles: Roles, values: AnyArray, targets: AnyArray | None, task: Task | None, classes: Sequence[str]
) -> Iterator[Remark]:
    if values.dtype.kind == "f":
        yield from _remarks_on_gaps(roles, values)
    if roles.modality == "image":
        height, width = roles.picture_size
        yield from remarks_on_resizing(width, height)
    if targets is not None and task is None and targets.ndim == 2:
        what = f"The target has {targets.shape[1]} columns of 0 and 1: an example can have several labels at once."
        remedy = "They cannot be tried yet, but planned for; with --set task.kind=regress they are tried as numbers."
        yield Remark(what, Weight.WARNING, remedy)
    if len(classes) == 1:
        what = f"All examples are of one class ({shorten(classes[0])}), so there is nothing to tell apart."
        yield Remark(what, Weight.WARNING, "Add examples of other classes, or name another array with --target.")
    elif task is Task.REGRESS and targets is not None and targets.ndim == 1:
        distinct = len(numpy.unique(targets))
        yield Remark(
            f"The target has {distinct:,} different values, so it is read as a number to predict and not as classes."
        )


def _remarks_on_gaps(roles: Roles, values: AnyArray) -> Iterator[Remark]:
    """Values that are missing or infinite, those of which there is no other, and columns that never change."""
    empty = _empty(roles, values)
    if empty:
        table = roles.modality == "tabular"
        names = [f"{'column' if table else 'value'} {number}" for number in empty]
        which = "Columns" if table else "Values of a step"
        share = f"{len(empty):,} of {roles.inputs:,} ({join_first(names)})"
        what = f"{which} without a single number in the examples looked at: {share}."
        yield Remark(what, Weight.WARNING, "They tell nothing: leave them out.")
    others = numpy.delete(values, empty, axis=-1) if empty else values
    missing, infinite = int(numpy.isnan(others).sum()), int(numpy.isinf(others).sum())
    if missing or infinite:
        which = "other values" if empty else "values"
        what = f"{missing:,} of {others.size:,} {which} looked at are missing (NaN), {infinite:,} infinite."
        remedy = "Trials put the median or mean in their place." if missing + infinite < others.size else ""
        yield Remark(what, Weight.WARNING, remedy)
    known = ~numpy.isnan(others)
    lowest = others.min(axis=0, where=known, initial=numpy.inf)
    constant = others.ndim == 2 and int((lowest == others.max(axis=0, where=known, initial=-numpy.inf)).sum())
    if constant:
        yield Remark(f"Columns with the same value in every example: {constant:,}.")


def _empty(roles: Roles, values: AnyArray) -> list[int]:
    """Numbers of the columns of a table, or of the values of a series' step, that are no number in any example."""
    if roles.modality not in ("tabular", "time_series"):
        return []
    found = ~numpy.isfinite(values).any(axis=tuple(range(values.ndim - 1)))
    return [number for number in numpy.flatnonzero(found).tolist() if number != roles.target_column]


READER = Reader("NPY or NPZ", SUFFIXES, inspect, recognise)
