"""The only way into the files of a saved model: each is a regular file of a bounded size, and so is what it unpacks to."""

from __future__ import annotations

import os
import stat
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import IO

from advisor.files.waiting import NO_WAITING

MOST_BYTES = 4_000_000_000
"""Of a file, and of all that it unpacks to."""
MOST_TIMES = 20
"""Times its size, that a file may unpack to; what we write is not packed at all."""
FREELY = 50_000_000
"""Bytes up to which a file may unpack whatever its size."""
MOST_STRUCTURE_BYTES = 128_000_000
"""Of a member that says how the others belong together: each object in it takes many times its bytes."""
MOST_MEMBERS = 500_000
_STRUCTURES = (".json", ".pkl")
_ARCHIVES = (".npz", ".zip", ".skops")


class UnopenableError(ValueError):
    """It is not the file of a saved model, or one that takes too much."""


@contextmanager
def opened(path: Path) -> Iterator[IO[bytes]]:
    """A zip file whose members are bounded, open at its beginning.

    Raises OSError, UnopenableError, and zipfile.BadZipFile for what is no zip file.
    """
    with os.fdopen(os.open(path, os.O_RDONLY | NO_WAITING), "rb") as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise UnopenableError("it is no regular file")
        if status.st_size > MOST_BYTES:
            raise UnopenableError(f"it is larger than {MOST_BYTES // 1_000_000:,} MB")
        check_members(file, status.st_size)
        file.seek(0)
        yield file


def check_members(file: IO[bytes], size: int) -> None:
    """Refuse a zip file of so many bytes that unpacks to too much, archives in it included.

    zipfile never unpacks more of a member than the directory says, by which this adds up. Raises UnopenableError,
    zipfile.BadZipFile.
    """
    allowed = min(MOST_BYTES, max(FREELY, MOST_TIMES * size))
    with zipfile.ZipFile(file) as archive:
        members = archive.infolist()
        if len(members) > MOST_MEMBERS:
            raise UnopenableError(f"it has more than {MOST_MEMBERS:,} parts")
        unpacked = sum(one.file_size for one in members)
        if unpacked > allowed:
            what = (
                f"it is {size / 1e6:,.1f} MB and unpacks to {unpacked / 1e6:,.0f} MB, more than {allowed / 1e6:,.0f} MB"
            )
            raise UnopenableError(what)
        for one in members:
            if one.filename.endswith(_STRUCTURES) and one.file_size > MOST_STRUCTURE_BYTES:
                most = f"more than {MOST_STRUCTURE_BYTES // 1_000_000:,} MB"
                raise UnopenableError(f"its {Path(one.filename).name} unpacks to {one.file_size / 1e6:,.0f} MB, {most}")
            if one.filename.endswith(_ARCHIVES):
                inner = archive.read(one)
                check_members(BytesIO(inner), len(inner))
