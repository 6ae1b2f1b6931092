"""`advisor profiles list`, `show` and `export`: known devices and measured machines, their figures."""

from __future__ import annotations

import getpass
import socket
from itertools import starmap
from pathlib import Path
from types import ModuleType

from advisor.agent.remembered.anonymous import anonymous_json
from advisor.cli.commands.profiles.kept import cluster_of, clusters_kept, device_of, is_kept, profile_of, profiles_kept
from advisor.cli.commands.profiles.options import ProfilesExport, ProfilesList, ProfilesShow
from advisor.cli.completing import THIS
from advisor.cli.console import look, write, write_json
from advisor.cli.delivering import deliver_json, deliver_page
from advisor.cli.options import PlainFormat
from advisor.cluster.report import text as cluster_text
from advisor.errors import input_error
from advisor.machine.profiles.files import find_device, load_devices
from advisor.machine.profiles.published import published_figures
from advisor.report.machine.clusters import cluster_json, clusters_page
from advisor.report.machine.devices import device_json, device_page, devices_page
from advisor.report.machine.page import kept_json, kept_page, machine_json, machine_page, machine_report


def list_(options: ProfilesList) -> None:
    known = list(load_devices().values())
    profiles, clusters = profiles_kept(), clusters_kept()
    if options.format_ is PlainFormat.JSON:
        write_json([*map(device_json, known), *map(kept_json, profiles), *starmap(cluster_json, clusters.items())])
    else:
        pages = devices_page(known, look()), kept_page(profiles, look()), clusters_page(clusters, look())
        write("\n".join(filter(None, pages)))


def show(options: ProfilesShow) -> None:
    name, delivered = options.name, (options.format_, options.output, options.force)
    device = device_of(name)
    if device is not None:
        published = published_figures(device.name)
        deliver_page(
            *delivered, as_json=lambda: device_json(device, published),
            as_html=lambda date: _pages().device_html(device, published, date),
            as_text=lambda look: device_page(device, look, published),
        )  # fmt: skip
        return
    cluster = cluster_of(name)
    if cluster is not None:
        deliver_page(*delivered, as_json=cluster.to_json, as_html=_no_html, as_text=lambda look: cluster_text(cluster))
        return
    report = machine_report(profile_of(name, title="There is no such device or machine"), find_device)
    is_here = name == THIS or is_kept(name)
    deliver_page(
        *delivered, as_json=lambda: machine_json(report),
        as_html=lambda date: _pages().machine_html(report, date),
        as_text=lambda look: machine_page(report, look, is_here=is_here),
    )  # fmt: skip


def _no_html(date: str) -> str:
    what = "a cluster has a page of text, and its profile as JSON"
    raise input_error(
        "There is no such page", what, where="--format html", remedy="Leave it out, or take --format json."
    )


def export(options: ProfilesExport) -> None:
    profile = profile_of(options.name)
    shown = anonymous_json(profile, _private_words()) if options.anonymous else profile.to_json()
    deliver_json(shown, options.output, options.force)


def _private_words() -> list[str]:
    """Names of this user and this host, as messages may hold them."""
    host = socket.gethostname()
    words = [host, host.partition(".")[0]]
    for ask in (getpass.getuser, lambda: Path.home().name):
        try:
            words.append(ask())
        except (KeyError, OSError, RuntimeError):  # a user whom the system does not know
            continue
    return words


def _pages() -> ModuleType:
    from advisor.report.html import machine  # 20 ms, and only HTML needs it

    return machine
