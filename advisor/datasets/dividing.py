"""Examples brought into memory and divided: as the data ask for, or as somebody does, with what such a split gives away."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy
import polars
from numpy.typing import NDArray

from advisor.datasets import fingerprint
from advisor.datasets.again import examples_again, intake_of, told_plainly, truth_of
from advisor.datasets.dataset import Column, Examples, Inspection, Kind, Task
from advisor.datasets.formats import recognise
from advisor.datasets.given import GivenSplit
from advisor.datasets.intake import Intake, Source, TakenColumn
from advisor.datasets.loading import load
from advisor.datasets.matching import matched
from advisor.datasets.media.entries import entries_below
from advisor.datasets.preparing.as_told import TITLE, split_as_told
from advisor.datasets.preparing.leaks import Sides, leaks
from advisor.datasets.preparing.splits import Split, outer_split
from advisor.datasets.readers.arrays import READER as ARRAYS
from advisor.datasets.readers.arrays import ArraysReading
from advisor.datasets.sampling import drawn
from advisor.datasets.tables.examples import TableReading, groups_of, joined, times_of
from advisor.datasets.tables.series.series import SeriesReading
from advisor.datasets.tables.target import no_such_column
from advisor.datasets.values.conversion import seconds
from advisor.errors import InputError, Problem, input_error
from advisor.wording import join_first, shorten

UNFIT = "The test does not fit the data"
FEWEST_TESTED = 2
LONG_GAP = 5
"""Steps between the data and a test of a series, more than which are said; a weekend of days is fewer."""
OTHER_SCALE = 2.0
"""Times the brightness of the data, from which on pictures of a test are of another scale: of 0 to 1, say, and of 0 to 255."""
_ADD_OR_TAKE_OUT = "Add examples of them to the data, or take them out of the test."


@dataclass(frozen=True, slots=True)
class Divided:
    examples: Examples
    """Those to learn from, and those of the test."""
    split: Split
    warned: tuple[str, ...] = ()
    """Oddities of a split that somebody asks for, in sentences."""


def divided(inspection: Inspection, given: GivenSplit, *, most_examples: int, seed: int, horizon: int = 1) -> Divided:
    """Load examples and divide them.

    Args:
        inspection: of the data, as `asked` gives it back.
        given: the split that somebody asks for, if anybody does.
        most_examples: to learn from and to test, and as many more of a test of its own.
        horizon: steps that a forecast predicts.

    Raises InputError where nothing can be learned from them, they cannot be divided so, or the test does not fit them.
    """
    if not given:
        examples = load(inspection, most_examples=most_examples, seed=0, horizon=horizon)
        return Divided(examples, outer_split(examples, seed=seed))
    warned: list[str] = []
    if given.test is None:
        examples, tested = load(inspection, most_examples=most_examples, seed=0, horizon=horizon), 0
    else:
        examples, tested = _with_test(inspection, given, most_examples, horizon, warned)
    told = given.time_column is not None, given.group is not None
    kept = replace(
        examples,
        times=examples.times if told[0] or not any(told) else None,
        groups=examples.groups if told[1] or not any(told) else None,
    )
    split = split_as_told(kept, given, tested=tested, seed=seed)
    if examples.series is not None:  # windows overlap, and what comes later differs
        return Divided(kept, split, tuple(warned))
    sides = Sides(examples, split, inspection.group_column, inspection.time_column)
    return Divided(kept, split, (*leaks(sides, given), *warned))


# --- columns that are named ------------------------------------------------------------------------------------------


def asked(inspection: Inspection, given: GivenSplit) -> Inspection:
    """The inspection of data that are divided in this way: the column of groups tells no model anything.

    Raises InputError where there are no such columns, or one holds no times or no groups.
    """
    named = {"--time-column": given.time_column, "--group": given.group}
    found = {flag: _column(inspection, flag, name) for flag, name in named.items() if name is not None}
    if not found:
        return inspection
    problems = [problem for flag, column in found.items() if (problem := _problem(inspection, flag, column))]
    if problems:
        raise InputError(TITLE, problems)
    inputs = tuple(name for name in inspection.inputs if name != given.group)
    facts = inspection.facts
    if inspection.modality == "tabular" and inputs:
        facts = {**facts, "data.inputs": len(inputs)}
    return replace(
        inspection,
        inputs=inputs,
        facts=facts,
        time_column=given.time_column or inspection.time_column,
        group_column=given.group or inspection.group_column,
    )


def _column(inspection: Inspection, flag: str, name: str) -> Column:
    if not isinstance(inspection.reading, TableReading):
        what, remedy = f"it names a column, and these data have none ({inspection.format})", f"Leave {flag} out."
        if inspection.modality == "time_series":
            what = "these data are series, and a series is divided by its own time"
            remedy = f"Leave {flag} out, or state --set task.kind=regress or classify where each row is an example."
        raise input_error(TITLE, what, where=flag, remedy=remedy)
    found = next((column for column in inspection.columns if column.name == name), None)
    if found is None:
        raise no_such_column(name, [column.name for column in inspection.columns], flag)
    return found


def _problem(inspection: Inspection, flag: str, column: Column) -> Problem | None:
    name, kind = repr(shorten(column.name, 40)), column.kind
    if column.name == inspection.target:
        return Problem(flag, f"{name} is what is to be predicted", "Name another column.")
    if kind in (Kind.EMPTY, Kind.CONSTANT):
        held = "no value in any row" if kind is Kind.EMPTY else "the same value in every row"
        return Problem(flag, f"{name} has {held}, which divides nothing", "Name another column.")
    if kind is Kind.NESTED or (flag == "--time-column" and not _orders(column)):
        held = "lists or objects" if kind is Kind.NESTED else kind.value
        if kind in (Kind.CATEGORY, Kind.TEXT, Kind.IDENTIFIER):
            held = f"words such as {column.examples[0]!r}" if column.examples else "words"
        wanted = "no dates or numbers" if flag == "--time-column" else "no groups"
        remedy = "Name a column of dates, or of numbers that grow with time."
        return Problem(flag, f"{name} holds {held}, and {wanted}", remedy if flag == "--time-column" else "")
    return None


def _orders(column: Column) -> bool:
    """True for dates and numbers; numbers that seem to name the rows may well tell their order."""
    if column.kind is not Kind.IDENTIFIER:
        return column.kind in (Kind.DATE, Kind.NUMBER, Kind.WHOLE)
    try:
        return bool([float(one) for one in column.examples])
    except ValueError:
        return False


# --- a test of its own -----------------------------------------------------------------------------------------------


def fingerprint_of_test(path: Path) -> str:
    """A short name for what a test is, whatever its format. Raises InputError where nothing can be read there."""
    with told_plainly(path):
        if path.is_file():
            return fingerprint.of_file(path, None)
        found = sorted((one.name, one.size) for one in entries_below(path) if not one.fault)
        return fingerprint.of_listing(found, files=[path / name for name, _ in found])


def _with_test(
    inspection: Inspection, given: GivenSplit, most: int, horizon: int, warned: list[str]
) -> tuple[Examples, int]:
    """The examples to learn from, then those of the test, and how many the test has."""
    path = Path(given.test or "")
    if given.fingerprint and fingerprint_of_test(path) != given.fingerprint:
        what = "it is not what it was when this run began"
        raise input_error("The test has changed", what, where=str(path), remedy="Begin anew with --fresh.")

    def say(title: str, what: str) -> None:
        warned.append(f"In the test, {title[:1].lower()}{title[1:]}. {what}")

    try:
        if isinstance(inspection.reading, ArraysReading):
            return _with_arrays(path, inspection, inspection.reading, most)
        intake = _intake(inspection)
        if intake.source is Source.TABLE:
            return _with_table(path, inspection, intake, given, most, say)
        if intake.source is Source.SERIES:
            return _with_series(path, inspection, intake, most, horizon, say)
        return _with_folder(path, inspection, intake, most, say)
    except InputError as error:
        if any(problem.where.startswith(shorten(path, 200)) for problem in error.problems):
            raise InputError(UNFIT, error.problems) from None
        raise


def _intake(inspection: Inspection) -> Intake:
    try:
        return intake_of(inspection)
    except InputError:
        remedy = "Leave --test out: examples are held out of the data then."
        what = (
            "a test of its own can be given for tables, arrays, series with a row for each time, and folders of "
            "pictures, sounds and texts"
        )
        raise input_error(UNFIT, what, where="--test", remedy=remedy) from None


def _with_table(
    path: Path, inspection: Inspection, intake: Intake, given: GivenSplit, most: int, say: Callable[[str, str], None]
) -> tuple[Examples, int]:
    time, group = inspection.time_column, inspection.group_column
    beside = list(dict.fromkeys(name for name in (time, group) if name and name not in inspection.inputs))
    names = [*inspection.inputs, *beside]
    # Columns that only divide are loaded like inputs, and taken out again.
    seen = load(replace(inspection, inputs=tuple(names), modality="tabular"), most_examples=most, seed=0)
    frame = seen.inputs
    assert isinstance(frame, polars.DataFrame)  # noqa: S101 - of a table
    styles = inspection.reading.table.styles if isinstance(inspection.reading, TableReading) else {}
    kinds = {column.name: column.kind for column in inspection.columns}
    taken = (*intake.columns, *(TakenColumn(name, kinds[name], styles.get(name, "")) for name in beside))
    others = tuple(name for name in intake.passed_over if name not in beside)
    intake = replace(intake, columns=taken, passed_over=others, classes=seen.classes)
    with told_plainly(path):
        found = matched(path, intake, say, set(beside) - {given.time_column, given.group})
    if found.target is None or intake.target is None:
        target = repr(shorten(inspection.target, 40))
        remedy = "A test needs the answers, to compare predictions with them."
        raise input_error(UNFIT, f"the target {target} is missing", where=shorten(path, 200), remedy=remedy)
    kept, truth, unknown = _known(truth_of(found.target, intake), found.target, path, seen.task, "rows")
    chosen = drawn(truth, seen.task, most, 0)
    tested = found.inputs.filter(polars.Series(kept))[chosen]
    missing = [polars.lit(None).alias(name) for name in names if name not in tested.columns]
    both = polars.concat([frame, tested.with_columns(missing).select(names).cast(frame.schema)])
    inputs: Any = both.select(inspection.inputs)
    alike = seen.groups  # rows with the same inputs
    if alike is not None:
        alike = numpy.concatenate([alike, alike.max() + 1 + numpy.arange(len(tested))])
    return Examples(
        inspection.modality,
        seen.task,
        joined(inputs) if inspection.modality == "text" else inputs,
        numpy.concatenate([seen.targets, truth[chosen]]),
        seen.classes,
        groups=alike if group is None else groups_of(both[group]),
        times=None if time is None else times_of(both[time]),
        left_out=" ".join(filter(None, (seen.left_out, unknown, _sampled(len(chosen), len(truth))))),
    ), len(chosen)


def _with_series(
    path: Path, inspection: Inspection, intake: Intake, most: int, horizon: int, say: Callable[[str, str], None]
) -> tuple[Examples, int]:
    """The test is what follows: each of its values is predicted by all before it, those of the data and its own."""
    reading, time = inspection.reading, intake.time
    assert isinstance(reading, SeriesReading) and time is not None  # noqa: S101, PT018 - of a series
    columns = (*intake.columns, time, *([intake.group] if intake.group is not None else []))
    with told_plainly(path):
        later = matched(path, replace(intake, columns=columns, target=None), say).inputs
    where = shorten(path, 200)
    try:
        with told_plainly(path):
            found = replace(reading, horizon=horizon).load_with_later(inspection, later, most)
    except LookupError as error:
        remedy = f"The test of a series is its later part, by {shorten(time.name, 40)!r}. Leave earlier rows out of it."
        raise input_error(UNFIT, str(error), where=where, remedy=remedy) from None
    begins = seconds(later[time.name])
    if found.series is not None and (gap := _steps_between(found.series.times, float(numpy.nanmin(begins)))) > LONG_GAP:
        what = f"Between its first row and the last of the data lie {gap:,} steps that neither has"
        say("It begins long after the data end", f"{what}: what is predicted there rests on values from long before.")
    tested = 0 if found.times is None else int((found.times >= begins[numpy.isfinite(begins)].min()).sum())
    if tested < FEWEST_TESTED:
        ahead = "" if horizon == 1 else f" {horizon:,} steps ahead"
        what = f"its {len(later):,} rows are predicted{ahead} {tested} times, and at least {FEWEST_TESTED} are needed"
        remedy = "Add later rows" + (", or take a shorter --horizon." if horizon > 1 else ".")
        raise input_error(UNFIT, what, where=where, remedy=remedy)
    return found, tested


def _steps_between(times: NDArray[Any], begins: float) -> int:
    """The steps that lie between the last of these times (n,), in seconds, that is earlier and this one; 0 where it is next."""
    earlier = numpy.unique(times[times < begins])
    if len(earlier) < 2:
        return 0
    steps = float(begins - earlier[-1]) / float(numpy.median(numpy.diff(earlier)))
    return max(0, round(steps) - 1)


def _with_arrays(path: Path, inspection: Inspection, reading: ArraysReading, most: int) -> tuple[Examples, int]:
    where = shorten(path, 200)
    with told_plainly(path):
        reader = recognise(path)
        if reader is not ARRAYS:
            what = f"this is {reader.name}, and the data are {inspection.format}"
            raise input_error(UNFIT, what, where=where, remedy="Save the test as the data were saved.")
        other = reader.inspect(path, inspection.target, None)
        if (learned := inspection.modality) != (here := other.modality):
            what = f"its examples are of the kind {here}, and those of the data of the kind {learned}"
            raise input_error(UNFIT, what, where=where, remedy="Save the test as the data were saved.")
        bright, here_bright = (
            reading.largest,
            other.reading.largest if isinstance(other.reading, ArraysReading) else None,
        )
        if bright and here_bright and max(bright, here_bright) > OTHER_SCALE * min(bright, here_bright):
            what = f"its pictures reach {here_bright:g}, and those of the data {bright:g}: they are of another scale"
            raise input_error(UNFIT, what, where=where, remedy="Save the test as the data were saved.")
        seen = load(inspection, most_examples=most, seed=0)
        tested = reading.load(replace(inspection, path=str(path)), most, 0)
    learned, here = _held(seen), _held(tested)
    if learned != here:
        what = f"its examples have {here}, and those of the data have {learned}"
        raise input_error(UNFIT, what, where=where, remedy="Save the test as the data were saved.")
    if new := int((tested.targets >= len(seen.classes)).sum()) if seen.task is Task.CLASSIFY else 0:
        what = f"{new:,} of its {len(tested):,} examples are of classes that the training does not have"
        raise input_error(UNFIT, what, where=where, remedy=_ADD_OR_TAKE_OUT)
    if len(tested) < FEWEST_TESTED:
        what = f"there is one example in it, and at least {FEWEST_TESTED} are needed"
        raise input_error(UNFIT, what, where=where, remedy="Some hundred examples make a test that says something.")
    inputs: Any = [seen.inputs, tested.inputs]
    both = polars.concat(inputs) if isinstance(seen.inputs, polars.DataFrame) else numpy.concatenate(inputs)
    left_out = " ".join(filter(None, (seen.left_out, tested.left_out and f"Of the test: {tested.left_out}")))
    targets = numpy.concatenate([seen.targets, tested.targets])
    return replace(seen, inputs=both, targets=targets, left_out=left_out), len(tested)


def _held(examples: Examples) -> str:
    """`1 x 8 x 8 values`, and how many targets where there are several."""
    inputs: Any = examples.inputs
    targets = examples.targets.shape[1] if examples.targets.ndim == 2 else 1
    several = f" and {targets} targets" if targets > 1 else ""
    return f"{' x '.join(map(str, inputs.shape[1:]))} values{several}"


def _with_folder(
    path: Path, inspection: Inspection, intake: Intake, most: int, say: Callable[[str, str], None]
) -> tuple[Examples, int]:
    if not path.is_dir():
        what, remedy = f"this is a file, and the data are a {intake.source}", "Name a folder with one for each class."
        raise input_error(UNFIT, what, where=shorten(path, 200), remedy=remedy)
    seen = load(inspection, most_examples=most, seed=0)
    parts = list(examples_again(path, replace(intake, classes=seen.classes), say))
    nothing = [numpy.full(len(part.names), -1) if part.truth is None else part.truth for part in parts]
    names = [name for part in parts for name in part.names]
    kept, truth, unknown = _known(numpy.concatenate(nothing), names, path, seen.task, "files")
    chosen = drawn(truth, seen.task, most, 0)
    places = numpy.flatnonzero(kept)[chosen]
    if isinstance(seen.inputs, list):
        tested = [text for part in parts for text in part.examples.inputs]
        inputs: Any = [*seen.inputs, *(tested[place] for place in places)]
    else:
        arrays = numpy.concatenate([numpy.asarray(part.examples.inputs) for part in parts])
        inputs = numpy.concatenate([numpy.asarray(seen.inputs), arrays[places]])
    left_out = " ".join(filter(None, (seen.left_out, unknown, _sampled(len(chosen), len(truth)))))
    targets = numpy.concatenate([seen.targets, truth[chosen]])
    return replace(seen, inputs=inputs, targets=targets, left_out=left_out), len(chosen)


def _known(
    truth: NDArray[Any] | None, labels: Any, path: Path, task: Task, noun: str
) -> tuple[NDArray[numpy.bool_], NDArray[Any], str]:
    """Rows or files with an answer, these answers, and a sentence on the others. Raises InputError where a class is new."""
    assert truth is not None  # noqa: S101 - there is a target
    where = shorten(path, 200)
    if task is Task.CLASSIFY and (truth == -1).any():
        new = [label for label, number in zip(labels, truth, strict=True) if number == -1]
        named = join_first([repr(shorten(str(one), 40)) for one, _ in Counter(new).most_common()], 3)
        what = f"{len(new):,} of its {len(truth):,} {noun} are of classes that the training does not have: {named}"
        raise input_error(UNFIT, what, where=where, remedy=_ADD_OR_TAKE_OUT)
    kept = truth >= 0 if task is Task.CLASSIFY else numpy.isfinite(truth[:, 0])
    known = int(kept.sum())
    if known < FEWEST_TESTED:
        held = f"one of its {len(truth):,} {noun} has" if known else f"none of its {len(truth):,} {noun} has"
        what = f"there is one example in it, and at least {FEWEST_TESTED} are needed" if len(truth) == 1 else ""
        what = what or f"{held} an answer that is known, and at least {FEWEST_TESTED} must"
        raise input_error(UNFIT, what, where=where, remedy="Some hundred examples make a test that says something.")
    lost = len(truth) - known
    have = f"1 of the {noun} in the test has" if lost == 1 else f"{lost:,} {noun} of the test have"
    unknown = f"{have} no value for the target and {'was' if lost == 1 else 'were'} left out." if lost else ""
    return kept, truth[kept], unknown


def _sampled(chosen: int, of: int) -> str:
    return f"{chosen:,} of the {of:,} examples of the test were taken." if chosen < of else ""
