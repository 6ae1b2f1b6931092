"""Data as an input of commands: `--data PATH` and `--target COLUMN`, and what an inspection finds in them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from advisor.datasets.dataset import Inspection


def named_path(text: str) -> Path:
    """Nothing is not the folder that one is in, as Path takes it."""
    if not text.strip():
        raise typer.BadParameter("this names nothing. Name a file or a folder; a dot is the folder that you are in.")
    return Path(text)


DataPath = Annotated[
    Path | None,
    typer.Option(
        "--data", help="A file or folder of data: what it is becomes facts.", metavar="PATH", parser=named_path
    ),
]
TargetColumn = Annotated[
    str | None,
    typer.Option("--target", help="The column (or array) of the data that is to be learnt.", metavar="COLUMN"),
]


def inspected(path: Path, target: str | None) -> Inspection:
    """What the data are. Raises InputError."""
    from advisor.datasets.inspect import inspect  # polars and scikit-learn take half a second

    return inspect(path, target)


def read_for(found: Inspection, task: str) -> Inspection:
    """The same data, the target read for a task that somebody says. Raises InputError."""
    from advisor.datasets import inspect
    from advisor.datasets.dataset import Task

    return inspect.read_for(found, Task(task))
