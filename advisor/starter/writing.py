"""A folder of files that appears whole or not at all, and never takes anything from anybody."""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from advisor.errors import InputError, Problem, input_error
from advisor.files.aside import folder_aside, remove_abandoned
from advisor.files.locking import try_lock
from advisor.files.whole import replace, sync_folder
from advisor.wording import shorten

TITLE = "The project cannot be written"


def write_project(folder: Path, files: Mapping[str, str], *, force: bool = False) -> None:
    """Write these files into a new or an empty folder; with `force` also into one that holds others, which stay.

    Raises:
        InputError: the folder holds something and `force` is not set, something that is no file stands in the way, or the
            disk refuses.
    """
    where = shorten(folder, 200)
    try:
        if folder.exists() and not folder.is_dir():
            raise input_error(TITLE, "this is a file", where=where, remedy="Name a folder.")
        if folder.is_dir():
            with _locked(folder):
                _write_into(folder, files, force)
        else:
            _write_anew(folder, files)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise input_error(TITLE, reason, where=where, remedy="Check its parent, permissions and free space.") from None
    except InputError:
        raise
    except ValueError:  # a null character in the name
        raise input_error(TITLE, "is not a name of a folder", where=where, remedy="Check the name.") from None


_NOT_EMPTY = "Name another folder, or add --force, which replaces files of the project and leaves all others."


def _write_anew(folder: Path, files: Mapping[str, str]) -> None:
    """Nothing is seen of the folder before everything is in it."""
    parent = folder.absolute().parent
    remove_abandoned(folder, parent)
    with folder_aside(folder, parent) as aside:
        for name, text in files.items():
            (aside / name).parent.mkdir(parents=True, exist_ok=True)
            replace(aside / name, _bytes(text))
        try:
            aside.replace(folder)
        except OSError as error:
            if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
                raise
            raise input_error(TITLE, _BUSY, where=shorten(folder, 200), remedy=_NOT_EMPTY) from None
        sync_folder(parent)


def _write_into(folder: Path, files: Mapping[str, str], force: bool) -> None:
    """Nothing is seen of the files before all are written. The folder stays the same one: it may be where somebody
    stands, or a mounted disk."""
    remove_abandoned(folder, folder)
    if any(folder.iterdir()) and not force:
        raise input_error(TITLE, "the folder is not empty", where=shorten(folder, 200), remedy=_NOT_EMPTY)
    in_the_way = [name for name in files if (folder / name).is_dir() and not (folder / name).is_symlink()]
    if in_the_way:
        what, remedy = "is a folder, where the project has a file", "Move it away."
        raise InputError(TITLE, [Problem(shorten(folder / name, 200), what, remedy) for name in in_the_way])
    with folder_aside(folder, folder) as aside:
        for name, text in files.items():
            (aside / name).parent.mkdir(parents=True, exist_ok=True)
            replace(aside / name, _bytes(text), like=_file(folder / name))
        _move(files, aside, folder)
        sync_folder(folder)


_BUSY = "another program has made this folder meanwhile"


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Raise InputError where another advisor writes into the folder just now: two projects would become one."""
    if sys.platform == "win32":
        yield
        return
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        free = True
        with suppress(OSError):  # a file system without locks
            free = try_lock(descriptor)
        if not free:
            what, remedy = "another program writes into it just now", "Wait for its end, or name another folder."
            raise input_error(TITLE, what, where=shorten(folder, 200), remedy=remedy)
        yield
    finally:
        os.close(descriptor)


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "replace")


def _file(path: Path) -> os.stat_result | None:
    """The rights of the file that is to be replaced; None where there is none, or a link."""
    try:
        found = path.lstat()
    except FileNotFoundError:
        return None
    return found if stat.S_ISREG(found.st_mode) else None


def _move(names: Iterable[str], aside: Path, folder: Path) -> None:
    """If one cannot be moved, those that were there before it and replaced nothing are gone again."""
    new = []
    try:
        for name in names:
            fresh = not (folder / name).exists()
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (aside / name).replace(folder / name)
            new += [folder / name] if fresh else []
    except BaseException:
        for path in new:
            path.unlink(missing_ok=True)
        raise
