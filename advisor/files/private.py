"""Files of our own: what is remembered between runs, opened only where nobody else can put another file in its place.

Whoever may write a folder can replace whatever lies in it, and in any folder below it. So each folder on the way, from
the root down, has to belong to us or to root, and nobody else may write it, save for folders such as /tmp, where
everybody removes only what is their own. Windows has no such rights: there nothing is checked.
"""

from __future__ import annotations

import errno
import functools
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from advisor.files.whole import replace

FOLDER_MODE = 0o700
FILE_MODE = 0o600
_MOST_LINKS = 40
_SAFE = sum(getattr(os, name, 0) for name in ("O_NOFOLLOW", "O_CLOEXEC", "O_NONBLOCK", "O_NOCTTY", "O_BINARY"))
"""No symbolic link, nothing for children, and no waiting for whoever writes into a pipe."""


class NotOursError(OSError):
    """Somebody else could have made it, or could change it; `strerror` says why, `filename` where."""

    def __init__(self, path: Path, what: str) -> None:
        super().__init__(errno.EPERM, what, str(path))


class OthersWriteError(NotOursError):
    """It is ours or root's, but others have the right to write it."""


def make_folder(folder: Path) -> None:
    """Make it where it is missing, and its parents, with access for their owner only.

    Raises NotOursError where it is there and somebody else could change what it holds, and OSError.
    """
    for each in (*reversed(folder.parents), folder):
        if not each.exists():
            check_folder(each.parent, for_folders=True)
            each.mkdir(mode=FOLDER_MODE, exist_ok=True)
    check_folder(folder)


def check_folder(folder: Path, *, for_folders: bool = False) -> None:
    """Raise NotOursError where somebody else could change what this folder holds, and OSError where it is none.

    Args:
        for_folders: of which somebody else may make others beside ours, as in /tmp.
    """
    if os.name != "posix":
        return
    place, links = Path("/"), 0
    waiting = list(reversed(folder.absolute().parts))
    while waiting:
        name = waiting.pop()
        place = place.parent if name == os.pardir else place / name
        found = place.lstat()
        if found.st_uid not in _trusted():
            raise NotOursError(place, "this belongs to another user")
        if stat.S_ISLNK(found.st_mode):
            links += 1
            if links > _MOST_LINKS:
                raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(folder))
            waiting += reversed(place.readlink().parts)
            place = place.parent
        elif not stat.S_ISDIR(found.st_mode):
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(place))
        elif _others_write(found) and not ((waiting or for_folders) and found.st_mode & stat.S_ISVTX):
            raise OthersWriteError(place, "other users may write this folder")


def open_private(path: Path, flags: int) -> int:
    """The descriptor of a file, or with O_DIRECTORY of a folder, that is ours alone; a new file is for its owner only.

    Raises NotOursError for what somebody else could have put there, and for a link, a pipe or a device; and OSError.
    """
    check_folder(path.parent)
    try:
        descriptor = os.open(path, flags | _SAFE, FILE_MODE)
    except OSError as error:
        if path.is_symlink():
            raise NotOursError(path, "this is a symbolic link, and none of ours") from error
        raise
    try:
        _check_ours(path, os.fstat(descriptor), folder=bool(flags & getattr(os, "O_DIRECTORY", 0)))
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


@contextmanager
def opened(path: Path, flags: int) -> Iterator[int]:
    """The same, closed in the end."""
    descriptor = open_private(path, flags)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def read_private(path: Path, most: int) -> bytes:
    """The content, but not much more than so many bytes. Raises as `open_private` does."""
    with opened(path, os.O_RDONLY) as descriptor:
        return read_up_to(descriptor, most + 1)


def read_up_to(descriptor: int, most: int) -> bytes:
    """The next bytes of a regular file, at most so many. Raises OSError."""
    content = bytearray()
    while len(content) < most and (part := os.read(descriptor, min(most - len(content), 1 << 20))):
        content += part
    return bytes(content)


def write_all(descriptor: int, content: bytes) -> None:
    """Raises OSError where not all of it can be written."""
    rest = memoryview(content)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def save_private(path: Path, content: bytes) -> None:
    """Replace a file of ours at once. Raises NotOursError where somebody else could change it, and OSError."""
    check_folder(path.parent)
    replace(path, content, FILE_MODE)


def is_named(descriptor: int, path: Path) -> bool:
    """Say whether the open file is still the one of this name."""
    try:
        return os.path.samestat(os.fstat(descriptor), path.lstat())
    except OSError:
        return False


def _check_ours(path: Path, found: os.stat_result, *, folder: bool) -> None:
    if stat.S_ISDIR(found.st_mode) and not folder:
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not folder and not stat.S_ISREG(found.st_mode):
        raise NotOursError(path, "this is no regular file")
    if os.name != "posix":
        return
    if found.st_uid not in _trusted():
        raise NotOursError(path, "this belongs to another user")
    if _others_write(found):
        raise OthersWriteError(path, f"other users may write this {'folder' if folder else 'file'}")


def _trusted() -> tuple[int, ...]:
    return os.geteuid(), 0, *_stand_in_for_root(Path("/proc/self"), Path("/proc/sys/kernel"))


@functools.cache
def _stand_in_for_root(process: Path, kernel: Path) -> tuple[int, ...]:
    """The owner that is shown for files of root where a container knows root under no number, as Apptainer's do.

    All other owners that it does not know are shown so, too (user_namespaces(7)): nobody can tell them apart there.
    """
    try:
        spans = [[int(word) for word in line.split()] for line in (process / "uid_map").read_text().splitlines()]
        if any(inside == 0 or outside == 0 for inside, outside, _ in spans):
            return ()
        return (int((kernel / "overflowuid").read_text()),)
    except (OSError, ValueError):
        return ()


def _others_write(found: os.stat_result) -> bool:
    if found.st_mode & stat.S_IWOTH:
        return True
    return bool(found.st_mode & stat.S_IWGRP) and not _is_own_group(found.st_gid)


def _is_own_group(number: int) -> bool:
    """Say whether a group is root's or has one member only, this user: many systems give each user such a group."""
    if number == 0:
        return True
    import grp  # Windows has none
    import pwd

    try:
        user, group = pwd.getpwuid(os.geteuid()), grp.getgrgid(number)
    except KeyError:
        return False
    return (group.gr_gid, group.gr_name) == (user.pw_gid, user.pw_name) and set(group.gr_mem) <= {user.pw_name}
