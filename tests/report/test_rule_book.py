"""The rule base as a book: complete, linked, repeatable, and safe whatever a pack writes."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from advisor.knowledge import loader
from advisor.knowledge.model import Knowledge
from advisor.report.rules.rule_book import rule_book
from advisor.resources import rules_folder
from tests.small_rules import RuleBase, boolean, choice, integer, rule, topic

from .small import knowledge as small_knowledge

EVIL = "[x](javascript:alert(1)) <script> | `a` \x1b[31m # *b*"


@cache
def shipped() -> Knowledge:
    return loader.load(rules_folder())


def test_it_depends_on_nothing_but_the_rules() -> None:
    assert rule_book(loader.load(rules_folder())) == rule_book(shipped())


def test_every_rule_fact_source_and_erratum_is_in_it() -> None:
    book = rule_book(shipped())
    for name in [*shipped().by_id, *shipped().vocabulary.facts, *shipped().errata]:
        assert f"**`{name}`**" in book or f"**{name}**" in book
    assert all(f"\n- `{key}` " in book for key in shipped().sources)


def test_every_link_leads_somewhere() -> None:
    book = rule_book(shipped())
    targets = set(re.findall(r'<a id="([^"]+)"></a>', book))
    assert set(re.findall(r"\]\(#([^)]+)\)", book)) <= targets


def test_no_place_is_named_twice() -> None:
    anchors = re.findall(r'<a id="([^"]+)"></a>', rule_book(shipped()))
    assert len(anchors) == len(set(anchors))


def test_it_counts_at_the_top() -> None:
    book = rule_book(small_knowledge())
    rules = small_knowledge().rules
    checked = sum(rule.is_verified for rule in rules)
    assert f"**{len(rules)} rules** on 8 topics" in book
    assert f"**{checked} looked up in their sources**, {len(rules) - checked} cited from memory" in book


def test_a_rule_shows_all_that_it_says() -> None:
    base = RuleBase(
        {"p": boolean(), "n": integer(1, 9, unit="cores", assume="2")},
        {"t": topic("first", "x", "y", applies="n > 1"), "s": topic("score", "x")},
        [
            rule(
                "t.old",
                "t",
                school="survey",
                when="p",
                value="x",
                sources=["seed II"],
                verified="2026-01-02",
                erratum="E1",
            ),
            rule("t.new", "t", school="today", value="y", supersedes=["t.old"], readiness=7, actions=["do {value}"]),
            rule("s.x", "s", for_="x", strength="weak", settles={"probe": "threads", "expects": "n > 2"}),
            rule("s.veto", "s", veto="x", when="not p"),
        ],
    )
    book = rule_book(base.load())
    for part in (
        "The first rule that holds decides.",
        "It means something only when `n > 1`.",
        "1. <a id=\"t-old\"></a>**`t.old`** gives `x`",
        "  - when `p`",
        "Someone else 2018: A seed document, II (looked up 2026-01-02)",
        "the source is mistaken here: [E1](#E1)",
        "superseded, where it holds, by [`t.new`](#t-new)",
        "supersedes [`t.old`](#t-old)",
        "readiness 7 of 9",
        "do: `do {value}`",
        "Someone 2020: A book (not looked up)",
        "**`s.x`** is a weak reason for `x`",
        "the probe `threads` can judge it: it should find `n > 2`",
        "**`s.veto`** excludes `x`",
        "integer in cores, 1 to 9",
        "default `2`",
        "**E1** (a figure): It should read 3.",
        "goes with `t.old`",
    ):  # fmt: skip
        assert part in book


def test_hostile_text_stays_text() -> None:
    base = RuleBase(
        {"c": choice("red", question=EVIL, help=EVIL)},
        {"t": topic("first", "x", title=EVIL)},
        [rule("t.x", "t", value="x", because=EVIL, actions=[EVIL])],
    )
    book = rule_book(base.load())
    outside = re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", "", book)  # code shows as it is
    assert "<script>" not in outside
    assert not re.search(r"(?<!\\)\[x", outside)
    assert "\x1b" not in book
    assert not [line for line in outside.splitlines() if line.startswith("# ") and line != "# The rule base"]


def test_a_rule_of_a_pack_says_so(tmp_path: Path) -> None:
    base = RuleBase({"p": boolean()}, {"t": topic("first", "x")}, [rule("t.x", "t", value="x")]).write(
        tmp_path / "base"
    )
    pack = tmp_path / "house"
    pack.mkdir()
    (pack / "ours.yaml").write_text(
        "- {id: t.ours, topic: t, school: any, value: x, because: Ours., sources: [book]}\n"
    )
    book = rule_book(loader.load(base, [pack]))
    assert "**`t.ours`** gives `x` (from the pack house)" in book
    assert str(tmp_path) not in book
