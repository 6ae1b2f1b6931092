"""The network of a plan as it is counted: the one that is built here, or the published one that the rules choose."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from advisor.agent.settling.advising import advise_here
from advisor.facts.fact_base import FactBase, Source
from advisor.inference.plan import Plan, Status
from advisor.knowledge.cache import knowledge_for
from advisor.models.published import published_models
from advisor.resources import rules_folder
from advisor.session.inputs import gather, plan_of

PICTURES = {
    "task.kind": "classify",
    "task.outputs": 10,
    "data.modality": "image",
    "data.inputs": 150_528,
    "data.examples": 20_000,
}
TEXTS = {
    "task.kind": "generate",
    "task.generation": "sequence",
    "data.modality": "text",
    "data.sequence_length": 2048,
    "data.examples": 50_000,
    "project.pretrained_allowed": True,
}


def planned(facts: dict[str, Any]) -> Plan:
    return advise_here(knowledge_for(()), FactBase.of(facts), None)


def figure(plan: Plan, name: str) -> float | None:
    return next(one.value for one in plan.figures if one.name == name)


def chosen() -> list[tuple[str, dict[str, Any]]]:
    """Every network that a rule recommends, with the facts of the test that shows it."""
    tests = yaml.safe_load((rules_folder() / "network" / "model.test.yaml").read_text(encoding="utf-8"))
    found = [(one.get("expect", {}).get("network.model"), one["given"]) for one in tests]
    return [(name, facts) for name, facts in found if name not in (None, "none")]


@pytest.mark.parametrize(("name", "facts"), chosen(), ids=[name for name, _ in chosen()])
def test_a_network_stays_the_one_that_is_chosen_when_it_is_counted(name: str, facts: dict[str, Any]) -> None:
    """Its size takes the place of the one that it was chosen by, and the rules choose it again."""
    plan = planned(facts)
    outputs = facts.get("task.outputs") if facts["task.kind"] in ("classify", "segment") else None

    assert plan.value("network.model") == name
    pictures = (3, 224, 224) if facts.get("data.inputs") == 150_528 else None
    model = published_models()[name].model(pictures, outputs)
    assert plan.facts["network.parameters"].value == figure(plan, "network.size") == model.parameters
    words = knowledge_for(()).topics["network.model"].values[name]
    told = published_models()[name].model().parameters
    assert f"{told / 1e9:.3g} billion" in words or f"{told / 1e6:.3g} million" in words


@pytest.mark.parametrize("outputs", [1, 1000, 100_000])
def test_very_many_classes_make_it_no_other_network(outputs: int) -> None:
    plan = planned(PICTURES | {"project.pretrained_allowed": True, "task.outputs": outputs})

    assert plan.value("network.model") == "resnet18"
    assert plan.facts["network.parameters"].value == figure(plan, "network.size")


def test_every_network_that_rules_recommend_is_on_the_list_and_loaded_from_there() -> None:
    rules = [rule for rule in knowledge_for(()).rules if rule.topic == "network.model" and rule.value != "none"]

    assert len(rules) > 40
    for rule in rules:
        library, _, place = published_models()[str(rule.value)].loaded.partition(":")
        if library == "smp":
            assert f"Unet('{place}'" in rule.actions[0]
            continue
        assert [line for line in rule.actions if line.startswith("name =")] == ([f"name = '{place}'"] if place else [])


def test_no_size_is_asked_for_where_the_network_has_been_counted() -> None:
    """110 million weights were assumed, and asked for as the last question."""
    for facts in (PICTURES, PICTURES | {"project.pretrained_allowed": True}, TEXTS):
        plan = planned(facts | {"project.framework": "none"})
        assert "network.parameters" not in plan.questions
        assert plan.facts["network.parameters"].value == figure(plan, "network.size")


def test_a_size_that_rests_on_an_assumption_is_none() -> None:
    plan = planned({"task.kind": "classify", "data.modality": "image", "data.examples": 20_000})

    assert plan.facts.get("network.parameters") is None or plan.facts["network.parameters"].source is Source.ASSUMED


def test_pictures_of_no_known_size_have_figures_by_a_published_network() -> None:
    facts = {name: value for name, value in PICTURES.items() if name not in ("data.inputs", "task.outputs")}
    plan = planned(facts | {"project.pretrained_allowed": True})

    assert plan.value("network.model") == "resnet18"
    assert figure(plan, "compute.macs") == published_models()["resnet18"].model().multiply_adds


def test_a_stated_size_that_nothing_published_has_is_put_aside_and_told() -> None:
    plan = planned(TEXTS | {"network.parameters": 8_000_000_000})

    assert plan.value("network.model") == "qwen3-8b"
    assert plan.facts["network.parameters"].value == figure(plan, "network.size") == 8_190_735_360
    assert any("You stated 8,000,000,000 weights" in note for note in plan.recommendations["network.model"].notes)


def test_weights_that_may_not_be_published_ones_are_built_here() -> None:
    plan = planned(PICTURES | {"project.pretrained_allowed": False})

    assert plan.value("network.model") == "none"
    assert plan.facts["network.parameters"].source is Source.DERIVED


def test_what_rests_on_a_network_that_could_be_another_one_is_not_settled() -> None:
    """Whether published weights may be used decides between networks of 12 and 5 million weights."""
    plan = planned(PICTURES)

    assert plan.recommendations["network.model"].status is Status.LEANING
    for name in ("compute.device", "training.batch_size"):
        assert plan.recommendations[name].status is not Status.SETTLED


@pytest.mark.parametrize("name", ["resnet50", "none"])
def test_what_is_stated_is_recommended(name: str) -> None:
    sets = [f"{fact}={value}" for fact, value in PICTURES.items()]
    inputs = gather(sets=[*sets, f"network.model={name}"], machine="none", complain=lambda *_: None)

    entry = plan_of(inputs).recommendations["network.model"]
    assert (entry.value, entry.status) == (name, Status.SETTLED)


SPEECH = {"task.kind": "classify", "task.outputs": 10, "data.modality": "audio", "data.examples": 2_000}


@pytest.mark.parametrize("facts", [PICTURES, SPEECH | {"project.pretrained_allowed": True}])
def test_every_flip_gives_what_it_says(facts: dict[str, Any]) -> None:
    """Also those that make it another network, whose size other recommendations rest on."""
    plan = planned(facts)
    flips = [(name, flip) for name, entry in plan.recommendations.items() for flip in entry.flips]

    assert any(flip.fact == "project.pretrained_allowed" for _, flip in flips)
    for name, flip in flips:
        if flip.fact.startswith(("project.", "task.", "data.", "network.")):
            then = planned(facts | {flip.fact: flip.to}).value(name)
            assert (tuple(then) if isinstance(then, list) else then) == flip.then, (name, flip)
