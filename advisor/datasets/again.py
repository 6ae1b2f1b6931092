"""Examples read once more: described after the first reading, and read alike from other files."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy
import polars
from numpy.typing import NDArray
from polars.exceptions import PanicException, PolarsError

from advisor.datasets.dataset import Examples, Inspection, Kind, Series, Task, key_columns
from advisor.datasets.intake import Intake, Source, TakenColumn
from advisor.datasets.matching import Say, matched
from advisor.datasets.media import images, waves
from advisor.datasets.media.class_folders import class_folders
from advisor.datasets.predicted.names import FILE
from advisor.datasets.quiet import native_silence
from advisor.datasets.readers import pictures, sounds, texts
from advisor.datasets.refusals import not_opened, unreadable
from advisor.datasets.tables.examples import TableReading, joined
from advisor.datasets.tables.series.recognition import Arrangement, SeriesShape
from advisor.datasets.tables.series.series import SeriesReading, rows_are_times
from advisor.datasets.values.conversion import seconds
from advisor.datasets.values.dates import zone_of_last
from advisor.errors import input_error
from advisor.wording import join_first, join_names, shorten

FILES_AT_ONCE = 2_000
"""Of a folder, in memory at a time."""


@dataclass(frozen=True, slots=True)
class Part:
    """Some of the examples, in the order of the files."""

    examples: Examples
    """Without targets: those of `truth` are not all known."""
    names: tuple[str, ...] = ()
    """Of the files of a folder; empty of a table."""
    truth: NDArray[Any] | None = None
    """Class numbers (n,), -1 for a class that the model does not know and -2 for none; or float64 (n, 1), NaN for none.
    None where there is no target."""
    kept: polars.DataFrame = field(default_factory=polars.DataFrame)
    """Columns of a table as they stand in it, or the names of files: those that were asked for, a row for each example."""
    total: int = 0
    """Examples of all parts, those that cannot be read included."""


NEW_CLASS, NO_CLASS = -1, -2


def intake_of(inspection: Inspection) -> Intake:
    """The description of these data. Raises InputError for those that cannot be read again for a saved model yet."""
    reading, task = inspection.reading, inspection.task
    if isinstance(reading, TableReading) and task in (Task.CLASSIFY, Task.REGRESS):
        styles = reading.table.styles
        taken = {one.name: TakenColumn(one.name, one.kind, styles.get(one.name, "")) for one in inspection.columns}
        inputs = tuple(taken[name] for name in inspection.inputs)
        target = taken[inspection.target or ""]
        others = tuple(name for name in taken if name not in inspection.inputs and name != target.name)
        classes = inspection.classes
        keys = key_columns(inspection, (inspection.time_column, inspection.group_column))
        return Intake(Source.TABLE, inspection.modality, task, classes, inputs, target, others, keys)
    sources: dict[type, Source] = {
        pictures.PicturesReading: Source.PICTURES,
        sounds.SoundsReading: Source.SOUNDS,
        texts.TextsReading: Source.TEXTS,
    }
    if isinstance(reading, SeriesReading) and task is Task.FORECAST and inspection.time_column is not None:
        return _of_series(inspection, reading)
    source = sources.get(type(reading))
    if source is not None and task is Task.CLASSIFY:
        settings = asdict(reading) if source is not Source.TEXTS else {}  # type: ignore[call-overload]
        return Intake(source, inspection.modality, task, inspection.classes, reading=settings)
    what = f"models of this kind of data ({inspection.format})"
    if task is Task.FORECAST:
        what = "forecasts of series with a column for each time"
    raise input_error(
        "The model could not be saved",
        f"{what} cannot be saved yet",
        where=shorten(inspection.path, 200),
        remedy="Leave --save out to try them. Models of tables, of series with a row for each time, and of folders of pictures, "
        "sounds and texts can be saved.",
    )


def _of_series(inspection: Inspection, reading: SeriesReading) -> Intake:
    shape, styles = reading.shape, reading.table.styles
    taken = {one.name: TakenColumn(one.name, one.kind, styles.get(one.name, "")) for one in inspection.columns}
    named = [name for name in (*shape.value_columns, shape.time_column, shape.group_column) if name is not None]
    settings = {"steps": shape.steps, "horizon": 1, **({"season": shape.season} if shape.season else {})}
    return Intake(
        Source.SERIES,
        inspection.modality,
        Task.FORECAST,
        columns=tuple(replace(taken[name], kind=Kind.NUMBER) for name in shape.value_columns),
        target=taken[shape.value_columns[0]],
        passed_over=tuple(name for name in taken if name not in named),
        reading=settings,
        time=taken[shape.time_column or ""],
        group=None if shape.group_column is None else replace(taken[shape.group_column], kind=Kind.CATEGORY),
    )


def series_again(path: Path, intake: Intake, needs: int, say: Say) -> tuple[Examples, list[str]]:
    """Other series, as examples of the window before the end of each, and their names; empty ones where there is one series.

    Args:
        needs: steps that each must have, a window at least.

    Raises InputError as `examples_again` does, and for a series that is shorter.
    """
    assert intake.time is not None  # noqa: S101 - the intake of a series
    columns = (*intake.columns, intake.time, *([intake.group] if intake.group is not None else []))
    try:
        path.stat()
        with native_silence():
            read = matched(path, replace(intake, columns=columns, target=None), say)
    except OSError as error:
        raise not_opened(path, error) from None
    except (PolarsError, PanicException) as error:
        reason = shorten(str(error).partition("\n")[0], 120)
        raise unreadable(path, f"it is damaged or not what it seems ({reason})", "Write the file once more.") from None
    frame, dated = read.inputs, intake.time.kind is Kind.DATE
    zone = zone_of_last(read.raw[intake.time.name], frame[intake.time.name]) if dated else ""
    steps, horizon, season = (int(intake.reading.get(name, 0)) for name in ("steps", "horizon", "season"))
    values = tuple(column.name for column in intake.columns)
    group = None if intake.group is None else intake.group.name
    shape = SeriesShape(Arrangement.LONG, values, steps, intake.time.name, group, season or None)
    found = rows_are_times(frame, shape, intake.time.name)
    ends = numpy.flatnonzero(numpy.diff(found.number, append=-1)) + 1
    long = found.position[ends - 1] + 1 >= needs if len(ends) else numpy.zeros(0, bool)
    if not long.all() or not len(ends):
        what = f"{'a series' if group else 'the series'} in it has fewer than the {needs} steps that a forecast looks back on"
        raise unreadable(path, what, "Add what was measured before.")
    names, timeless = ([], []) if group is None else _names(frame, group, intake.time.name)
    if timeless:
        say("Series without a forecast", f"None of their rows has a time: {join_first(timeless)}.")
    series = Series(found.answers, found.number, found.times, ends, intake.seasons, dated=dated, zone=zone)
    windows = found.values[ends[:, None] + numpy.arange(-steps, 0)]
    targets = numpy.zeros((len(ends), horizon))
    return Examples("time_series", Task.FORECAST, windows, targets, season=season or None, series=series), names


def _names(frame: polars.DataFrame, group: str, time: str) -> tuple[list[str], list[str]]:
    """The names of the series in the order of their numbers, and those of which no row has a time."""
    series = frame[group].cast(polars.String).fill_null("")
    names = sorted(series.filter(numpy.isfinite(seconds(frame[time]))).unique())
    return names, [repr(shorten(name, 40)) for name in sorted({*series} - {*names})]


def examples_again(path: Path, intake: Intake, say: Say, keep: Collection[str] | None = ()) -> Iterator[Part]:
    """Read other examples as the first ones were.

    Columns are matched by their names, in any order. What is odd and can be borne is told by `say`.

    Args:
        keep: names of columns of a table, or FILE of a folder, that come back as they stand there; None for all.

    Raises InputError where they cannot be read, with every column that is missing or holds something else.
    """
    with told_plainly(path):
        is_table = intake.source is Source.TABLE
        yield from _of_table(path, intake, say, keep) if is_table else _of_folder(path, intake, say, keep)


@contextmanager
def told_plainly(path: Path) -> Iterator[None]:
    """Raise InputError for whatever keeps a file from being read within it."""
    try:
        path.stat()
        with native_silence():
            yield
    except OSError as error:
        raise not_opened(path, error) from None
    except (PolarsError, PanicException) as error:
        reason = shorten(str(error).partition("\n")[0], 120)
        raise unreadable(path, f"it is damaged or not what it seems ({reason})", "Write the file once more.") from None


def _of_table(path: Path, intake: Intake, say: Say, keep: Collection[str] | None) -> Iterator[Part]:
    found = matched(path, intake, say)
    inputs: Any = joined(found.inputs) if intake.modality == "text" else found.inputs
    kept = found.raw.select(name for name in found.raw.columns if keep is None or name in keep)
    yield Part(
        _examples(intake, inputs, len(found.inputs)),
        truth=truth_of(found.target, intake),
        kept=kept,
        total=len(found.raw),
    )


def truth_of(target: Sequence[Any] | None, intake: Intake) -> NDArray[Any] | None:
    """The answers of a table, as `Part.truth` has them."""
    if target is None:
        return None
    if intake.task is Task.CLASSIFY:
        return _numbers(target, intake)
    return numpy.array([[numpy.nan if value is None else value] for value in target], numpy.float64)


def _numbers(labels: Sequence[str | None], intake: Intake) -> NDArray[numpy.int64]:
    number: dict[str | None, int] = {name: place for place, name in enumerate(intake.classes)}
    number[None] = NO_CLASS
    return numpy.array([number.get(label, NEW_CLASS) for label in labels], numpy.int64)


def _of_folder(path: Path, intake: Intake, say: Say, keep: Collection[str] | None) -> Iterator[Part]:
    if not path.is_dir():
        what = f"this is a file, and the model was learned from a {intake.source}"
        raise unreadable(path, what, "Name a folder; those in it may name the classes, and need not.")
    suffixes, noun, read, broken = _ways(intake)
    found = class_folders(path, suffixes, noun)
    lost: list[str] = []
    every = numpy.arange(len(found.members))
    for start in range(0, len(every), FILES_AT_ONCE):
        examples, kept, faulty = found.read(every[start : start + FILES_AT_ONCE], read, broken)
        lost += [member.name for member, _ in faulty]
        if examples:
            members = [found.members[place] for place in kept]
            inputs = examples if intake.source is Source.TEXTS else numpy.stack(examples)
            labels = [member.label or None for member in members]
            truth = _numbers(labels, intake) if set(labels) & set(intake.classes) else None
            names = tuple(member.name for member in members)
            keys = polars.DataFrame({FILE: names} if keep is None or FILE in keep else None)
            yield Part(_examples(intake, inputs, len(members)), names, truth, keys, len(every))
    if len(lost) == len(every):
        raise unreadable(path, f"none of its {noun} can be read", "Check the files.")
    if lost:
        shown = join_names([shorten(name, 40) for name in lost[:3]])
        say("Files without a prediction", f"{len(lost):,} of {len(every):,} {noun} cannot be read, such as {shown}.")


def _ways(intake: Intake) -> tuple[frozenset[str], str, Callable[[Path], Any], tuple[type[BaseException], ...]]:
    """Endings, the noun of the files, how one is read, and the errors of one that cannot be."""
    settings = intake.reading
    if intake.source is Source.PICTURES:
        look = partial(images.read, side=int(settings["side"]), colours=int(settings["colours"]))
        return pictures.SUFFIXES, pictures.NOUN, look, images.BROKEN
    if intake.source is Source.SOUNDS:
        listen = partial(
            waves.bands,
            steps=int(settings["steps"]),
            hop_seconds=settings["hop_seconds"],
            highest=settings["highest_frequency"],
        )
        return sounds.SUFFIXES, sounds.NOUN, listen, waves.BROKEN
    return texts.SUFFIXES, texts.NOUN, texts.read, texts.BROKEN


def _examples(intake: Intake, inputs: Any, count: int) -> Examples:
    if intake.task is Task.CLASSIFY:
        return Examples(intake.modality, intake.task, inputs, numpy.zeros(count, numpy.int64), intake.classes)
    return Examples(intake.modality, intake.task, inputs, numpy.zeros((count, 1)))
