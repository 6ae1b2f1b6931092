"""A machine can be measured with few facts known: a usual network stands in for the one that the plan does not have yet."""

from __future__ import annotations

import pytest

from advisor.agent.settling.workloads import step_of
from advisor.facts.fact_base import Source
from advisor.inference.advise import VALUES_ONLY
from advisor.session.inputs import Inputs, gather, plan_of
from advisor.session.usual_network import with_usual_network


def told(*sets: str) -> Inputs:
    return gather(sets=list(sets), machine="none", complain=print, recall=False)


@pytest.mark.parametrize(
    "modality", [None, *["tabular", "image", "audio", "video", "text", "time_series", "graph", "tree"]]
)
def test_with_the_modality_alone_there_is_a_network_that_can_be_timed(modality: str | None) -> None:
    inputs, name = with_usual_network(told(*([] if modality is None else [f"data.modality={modality}"])))
    step = step_of(plan_of(inputs, VALUES_ONLY))
    assert step is not None
    assert name.endswith(step.describe())


def test_what_is_stated_stays_and_the_rest_is_assumed() -> None:
    inputs, name = with_usual_network(told("data.modality=image", "data.inputs=64"))
    assert "64-" in name
    assert name.startswith("a usual network, cnn")
    sources = {fact: inputs.facts.known(fact) for fact in ("data.inputs", "task.outputs")}
    assert [known and known.source for known in sources.values()] == [Source.ASKED, Source.ASSUMED]


def test_what_no_network_follows_from_gives_an_ordinary_one() -> None:
    _, name = with_usual_network(told("data.modality=tabular"))
    assert name.startswith("an ordinary network of fully connected layers, ffn ")


@pytest.mark.parametrize(
    "facts",
    [
        ("task.kind=classify", "task.outputs=3", "data.modality=image", "data.inputs=64"),
        ("task.kind=classify", "data.modality=tabular"),
        ("network.model=resnet50",),
    ],
    ids=["a network", "trees instead of a network", "a named network"],
)
def test_a_plan_that_has_decided_about_its_network_is_left_as_it_is(facts: tuple[str, ...]) -> None:
    inputs = told(*facts)
    assert with_usual_network(inputs) == (inputs, "")
