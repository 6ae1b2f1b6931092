"""Reading files that users name, which may be anything: a pipe into which nobody writes, a device without an end."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from advisor.errors import input_error
from advisor.files.waiting import NO_WAITING, PATIENT, NobodyThereError, Patience, can_read, closing, stream
from advisor.wording import shorten

CHECK_NAME = "Check the name."
_LONGEST_PATH = 400


def read_named(
    path: Path,
    most: int,
    title: str,
    remedy: str = CHECK_NAME,
    too_large: str = CHECK_NAME,
    patience: Patience = PATIENT,
) -> bytes:
    """The content of a file that a user named.

    Args:
        most: bytes; what is larger is refused, and not read to its end.
        title: of the message where it cannot be read.
        remedy: for what cannot be read.
        too_large: the remedy for what is larger.

    Raises InputError: there is no such file, it cannot be read, nothing comes out of it, or it is too large.
    """
    raw = read_beginning(path, most + 1, title, remedy, patience)
    if len(raw) > most:
        raise input_error(
            title, f"is larger than {most // 1_000_000} MB", where=shorten(path, _LONGEST_PATH), remedy=too_large
        )
    return raw


def read_beginning(path: Path, count: int, title: str, remedy: str = CHECK_NAME, patience: Patience = PATIENT) -> bytes:
    """The first so many bytes of a file that a user named; all of it, where it has fewer.

    Raises InputError as `read_named` does, but for a file that is too large.
    """
    where = shorten(path, _LONGEST_PATH)
    try:
        return _content(path, count, patience)
    except IsADirectoryError:
        raise input_error(title, "this is a folder", where=where, remedy="Name a file.") from None
    except NobodyThereError as error:
        remedy = "Name a file, or start what writes into it first."
        raise input_error(title, error.what, where=where, remedy=remedy) from None
    except OSError as error:
        reason = (
            "it is a socket"
            if error.errno == errno.ENXIO and path.is_socket()
            else error.strerror or type(error).__name__
        )
        raise input_error(title, f"cannot be read ({reason})", where=where, remedy=remedy) from None
    except ValueError:  # a null character in the name
        raise input_error(title, "is not a file name", where=where, remedy=CHECK_NAME) from None


def _content(path: Path, most: int, patience: Patience) -> bytes:
    try:
        opened = os.open(path, os.O_RDONLY | NO_WAITING)
    except OSError as error:
        number = stream(path)
        if number is None or error.errno not in (errno.ENXIO, errno.EACCES):
            raise
        opened = os.dup(number)  # a socket, or somebody else's terminal: what is open cannot be opened again
    with closing(opened) as descriptor:
        mode = os.fstat(descriptor).st_mode
        if stat.S_ISDIR(mode):
            raise IsADirectoryError
        return b"".join(_parts(descriptor, most, patience, regular=stat.S_ISREG(mode)))


def _parts(descriptor: int, most: int, patience: Patience, regular: bool) -> Iterator[bytes]:
    """All that comes out, at most so many bytes; nothing is waited for in a regular file."""
    anybody = regular
    while most > 0:
        if not regular and not can_read(descriptor, patience.silence if anybody else patience.opening):
            if anybody:
                raise NobodyThereError(f"nothing has come out of it for {patience.silence:g} seconds")
            if os.get_blocking(descriptor):  # what is open already: somebody is there, and silent
                anybody = True
                continue
        else:
            anybody = True
        try:
            part = os.read(descriptor, min(most, 1 << 20))
        except BlockingIOError:  # somebody is there, and silent
            anybody = True
            continue
        if not part:
            if not anybody:
                raise NobodyThereError("this is a pipe into which nothing writes")
            return
        most -= len(part)
        yield part
