"""One recommendation explained: what each rule read, what lost, why not another, what would flip it."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from advisor.errors import InputError
from advisor.inference.plan import Plan
from advisor.knowledge.model import School
from advisor.report.page import Look, cells
from advisor.report.plan.explanation import Explanation, explain, find_topic
from advisor.report.plan.explanation_text import explanation_page

from .small import HOSTILE, hostile_knowledge, knowledge, measured_plan, plan


def explained(topic: str, why_not: str | None = None, made: Plan | None = None) -> Explanation:
    return explain(made or plan(), knowledge(), topic, why_not)


def page(topic: str, why_not: str | None = None, made: Plan | None = None, look: Look | None = None) -> str:
    shown = made or plan()
    return explanation_page(explain(shown, knowledge(), topic, why_not), shown, knowledge(), look or Look(100))


def flat(text: str) -> str:
    return " ".join(text.replace("│", " ").replace("├─", " ").replace("└─", " ").split())


def test_each_rule_tells_its_condition_and_what_it_read_from_where() -> None:
    (ground,) = explained("network.type").grounds
    assert ground.reason.when == 'data.modality == "image"'
    assert [str(reading) for reading in ground.readings] == ["data.modality = image (stated)"]
    assert ground.citations == ("Wünsche 2018: A seed document, III.D",)


def test_a_computed_value_shows_its_expression_and_the_assumption_behind_its_condition() -> None:
    (ground,) = explained("compute.threads").grounds
    assert ground.computed == "machine.cpu.physical_cores"
    assert [str(reading) for reading in ground.readings] == [
        "machine.cpu.physical_cores = 4 cores (detected)",
        "cluster.nodes = 1 machine (assumed)",
    ]


def test_the_tree_holds_reason_sources_verification_erratum_and_readiness() -> None:
    tree = flat(page("network.type"))
    assert "Pictures repeat their parts." in tree
    assert "rule network.type.picture (school survey, strong, technology readiness 9 of 9)" in tree
    assert "source: Wünsche 2018: A seed document, III.D" in tree
    assert "verified: looked up in the source on 2026-01-02" in tree
    assert "Erratum E1: It should read 3 instead of 30." in tree


def test_superseded_advice_is_told_with_its_erratum_and_what_silenced_it() -> None:
    (lost,) = explained("network.depth").lost
    assert (lost.rule, lost.advised, lost.winner) == ("network.depth.old", "shallow (one layer)", "network.depth.new")
    assert lost.errata == ("E1: It should read 3 instead of 30.",)
    assert "lost to network.depth.new: Depth won." in flat(page("network.depth"))


def test_a_flip_tells_from_what_to_what_and_what_follows() -> None:
    assert "data.modality: image → tabular gives linear" in flat(page("network.type"))


def test_unknown_facts_come_with_their_question() -> None:
    assert "data.location: Where is it?" in flat(page("storage"))
    assert dict(explained("storage").unknown)["data.bytes"] == "How large is it?"


def test_actions_are_verbatim_so_that_they_can_be_copied() -> None:
    lines = page("compute.threads", look=Look(24)).splitlines()
    assert any(line.endswith("torch.set_num_threads(4)    # keeps its blanks") for line in lines)


def test_a_measurement_is_part_of_the_tree() -> None:
    tree = flat(page("compute.threads", made=measured_plan()))
    assert "Measured: 4 threads → 2 threads, overturned." in tree
    assert "measured on: machine abc123, network ffn 64-10" in tree
    assert "rule compute.threads.cores: overturned" in tree


@pytest.mark.parametrize(
    ("topic", "value", "said"),
    [
        ("network.type", "ffn", "1 weak argument"),
        ("network.type", "linear", "Does not apply: network.type.rows"),
        ("network.type", "relu", "No rule of this school speaks for it."),
        ("network.type", "convolutional network", "It is what is recommended."),
        ("network.depth", "shallow", "One layer is enough. But network.depth.new supersedes it"),
        ("training.regularization", "dropout", "It is what is recommended."),
        ("compute.threads", "7", "No rule that holds here gives it."),
        ("network.hidden_units", "64, 10", "It is what is recommended."),
    ],
)
def test_why_not_answers_for_any_value_of_the_topic(topic: str, value: str, said: str) -> None:
    (answer,) = explained(topic, value).why_not
    assert said in answer.why_not


def test_why_not_of_a_silent_topic_or_one_that_means_nothing_says_that() -> None:
    made = plan(School.SURVEY, answers={"data.modality": "tabular"})
    assert "no rule on this topic" in explained("storage", "network", made).why_not[0].why_not
    assert 'needs `network.type != "linear"`' in explained("network.depth", "deep", made).why_not[0].why_not


def test_a_topic_that_means_nothing_shows_the_condition_and_what_it_read() -> None:
    tree = flat(page("network.depth", made=plan(answers={"data.modality": "tabular"})))
    assert 'network.type != "linear"' in tree
    assert "network.type = linear (recommended, settled)" in tree


@pytest.mark.parametrize(
    ("topic", "value", "hint"),
    [
        ("network.type", "cn", "Did you mean cnn?"),
        ("network.type", "[bold]", "Known: cnn, ffn, linear and relu."),
        ("compute.threads", "many", "Write it as 128."),
        ("compute.threads", "nan", "Write it as 128."),
        ("network.hidden_units", "1, x", "Write it as 256, 128."),
    ],
)
def test_a_value_that_the_topic_does_not_have_is_refused(topic: str, value: str, hint: str) -> None:
    with pytest.raises(InputError, match="There is no such value") as caught:
        explained(topic, value)
    assert caught.value.problems[0].where == "--why-not"
    assert hint in caught.value.problems[0].remedy


def test_a_topic_is_found_by_name_or_title() -> None:
    assert find_topic(knowledge(), "compute.threads") == "compute.threads"
    assert find_topic(knowledge(), "processor Threads") == "compute.threads"


def test_a_wrong_topic_gets_the_nearest_and_a_fact_is_called_a_fact() -> None:
    with pytest.raises(InputError, match=r"Did you mean network\.type"):
        find_topic(knowledge(), "network.typ")
    with pytest.raises(InputError, match="is a fact that you can state"):
        find_topic(knowledge(), "data.modality")


def test_no_line_but_an_action_is_wider_than_the_screen(subtests: pytest.Subtests) -> None:
    for topic, width in product(knowledge().topics, (24, 40, 60, 80, 200)):
        with subtests.test(topic, width=width):
            lines = page(topic, look=Look(width)).splitlines()
            assert all(cells(line) <= width or "torch." in line for line in lines)


def test_as_json_it_is_the_recommendation_and_more() -> None:
    document: dict[str, Any] = explained("network.depth").to_json()
    assert document["schema"] == "advisor/explanation/1"
    assert (document["value"], document["status"]) == ("deep", "settled")
    assert document["superseded"][0]["by"] == "network.depth.new"
    assert document["grounds"][0]["reads"] == [{"name": "data.modality", "value": "image", "source": "stated"}]


def test_text_from_rule_packs_is_shown_as_text() -> None:
    known = hostile_knowledge()
    made = plan(known=known)
    for topic in known.topics:
        tree = explanation_page(explain(made, known, topic), made, known, Look(100))
        assert not {"\x1b", "\x9b", "\u202e", "\r"} & set(tree)
    tree = flat(explanation_page(explain(made, known, "network.type"), made, known, Look(100)))
    assert "[bold]x[/bold]" in tree
    assert HOSTILE.split("\n")[1] in tree
