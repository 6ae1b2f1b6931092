"""The dialect of a text table: its delimiter, its quotation marks, and whether the first row names the columns."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from pathlib import Path

from advisor.datasets.delimited import escapes
from advisor.datasets.delimited.header import column_names, has_header
from advisor.datasets.delimited.pieces import LONGEST_LINE
from advisor.datasets.refusals import line_too_long, refuse_width, uneven_header, unreadable
from advisor.wording import shorten

NO_DELIMITER = "\x1f"
"""Stands in texts for the end of a unit, and occurs in none: a table of one column."""
_COMMON = (",", "\t", ";", "|")
_NUMBER = re.compile(r"\s*[+-]?(\d+([.,]\d*)?|[.,]\d+)([eE][+-]?\d+)?\s*")
_SINGLE_QUOTED = re.compile(r"(?:^|[,\t;|])'[^'\n]*[,\t;|][^'\n]*'(?=[,\t;|\r\n]|\Z)", re.MULTILINE)
_NAMES_ROWS = re.compile(r"(.*[ _.-])?(id|ids|no|nr|row|rows|index|idx|key|number|#)", re.IGNORECASE)
_OPEN_FIELD = re.compile(r'(?:^|[,\t;|]) *"[^"]*\Z', re.MULTILINE)
_QUOTED_FIELD = re.compile(r'(?<![^,\t;|\r\n])"[^"]*"')
_MOST_RECORDS, _MOST_CELLS = 300, 50_000
_MOST_ANNOUNCED = 100
_CONSISTENT = 0.9
csv.field_size_limit(LONGEST_LINE)  # a field may be a whole document; the default is 128 KiB
_NAMES = {",": "commas", "\t": "tabs", ";": "semicolons", "|": "bars", ":": "colons", " ": "blanks"}


@dataclass(frozen=True, slots=True)
class Dialect:
    """Everything needed to read the table again."""

    encoding: str
    delimiter: str
    names: tuple[str, ...]
    header: bool = True
    quote: str = '"'
    """Empty where quotation marks are part of the values."""
    skip: int = 0
    """Lines before the header or the first row: comments, blank lines, `sep=;`."""
    line_end: str = "\n"
    runs: bool = False
    """Columns are separated by any number of blanks."""
    spaced: bool = False
    """Blanks stand between a delimiter and a quotation mark."""
    uneven: str = ""
    """The way in which header and rows differ in their number of fields, for people; empty where they do not."""
    escaped: bool = False
    """A backslash stands before quotation marks, delimiters and line breaks that are part of a value."""
    first_escape: int = 0
    """The line of the first of them; 0 where there is none."""

    @property
    def carriage(self) -> str:
        """The meaning of a carriage return: a line break where lines end with it."""
        return "\n" if self.line_end == "\r" else "\r"

    @property
    def words(self) -> str:
        """The dialect for people."""
        name = _NAMES.get(self.delimiter)
        apart = f"columns separated by {name}" if name else "one column"
        escapes = ", with backslashes as escapes" if self.escaped else ""
        uneven = ", with header and rows of different lengths" if self.uneven else ""
        quoted = ", with values in single quotation marks" if self.quote == "'" else ""
        return f"{apart}, {'with' if self.header else 'without'} a header, {self.encoding}{escapes}{quoted}{uneven}"


@dataclass(frozen=True, slots=True)
class _Guess:
    """One way to divide the first lines into fields, and how well it does."""

    delimiter: str
    quote: str
    records: tuple[tuple[str, ...], ...]
    width: int
    consistency: float
    """The share of records with the most common number of fields."""
    runs: bool = False
    uneven: str = ""
    """As of the dialect: rows end with delimiters that the first record lacks."""

    @property
    def cleanness(self) -> float:
        """The share of fields that no other delimiter divides; a comma may be a decimal one."""
        cells = list(islice((cell for record in self.records for cell in record), _MOST_CELLS))
        others = [mark for mark in _COMMON if mark != self.delimiter]
        clean = sum(not any(mark in cell for mark in others) or bool(_NUMBER.fullmatch(cell)) for cell in cells)
        return clean / max(len(cells), 1)

    @property
    def rank(self) -> tuple[float, bool, float, int]:
        """Above others where the first record divides as the rows below it do: `x;price` over 7;1.234,50."""
        fits = bool(self.records) and len(self.records[0]) == self.width
        return round(self.consistency, 2), fits, round(self.cleanness, 2), self.width


def recognise(text: str, encoding: str, path: Path, *, complete: bool) -> Dialect:
    """Guess the dialect of a table from its beginning; `complete` says that this is all of it.

    Raises InputError where two columns have the same name, there is only a header, or the first line does not end.
    """
    line_end = _line_end(text)
    if line_end == "\r":
        text = text.replace("\r", "\n")
    if not complete and "\n" not in text:
        raise line_too_long(path, 1, LONGEST_LINE)
    if not complete:
        text = _whole_records(text[: text.rindex("\n") + 1])
    skip, announced = _announced(text)
    guess = _best_guess(_after(text, skip), path.suffix.casefold(), announced)
    plainly, first_escape = escapes.hidden(text, guess.delimiter), 0
    if plainly != text and (faults := _faults(_after(text, skip), guess)):
        other = _best_guess(_after(plainly, skip), path.suffix.casefold(), announced)
        if _faults(_after(plainly, skip), other) < faults:
            first_escape = escapes.first_line(text, guess.delimiter)
            text, guess = plainly, other
    refuse_width(guess.width, path)
    records = guess.records
    while len(records) > 2 and _is_title(records[0], guess.width) and has_header(records[1:]):
        records = records[1:]
        skip += 1
        skip += _announced(_after(text, skip))[0]
    header = has_header(records)
    first, uneven = _header_of_rows(records, guess.width, path) if header else ((), "")
    names = column_names([escapes.shown(cell, guess.delimiter) for cell in first], guess.width, path)
    if header and complete and len(records) < 2:
        shown = ", ".join(shorten(name, 20) for name in names[:6])
        what = f"there is only a header and no row below it ({shown})"
        raise unreadable(path, what, "Check that it was written to its end.")
    quote = guess.quote if guess.quote == "'" or _quotes_fields(text, guess.delimiter) else ""
    spaced = bool(quote) and _is_spaced(text, guess.delimiter)
    uneven = uneven or guess.uneven
    return Dialect(
        encoding, guess.delimiter, names, header, quote, skip, line_end, guess.runs, spaced, uneven,
        escaped=first_escape > 0, first_escape=first_escape,
    )  # fmt: skip


def _faults(text: str, guess: _Guess) -> int:
    """Count the records that RFC 4180 does not allow: of another width, or with text behind the end of a quoted field.

    A title, which is the only text in its record, is none.
    """
    mark = re.escape(guess.delimiter)
    field = re.compile(rf'(?: *"(?:[^"]++|"")*+" *|(?! *")[^{mark}\r\n]*+)({mark}|\r?\n|\Z)')
    faults, place, width, filled = 0, 0, 0, 0
    while place < len(text):
        found = field.match(text, place)
        if found is None:
            end = text.find("\n", place)
            faults, place, width, filled = faults + 1, len(text) if end < 0 else end + 1, 0, 0
            continue
        width, filled, place = width + 1, filled + (found.end() - found.start() > len(found[1])), found.end()
        if found[1] != guess.delimiter:
            faults += width != guess.width and filled > 1
            width = filled = 0
    return faults


def _header_of_rows(records: Sequence[Sequence[str]], width: int, path: Path) -> tuple[Sequence[str], str]:
    """The names in the header, one for each of the `width` fields of a row, and how the header differed from that.

    Raises InputError where it has names for fewer or more fields, and nothing shows which they are.
    """
    first, rows = records[0], [record for record in records[1:] if len(record) == width]
    if len(first) == width:
        return first, ""
    if len(first) > width and not any(cell.strip() for cell in first[width:]):
        return first[:width], "The header ends with a delimiter that the rows lack: no column is read from it."
    if len(first) == width - 1 and _are_row_names([record[0].strip() for record in rows], first[0]):
        shown = f"{shorten(first[0], 20)!r} names the second field of each row"
        return ("", *first), f"The header lacks a name for the first field, as R writes names of rows: {shown}."
    raise uneven_header(path, first, width)


def _are_row_names(values: Sequence[str], first: str) -> bool:
    """True for words that all differ and numbers that count the rows, beside a header that begins with no name of such."""
    if len(set(values)) < len(values) or _NAMES_ROWS.fullmatch(first.strip()):
        return False
    if not any(_NUMBER.fullmatch(value) for value in values):
        return True
    return all(value.isdigit() for value in values) and all(int(b) > int(a) for a, b in pairwise(values))


def _line_end(text: str) -> str:
    """A carriage return where more lines end with it alone than with a line feed, whatever stands in quoted fields."""
    bare = _QUOTED_FIELD.sub("", text) if '"' in text and "\r" in text else text
    return "\r" if bare.count("\r") - bare.count("\r\n") > bare.count("\n") else "\n"


def _whole_records(text: str) -> str:
    """The text without a record at its end whose quoted field is still open: a field may be longer than a look."""
    opened = _OPEN_FIELD.search(text) if text.count('"') % 2 else None
    return text if opened is None else text[: text.rfind("\n", 0, opened.start() + 1) + 1] or text


def _quotes_fields(text: str, delimiter: str) -> bool:
    """True where quotation marks, if there are any, enclose fields and do not merely stand within: 5" pipe."""
    return '"' not in text or re.search(rf'(^|{re.escape(delimiter)}) *"', text, re.MULTILINE) is not None


def _is_spaced(text: str, delimiter: str) -> bool:
    """True where blanks stand before a quotation mark that opens a field; within a field they are speech: he said, "no"."""
    if delimiter == " " or not re.search(re.escape(delimiter) + ' +"', text):
        return delimiter == " " and '  "' in text
    try:
        records = csv.reader(io.StringIO(text.replace("\0", ""), newline=""), delimiter=delimiter)
        return any(re.match(' +"', cell) for record in records for cell in record)
    except csv.Error:
        return True


def looks_like_a_table(text: str) -> bool:
    """True where lines divide alike, as those of prose do not: the name of the file says nothing."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    lines = text[: text.rindex("\n")] if "\n" in text else text
    skip, announced = _announced(lines)
    guess = _best_guess(_after(lines, skip), "", announced)
    if guess.width < 2 or guess.consistency < 0.98 or len(guess.records) < 2:
        return False
    numbers = _share_of_numbers(guess.records[1:])
    if guess.delimiter in ("\t", ";", "|") or announced:
        return len(guess.records) >= 3 or numbers > 0
    return numbers >= 0.2 if guess.delimiter == "," else numbers >= 0.5


def _is_title(record: Sequence[str], width: int) -> bool:
    """True where a line only titles the table: a single text where there are several columns."""
    filled = [cell for cell in record if cell.strip()]
    return width > 1 and len(filled) == 1 and (len(record) == 1 or len(record) == width > 2)


def _announced(text: str) -> tuple[int, str]:
    """Count the lines to leave out at the start, and find the delimiter that one of them states, as spreadsheets write it.

    They are blank ones and comments; a last comment that divides as the line below it does is a header.
    """
    skip, stated, comment = 0, "", ""
    for line in text.split("\n", _MOST_ANNOUNCED)[:_MOST_ANNOUNCED]:
        said = re.fullmatch(r"sep=(.)\r?", line)
        if said:
            stated = said[1]
        elif line.startswith(("#", "%")):
            comment = line
        elif line.strip():
            alike = any(0 < line.count(mark) == comment.count(mark) for mark in _COMMON)
            return skip - (bool(comment) and alike), stated
        else:
            comment = ""
        skip += 1
    return (skip, stated) if stated else (0, "")


def _after(text: str, lines: int) -> str:
    parts = text.split("\n", lines)
    return parts[-1] if len(parts) > lines else ""


def _best_guess(text: str, suffix: str, announced: str) -> _Guess:
    common = [announced] if announced and announced in _NAMES else list(_COMMON)
    if suffix in (".tsv", ".tab"):
        common = ["\t", *(mark for mark in common if mark != "\t")]
    quotes = ('"', "") if '"' in text else ('"', "'") if _SINGLE_QUOTED.search(text) else ('"',)
    guesses = [_widest([_guess(text, mark, quote) for mark in common]) for quote in quotes]
    best = max(filter(None, guesses), key=lambda guess: guess.consistency, default=None)
    if best is not None and best.consistency >= _CONSISTENT:
        return best
    single = [] if "  " in text else [_guess(text, " ", '"')]
    other = _widest([*single, _guess(text, ":", '"'), _guess(text, " ", "", runs=True)])
    if other is not None and other.consistency >= _CONSISTENT and _share_of_numbers(other.records) >= 0.5:
        return other
    if best is not None and best.consistency >= 0.5 and suffix:
        return best  # some rows are wrong, and will be named
    one_column = _guess(text, NO_DELIMITER, '"')
    return one_column if one_column.records else _guess(text, NO_DELIMITER, "")


def _widest(guesses: Sequence[_Guess]) -> _Guess | None:
    """The best of those with several columns."""
    wide = [guess for guess in guesses if guess.width > 1]
    return max(wide, key=lambda guess: guess.rank, default=None)


def _share_of_numbers(records: Sequence[Sequence[str]]) -> float:
    cells = [cell for record in records for cell in record]
    return sum(bool(_NUMBER.fullmatch(cell)) for cell in cells) / max(len(cells), 1)


def _guess(text: str, delimiter: str, quote: str, *, runs: bool = False) -> _Guess:
    if runs:
        records = [tuple(line.split()) for line in text.split("\n", _MOST_RECORDS)[:_MOST_RECORDS] if line.strip()]
    else:
        records = _records(text, delimiter, quote)
    width, share = _width(records)
    uneven = ""
    if (closed := _without_surplus(records)) != records and _width(closed)[1] > share:
        (width, share), records = _width(closed), closed
        uneven = "Rows end with a delimiter that the header lacks: no column is read from what is empty behind it."
    return _Guess(delimiter, quote, tuple(records), width, share, runs, uneven)


def _width(records: Sequence[Sequence[str]]) -> tuple[int, float]:
    """The most common number of fields, and the share of the records that have it."""
    counted = Counter(map(len, records[1:] or records))
    width, alike = counted.most_common(1)[0] if counted else (1, 0)
    alike += len(records) > 1 and len(records[0]) == width
    return width, alike / max(len(records), 1)


def _without_surplus(records: list[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """The records without empty fields beyond as many as the first one has."""
    most = len(records[0]) if records else 0
    if most < 2:
        return records
    return [record[:most] if len(record) > most and not any(record[most:]) else record for record in records]


def _records(text: str, delimiter: str, quote: str) -> list[tuple[str, ...]]:
    """The first records that are not blank; none where the quotes do not work out."""
    lines = io.StringIO(text.replace("\0", ""), newline="")
    if quote:
        reader = csv.reader(lines, delimiter=delimiter, quotechar=quote, skipinitialspace=delimiter != " ")
    else:
        reader = csv.reader(lines, delimiter=delimiter, quoting=csv.QUOTE_NONE)
    try:
        filled = (tuple(record) for record in reader if record and (len(record) > 1 or record[0].strip()))
        return list(islice(filled, _MOST_RECORDS))
    except csv.Error:
        return []
