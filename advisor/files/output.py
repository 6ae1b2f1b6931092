"""Files that users ask for: never overwritten unasked, never left half written."""

from __future__ import annotations

import errno
import os
import stat
import sys
import time
from pathlib import Path

from advisor.errors import InputError, input_error
from advisor.files.waiting import NO_WAITING, PATIENT, NobodyThereError, Patience, can_write, closing, stream
from advisor.files.whole import replace
from advisor.wording import shorten

TITLE = "The output cannot be written"
_MOST_LINKS = 40


def write_text(path: Path, text: str, *, force: bool = False, patience: Patience = PATIENT) -> None:
    """Write UTF-8 text, as `write_bytes` does."""
    write_bytes(path, text.encode("utf-8", "replace"), force=force, patience=patience)


def write_bytes(path: Path, content: bytes, *, force: bool = False, patience: Patience = PATIENT) -> None:
    """Write a file as a whole or not at all, into a pipe or a device as it comes.

    A link stays, and what it leads to is written. What is replaced keeps its rights, and where possible its owner.

    Raises:
        InputError: the file exists and `force` is not set, or it cannot be written (missing folder, full disk).
    """
    where = shorten(path, 200)
    try:
        target = _target(path)
        there = _refuse(target, path, force)
        if stream(target) is None and (there is None or stat.S_ISREG(there.st_mode)):
            replace(target, content, like=there)
        else:
            _write_into(target, content, patience)
    except InputError:
        raise
    except NobodyThereError as error:
        remedy = "Name a file, or start what reads from it first."
        raise input_error(TITLE, error.what, where=where, remedy=remedy) from None
    except BrokenPipeError:
        if stream(path) is not None:
            raise  # nobody reads any more, which is no fault
        raise input_error(TITLE, "what read from it has ended", where=where, remedy="Name a file.") from None
    except OSError as error:
        reason = error.strerror or type(error).__name__
        remedy = "Check the folder, its permissions and the free space."
        raise input_error(TITLE, reason, where=where, remedy=remedy) from None
    except ValueError:  # a null character in the name
        raise input_error(TITLE, "is not a file name", where=where, remedy="Check the name.") from None


def check_output(path: Path, *, force: bool) -> None:
    """Say before the work what could not be written afterwards. Raises InputError."""
    try:
        target = _target(path)
        there = _refuse(target, path, force)
    except InputError:
        raise
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise input_error(TITLE, reason, where=shorten(path, 200), remedy="Check the folder and its rights.") from None
    except ValueError:  # a null character in the name
        raise input_error(TITLE, "is not a file name", where=shorten(path, 200), remedy="Check the name.") from None
    folder = target.parent
    if there is None and not folder.is_dir():
        raise input_error(TITLE, "there is no such folder", where=shorten(folder, 200), remedy="Create it first.")
    if (there is None or stat.S_ISREG(there.st_mode)) and not os.access(folder, os.W_OK):
        what, remedy = "this folder cannot be written", "Name another one, or change its rights."
        raise input_error(TITLE, what, where=shorten(folder, 200), remedy=remedy)


def _refuse(target: Path, named: Path, force: bool) -> os.stat_result | None:
    """The status of the target; None where nothing is there. Raises InputError for a folder, and for a file to be kept."""
    try:
        there = target.stat()
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(there.st_mode):
        raise input_error(TITLE, "this is a folder", where=shorten(named, 200), remedy="Name a file.")
    if stat.S_ISREG(there.st_mode) and stream(target) is None and not force:
        remedy = "Name another file or add --force."
        raise input_error(TITLE, "the file exists", where=shorten(named, 200), remedy=remedy)
    return there


def _target(path: Path) -> Path:
    """The file that a link leads to, there or not.

    Raises OSError for a link that may be a trap: in a folder such as /tmp, where all may write, one of another user.
    """
    for _ in range(_MOST_LINKS):
        if stream(path) is not None or not path.is_symlink():
            return path
        folder = path.parent.stat()
        open_to_all = folder.st_mode & stat.S_IWOTH and folder.st_mode & stat.S_ISVTX
        if open_to_all and path.lstat().st_uid not in (os.geteuid(), folder.st_uid):
            raise PermissionError(errno.EACCES, "this is another user's symbolic link", str(path))
        path = path.parent / path.readlink()
    raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))


def _write_into(path: Path, content: bytes, patience: Patience) -> None:
    """Write into what is there: a pipe, a device, what was open already."""
    sys.stdout.flush()  # what was said before stands before it
    with closing(_open(path, patience)) as descriptor:
        rest = memoryview(content)
        while rest:
            try:
                rest = rest[os.write(descriptor, rest[: 1 << 16]) :]
            except BlockingIOError:
                if not can_write(descriptor, patience.silence):
                    raise NobodyThereError(f"nobody has read from it for {patience.silence:g} seconds") from None


def _open(path: Path, patience: Patience) -> int:
    """Wait for a reader, too: `open` refuses a pipe without one."""
    number = stream(path)
    if number is not None:
        return os.dup(number)
    end = time.monotonic() + patience.opening
    while True:
        try:
            return os.open(path, os.O_WRONLY | NO_WAITING)
        except OSError as error:
            if error.errno != errno.ENXIO or not stat.S_ISFIFO(path.stat().st_mode):
                raise
            if time.monotonic() >= end:
                raise NobodyThereError("this is a pipe from which nothing reads") from None
        time.sleep(0.05)
