"""docs/plan.schema.json says what a plan's JSON is: every plan that is written keeps to it, and a damaged one does not."""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from advisor.facts.answers import read_answers
from advisor.facts.fact_base import FactBase, Source
from advisor.facts.verdict import Verdict
from advisor.inference.advise import advise
from advisor.inference.plan import Status
from advisor.knowledge.cache import load_cached
from advisor.knowledge.model import Knowledge, School, Strength
from advisor.report.plan.json_plan import plan_text
from advisor.resources import rules_folder

from .small import measured_plan, plan

ROOT = Path(__file__).parents[2]
SCHEMA = json.loads((ROOT / "docs" / "plan.schema.json").read_text(encoding="utf-8"))
EXAMPLES = sorted((ROOT / "examples").glob("*.yaml"))


@cache
def rule_base() -> Knowledge:
    return load_cached(rules_folder(), ())


def problems(document: Mapping[str, Any]) -> list[str]:
    return [f"{error.json_path}: {error.message}" for error in Draft202012Validator(SCHEMA).iter_errors(document)]


def written(facts: FactBase, school: School = School.TODAY) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(plan_text(advise(rule_base(), facts, school)))
    return document


def test_the_schema_is_one() -> None:
    Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
@pytest.mark.parametrize("school", [School.TODAY, School.SURVEY])
def test_the_plans_of_the_examples_keep_to_it(path: Path, school: School) -> None:
    facts = FactBase.of(read_answers(rule_base().vocabulary, path, rule_base().topics), Source.ASKED)
    assert problems(written(facts, school)) == []


@pytest.mark.parametrize(
    "answers",
    [
        {},
        {"task.kind": "classify", "data.modality": "tabular", "data.examples": 500, "data.inputs": 12},
        {"task.kind": "generate", "data.modality": "image", "task.generation": "random", "machine.gpu.count": 8},
        {"task.kind": "forecast", "data.modality": "time_series", "data.sequence_length": 96, "cluster.nodes": 16},
    ],
    ids=["nothing known", "a small table", "pictures on eight cards", "series on a cluster"],
)
@pytest.mark.some(2)
def test_plans_of_very_different_projects_keep_to_it(answers: dict[str, Any]) -> None:
    assert problems(written(FactBase.of(answers, Source.ASKED))) == []


def test_measured_plans_and_contradictions_keep_to_it() -> None:
    contradicted = plan(answers={"data.modality": "image", "machine.cpu.physical_cores": 2})
    assert contradicted.contradictions
    for made in (measured_plan(), contradicted):
        assert problems(json.loads(plan_text(made))) == []


def test_keys_of_later_versions_are_allowed() -> None:
    document = json.loads(plan_text(plan()))
    document["later"] = document["recommendations"]["network.type"]["later"] = {"anything": [1]}
    assert problems(document) == []


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (["schema"], "advisor/plan/2"),
        (["school"], "any"),
        (["facts", "data.modality", "source"], "guessed"),
        (["facts", "data.modality", "value"], None),
        (["recommendations", "network.type", "status"], "certain"),
        (["recommendations", "network.type", "value"], None),
        (["recommendations", "network.type", "because", 0, "school"], "tomorrow"),
        (["recommendations", "network.type", "flips"], {}),
        (["recommendations", "compute.threads", "measured", "verdict"], "perhaps"),
        (["recommendations", "compute.threads", "measured", "median"], "1.31"),
        (["questions"], ["Not A Name"]),
    ],
    ids=lambda part: str(part)[:60],
)
def test_a_damaged_plan_does_not_keep_to_it(place: list[Any], value: object) -> None:
    document = json.loads(plan_text(measured_plan()))
    damaged = copy.deepcopy(document)
    inner = damaged
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = value
    assert problems(document) == []
    assert problems(damaged)


@pytest.mark.parametrize("key", sorted(SCHEMA["required"]))
def test_a_plan_without_one_of_its_parts_does_not_keep_to_it(key: str) -> None:
    document = json.loads(plan_text(plan()))
    del document[key]
    assert problems(document)


def test_it_lists_every_status_verdict_source_school_and_strength_that_there_is() -> None:
    inner = SCHEMA["$defs"]
    assert inner["recommendation"]["properties"]["status"]["enum"] == [status.value for status in Status]
    assert inner["verdict"]["enum"] == [verdict.value for verdict in Verdict]
    assert set(inner["source"]["enum"]) == {source.value for source in Source}
    assert set(inner["reason"]["properties"]["school"]["enum"]) == {school.value for school in School}
    assert set(inner["reason"]["properties"]["strength"]["enum"]) == {"", *(s.value for s in Strength)}
