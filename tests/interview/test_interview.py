"""The headless conversation on a small rule base: what it asks, in which order, and what each step does."""

from __future__ import annotations

import pytest

from advisor.errors import InputError
from advisor.facts.fact_base import FactBase, Source
from advisor.inference.plan import Status
from advisor.interview.interview import Interview
from tests.small_rules import RuleBase, boolean, choice, integer, rule, topic

SHOP = RuleBase(
    facts={
        "task.kind": choice("classify", "generate", group="task"),
        "task.generation": choice("random", "sequence", group="task", only_when='task.kind == "generate"'),
        "data.rows": integer(1, 1_000_000),
        "data.colour": choice("red", "blue"),
        "machine.cores": integer(1, 64, group="machine"),
        "project.hurry": boolean(group="project"),
    },
    topics={
        "network.type": topic("score", "trees", "gan", "lstm", "ffn"),
        "compute.threads": topic("value", type="integer", unit="threads"),
    },
    rules=[
        rule(
            "type.trees",
            "network.type",
            for_="trees",
            strength="strong",
            when='task.kind == "classify" and data.rows < 1000',
        ),
        rule("type.ffn", "network.type", for_="ffn", strength="moderate", when='task.kind == "classify"'),
        rule("type.gan", "network.type", for_="gan", strength="strong", when='task.generation == "random"'),
        rule("type.lstm", "network.type", for_="lstm", strength="strong", when='task.generation == "sequence"'),
        rule("threads.hurry", "compute.threads", value="machine.cores", when="project.hurry"),
        rule("threads.one", "compute.threads", value="1"),
    ],
)


def interview(**observed: object) -> Interview:
    base = FactBase.of({name.replace("__", "."): value for name, value in observed.items()}, Source.DETECTED)  # type: ignore[misc]
    return Interview(SHOP.load(), base)


def asked(conversation: Interview) -> str | None:
    question = conversation.question()
    return question.fact if question else None


def test_asks_by_group_and_only_what_can_change_something() -> None:
    conversation = interview(machine__cores=8)
    seen = []
    for answer in ("classify", "500", "yes"):
        name = asked(conversation)
        assert name is not None
        seen.append(name)
        conversation.answer(name, answer)
    assert seen == ["task.kind", "data.rows", "project.hurry"]  # never data.colour, never the detected cores
    assert asked(conversation) is None
    plan = conversation.plan()
    assert plan.value("network.type") == "trees"
    assert plan.value("compute.threads") == 8
    assert all(entry.status is Status.SETTLED for entry in plan.recommendations.values())


def test_a_question_that_means_something_only_after_another_answer_waits_for_it() -> None:
    conversation = interview(machine__cores=8, project__hurry=False)
    conversation.answer("task.kind", "generate")
    assert asked(conversation) == "task.generation"


def test_choices_can_be_given_by_number() -> None:
    conversation = interview()
    conversation.answer("task.kind", "2")
    assert conversation.progress.said() == {"task.kind": "generate"}


def test_an_answer_tells_which_recommendations_it_moved() -> None:
    conversation = interview()
    conversation.answer("task.kind", "classify")
    moved = conversation.answer("data.rows", "10")
    assert [(change.topic, change.after.value) for change in moved] == [("network.type", "trees")]


def test_a_refused_answer_changes_nothing_and_says_what_would_do() -> None:
    conversation = interview()
    with pytest.raises(InputError, match="Known: classify and generate"):
        conversation.answer("task.kind", "paint")
    assert conversation.progress.answers == ()
    assert not conversation.back()


def test_going_back_asks_for_the_same_fact_again() -> None:
    conversation = interview()
    conversation.answer("task.kind", "generate")
    conversation.answer("task.generation", "random")
    assert conversation.back()
    assert asked(conversation) == "task.generation"
    assert conversation.progress.said() == {"task.kind": "generate"}
    assert conversation.back()
    assert asked(conversation) == "task.kind"
    assert conversation.progress.said() == {}
    assert not conversation.back()


def test_changing_an_answer_keeps_what_no_longer_applies_but_does_not_use_it() -> None:
    conversation = interview()
    conversation.answer("task.kind", "generate")
    conversation.answer("task.generation", "random")
    conversation.change("task.kind")
    assert asked(conversation) == "task.kind"
    conversation.answer("task.kind", "classify")
    assert conversation.progress.said()["task.generation"] == "random"
    plan = conversation.plan()
    assert plan.unused == ("task.generation",)
    assert plan.value("network.type") == "ffn"
    conversation.change("task.kind")
    conversation.answer("task.kind", "generate")
    assert conversation.plan().value("network.type") == "gan"


def test_back_takes_a_wish_to_change_back_first() -> None:
    conversation = interview()
    conversation.answer("task.kind", "generate")
    conversation.change("data.rows")
    assert conversation.back()
    assert asked(conversation) == "task.generation"
    assert conversation.progress.said() == {"task.kind": "generate"}


def test_later_asks_the_rest_first_and_then_again() -> None:
    conversation = interview(machine__cores=4)
    conversation.later("task.kind")
    assert asked(conversation) != "task.kind"
    conversation.answer("data.rows", "10")
    conversation.answer("project.hurry", "no")
    assert asked(conversation) == "task.kind"


def test_what_nobody_knows_is_not_asked_again_unless_somebody_wants_to_change_it() -> None:
    conversation = interview(machine__cores=4, project__hurry=False)
    conversation.do_not_know("task.kind")
    assert asked(conversation) != "task.kind"
    conversation.change("task.kind")
    assert asked(conversation) == "task.kind"


@pytest.mark.parametrize("name", ["data.rowz", "nonsense"])
def test_only_facts_can_be_changed(name: str) -> None:
    with pytest.raises(InputError, match="There is no such fact"):
        interview().change(name)


def test_why_names_the_recommendations_that_the_answer_can_move() -> None:
    conversation = interview()
    question = conversation.question()
    assert question is not None
    assert conversation.why(question) == ("network.type",)


def test_a_detected_fact_can_be_corrected() -> None:
    conversation = interview(machine__cores=8)
    conversation.change("machine.cores")
    conversation.answer("machine.cores", "16")
    conversation.answer("project.hurry", "yes")
    assert conversation.plan().value("compute.threads") == 16
    assert [clash.fact for clash in conversation.plan().contradictions] == ["machine.cores"]
