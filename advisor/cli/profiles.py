"""`advisor profiles`: the devices whose figures are known."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from advisor.cli.inputs import PlainFormat, PlainFormatOption, complete_device

if TYPE_CHECKING:
    from advisor.machine.devices import DeviceProfile

app = typer.Typer(no_args_is_help=True)


@app.command("list", help="Every known device.")
def list_(format_: PlainFormatOption = PlainFormat.TEXT) -> None:
    from advisor.cli.console import look, write, write_json
    from advisor.report.devices import device_json, devices_page

    devices = list(_devices().values())
    if format_ is PlainFormat.JSON:
        write_json([device_json(device) for device in devices])
    else:
        write(devices_page(devices, look()))


@app.command("show", help="One device: its figures, units and sources.")
def show(
    name: Annotated[str, typer.Argument(metavar="NAME", autocompletion=complete_device)],
    format_: PlainFormatOption = PlainFormat.TEXT,
) -> None:
    from advisor.cli.console import look, write, write_json
    from advisor.errors import did_you_mean, input_error, shorten
    from advisor.machine.profiles import find_device
    from advisor.report.devices import device_json, device_page

    devices = _devices()
    device = find_device(name, devices)
    if device is None:
        hint = f"{did_you_mean(name, devices)} `advisor profiles list` shows them all.".strip()
        raise input_error("There is no such device", f"{shorten(name)!r}", where="NAME", remedy=hint)
    if format_ is PlainFormat.JSON:
        write_json(device_json(device))
    else:
        write(device_page(device, look()))


def _devices() -> dict[str, DeviceProfile]:
    from advisor.machine.profiles import load_devices
    from advisor.resources import profiles_folder

    return load_devices(profiles_folder() / "devices")
