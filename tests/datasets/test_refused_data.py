"""What cannot be read is said so with its place and a remedy, and nothing else comes of it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.datasets.inspect import inspect
from advisor.errors import InputError
from tests.properties import examples

from .tables_made import text_file


def refusal(path: Path, target: str | None = None) -> str:
    with pytest.raises(InputError) as caught:
        inspect(path, target)
    return str(caught.value)


def read_or_refused(path: Path, target: str | None = None) -> None:
    """Nothing but a refusal with a remedy may come of a file, whatever it holds."""
    try:
        inspect(path, target)
    except InputError as error:
        wordless = [problem for problem in error.problems if not (problem.what and problem.remedy)]
    else:
        wordless = []
    assert not wordless


SUFFIXES = ["csv", "tsv", "txt", "parquet", "jsonl", "json", "data", "npy", "npz"]


@examples(150)
@given(content=st.binary(min_size=0, max_size=400), suffix=st.sampled_from(SUFFIXES))
def test_any_bytes_are_read_or_refused_in_words(tmp_path: Path, content: bytes, suffix: str) -> None:
    path = text_file(tmp_path / f"t.{suffix}", content)
    read_or_refused(path)
    read_or_refused(path, "a")


@examples(100)
@given(content=st.text('ab1,;\t\n\r"{}[]: .#x-', min_size=1, max_size=200))
def test_any_text_is_read_or_refused_in_words(tmp_path: Path, content: str) -> None:
    for suffix in ("csv", "jsonl", "txt"):
        read_or_refused(text_file(tmp_path / f"t.{suffix}", content))


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("t.csv", "", "the file is empty"),
        ("t.csv", "  \n\n ", "nothing but blanks"),
        ("t.csv", "a,b,c\n", "only a header"),
        ("t.csv", "a,b\n1,2\n3,4,5\n", "line 3 has 3 fields, but the table has 2 columns"),
        ("t.csv", "a,b\n1,2\n3,4\n5,6\n7", "line 5 has 1 field, but the table has 2 columns"),
        ("t.csv", "a,b,a\n1,2,3\n", "several columns are called 'a'"),
        ("t.csv", "a,^b.*$\n1,2\n", "'^b.*$', which stands for the names of others"),
        ("t.csv", 'a,b\n1,2\n3,"open\n5,6\n', "the quotation mark opened on line 3 is never closed"),
        ("t.csv", b"\x1f\x8b\x08\x00rest", "compressed with gzip"),
        ("t.csv", bytes(range(256)) * 4, "neither text nor a format that is known"),
        ("t.csv", b"\x80\x04\x95rest", "pickle, which can run any program"),
        ("t.csv", b"PK\x03\x04rest", "ZIP archive"),
        ("t.parquet", b"PAR1 and no end", "cut off"),
        ("t.parquet", b"a,b\n1,2\n", "does not begin as such a file does"),
        ("t.parquet", b"PAR1" + b"x" * 40 + b"PAR1", "damaged"),
        ("t.jsonl", '{"a": 1}\n{"a": 2\n', "line 2 is no JSON"),
        ("t.jsonl", '{"a": 1}\n[1, 2]\n', "line 2 is no object"),
        ("t.json", "[1, 2, 3]", "does not consist of objects"),
        ("t.json", '[{"a": 1}, {"a"', "JSON list cannot be read"),
        ("t.jsonl", '{"a":' * 5000, "line 1 holds lists or objects too deep within others"),
        ("t.json", '[{"a":' + "[" * 5000, "this JSON list holds lists or objects too deep within others"),
        ("t.jsonl", '{"a": 1}\n{"a": ' + "9" * 5000 + "}\n", "line 2 holds a number of more than 4,300 digits"),
    ],
)
def test_what_cannot_be_read_is_said_with_its_place_and_a_remedy(
    tmp_path: Path, name: str, content: str | bytes, said: str
) -> None:
    message = refusal(text_file(tmp_path / name, content))
    assert said in message
    assert str(tmp_path / name) in message


def test_paths_that_hold_no_data_are_refused(tmp_path: Path) -> None:
    assert "nothing is there" in refusal(tmp_path / "none.csv")
    text_file(tmp_path / "flowers.csv", "a,b\n1,2\n")
    assert "Did you mean" in refusal(tmp_path / "flower.csv")
    assert "a device, a pipe or a socket" in refusal(Path(os.devnull))
    os.mkfifo(tmp_path / "pipe")
    assert "a device, a pipe or a socket" in refusal(tmp_path / "pipe")
    (tmp_path / "empty").mkdir()
    assert "holds no files" in refusal(tmp_path / "empty")
    text_file(tmp_path / "empty" / "a.xyz", "x")
    assert "nothing in this folder is known: 1 .xyz" in refusal(tmp_path / "empty")
    text_file(tmp_path / "empty" / "a.csv", "a,b\n1,2\n")
    assert "folder of tables" in refusal(tmp_path / "empty")
    assert "no name of a file" in refusal(Path("a\0b"))
    assert refusal(Path("a" * 5000))


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="the superuser may read everything")
def test_a_file_that_may_not_be_read_is_refused(tmp_path: Path) -> None:
    path = text_file(tmp_path / "t.csv", "a,b\n1,2\n")
    path.chmod(0)
    assert "may not be read" in refusal(path)
