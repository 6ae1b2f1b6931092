"""Text of plans, packs, columns and paths stays text, and the project still runs."""

from __future__ import annotations

import ast
import json
import shlex
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from advisor.facts.fact_base import Known, Source
from advisor.facts.verdict import Verdict
from advisor.inference.plan import Flip, Measurement, Plan, Reason
from advisor.knowledge.model import School
from advisor.starter.source import literal
from tests.starter.projects import TABLE, command, complaints, generated, plan_of, run

HOSTILE = (
    "\"\"\"'''\\\n]} {{ 7*7 }} {% raise %} {# no #} `$(touch broken)`; rm -rf ~ #\n"
    "</script><script>alert(1)</script> [x](javascript:alert(1)) ![y](http://e.vil/p.png) ```\n# heading\x1b[31m\u202e"
)


@given(st.one_of(st.text(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.booleans(), st.none()))
def test_a_literal_means_its_value(value: object) -> None:
    source = literal(value)
    assert ast.literal_eval(source) == value
    assert source.isprintable()


@given(st.lists(st.text(max_size=5)))
def test_a_literal_of_several(values: list[str]) -> None:
    assert ast.literal_eval(literal(tuple(values))) == tuple(values)


def hostile(plan: Plan) -> Plan:
    """The plan with hostile text wherever a plan holds text that is not from a closed set."""
    reason = Reason(HOSTILE, HOSTILE, (HOSTILE,), School.TODAY, HOSTILE, False, (HOSTILE,), HOSTILE, HOSTILE)
    measured = Measurement(
        HOSTILE, "cpu", "cpu", Verdict.CONFIRMED, 1.5, 1.4, 1.6, 20, HOSTILE, HOSTILE, {HOSTILE: HOSTILE}
    )
    entries = {
        name: replace(
            entry, title=HOSTILE, unit=HOSTILE, because=(reason,), actions=(HOSTILE,), notes=(HOSTILE,),
            flips=(Flip("machine.gpu.name", HOSTILE, entry.value),), measured=measured if name == "compute.device" else None,
        )
        for name, entry in plan.recommendations.items()
    }  # fmt: skip
    facts = {**plan.facts, "data.fingerprint": Known(HOSTILE, Source.ASKED, note=HOSTILE)}
    return replace(plan, recommendations=entries, facts=facts)


@pytest.mark.parametrize("network", ["ffn", "gradient_boosting"])
def test_a_hostile_plan_makes_a_tame_project(network: str, tmp_path: Path) -> None:
    column = HOSTILE.replace("\n", " ")
    folder = tmp_path / "$(touch broken) 'data' `x`"
    folder.mkdir()
    rows = [f"{i},{i % 3},{'ab'[i % 2]}" for i in range(40)]
    data = folder / "it's {{ 1 }}.csv"
    header = ",".join('"' + name.replace('"', '""') + '"' for name in ("a", column, "kind"))
    data.write_text("\n".join([header, *rows]))

    plan = hostile(plan_of(TABLE, network_type=network, network_hidden_units=[4], training_batch_size=8))
    project = generated(tmp_path / "project", plan, data=data, target=column)
    assert complaints(project) == ""
    line = next(
        line for line in (project / "README.md").read_text().splitlines() if line.startswith("python train.py --data")
    )
    assert shlex.split(line)[3] == str(data)
    run(project, line + (" --epochs 1" if network == "ffn" else " --rounds 2"))
    assert not list(tmp_path.rglob("broken"))


def test_hostile_text_shows_as_text_in_the_readme(tmp_path: Path) -> None:
    plan = hostile(plan_of(TABLE))
    project = generated(tmp_path / "project", plan, data=tmp_path / "x\n```\n<script>", target=HOSTILE)
    text = (project / "README.md").read_text() + (project / "docs" / "why.md").read_text()
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "{{ 7\\*7 }}" in text
    page = MarkdownIt("commonmark", {"html": True}).enable("table").render(text)
    for tag in ("<script", "<img", "<a ", "<h1>heading"):
        assert tag not in page
    assert page.count("<h1>") == 2, "one of each page"


def test_no_code_changes_by_hostile_text(tmp_path: Path) -> None:
    plan = plan_of(TABLE)
    tame, wild = generated(tmp_path / "tame", plan), generated(tmp_path / "wild", hostile(plan))
    for file in tame.glob("*.py"):
        assert file.read_text() == (wild / file.name).read_text()


def test_settings_hold_the_name_of_the_column_as_it_is(tmp_path: Path) -> None:
    project = generated(tmp_path / "project", plan_of(TABLE), target=HOSTILE)
    tree = ast.parse((project / "settings.py").read_text())
    values = {node.targets[0].id: node.value for node in tree.body if isinstance(node, ast.Assign)}  # type: ignore[attr-defined]
    assert ast.literal_eval(values["TARGET"]) == HOSTILE
    assert json.dumps(HOSTILE)  # nothing else of it is anywhere
    assert all(isinstance(node, ast.Assign | ast.Expr) for node in tree.body)
    assert command(project, "--steps 20") == "python train.py --output trial --steps 20"
