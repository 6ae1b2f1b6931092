"""Commands that sentences propose: they plan for what was told, and say nothing twice."""

from __future__ import annotations

from dataclasses import replace

import pytest

from advisor.report.proposed import changed, with_facts, without
from advisor.report.words import measure_there, remarks_on

from .small import knowledge, plan

TOLD = "--set a=1 --set 'b=2 MB' --data 'my data.csv'"


@pytest.mark.parametrize(
    ("said", "repeated"),
    [
        ("`advisor probe --only threads`.", f"`advisor probe --only threads {TOLD}`."),
        ("`advisor probe` with the same answers does.", f"`advisor probe {TOLD}` does."),
        ("`advisor explain x` and `advisor try`", f"`advisor explain x {TOLD}` and `advisor try {TOLD}`"),
        ("`advisor try --data PATH --target COLUMN`", f"`advisor try --target COLUMN {TOLD}`"),
        ("`advisor recommend --set a=3`", "`advisor recommend --set a=3 --set 'b=2 MB' --data 'my data.csv'`"),
        ("`advisor recommend --data x`", "`advisor recommend --data x --set a=1 --set 'b=2 MB'`"),
        ("`advisor inspect` tells", "`advisor inspect --data 'my data.csv'` tells"),
        ("`advisor probe list`, `advisor inspect x.csv`", "`advisor probe list`, `advisor inspect x.csv`"),
        ("advisor probe", "advisor probe"),
    ],
)
def test_commands_between_backquotes_repeat_the_facts(said: str, repeated: str) -> None:
    assert with_facts(said, TOLD) == repeated
    assert with_facts(said, "") == said


def test_one_fact_takes_the_place_of_another() -> None:
    assert changed(TOLD, "--set a=4 --machine l4") == "--set 'b=2 MB' --data 'my data.csv' --set a=4 --machine l4"
    assert without(f"{TOLD} --machine l4", "--machine") == TOLD


def test_what_cannot_be_as_it_was_stated_is_explained_for_the_same_facts() -> None:
    shown = next(name for name, entry in plan().recommendations.items() if entry.value is not None)
    remarks = list(remarks_on(replace(plan(), unused=(shown,)), knowledge(), TOLD))
    assert f"{shown} cannot be as you stated it: `advisor explain {shown} {TOLD}` says why." in remarks


def test_a_machine_elsewhere_is_measured_for_the_same_facts_without_its_name() -> None:
    said = measure_there(f"{TOLD} --machine l4")
    assert f"`advisor probe {TOLD}`" in said
    assert f"`advisor recommend --machine NAME.json {TOLD}`" in said
