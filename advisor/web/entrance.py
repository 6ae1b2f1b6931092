"""The way of a browser to the page: a file that only this user can read, since others can read the arguments of a program."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from advisor.children.temporary import temporary_folder
from advisor.files.private import check_folder
from advisor.web.guard import Guard

NAME = "open-advisor.html"
_PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>advisor</title>
<meta name="referrer" content="no-referrer"><meta http-equiv="refresh" content="0; url={address}"></head>
<body><p><a href="{address}">Open advisor</a></p></body></html>
"""


@contextlib.contextmanager
def entrance(guard: Guard) -> Iterator[Path]:
    """A page that leads to the server once, removed as soon as it has. Raises OSError where no file can be written.

    It lies in the home folder where that is ours alone: a browser from a snap sees neither /tmp nor hidden folders.
    """
    with contextlib.ExitStack() as closing:
        try:
            check_folder(Path.home())
            folder = closing.enter_context(temporary_folder(Path.home()))
        except (OSError, RuntimeError):  # others could change it, nothing can be written there, or there is none
            folder = closing.enter_context(temporary_folder())
        path = folder / NAME
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
            file.write(_PAGE.format(address=guard.opening))
        guard.when_used = lambda: shutil.rmtree(folder, ignore_errors=True)
        yield path
