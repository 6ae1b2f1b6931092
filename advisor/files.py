"""Files that users ask for: never overwritten unasked, never left half written."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from advisor.errors import InputError, input_error
from advisor.wording import shorten


def write_text(path: Path, text: str, *, force: bool = False) -> None:
    """Write a whole UTF-8 file or nothing.

    Raises:
        InputError: the file exists and `force` is not set, or it cannot be written (missing folder, full disk).
    """
    title = "The output cannot be written"
    try:
        if path.is_dir():
            raise input_error(title, "this is a folder", where=str(path), remedy="Name a file.")
        if path.is_file() and not force:
            raise input_error(title, "the file exists", where=str(path), remedy="Name another file or add --force.")
        if path.exists() and not path.is_file():  # /dev/stdout, a named pipe
            path.write_text(text, encoding="utf-8")
            return
        atomic_write(path, text.encode("utf-8"))
    except OSError as error:
        reason = error.strerror or type(error).__name__
        remedy = "Check the folder, its permissions and the free space."
        raise input_error(title, reason, where=shorten(path, 200), remedy=remedy) from None
    except InputError:
        raise
    except ValueError:  # a null character in the name
        raise input_error(title, "is not a file name", where=shorten(path), remedy="Check the name.") from None


def atomic_write(path: Path, data: bytes, mode: int = 0o644) -> None:
    """Replace the file at once: readers see the old content or the new, whatever happens between. Raises OSError."""
    descriptor, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).chmod(mode)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
