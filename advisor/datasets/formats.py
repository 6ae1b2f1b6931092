"""In which format data lie on disk, told by what they begin with and not by their name alone."""

from __future__ import annotations

import os
import stat
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from advisor.datasets import encodings
from advisor.datasets.dataset import Format
from advisor.errors import InputError, input_error
from advisor.wording import join_names, shorten

TITLE = "These data cannot be read"
PICTURES = frozenset({".png", ".jpg", ".jpeg", ".bmp", ".gif", ".webp", ".tif", ".tiff"})
SOUNDS = frozenset({".wav", ".wave"})
TEXTS = frozenset({".txt", ".md"})
TABLES = frozenset({".csv", ".tsv", ".tab", ".parquet", ".pq", ".jsonl", ".ndjson", ".json", ".npy", ".npz"})
_JSON = frozenset({".jsonl", ".ndjson", ".json"})
_DELIMITED = frozenset({".csv", ".tsv", ".tab", ".psv"})
MOST_ENTRIES = 20_000
DEEPEST = 4
ARCHIVE = b"PK\x03\x04"
"""What a ZIP archive begins with, and so an NPZ; one that holds nothing with `EMPTY_ARCHIVE`."""
EMPTY_ARCHIVE = b"PK\x05\x06"

_REFUSED = (
    (b"\x1f\x8b", "this is compressed with gzip", "Unpack it first: gunzip FILE."),
    (b"BZh", "this is compressed with bzip2", "Unpack it first: bunzip2 FILE."),
    (b"\xfd7zXZ\0", "this is compressed with xz", "Unpack it first: unxz FILE."),
    (b"\x28\xb5\x2f\xfd", "this is compressed with zstd", "Unpack it first: unzstd FILE."),
    (b"7z\xbc\xaf\x27\x1c", "this is an archive of 7-Zip", "Unpack it first, and name what is in it."),
    (b"Rar!", "this is an archive of RAR", "Unpack it first, and name what is in it."),
    (b"%PDF", "this is a PDF document", "Save its table as CSV, or its words as text."),
    (b"SQLite format 3\0", "this is a database of SQLite", "Export its table as CSV."),
    (b"\x89HDF", "this is an HDF5 file", "Save the array as NPY or NPZ, or the table as Parquet."),
    (b"ARROW1", "this is an Arrow file", "Save it as Parquet."),
    (b"FEA1", "this is a Feather file", "Save it as Parquet."),
    (b"ORC", "this is an ORC file", "Save it as Parquet."),
    (b"Obj\x01", "this is an Avro file", "Save it as Parquet."),
    (b"\xd0\xcf\x11\xe0", "this is a document of an old office program", "Save the table as CSV."),
    (b"\x89PNG", "this is a single picture", "Name a folder that holds a folder of pictures for each class."),
    (b"\xff\xd8\xff", "this is a single picture", "Name a folder that holds a folder of pictures for each class."),
    (b"GIF8", "this is a single picture", "Name a folder that holds a folder of pictures for each class."),
    (b"RIFF", "this is a single sound or film", "Name a folder that holds a folder of sounds for each class."),
    (b"\x7fELF", "this is a program", "Name a file of data."),
)


def unreadable(path: Path | str, what: str, remedy: str) -> InputError:
    """What is wrong with the data at a path, as every reader of them says it."""
    return input_error(TITLE, what, where=shorten(path, 200), remedy=remedy)


def recognise(path: Path) -> Format:
    """The format of a file or folder.

    Raises:
        InputError: nothing is there, it may not be read, it is empty, or nothing that is known.
    """
    try:
        status = path.stat()
        if stat.S_ISDIR(status.st_mode):
            return _folder(path)
        if not stat.S_ISREG(status.st_mode):
            raise unreadable(path, "this is no file (a device, a pipe or a socket)", "Save the data to a file first.")
        if status.st_size == 0:
            raise unreadable(path, "the file is empty", "Check that it was written to its end.")
        with path.open("rb") as file:
            start = file.read(2**16)
            file.seek(max(0, status.st_size - 16))
            end = file.read(16)
    except OSError as error:
        raise not_opened(path, error) from None
    except ValueError as error:
        if isinstance(error, InputError):
            raise
        raise unreadable(path, "this is no name of a file", "Check the path.") from None  # a null character in it
    return _file(path, start, end)


def not_opened(path: Path, error: OSError) -> InputError:
    """What the system said of a file, in words and with a remedy."""
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return unreadable(path, "nothing is there", _nearby(path))
    if isinstance(error, PermissionError):
        return unreadable(path, "it may not be read", "Check its permissions and those of its folders.")
    return unreadable(path, error.strerror or type(error).__name__, "Check the path and the disk.")


def _nearby(path: Path) -> str:
    """Names like the one that is not there."""
    import difflib

    try:
        names = [entry.name for entry in os.scandir(path.parent)][:MOST_ENTRIES]
    except OSError:
        return "Check the path."
    near = difflib.get_close_matches(path.name[:200], names, n=1, cutoff=0.6)
    return f"Did you mean {shorten(path.parent / near[0], 200)}?" if near else "Check the path."


def _file(path: Path, start: bytes, end: bytes) -> Format:
    suffix = path.suffix.casefold()
    if start.startswith(b"PAR1"):
        if not end.endswith((b"PAR1", b"PARE")):
            raise unreadable(path, "this Parquet file is cut off: its end is missing", "Copy or write it once more.")
        return Format.PARQUET
    if start.startswith(b"\x93NUMPY"):
        return Format.NPY
    if start.startswith((ARCHIVE, EMPTY_ARCHIVE)):
        return _archive(path, start)
    if start[:1] == b"\x80" and start[1:2] in b"\x02\x03\x04\x05" and len(start) > 1:
        what = "this looks like a pickle, which can run any program when it is read"
        raise unreadable(path, what, "Save the data as CSV, Parquet or NPZ instead.")
    for magic, what, remedy in _REFUSED:
        if start.startswith(magic):
            raise unreadable(path, what, remedy)
    named = {".parquet": "Parquet", ".pq": "Parquet", ".npy": "NPY", ".npz": "NPZ"}.get(suffix)
    if named is not None:
        what = f"its name says {named}, but it does not begin as such a file does"
        raise unreadable(path, what, "It may be cut off or something else. Copy or write it once more.")
    return _text(path, suffix, start)


def _archive(path: Path, start: bytes) -> Format:
    if path.suffix.casefold() == ".npz" or b".npy" in start[:300]:
        return Format.NPZ
    if b"xl/" in start or b"[Content_Types].xml" in start:
        raise unreadable(path, "this is a workbook or document of an office program", "Save its table as CSV.")
    raise unreadable(path, "this is a ZIP archive", "Unpack it first, and name what is in it.")


def _text(path: Path, suffix: str, start: bytes) -> Format:
    from advisor.datasets.delimited.dialect import looks_like_a_table

    encoding = encodings.recognise(start)
    if encoding is None:
        what = "this is neither text nor a format that is known"
        raise unreadable(path, what, "Known are CSV, TSV, Parquet, JSON lines, NPY, NPZ, text, and folders of them.")
    text = encodings.decoded(start, encoding)
    if not text.strip():
        raise unreadable(path, "the file holds nothing but blanks", "Check that it was written to its end.")
    if suffix in _JSON or (suffix not in _DELIMITED | TEXTS and text.lstrip()[:1] in ("{", "[")):
        return Format.JSON_LINES
    if suffix in _DELIMITED or looks_like_a_table(text):
        return Format.DELIMITED
    return Format.TEXT


def _folder(path: Path) -> Format:
    """By what most of its files are called."""
    suffixes: Counter[str] = Counter()
    first: dict[str, str] = {}
    for entry in _files(path):
        suffix = os.path.splitext(entry.name)[1].casefold()  # noqa: PTH122  a path object for each is slow
        suffixes[suffix] += 1
        first.setdefault(suffix, entry.path)
    kinds = {
        Format.IMAGES: sum(suffixes[suffix] for suffix in PICTURES),
        Format.SOUNDS: sum(suffixes[suffix] for suffix in SOUNDS),
        Format.TEXT: sum(suffixes[suffix] for suffix in TEXTS),
    }
    tables = [first[suffix] for suffix in TABLES if suffixes[suffix]]
    kind = max(kinds, key=lambda one: kinds[one])
    if not suffixes:
        raise unreadable(path, "this folder holds no files", "Name a file, or a folder with a folder for each class.")
    if tables and (not kinds[kind] or kind is Format.TEXT):
        raise unreadable(
            path, "this is a folder of tables", f"Name one of its files, such as {shorten(min(tables), 200)}."
        )
    if not kinds[kind]:
        names = [f"{count} {shorten(suffix, 20) or 'without an ending'}" for suffix, count in suffixes.most_common(4)]
        remedy = "Known are pictures (PNG, JPEG ...), sounds (WAV) and texts, in a folder for each class."
        raise unreadable(path, f"nothing in this folder is known: {join_names(names)}", remedy)
    return kind


def _files(folder: Path) -> Iterator[os.DirEntry[str]]:
    """Files of a folder and the folders in it, hidden ones and links to folders left out; the first 20,000. Raises OSError."""
    waiting = [(str(folder), 0)]
    seen = 0
    while waiting:
        name, depth = waiting.pop(0)
        try:
            entries = sorted(os.scandir(name), key=lambda entry: entry.name)
        except PermissionError:
            if depth == 0:
                raise
            continue
        for entry in entries:
            if entry.name.startswith("."):
                continue
            if entry.is_dir(follow_symlinks=False):
                if depth < DEEPEST:
                    waiting.append((entry.path, depth + 1))
            elif entry.is_file():
                yield entry
                seen += 1
                if seen >= MOST_ENTRIES:
                    return
