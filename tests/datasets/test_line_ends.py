"""Text tables whose lines end with a carriage return alone, as old spreadsheets and Macs write them."""

from __future__ import annotations

from pathlib import Path

import pytest

from advisor.datasets.delimited.records import BLOCK
from advisor.datasets.inspect import inspect
from advisor.datasets.loading import load

from .tables_made import flowers, text_file


def lines(count: int = 120) -> list[str]:
    return [",".join(map(str, row)) for row in flowers(count)]


@pytest.mark.parametrize("ending", ["\r", "\r\n", "\n"])
@pytest.mark.parametrize("last", ["", "\n", "\r"])
def test_a_table_is_the_same_whatever_ends_its_lines(tmp_path: Path, ending: str, last: str) -> None:
    found = inspect(text_file(tmp_path / "t.csv", ending.join(lines()) + last), "species")
    assert (found.examples, len(found.columns)) == (120, 4)
    assert len(load(found, most_examples=1000)) == 120


def test_a_line_feed_below_the_header_does_not_make_one_line_of_the_rest(tmp_path: Path) -> None:
    header, *rows = lines()
    found = inspect(text_file(tmp_path / "t.csv", f"{header}\n" + "\r".join(rows)), "species")
    assert (found.examples, len(found.columns)) == (120, 4)


def test_line_feeds_within_quotation_marks_end_no_line(tmp_path: Path) -> None:
    rows = [f'{number},"first\nsecond\nthird {number % 7}",{"ab"[number % 2]}' for number in range(60)]
    found = inspect(text_file(tmp_path / "t.csv", "\r".join(["size,note,kind", *rows])), "kind")
    assert (found.examples, len(found.columns)) == (60, 3)


def test_rows_of_a_large_file_are_counted_by_its_carriage_returns(tmp_path: Path) -> None:
    header, *rows = lines(1000)
    times = BLOCK // len("\r".join(rows)) + 2
    found = inspect(text_file(tmp_path / "t.csv", f"{header}\r" + ("\r".join(rows) + "\r") * times), "species")
    assert found.sampled
    assert found.examples == 1000 * times
