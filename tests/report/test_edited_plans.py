"""A plan that somebody has edited, or that other rules have made, is shown or refused with file and key, in every format."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from advisor.errors import InputError
from advisor.facts.fact_base import FactBase, Source
from advisor.inference.advise import advise
from advisor.knowledge.cache import knowledge_for
from advisor.report.plan.json_plan import plan_text, read_plan, read_saved
from advisor.session.evidence import evidence
from advisor.session.reporting import FORMATS, report_of
from advisor.starter.planning import blueprint_of
from advisor.starter.project import project_files

from ..cli.program import advisor, refused

ANSWERS = {"data.modality": "tabular", "task.kind": "classify", "data.examples": 1800, "data.features": 64}
UNKNOWN = "no.such.name"
WRONG: list[Any] = [
    None, True, 0, -1, 10**17, 1e308, 2.5, "", UNKNOWN, "network.type", "\x1b[31mx\n<b>", "x" * 3000, "2026-13-99",
    [], [UNKNOWN], [None], [[]], {}, {"a": 1}, {UNKNOWN: {}},
]  # fmt: skip
NAMED = {"facts", "recommendations", "figures", "applies", "rules"}
"""Objects whose keys are names."""


@cache
def document() -> dict[str, Any]:
    knowledge = knowledge_for(())
    facts = FactBase.of(
        {name: value for name, value in ANSWERS.items() if name in knowledge.vocabulary.facts}, Source.ASKED
    )
    made: dict[str, Any] = json.loads(plan_text(advise(knowledge, facts)))
    made["recommendations"]["compute.threads"]["measured"] = {
        "probe": "threads", "before": 2, "after": 4, "verdict": "overturned", "median": 1.5, "low": 1.4,
        "high": 1.6, "n": 9, "unit": "speed-up", "date": "2026-11-20", "applies": {"torch": "2.13.0"}, "rival": 4,
        "rules": {"x": "confirmed"},
    }  # fmt: skip
    return made


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in parts:
        yield from places(part, (*path, key))


def kind(path: tuple[Any, ...]) -> str:
    """Places of one kind: neither the position in a list nor the name in an object counts, but for values of topics."""
    shown = []
    for number, key in enumerate(path):
        named = number > 0 and path[number - 1] in NAMED and path[number + 1 : number + 2] != ("value",)
        shown.append("#" if isinstance(key, int) else "NAME" if named else key)
    return ".".join(shown)


KINDS: dict[str, tuple[Any, ...]] = {}
for place in places(document()):
    if place:
        KINDS.setdefault(kind(place), place)


def with_wrong(place: tuple[Any, ...]) -> Iterator[dict[str, Any]]:
    """The document with every wrong value there, without it, and with it under an unknown name."""
    for wrong in [*WRONG, "gone", "renamed"]:
        edited = copy.deepcopy(document())
        inner: Any = edited
        for key in place[:-1]:
            inner = inner[key]
        if wrong == "gone":
            del inner[place[-1]]
        elif wrong == "renamed" and isinstance(inner, dict):
            inner[UNKNOWN] = inner.pop(place[-1])
        else:
            inner[place[-1]] = wrong
        yield edited


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.some(12)
def test_a_wrong_value_anywhere_is_refused_or_shown(name: str, tmp_path: Path) -> None:
    path, knowledge = tmp_path / "plan.json", knowledge_for(())
    accepted = []
    for edited in with_wrong(KINDS[name]):
        path.write_text(json.dumps(edited))
        try:
            accepted.append(read_plan(path, knowledge))
        except InputError as error:
            places_told = [problem.where for problem in error.problems]
            assert all(str(path) in where for where in places_told)
    for plan in accepted[-1:]:
        for format_ in FORMATS:
            shown = report_of(plan, knowledge, format_, lambda plan=plan: evidence(plan, None, ()))  # type: ignore[misc]
            assert "\x1b[31m" not in shown
        with suppress(InputError):  # such as of a plan without a type of network
            project_files(plan, knowledge, blueprint_of(plan))


@pytest.mark.parametrize("format_", ["text", "markdown", "html", "json"])
def test_names_of_other_rules_are_left_out_and_told(format_: str, tmp_path: Path) -> None:
    edited = copy.deepcopy(document())
    advice = edited["recommendations"]
    advice["network.type"]["depends_on_unknown"] = [UNKNOWN, "data.bytes"]
    advice[UNKNOWN] = advice.pop("network.hidden_units")
    for key in ("questions", "unused", "withdrawn"):
        edited[key].append("data.of_next_year")
    path = tmp_path / "plan.json"
    path.write_text(json.dumps(edited))
    done = advisor("report", "--plan", path, "--format", format_)
    assert done.code == 0, done.err
    assert "Not all of this plan can be used" in done.said
    assert "These rules do not know no.such.name" in done.said
    assert "data.of_next_year" in done.said
    assert "The plan says nothing on network.hidden_units." in done.said
    assert UNKNOWN not in done.out


def test_numbers_that_no_rule_could_recommend_are_refused(tmp_path: Path) -> None:
    for topic, value in (
        ("network.hidden_units", [0, 8]),
        ("network.hidden_units", [10**7]),
        ("training.batch_size", 0),
    ):
        edited = copy.deepcopy(document())
        edited["recommendations"][topic] |= {"value": value, "status": "settled", "tied": []}
        path = tmp_path / "plan.json"
        path.write_text(json.dumps(edited))
        assert f"{path}, recommendations.{topic}.value: " in refused("report", "--plan", path)
        assert "It must lie between 1 and" in refused("starter", "--plan", path, "--output", tmp_path / "project")


def test_a_plan_of_a_newer_version_is_called_one(tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    path.write_text(json.dumps({**document(), "schema": "advisor/plan/9"}))
    assert "of another version of this program" in refused("report", "--plan", path)


def test_a_plan_without_anything_unknown_says_nothing(tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    path.write_text(json.dumps(document()))
    assert read_saved(path, knowledge_for(())).remark == ""
