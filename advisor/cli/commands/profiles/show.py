"""`advisor profiles show`: a device, or a machine that was measured."""

from __future__ import annotations

from advisor.cli.commands.profiles.kept import THIS, MachineNamed, devices, is_kept, profile_of
from advisor.cli.delivering import deliver_page
from advisor.cli.options import Force, Output, PageFormat, PageFormatOption
from advisor.machine.profiles.files import find_device
from advisor.machine.profiles.published import published_figures
from advisor.report.html.machine import device_html, machine_html
from advisor.report.machine.devices import device_json, device_page
from advisor.report.machine.page import machine_json, machine_page, machine_report


def show(
    name: MachineNamed = THIS,
    format_: PageFormatOption = PageFormat.TEXT,
    output: Output = None,
    force: Force = False,
) -> None:
    device = None if name == THIS or is_kept(name) else find_device(name, devices())
    if device is not None:
        published = published_figures(device.name)
        deliver_page(
            format_, output, force, as_json=lambda: device_json(device, published),
            as_html=lambda date: device_html(device, published, date),
            as_text=lambda look: device_page(device, look, published),
        )  # fmt: skip
        return
    report = machine_report(profile_of(name, title="There is no such device or machine"), find_device)
    is_here = name == THIS or is_kept(name)
    deliver_page(
        format_, output, force, as_json=lambda: machine_json(report),
        as_html=lambda date: machine_html(report, date),
        as_text=lambda look: machine_page(report, look, is_here=is_here),
    )  # fmt: skip
