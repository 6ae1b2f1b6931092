"""Saved plans, as `report` and `starter` read them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from advisor import Session
from advisor.report.plan.json_plan import plan_text
from tests.agent.profiles_made import MEMORY, ONE_THREAD, compared, gauged

from ..case import Case, Format
from ..trees import mutated as mutated_tree
from ..trees import written

_FILE = "plan.json"
_PLANNED: Sequence[dict[str, Any]] = (
    {"task.kind": "classify", "task.outputs": 10, "data.modality": "image", "data.examples": 1797, "data.inputs": 64},
    {"task.kind": "forecast", "data.modality": "time_series", "data.examples": "2M", "machine.gpu.name": "a100-sxm-80gb",
     "machine.gpu.count": 8, "cluster.nodes": 4, "project.priority": "accuracy"},
    {"data.modality": "tabular", "task.kind": "regress", "data.examples": 500, "project.budget": 100},
    {},
)  # fmt: skip
_COMMANDS = (
    *(("report", "--plan", _FILE, "--format", format_) for format_ in ("text", "json", "markdown", "html")),
    ("starter", "--plan", _FILE, "--output", "project"),
    ("starter", "--plan", _FILE, "--output", "project", "--data", "missing.csv", "--target", "y"),
)

_OF_NO_FILE = ("There is nothing to build yet",)
"""Is said of plans that are right."""


@cache
def _plans() -> list[Any]:
    plans = [json.loads(plan_text(Session(facts, machine="none").plan())) for facts in _PLANNED]
    plans[0]["outcomes"] = [compared().to_json(), gauged({MEMORY: 3e10, ONE_THREAD: 1e10}, probe="memory").to_json()]
    return plans


def _case(command: tuple[str, ...], content: bytes) -> Case:
    return Case(
        command, {_FILE: content}, writes=("project",) if "starter" in command else (), names=(_FILE, *_OF_NO_FILE)
    )


def valid() -> Sequence[Case]:
    return [
        _case(command, written(plan)) for number, plan in enumerate(_plans()) for command in _COMMANDS[: 5 - number]
    ]


@st.composite
def mutated(draw: DrawFn) -> Case:
    plan = draw(mutated_tree(draw(st.sampled_from(_plans()))))
    return _case(draw(st.sampled_from(_COMMANDS)), written(plan))


FORMATS = [Format("plans", valid, mutated, accepted_share=0.2, at_the_door=("is not JSON", "is missing"))]
