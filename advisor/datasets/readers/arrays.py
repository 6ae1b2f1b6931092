"""NPY and NPZ: which array is the data and which the target, what they are like, and their examples in memory."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy
import polars
from numpy.typing import NDArray

from advisor.datasets import fingerprint
from advisor.datasets.dataset import Examples, Format, Inspection, Remark, Task, Weight
from advisor.datasets.formats import unreadable
from advisor.datasets.labels import class_numbers
from advisor.datasets.readers.array_files import StoredArray, column_of, rows_of, stored_arrays
from advisor.datasets.readers.array_roles import Roles, roles_of
from advisor.datasets.readers.pictures import resized, side_for
from advisor.datasets.sampling import Positions, spread, stratified
from advisor.errors import InputError
from advisor.facts.vocabulary import Value
from advisor.wording import join_names, shorten

AnyArray: TypeAlias = NDArray[Any]

SAMPLE_BYTES = 64 * 2**20
MOST_SAMPLED = 5_000
FIRST_ROWS_FROM = 2**30
"""Bytes of an array in an archive from which only its first rows are looked at."""
MOST_BYTES = 2**30
"""Of examples in memory."""
MOST_NAMED = 5
"""Columns that a remark names."""


def inspect_array(path: Path, target: str | None, told: Task | None = None) -> Inspection:
    """What an NPY or NPZ file is. `target` names an array, or in a single table of numbers the number of a column.

    Targets are read for the task that is told. Raises InputError where they do not allow that, and where the file is
    damaged, holds objects (which only pickle reads, and pickle can run any program), no array that can be data, or data
    without a single number.
    """
    roles = roles_of(path, stored_arrays(path), target)
    data = roles.data
    positions = _sample(data)
    whole = len(positions) == data.rows
    values = rows_of(path, data, positions)
    if whole and not _numbers_in(values, roles):
        raise _nothing_in(path)
    target_values = _targets_of(path, roles)
    task, classes = judged_target(target_values)
    if told is not None and target_values is not None and told is not task:
        task, classes = _as_told(path, target_values, told)
    disk = path.stat().st_size
    facts: dict[str, Value] = {
        "data.modality": roles.modality, "data.examples": data.rows, "data.bytes": max(1, disk),
        "data.inputs": roles.inputs,
    }  # fmt: skip
    if roles.steps is not None:
        facts["data.sequence_length"] = roles.steps
    labels = 0 if task is not None or target_values is None else target_values.shape[1]
    if labels:
        facts |= {
            "task.kind": "classify",
            "task.multilabel": True,
            "task.outputs": labels,
            "data.labelled_fraction": 1.0,
        }
    elif task is not None and target_values is not None:
        facts |= _target_facts(task, classes, target_values)
    if len(classes) == 1:
        task = None
    reading: dict[str, Any] = {
        "data": data.name, "target": roles.target.name if roles.target else None, "target_column": roles.target_column,
        "channels_first": roles.channels_first,
    }  # fmt: skip
    if roles.modality == "image":
        height, width = roles.picture_size
        reading |= {"side": side_for(width, height), "colours": roles.colours, "largest": _largest(values)}
    return Inspection(
        path=str(path),
        format=Format.NPZ if data.name else Format.NPY,
        modality=roles.modality,
        examples=data.rows,
        facts=facts,
        fingerprint=fingerprint.of_file(path, roles.target_name),
        target=roles.target_name,
        task=task,
        classes=classes,
        remarks=(*roles.remarks, *_remarks(roles, values, target_values, task, classes)),
        sampled="" if whole else f"Looked at the values of {len(positions):,} of {data.rows:,} examples.",
        bytes=disk,
        memory_bytes=data.rows * roles.inputs * (roles.steps or 1) * 4,
        reading=reading,
    )


def judged_target(values: AnyArray | None) -> tuple[Task | None, tuple[str, ...]]:
    """What the targets ask for: texts, yes or no, few whole numbers and one-hot rows are classes, other numbers are numbers.

    No task of those that can be tried where an example has several labels: rows of 0 and 1 with any number of ones.
    """
    if values is None:
        return None, ()
    if values.ndim == 2:
        if _one_hot(values):
            return Task.CLASSIFY, _names(values.argmax(axis=1))
        return (None if _several_labels(values) else Task.REGRESS), ()
    if values.dtype.kind in "fiu":
        known = values[numpy.isfinite(values)]
        distinct = len(numpy.unique(known))
        whole = bool((known == numpy.round(known)).all())
        few = distinct <= max(20, min(1000, int(len(known) ** 0.5)))
        if not (whole and few and distinct * 2 <= len(known)):
            return Task.REGRESS, ()
    return Task.CLASSIFY, _names(values)


def _as_told(path: Path, values: AnyArray, task: Task) -> tuple[Task | None, tuple[str, ...]]:
    """What targets are for a task that they do not look like. Raises InputError where they cannot be read for it."""
    if task is Task.REGRESS:
        if values.dtype.kind not in "fiub":
            what = "its targets are words, so that no number can be foretold (task.kind is regress)"
            raise unreadable(path, what, "Leave task.kind out, or name an array of numbers.")
        return Task.REGRESS, ()
    if values.ndim == 2 and _several_labels(values):
        what = f"its targets are several labels for one example ({values.shape[1]} columns of 0 and 1), which cannot be tried yet"
        raise unreadable(
            path, what, "`advisor recommend` plans for them; with task.kind=regress they are tried as numbers."
        )
    if values.ndim == 2:
        what = f"its targets are {values.shape[1]} numbers for each example and no classes (task.kind is {task})"
        raise unreadable(path, what, "Leave task.kind out, or save one class for each example, numbered from 0.")
    whole = bool((values == numpy.round(values))[numpy.isfinite(values)].all())
    distinct = len(numpy.unique(values))
    if not whole or distinct * 2 > len(values):
        what = f"its targets have {distinct:,} different values and are no classes (task.kind is {task})"
        raise unreadable(path, what, "Leave task.kind out, or put them into a few classes, numbered from 0, first.")
    return Task.CLASSIFY, _names(values)


def load_arrays(inspection: Inspection, most_examples: int, seed: int) -> Examples:
    """Examples of the modality, and their targets; those whose target is missing are left out.

    Raises InputError where the file changed, no example has a target, or those that have one hold no number.
    """
    path = Path(inspection.path)
    roles = roles_of(path, stored_arrays(path), inspection.target)
    answers = _targets_of(path, roles)
    if answers is None:
        raise unreadable(path, "no array says what to predict", "Name one with --target.")
    targets, known = _numbered(answers, inspection)
    if not len(known):
        raise unreadable(path, "no example has a target", "Name another array with --target.")
    bytes_each = (4 + roles.data.kind.itemsize) * roles.inputs * (roles.steps or 1)  # as read, and as floats beside it
    most = max(1, min(most_examples, MOST_BYTES // bytes_each))
    chosen = stratified(targets, most, seed) if inspection.task is Task.CLASSIFY else spread(len(known), most)
    left_out = [f"{roles.data.rows - len(known):,} have no target." if len(known) < roles.data.rows else ""]
    if len(chosen) < len(known):
        left_out.append(f"{len(chosen):,} of {len(known):,} examples were taken, evenly from all of the file.")
    values = rows_of(path, roles.data, known[chosen])
    if not _numbers_in(values, roles):
        raise _nothing_in(path)
    return Examples(
        inspection.modality,
        inspection.task or Task.REGRESS,
        _inputs(values, roles, inspection),
        targets[chosen],
        inspection.classes,
        left_out=" ".join(filter(None, left_out)),
    )


def _numbers_in(values: AnyArray, roles: Roles) -> bool:
    """Whether any input is a number, neither missing nor infinite."""
    if values.dtype.kind != "f":
        return True
    inputs = values if roles.target_column is None else numpy.delete(values, roles.target_column, axis=1)
    return bool(numpy.isfinite(inputs).any())


def _nothing_in(path: Path) -> InputError:
    what = "all its values are missing (NaN) or infinite, so that nothing is left to learn from"
    return unreadable(path, what, "Check how the array was filled before it was saved.")


def _inputs(values: AnyArray, roles: Roles, inspection: Inspection) -> polars.DataFrame | AnyArray:
    match inspection.modality:
        case "image":
            return _pictures(values, roles, inspection.reading)
        case "time_series":
            return values.astype(numpy.float32)
    kept = [column for column in range(values.shape[1]) if column != roles.target_column]
    return polars.DataFrame({f"column {column}": values[:, column].astype(numpy.float64) for column in kept})


def _pictures(values: AnyArray, roles: Roles, reading: Mapping[str, Any]) -> NDArray[numpy.float32]:
    """(n, colours, side, side) between 0 and 1."""
    if values.ndim == 3:
        values = values[:, None]
    elif not roles.channels_first:
        values = values.transpose(0, 3, 1, 2)
    scaled: NDArray[numpy.float32] = values[:, : roles.colours].astype(numpy.float32)
    scaled /= numpy.float32(reading["largest"])
    side = reading["side"]
    if scaled.shape[2:] == (side, side):
        return scaled
    smaller = [numpy.stack([resized(colour, side) for colour in picture]) for picture in scaled]
    return numpy.stack(smaller)


def _largest(values: AnyArray) -> float:
    """What stands for full brightness: the largest number of the type that pictures are kept in, else of those seen."""
    if values.dtype.kind == "b":
        return 1.0
    if values.dtype == numpy.uint8:
        return 255.0
    finite = numpy.abs(values[numpy.isfinite(values)])
    return float(finite.max(initial=0)) or 1.0


def _sample(data: StoredArray) -> Positions:
    """Evenly from all of an array, but the first ones of a huge one in an archive, which is unpacked in order."""
    most = max(1, min(MOST_SAMPLED, SAMPLE_BYTES // max(1, data.row_bytes)))
    if data.name and data.bytes > FIRST_ROWS_FROM:
        return numpy.arange(min(most, data.rows))
    return spread(data.rows, most)


def _targets_of(path: Path, roles: Roles) -> AnyArray | None:
    """All targets, (n,) or of several numbers (n, k)."""
    if roles.target_column is not None:
        return column_of(path, roles.data, roles.target_column)
    if roles.target is None:
        return None
    values = rows_of(path, roles.target, numpy.arange(roles.data.rows))
    return values[:, 0] if values.ndim == 2 and values.shape[1] == 1 else values


def _numbered(values: AnyArray, inspection: Inspection) -> tuple[AnyArray, Positions]:
    """Targets as a model learns them, and the positions of the examples that have one."""
    if inspection.task is Task.CLASSIFY:
        labels = _labels(values.argmax(axis=1) if values.ndim == 2 else values)
        known = numpy.array([position for position, label in enumerate(labels) if label], numpy.int64)
        return class_numbers([labels[position] for position in known], inspection.classes)[0], known
    numbers = values.astype(numpy.float64).reshape(len(values), -1)
    known = numpy.flatnonzero(numpy.isfinite(numbers).all(axis=1))
    return numbers[known], known


def _labels(values: AnyArray) -> list[str]:
    """Classes as words, whole numbers without a point; empty for a missing one."""
    if values.dtype.kind == "S":
        return [value.decode("utf-8", "replace").strip() for value in values.tolist()]
    if values.dtype.kind == "f":
        return [f"{value:.0f}" if math.isfinite(value) else "" for value in values.tolist()]
    return [str(value).strip().lower() if values.dtype.kind == "b" else str(value).strip() for value in values.tolist()]


def _names(values: AnyArray) -> tuple[str, ...]:
    """The classes: numbers by their size, words by the alphabet."""
    return tuple(label for label in dict.fromkeys(_labels(numpy.unique(values))) if label)


def _one_hot(values: AnyArray) -> bool:
    """Whether each row has a single 1 among zeros, and so stands for a class."""
    numbers = values.astype(numpy.float64)
    return bool(values.shape[1] > 1 and numpy.isin(numbers, (0.0, 1.0)).all() and (numbers.sum(axis=1) == 1).all())


def _several_labels(values: AnyArray) -> bool:
    """Whether each row has a 0 or 1 for each of several labels."""
    return values.shape[1] > 1 and values.dtype.kind in "fiub" and set(numpy.unique(values).tolist()) == {0, 1}


def _target_facts(task: Task, classes: Sequence[str], values: AnyArray) -> dict[str, Value]:
    if task is Task.REGRESS:
        known = numpy.isfinite(values.astype(numpy.float64)).reshape(len(values), -1).all(axis=1)
        outputs = values.shape[1] if values.ndim == 2 else 1
        return {"task.kind": "regress", "task.outputs": outputs, "data.labelled_fraction": float(known.mean())}
    if len(classes) < 2:
        return {}
    labels = [label for label in _labels(values.argmax(axis=1) if values.ndim == 2 else values) if label]
    sizes = Counter(labels).values()
    return {
        "task.kind": "classify", "task.outputs": len(classes), "data.labelled_fraction": len(labels) / len(values),
        "data.imbalance": round(max(sizes) / min(sizes), 3),
    }  # fmt: skip


def _remarks(
    roles: Roles, values: AnyArray, targets: AnyArray | None, task: Task | None, classes: Sequence[str]
) -> Iterator[Remark]:
    if values.dtype.kind == "f":
        yield from _remarks_on_gaps(roles, values)
    if roles.modality == "image":
        height, width = roles.picture_size
        side = side_for(width, height)
        if (side, side) != (height, width):
            yield Remark(
                f"Trials make the pictures {side}x{side} instead of {width}x{height}, to be done within minutes."
            )
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
            f"The target has {distinct:,} different values, so it is taken for a number to predict and not for classes."
        )


def _remarks_on_gaps(roles: Roles, values: AnyArray) -> Iterator[Remark]:
    """Values that are missing or infinite, those of which there is no other, and columns that never change."""
    empty = _empty(roles, values)
    if empty:
        table = roles.modality == "tabular"
        names = [f"{'column' if table else 'value'} {number}" for number in empty[:MOST_NAMED]]
        more = [f"{len(empty) - MOST_NAMED:,} more"] if len(empty) > MOST_NAMED else []
        which = "Columns" if table else "Values of a step"
        share = f"{len(empty):,} of {roles.inputs:,} ({join_names(names + more)})"
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
