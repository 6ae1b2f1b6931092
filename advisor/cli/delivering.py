"""Results on their way out: to stdout or to the file that was named, which is never one that was read."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path

from advisor.cli.console import look, tell, write, write_json
from advisor.cli.options import PageFormat
from advisor.errors import InputError, input_error
from advisor.files.output import TITLE, write_bytes
from advisor.files.waiting import NO_WAITING, closing, stream
from advisor.plain import json_text
from advisor.report.page import Look, harmless

_ANSWERS_STAY = "the answers or the data come from this file, and it is never rewritten"


def refuse_rewriting(output: Path | None, *read: Path | None, what: str = _ANSWERS_STAY) -> None:
    """Refuse an output that is one of the files that were read, `--force` or not. Raises InputError."""
    for path in read:
        try:
            same = output is not None and path is not None and output.exists() and output.samefile(path)
        except (OSError, ValueError):  # one of them is no file
            continue
        if same:
            raise input_error(TITLE, what, where=str(output), remedy="Name another file.")


def deliver(text: str, output: Path | None, force: bool) -> None:
    """Write a result to the file that was named, or to stdout: the one door, which no control character passes."""
    if output is None:
        write(text)
    else:
        text = harmless(text)
        _write_file(output, text if text.endswith("\n") else f"{text}\n", force=force)


def deliver_json(value: object, output: Path | None, force: bool) -> None:
    """Write JSON to the file that was named, or to stdout."""
    if output is None:
        write_json(value)
    else:
        _write_file(output, f"{json_text(value)}\n", force=force)


def _write_file(output: Path, text: str, *, force: bool) -> None:
    deliver_bytes(text.encode("utf-8", "replace"), output, force)


def deliver_bytes(content: bytes, output: Path, force: bool) -> None:
    """Write a file as it is, a terminal without control characters, and say so to whoever sits before a terminal."""
    if _is_terminal(output):
        content = harmless(content.decode("utf-8", "replace")).encode()
    write_bytes(output, content, force=force)
    if sys.stderr.isatty() and output.is_file():
        tell(f"Saved: {output}")


def _is_terminal(output: Path) -> bool:
    """Find out whether the output is /dev/stdout, /dev/fd/3, /dev/tty or another name of a terminal."""
    number = stream(output)
    try:
        if number is not None:
            return os.isatty(number)
        if not output.is_char_device():
            return False
        with closing(os.open(output, os.O_RDONLY | NO_WAITING)) as descriptor:
            return os.isatty(descriptor)
    except (OSError, ValueError):
        return False


@contextmanager
def shown_otherwise(page: Callable[[], str]) -> Iterator[None]:
    """Show on stdout what took long to find out, where it cannot be written into the file that was named."""
    try:
        yield
    except InputError:
        write(page())
        raise


def deliver_page(
    format_: PageFormat,
    output: Path | None,
    force: bool,
    *,
    as_json: Callable[[], object],
    as_html: Callable[[str], str],
    as_text: Callable[[Look], str],
) -> None:
    """Write a result in the wanted form. Only that one is made: HTML, which takes a date, needs libraries of its own."""
    if format_ is PageFormat.JSON:
        deliver_json(as_json(), output, force)
    elif format_ is PageFormat.HTML:
        deliver(as_html(date.today().isoformat()), output, force)
    else:
        deliver(as_text(look() if output is None else Look()), output, force)
