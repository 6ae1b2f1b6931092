"""Machines that were measured, as the commands of `advisor profiles` find them by name, and `advisor profiles path`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from advisor.agent.remembered.memory import kept_profiles, newest_of, profiles_kept_in, read_profile, set_aside
from advisor.agent.remembered.profile import MachineProfile
from advisor.cli.commands.profiles.options import ProfilesPath
from advisor.cli.completing import THIS
from advisor.cli.console import warn_once, write, write_json
from advisor.cli.options import PlainFormat
from advisor.cluster import profile as clusters
from advisor.cluster.profile import ClusterProfile
from advisor.errors import InputError, did_you_mean, input_error
from advisor.files.named import read_beginning
from advisor.machine.profiles.devices import DeviceProfile
from advisor.machine.profiles.files import find_device, load_devices
from advisor.machine.state import MAX_BYTES
from advisor.resources import device_files
from advisor.wording import shorten

NOTHING_MEASURED = "Nothing was measured on this host"


def path(options: ProfilesPath) -> None:
    if options.name is None:
        found = profiles_kept_in()
    elif (device := device_of(options.name)) is not None:
        found = next(path for path in device_files() if path.stem == device.name)
    else:
        found = profiles_kept_in() / f"{of_this_host(options.name).name}.json"
    if options.format_ is PlainFormat.JSON:
        write_json({"path": str(found)})
    else:
        write(str(found))


def device_of(name: str) -> DeviceProfile | None:
    """The device of this name, unless a machine that was measured here has it."""
    return None if name == THIS or is_kept(name) else find_device(name, load_devices())


def profile_of(name: str, title: str = "There is no such machine") -> MachineProfile:
    """The profile of this host by its name, the newest for `this`, or that of a file. Raises InputError."""
    if name == THIS or is_kept(name):
        return of_this_host(name)
    try:
        is_file = Path(name).exists() and not Path(name).is_dir()  # a pipe will do
    except (OSError, ValueError):  # too long for a file name, or a null character
        is_file = False
    if is_file:
        return read_profile(Path(name))
    raise _unknown(name, title)


def of_this_host(name: str) -> MachineProfile:
    """By its name. Raises InputError."""
    if name == THIS:
        profiles, problems = kept_profiles()
        newest = newest_of(profiles)
        if newest is None:
            raise _nothing_kept(problems)
        _say(problems)
        return newest
    for profile in profiles_kept():
        if profile.name == name:
            return profile
    raise _unknown(name, "There is no such machine")


def _nothing_kept(problems: Sequence[InputError]) -> InputError:
    """The problem of each file or folder; without any, that nothing was measured, and the file that was set aside last."""
    if problems:
        return InputError(
            "What was measured on this host cannot be read", [p for one in problems for p in one.problems]
        )
    damaged = set_aside()
    if damaged:
        what = "no machine profile is kept but this one, which is damaged"
        remedy = "Measure again with `advisor probe`, or repair it and give it back its name in .json."
        return input_error(NOTHING_MEASURED, what, where=str(damaged[-1]), remedy=remedy)
    return input_error(NOTHING_MEASURED, "no machine profile is kept", remedy="Measure it with `advisor probe`.")


def _unknown(name: str, title: str) -> InputError:
    known = load_devices()
    if title != "There is no such device or machine" and find_device(name, known) is not None:
        what = f"{shorten(name)!r} is a device, of which nothing was measured here"
        return input_error(title, what, where="NAME", remedy="Name a machine: `advisor profiles list` shows them.")
    kept = [profile.name for profile in profiles_kept()]
    hint = did_you_mean(name, [THIS, *kept, *known])
    what = f"{shorten(name)!r} is neither a device, nor a machine measured on this host, nor a file"
    return input_error(title, what, where="NAME", remedy=f"{hint} `advisor profiles list` shows them all.".strip())


def cluster_of(name: str) -> ClusterProfile | None:
    """The measured cluster of this name, or in this file; None where it is no cluster. Raises InputError."""
    if name == THIS or is_kept(name):
        return None
    kept_here = clusters_kept()
    if name in kept_here:
        return kept_here[name]
    try:
        path = Path(name)
        is_one = path.is_file() and clusters.is_cluster(read_beginning(path, MAX_BYTES, "There is no such machine"))
    except (OSError, ValueError, InputError):
        return None
    return clusters.read(path) if is_one else None


def clusters_kept() -> dict[str, ClusterProfile]:
    """Measured clusters by the name under which this host keeps them; what cannot be read of them is a warning, said once."""
    found, problems = clusters.kept()
    _say(problems)
    return found


def is_kept(name: str) -> bool:
    return any(profile.name == name for profile in profiles_kept())


def profiles_kept() -> list[MachineProfile]:
    """This host's profiles; what cannot be read of them is a warning, said once."""
    profiles, problems = kept_profiles()
    _say(problems)
    return profiles


def _say(problems: Sequence[InputError]) -> None:
    for problem in problems:
        warn_once(problem.title, str(problem.problems[0]))
