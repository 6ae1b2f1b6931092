"""Every action and every reason of a plan stands in each form of it: text, `explain`, Markdown, HTML and JSON."""

from __future__ import annotations

import html
import json
from collections.abc import Mapping
from functools import cache
from typing import Any

import pytest

from advisor.facts.fact_base import FactBase, Source
from advisor.inference.advise import advise
from advisor.inference.plan import Plan
from advisor.knowledge import loader
from advisor.knowledge.model import Knowledge, School
from advisor.report.html.plan_report import plan_html
from advisor.report.markup import plain
from advisor.report.page import Look
from advisor.report.plan.explanation import explain
from advisor.report.plan.explanation_text import explanation_page
from advisor.report.plan.json_plan import plan_text
from advisor.report.plan.markdown import report_text
from advisor.report.plan.text import plan_page
from advisor.resources import rules_folder

from . import small

CARDS = {"machine.gpu.count": 8, "machine.gpu.memory_bytes": 80 * 10**9, "machine.gpu.backend": "cuda"}
CARDS |= {"machine.gpu.compute_capability": 9.0, "machine.gpu.nvlink": True}
PLANS: dict[str, dict[str, Any]] = {
    "pictures": {"task.kind": "classify", "data.modality": "image"},
    "texts": {
        "task.kind": "generate", "task.generation": "sequence", "data.modality": "text", "data.examples": 20_000,
        "data.sequence_length": 1024, "project.pretrained_allowed": True, **CARDS,
    },
    "a large table": {"task.kind": "regress", "data.modality": "tabular", "data.examples": 12_000_000, **CARDS},
    "one series": {"task.kind": "forecast", "data.modality": "series", "data.examples": 120},
}  # fmt: skip


@cache
def rules() -> Knowledge:
    return loader.load(rules_folder())


def made(facts: Mapping[str, Any], school: School = School.TODAY) -> Plan:
    return advise(rules(), FactBase.of(facts, Source.ASKED), school)


def flat(text: str) -> str:
    return " ".join(text.split())


def claims(plan: Plan) -> list[tuple[str, str]]:
    """Topic and text of every action and every reason of the plan's JSON."""
    entries = json.loads(plan_text(plan))["recommendations"]
    return [
        (topic, text)
        for topic, entry in entries.items()
        for text in (*entry["actions"], *(reason["text"] for reason in entry["because"]))
    ]


@pytest.mark.parametrize("name", PLANS)
@pytest.mark.parametrize("school", [School.TODAY, School.SURVEY])
def test_each_form_has_every_action_and_every_reason(name: str, school: School) -> None:
    plan = made(PLANS[name], school)
    said = claims(plan)
    assert len(said) > 30
    text = flat(plan_page(plan, rules(), Look()))
    page = flat(html.unescape(plan_html(plan, rules())))
    markdown = report_text(plan, rules())
    trees = {
        topic: flat(explanation_page(explain(plan, rules(), topic), plan, rules(), Look(10_000))) for topic, _ in said
    }
    actions = {line for entry in plan.recommendations.values() for line in entry.actions}
    for topic, claim in said:
        assert flat(claim) in text, topic
        assert flat(claim) in flat(trees[topic].replace("│", " ")), topic
        assert flat(claim) in page, topic
        assert (claim if claim in actions else plain(claim)) in markdown, topic


@pytest.mark.parametrize("name", PLANS)
def test_lines_to_copy_stand_as_they_are(name: str) -> None:
    plan = made(PLANS[name])
    lines = plan_page(plan, rules(), Look(40)).splitlines()
    for entry in plan.recommendations.values():
        for number, action in enumerate(entry.actions):
            assert ("     " if number else "  do ") + action in lines


def test_reasons_whose_rules_are_not_known_here_are_told_too() -> None:
    known = small.knowledge()
    less = small.build(small.RULES.replace("training.regularization.turn", "training.regularization.other"))
    text = flat(plan_page(small.plan(known=known), less, Look()))
    assert "- dropout: It rarely hurts. [book]" in text
    assert "A turned cat is a cat. [book]" in text
