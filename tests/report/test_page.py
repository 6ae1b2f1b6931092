"""Lines for a terminal: nothing is wider than the screen, nothing is lost, nothing takes the screen over."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.report.page import NARROWEST, WIDEST, Branch, Look, Page, Style, cells, wrap
from advisor.wording import printable

TEXTS = st.text(max_size=300)
ANSI = re.compile(r"\x1b\[[0-9;]*m")


def shown(lines: list[list[tuple[str, Style]]]) -> list[str]:
    return ["".join(text for text, _ in line) for line in lines]


@given(st.lists(TEXTS, max_size=4), st.integers(8, 60))
def test_no_wrapped_line_is_wider_than_asked(texts: list[str], width: int) -> None:
    assert all(cells(line) <= width for line in shown(wrap(texts, width)))


@given(TEXTS, st.integers(8, 60))
def test_wrapping_loses_nothing_but_blanks_and_controls(text: str, width: int) -> None:
    kept = "".join(shown(wrap([text], width)))
    assert "".join(kept.split()) == "".join(printable(text).split())


def test_words_are_not_broken_where_they_fit() -> None:
    assert shown(wrap(["one two three"], 8)) == ["one two", "three"]


def test_a_word_longer_than_a_line_is_cut() -> None:
    assert shown(wrap(["x" * 20], 8)) == ["x" * 8, "x" * 8, "x" * 4]


def test_wide_characters_count_two_columns() -> None:
    assert shown(wrap(["漢字漢字漢字"], 8)) == ["漢字漢字", "漢字"]


def test_a_very_long_word_is_cut_in_reasonable_time() -> None:
    assert len(wrap(["x" * 300_000], 80)) == 3750


@pytest.mark.parametrize(("width", "columns"), [(1, NARROWEST), (40, 40), (200, WIDEST), (0, NARROWEST)])
def test_a_page_uses_a_readable_width(width: int, columns: int) -> None:
    assert Look(width).columns == columns


def test_colour_changes_no_text() -> None:
    pages = [Page(Look(40, colour=colour)) for colour in (False, True)]
    for page in pages:
        page.add(("strong words of some length", Style.STRONG), " and plain ones that follow them", first="- ")
    plain, coloured = (page.text() for page in pages)
    assert coloured != plain
    assert ANSI.sub("", coloured) == plain


def test_data_cannot_send_control_codes_even_where_there_is_colour() -> None:
    page = Page(Look(80, colour=True))
    page.add("a\x1b[2Jb\x9b31m\u202ec\rd")
    page.verbatim("e\x1b]0;title\x07f\ng")
    assert page.text() == "a[2Jb31mcd\ne]0;titlef g\n"


def test_a_tree_in_ascii_has_nothing_else() -> None:
    page = Page(Look(30, unicode=False))
    page.tree(Branch(("root",), (Branch(("first",), (Branch(("inner",)),)), Branch(("last",)))))
    assert page.text() == "root\n|- first\n|  `- inner\n`- last\n"


@given(st.integers(24, 100), st.lists(st.text("abc def", max_size=80), min_size=1, max_size=3))
def test_a_tree_stays_within_the_width_at_every_depth(width: int, texts: list[str]) -> None:
    branch = Branch(("leaf of the tree with words",))
    for text in texts:
        branch = Branch((text or "x",), (branch, branch))
    page = Page(Look(width))
    page.tree(branch)
    assert all(cells(line) <= width for line in page.lines)


def test_verbatim_lines_keep_their_blanks_and_are_not_broken() -> None:
    page = Page(Look(24))
    page.tree(Branch(("do",), (Branch((f"run    {'x' * 40}",), verbatim=True),)))
    assert page.lines[1] == f"└─ run    {'x' * 40}"


def test_columns_stand_side_by_side_each_wrapped_within_its_own() -> None:
    page = Page(Look(40))
    page.columns([("left side",), ("right",)], [6, 10])
    assert page.lines == ["left    right", "side"]
