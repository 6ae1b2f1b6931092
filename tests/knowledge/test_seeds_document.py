"""docs/seeds.md: every section of the seeds and every id of the knowledge base names its rules, or says why it has none."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from advisor.knowledge import loader
from advisor.knowledge.model import School
from advisor.resources import rules_folder

DOCUMENT = Path(__file__).parents[2] / "docs" / "seeds.md"
RULES = {rule.id: rule for rule in loader.load(rules_folder()).rules}
# How many ids of each kind the knowledge base has: NT1 to NT18, ND1 to ND6 ...
IDS = """
NT 18, ND 6, HU 8, NI 7, AC 5, LO 6, RG 6, NO 4, OP 8, LR 6, BS 7, PR 7, CT 6, DP 6, DV 8, MM 7, PA 9, SY 6, IC 6, ST 7,
FW 8, FT 7, CO 7, RD 2, PX 5
"""


@dataclass(frozen=True)
class Row:
    name: str
    says: str
    rules: str

    @property
    def named(self) -> list[str]:
        return re.findall(r"`([^`]+)`", self.rules)


def rows() -> list[Row]:
    lines = DOCUMENT.read_text(encoding="utf-8").splitlines()
    cells = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines if line.startswith("|")]
    return [Row(*row) for row in cells if row[0] not in ("id", "---")]


ROWS = rows()


def test_a_row_names_rules_that_exist_or_a_reason_why_there_is_none(subtests: pytest.Subtests) -> None:
    for row in ROWS:
        with subtests.test(row.name):
            assert row.says
            assert [name for name in row.named if name not in RULES] == []
            only_rules = re.fullmatch(r"`[^`]+`(, `[^`]+`)*", row.rules)
            assert only_rules or re.match(r"none: \w.{5,}", row.rules), row.rules


def test_no_section_is_listed_twice() -> None:
    names = [row.name for row in ROWS]
    assert [name for name in names if names.count(name) > 1] == []


def test_every_rule_of_the_survey_stands_for_a_section_of_a_seed() -> None:
    named = {name for row in ROWS if re.match(r"S\d", row.name) for name in row.named}
    assert [rule.id for rule in RULES.values() if rule.school is School.SURVEY and rule.id not in named] == []


def test_every_id_of_the_knowledge_base_has_a_row() -> None:
    listed = {match.group() for row in ROWS if (match := re.match(r"[A-Z]{2}\d+", row.name))}
    wanted = [entry.split() for entry in IDS.split(",")]
    assert {f"{kind}{number}" for kind, count in wanted for number in range(1, int(count) + 1)} == listed
