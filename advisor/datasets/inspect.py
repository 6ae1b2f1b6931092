"""Facts about data, found out from a file or a folder without reading all of a large one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from polars.exceptions import PanicException, PolarsError

from advisor.datasets import fingerprint
from advisor.datasets.dataset import Inspection, Task
from advisor.datasets.formats import recognise
from advisor.datasets.quiet import native_silence
from advisor.datasets.refusals import not_opened, unreadable
from advisor.facts.vocabulary import Value
from advisor.wording import shorten


def inspect(path: Path, target: str | None = None, task: Task | None = None) -> Inspection:
    """Say all that can be said of the data at a path; with a target, also what is to be predicted.

    Args:
        task: for which the target is to be read; None for the one that its values look like.

    Raises:
        InputError: they cannot be read, are in no known format, or the target cannot be predicted; it says why and what
            to do.
    """
    found = _found(path, target)
    return found if task is None else read_for(found, task)


def read_for(found: Inspection, task: Task) -> Inspection:
    """Inspect the same data with the target read for this task: whole numbers 1 to 5 as classes or as a quantity.

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
    reader = recognise(path)
    try:
        with native_silence():
            found = reader.inspect(path, target, task)
    except OSError as error:
        raise not_opened(path, error) from None
    except (PolarsError, PanicException) as error:
        if "TooManyOpenFiles" in str(error):
            raise unreadable(path, "this process may open no more files", "Allow more: `ulimit -n 1024`.") from None
        reason = shorten(str(error).partition("\n")[0], 120)
        raise unreadable(path, f"it is damaged or not what it seems ({reason})", "Write the file once more.") from None
    # A folder for each class, or one label beside each example, gives every example one class.
    one_class: dict[str, Value] = {"task.multilabel": False} if found.task is Task.CLASSIFY else {}
    return replace(found, facts={**one_class, **found.facts, "data.fingerprint": found.fingerprint})
