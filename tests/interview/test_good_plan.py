"""The way to a good plan with the rules that ship: what is asked first, when it is ready, and what is left then."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from advisor.facts.answers import read_answers
from advisor.facts.fact_base import FactBase, Source
from advisor.facts.vocabulary import FactType, Value
from advisor.inference.advise import VALUES_ONLY, advise
from advisor.inference.plan import Status
from advisor.interview.interview import Interview
from advisor.knowledge.cache import load_cached
from advisor.knowledge.model import Knowledge, School
from advisor.resources import rules_folder
from tests.small_rules import RuleBase, boolean, choice, integer, rule, topic

LAPTOP: dict[str, Value] = {
    "machine.cpu.physical_cores": 8, "machine.cpu.logical_cores": 16, "machine.cpu.usable_cores": 16,
    "machine.cpu.features": frozenset({"avx2"}), "machine.memory_bytes": 16 * 2**30, "machine.gpu.count": 0,
}  # fmt: skip
PHOTOGRAPHS = {
    "data.modality": "image",
    "task.kind": "classify",
    "data.examples": "20k",
    "task.outputs": "12",
    "project.pretrained_allowed": "yes",
    "data.inputs": "phone photo",
    "project.hours_available": "10 h",
    "project.priority": "accuracy",
    "task.multilabel": "no",
    "cluster.nodes": "1",
}


@pytest.fixture(scope="module")
def knowledge() -> Knowledge:
    return load_cached(rules_folder())


def begun(knowledge: Knowledge, **observed: Value) -> Interview:
    found = {name.replace("__", "."): value for name, value in observed.items()}
    return Interview(knowledge, FactBase.of({**LAPTOP, **found}, Source.DETECTED))


def to_good(conversation: Interview, answers: dict[str, str]) -> list[str]:
    """Answer until a good plan is ready; nothing is known of what no answer is given for."""
    asked = []
    while not conversation.ready:
        question = conversation.question()
        assert question is not None
        asked.append(question.fact)
        if question.fact in answers:
            conversation.answer(question.fact, answers[question.fact])
        else:
            conversation.do_not_know(question.fact)
    return asked


def test_a_beginner_has_a_good_plan_for_photographs_after_a_few_questions(knowledge: Knowledge) -> None:
    conversation = begun(knowledge)
    left = conversation.essentials_left
    asked = to_good(conversation, PHOTOGRAPHS)
    assert asked[:2] == ["data.modality", "task.kind"]
    assert 3 <= left <= 12
    assert len(asked) <= 9
    assert set(asked) <= PHOTOGRAPHS.keys(), "nothing that a beginner cannot know"
    assert asked.index("project.pretrained_allowed") < asked.index("project.hours_available")
    plan = conversation.plan(VALUES_ONLY)
    assert plan.value("network.init") == "pretrained"
    assert plan.value("training.loss") == "cross_entropy"
    assert (conversation.essentials_left, conversation.details_left) == (0, len(conversation.details()))
    assert conversation.details_left > 0
    names = [question.fact for question in conversation.details()]
    question = conversation.question()
    assert question is not None
    assert question.fact == names[0]
    groups = [name.split(".")[0] for name in names]
    assert groups == sorted(groups, key=groups.index), "details of one group follow each other"


def test_further_answers_can_make_another_question_essential_again(knowledge: Knowledge) -> None:
    conversation = begun(knowledge)
    to_good(conversation, PHOTOGRAPHS)
    conversation.change("data.modality")
    conversation.answer("data.modality", "tabular")
    assert not conversation.ready
    assert "data.sparse_ids" in to_good(conversation, PHOTOGRAPHS)


def test_what_the_data_show_is_not_asked(knowledge: Knowledge) -> None:
    shown = {"task.kind": "classify", "task.outputs": 12, "data.modality": "image", "data.examples": 20_000}
    facts = FactBase.of(LAPTOP, Source.DETECTED).with_values(shown | {"task.multilabel": False}, Source.INSPECTED)
    conversation = Interview(knowledge, facts)
    asked = to_good(conversation, PHOTOGRAPHS)
    assert not {*shown, "task.multilabel"} & {*asked, *(question.fact for question in conversation.details())}


def test_who_knows_nothing_gets_a_usual_plan_that_says_what_it_assumes(knowledge: Knowledge, tmp_path: Path) -> None:
    conversation = begun(knowledge)
    asked = to_good(conversation, {})
    assert len(asked) == 3
    assert conversation.usual
    plan = conversation.plan()
    assert plan.facts["data.modality"].value == "tabular"
    assert plan.facts["project.pretrained_allowed"].source is Source.ASSUMED, "also what was not asked"
    entry = plan.recommendations["network.type"]
    assert (entry.value, entry.status) == ("gradient_boosting", Status.LEANING)
    assert any("data.modality is assumed to be tabular" in note for note in entry.notes)
    saved = tmp_path / "answers.yaml"
    saved.write_text(conversation.answers_text(), encoding="utf-8")
    facts = FactBase.of(LAPTOP, Source.DETECTED).with_values(read_answers(knowledge.vocabulary, saved), Source.ASKED)
    assert advise(knowledge, facts, detail=VALUES_ONLY).facts == plan.facts


def test_the_usual_value_is_assumed_only_of_what_was_asked(knowledge: Knowledge) -> None:
    conversation = begun(knowledge)
    assert "data.modality" not in conversation.plan(VALUES_ONLY).facts
    conversation.do_not_know("data.modality")
    known = conversation.present("data.modality")
    assert known is not None
    assert (known.value, known.source) == ("tabular", Source.ASSUMED)
    assert "task.kind" not in conversation.plan(VALUES_ONLY).facts


def test_a_question_is_asked_in_the_words_of_the_data(knowledge: Knowledge) -> None:
    conversation = begun(knowledge)
    assert conversation.fact("task.kind") == knowledge.vocabulary.facts["task.kind"]
    conversation.answer("data.modality", "image")
    assert (
        dict(conversation.fact("task.kind").choices)["segment"] == "a class for every pixel, such as road, car and sky"
    )
    assert conversation.read("task.kind", "2") == "segment"
    assert conversation.read("task.kind", "translate") == "translate", "what is not offered can be said"
    assert conversation.read("data.inputs", "28 x 28 grey") == 784
    conversation.change("data.modality")
    conversation.answer("data.modality", "time_series")
    assert conversation.fact("task.kind").choice_names[0] == "forecast"


def test_to_adapt_a_published_network_answers_two_questions_in_one_step(knowledge: Knowledge) -> None:
    conversation = begun(knowledge)
    conversation.answer("data.modality", "image")
    conversation.answer("task.kind", "adapt")
    assert conversation.progress.said()["task.kind"] == "classify"
    assert conversation.progress.said()["project.pretrained_allowed"] is True
    assert conversation.back()
    assert conversation.progress.said() == {"data.modality": "image"}


def test_the_defaults_of_what_can_be_asked_say_how_often_they_hold(knowledge: Knowledge) -> None:
    facts = knowledge.vocabulary.facts.values()
    asked = [fact for fact in facts if fact.ask and fact.type is not FactType.TEXT]
    assert not [fact.name for fact in asked if fact.default and fact.prior is None]
    assert not [fact.name for fact in asked if fact.familiar and fact.default is None]
    assert all(knowledge.vocabulary.facts[name].familiar for name in knowledge.vocabulary.opening)


SHOP = RuleBase(
    facts={
        "data.colour": choice("red", "blue", familiar="true", usual='"red"', prior={"holds": 0.99, "because": "So."}),
        "data.rows": integer(1, 100, familiar="true", usual="5", prior={"holds": 0.5, "low": 1, "high": 100, "because": "So."}),
        "data.secret": boolean(),
        "network.parameters": integer(1, 100, named_by="network.model"),
    },
    topics={
        "network.type": topic("first", "small", "large", headline=True),
        "network.model": topic("first", "published", "none"),
        "compute.threads": topic("value", type="integer", unit="threads"),
    },
    rules=[
        rule("type.large", "network.type", value="large", when='data.rows > 50 or data.colour == "blue"'),
        rule("type.small", "network.type", value="small"),
        rule("model.published", "network.model", value="published", when="data.secret"),
        rule("model.none", "network.model", value="none"),
        rule("threads", "compute.threads", value="network.parameters"),
    ],
)  # fmt: skip


def test_what_is_likely_to_change_a_headline_is_asked_first_and_the_rest_are_details() -> None:
    conversation = Interview(SHOP.load())
    question = conversation.question()
    assert question is not None
    assert (question.fact, conversation.ready, conversation.essentials_left) == ("data.rows", False, 1)
    conversation.answer("data.rows", "10")
    assert conversation.ready, "blue is too rare to ask for it first"
    assert [question.fact for question in conversation.details()] == [
        "data.colour",
        "data.secret",
        "network.parameters",
    ]
    conversation.answer("data.secret", "yes")
    assert [question.fact for question in conversation.details()] == ["data.colour"], "the model tells its weights"


def test_a_likelier_answer_makes_a_detail_essential() -> None:
    prior = {"holds": 0.8, "because": "So."}
    facts = {**SHOP.facts, "data.colour": {**SHOP.facts["data.colour"], "prior": prior}}
    conversation = Interview(replace(SHOP, facts=facts).load())
    assert conversation.essentials_left == 2
    conversation.answer("data.rows", "10")
    assert not conversation.ready


WRITING = {
    "data.modality": "text",
    "task.kind": "generate",
    "data.examples": "10k",
    "project.pretrained_allowed": "yes",
    "network.parameters": "8B",
    "data.sequence_length": "500",
}


def test_of_a_language_model_its_size_and_the_length_of_texts_are_asked(knowledge: Knowledge) -> None:
    conversation = begun(knowledge)
    asked = to_good(conversation, WRITING)
    assert asked[: len(WRITING)] == list(WRITING)
    assert conversation.plan(VALUES_ONLY).value("network.model") == "qwen3-8b"
    assert "adapted" in conversation.fact("project.pretrained_allowed").question
    photographs = to_good(begun(knowledge), PHOTOGRAPHS)
    assert not {"network.parameters", "data.sequence_length"} & set(photographs)


def test_the_size_that_the_plans_own_choice_has_is_asked_once(knowledge: Knowledge) -> None:
    def counted(facts: FactBase, school: School) -> FactBase:
        return facts.with_values({"network.parameters": 135_000_000}, Source.PUBLISHED)

    conversation = begun(knowledge)
    conversation.counted = counted
    answers = {name: text for name, text in WRITING.items() if name != "network.parameters"}
    asked = to_good(conversation, answers)
    assert asked.count("network.parameters") == 1, "nobody knows it, and so the plan's own counts"
