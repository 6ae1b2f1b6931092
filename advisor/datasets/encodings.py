"""Encodings of text files: recognised and decoded."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from typing import BinaryIO

_MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_CONTROLS = bytes([*range(9), *range(14, 27), *range(28, 32), 127])


def recognise(start: bytes) -> str | None:
    """Recognise the encoding of a text from its first bytes: utf-8, utf-8-sig, utf-16-le, utf-16-be, cp1252 or latin-1.

    None where this is no text. A stray broken character does not make UTF-8 something else.
    """
    for mark, name in _MARKS:
        if start.startswith(mark):
            return name
    if b"\0" in start:
        return _without_mark(start)
    if len(start) - len(start.translate(None, _CONTROLS)) > len(start) / 50:
        return None
    if start.isascii():
        return "utf-8"
    broken = start.decode("utf-8", "replace").count("\ufffd") - start.count("\ufffd".encode())
    whole = len(re.findall(rb"[\xc2-\xf4][\x80-\xbf]+", start))
    if broken <= 1 + whole / 10 and (broken == 0 or whole > 0 or _cut_only(start)):
        return "utf-8"
    try:
        start.decode("cp1252")
    except UnicodeDecodeError:
        return "latin-1"
    return "cp1252"


def _cut_only(start: bytes) -> bool:
    """True where only the last character is broken, since the bytes end within it."""
    try:
        start.decode("utf-8")
    except UnicodeDecodeError as error:
        return error.reason == "unexpected end of data"
    return True


def _without_mark(start: bytes) -> str | None:
    """UTF-16 of mostly Western text: every second byte is zero."""
    even, odd = start[0::2].count(0), start[1::2].count(0)
    for name, zeros, others in (("utf-16-le", odd, even), ("utf-16-be", even, odd)):
        if others == 0 and zeros > len(start) / 6:
            return name
    return None


def decoded(data: bytes, encoding: str) -> str:
    """Text of bytes that begin a file; a character that is cut off or broken becomes a replacement mark."""
    return data.decode(encoding, "replace").removeprefix("\ufeff")


def width(encoding: str) -> int:
    """Bytes of the smallest character."""
    return 2 if encoding.startswith("utf-16") else 1


def blocks(file: BinaryIO, encoding: str, size: int) -> Iterator[str]:
    """Read on in a file, in texts of about `size` bytes each; a character is never cut in two."""
    decoder = codecs.getincrementaldecoder(encoding)("replace")
    while data := file.read(size):
        yield decoder.decode(data)
    yield decoder.decode(b"", final=True)
