"""Inspected data brought into memory as examples that models learn from."""

from __future__ import annotations

import math
from typing import Any

import numpy
import polars
from numpy.typing import NDArray

from advisor.datasets import windows
from advisor.datasets.dataset import Examples, Format, Inspection, Task
from advisor.datasets.labels import class_numbers
from advisor.datasets.readers import arrays, pictures, sounds, texts
from advisor.datasets.sampling import Positions, evened, floor_of_a_class, spread, stratified
from advisor.datasets.series.series import seconds
from advisor.datasets.tables import table
from advisor.datasets.tables.columns import INFINITE
from advisor.datasets.values import as_texts, finite
from advisor.errors import InputError, input_error
from advisor.wording import shorten

FEWEST_OF_OTHERS = 3
"""Examples that are not of the largest class."""
_MANY_THE_SAME = 0.01
"""Share of the rows that are copies of others from which on copies are kept together."""
_MANY_COMBINATIONS = 10
"""Of the values of all columns, for each row, from which on chance alone makes next to no copies."""
_MOST_BYTES = 2**27
"""Of a file, read to find examples of rare classes."""
_MOST_CELLS = 5_000_000
"""Read to find examples of rare classes."""
TITLE = "Nothing can be learnt from these data"


def load(inspection: Inspection, *, most_examples: int, seed: int = 0) -> Examples:
    """At most so many examples, in the order of the files; where there are more, an even sample that keeps classes' shares.

    Raises InputError where there is no target, nothing to learn from, next to nothing but one class, or the data changed
    since they were inspected.
    """
    if inspection.format is Format.EDGES:
        raise _refused(
            inspection, "graphs cannot be tried yet", "Their facts serve advice: `advisor recommend --data`."
        )
    if inspection.task is None:
        raise _refused(inspection, "it is not known what to learn", _how_to_name_a_target(inspection))
    examples = _load(inspection, inspection.task, most_examples, seed)
    if examples.task is Task.CLASSIFY:
        _refuse_single_class(inspection, examples)
    return examples


def _load(inspection: Inspection, task: Task, most_examples: int, seed: int) -> Examples:
    match inspection.format:
        case Format.TEXT:
            return texts.load_texts(inspection, most_examples, seed)
        case Format.IMAGES:
            return pictures.load_pictures(inspection, most_examples, seed)
        case Format.SOUNDS:
            return sounds.load_sounds(inspection, most_examples, seed)
        case Format.NPY | Format.NPZ:
            return arrays.load_arrays(inspection, most_examples, seed)
        case _ if "series" in inspection.reading:
            return windows.load_series(inspection, most_examples, seed)
        case _:
            return _load_table(inspection, task, most_examples, seed)


def _refuse_single_class(inspection: Inspection, examples: Examples) -> None:
    """Of what is not the largest class some must judge the result, and others each other."""
    numbers, counts = numpy.unique(examples.targets, return_counts=True)
    others = int(counts.sum() - counts.max())
    if others >= FEWEST_OF_OTHERS:
        return
    most = shorten(examples.classes[numbers[counts.argmax()]], 30)
    there = (
        "there is no example"
        if others == 0
        else f"there {'is one example' if others == 1 else f'are {others} examples'}"
    )
    among = f" among the {len(examples):,} that were taken" if examples.left_out else ""
    raise _refused(
        inspection,
        f"{there} of another class than {most!r}{among}, and some must judge what was learnt from others",
        "Find more examples of what is rare: some dozens before scores mean much.",
    )


def _load_table(inspection: Inspection, task: Task, most_examples: int, seed: int) -> Examples:
    """Rows with a target: the columns of the inputs, typed by what they hold, or their texts joined."""
    if not inspection.inputs:
        remedy = "`advisor inspect` says of each column why it was left out."
        raise _refused(inspection, "no column is left to learn from", remedy)
    frame = table.read_frame(inspection, _rows_to_read(inspection, most_examples), seed)
    target = _readable_target(frame, inspection, task)
    known = frame.filter(target.is_not_null())
    target = target.drop_nulls()
    if known.is_empty():
        raise _refused(inspection, "no row has a value for the target", "Name another column with --target.")
    targets, classes = _numbers(target, inspection, task)
    chosen = _chosen(targets, task, most_examples, seed)
    every, known, targets = targets, known[chosen], targets[chosen]
    inputs = known.select(inspection.inputs)
    groups = _same_rows(inputs) if inspection.group_column is None else _groups(known[inspection.group_column])
    return Examples(
        inspection.modality,
        task,
        texts.joined(inputs) if inspection.modality == "text" else inputs,
        targets,
        classes,
        groups=groups,
        times=None if inspection.time_column is None else _times(known[inspection.time_column]),
        left_out=_left_out(
            inspection,
            rows_read=len(frame),
            with_target=len(target),
            chosen=len(chosen),
            evened=task is Task.CLASSIFY and evened(every, targets),
            repeated=inspection.group_column is None and groups is not None,
        ),
    )


def _rows_to_read(inspection: Inspection, most_examples: int) -> int:
    """So many that as many as wanted have a target, and that those of the rarest class suffice; cells are bounded."""
    labelled, imbalance = (inspection.facts.get(name) for name in ("data.labelled_fraction", "data.imbalance"))
    with_target = most_examples / max(float(labelled), 0.01) if isinstance(labelled, int | float) else most_examples
    rarest = 1.0 if not isinstance(imbalance, int | float) else 1 + float(imbalance)
    for_rarest = floor_of_a_class(most_examples, len(inspection.classes)) * rarest
    size = inspection.facts.get("data.bytes")
    bytes_a_row = size / max(inspection.examples, 1) if isinstance(size, int | float) else 0.0
    most = min(_MOST_CELLS / max(len(inspection.columns), 1), _MOST_BYTES / max(bytes_a_row, 1.0))
    return math.ceil(max(with_target, min(for_rarest, most)))


def _readable_target(frame: polars.DataFrame, inspection: Inspection, task: Task) -> polars.Series:
    """Classes as text, numbers as floats; null where there is none."""
    column = frame[inspection.target or ""]
    if task is Task.CLASSIFY:
        return as_texts(column)
    return finite(column.cast(polars.Float32, strict=False))


def _numbers(target: polars.Series, inspection: Inspection, task: Task) -> tuple[NDArray[Any], tuple[str, ...]]:
    if task is Task.CLASSIFY:
        return class_numbers(target.to_list(), inspection.classes)
    return target.to_numpy().astype(numpy.float64).reshape(-1, 1), ()


def _chosen(targets: NDArray[Any], task: Task, most_examples: int, seed: int) -> Positions:
    return stratified(targets, most_examples, seed) if task is Task.CLASSIFY else spread(len(targets), most_examples)


def _groups(column: polars.Series) -> NDArray[numpy.int64]:
    """A number for each group; a row without one is a group of its own."""
    names = column.cast(polars.String)
    numbers = names.rank("dense").cast(polars.Int64)
    own = polars.Series(numpy.arange(len(column)) + len(column) + 1)
    result: NDArray[numpy.int64] = numbers.zip_with(names.is_not_null(), own).to_numpy()
    return result


def _same_rows(inputs: polars.DataFrame) -> NDArray[numpy.int64] | None:
    """A number for rows that are the same, so that none is tested by what was learnt; None where next to no row comes again.

    None too where there are not many times as many combinations as rows: those come again by themselves.
    """
    combinations = math.prod(column.n_unique() for column in inputs)  # exact: there may be thousands of columns
    if combinations < _MANY_COMBINATIONS * len(inputs):
        return None
    rows = inputs.with_columns(polars.col(polars.Categorical).cast(polars.String)).hash_rows()
    different = rows.n_unique()
    if different > (1 - _MANY_THE_SAME) * len(rows):
        return None
    numbers: NDArray[numpy.int64] = rows.rank("dense").cast(polars.Int64).to_numpy()
    return numbers


def _times(column: polars.Series) -> NDArray[numpy.float64]:
    """Rows without a time come first, so that no test rests on them."""
    times = seconds(column)
    return numpy.where(numpy.isfinite(times), times, -math.inf)


def _left_out(
    inspection: Inspection, *, rows_read: int, with_target: int, chosen: int, evened: bool, repeated: bool
) -> str:
    sentences = []
    if with_target < rows_read:
        missing = rows_read - with_target
        rows, were = ("1 row has", "was") if missing == 1 else (f"{missing:,} rows have", "were")
        column = next((one for one in inspection.columns if one.name == inspection.target), None)
        infinite = " or an infinite one" if column is not None and INFINITE in column.remark else ""
        sentences.append(f"{rows} no value for the target{infinite} and {were} left out.")
    if rows_read < inspection.examples or chosen < with_target:
        how = ", but more of those of rare classes" if evened else ""
        sentences.append(
            f"{chosen:,} of about {inspection.examples:,} rows were taken, evenly from all of the file{how}."
        )
    if repeated:
        sentences.append(
            "Rows with the same inputs count as one group: none is tested by what was learnt from its copy."
        )
    return " ".join(sentences)


def _how_to_name_a_target(inspection: Inspection) -> str:
    if inspection.format in (Format.IMAGES, Format.SOUNDS):
        return "Put the files into a folder for each class."
    return (
        "Name the array of the targets with --target." if inspection.format is Format.NPZ else "Name it with --target."
    )


def _refused(inspection: Inspection, what: str, remedy: str) -> InputError:
    return input_error(TITLE, what, where=shorten(inspection.path, 200), remedy=remedy)
