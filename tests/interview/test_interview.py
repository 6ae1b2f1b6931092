"""The headless conversation on a small rule base: what it asks, in which order, and what each step does."""

from __future__ import annotations

import pytest

from advisor.errors import InputError
from advisor.facts.fact_base import FactBase, Source
from advisor.inference.plan import Status
from advisor.interview.influence import Influence
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


@pytest.mark.parametrize("typed", ["2", "generate", "GENERATE", "gen", "g"])
def test_a_choice_can_be_given_by_number_name_or_beginning(typed: str) -> None:
    conversation = interview()
    conversation.answer("task.kind", typed)
    assert conversation.progress.said() == {"task.kind": "generate"}


def test_questions_left_counts_down_to_none() -> None:
    conversation = interview(machine__cores=8)
    left = [conversation.questions_left()]
    for name, text in (("task.kind", "classify"), ("data.rows", "10"), ("project.hurry", "yes")):
        conversation.answer(name, text)
        left.append(conversation.questions_left())
    assert left == [3, 2, 1, 0]
    conversation.change("task.kind")
    assert conversation.questions_left() == 1


# --- later, skip, back ---------------------------------------------------------------------------------------------


def test_skipping_leaves_what_is_known_and_never_asks_again() -> None:
    conversation = interview(machine__cores=8)
    conversation.skip("task.kind")
    assert conversation.progress.said() == {"task.kind": None}
    conversation.change("machine.cores")
    conversation.skip("machine.cores")
    assert conversation.progress.said() == {"task.kind": None}
    assert asked(conversation) not in ("machine.cores", "task.kind")


def test_going_back_over_something_put_off_asks_for_it_again() -> None:
    conversation = interview()
    conversation.later("task.kind")
    other = asked(conversation)
    assert other is not None
    conversation.later(other)
    assert conversation.back()
    assert asked(conversation) == other
    assert conversation.back()
    assert asked(conversation) == "task.kind"
    assert conversation.progress.later == ()


def test_what_was_not_known_can_be_put_off_instead() -> None:
    conversation = interview(machine__cores=4, project__hurry=False)
    conversation.do_not_know("task.kind")
    conversation.change("task.kind")
    conversation.later("task.kind")
    assert conversation.progress.said() == {}
    conversation.answer("data.rows", "10")
    assert asked(conversation) == "task.kind"


# --- why -----------------------------------------------------------------------------------------------------------


def test_why_names_the_recommendations_that_the_answer_can_move() -> None:
    conversation = interview()
    assert conversation.why("task.kind") == Influence("task.kind", ("network.type",))
    assert conversation.why("project.hurry").proven == ("compute.threads",)
    assert conversation.why("data.colour") == Influence("data.colour")


def test_why_tells_the_same_of_a_fact_that_was_answered_detected_or_declined() -> None:
    conversation = interview(machine__cores=8)
    conversation.answer("project.hurry", "yes")
    assert conversation.why("project.hurry").proven == ("compute.threads",)
    assert conversation.why("machine.cores").proven == ("compute.threads",)
    conversation.do_not_know("task.kind")
    assert conversation.why("task.kind").proven == ("network.type",)


# --- changing an answer --------------------------------------------------------------------------------------------


def test_changing_an_answer_asks_again_only_for_what_nobody_has_answered() -> None:
    conversation = interview()
    conversation.answer("task.kind", "classify")
    conversation.answer("data.rows", "10")
    conversation.do_not_know("project.hurry")
    conversation.later("machine.cores")
    before = conversation.progress.said()
    conversation.change("task.kind")
    conversation.answer("task.kind", "generate")
    reopened = []
    while (name := asked(conversation)) is not None:
        reopened.append(name)
        assert name not in before or name in conversation.progress.later
        conversation.do_not_know(name)
    assert reopened == ["task.generation", "machine.cores"]
    said = conversation.progress.said()
    assert {name: said[name] for name in ("data.rows", "project.hurry")} == {"data.rows": 10, "project.hurry": None}


def test_answers_that_mean_nothing_or_on_which_nothing_depends_are_kept_but_unused() -> None:
    conversation = interview(machine__cores=8)
    for name, text in (("task.kind", "classify"), ("data.rows", "10"), ("project.hurry", "no")):
        conversation.answer(name, text)
    assert conversation.unused() == ()
    conversation.change("task.kind")
    conversation.answer("task.kind", "generate")
    assert conversation.unused() == ("data.rows",)  # nothing depends on it any more
    conversation.answer("task.generation", "random")
    conversation.change("task.kind")
    conversation.answer("task.kind", "classify")
    assert conversation.unused() == ("task.generation",)  # it means nothing here
    assert conversation.plan().value("network.type") == "trees"  # and the rows count again
    assert conversation.progress.said()["task.generation"] == "random"


def test_unused_answers_are_taken_up_again_with_the_others() -> None:
    conversation = interview(machine__cores=8)
    for name, text in (("data.rows", "10"), ("task.kind", "generate"), ("task.generation", "random")):
        conversation.answer(name, text)
    taken_up = interview(machine__cores=8)
    assert taken_up.restore(conversation.progress.said(), ("project.hurry",)) == {}
    assert taken_up.progress.answers == conversation.progress.answers
    assert taken_up.progress.later == ("project.hurry",)
    assert taken_up.unused() == ("data.rows",)
    assert taken_up.back()
    assert asked(taken_up) == "task.generation"
    assert taken_up.progress.later == ("project.hurry",)


# --- what if -------------------------------------------------------------------------------------------------------


def test_what_if_shows_both_plans_and_changes_nothing() -> None:
    conversation = interview(machine__cores=8)
    conversation.answer("task.kind", "classify")
    progress, question = conversation.progress, asked(conversation)
    found = conversation.what_if({"task.kind": "gen", "task.generation": "1"})
    assert found.stated == {"task.kind": "generate", "task.generation": "random"}
    assert [(c.topic, c.before.value, c.after.value) for c in found.changes] == [("network.type", "ffn", "gan")]
    assert (found.before.value("network.type"), found.after.value("network.type")) == ("ffn", "gan")
    assert (conversation.progress, asked(conversation)) == (progress, question)
    assert not conversation.what_if({"data.colour": "red"}).changes


def test_what_if_a_fact_were_not_known() -> None:
    conversation = interview()
    conversation.answer("task.kind", "classify")
    assert conversation.what_if({"task.kind": "unknown"}).after.value("network.type") is None


def test_a_supposition_that_cannot_be_is_refused() -> None:
    with pytest.raises(InputError, match="Known: classify and generate"):
        interview().what_if({"task.kind": "paint"})


def test_a_detected_fact_can_be_corrected() -> None:
    conversation = interview(machine__cores=8)
    conversation.change("machine.cores")
    conversation.answer("machine.cores", "16")
    conversation.answer("project.hurry", "yes")
    assert conversation.plan().value("compute.threads") == 16
    assert [clash.fact for clash in conversation.plan().contradictions] == ["machine.cores"]
