"""A topic that can be stated: what somebody says is so, whatever the rules say."""

from __future__ import annotations

import pytest

from advisor.errors import InputError
from advisor.facts.answers import parse_assignment
from advisor.facts.fact_base import FactBase, Source
from advisor.inference.advise import advise
from advisor.inference.plan import Plan, Status
from advisor.interview.interview import Interview
from advisor.knowledge import loader
from advisor.knowledge.model import Knowledge, School
from advisor.resources import rules_folder

ADAPTING = {
    "task.kind": "generate",
    "task.generation": "sequence",
    "data.modality": "text",
    "project.pretrained_allowed": True,
    "network.parameters": 7_000_000_000,
}


@pytest.fixture(scope="module")
def knowledge() -> Knowledge:
    return loader.load(rules_folder())


def planned(knowledge: Knowledge, school: School = School.TODAY, **stated: str) -> Plan:
    said = {name.replace("__", "."): value for name, value in stated.items()}
    return advise(knowledge, FactBase.of({**ADAPTING, **said}, Source.ASKED), school)


@pytest.mark.parametrize("value", ["full", "last_layer", "lora", "qlora", "none"])
def test_what_is_stated_is_recommended_and_settled(knowledge: Knowledge, value: str) -> None:
    entry = planned(knowledge, training__adaptation=value).recommendations["training.adaptation"]

    assert (entry.value, entry.status) == (value, Status.SETTLED)
    assert [reason.text for reason in entry.because] == ["You stated it."]
    assert entry.flips == ()


def test_what_nobody_states_is_what_the_rules_say(knowledge: Knowledge) -> None:
    entry = planned(knowledge).recommendations["training.adaptation"]

    assert entry.value == "lora"
    assert "training.adaptation" not in planned(knowledge).facts
    assert all(flip.fact != "training.adaptation" for flip in entry.flips)


def test_other_topics_go_by_it(knowledge: Knowledge) -> None:
    by_rules, stated = planned(knowledge), planned(knowledge, training__adaptation="full")

    assert by_rules.value("training.learning_rate") == 2e-4
    assert stated.value("training.learning_rate") < 1e-4
    assert stated.facts["training.adaptation"].value == "full"


def test_the_alternatives_tell_what_the_rules_would_have_advised(knowledge: Knowledge) -> None:
    entry = planned(knowledge, training__adaptation="full").recommendations["training.adaptation"]
    against = next(one for one in entry.alternatives if one.value == "lora")

    assert "training.adaptation.stated comes first" in against.why_not


def test_a_school_that_says_nothing_on_it_stays_silent(knowledge: Knowledge) -> None:
    entry = planned(knowledge, School.SURVEY, training__adaptation="lora").recommendations["training.adaptation"]

    assert entry.status is Status.SILENT


def test_nobody_is_asked_for_it_but_may_say_it_in_conversation(knowledge: Knowledge) -> None:
    interview = Interview(knowledge, FactBase.of(ADAPTING, Source.ASKED))
    while (question := interview.question()) is not None:
        assert question.fact != "training.adaptation"
        interview.do_not_know(question.fact)

    moved = {change.topic for change in interview.answer("training.adaptation", "full")}

    assert "training.adaptation" in moved


def test_what_is_no_value_of_it_is_refused(knowledge: Knowledge) -> None:
    with pytest.raises(InputError, match="Did you mean qlora"):
        parse_assignment(knowledge.vocabulary, "training.adaptation=q-lora")
