"""A large text file looked at without reading all of it: pieces from all over it, and its line breaks."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import numpy

from advisor.datasets import encodings

READ_WHOLE = 16 * 2**20
"""A file up to this size is read to its end."""
PLACES = 64
PIECE = 3 * 2**14
COUNTED_UP_TO = 4 * 2**30
"""Above, rows are estimated from bytes: counting would take longer than a person waits."""
LONGEST_LINE = 16 * 2**20
"""Bytes of one row of a table, which is held as a whole; a longer one is most often a quotation mark left open."""
_STRIDE = 2**20


def pieces(
    path: Path,
    size: int,
    encoding: str = "utf-8",
    *,
    start: int = 0,
    piece: int | None = None,
    places: int | None = None,
) -> Iterator[tuple[int, bytes]]:
    """Places of a file from `start` on, evenly apart, and what stands there; the last piece ends with the file.

    None where it ends before `start`, as a file of one very long line does.
    """
    if start >= size:
        return
    width = encodings.width(encoding)
    piece, places = piece or PIECE, places or PLACES
    with path.open("rb") as file:
        for number in range(places):
            place = start + number * max(size - piece - start, 0) // max(places - 1, 1)
            place -= place % width
            file.seek(place)
            yield place, file.read(size - place if number == places - 1 else piece)


def breaks_before(path: Path, until: int, encoding: str = "utf-8", line_end: str = "\n") -> int:
    """Line breaks before a place in the file, counted by several threads in memory that does not grow with it."""
    workers = min(4, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)
    share = max(-(-until // workers // _STRIDE) * _STRIDE, _STRIDE)
    spans = [(start, min(start + share, until)) for start in range(0, until, share)]
    kind = {"utf-16-le": "<u2", "utf-16-be": ">u2"}.get(encoding, "u1")
    with ThreadPoolExecutor(workers) as pool:
        return sum(pool.map(partial(_breaks_between, path, numpy.dtype(kind), ord(line_end)), spans))


def _breaks_between(path: Path, kind: numpy.dtype[numpy.unsignedinteger], mark: int, span: tuple[int, int]) -> int:
    start, end = span
    buffer = bytearray(_STRIDE)
    found = 0
    with path.open("rb", buffering=0) as file:
        file.seek(start)
        while start < end:
            size = file.readinto(memoryview(buffer)[: min(_STRIDE, end - start)])
            if not size:
                break
            characters = numpy.frombuffer(buffer, kind, count=size // kind.itemsize)
            found += int(numpy.count_nonzero(characters == mark))
            start += size
    return found
