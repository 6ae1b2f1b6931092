"""Lines in and out of the plain wizard."""

from __future__ import annotations

import shutil
import sys
import textwrap

from advisor.cli import console


def say(line: str) -> None:
    """A line, wrapped where a terminal would break it within a word."""
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else 10_000
    hanging = " " * (len(line) - len(line.lstrip()) + 2)
    wrapped = textwrap.wrap(line, max(width - 1, 20), subsequent_indent=hanging, break_on_hyphens=False)
    for part in wrapped if len(line) >= width else [line]:
        console.say(part)


def read(prompt: str) -> str:
    """One line from the user. Raises EOFError at the end of input."""
    sys.stdout.write(prompt)
    sys.stdout.flush()
    line = sys.stdin.readline()
    if not line:
        raise EOFError
    if not sys.stdin.isatty():
        sys.stdout.write("\n")  # the reader of a transcript sees each prompt on its own line
    return line.rstrip("\n")
