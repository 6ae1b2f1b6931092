"""What data are, found out from a file or a folder without reading all of a large one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from polars.exceptions import PanicException, PolarsError

from advisor.datasets import fingerprint
from advisor.datasets.dataset import Format, Inspection, Task
from advisor.datasets.formats import not_opened, recognise, unreadable
from advisor.wording import shorten


def inspect(path: Path, target: str | None = None, task: Task | None = None) -> Inspection:
    """Everything that can be said of the data at a path; with a target, also what is to be learnt.

    Args:
        task: for which the target is to be read; None for the one that its values look like.

    Raises:
        InputError: they cannot be read, are nothing that is known, or the target cannot be learnt; it says why and what
            to do.
    """
    found = _found(path, target)
    return found if task is None else read_for(found, task)


def read_for(found: Inspection, task: Task) -> Inspection:
    """The same data with the target read for this task: whole numbers 1 to 5 as classes or as a quantity.

    Raises InputError where the target, or the format, does not allow it.
    """
    if found.task is task:
        return found
    told = _found(Path(found.path), found.target, task)
    if told.task is not task:
        seen = f"it is read as one to {found.task}" if found.task is not None else "there is no target in it"
        raise unreadable(found.path, f"the task is said to be {task}, but {seen}", "Leave task.kind out.")
    name = fingerprint.read_for(told.fingerprint, task)
    return replace(told, told=True, fingerprint=name, facts={**told.facts, "data.fingerprint": name})


def _found(path: Path, target: str | None, task: Task | None = None) -> Inspection:
    format_ = recognise(path)
    try:
        found = _inspected(path, format_, target, task)
    except OSError as error:
        raise not_opened(path, error) from None
    except (PolarsError, PanicException) as error:
        reason = shorten(str(error).partition("\n")[0], 120)
        raise unreadable(path, f"it is damaged or not what it seems ({reason})", "Write the file once more.") from None
    return replace(found, facts={**found.facts, "data.fingerprint": found.fingerprint})


def _inspected(path: Path, format_: Format, target: str | None, task: Task | None) -> Inspection:
    """Each format by its own module, loaded only then: pictures and graphs need libraries that tables do not."""
    if target is not None and format_ in (Format.IMAGES, Format.SOUNDS, Format.TEXT):
        what = f"there are no columns in it that {shorten(target)!r} could name"
        raise unreadable(path, what, "Leave --target out: the folders name the classes.")
    match format_:
        case Format.NPY | Format.NPZ:
            from advisor.datasets.readers.arrays import inspect_array

            return inspect_array(path, target, task)
        case Format.IMAGES:
            from advisor.datasets.readers.pictures import inspect_pictures

            return inspect_pictures(path)
        case Format.SOUNDS:
            from advisor.datasets.readers.sounds import inspect_sounds

            return inspect_sounds(path)
        case Format.TEXT:
            from advisor.datasets.readers.texts import inspect_text

            return inspect_text(path)
        case _:
            from advisor.datasets.tables.tables import inspect_table

            return inspect_table(path, format_, target, task)
