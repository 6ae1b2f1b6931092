"""Very long lines: they end in a result or in a message that names the line, and the search for their end is capped."""

from __future__ import annotations

from pathlib import Path

import pytest

from advisor.datasets.delimited import records
from advisor.datasets.delimited.pieces import LONGEST_LINE, READ_WHOLE, pieces
from advisor.datasets.inspect import inspect
from advisor.datasets.readers import texts
from advisor.errors import InputError

from .tables_made import text_file

LONG = LONGEST_LINE + 2**20
ROWS = b"".join(b"%d,%d,%s\n" % (n, n % 7, b"ab"[n % 2 : n % 2 + 1]) for n in range(1000))
TOO_LONG = r"the row that begins on line {} is longer than 16 MiB"


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (b"a,b,y\n" + b"1" * LONG + b",2,3\n", 2),
        (b"a,b,y\n" + b" " * LONG + b"\n" + ROWS, 2),
        (b"1" * LONG, 1),
        (b"1," * LONG, 1),
        (b"a,b,y\r" + b"1" * LONG + b",2,3\r", 2),
        ("a,b,y\n".encode("utf-16") + ("1" * LONG + ",2,3\n").encode("utf-16-le"), 2),
        (("1" * LONG).encode("utf-16"), 1),
    ],
    ids=["first row", "blanks", "one line", "one line of many fields", "CR", "UTF-16", "one line of UTF-16"],
)
def test_a_first_row_that_does_not_end_is_named(tmp_path: Path, content: bytes, line: int) -> None:
    with pytest.raises(InputError, match=TOO_LONG.format(line)):
        inspect(text_file(tmp_path / "o.csv", content))


@pytest.mark.parametrize("behind", [b"", b"\n", b",2,3\n" + ROWS * 300], ids=["at the end", "a line", "in the middle"])
def test_a_long_row_among_others_is_passed_over_by_a_sample(tmp_path: Path, behind: bytes) -> None:
    found = inspect(text_file(tmp_path / "o.csv", b"a,b,y\n" + ROWS + b"1" * LONG + behind))
    assert [column.name for column in found.columns] == ["a", "b", "y"]
    assert found.sampled


def test_a_quotation_mark_left_open_is_named(tmp_path: Path) -> None:
    content = b'a,b,y\n1,"' + b"some words\n" * (LONG // 11 + 1) + ROWS
    with pytest.raises(InputError, match=TOO_LONG.format(2)):
        list(records.blocks(text_file(tmp_path / "o.csv", content), three_columns()))


def test_a_long_quoted_field_with_line_breaks_is_one_field(tmp_path: Path) -> None:
    content = b'a,b,y\n1,"' + b"some words\n" * 300_000 + b'",x\n' + ROWS
    found = inspect(text_file(tmp_path / "o.csv", content), "y")
    assert (found.examples, len(found.columns)) == (1001, 3)


def test_the_end_of_a_row_is_searched_for_in_ever_larger_steps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at: list[int] = []
    structure = records.structure

    def counting(data: bytes, dialect: records.Dialect) -> records.Structure:
        looked_at.append(len(data))
        return structure(data, dialect)

    monkeypatch.setattr(records, "structure", counting)
    path = text_file(tmp_path / "o.csv", b"a,b,y\n" + b"1" * LONG + b",2,3\n")
    with pytest.raises(InputError, match=TOO_LONG.format(2)):
        next(records.blocks(path, three_columns(), 2**16))
    assert sum(looked_at) < 4 * LONG


def test_no_piece_begins_behind_the_end_of_a_file(tmp_path: Path) -> None:
    path = text_file(tmp_path / "o", b"abc")
    assert list(pieces(path, 3, start=7)) == []
    assert list(pieces(path, 3, start=3)) == []
    assert [data for _, data in pieces(path, 3, start=1, piece=9, places=2)] == [b"bc", b"bc"]


@pytest.mark.parametrize("before", [0, 1000])
def test_a_line_of_json_that_does_not_end_is_named(tmp_path: Path, before: int) -> None:
    path = text_file(tmp_path / "o.jsonl", b'{"a": 2}\n' * before + b'{"a": "' + b"1" * (LONG + 2**22) + b'"}\n')
    with pytest.raises(InputError, match=f"line {before + 1:,} is longer than 16 MiB"):
        inspect(path)


def test_a_text_of_one_line_is_read_in_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(texts, "MOST_READ", 2**20)
    found = inspect(text_file(tmp_path / "o.txt", b"some words " * (READ_WHOLE // 11)))
    assert found.facts["data.inputs"] <= 3  # two words, and perhaps one that was cut
    assert found.sampled == "Read the first 6 % of the file."


def three_columns() -> records.Dialect:
    return records.Dialect("utf-8", ",", ("a", "b", "y"))
