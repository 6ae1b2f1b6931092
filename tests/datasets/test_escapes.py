"""Quotation marks and delimiters within values, as Spark, MySQL and others escape them, are read as they were written."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import polars
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from advisor.datasets.again import intake_of
from advisor.datasets.dataset import Kind, Weight
from advisor.datasets.inspect import inspect
from advisor.datasets.matching import matched
from advisor.errors import InputError
from advisor.starter.project import refuse_unreadable
from tests.datasets.tables_made import kinds, read_frame, text_file

ROWS = 120


def table(folder: Path, fields: list[str], delimiter: str = ",", name: str = "table.csv") -> Path:
    """The fields as they stand in the file, between a number and a label."""
    lines = [delimiter.join(["id", "text", "label"])]
    lines += [delimiter.join([str(n), field, ("pos", "neg")[n % 2]]) for n, field in enumerate(fields)]
    return text_file(folder / name, "\n".join(lines) + "\n")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        (r'"he said \"well, {} times\", ok"', 'he said "well, {} times", ok'),
        (r'"he said \"hi {}\" twice"', 'he said "hi {}" twice'),
        (r'"folder \\ and \"x, {}\""', r'folder \ and "x, {}"'),
        (r"Smith\, John {}", "Smith, John {}"),
        ("'well, {} times'", "well, {} times"),
        ('"he said ""well, {}"""', 'he said "well, {}"'),
        ('"C:\\dir {}\\"', "C:\\dir {}\\"),
        ('"two\nlines, {}"', "two\nlines, {}"),
    ],
)
def test_values_are_read_as_they_were_written(field: str, value: str, tmp_path: Path) -> None:
    data = table(tmp_path, [field.format(n) for n in range(ROWS)])
    found = inspect(data, "label")
    assert list(kinds(found)) == ["id", "text", "label"]
    assert read_frame(found, 1000, 0)["text"].cast(polars.String).to_list() == [value.format(n) for n in range(ROWS)]
    if found.inputs:
        again = matched(data, intake_of(found), lambda *_: None)
        assert again.inputs["text"].to_list()[-1] == value.format(ROWS - 1)
    if ("\\" in field and "dir" not in field) or field.startswith("'"):
        with pytest.raises(InputError, match=r"backslashes as escapes|single quotation marks"):
            refuse_unreadable(found)


def test_a_few_escapes_decide_as_many_do(tmp_path: Path) -> None:
    for rare in (3, 110):
        fields = [rf'"he said \"well, {n}\", ok"' if n == rare else f'"plain {n}"' for n in range(ROWS)]
        found = inspect(table(tmp_path, fields), "label")
        assert read_frame(found, 1000, 0)["text"].to_list()[rare] == f'he said "well, {rare}", ok'


def test_the_null_of_mysql_is_missing_and_an_escaped_tab_is_part_of_a_value(tmp_path: Path) -> None:
    fields = [r"\N" if n % 3 == 0 else "foo\\\tbar" if n % 3 == 1 else "none of them" for n in range(ROWS)]
    found = inspect(table(tmp_path, fields, "\t", "table.tsv"), "label")
    assert (found.columns[1].kind, found.columns[1].missing, found.columns[1].distinct) == (Kind.CATEGORY, 1 / 3, 2)
    assert read_frame(found, 1000, 0)["text"].cast(polars.String)[1] == "foo\tbar"


@settings(max_examples=60, deadline=None)
@given(values=some.lists(some.text('ab",\\ ', max_size=8), min_size=20, max_size=40))
def test_what_a_writer_escapes_is_read_again(values: list[str], tmp_path_factory: pytest.TempPathFactory) -> None:
    data = tmp_path_factory.mktemp("escapes") / "table.csv"
    with data.open("w", newline="") as file:
        writer = csv.writer(file, quoting=csv.QUOTE_ALL, doublequote=False, escapechar="\\", lineterminator="\n")
        writer.writerows([["number", "text"], *([n, f'x "{value}, y'] for n, value in enumerate(values))])
    frame = read_frame(inspect(data), 1000, 0)
    assert frame["text"].cast(polars.String).to_list() == [f'x "{value}, y' for value in values]


RFC_4180 = {
    "JSON": lambda n: json.dumps({"msg": f'he said "ok {n}"', "path": r"C:\dir\new"}),
    "shell": lambda n: rf"grep \"a{n}\" file",
    "a folder in quotation marks": lambda n: rf'C:\dir{n}\"x"\new',
    "LaTeX": lambda n: rf"G\"odel {n}, and \\ more",
    "the end": lambda n: rf"{n} ends in \"",
}


@pytest.mark.parametrize("often", [1, 2, 60])
@pytest.mark.parametrize("kind", RFC_4180)
def test_valid_fields_keep_their_backslashes(kind: str, often: int, tmp_path: Path) -> None:
    values = [RFC_4180[kind](n) if n % often == 0 else f"plain {n}" for n in range(ROWS)]
    data = tmp_path / "table.csv"
    with data.open("w", newline="") as file:
        csv.writer(file).writerows(
            [["size", "text", "label"], *([n / 7, v, "ab"[n % 2]] for n, v in enumerate(values))]
        )
    found = inspect(data, "label")
    assert found.examples == ROWS
    assert read_frame(found, 1000, 0)["text"].cast(polars.String).to_list() == values
    assert not any("escapes" in remark.what for remark in found.remarks)


@settings(max_examples=60, deadline=None)
@given(
    values=some.lists(
        some.text('ab",\\ \n', min_size=1, max_size=8).map(lambda text: f"x{text}y"), min_size=20, max_size=40
    )
)
def test_what_a_writer_doubles_is_read_again(values: list[str], tmp_path_factory: pytest.TempPathFactory) -> None:
    data = tmp_path_factory.mktemp("doubled") / "table.csv"
    with data.open("w", newline="") as file:
        csv.writer(file).writerows([["number", "text"], *([n * 0.37, value] for n, value in enumerate(values))])
    assert read_frame(inspect(data), 1000, 0)["text"].cast(polars.String).to_list() == values


def test_escapes_are_a_warning_that_names_the_first_line(tmp_path: Path) -> None:
    fields = [rf'"he said \"well, {n}\", ok"' if n >= 3 else f'"plain {n}"' for n in range(ROWS)]
    found = inspect(table(tmp_path, fields), "label")
    (told,) = [remark for remark in found.remarks if "read as escapes" in remark.what]
    assert told.weight is Weight.WARNING
    assert "the first on line 5" in told.what
    assert "RFC 4180" in told.remedy
