"""Values and names as they appear in sentences: joined, shortened, without characters that take over a terminal."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Sequence


def join_names(names: Sequence[str], conjunction: str = "and") -> str:
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} {conjunction} {names[-1]}"


def join_first(names: Sequence[str], most: int = 5) -> str:
    """The first names, and how many more there are."""
    more = [f"{len(names) - most:,} more"] if len(names) > most else []
    return join_names([*names[:most], *more])


def shell_word(text: str) -> str:
    """A word of a command that can be copied into a shell (bash, zsh, sh of POSIX 2024): always on one line, and without
    control characters."""
    if text == printable(text) and "\n" not in text:
        return shlex.quote(text)
    return f"$'{''.join(map(_escaped, text))}'"


def shell_path(path: str) -> str:
    """A path as such a word, which no program takes for an option."""
    return shell_word(f"./{path}" if path.startswith("-") else path)


def shell_words(words: Iterable[str]) -> str:
    return " ".join(map(shell_word, words))


def _escaped(character: str) -> str:
    if character != "\n" and character not in "\\'" and printable(character):
        return character
    return "".join(f"\\{byte:03o}" for byte in os.fsencode(character))


def shorten(value: object, limit: int = 60) -> str:
    """A value as it may appear in a message: on one line, without control characters, not too long."""
    text = printable(str(value)).replace("\n", " ")
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


CONTROLS = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\ufeff\ufff9-\ufffb\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e007f"
)
"""Control, format and separator characters (Cc, Cf, Zl, Zp) but tab and line break, as a class of a regular expression: they
can take over a terminal, or turn text around."""


def printable(text: str) -> str:
    """Text without the control and bidirectional characters that can take over a terminal (line breaks stay)."""
    return text if text.isprintable() else "".join(c for c in text if c == "\n" or c.isprintable())
