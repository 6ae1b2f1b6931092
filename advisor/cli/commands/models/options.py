"""The options of commands that show networks; see `advisor.cli.commands.options`."""

from __future__ import annotations

from typing import Annotated, NamedTuple

import typer

from advisor.cli import options as shared
from advisor.cli.completing import complete_model
from advisor.cli.options import PlainFormat


class ModelsList(NamedTuple):
    format_: shared.PlainFormatOption = PlainFormat.TEXT


class ModelsShow(NamedTuple):
    name: Annotated[str, typer.Argument(metavar="NAME", autocompletion=complete_model)]
    input: shared.InputShape = None
    python: shared.PythonPath = None
    format_: shared.PlainFormatOption = PlainFormat.TEXT
    output: shared.Output = None
    force: shared.Force = False
