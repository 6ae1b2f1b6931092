"""Tables in every dialect and format are read as they were written."""

from __future__ import annotations

from pathlib import Path

import polars
import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.datasets.dataset import Kind
from advisor.datasets.inspect import inspect
from tests.properties import examples

from .made import shipped_csv
from .tables_made import flowers, kinds, read_frame, text_file, written


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "latin-1", "utf-16"])
def test_delimiter_and_encoding_are_recognised(tmp_path: Path, delimiter: str, encoding: str) -> None:
    rows = [["größe", "name"], *[[f"{n}.5", f"Müller {n % 5}"] for n in range(40)]]
    found = inspect(written(tmp_path / "t.csv", rows, encoding=encoding, delimiter=delimiter))
    assert kinds(found) == {"größe": Kind.NUMBER, "name": Kind.CATEGORY}
    assert found.examples == 40
    names = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}
    assert f"columns separated by {names[delimiter]}, with a header" in found.written
    assert "Müller 0" in found.columns[1].examples


def test_a_decimal_comma_is_understood(tmp_path: Path) -> None:
    path = text_file(tmp_path / "t.csv", "x;y\n" + "".join(f"{n},5;{n % 3},25\n" for n in range(30)))
    found = inspect(path, "y")
    assert kinds(found) == {"x": Kind.NUMBER, "y": Kind.NUMBER}
    assert read_frame(found, 100, 0)["x"].to_list()[:3] == [0.5, 1.5, 2.5]


def test_a_decimal_comma_without_a_header_is_understood(tmp_path: Path) -> None:
    found = inspect(text_file(tmp_path / "t.csv", "".join(f"{n},5;{n % 7},25\n" for n in range(30))))
    assert kinds(found) == {"column_1": Kind.NUMBER, "column_2": Kind.NUMBER}


@pytest.mark.parametrize(
    ("content", "names", "rows"),
    [
        ("a,b\n1,2\n3,4\n", ["a", "b"], 2),
        ("1,2\n3,4\n", ["column_1", "column_2"], 2),
        ("sep=;\na;b\n1;2\n", ["a", "b"], 1),
        ("# made by hand\n# twice\na,b\n1,2\n", ["a", "b"], 1),
        ("#a,b\n1,2\n3,4\n", ["a", "b"], 2),
        ("# doors\n# width\theight\n1\t2\n3\t4\n5\t6\n", ["width", "height"], 3),
        ("# edges\n1 2\n3 4\n", ["column_1", "column_2"], 2),
        ("Sales of 2020;;\n\nname;size;kind\na;1,5;x\nb;2,5;y\n", ["name", "size", "kind"], 2),
        ("Sales of 2020\n\n\nname,size,kind\na,1.5,x\nb,2.5,y\nc,3,x\n", ["name", "size", "kind"], 3),
        ("a,b\r\n1,2\r\n\r\n3,4\r\n", ["a", "b"], 2),
        ("a,b\r1,2\r3,4", ["a", "b"], 2),
        ("a,b\n1,2\n3,4\n\n\n", ["a", "b"], 2),
        ("name,town\nAnna,Bonn\nBert,Bonn\n", ["name", "town"], 2),
        ("country,1990,1991\nAustria,1.5,2.5\nBelgium,2.5,3.5\n", ["country", "1990", "1991"], 2),
        (',a\n0,"x, y"\n1,"line\nbreak"\n', ["column_1", "a"], 2),
        ('a, "b c"\n1, "x, y"\n2, "z"\n', ["a", "b c"], 2),
        ('a,b\n1,5" pipe\n2,6" pipe\n3,x\n', ["a", "b"], 3),
        ("value\n1\n2\n3\n", ["value"], 3),
        ("1   2  3\n4  5   6\n", ["column_1", "column_2", "column_3"], 2),
    ],
)
def test_header_and_rows_are_told_apart(tmp_path: Path, content: str, names: list[str], rows: int) -> None:
    found = inspect(text_file(tmp_path / "t.csv", content))
    assert [column.name for column in found.columns] == names
    assert found.examples == rows
    assert len(read_frame(found, 100, 0)) == rows


words = st.text(st.sampled_from("abcdeXYZ äß'.-!"), min_size=1, max_size=12).filter(
    lambda text: text.strip(" .-'!") != ""
)


numbers = st.integers(-1000, 1000) | st.floats(-1e6, 1e6).map(lambda number: round(number, 3))


@st.composite
def tables(draw: st.DrawFn) -> list[list[object]]:
    """A header of different names above columns of numbers or of words, with at least one of numbers."""
    width = draw(st.integers(2, 6))
    names = draw(st.lists(st.text("abcdefgh_", min_size=2, max_size=8), min_size=width, max_size=width, unique=True))
    numeric = [True, *draw(st.lists(st.booleans(), min_size=width - 1, max_size=width - 1))]
    row = st.tuples(*[numbers if one else words for one in numeric]).map(list)
    return [list(names), *draw(st.lists(row, min_size=3, max_size=25))]


@examples(80)
@given(
    table=tables(),
    delimiter=st.sampled_from([",", ";", "\t", "|"]),
    quoting=st.sampled_from([0, 1, 2]),
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "latin-1", "utf-16"]),
    line_end=st.sampled_from(["\n", "\r\n"]),
)
def test_what_a_writer_of_tables_wrote_is_read_back(
    tmp_path: Path, table: list[list[object]], delimiter: str, quoting: int, encoding: str, line_end: str
) -> None:
    path = written(
        tmp_path / "t.csv", table, encoding=encoding, delimiter=delimiter, quoting=quoting, lineterminator=line_end
    )
    found = inspect(path)
    assert [column.name for column in found.columns] == table[0]
    assert found.examples == len(table) - 1
    assert read_frame(found, 1000, 0).shape == (len(table) - 1, len(table[0]))


def test_objects_need_not_be_alike(tmp_path: Path) -> None:
    lines = [f'{{"n": {n}, "colour": "red"}}' for n in range(97)]
    lines += ['{"n": null, "late": 1}', '{"n": [1], "colour": "blue"}', '{"n": 12345678901234567890, "colour": 5}']
    found = inspect(text_file(tmp_path / "t.jsonl", "\n".join(lines)))
    assert kinds(found) == {"n": Kind.NUMBER, "colour": Kind.CATEGORY, "late": Kind.WHOLE}
    frame = read_frame(found, 1000, 0)
    assert frame["n"].null_count() == 2
    assert frame["colour"].null_count() == 1


@pytest.mark.parametrize("form", ["parquet", "jsonl", "json"])
def test_other_formats_say_the_same_of_a_table(tmp_path: Path, form: str) -> None:
    as_csv = inspect(written(tmp_path / "t.csv", flowers()), "species")
    rows = flowers()
    frame = polars.DataFrame(rows[1:], schema=[str(name) for name in rows[0]], orient="row")
    frame = frame.with_columns(polars.col("length", "width").cast(polars.Float64))
    path = tmp_path / f"t.{form}"
    {"parquet": frame.write_parquet, "jsonl": frame.write_ndjson, "json": frame.write_json}[form](path)
    found = inspect(path, "species")
    assert found.format == {"parquet": "Parquet"}.get(form, "JSON lines")
    for about in ("examples", "classes", "inputs", "task", "target"):
        assert getattr(found, about) == getattr(as_csv, about)
    assert kinds(found) == kinds(as_csv)
    assert read_frame(found, 1000, 0).equals(read_frame(as_csv, 1000, 0))


def test_parquet_with_lists_bytes_dates_and_yes_or_no(tmp_path: Path) -> None:
    frame = polars.DataFrame(
        {
            "numbers": [[1, 2], [3]] * 10,
            "raw": [b"x", b"y"] * 10,
            "yes": [True, None] * 10,
            "day": polars.date_range(polars.date(2020, 1, 1), polars.date(2020, 1, 20), eager=True),
            "huge": [10**17 + n * 7 % 5 for n in range(20)],
        }
    )
    frame.write_parquet(tmp_path / "t.parquet")
    found = inspect(tmp_path / "t.parquet")
    assert kinds(found)["numbers"] is kinds(found)["raw"] is Kind.NESTED
    assert kinds(found)["day"] is Kind.DATE
    assert len(read_frame(found, 100, 0)) == 20


@pytest.mark.parametrize("most", [1, 7, 100, 119, 120, 1000])
def test_an_even_sample_of_rows_keeps_their_order(tmp_path: Path, most: int) -> None:
    rows = [["n", "x"], *[[n, f"{n}.5"] for n in range(120)]]
    found = inspect(written(tmp_path / "t.csv", rows))
    numbers = read_frame(found, most, seed=3)["n"].to_list()
    assert len(numbers) == min(most, 120)
    assert numbers == sorted(set(numbers))
    if 1 < most < 120:
        assert numbers[0] < 2 * 120 / most
        assert numbers[-1] > 120 - 2 * 120 / most


@pytest.mark.parametrize(
    ("name", "task", "outputs", "inputs"),
    [
        ("digits", "classify", 10, 61),
        ("wine", "classify", 3, 13),
        ("breast cancer", "classify", 2, 30),
        ("diabetes", "regress", 1, 10),
    ],
)
def test_shipped_data_give_the_facts_that_are_known_of_them(
    tmp_path: Path, name: str, task: str, outputs: int, inputs: int
) -> None:
    found = inspect(shipped_csv(name, tmp_path), "answer")
    assert found.facts["data.modality"] == "tabular"
    assert (found.facts["task.kind"], found.facts["task.outputs"]) == (task, outputs)
    assert found.facts["data.inputs"] == inputs  # of the digits three dots are never used


def test_the_fingerprint_is_that_of_content_and_target(tmp_path: Path) -> None:
    first = inspect(written(tmp_path / "a.csv", flowers()), "species")
    copy = inspect(written(tmp_path / "b.csv", flowers()), "species")
    other_target = inspect(tmp_path / "b.csv", "colour")
    other_data = inspect(written(tmp_path / "c.csv", flowers(seed=2)), "species")
    assert first.fingerprint == copy.fingerprint == first.facts["data.fingerprint"]
    assert len({first.fingerprint, other_target.fingerprint, other_data.fingerprint}) == 3
    assert len(first.fingerprint) == 16


@pytest.mark.parametrize("name", ["a*", "^a", "a.b", "[red]", "x\x1b[2J", "'", "$1", "row"])
def test_a_column_may_have_any_name(tmp_path: Path, name: str) -> None:
    rows = [["size", name, "kind"], *[[f"{n}.5", f"{n * 7 % 20}.25", "ab"[n % 2]] for n in range(60)]]
    found = inspect(written(tmp_path / "t.csv", rows), "kind")
    assert found.inputs == ("size", name)
    assert read_frame(found, 30, 0).columns == ["size", name, "kind"]
    read_frame(found, 100, 0).write_parquet(tmp_path / "t.parquet")
    again = inspect(tmp_path / "t.parquet", "kind")
    assert again.inputs == ("size", name)
    assert read_frame(again, 30, 0).shape == (30, 3)
    assert inspect(tmp_path / "t.parquet", name).task is not None


@pytest.mark.parametrize("name", ["of", "rows", "value", "count", "text", "number 0", "prediction"])
def test_a_column_may_have_any_plain_name_also_one_of_ours(tmp_path: Path, name: str) -> None:
    rows = [[name, "x"], *[["ab"[n % 2], f"{n % 7}.5"] for n in range(40)]]
    found = inspect(written(tmp_path / "t.csv", rows), name)
    assert (found.classes, found.columns[0].counts) == (("a", "b"), (20, 20))
    assert read_frame(found, 100, 0)[name].to_list()[:2] == ["a", "b"]
