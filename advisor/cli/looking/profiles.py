"""`advisor profiles`: devices whose figures are known, and machines that were measured."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from advisor.cli.inputs import (
    Force,
    Output,
    PageFormat,
    PageFormatOption,
    PlainFormat,
    PlainFormatOption,
    complete_device,
    deliver_json,
    deliver_page,
)

if TYPE_CHECKING:
    from advisor.agent.machines.comparison import MachinesCompared
    from advisor.agent.remembered.profile import MachineProfile
    from advisor.errors import InputError
    from advisor.machine.profiles.devices import DeviceProfile

THIS = "this"
"""The machine of this host that was measured last."""
NOTHING_MEASURED = "Nothing was measured on this host"

app = typer.Typer(no_args_is_help=True)


def complete_profile(incomplete: str) -> list[str]:
    from advisor.agent.remembered.memory import kept_profiles

    names = [THIS, *(profile.name for profile in kept_profiles()[0])]
    return [*(name for name in names if name.startswith(incomplete)), *complete_device(incomplete)]


Machine = Annotated[str, typer.Argument(metavar="[NAME|FILE]", autocompletion=complete_profile)]


@app.command("list", help="Every known device, and the machines measured on this host.")
def list_(format_: PlainFormatOption = PlainFormat.TEXT) -> None:
    from advisor.cli.console import look, write, write_json
    from advisor.report.machine.devices import device_json, devices_page
    from advisor.report.machine.page import kept_json, kept_page

    devices = list(_devices().values())
    profiles = _kept()
    if format_ is PlainFormat.JSON:
        write_json([*map(device_json, devices), *map(kept_json, profiles)])
    else:
        write(f"{devices_page(devices, look())}\n{kept_page(profiles, look())}")


@app.command("show", help="A device, or a machine that was measured (this: the last one here): figures and sources.")
def show(
    name: Machine = THIS,
    format_: PageFormatOption = PageFormat.TEXT,
    output: Output = None,
    force: Force = False,
) -> None:
    from advisor.machine.profiles.files import find_device
    from advisor.machine.profiles.published import published_figures
    from advisor.report.html.device import device_html
    from advisor.report.html.machine import machine_html
    from advisor.report.machine.devices import device_json, device_page
    from advisor.report.machine.page import machine_json, machine_page, machine_report

    device = None if name == THIS or _names_kept(name) else find_device(name, _devices())
    if device is not None:
        published = published_figures(device.name)
        deliver_page(
            format_, output, force, as_json=lambda: device_json(device, published),
            as_html=lambda date: device_html(device, published, date),
            as_text=lambda look: device_page(device, look, published),
        )  # fmt: skip
        return
    report = machine_report(_profile(name, title="There is no such device or machine"), find_device)
    is_here = name == THIS or _names_kept(name)
    deliver_page(
        format_, output, force, as_json=lambda: machine_json(report),
        as_html=lambda date: machine_html(report, date),
        as_text=lambda look: machine_page(report, look, is_here=is_here),
    )  # fmt: skip


@app.command("path", help="Where a device or a measured machine is kept; without a name, the folder of this host.")
def path(
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", autocompletion=complete_profile)] = None,
    format_: PlainFormatOption = PlainFormat.TEXT,
) -> None:
    from advisor.agent.remembered.memory import profiles_kept_in
    from advisor.cli.console import write, write_json
    from advisor.machine.profiles.files import find_device
    from advisor.resources import device_files

    if name is None:
        found = profiles_kept_in()
    elif name != THIS and not _names_kept(name) and (device := find_device(name, _devices())) is not None:
        found = next(path for path in device_files() if path.stem == device.name)
    else:
        found = profiles_kept_in() / f"{_of_this_host(name).name}.json"
    if format_ is PlainFormat.JSON:
        write_json({"path": str(found)})
    else:
        write(str(found))


@app.command("compare")
def compare(
    first: Machine = THIS,
    second: Annotated[str | None, typer.Argument(metavar="[NAME|FILE]", autocompletion=complete_profile)] = None,
    since: Annotated[
        str | None, typer.Option("--since", help="Compare with what was measured before this day.", metavar="DATE")
    ] = None,
    format_: PageFormatOption = PageFormat.TEXT,
    output: Output = None,
    force: Force = False,
) -> None:
    """Is this machine slower than it was, or than another?

    With two names or files: two machines. With one and --since DATE: before that day against since then. With one
    alone: the last day that was measured against the days before.
    """
    from advisor.errors import input_error
    from advisor.report.html.comparisons import machines_html
    from advisor.report.machine.compared import compared_json, compared_page

    if second is not None and since is not None:
        what = "two machines and --since are two different questions"
        raise input_error("These do not go together", what, where="--since", remedy="Leave out one of them.")
    compared = _since(first, since) if second is None else _two(first, second)
    deliver_page(
        format_, output, force, as_json=lambda: compared_json(compared),
        as_html=lambda date: machines_html(compared, date),
        as_text=lambda look: compared_page(compared, look),
    )  # fmt: skip


@app.command("export", help="A measured machine as JSON, for another computer or for others (--anonymous).")
def export(
    name: Machine = THIS,
    anonymous: Annotated[
        bool, typer.Option("--anonymous", help="Without names of host and user, paths and serial numbers.")
    ] = False,
    output: Output = None,
    force: Force = False,
    format_: Annotated[PlainFormat, typer.Option("--format", help="It is always JSON.")] = PlainFormat.JSON,
) -> None:
    profile = _profile(name)
    if anonymous:
        from advisor.agent.remembered.anonymous import anonymous_json

        deliver_json(anonymous_json(profile, _private_words()), output, force)
    else:
        deliver_json(profile.to_json(), output, force)


def _since(name: str, since: str | None) -> MachinesCompared:
    from advisor.agent.machines.comparison import compare, last_day, sides_of
    from advisor.agent.remembered.memory import LAST
    from advisor.errors import input_error
    from advisor.wording import join_names, shorten

    profile = _profile(name)
    day = last_day(profile) if since is None else _date(since)
    before, after = sides_of(profile, day)
    if not day or not before.outcomes or not after.outcomes:
        days = sorted({outcome.date[:10] for outcome in profile.outcomes})
        what = f"{shorten(profile.name)} was measured on {join_names(days[-10:]) or 'no day'} only"
        save = "" if profile.name in ("", LAST) else f" --save {profile.name}"
        remedy = f"Measure again on another day with `advisor probe{save}`"
        remedy += f", or name with --since a day after {days[0]} and not after {days[-1]}." if len(days) > 1 else "."
        raise input_error("There are no two times to compare", what, where="--since", remedy=remedy)
    return compare(before, after, same_machine=True)


def _two(first: str, second: str) -> MachinesCompared:
    from advisor.agent.machines.comparison import compare, one_machine_later, side_of

    mine, theirs = _profile(first), _profile(second)
    titles = ("", "") if mine.name != theirs.name else (first, second)
    sides = side_of(mine, titles[0]), side_of(theirs, titles[1])
    return compare(*sides, same_machine=one_machine_later(mine, theirs))


def _date(text: str) -> str:
    """A day or a time as measurements carry it (UTC). Raises InputError."""
    from datetime import UTC, datetime

    from advisor.errors import input_error
    from advisor.wording import shorten

    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        remedy = "Write it as year, month and day: 2026-11-21."
        raise input_error("This is no date", f"{shorten(text)!r}", where="--since", remedy=remedy) from None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return moment.astimezone(UTC).isoformat(timespec="seconds")


def _profile(name: str, title: str = "There is no such machine") -> MachineProfile:
    """The profile of this host by its name, the newest for `this`, or that of a file. Raises InputError."""
    from advisor.agent.remembered.memory import read_profile

    if name == THIS or _names_kept(name):
        return _of_this_host(name)
    try:
        is_file = Path(name).is_file()
    except (OSError, ValueError):  # too long for a file name, or a null character
        is_file = False
    if is_file:
        return read_profile(Path(name))
    raise _unknown(name, title)


def _of_this_host(name: str) -> MachineProfile:
    """By its name. Raises InputError."""
    from advisor.agent.remembered.memory import kept_profiles, newest_of

    if name == THIS:
        profiles, problems = kept_profiles()
        newest = newest_of(profiles)
        if newest is None:
            raise _nothing_kept(problems)
        _say(problems)
        return newest
    for profile in _kept():
        if profile.name == name:
            return profile
    raise _unknown(name, "There is no such machine")


def _nothing_kept(problems: Sequence[InputError]) -> InputError:
    """What is wrong with each file or folder; where nothing is, that nothing was measured, and what was once set aside."""
    from advisor.agent.remembered.memory import set_aside
    from advisor.errors import InputError, input_error

    if problems:
        return InputError(
            "What was measured on this host cannot be read", [p for one in problems for p in one.problems]
        )
    damaged = set_aside()
    if damaged:
        what = "no machine profile is kept but this one, which is damaged"
        remedy = "Measure again with `advisor probe`, or mend it and give it back its name in .json."
        return input_error(NOTHING_MEASURED, what, where=str(damaged[-1]), remedy=remedy)
    return input_error(NOTHING_MEASURED, "no machine profile is kept", remedy="Measure it with `advisor probe`.")


def _unknown(name: str, title: str) -> InputError:
    from advisor.errors import did_you_mean, input_error
    from advisor.machine.profiles.files import find_device
    from advisor.wording import shorten

    devices = _devices()
    if title != "There is no such device or machine" and find_device(name, devices) is not None:
        what = f"{shorten(name)!r} is a device, of which nothing was measured here"
        return input_error(title, what, where="NAME", remedy="Name a machine: `advisor profiles list` shows them.")
    kept = [profile.name for profile in _kept()]
    hint = did_you_mean(name, [THIS, *kept, *devices])
    what = f"{shorten(name)!r} is neither a device, nor a machine measured on this host, nor a file"
    return input_error(title, what, where="NAME", remedy=f"{hint} `advisor profiles list` shows them all.".strip())


def _names_kept(name: str) -> bool:
    return any(profile.name == name for profile in _kept())


def _kept() -> list[MachineProfile]:
    """This host's profiles; what cannot be read of them is a warning, said once."""
    from advisor.agent.remembered.memory import kept_profiles

    profiles, problems = kept_profiles()
    _say(problems)
    return profiles


def _say(problems: Sequence[InputError]) -> None:
    from advisor.cli.console import warn

    for problem in problems:
        if str(problem) not in _SAID:
            _SAID.add(str(problem))
            warn(problem.title, str(problem.problems[0]))


_SAID: set[str] = set()


def _private_words() -> list[str]:
    """Names of this user and this host, as messages may hold them."""
    import getpass
    import socket

    host = socket.gethostname()
    words = [host, host.partition(".")[0]]
    for ask in (getpass.getuser, lambda: Path.home().name):
        try:
            words.append(ask())
        except (KeyError, OSError, RuntimeError):  # a user whom the system does not know
            continue
    return words


def _devices() -> dict[str, DeviceProfile]:
    from advisor.machine.profiles.files import load_devices

    return load_devices()
