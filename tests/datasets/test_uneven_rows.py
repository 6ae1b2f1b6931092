"""Rows with more or fewer fields than the header has names: read where nothing is moved by it, else refused."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import polars
import pytest
from hypothesis import given
from hypothesis import strategies as some

from advisor.datasets.dataset import Inspection, Kind, Weight
from advisor.datasets.delimited.dialect import Dialect
from advisor.datasets.delimited.records import structure, without_surplus
from advisor.datasets.inspect import inspect
from advisor.errors import InputError
from advisor.starter.project import refuse_unreadable
from tests.datasets.tables_made import kinds, read_frame, text_file

ROWS = 60


def fields(seed: int = 5) -> list[list[str]]:
    draw = random.Random(seed)
    return [[str(draw.randrange(7)), f"{draw.random():.3f}", draw.choice("AB")] for _ in range(ROWS)]


def table(folder: Path, header: str, line: Callable[[int, list[str]], str], name: str = "table.csv") -> Path:
    lines = [header, *(line(number, row) for number, row in enumerate(fields()))]
    return text_file(folder / name, "\n".join(lines) + "\n")


def comma(row: list[str]) -> str:
    return ",".join(row)


def read(found: Inspection) -> polars.DataFrame:
    return read_frame(found, 1000, 0).select(polars.all().cast(polars.String))


@pytest.mark.parametrize(
    ("header", "line", "name"),
    [
        ("a,b,y", lambda number, row: comma(row) + ",", "table.csv"),
        ("a,b,y", lambda number, row: comma(row) + ("," if number % 2 else ""), "table.csv"),
        ("a,b,y", lambda number, row: comma(row) + ("," if number % 20 == 3 else ""), "table.csv"),
        ("a,b,y\r", lambda number, row: comma(row) + ",\r", "table.csv"),
        ("a;b;y", lambda number, row: ";".join(row) + ";;", "table.csv"),
        ("a\tb\ty", lambda number, row: "\t".join(row) + "\t", "table.tsv"),
        ("a,b,y,", lambda number, row: comma(row), "table.csv"),
        ('"a","b","y"', lambda number, row: ",".join(f'"{field}"' for field in row) + ",", "table.csv"),
    ],
)
def test_empty_fields_beyond_the_header_move_no_name(
    header: str, line: Callable[[int, list[str]], str], name: str, tmp_path: Path
) -> None:
    found = inspect(table(tmp_path, header, line, name), "y")
    assert kinds(found) == {"a": Kind.WHOLE, "b": Kind.NUMBER, "y": Kind.CATEGORY}
    assert read(found)["y"].to_list() == [row[2] for row in fields()]
    assert [float(value) for value in read(found)["b"]] == [float(row[1]) for row in fields()]
    warning = next(remark for remark in found.remarks if "delimiter that the" in remark.what)
    assert warning.weight is Weight.WARNING
    with pytest.raises(InputError, match="do not read all ways to write a table"):
        refuse_unreadable(found)


def test_a_target_that_is_always_empty_is_no_surplus(tmp_path: Path) -> None:
    found = inspect(table(tmp_path, "a,b,y", lambda number, row: f"{row[0]},{row[1]},,"))
    assert kinds(found) == {"a": Kind.WHOLE, "b": Kind.NUMBER, "y": Kind.EMPTY}


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        (lambda number, row: f'"{number + 1}",' + comma(row), Kind.IDENTIFIER),
        (lambda number, row: f'"Mazda RX {number}",' + comma(row), Kind.TEXT),
    ],
)
def test_names_of_rows_as_r_writes_them_are_said(
    line: Callable[[int, list[str]], str], kind: Kind, tmp_path: Path
) -> None:
    found = inspect(table(tmp_path, '"a","b","y"', line), "y")
    assert kinds(found) == {"column_1": kind, "a": Kind.WHOLE, "b": Kind.NUMBER, "y": Kind.CATEGORY}
    assert any("'a' names the second field of each row" in remark.what for remark in found.remarks)


@pytest.mark.parametrize(
    ("header", "line", "message"),
    [
        ("a,b,y", lambda number, row: comma(row) + ",note", "3 names .* but the rows have 4 fields"),
        ("id,b,y", lambda number, row: f"{number},{comma(row[1:])},note", "3 names .* but the rows have 4 fields"),
        ("a,b,y", lambda number, row: comma(row) + (",x" if number == 9 else ","), "but the rows have 4 fields"),
        ("k,a,b,y", lambda number, row: comma(row), "4 names .* but the rows have 3 fields"),
        (
            "a,b,y",
            lambda number, row: comma(row[:2]) if number == 9 else comma(row),
            "line 11 has 2 fields.*empty field",
        ),
        ("a,b,y", lambda number, row: comma(row) + (",x" if number == 9 else ""), "line 11 has 4 fields"),
        ("a,b,y", lambda number, row: comma(row) + (",x," if number == 9 else ","), "line 11 has 5 fields"),
    ],
)
def test_fields_that_may_belong_to_any_name_are_refused(
    header: str, line: Callable[[int, list[str]], str], message: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match=message):
        inspect(table(tmp_path, header, line))


@given(some.lists(some.lists(some.sampled_from(["", "1", "x", '"a,b"']), min_size=1, max_size=6), min_size=1))
def test_only_empty_fields_beyond_the_columns_are_cut(rows: list[list[str]]) -> None:
    dialect = Dialect("utf-8", ",", ("a", "b", "c"))
    data = "".join(",".join(row) + "\n" for row in rows).encode()
    cut, found = without_surplus(data, structure(data, dialect), dialect)
    expected = [row[:3] if not any(row[3:]) else row for row in rows]
    assert cut == "".join(",".join(row) + "\n" for row in expected).encode()
    assert found.fields.tolist() == structure(cut, dialect).fields.tolist()


def test_a_decimal_comma_in_every_row_is_no_delimiter_that_the_header_lacks(tmp_path: Path) -> None:
    lines = ["x;amount", *(f"{number};€ {number % 9 + 1}.{number + 100},99" for number in range(ROWS))]
    found = inspect(text_file(tmp_path / "euro.csv", "\n".join(lines)), "amount")
    assert kinds(found) == {"x": Kind.WHOLE, "amount": Kind.NUMBER}
