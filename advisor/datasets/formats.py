"""Formats of data: recognise that of a file or folder by asking every reader, by content and not by name alone."""

from __future__ import annotations

import pkgutil
import stat
from collections import Counter, defaultdict
from functools import cache
from importlib import import_module
from itertools import islice
from pathlib import Path

from advisor.datasets import encodings
from advisor.datasets import readers as files_of_readers
from advisor.datasets.conversions import how_to_convert
from advisor.datasets.media.entries import entries_below
from advisor.datasets.reader import Beginning, Evidence, Reader
from advisor.datasets.refusals import not_opened, unreadable
from advisor.errors import InputError
from advisor.wording import join_names, shorten

MOST_ENTRIES = 20_000
DEEPEST = 4

_ONE_PICTURE = ("this is a single picture", "Name a folder that holds a folder of pictures for each class.")
_ONE_SOUND = ("this is a single sound or film", "Name a folder that holds a folder of sounds for each class.")
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
    (b"\x89PNG", *_ONE_PICTURE),
    (b"\xff\xd8\xff", *_ONE_PICTURE),
    (b"GIF8", *_ONE_PICTURE),
    (b"RIFF", *_ONE_SOUND),
    (b"ID3", *_ONE_SOUND),
    (b"fLaC", *_ONE_SOUND),
    (b"OggS", *_ONE_SOUND),
    (b"\x7fELF", "this is a program", "Name a file of data."),
)
"""Beginnings of files that no reader takes, and what to do with them."""


@cache
def readers() -> tuple[Reader, ...]:
    """All readers, one of each file in readers/: a new file is found without being listed anywhere."""
    names = sorted(module.name for module in pkgutil.iter_modules(files_of_readers.__path__))
    return tuple(import_module(f"{files_of_readers.__name__}.{name}").READER for name in names)


def recognise(path: Path) -> Reader:
    """The reader of a file or folder.

    Raises InputError where nothing is there, it may not be read, it is empty, or in no known format.
    """
    try:
        status = path.stat()
        if stat.S_ISDIR(status.st_mode):
            return _of_folder(path)
        if not stat.S_ISREG(status.st_mode):
            raise unreadable(path, "this is no file (a device, a pipe or a socket)", "Save the data to a file first.")
        if status.st_size == 0:
            raise unreadable(path, "the file is empty", "Check that it was written to its end.")
        with path.open("rb") as file:
            start = file.read(2**16)
    except OSError as error:
        raise not_opened(path, error) from None
    except InputError:
        raise
    except ValueError:  # a null character in it
        raise unreadable(path, "this is no name of a file", "Check the path.") from None
    return _of_file(path, start)


def _of_file(path: Path, start: bytes) -> Reader:
    encoding = encodings.recognise(start)
    text = None if encoding is None else encodings.decoded(start, encoding)
    beginning = Beginning(path.suffix.casefold(), start, text)
    found = ((reader.recognise(beginning), reader) for reader in readers() if reader.recognise is not None)
    evidence, reader = max(found, key=lambda pair: pair[0])
    if evidence < Evidence.MAGIC:
        _refuse_others(path, start)
    if text is not None and not text.strip():
        raise unreadable(path, "the file holds nothing but blanks", "Check that it was written to its end.")
    if evidence is Evidence.NONE:
        files = ", ".join(reader.name for reader in readers() if reader.recognise is not None)
        remedy = f"Known are {files}, and folders of {_folder_formats()}."
        raise unreadable(path, "this is neither text nor a format that is known", remedy)
    return reader


def _refuse_others(path: Path, start: bytes) -> None:
    """Raise InputError for beginnings that tell a format no reader takes."""
    if start[:1] == b"\x80" and start[1:2] in b"\x02\x03\x04\x05" and len(start) > 1:
        what = "this looks like a pickle, which can run any program when it is read"
        raise unreadable(path, what, "Save the data as CSV, Parquet or NPZ instead.")
    if start.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        if b"xl/" in start or b"[Content_Types].xml" in start:
            raise unreadable(path, "this is a workbook or document of an office program", "Save its table as CSV.")
        raise unreadable(path, "this is a ZIP archive", "Unpack it first, and name what is in it.")
    if start[4:8] == b"ftyp":
        kinds = "a single film, sound or picture (MP4, M4A, HEIC, AVIF)"
        raise unreadable(path, f"this is {kinds}", "Name a folder that holds a folder of files for each class.")
    for magic, what, remedy in _REFUSED:
        if start.startswith(magic):
            raise unreadable(path, what, remedy)


def _of_folder(path: Path) -> Reader:
    """The reader of most of its files, by their names."""
    named = next((one for one in readers() if one.recognise_folder is not None and one.recognise_folder(path)), None)
    if named is not None:
        return named
    suffixes: Counter[str] = Counter()
    first: dict[str, str] = {}
    stems: dict[str, set[str]] = defaultdict(set)
    for entry in islice((entry for entry in entries_below(path, DEEPEST) if entry.is_file), MOST_ENTRIES):
        suffixes[entry.suffix] += 1
        stems[entry.suffix].add(entry.stem)
        first.setdefault(entry.suffix, str(path / entry.name))
    if not suffixes:
        raise unreadable(path, "this folder holds no files", "Name a file, or a folder with a folder for each class.")
    counts = {
        reader: sum(suffixes[suffix] for suffix in reader.suffixes) for reader in readers() if reader.reads_folders
    }
    reader = max(counts, key=lambda one: counts[one])
    described = _described(reader, counts, stems)
    reader = described or reader
    tables = [first[suffix] for other in readers() if other not in counts for suffix in other.suffixes & first.keys()]
    if (
        tables and described is None and (not counts[reader] or reader.recognise is not None)
    ):  # a note beside tables is no data set of texts
        raise unreadable(
            path, "this is a folder of tables", f"Name one of its files, such as {shorten(min(tables), 200)}."
        )
    if not counts[reader]:
        names = [f"{count} {shorten(suffix, 20) or 'without an ending'}" for suffix, count in suffixes.most_common(4)]
        known = f"Known are {_folder_formats()}, in a folder for each class."
        remedy = how_to_convert(path, suffixes.most_common(1)[0][0]) or known
        raise unreadable(path, f"nothing in this folder is known: {join_names(names)}", remedy)
    return reader


def _described(reader: Reader, counts: dict[Reader, int], stems: dict[str, set[str]]) -> Reader | None:
    """The reader of files that most of these texts, of the same stems, only describe: images beside boxes or captions.

    Most of the texts have such a file, too: one stray image does not make a note of a data set of texts.
    """
    texts = set().union(*(stems[suffix] for suffix in reader.suffixes))
    for other in sorted(counts, key=lambda one: -counts[one]):
        own = set().union(*(stems[suffix] for suffix in other.suffixes))
        enough = 2 * counts[other] >= counts[reader] and 2 * len(own & texts) >= max(len(own), len(texts))
        if other is not reader and reader.recognise is not None and own and enough:
            return other
    return None


def _folder_formats() -> str:
    return join_names([reader.name for reader in readers() if reader.reads_folders])
