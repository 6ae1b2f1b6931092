"""How rules combine: score, first, value and all, with arguments, vetoes and what supersedes what."""

from __future__ import annotations

from typing import Any

import pytest

from advisor.facts.fact_base import FactBase, Known, Source
from advisor.inference.advise import advise
from advisor.inference.plan import Plan, Recommendation, Status
from advisor.knowledge.model import School
from tests.small_rules import RuleBase, advised, boolean, choice, integer, number, rule, topic

STRONG, MODERATE, WEAK, HISTORICAL = "strong", "moderate", "weak", "historical"


def scored(*said: tuple[Any, ...], school: School = School.TODAY) -> Recommendation:
    """The recommendation from rules such as ("for", "cnn", STRONG) or ("veto", "cnn"); further keys in a mapping."""
    rules = []
    for position, (side, value, *rest) in enumerate(said):
        keys: dict[str, Any] = {side: value}
        for one in rest:
            keys |= one if isinstance(one, dict) else {"strength": one}
        rules.append(rule(f"r{position}", "t", **keys))
    base = RuleBase({"p": boolean()}, {"t": topic("score", "cnn", "ffn", "rnn")}, rules)
    return advised(base.load(), school).recommendations["t"]


def ordered(policy: dict[str, Any], *rules: dict[str, Any], **answers: Any) -> Recommendation:
    """The recommendation of rules on topic t over p (yes or no), n (0 to 100) and c (red or blue)."""
    facts = {"p": boolean(), "n": integer(0, 100), "c": choice("red", "blue")}
    return advised(RuleBase(facts, {"t": policy}, rules).load(), **answers).recommendations["t"]


# --- score ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "value", "tied"),
    [
        ([("for", "cnn", WEAK)], "cnn", ()),
        ([("for", "cnn", STRONG), ("for", "ffn", MODERATE)], "cnn", ()),
        ([("for", "cnn", STRONG), *[("for", "ffn", MODERATE)] * 40], "cnn", ()),
        ([("for", "cnn", MODERATE), *[("for", "ffn", WEAK)] * 40], "cnn", ()),
        ([("for", "cnn", STRONG), ("for", "ffn", STRONG), ("for", "ffn", WEAK)], "ffn", ()),
        ([("for", "cnn", STRONG), ("for", "ffn", STRONG)], None, ("cnn", "ffn")),
        ([("for", "ffn", WEAK), ("for", "cnn", WEAK)], None, ("cnn", "ffn")),
        ([("for", "cnn", STRONG), ("against", "cnn", STRONG)], None, ()),
        ([("for", "cnn", STRONG), ("against", "cnn", STRONG), ("for", "ffn", WEAK)], "ffn", ()),
        ([("for", "cnn", STRONG), ("against", "cnn", MODERATE)], "cnn", ()),
        ([("for", "cnn", MODERATE), ("against", "cnn", STRONG)], None, ()),
        ([("against", "cnn", WEAK)], None, ()),
        ([("for", "cnn", STRONG), ("veto", "cnn"), ("for", "ffn", WEAK)], "ffn", ()),
        ([("for", "cnn", STRONG), ("veto", "cnn")], None, ()),
        ([("veto", "cnn"), ("for", "rnn", WEAK)], "rnn", ()),
        ([], None, ()),
    ],
)
def test_net_strong_reasons_first_then_moderate_then_weak(
    said: list[tuple[Any, ...]], value: str | None, tied: tuple[str, ...]
) -> None:
    entry = scored(*said)
    assert (entry.value, entry.tied) == (value, tied)
    if said:
        assert entry.status is (Status.OPEN if value is None else Status.SETTLED)


def test_writing_more_weak_rules_never_buys_a_win() -> None:
    weak = [("for", "ffn", WEAK)] * 2500
    assert scored(("for", "cnn", MODERATE), *weak).value == "cnn"
    assert scored(("for", "cnn", MODERATE), *[("against", "cnn", WEAK)] * 2500).value == "cnn"


def test_rules_of_the_same_argument_count_once() -> None:
    twice = [("for", "cnn", WEAK, {"argument": "one"}), ("for", "cnn", WEAK, {"argument": "one"})]
    assert scored(*twice, ("for", "ffn", WEAK)).tied == ("cnn", "ffn")
    assert scored(*twice, ("for", "cnn", WEAK, {"argument": "two"}), ("for", "ffn", WEAK)).value == "cnn"


def test_the_strongest_rule_of_an_argument_counts() -> None:
    said = [
        ("for", "cnn", WEAK, {"argument": "one"}),
        ("for", "cnn", STRONG, {"argument": "one"}),
        ("for", "ffn", MODERATE),
    ]
    assert scored(*said).value == scored(*said[::-1]).value == "cnn"


def test_an_argument_belongs_to_one_value_and_one_side() -> None:
    shared = {"argument": "one"}
    assert scored(("for", "cnn", WEAK, shared), ("for", "ffn", WEAK, shared)).tied == ("cnn", "ffn")
    assert scored(("for", "cnn", WEAK, shared), ("against", "cnn", WEAK, shared)).tied == ()


def test_a_historical_rule_is_weak_in_the_survey_and_nothing_today() -> None:
    said = [("for", "cnn", HISTORICAL)]
    assert scored(*said).value is None
    assert scored(*said, school=School.SURVEY).value == "cnn"
    against = [("for", "cnn", WEAK), ("against", "cnn", HISTORICAL)]
    assert scored(*against).value == "cnn"
    assert scored(*against, school=School.SURVEY).value is None


def test_who_supersedes_silences_and_is_not_silenced_by_what_it_silences() -> None:
    old, new = ("for", "cnn", STRONG), ("for", "ffn", WEAK, {"supersedes": ["r0"]})
    assert scored(old, new).value == "ffn"
    assert scored(old, new, ("for", "rnn", WEAK, {"supersedes": ["r1"]})).value == "rnn"


def test_a_veto_can_be_superseded() -> None:
    assert scored(("veto", "cnn"), ("for", "cnn", WEAK, {"supersedes": ["r0"]})).value == "cnn"


def test_a_rule_that_does_not_hold_supersedes_nothing() -> None:
    base = RuleBase(
        {"p": boolean()},
        {"t": topic("score", "cnn", "ffn")},
        [
            rule("old", "t", for_="cnn", strength=STRONG),
            rule("new", "t", for_="ffn", strength=WEAK, when="p", supersedes=["old"]),
        ],
    )
    knowledge = base.load()
    assert advised(knowledge, p=True).value("t") == "ffn"
    assert advised(knowledge, p=False).value("t") == "cnn"
    unknown = advised(knowledge).recommendations["t"]
    assert (unknown.value, unknown.status, unknown.depends_on) == ("cnn", Status.LEANING, ("p",))
    assert [(flip.fact, flip.to, flip.then) for flip in unknown.flips] == [("p", True, "ffn")]


# --- schools ----------------------------------------------------------------------------------------------------------


def test_the_survey_hears_itself_and_arithmetic_and_today_hears_all() -> None:
    rules = [
        rule("of.survey", "t", add="a", school="survey"),
        rule("of.today", "t", add="b", school="today"),
        rule("of.any", "t", add="c", school="any"),
    ]
    knowledge = RuleBase({"p": boolean()}, {"t": topic("all", "a", "b", "c")}, rules).load()
    assert advised(knowledge, School.SURVEY).value("t") == ["a", "c"]
    assert advised(knowledge, School.TODAY).value("t") == ["a", "b", "c"]


def test_a_topic_without_rules_of_the_school_is_silent() -> None:
    knowledge = RuleBase(
        {"p": boolean()}, {"t": topic("all", "a"), "u": topic("first", "a")}, [rule("r", "t", add="a", school="today")]
    ).load()
    assert advised(knowledge, School.SURVEY).recommendations["t"].status is Status.SILENT
    assert advised(knowledge).recommendations["u"].status is Status.SILENT


# --- first and value --------------------------------------------------------------------------------------------------

FIRST = topic("first", "x", "y")
VALUE = topic("value", type="number")
WHOLE = topic("value", type="integer")


def test_the_first_rule_that_holds_decides() -> None:
    rules = [rule("a", "t", when="p", value="x"), rule("b", "t", value="y"), rule("c", "t", value="x")]
    assert ordered(FIRST, *rules, p=True).value == "x"
    assert ordered(FIRST, *rules, p=False).value == "y"


def test_an_unknown_condition_does_not_fire_and_leaves_the_advice_leaning() -> None:
    rules = [rule("a", "t", when="p", value="x"), rule("b", "t", value="y")]
    entry = ordered(FIRST, *rules)
    assert (entry.value, entry.status) == ("y", Status.LEANING)
    same = ordered(FIRST, rule("a", "t", when="p", value="y"), rules[1])
    assert (same.value, same.status) == ("y", Status.SETTLED)


def test_rules_that_together_cover_every_case_settle_what_none_of_them_settles() -> None:
    entry = ordered(FIRST, rule("a", "t", when="p", value="x"), rule("b", "t", when="not p", value="x"))
    assert (entry.value, entry.status) == ("x", Status.SETTLED)
    assert {reason.rule for reason in entry.because} == {"a", "b"}
    assert "Every case that is still possible leads to it." in entry.notes


def test_a_value_can_be_computed_from_facts() -> None:
    rules = [rule("a", "t", value="c")]
    assert ordered(topic("first", "red", "blue"), *rules, c="blue").value == "blue"
    assert ordered(VALUE, rule("a", "t", value="n / 8"), n=4).value == 0.5
    assert ordered(WHOLE, rule("a", "t", value="n / 8"), n=20).value == 2
    assert ordered(topic("value", type="integers"), rule("a", "t", value="[n, n / 8]"), n=20).value == [20, 2]


def test_a_list_of_numbers_needs_no_quotes() -> None:
    assert ordered(topic("value", type="integers"), rule("a", "t", value=["256", "128"])).value == [256, 128]


@pytest.mark.parametrize("value", ["1 / n", "log2(n)", "n / n", "sqrt(-1)"])
def test_a_rule_whose_value_cannot_be_computed_is_passed_over(value: str) -> None:
    entry = ordered(VALUE, rule("a", "t", value=value), rule("b", "t", value="7"), n=0)
    assert (entry.value, entry.status) == (7, Status.SETTLED)


def test_a_rule_that_cannot_compute_its_value_still_supersedes() -> None:
    rules = [rule("a", "t", value="5"), rule("b", "t", value="1 / n", supersedes=["a"]), rule("c", "t", value="7")]
    assert ordered(VALUE, *rules, n=0).value == 7


def test_numbers_within_the_tolerance_are_the_same_advice() -> None:
    rules = [rule("a", "t", when="p", value="104"), rule("b", "t", value="100")]
    assert ordered(topic("value", type="number", tolerance=0.05), *rules).status is Status.SETTLED
    assert ordered(topic("value", type="number", tolerance=0.03), *rules).status is Status.LEANING


def test_a_settled_number_is_close_to_that_of_every_case() -> None:
    policy = topic("value", type="number", tolerance=0.05)
    low, high = rule("a", "t", when="n == 0", value="96"), rule("b", "t", when="n == 1", value="104")
    assert ordered(policy, low, rule("c", "t", value="104")).status is Status.LEANING
    between = ordered(policy, low, high, rule("c", "t", value="100"))
    assert (between.value, between.status) == (100, Status.SETTLED)


# --- all --------------------------------------------------------------------------------------------------------------


def test_every_rule_that_holds_adds_its_item_once_in_the_order_of_the_topic() -> None:
    rules = [
        rule("b", "t", add="b"),
        rule("a", "t", add="a"),
        rule("b2", "t", add="b"),
        rule("c", "t", when="p", add="c"),
    ]
    assert ordered(topic("all", "a", "b", "c"), *rules, p=False).value == ["a", "b"]


def test_nothing_to_add_is_advice_too() -> None:
    entry = ordered(topic("all", "a"), rule("a", "t", when="p", add="a"), p=False)
    assert (entry.value, entry.status) == ([], Status.SETTLED)


def test_one_open_item_leaves_the_list_leaning() -> None:
    entry = ordered(topic("all", "a", "b"), rule("a", "t", add="a"), rule("b", "t", when="n > 5", add="b"))
    assert (entry.value, entry.status) == (["a"], Status.LEANING)
    assert entry.flips[0].fact == "n"
    assert entry.flips[0].then == ("a", "b")


# --- topics, masks, definitions, assumptions --------------------------------------------------------------------------


def test_a_topic_that_does_not_apply_says_so() -> None:
    policy = topic("first", "x", applies='c == "red"')
    rules = [rule("a", "t", value="x")]
    assert ordered(policy, *rules, c="blue").status is Status.NOT_APPLICABLE
    assert ordered(policy, *rules, c="red").status is Status.SETTLED
    assert ordered(policy, *rules).status is Status.LEANING


def chained(upstream: dict[str, Any], upstream_rules: list[dict[str, Any]], when: str, **answers: Any) -> Plan:
    """Topic t is x where `when` holds of topic u, otherwise y."""
    facts = {"p": boolean(), "n": integer(0, 4), "c": choice("red", "blue")}
    rules = [*upstream_rules, rule("a", "t", when=when, value="x"), rule("b", "t", value="y")]
    return advised(RuleBase(facts, {"u": upstream, "t": FIRST}, rules).load(), **answers)


def test_a_topic_reads_what_another_one_advises() -> None:
    rules = [rule("u1", "u", when="p", value="x"), rule("u2", "u", value="y")]
    assert chained(FIRST, rules, 'u == "x"', p=True).value("t") == "x"
    assert chained(FIRST, rules, 'u == "x"', p=False).value("t") == "y"
    assert chained(FIRST, rules, 'u == "x"').recommendations["t"].depends_on == ("p",)


def test_a_topic_that_reads_a_whole_number_sees_it_rounded() -> None:
    plan = chained(WHOLE, [rule("u1", "u", value="n + 0.6")], "u >= 1")
    assert (plan.value("t"), plan.recommendations["t"].status) == ("x", Status.SETTLED)
    known = chained(WHOLE, [rule("u1", "u", value="n + 0.6")], "u >= 1", n=0)
    assert (known.value("u"), known.value("t"), known.recommendations["t"].status) == (1, "x", Status.SETTLED)


def test_a_number_computed_from_another_recommendation_follows_what_is_reported_of_that() -> None:
    """In every completion `n` is known and the other one 1; yet as things stand it is 2, and twice that is 4."""
    facts = {"n": integer(5, 9), "m": integer(0, 1)}
    topics = {"u": topic("value"), "t": topic("value")}
    rules = [
        rule("u1", "u", when="n >= 5", value="1"),
        rule("u2", "u", value="2"),
        rule("t1", "t", value="2 * u"),
    ]
    plan = advised(RuleBase(facts, topics, rules).load())
    assert plan.value("t") == 2 * plan.value("u")


def test_a_topic_that_reads_one_without_advice_sees_an_unknown() -> None:
    nothing = [rule("u1", "u", when="p", value="x")]
    plan = chained(FIRST, nothing, 'u != "x"', p=False)
    assert (plan.recommendations["u"].status, plan.value("t")) == (Status.OPEN, "y")
    masked = chained(topic("first", "x", applies="p"), nothing, 'u != "x"', p=False)
    assert (masked.recommendations["u"].status, masked.value("t")) == (Status.NOT_APPLICABLE, "y")


def test_a_list_that_reads_an_unbounded_number_is_not_a_crash() -> None:
    facts = {"n": integer(0, 4), "m": integer(0, 4)}
    rules = [rule("a", "t", value="[n / m, 8]")]
    entry = advised(RuleBase(facts, {"t": topic("value", type="integers")}, rules).load()).recommendations["t"]
    assert entry.status is Status.OPEN


def derived(**answers: Any) -> Plan:
    facts = {
        "nodes": integer(1, 8, assume="1"),
        "cards": integer(0, 8),
        "total": integer(derive="nodes * cards", ask="false"),
    }
    rules = [rule("a", "t", when="total > 4", value="x"), rule("b", "t", value="y")]
    return advised(RuleBase(facts, {"t": FIRST}, rules).load(), **answers)


def test_a_derived_fact_follows_from_the_others() -> None:
    assert derived(nodes=3, cards=2).value("t") == "x"
    assert derived(nodes=3, cards=2).facts["total"].source is Source.DERIVED
    assert derived(nodes=2, cards=2).value("t") == "y"


def test_what_a_derived_fact_rests_on_is_open_and_asked_for_not_the_derived_fact() -> None:
    plan = derived(nodes=3)
    entry = plan.recommendations["t"]
    assert (entry.status, entry.depends_on) == (Status.LEANING, ("cards",))
    assert plan.questions == ("cards",)
    assert {(flip.fact, flip.then) for flip in entry.flips} == {("cards", "x")}


def test_a_derived_fact_can_be_stated_over_its_definition() -> None:
    assert derived(nodes=1, cards=1, total=8).value("t") == "x"


def test_completions_of_a_derived_fact_keep_to_its_definition() -> None:
    facts = {"n": integer(0, 4), "twice": integer(0, 100, derive="2 * n", ask="false")}
    rules = [rule("a", "t", when="twice == 3 or twice > 8", value="x"), rule("b", "t", value="y")]
    entry = advised(RuleBase(facts, {"t": FIRST}, rules).load()).recommendations["t"]
    assert (entry.value, entry.status) == ("y", Status.SETTLED)


def test_an_assumption_leads_but_settles_nothing() -> None:
    plan = derived(cards=8)
    assert plan.facts["nodes"].source is Source.ASSUMED
    entry = plan.recommendations["t"]
    assert (entry.value, entry.status) == ("x", Status.SETTLED)
    entry = derived(cards=4).recommendations["t"]
    assert (entry.value, entry.status) == ("y", Status.LEANING)
    assert "nodes is assumed to be 1." in entry.notes


def test_a_fact_that_means_nothing_is_kept_but_unused() -> None:
    facts = {"n": integer(0, 4), "m": integer(0, 4, only_when="n > 0")}
    rules = [rule("a", "t", when="m > 2", value="x"), rule("b", "t", value="y")]
    knowledge = RuleBase(facts, {"t": FIRST}, rules).load()
    plan = advised(knowledge, n=0, m=4)
    assert (plan.value("t"), plan.unused) == ("y", ("m",))
    assert "m" not in plan.facts
    assert advised(knowledge, n=1, m=4).value("t") == "x"


def test_a_fact_is_asked_for_only_where_it_means_something() -> None:
    facts = {"n": integer(0, 4), "m": integer(0, 4, only_when="n > 0")}
    rules = [rule("a", "t", when="m > 2", value="x"), rule("b", "t", value="y")]
    knowledge = RuleBase(facts, {"t": FIRST}, rules).load()
    assert advised(knowledge).questions == ("n",)
    assert advised(knowledge, n=2).questions == ("m",)
    assert advised(knowledge, n=0).questions == ()


def test_who_has_declined_is_not_asked_again() -> None:
    rules = [rule("a", "t", when="n > 2", value="x"), rule("b", "t", value="y")]
    base = RuleBase({"n": integer(0, 4)}, {"t": FIRST}, rules).load()
    assert advised(base).questions == ("n",)
    assert advised(base, n=None).questions == ()
    assert advised(base, n=None).recommendations["t"].status is Status.LEANING


# --- measured ---------------------------------------------------------------------------------------------------------

HERE = {"machine": "this one"}


def measured(**scope: str) -> Plan:
    facts = {"cores": integer(1, 64), "best": integer(1, 64, group="probe", ask="false")}
    topics = {"threads": topic("value", type="integer", measured_by={"probe": "threads", "fact": "best"})}
    rules = [rule("measured", "threads", value="best"), rule("counted", "threads", value="cores")]
    base = FactBase.of({"cores": 8}).with_known("best", Known(2, Source.MEASURED, applies=HERE))
    return advise(RuleBase(facts, topics, rules).load(), base.in_scope(scope))


def test_a_measurement_in_scope_decides() -> None:
    entry = measured(**HERE).recommendations["threads"]
    assert (entry.value, entry.status) == (2, Status.MEASURED)


def test_a_measurement_out_of_scope_is_shown_as_evidence() -> None:
    plan = measured(machine="another one")
    assert plan.value("threads") == 8
    assert [(name, known.value) for name, known in plan.evidence] == [("best", 2)]
    assert plan.recommendations["threads"].status is Status.LEANING


def test_a_stated_value_of_a_measured_fact_is_not_a_measurement() -> None:
    facts = {"best": number(0, 10, group="probe")}
    topics = {"t": topic("value", measured_by={"probe": "threads", "fact": "best"})}
    knowledge = RuleBase(facts, topics, [rule("r", "t", value="best")]).load()
    assert advised(knowledge, best=2).recommendations["t"].status is Status.SETTLED


# --- simulated --------------------------------------------------------------------------------------------------------

BY_WORKERS = {
    "run": choice("x", "y", "z", group="probe", ask="false", closed="true"),
    "simulated": choice("x", "y", "z", group="probe", ask="false", closed="true"),
    "p": boolean(),
}
OF_WORKERS = {
    "measured_by": {"probe": "sync", "fact": "run"},
    "simulated_by": {"probe": "simulate", "fact": "simulated"},
}
WORKER_RULES = (
    rule("run", "t", value="run"),
    rule("simulated", "t", value="simulated"),
    rule("usual", "t", value="x"),
)


def among_workers(*rules: dict[str, Any], policy: str = "first", **found: Known) -> Recommendation:
    topics = {"t": topic(policy, "x", "y", "z", **OF_WORKERS)}
    base = FactBase().in_scope({"nodes": "64"})
    for name, known in found.items():
        base = base.with_known(name, known)
    return advise(RuleBase(BY_WORKERS, topics, list(rules or WORKER_RULES)).load(), base).recommendations["t"]


def found_by(source: Source, value: str, nodes: str = "64") -> Known:
    return Known(value, source, applies={"nodes": nodes})


def test_a_simulation_in_scope_decides_and_is_not_called_measured() -> None:
    entry = among_workers(simulated=found_by(Source.SIMULATED, "y"))
    assert (entry.value, entry.status) == ("y", Status.SIMULATED)


def test_what_was_measured_wins_over_what_was_simulated() -> None:
    entry = among_workers(run=found_by(Source.MEASURED, "z"), simulated=found_by(Source.SIMULATED, "y"))
    assert (entry.value, entry.status) == ("z", Status.MEASURED)


def test_a_measurement_elsewhere_leaves_it_to_the_simulation() -> None:
    entry = among_workers(run=found_by(Source.MEASURED, "z", nodes="2"), simulated=found_by(Source.SIMULATED, "y"))
    assert (entry.value, entry.status) == ("y", Status.SIMULATED)


def test_a_simulation_of_other_workers_decides_nothing() -> None:
    entry = among_workers(simulated=found_by(Source.SIMULATED, "y", nodes="2"))
    assert (entry.value, entry.status) == ("x", Status.SETTLED)


def test_what_rests_on_both_is_no_surer_than_the_simulation() -> None:
    both = rule("both", "t", when='run == "z" and simulated == "y"', value="z")
    entry = among_workers(both, run=found_by(Source.MEASURED, "z"), simulated=found_by(Source.SIMULATED, "y"))
    assert (entry.value, entry.status) == ("z", Status.SIMULATED)


def test_a_stated_value_of_a_simulated_fact_is_no_simulation() -> None:
    assert among_workers(simulated=Known("y", Source.ASKED)).status is Status.SETTLED


def test_a_list_of_items_is_not_called_simulated_for_one_of_them() -> None:
    adds = rule("simulated", "t", when='simulated == "y"', add="y"), rule("usual", "t", when="p", add="x")
    entry = among_workers(*adds, policy="all", simulated=found_by(Source.SIMULATED, "y"), p=Known(True, Source.ASKED))
    assert (entry.value, entry.status) == (["x", "y"], Status.SETTLED)


# --- tried: what only a trial can tell ----------------------------------------------------------------------------------

TRIED = {"best": choice("cnn", "ffn", group="probe", ask="false", closed="true"), "p": boolean()}
BY_TRIAL = {"t": topic("score", "cnn", "ffn", "rnn", measured_by={"probe": "trial", "fact": "best"})}


def tried(*rules: dict[str, Any], **answers: Any) -> Plan:
    said = [rule("tried", "t", value="best"), rule("for", "t", for_="cnn", strength=STRONG), *rules]
    return advised(RuleBase(TRIED, BY_TRIAL, said).load(), **answers)


def test_a_rule_that_gives_a_value_outweighs_every_argument() -> None:
    plan = tried(*(rule(f"r{i}", "t", for_="cnn", strength=STRONG) for i in range(9)), best="ffn")
    assert plan.value("t") == "ffn"


def test_a_value_needs_no_argument_and_minds_no_veto() -> None:
    plan = tried(rule("no", "t", veto="ffn"), rule("nor", "t", against="ffn", strength=STRONG), best="ffn")
    assert plan.value("t") == "ffn"


def test_arguments_decide_where_no_value_is_known() -> None:
    assert tried().value("t") == "cnn"


def test_a_rule_that_supersedes_it_takes_a_value_out() -> None:
    assert (
        tried(rule("new", "t", when="p", against="rnn", strength=WEAK, supersedes=["tried"]), best="ffn", p=True).value(
            "t"
        )
        == "cnn"
    )


def test_a_closed_fact_leaves_nothing_open() -> None:
    plan = tried()
    entry = plan.recommendations["t"]
    assert (entry.status, entry.depends_on, plan.questions, plan.probes) == (Status.SETTLED, (), (), ())


def test_an_open_fact_does() -> None:
    facts = {"best": {key: value for key, value in TRIED["best"].items() if key != "closed"}, "p": boolean()}
    said = [rule("tried", "t", value="best"), rule("for", "t", for_="cnn", strength=STRONG)]
    plan = advised(RuleBase(facts, BY_TRIAL, said).load())
    assert plan.recommendations["t"].status is Status.LEANING
    assert plan.probes == ("trial",)


def test_what_was_tried_in_scope_is_measured_and_said_to_be_the_reason() -> None:
    base = FactBase().with_known("best", Known("ffn", Source.MEASURED, applies={"data": "these"}))
    said = [rule("tried", "t", value="best"), rule("for", "t", for_="cnn", strength=STRONG)]
    knowledge = RuleBase(TRIED, BY_TRIAL, said).load()
    entry = advise(knowledge, base.in_scope({"data": "these"})).recommendations["t"]
    assert (entry.value, entry.status) == ("ffn", Status.MEASURED)
    assert [reason.rule for reason in entry.because] == ["tried"]
    assert [(other.value, "tried comes first" in other.why_not) for other in entry.alternatives] == [("cnn", True)]
    elsewhere = advise(knowledge, base.in_scope({"data": "others"}))
    assert elsewhere.recommendations["t"].status is Status.SETTLED
    assert [name for name, _ in elsewhere.evidence] == ["best"]
