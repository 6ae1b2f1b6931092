"""`advisor profiles list`: every known device, and the machines measured on this host."""

from __future__ import annotations

from advisor.cli.commands.profiles.kept import devices, profiles_kept
from advisor.cli.console import look, write, write_json
from advisor.cli.options import PlainFormat, PlainFormatOption
from advisor.report.machine.devices import device_json, devices_page
from advisor.report.machine.page import kept_json, kept_page


def list_(format_: PlainFormatOption = PlainFormat.TEXT) -> None:
    known = list(devices().values())
    profiles = profiles_kept()
    if format_ is PlainFormat.JSON:
        write_json([*map(device_json, known), *map(kept_json, profiles)])
    else:
        write(f"{devices_page(known, look())}\n{kept_page(profiles, look())}")
