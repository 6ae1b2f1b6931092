"""Why a value is recommended, why another is not, and what the reader should know before trusting it."""

from __future__ import annotations

from typing import Any

from hypothesis import given

from advisor.facts.fact_base import FactBase
from advisor.inference.advise import advise, consistent, engine_for, situation_of
from advisor.inference.explaining.explain import Explainer, describe_weight
from advisor.inference.plan import Recommendation, Status
from advisor.knowledge.model import Knowledge, School
from tests.properties import examples
from tests.small_rules import RuleBase, advised, boolean, integer, rule, topic

from .checking import oracle_of
from .random_bases import Case, cases

FACTS = {"p": boolean(), "q": boolean(), "n": integer(0, 9)}
STRONG, WEAK = {"strength": "strong"}, {"strength": "weak"}


def base(policy: dict[str, Any], *rules: dict[str, Any]) -> Knowledge:
    return RuleBase(FACTS, {"t": policy}, rules).load()


def advice(knowledge: Knowledge, **answers: Any) -> Recommendation:
    return advised(knowledge, **answers).recommendations["t"]


def reasons(entry: Recommendation) -> list[str]:
    return [reason.rule for reason in entry.because]


def why_not(knowledge: Knowledge, value: str, **answers: Any) -> str:
    engine = engine_for(knowledge, School.TODAY)
    situation = situation_of(engine.program, FactBase.of(answers))
    return Explainer(engine, engine.program.topics["t"], situation).why_not(value)


SCORE = base(
    topic("score", "cnn", "ffn", "rnn", "gan", "vae"),
    rule("c.weak", "t", for_="cnn", **WEAK, because="Cheap."),
    rule("c.strong", "t", for_="cnn", **STRONG, because="It shares weights."),
    rule("f", "t", for_="ffn", **STRONG, because="Simple."),
    rule("f.not", "t", against="ffn", **WEAK, because="Too many weights."),
    rule("r", "t", for_="rnn", **STRONG, because="It remembers."),
    rule("r.veto", "t", veto="rnn", because="Nothing to remember."),
    rule("g", "t", for_="gan", **STRONG, when="p"),
    rule("v", "t", for_="vae", **STRONG, because="Once."),
    rule("v.now", "t", against="vae", **WEAK, supersedes=["v"], because="Not any more."),
)


def test_the_rules_that_speak_for_the_value_are_its_reasons_the_strongest_first() -> None:
    assert reasons(advice(SCORE, p=False)) == ["c.strong", "c.weak"]


def test_why_another_value_is_not_recommended() -> None:
    assert why_not(SCORE, "ffn", p=False) == (
        "It has 1 strong and -1 weak arguments net, cnn has 1 strong and 1 weak arguments net. "
        "Against it: Too many weights."
    )
    assert why_not(SCORE, "rnn", p=False) == "Ruled out by r.veto: Nothing to remember."
    assert why_not(SCORE, "gan", p=False) == "Does not apply: g needs `p`."
    assert why_not(SCORE, "gan") == "Not known to apply: g needs `p`."
    assert why_not(SCORE, "vae", p=False) == "Once. But v.now supersedes it: Not any more."


def test_alternatives_are_those_that_some_rule_speaks_for_and_may_hold() -> None:
    assert [other.value for other in advice(SCORE, p=False).alternatives] == ["ffn", "rnn", "vae"]
    assert [other.value for other in advice(SCORE).alternatives] == ["ffn", "rnn", "gan", "vae"]


def test_values_that_lead_together_say_so() -> None:
    tied = base(topic("score", "x", "y"), rule("a", "t", for_="x", **WEAK), rule("b", "t", for_="y", **WEAK))
    assert why_not(tied, "x") == "It has 1 weak argument net, as much as y."


def test_the_first_rule_is_the_reason_and_the_others_come_later() -> None:
    knowledge = base(
        topic("first", "x", "y", "z"),
        rule("a", "t", when="p", value="x", because="First."),
        rule("b", "t", value="y", because="Second."),
    )
    assert reasons(advice(knowledge, p=True)) == ["a"]
    assert why_not(knowledge, "y", p=True) == "Second. But a comes first: First."
    assert why_not(knowledge, "z", p=True) == "No rule of this school speaks for it."
    assert reasons(advice(knowledge, p=False)) == ["b"]


def test_what_leads_but_never_happens_does_not_come_before_itself() -> None:
    knowledge = base(
        topic("first", "x", "y"),
        rule("a", "t", when="p", value="x"),
        rule("b", "t", when="not p", value="x"),
        rule("c", "t", value="y", because="Otherwise."),
    )
    entry = advice(knowledge)
    assert (entry.value, entry.status, reasons(entry)) == ("x", Status.SETTLED, ["a", "b"])
    assert why_not(knowledge, "y") == "Otherwise. But every possible case gives x."


def test_an_expression_may_give_a_value_that_no_rule_names() -> None:
    knowledge = base(topic("first", "x", "y"), rule("a", "t", value='"x" if p else "y"'))
    assert advice(knowledge, p=True).value == "x"
    assert why_not(knowledge, "y", p=True) == "No rule that holds here gives it."


def test_other_numbers_that_rules_give() -> None:
    knowledge = base(
        topic("value", type="integer"),
        rule("a", "t", value="n", because="Counted."),
        rule("b", "t", value="7", because="By habit."),
        rule("c", "t", value="n"),
    )
    assert [(other.value, other.why_not) for other in advice(knowledge, n=4).alternatives] == [
        (7, "By habit. But a comes first: Counted.")
    ]


def test_each_item_has_its_reason_also_when_every_case_leads_to_it() -> None:
    knowledge = base(
        topic("all", "a", "b", "c"),
        rule("a", "t", add="a"),
        rule("b1", "t", add="b", when="p"),
        rule("b2", "t", add="b", when="not p"),
        rule("c", "t", add="c", when="q"),
    )
    entry = advice(knowledge, q=False)
    assert (entry.value, entry.status, reasons(entry)) == (["a", "b"], Status.SETTLED, ["a", "b1", "b2"])


def test_what_speaks_against_a_value_is_no_reason_for_it() -> None:
    knowledge = base(
        topic("score", "x", "y"),
        rule("a", "t", for_="x", when="p", **STRONG),
        rule("b", "t", for_="x", when="not p", **STRONG),
        rule("contra", "t", against="x", **WEAK),
    )
    assert reasons(advice(knowledge)) == ["a", "b"]


def test_what_does_not_apply_needs_no_reasons() -> None:
    for policy in (topic("all", "a", applies="p"), topic("first", "a", applies="p")):
        said = {"add": "a"} if policy["policy"] == "all" else {"value": "a"}
        entry = advice(base(policy, rule("r", "t", **said)), p=False)
        assert (entry.status, entry.because, entry.alternatives, entry.actions) == (Status.NOT_APPLICABLE, (), (), ())


def test_actions_of_the_topic_and_of_the_deciding_rules_name_the_value() -> None:
    knowledge = base(
        topic("value", type="integer", actions=["set {value}"]),
        rule("a", "t", value="n", actions=["run {value}", "set {value}"]),
        rule("b", "t", value="n", actions=["not this"]),
    )
    assert advice(knowledge, n=4).actions == ("set 4", "run 4")


def test_errata_doubts_and_what_lost_are_noted() -> None:
    knowledge = base(
        topic("first", "x", "y"),
        rule("old", "t", value="x", school="survey", because="So it was."),
        rule(
            "new", "t", value="y", school="today", because="So it is.", supersedes=["old"], erratum="E1", verified="no"
        ),
    )
    assert advice(knowledge).notes == (
        "No source of it has been looked up yet; it is recalled from the literature.",
        "Erratum to new: E1: It should read 3.",
        "The survey school's old advised x: So it was. It lost to new: So it is.",
    )


def test_weights_in_words() -> None:
    assert describe_weight(0) == "no net argument"
    assert describe_weight(10**12) == "1 strong argument net"
    assert describe_weight(2 * 10**12 - 3 * 10**6 + 4) == "2 strong, -3 moderate and 4 weak arguments net"


@examples(60)
@given(cases())
def test_everything_can_be_explained(case: Case) -> None:
    oracle_of(case)
    knowledge = case.base.load()
    facts = FactBase.of(case.known)
    plan = advise(knowledge, facts, School(case.school))
    engine = engine_for(knowledge, School(case.school))
    situation = situation_of(engine.program, consistent(engine.program, facts)[0])
    for name, entry in plan.recommendations.items():
        explainer = Explainer(engine, engine.program.topics[name], situation)
        assert all(explainer.why_not(value) for value in knowledge.topics[name].values)
        if (
            entry.status in (Status.SETTLED, Status.LEANING)
            and knowledge.topics[name].policy != "value"
            and entry.value
        ):
            assert entry.because
