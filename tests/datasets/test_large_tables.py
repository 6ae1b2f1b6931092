"""Large files are judged by pieces of them: from end to end, with their rows counted or estimated."""

from __future__ import annotations

import json
import random
import re
from itertools import pairwise
from pathlib import Path

import polars
import pytest

from advisor.datasets.dataset import Kind
from advisor.datasets.delimited import pieces
from advisor.datasets.inspect import inspect
from advisor.datasets.readers import delimited_text, json_lines
from advisor.errors import InputError

from .tables_made import kinds, read_frame, text_file, written


@pytest.fixture
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files of a few kilobytes are sampled as if they were of gigabytes."""
    for module in (pieces, delimited_text, json_lines):
        for name, size in (("READ_WHOLE", 20_000), ("PIECE", 600), ("PLACES", 16)):
            monkeypatch.setattr(module, name, size, raising=False)


def test_a_stray_row_deep_in_a_large_file_is_named_by_its_line(tmp_path: Path, small_pieces: None) -> None:
    lines = ["a,b", *[f"{n},{n % 7}" for n in range(9000)]]
    lines[-1] = "1,2,3"
    with pytest.raises(InputError, match="line 9,001 has 3 fields"):
        inspect(text_file(tmp_path / "t.csv", "\n".join(lines)))


def test_a_large_file_is_sampled_from_end_to_end_and_its_rows_are_counted(tmp_path: Path, small_pieces: None) -> None:
    """A file sorted by class: its beginning alone would show one class only."""
    rows = [
        ["size", "kind"],
        *[[f"{n}.25", "first" if n < 2000 else "middle" if n < 4000 else "last"] for n in range(6000)],
    ]
    found = inspect(written(tmp_path / "t.csv", rows), "kind")
    assert found.examples == 6000
    assert set(found.classes) == {"first", "middle", "last"}
    assert "from 16 other places" in found.sampled
    assert "all rows were counted" in found.sampled


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1", "utf-16"])
@pytest.mark.parametrize("ending", ["", "\n", "\n\n\n"])
def test_rows_of_a_large_file_are_counted_however_it_ends(
    tmp_path: Path, small_pieces: None, encoding: str, ending: str
) -> None:
    content = "a,b\n" + "\n".join(f"{n},ü{n % 9}" for n in range(5000)) + ending
    found = inspect(text_file(tmp_path / "t.csv", content.encode(encoding)))
    assert found.examples == 5000


def test_blank_lines_are_no_rows(tmp_path: Path, small_pieces: None) -> None:
    lines = [line for n in range(6000) for line in ([f"{n},{n % 9}"] if n % 3 else [f"{n},{n % 9}", ""])]
    assert inspect(text_file(tmp_path / "t.csv", "a,b\n" + "\n".join(lines))).examples == 6000


def test_classes_of_a_sorted_file_keep_their_shares(tmp_path: Path, small_pieces: None) -> None:
    kinds = ["a"] * 4000 + ["b"] * 4000
    path = written(tmp_path / "t.csv", [["x", "kind"], *[[f"{n * 37 % 101}.25", kind] for n, kind in enumerate(kinds)]])
    found = inspect(path, "kind")
    assert found.facts["data.imbalance"] == pytest.approx(1, abs=0.3)
    assert "almost perfectly" not in " ".join(remark.what for remark in found.remarks)


@pytest.mark.parametrize("seed", [0, 1])
def test_few_rows_of_a_large_file_come_from_all_of_it(tmp_path: Path, small_pieces: None, seed: int) -> None:
    found = inspect(written(tmp_path / "t.csv", [["n", "x"], *[[n, f"{n}.25"] for n in range(20_000)]]))
    numbers = read_frame(found, 100, seed)["n"].to_list()
    assert len(numbers) == 100
    assert numbers == sorted(set(numbers))
    assert max(after - before for before, after in pairwise([0, *numbers, 20_000])) < 1000


def test_line_breaks_within_quotation_marks_are_no_rows(tmp_path: Path, small_pieces: None) -> None:
    rows = [["a", "text"], *[[n, f"one,\ntwo,\n\nthree {n % 50}"] for n in range(3000)]]
    found = inspect(written(tmp_path / "t.csv", rows, lineterminator="\n"))
    assert found.examples == 3000
    assert len(read_frame(found, 10_000, 0)) == 3000


def test_rows_of_a_huge_file_are_estimated(tmp_path: Path, small_pieces: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(delimited_text, "COUNTED_UP_TO", 30_000)
    found = inspect(written(tmp_path / "t.csv", [["a", "b"], *[[1000 + n, n % 10] for n in range(8000)]]))
    assert "estimated" in found.sampled
    assert found.examples == pytest.approx(8000, rel=0.05)


def test_a_large_json_file_is_sampled(tmp_path: Path, small_pieces: None) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text("".join(f'{{"n": {n}, "kind": "{"ab"[n // 2500]}", "inner": {{"x": 1}}}}\n' for n in range(5000)))
    found = inspect(path, "kind")
    assert (found.examples, found.classes) == (5000, ("a", "b"))
    assert kinds(found)["inner"] is Kind.NESTED
    assert found.sampled


def test_a_header_longer_than_a_look_is_read_to_its_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(delimited_text, "_GUESSED_FROM", 50)
    rows = [[f"gene{n}" for n in range(200)], *[[f"{row * n % 7}.5" for n in range(200)] for row in range(30)]]
    found = inspect(written(tmp_path / "t.csv", rows))
    assert (len(found.columns), found.examples) == (200, 30)


@pytest.mark.thorough
def test_a_file_of_fifty_megabytes_is_sampled(tmp_path: Path) -> None:
    draw = random.Random(0)
    path = tmp_path / "large.csv"
    with path.open("w") as file:
        file.write("id,x,y,kind\n")
        for n in range(1_500_000):
            file.write(f"{n},{draw.random():.6f},{n * 7 % 1001},{'abc'[n * 3 // 1_500_000]}\n")
    found = inspect(path, "kind")
    assert found.examples == 1_500_000
    assert set(found.classes) == {"a", "b", "c"}
    assert kinds(found)["id"] is Kind.IDENTIFIER
    assert len(read_frame(found, 10_000, 0)) == 10_000


def test_a_small_file_of_very_long_texts_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    polars.DataFrame({"text": ["z" * (17 * 2**20)] * 20, "kind": ["a", "b"] * 10}).write_parquet(path)
    assert path.stat().st_size < 10_000
    with pytest.raises(InputError, match="the texts of a row take 17 MiB"):
        inspect(path, "kind")


def test_of_long_texts_fewer_rows_are_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("advisor.datasets.readers.parquet.MOST_TEXT", 100_000, raising=False)
    path = tmp_path / "t.parquet"
    table = {"text": [f"one two {n} " * 100 for n in range(2000)], "kind": ["a", "b"] * 1000}
    polars.DataFrame(table).write_parquet(path)
    found = inspect(path, "kind")
    assert (found.examples, found.classes) == (2000, ("a", "b"))
    assert "from 12 places" in found.sampled


@pytest.mark.parametrize("kind", [polars.String, polars.Categorical, polars.Enum(["brief", "long " * 200])])
def test_texts_are_measured_in_the_rows_that_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: polars.DataType
) -> None:
    """Long texts everywhere but in a few rows at twelve places, where a look at those alone would find brief ones."""
    monkeypatch.setattr("advisor.datasets.readers.parquet.MOST_TEXT", 100_000)
    monkeypatch.setattr("advisor.datasets.readers.parquet.MOST_CELLS", 3_000)
    brief = {row for place in range(12) for row in range(place * 6000 // 12, place * 6000 // 12 + 5)}
    texts = polars.Series("text", ["brief" if n in brief else "long " * 200 for n in range(6000)], dtype=kind)
    polars.DataFrame([texts, polars.Series("kind", ["a", "b"] * 3000)]).write_parquet(tmp_path / "t.parquet")
    found = inspect(tmp_path / "t.parquet", "kind")
    assert re.search(r"Read (84|96) rows from 12 places", found.sampled)


def test_objects_that_share_few_names_are_sampled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("advisor.datasets.readers.json_lines.MOST_CELLS", 3_000, raising=False)
    path = tmp_path / "t.jsonl"
    path.write_text("".join(f'{{"n{n % 30}": {n}, "kind": "{"ab"[n // 500]}"}}\n' for n in range(1000)))
    found = inspect(path)
    assert found.examples == 1000
    assert found.sampled == "Looked at 96 of 1,000 rows, evenly from all of the file."


def test_objects_of_a_large_file_that_share_few_names_are_sampled_too(
    tmp_path: Path, small_pieces: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("advisor.datasets.readers.json_lines.MOST_CELLS", 3_000)
    path = tmp_path / "t.jsonl"
    path.write_text("".join(f'{{"n{n % 30}": {n}, "kind": "{"ab"[n % 2]}"}}\n' for n in range(4000)))
    found = inspect(path)
    assert found.examples == 4000
    assert "Looked at 96 of them, evenly apart." in found.sampled


def test_a_large_file_of_json_in_utf_16_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("advisor.datasets.readers.json_lines.LARGEST_WIDE", 2**20, raising=False)
    path = tmp_path / "t.jsonl"
    path.write_text('{"n": 1}\n' * 70_000, encoding="utf-16")
    with pytest.raises(InputError, match=r"more than 1 MiB in utf-16-le.*Save it as UTF-8"):
        inspect(path)


def test_commas_within_texts_are_no_values_of_a_list(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_lines, "MOST_VALUES", 500)
    words = ",".join(["one", '"two"', "[three\\\\"])
    path = tmp_path / "list.json"
    path.write_text(json.dumps([{"n": n, "words": words * 20} for n in range(60)]), encoding="utf-8")
    assert inspect(path).facts["data.examples"] == 60
    path.write_text(json.dumps([{"n": n, "words": words} for n in range(600)]), encoding="utf-8")
    with pytest.raises(InputError, match=r"about 1,[78]\d\d values"):
        inspect(path)
