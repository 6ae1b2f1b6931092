"""The options of commands of measured machines; see `advisor.cli.commands.options`."""

from __future__ import annotations

from typing import Annotated, NamedTuple

import typer

from advisor.cli import options as shared
from advisor.cli.completing import THIS, complete_profile
from advisor.cli.options import PageFormat, PlainFormat

MachineNamed = Annotated[str, typer.Argument(metavar="[NAME|FILE]", autocompletion=complete_profile)]


class ProfilesList(NamedTuple):
    format_: shared.PlainFormatOption = PlainFormat.TEXT


class ProfilesShow(NamedTuple):
    name: MachineNamed = THIS
    format_: shared.PageFormatOption = PageFormat.TEXT
    output: shared.Output = None
    force: shared.Force = False


class ProfilesPath(NamedTuple):
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", autocompletion=complete_profile)] = None
    format_: shared.PlainFormatOption = PlainFormat.TEXT


class ProfilesCompare(NamedTuple):
    first: MachineNamed = THIS
    second: Annotated[str | None, typer.Argument(metavar="[NAME|FILE]", autocompletion=complete_profile)] = None
    since: Annotated[
        str | None, typer.Option("--since", help="Compare with what was measured before this day.", metavar="DATE")
    ] = None
    format_: shared.PageFormatOption = PageFormat.TEXT
    output: shared.Output = None
    force: shared.Force = False


class ProfilesExport(NamedTuple):
    name: MachineNamed = THIS
    anonymous: Annotated[
        bool, typer.Option("--anonymous", help="Without names of host and user, paths and serial numbers.")
    ] = False
    output: shared.Output = None
    force: shared.Force = False
    format_: Annotated[PlainFormat, typer.Option("--format", help="It is always JSON.")] = PlainFormat.JSON
