"""The advisor's memory between runs: measurements and sessions, as JSON for this user only."""

from __future__ import annotations

import errno
import itertools
import json
import os
import re
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from advisor.errors import InputError, Problem
from advisor.files.locking import try_lock
from advisor.files.private import NotOursError, OthersWriteError, make_folder, open_private, read_private, save_private

MAX_BYTES = 16_000_000
NEWER = "was written by a newer version of this program"
LONGEST_WAIT = 10.0
"""Seconds for another program that saves to the same file."""
_MEASURED = ("measurements", "clusters", "journal")
_TRIED = "trials.json"
_CHECK = "Check the folder and its permissions, or name another one in ADVISOR_STATE."


class StateError(InputError):
    """Something remembered cannot be read or kept: no reason to stop, the command line makes it a warning."""

    def __init__(self, where: Path, what: str, remedy: str) -> None:
        super().__init__("The advisor's memory of earlier runs", [Problem(str(where), what, remedy)])


class NothingSavedError(StateError):
    """Nothing has been saved under this name."""


class SetAsideError(StateError):
    """A saved file is damaged. It is kept under another name, so that a new one can be saved here."""


def state_folder() -> Path:
    """This host's own folder (home folders may be shared), created with access for its owner only.

    The environment variable ADVISOR_STATE moves it. Raises StateError when it cannot be created, and where somebody else
    could change what it holds.
    """
    folder = _base_folder() / host_name(socket.gethostname())
    make_private(folder)
    return folder


def set_up_apart(base: Path) -> None:
    """Set up a folder for ADVISOR_STATE that shares with this host's own what was measured, and no conversation.

    A conversation in it, and what is tried on data, are gone with it. Raises StateError.
    """
    ours, apart = state_folder().absolute(), base / host_name(socket.gethostname())
    make_private(apart)
    with _explained(apart, "cannot be set up", _CHECK):
        for name in _MEASURED:
            make_folder(ours / name)
            (apart / name).symlink_to(ours / name, target_is_directory=True)
        with suppress(FileNotFoundError):
            save_private(apart / _TRIED, read_private(ours / _TRIED, MAX_BYTES))


def make_private(folder: Path) -> None:
    """Make a folder of this memory, with access for its owner only. Raises StateError."""
    remedy = "Name a folder that can be written in the environment variable ADVISOR_STATE."
    with _explained(folder, "the folder cannot be created", remedy):
        make_folder(folder)


def check_writable(folder: Path) -> None:
    """Raises StateError where nothing can be written there."""
    with _explained(folder, "nothing can be written there", _CHECK):
        trial = folder / ".trial"
        save_private(trial, b"")
        trial.unlink(missing_ok=True)


def _base_folder() -> Path:
    stated = os.environ.get("ADVISOR_STATE")
    if stated:
        try:
            return Path(stated).expanduser()
        except RuntimeError as error:
            remedy = "Write the whole path in ADVISOR_STATE."
            raise StateError(Path(stated), "there is no such home folder.", remedy) from error
    import platformdirs  # 10 ms

    return Path(platformdirs.user_state_dir("advisor", appauthor=False))


def host_name(name: str) -> str:
    """A host's name as it may stand in a path."""
    return re.sub(r"[^a-z0-9._-]+", "-", name.lower()).strip(".-")[:64] or "host"


def save_json(path: Path, data: object) -> None:
    """Replace the file as a whole or not at all; readable by its owner only.

    Raises:
        StateError: no folder, no permission, no space; what was saved before is still there.
        TypeError, ValueError: the data are not JSON (ValueError for nan and infinity); nothing is touched.
    """
    text = json.dumps(data, allow_nan=False, indent=1)
    with _explained(path, "cannot be saved", _CHECK):
        save_private(path, text.encode("ascii"))


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Keep other programs that ask for the same lock waiting, so that reading and replacing a file is one act.

    The lock is a file of its own beside `path`, since `path` itself is replaced. Where the system has no such locks
    (Windows), nobody waits. Raises StateError when the folder cannot be written, and when the other program is stuck.
    """
    if sys.platform == "win32":
        yield
        return
    lock = path.with_name(f".{path.name}.lock")
    with _explained(lock, "cannot be locked", _CHECK):
        file = open_private(lock, os.O_RDWR | os.O_CREAT)
    try:
        _wait_for_lock(file, path)
        yield
    finally:
        os.close(file)


def _wait_for_lock(file: int, path: Path) -> None:
    end = time.monotonic() + LONGEST_WAIT
    with suppress(OSError):  # some network file systems have no locks: rarely losing a result beats keeping none
        while not try_lock(file):
            if time.monotonic() >= end:
                what = f"another program has been at it for {LONGEST_WAIT:.0f} seconds."
                raise StateError(path, what, "Wait for its end, or end it, and try again.")
            time.sleep(0.02)


def load_json(path: Path) -> object:
    """The content of a saved file. A damaged file is moved aside, so that it is reported once and not lost.

    Raises:
        NothingSavedError: nothing was saved there.
        SetAsideError: it is larger than 16 MB, or is not JSON; it was moved aside.
        StateError: it cannot be read, or not be moved aside.
    """
    with _explained(path, "cannot be read", "Check its permissions."):
        raw = _read(path)
    try:
        return parse_json(raw)
    except ValueError as error:
        raise _set_aside(path, str(error)) from error


def newer(document: object, schema: str) -> str:
    """The schema of what a newer version of this program has written: the same name, a higher number. Otherwise empty."""
    found = document.get("schema") if isinstance(document, dict) else None
    name, _, number = schema.rpartition("/")
    if not isinstance(found, str) or not re.fullmatch(rf"{re.escape(name)}/\d{{1,6}}", found):
        return ""
    return found if int(found.rpartition("/")[2]) > int(number) else ""


def parse_json(raw: bytes) -> object:
    """The JSON of a file that may be anything. Raises ValueError with what is wrong: larger than 16 MB, or no JSON."""
    if len(raw) > MAX_BYTES:
        raise ValueError(f"is larger than {MAX_BYTES // 1_000_000} MB")
    try:
        return json.loads(raw.decode("utf-8"), parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        detail = str(error) if isinstance(error, json.JSONDecodeError) else "not the text that was saved"
        raise ValueError(f"is damaged ({detail})") from error


def _read(path: Path) -> bytes:
    try:
        return read_private(path, MAX_BYTES)
    except FileNotFoundError as error:
        raise NothingSavedError(path, "nothing has been saved there.", "Save something first.") from error


def _refuse_constant(name: str) -> object:
    raise ValueError(name)


def _set_aside(path: Path, what: str) -> StateError:
    try:
        aside = _free_place_beside(path)
        path.replace(aside)
    except OSError as error:
        return StateError(path, f"{what}, and cannot be moved aside ({_reason(error)}).", "Delete it.")
    return SetAsideError(path, f"{what}; it is kept as {aside.name}.", "Measure again, or repair it.")


def rename(path: Path, other: Path) -> None:
    """Call it by another name, over what may be there. Raises StateError."""
    with _explained(path, "cannot be put aside", "Check the folder."):
        path.replace(other)


def copy_aside(path: Path) -> Path:
    """A copy beside it, before what cannot be read in it is left out. Raises StateError."""
    with _explained(path, "cannot be copied", "Check the folder and its permissions."):
        aside = _free_place_beside(path)
        save_private(aside, _read(path))
    return aside


def _free_place_beside(path: Path) -> Path:
    """`last.json.corrupt`, `last.json.corrupt-2`, ...: the first that is not taken."""
    names = (f"{path.name}.corrupt{f'-{number}' if number > 1 else ''}" for number in itertools.count(1))
    return next(place for name in names if not os.path.lexists(place := path.with_name(name)))


@contextmanager
def _explained(path: Path, what: str, remedy: str) -> Iterator[None]:
    """Raise StateError for what the system refuses, and for a place where others could change what is remembered."""
    try:
        yield
    except NotOursError as error:
        remedy = "Name a folder of your own in ADVISOR_STATE."
        if isinstance(error, OthersWriteError):
            remedy = "Name a folder of your own in ADVISOR_STATE, and let nobody else write it (chmod go-w)."
        raise StateError(Path(error.filename), f"is not trusted: {error.strerror}.", remedy) from error
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            remedy = "Free some space, or name a folder on another disk in ADVISOR_STATE."
        raise StateError(path, f"{what} ({_reason(error)}).", remedy) from error


def _reason(error: OSError) -> str:
    return error.strerror or type(error).__name__
