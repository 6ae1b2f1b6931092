"""`advisor profiles path`: where a device or a measured machine is kept."""

from __future__ import annotations

from typing import Annotated

import typer

from advisor.agent.remembered.memory import profiles_kept_in
from advisor.cli.commands.profiles.kept import THIS, complete_profile, devices, is_kept, of_this_host
from advisor.cli.console import write, write_json
from advisor.cli.options import PlainFormat, PlainFormatOption
from advisor.machine.profiles.files import find_device
from advisor.resources import device_files


def path(
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", autocompletion=complete_profile)] = None,
    format_: PlainFormatOption = PlainFormat.TEXT,
) -> None:
    if name is None:
        found = profiles_kept_in()
    elif name != THIS and not is_kept(name) and (device := find_device(name, devices())) is not None:
        found = next(path for path in device_files() if path.stem == device.name)
    else:
        found = profiles_kept_in() / f"{of_this_host(name).name}.json"
    if format_ is PlainFormat.JSON:
        write_json({"path": str(found)})
    else:
        write(str(found))
