"""The meaning of a measurement for the recommendation and for the rules that staked a claim on it."""

from __future__ import annotations

import math

from advisor.agent.trials.outcomes import widths_of
from advisor.facts.experiments import SIMULATE, SYNC
from advisor.facts.verdict import Verdict
from advisor.facts.vocabulary import Fact, FactType
from advisor.inference.advise import engine_for, situation_of
from advisor.inference.plan import Measurement, Plan
from advisor.knowledge.expressions.expressions import BOOLEAN
from advisor.knowledge.model import Knowledge, Policy, Rule
from advisor.probes.outcome import Outcome

DECIDED_BY_PROBE = (Verdict.CONFIRMED, Verdict.OVERTURNED)
_ALSO_SAYS = {"probe.sync.best": ("sim.sync.best",)}
"""By a fact that real workers decide, the one that rules expect of a simulation."""


def measurement(knowledge: Knowledge, plan: Plan, outcome: Outcome) -> Measurement:
    is_list = knowledge.topics[outcome.topic].type == "integers" if outcome.topic in knowledge.topics else False
    before, rival, after = (
        widths_of(value) if is_list and isinstance(value, str) else value
        for value in (outcome.before, outcome.rival, outcome.after)
    )
    return Measurement(
        probe=outcome.probe,
        before=before,
        after=before if after is None else after,
        verdict=outcome.verdict,
        median=outcome.median,
        low=outcome.low,
        high=outcome.high,
        n=outcome.n,
        unit=outcome.unit,
        date=outcome.date,
        applies={name: str(value) for name, value in outcome.applies.items()},
        rival=rival,
        judged=judged_rules(knowledge, plan, outcome),
        fact="" if _says_topic(knowledge, outcome) else outcome.fact,
    )


def _says_topic(knowledge: Knowledge, outcome: Outcome) -> bool:
    """True if what was compared are values of the topic, rather than of the fact that takes the better one."""
    topic = knowledge.topics.get(outcome.topic)
    return topic is None or topic.policy is Policy.VALUE or outcome.before in topic.values


def judged_rules(knowledge: Knowledge, plan: Plan, outcome: Outcome) -> dict[str, str]:
    """For each rule of the topic that names this experiment: whether what it expects was found.

    What a simulation may judge, real workers may all the more.
    """
    judged = {}
    judges = (SYNC, SIMULATE) if outcome.probe == SYNC else (outcome.probe,)
    for rule in knowledge.rules:
        if rule.settles is not None and rule.settles.probe in judges and rule.topic == outcome.topic:
            verdict = judge(knowledge, plan, rule, outcome)
            if verdict is not None:
                judged[rule.id] = verdict.value
    return judged


def judge(knowledge: Knowledge, plan: Plan, rule: Rule, outcome: Outcome) -> Verdict | None:
    """Confirmed, overturned, no difference or undecided.

    None where the rule's condition does not hold here, and where the settings are no values of what was measured.
    """
    assert rule.settles is not None  # noqa: S101
    if not is_sound(knowledge, outcome):
        return None
    engine = engine_for(knowledge, plan.school)
    facts = plan.stated
    situation = situation_of(engine.program, facts)
    topic = engine.program.topics[rule.topic]
    values = engine.prepared(topic, situation)
    slots = engine.program.slots
    for name, known in plan.facts.items():
        values[engine.program.fact_slots[name]] = known.value
    if knowledge.condition(rule).at(values) is not True:
        return None
    if not outcome.measured:
        return Verdict.UNDECIDED
    if outcome.verdict not in DECIDED_BY_PROBE:
        return outcome.verdict
    for name, value in outcome.facts().items():
        for told in (name, *_ALSO_SAYS.get(name, ())):
            if told in slots:
                values[slots[told]] = value
    expected = knowledge.expression(rule.settles.expects, BOOLEAN).at(values)
    if expected is None:
        return Verdict.UNDECIDED
    return Verdict.CONFIRMED if expected else Verdict.OVERTURNED


def is_sound(knowledge: Knowledge, outcome: Outcome) -> bool:
    """True if the settings of an outcome are values of its fact: it may come from a file."""
    fact = knowledge.vocabulary.facts.get(outcome.fact)
    if fact is None or not outcome.measured or outcome.verdict is Verdict.UNDECIDED:
        return True
    settings = [outcome.after] if outcome.verdict in DECIDED_BY_PROBE else [outcome.before, outcome.rival]
    return all(_fits(fact, setting) for setting in settings)


def _fits(fact: Fact, value: object) -> bool:
    if fact.type is FactType.CHOICE:
        return value in fact.choice_names
    number = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    return fact.numeric and number
