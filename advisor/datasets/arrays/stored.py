"""NPY and NPZ files read without ever unpickling: what they hold, and some rows of it with bounded memory."""

from __future__ import annotations

import errno
import lzma
import math
import struct
import tokenize
import warnings
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, TypeAlias

import numpy
from numpy.lib import format as npy
from numpy.typing import NDArray

from advisor.datasets.refusals import unreadable
from advisor.datasets.sampling import Positions
from advisor.wording import shorten

AnyArray: TypeAlias = NDArray[Any]

ARCHIVE = b"PK\x03\x04"
"""The first bytes of a ZIP archive, and so of an NPZ."""
BLOCK = 16 * 2**20
MOST_COLUMN_ORDER = 2**30
"""Bytes of an array in Fortran's order within an NPZ, which must be unpacked whole."""
MOST_ARRAYS = 10_000
"""Of one NPZ."""
LARGEST_WHOLE = 2**32
"""Bytes of an NPY that may be read from its beginning to its end; of a larger one what is wanted is looked up."""
MOST_LOOKED_UP = 100_000
"""Places of such an array that are looked up: rows, or in Fortran's order numbers."""
_FEWEST_ROWS = 100
"""Rows that are looked up however many numbers they have."""
_SPARSE = 100
"""Rows for each one that is wanted, from which on those are looked up one by one."""
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""Ways in which NumPy packs an NPZ."""
_ENCRYPTED = 1
"""The flag of an encrypted member (PKWARE's APPNOTE, section 4.4.4)."""
_MOST_DEFLATED = 1032
"""Times that deflate makes anything smaller, at most (zlib's technical details, section Maximum Compression Factor)."""
DAMAGED = (
    ValueError, EOFError, KeyError, TypeError, RuntimeError, OverflowError, MemoryError, SyntaxError, struct.error,
    tokenize.TokenError, zipfile.BadZipFile, zlib.error, lzma.LZMAError,
)  # fmt: skip
"""Errors that reading raises on cut off or made-up files."""
TRY_AGAIN = "It may be cut off. Copy or write it once more."
_AS_NUMPY_WRITES = "Write it with numpy.savez or numpy.savez_compressed."


class _NotReadError(Exception):
    """Something sound that is not read here: its nature, and the remedy."""


@dataclass(frozen=True, slots=True)
class StoredArray:
    """The header of one array in a file; rows are along its first axis."""

    name: str
    """In an NPZ; empty in an NPY."""
    shape: tuple[int, ...]
    kind: numpy.dtype[Any]
    by_columns: bool
    """True for Fortran's order."""

    @property
    def rows(self) -> int:
        return self.shape[0] if self.shape else 1

    @property
    def bytes(self) -> int:
        return math.prod(self.shape) * self.kind.itemsize

    @property
    def row_bytes(self) -> int:
        return math.prod(self.shape[1:]) * self.kind.itemsize

    def most_rows(self, column: int | None = None) -> int:
        """The rows that may be read, of all columns or one, so that it takes seconds however large the file is."""
        if self.name or self.bytes <= LARGEST_WHOLE:
            return self.rows
        places = math.prod(self.shape[1:]) if self.by_columns and column is None else 1
        return min(self.rows, max(MOST_LOOKED_UP // max(places, 1), _FEWEST_ROWS))


def stored_arrays(path: Path) -> list[StoredArray]:
    """List the arrays of an NPY or NPZ file from their headers alone, none of which claims more than the file can hold.

    Raises InputError where the file is damaged. Arrays of objects are listed like others; `rows_of` refuses them.
    """
    with _refusing_damage(path):
        if not zipfile.is_zipfile(path):
            with path.open("rb") as file:
                if file.read(len(ARCHIVE)) == ARCHIVE:
                    raise EOFError("the NPZ is cut off or damaged; its end, which lists its arrays, is missing")
                file.seek(0)
                return [_possible(_header("", file), path.stat().st_size - file.tell())]
        with zipfile.ZipFile(path) as archive:
            headers: list[StoredArray] = []
            if len(archive.infolist()) > MOST_ARRAYS:
                what = f"it holds {len(archive.infolist()):,} arrays, and {MOST_ARRAYS:,} at most are read"
                raise _NotReadError(what, "Put what belongs together into one array.")
            for member in archive.infolist():
                if member.filename.endswith(".npy"):
                    size = _unpacked(member)
                    with archive.open(member) as file:
                        header = _header(member.filename.removesuffix(".npy"), file)
                        headers.append(_possible(header, size - file.tell()))
            return headers


def rows_of(path: Path, stored: StoredArray, positions: Positions, column: int | None = None) -> AnyArray:
    """Read rows at ascending positions, of all columns or one; of an array without axes the value itself.

    Never more than a block of other rows is in memory with them. Raises InputError where the file is damaged.
    """
    with _refusing_damage(path), _opened(path, stored) as file:
        if stored.kind.hasobject:
            raise _NotReadError("it holds objects", "Write it as numbers or texts.")
        if not stored.shape:
            return numpy.frombuffer(_exactly(file, stored.bytes), stored.kind).reshape(())
        few = len(positions) * _SPARSE < stored.rows or stored.bytes > LARGEST_WHOLE
        if few and not stored.name:
            return _apart(file, stored, positions, column)
        return (_by_columns if stored.by_columns else _in_order)(file, stored, positions, column)


@contextmanager
def _opened(path: Path, stored: StoredArray) -> Iterator[IO[bytes]]:
    """The numbers of an array, its header passed over."""
    if not stored.name:
        with path.open("rb") as file:
            _header("", file)
            yield file
        return
    with zipfile.ZipFile(path) as archive, archive.open(f"{stored.name}.npy") as member:
        _header(stored.name, member)
        yield member


@contextmanager
def _refusing_damage(path: Path) -> Iterator[None]:
    """Raise InputError for what reading a cut off or made-up file raises; NumPy's word on files of Python 2 is dropped."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    except OSError as error:
        if error.errno != errno.EINVAL:  # a place before the file's beginning, which a damaged archive names
            raise
        raise unreadable(path, "this file cannot be read: it names places outside of it", TRY_AGAIN) from None
    except _NotReadError as error:
        raise unreadable(path, *error.args) from None
    except DAMAGED as error:
        raise unreadable(path, f"this file cannot be read: {shorten(error, 120)}", TRY_AGAIN) from None


def _header(name: str, file: IO[bytes]) -> StoredArray:
    """Read the header of an array. Raises ValueError; what NumPy would say instead advises to trust the file."""
    version = npy.read_magic(file)
    read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
    try:
        shape, by_columns, kind = read(file)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError, tokenize.TokenError):
        what = f"the header of the array {shorten(name, 40)}" if name else "its header"
        raise ValueError(f"{what} is cut off or does not tell a shape and a type of numbers") from None
    if any(type(count) is not int or count < 0 for count in shape):
        raise ValueError(f"{f'the array {shorten(name, 40)}' if name else 'it'} tells a shape that no array has")
    return StoredArray(name, shape, kind, by_columns and len(shape) > 1)


def _unpacked(member: zipfile.ZipInfo) -> int:
    """Bytes of a member of an archive once it is unpacked. Raises ValueError where that cannot be, or _NotReadError."""
    if member.compress_type not in _METHODS:
        raise _NotReadError("it is packed in a way that NumPy does not use", _AS_NUMPY_WRITES)
    if member.flag_bits & _ENCRYPTED:
        raise _NotReadError("it is encrypted", f"Decrypt it first. {_AS_NUMPY_WRITES}")
    if member.file_size > _MOST_DEFLATED * (member.compress_size + 1):
        raise ValueError(f"{member.compress_size:,} bytes cannot unpack to {member.file_size:,}")
    return member.file_size


def _possible(stored: StoredArray, held: int) -> StoredArray:
    """The header, if so many bytes can be its array. Raises EOFError."""
    if not stored.kind.hasobject and stored.bytes > held:
        raise EOFError(f"its header promises {stored.bytes:,} bytes of numbers, and there are {held:,}")
    return stored


def _in_order(file: IO[bytes], stored: StoredArray, positions: Positions, column: int | None) -> AnyArray:
    """Rows of an array in C order, read from its beginning to the last of them."""
    kept: Any = slice(None) if column is None else (slice(None), column)
    result = numpy.empty((len(positions), *(stored.shape[1:] if column is None else ())), stored.kind)
    at_once = max(1, BLOCK // max(1, stored.row_bytes))
    last = int(positions[-1]) + 1 if len(positions) else 0
    for start in range(0, last, at_once):
        count = min(at_once, last - start)
        block = numpy.frombuffer(_exactly(file, count * stored.row_bytes), stored.kind).reshape(
            count, *stored.shape[1:]
        )
        low, high = numpy.searchsorted(positions, [start, start + count])
        result[low:high] = block[kept][positions[low:high] - start]
    return result


def _apart(file: IO[bytes], stored: StoredArray, positions: Positions, column: int | None) -> AnyArray:
    """A few rows of an array, each looked up where it stands; in Fortran's order each of its numbers."""
    begin, size = file.tell(), stored.kind.itemsize
    shape = (len(positions), *(stored.shape[1:] if column is None else ()))
    if not stored.by_columns:
        starts = begin + positions * stored.row_bytes + (column or 0) * size
        return _looked_up(file, starts, stored.row_bytes if column is None else size, stored.kind).reshape(shape)
    wanted = range(math.prod(stored.shape[1:])) if column is None else [column]
    columns = [
        _looked_up(file, begin + (place * stored.rows + positions) * size, size, stored.kind) for place in wanted
    ]
    return numpy.stack(columns, axis=-1).reshape(shape, order="F")


def _looked_up(file: IO[bytes], starts: Positions, size: int, kind: numpy.dtype[Any]) -> AnyArray:
    """(n,), the numbers in so many bytes from each of these places of the file on."""
    data = bytearray()
    for start in starts.tolist():
        file.seek(start)
        data += _exactly(file, size)
    return numpy.frombuffer(data, kind)


def _by_columns(file: IO[bytes], stored: StoredArray, positions: Positions, column: int | None) -> AnyArray:
    """Rows of an array in Fortran's order: the values of one column of all rows stand together, then those of the next."""
    if stored.name and stored.bytes > MOST_COLUMN_ORDER:
        raise _NotReadError("it is too large for an array in Fortran's order", "Write it with numpy.ascontiguousarray.")
    columns = math.prod(stored.shape[1:])
    wanted = range(columns) if column is None else range(column, column + 1)
    result = numpy.empty((len(positions), len(wanted)), stored.kind, order="F")
    size = stored.kind.itemsize
    file.seek(wanted.start * stored.rows * size, 1)
    at_once = max(1, BLOCK // size)
    for place in range(len(wanted)):
        for start in range(0, stored.rows, at_once):
            count = min(at_once, stored.rows - start)
            block = numpy.frombuffer(_exactly(file, count * size), stored.kind)
            low, high = numpy.searchsorted(positions, [start, start + count])
            result[low:high, place] = block[positions[low:high] - start]
    return result[:, 0] if column is not None else result.reshape((len(positions), *stored.shape[1:]), order="F")


def _exactly(file: IO[bytes], size: int) -> bytes:
    data = file.read(size)
    if len(data) < size:
        raise EOFError("it ends before its header says")
    return data
