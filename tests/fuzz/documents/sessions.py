"""Conversations that the wizard has saved, and goes on with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from advisor.errors import InputError
from advisor.facts.values import parse_value, to_json
from advisor.interview.saved import SCHEMA

from ..case import STATE, Case, Format
from ..trees import mutated as mutated_tree
from ..trees import written
from .stated import assignments, facts, right

_FILE = f"{STATE}/interview.json"
_SAVED: dict[str, Any] = {
    "schema": SCHEMA,
    "school": "today",
    "answers": {
        "task.kind": "classify", "data.modality": "image", "data.examples": 1797, "task.multilabel": False,
        "machine.cpu.features": ["avx2"], "project.hours_available": 2.5, "machine.memory_bytes": None,
    },
    "later": ["task.outputs"],
    "data": None,
}  # fmt: skip
_TYPED = ("", "!\n", "?\nwhy\n<\nlater\n\n!\n", "10\n<\n20\n!\n")


def _case(tree: Any, typed: str = "!\n") -> Case:
    return Case(("wizard", "--plain", "--resume"), {_FILE: written(tree)}, names=("interview.json",), typed=typed)


def valid() -> Sequence[Case]:
    return [_case(_SAVED, typed) for typed in _TYPED]


@st.composite
def _saved(draw: DrawFn) -> dict[str, Any]:
    """A conversation with other answers, at the bounds of what may be said."""
    chosen = draw(st.lists(st.sampled_from(facts()), max_size=12, unique_by=lambda fact: fact.name))
    answers: dict[str, Any] = {}
    for fact in chosen:
        try:
            answers[fact.name] = to_json(parse_value(fact, draw(right(fact))))
        except InputError:  # such as 2 GB where only 1 GB may be said
            answers[fact.name] = None
    return {**_SAVED, "answers": answers, "later": [fact.name for fact in chosen[:2]]}


@st.composite
def mutated(draw: DrawFn) -> Case:
    tree = draw(mutated_tree(_SAVED, 2)) if draw(st.integers(0, 2)) == 0 else draw(_saved())
    if draw(st.integers(0, 3)) == 0:
        tree = draw(mutated_tree(tree, 1))
    typed = draw(st.sampled_from(_TYPED))
    if draw(st.integers(0, 3)) == 0:  # answers that somebody types
        told = draw(assignments(4))
        typed = "".join(f"{value}\n".replace("\0", "") for _, value in told) + "!\n"
        typed = typed.encode("utf-8", "replace").decode()
    return _case(tree, typed)


FORMATS = [Format("sessions", valid, mutated)]
