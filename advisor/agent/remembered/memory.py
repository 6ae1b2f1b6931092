"""Earlier measurements of this machine, kept per host as machine profiles, each under its name."""

from __future__ import annotations

import re
import socket
from collections.abc import Sequence
from pathlib import Path

from advisor.agent.remembered.dates import dated_ahead, oldest_first
from advisor.agent.remembered.profile import MachineProfile, grown
from advisor.errors import InputError, Problem, input_error
from advisor.files.named import read_named
from advisor.machine.detection.detection import Machine
from advisor.machine.state import (
    MAX_BYTES,
    NothingSavedError,
    SetAsideError,
    StateError,
    copy_aside,
    host_name,
    load_json,
    locked,
    make_private,
    parse_json,
    save_json,
    state_folder,
)
from advisor.probes.outcome import Outcome
from advisor.wording import shorten

LAST = "last"
RESERVED = ("this", "auto", "none")
"""Names that stand for other machines where a machine is named."""
_UNUSABLE = "This machine profile cannot be used"
_EXPORT = "Write one with `advisor profiles export NAME --output FILE`."
_REMEDY = "Move it away, or measure under another name with `advisor probe --save NAME`."


def measurements_file(name: str) -> Path:
    """The file of the profile of this name. Raises InputError for a name that is not a plain word."""
    title = "This name cannot be used"
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,60}", name):
        remedy = "Use letters, digits, dots and hyphens."
        raise input_error(title, f"{shorten(name)!r}", where="--save", remedy=remedy)
    if name in RESERVED:
        raise input_error(title, f"{name!r} stands for something else", where="--save", remedy="Choose another name.")
    return profiles_kept_in() / f"{name}.json"


def profiles_kept_in() -> Path:
    """The folder of this host's machine profiles, made where it is missing. Raises StateError."""
    folder = state_folder() / "measurements"
    make_private(folder)
    return folder


def remember(machine: Machine, outcomes: Sequence[Outcome], name: str = LAST) -> Path:
    """Add outcomes to the profile of this name.

    Raises InputError when it cannot be written, and when what is there cannot be read: that stays as it is.

    Advisors that do so at the same time wait for each other, so that none loses what another has measured.
    """
    path = measurements_file(name)
    host = machine.host_name or socket.gethostname()
    with locked(path):
        try:
            earlier = _read(path)
        except (NothingSavedError, SetAsideError):
            earlier = None
        if earlier is not None and earlier.damaged:
            copy_aside(path)  # such as what a probe found that only a newer version has
        save_json(path, grown(earlier, name, machine, host_name(host), outcomes).to_json())
    return path


def recall(machine: Machine) -> tuple[list[Outcome], list[InputError]]:
    """Everything measured on this machine, oldest first, and what could not be read."""
    profiles, problems = kept_profiles()
    found = [outcome for profile in profiles for outcome in profile.outcomes]
    here = [outcome for outcome in found if outcome.applies.get("machine") == machine.fingerprint]
    return oldest_first(here), problems


def kept_profiles() -> tuple[list[MachineProfile], list[InputError]]:
    """This host's machine profiles by name, and what could not be read."""
    profiles: list[MachineProfile] = []
    problems: list[InputError] = []
    try:
        paths = sorted(profiles_kept_in().glob("*.json"))
    except InputError as error:
        return [], [error]
    for path in paths:
        try:
            profile = _read(path)
        except NothingSavedError:  # moved away just now
            continue
        except InputError as error:
            problems.append(error)
            continue
        profiles.append(profile)
        if profile.damaged:
            problems.append(StateError(path, profile.damaged[0], _REMEDY))
        ahead = dated_ahead(profile.outcomes)
        if ahead:
            what = (
                f"it holds {len(ahead)} of a day that has not come ({ahead[-1].date[:10]}), which count as the oldest."
            )
            problems.append(StateError(path, what, "Check the clock of this machine, and measure again."))
    return profiles, problems


def newest_of(profiles: Sequence[MachineProfile]) -> MachineProfile | None:
    """The one that was measured last, or None where nothing was measured."""
    measured = [profile for profile in profiles if profile.outcomes]
    newest = oldest_first([outcome for profile in measured for outcome in profile.outcomes])[-1:]
    return next((profile for profile in measured for outcome in newest if outcome in profile.outcomes), None)


def set_aside() -> list[Path]:
    """The files of profiles that were found damaged, and are kept under other names. Raises StateError."""
    return sorted(profiles_kept_in().glob("*.json.corrupt*"))


def read_profile(path: Path) -> MachineProfile:
    """A profile that was exported to a file. The file is left as it is, whatever it holds.

    Raises:
        InputError: it cannot be read, or is no machine profile.
    """
    return parsed(read_exported(path), path)


def read_exported(path: Path) -> bytes:
    """The content of a file that should be a machine profile. Raises InputError where it cannot be read."""
    return read_named(path, MAX_BYTES, _UNUSABLE, "Check the name of the file.", too_large=_EXPORT)


def parsed(raw: bytes, path: Path) -> MachineProfile:
    """The machine profile with this content. Raises InputError where it is none.

    Args:
        path: the file that it comes from.
    """
    try:
        profile = MachineProfile.from_json(parse_json(raw))
    except ValueError as error:
        raise InputError(_UNUSABLE, [Problem(shorten(path, 200), f"{error}.", _EXPORT)]) from error
    return profile if profile.name else MachineProfile.from_json(profile.to_json(), path.stem)


def _read(path: Path) -> MachineProfile:
    document = load_json(path)
    try:
        return MachineProfile.from_json(document, path.stem)
    except ValueError as error:
        raise StateError(path, f"{error}.", _REMEDY) from error
