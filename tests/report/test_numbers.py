"""Computed numbers for people, and kept through a saved plan."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from advisor.agent.settling.advising import advise_here
from advisor.errors import InputError
from advisor.facts.fact_base import FactBase
from advisor.inference.plan import Plan
from advisor.knowledge import loader
from advisor.knowledge.model import Knowledge
from advisor.report.numbers import figure_page, number_words
from advisor.report.page import Look
from advisor.report.plan.json_plan import plan_text, read_plan
from advisor.report.plan.markdown import report_text
from advisor.report.plan.text import plan_page
from advisor.resources import rules_folder


@pytest.fixture(scope="module")
def knowledge() -> Knowledge:
    return loader.load(rules_folder())


@pytest.fixture(scope="module")
def plan(knowledge: Knowledge) -> Plan:
    stated = {"data.modality": "image", "data.inputs": 64, "task.kind": "classify", "task.outputs": 10}
    return advise_here(knowledge, FactBase.of(stated), None)


@pytest.mark.parametrize(
    ("value", "unit", "says"),
    [
        (16e9, "bytes", "16 GB"),
        (0.25, "s", "250 ms"),
        (3.1e-7, "s", "0.31 us"),
        (0, "s", "0 us"),
        (7200, "s", "2 h"),
        (65_642, "parameters", "65,642 parameters"),
        (6.1e15, "FLOP", "6.1 PFLOP"),
        (312e12, "FLOP/s", "312 TFLOP/s"),
        (0.656, "fraction", "65.6 %"),
        (47.3, "money", "47.3"),
        (1, "workers", "1 worker"),
        (-5, "s", "-5 s"),
        (-5e12, "bytes", "-5 TB"),
    ],
)
def test_numbers_are_written_for_people(value: float, unit: str, says: str) -> None:
    assert number_words(value, unit) == says


def test_the_terminal_shows_the_most_telling_numbers(plan: Plan, knowledge: Knowledge) -> None:
    text = plan_page(plan, knowledge, Look())
    section = text.partition("THE NUMBERS")[2].partition("STILL WORTH")[0]
    assert "Weights of the network: " in section
    assert "Memory of the gradients" not in section
    assert "more are in the Markdown report" in " ".join(section.split())


def test_the_report_shows_formula_inputs_and_source(plan: Plan, knowledge: Knowledge) -> None:
    text = report_text(plan, knowledge)
    section = text.partition("## The numbers")[2].partition("## Facts")[0]
    assert "`memory.weights = 4 * plan.parameters`" in section
    assert "(counted)" in section
    assert "Rajbhandari" in section
    assert "For these are wanting:" in section


def test_one_number_is_explained(plan: Plan, knowledge: Knowledge) -> None:
    states = next(figure for figure in plan.figures if figure.name == "memory.states")
    text = figure_page(states, knowledge, Look())
    assert "memory.weights" in text
    assert "computed" in text
    money = next(figure for figure in plan.figures if figure.name == "cost.money")
    text = " ".join(figure_page(money, knowledge, Look()).split())
    assert "It is not known for want of project.hours_available and project.price_per_hour." in text


def test_numbers_survive_a_saved_plan(plan: Plan, knowledge: Knowledge, tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    path.write_text(plan_text(plan), encoding="utf-8")
    assert read_plan(path, knowledge).figures == plan.figures
    without = {key: value for key, value in json.loads(path.read_text()).items() if key != "figures"}
    path.write_text(json.dumps(without), encoding="utf-8")
    assert read_plan(path, knowledge).figures == ()


@pytest.mark.parametrize(
    "spoiled", [{"value": 10**400}, {"inputs": [{"name": "x", "value": 10**400, "unit": "s", "origin": ""}]}]
)
def test_a_saved_number_beyond_all_numbers_is_refused(
    plan: Plan, knowledge: Knowledge, tmp_path: Path, spoiled: dict[str, object]
) -> None:
    document = json.loads(plan_text(plan))
    document["figures"]["network.size"].update(spoiled)
    path = tmp_path / "plan.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(InputError, match="finite number"):
        read_plan(path, knowledge)


def test_inputs_that_give_no_number_are_said(plan: Plan, knowledge: Knowledge) -> None:
    states = next(figure for figure in plan.figures if figure.name == "memory.states")
    nothing = replace(states, value=None, missing=())
    assert "These inputs give no number" in figure_page(nothing, knowledge, Look())


def test_training_that_fits_nowhere_is_warned_of(knowledge: Knowledge) -> None:
    stated = {
        "data.modality": "text", "task.kind": "generate", "task.generation": "sequence", "data.sequence_length": 4096,
        "network.parameters": 70_000_000_000, "project.pretrained_allowed": False, "machine.gpu.count": 1,
        "machine.gpu.memory_bytes": 80_000_000_000, "machine.gpu.backend": "cuda", "cluster.nodes": 1,
        "machine.gpu.compute_capability": 9, "machine.memory_bytes": 64_000_000_000,
    }  # fmt: skip
    large = advise_here(knowledge, FactBase.of(stated), None)
    text = " ".join(plan_page(large, knowledge, Look()).split())
    assert "! Nothing fits: the least that any way needs" in text
    assert "It would fit on" in text
    assert "Nothing fits: the least" in report_text(large, knowledge)


def test_a_batch_that_fits_is_not(plan: Plan, knowledge: Knowledge) -> None:
    assert "does not fit" not in plan_page(plan, knowledge, Look())
