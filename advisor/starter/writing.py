"""A folder of files that appears whole or not at all, and never takes anything from anybody."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path

from advisor.errors import InputError, Problem, input_error
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
        if folder.is_dir() and any(folder.iterdir()) and not force:
            raise input_error(TITLE, "the folder is not empty", where=where, remedy=_NOT_EMPTY)
        in_the_way = [name for name in files if (folder / name).is_dir() and not (folder / name).is_symlink()]
        if in_the_way:
            what, remedy = "is a folder, where the project has a file", "Move it away."
            raise InputError(TITLE, [Problem(shorten(folder / name, 200), what, remedy) for name in in_the_way])
        _write(folder, files)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise input_error(TITLE, reason, where=where, remedy="Check its parent, permissions and free space.") from None
    except InputError:
        raise
    except ValueError:  # a null character in the name
        raise input_error(TITLE, "is not a name of a folder", where=where, remedy="Check the name.") from None


_NOT_EMPTY = "Name another folder, or add --force, which replaces files of the project and leaves all others."


def _write(folder: Path, files: Mapping[str, str]) -> None:
    """Nothing is seen of them before all are written. A folder that exists stays the same one: it may be where somebody
    stands, or a mounted disk."""
    there = folder.is_dir()
    aside = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder if there else folder.absolute().parent))
    try:
        for name, text in files.items():
            (aside / name).write_text(text, encoding="utf-8")
        if there:
            _move(files, aside, folder)
        else:
            aside.chmod(0o755)
            aside.replace(folder)
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def _move(names: Iterable[str], aside: Path, folder: Path) -> None:
    """If one cannot be moved, those that were there before it and replaced nothing are gone again."""
    new = []
    try:
        for name in names:
            fresh = not (folder / name).exists()
            (aside / name).replace(folder / name)
            new += [folder / name] if fresh else []
    except BaseException:
        for path in new:
            path.unlink(missing_ok=True)
        raise
