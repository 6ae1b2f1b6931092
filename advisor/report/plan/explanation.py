"""Everything that can be said about one recommendation: its rules and what they read, what lost, why not another."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from advisor.errors import did_you_mean, input_error
from advisor.facts.values import to_json
from advisor.inference.advise import engine_for, situation_of
from advisor.inference.explaining.explain import Explainer
from advisor.inference.plan import Alternative, MemoryOption, Plan, Reason, Recommendation, Status
from advisor.inference.program.combination import CompiledRule
from advisor.knowledge.model import Knowledge, Policy, Rule, Topic, is_literal
from advisor.plain import encode
from advisor.report import words
from advisor.wording import shorten


@dataclass(frozen=True, slots=True)
class Reading:
    """A fact or another topic that a rule reads, with what it is here and where that came from."""

    name: str
    value: str
    source: str

    def __str__(self) -> str:
        return f"{self.name} = {self.value} ({self.source})" if self.source else f"{self.name} {self.value}"


@dataclass(frozen=True, slots=True)
class Ground:
    """A rule that carries the recommendation. `computed` is the expression that gave the value, if it was one.

    `looked_up` says when somebody compared it with its source, if the rule tells.
    """

    reason: Reason
    item: str
    computed: str
    readings: tuple[Reading, ...]
    citations: tuple[str, ...]
    looked_up: str = ""


@dataclass(frozen=True, slots=True)
class Lost:
    """A rule that holds but is superseded, what it advised, and the rule that silenced it."""

    rule: str
    school: str
    advised: str
    text: str
    citations: tuple[str, ...]
    errata: tuple[str, ...]
    winner: str
    winner_text: str


@dataclass(frozen=True, slots=True)
class Explanation:
    """One topic of a plan, explained."""

    entry: Recommendation
    school: str
    applies: tuple[str, tuple[Reading, ...]] | None
    grounds: tuple[Ground, ...]
    lost: tuple[Lost, ...]
    why_not: tuple[Alternative, ...]
    assumed: tuple[tuple[str, str], ...]
    unknown: tuple[tuple[str, str], ...]
    options: tuple[MemoryOption, ...] = ()
    """Ways to fit training into memory, where that is the topic."""

    def to_json(self) -> dict[str, Any]:
        """The recommendation as in a plan, and what only an explanation says."""
        return {
            "schema": "advisor/explanation/1",
            "school": self.school,
            "topic": self.entry.topic,
            **self.entry.to_json(),
            "grounds": [
                {
                    "rule": ground.reason.rule, "when": ground.reason.when, "computed": ground.computed,
                    "reads": encode(ground.readings),
                    "sources": list(ground.citations),
                }
                for ground in self.grounds
            ],
            "superseded": [
                {
                    "rule": lost.rule, "school": lost.school, "advised": lost.advised, "text": lost.text,
                    "sources": list(lost.citations), "errata": list(lost.errata), "by": lost.winner,
                }
                for lost in self.lost
            ],
            "why_not": [{"value": to_json(other.value), "why_not": other.why_not} for other in self.why_not],
            "assumed": dict(self.assumed),
            "unknown": dict(self.unknown),
            "memory_options": encode(self.options),
        }  # fmt: skip


def read_fact(plan: Plan, knowledge: Knowledge, name: str) -> Reading:
    """A fact as a formula reads it in this plan."""
    known = plan.facts.get(name)
    if known is None:
        return Reading(name, "is unknown", "")
    return Reading(name, words.fact_words(knowledge, name, known.value), words.SOURCE_WORDS[known.source])


def explain(plan: Plan, knowledge: Knowledge, topic: str, why_not: str | None = None) -> Explanation:
    """Explain one topic of a plan made from these facts; with `why_not`, also why that value is not recommended.

    Raises:
        InputError: no such topic, or no such value of it.
    """
    declared = knowledge.topics.get(topic)
    if declared is None:
        raise _no_topic(knowledge, topic)
    entry = plan.recommendations[topic]
    engine = engine_for(knowledge, plan.school)
    program = engine.program.topics[topic]
    explainer = Explainer(engine, program, situation_of(engine.program, plan.stated))
    asked_for = () if why_not is None else (_why_not(declared, entry, explainer, why_not),)
    readings = _Readings(plan, knowledge, explainer)
    applies = None
    if declared.applies and entry.status is Status.NOT_APPLICABLE:
        names = knowledge.expression(declared.applies).names
        applies = (declared.applies, readings.of(names))
    facts = knowledge.vocabulary.facts
    return Explanation(
        entry=entry,
        school=plan.school.value,
        applies=applies,
        grounds=tuple(_ground(knowledge, declared, reason, readings) for reason in entry.because),
        lost=tuple(_lost(knowledge, *pair) for pair in explainer.silenced()) if words.is_advice(entry) else (),
        why_not=asked_for,
        assumed=tuple(
            (name, words.fact_words(knowledge, name, k.value)) for name, k in words.assumed_facts(plan, entry)
        ),
        unknown=tuple((name, facts[name].question) for name in words.unknown_facts(plan, entry)),
        options=plan.memory if topic == "memory.strategy" else (),
    )


def find_topic(knowledge: Knowledge, text: str) -> str:
    """The topic of this name or title. Raises InputError, with the nearest name or a word on facts."""
    if text in knowledge.topics:
        return text
    for name, topic in knowledge.topics.items():
        if text.strip().casefold() == topic.title.casefold():
            return name
    raise _no_topic(knowledge, text)


def _no_topic(knowledge: Knowledge, text: str) -> Exception:
    if text in knowledge.vocabulary.facts:
        what = f"{text!r} is a fact that you can state, not a topic that is recommended"
        remedy = f"`advisor glossary {text}` describes it. Topics: {', '.join(knowledge.topics)}."
        return input_error("This is not a topic", what, where="TOPIC", remedy=remedy)
    names = [*knowledge.topics, *knowledge.figures.figures]
    remedy = did_you_mean(text, names) or f"Topics: {', '.join(knowledge.topics)}."
    return input_error("There is no such topic", f"{shorten(text)!r}", where="TOPIC", remedy=remedy)


# --- parts -------------------------------------------------------------------------------------------------------


class _Readings:
    """The facts and topics that a rule reads, as they are in this plan."""

    def __init__(self, plan: Plan, knowledge: Knowledge, explainer: Explainer) -> None:
        self.plan = plan
        self.knowledge = knowledge
        self.meaningless = {
            explainer.program.facts[step.slot].name
            for step in explainer.topic.steps
            if step.only_when is not None and step.only_when.at(explainer.values) is False
        }

    def of(self, names: frozenset[str]) -> tuple[Reading, ...]:
        order = [*self.knowledge.vocabulary.facts, *self.knowledge.topics]
        return tuple(self.one(name) for name in sorted(names, key=order.index))

    def one(self, name: str) -> Reading:
        read = self.plan.recommendations.get(name)
        if read is not None:
            value = words.advice_words(self.knowledge, read, explained=False)
            return Reading(name, value, f"recommended, {words.STATUS_WORDS[read.status]}")
        if name in self.meaningless and name not in self.plan.facts:
            return Reading(name, "means nothing here", "")
        found = read_fact(self.plan, self.knowledge, name)
        note = self.plan.facts[name].note if name in self.plan.facts else ""
        return replace(found, source=f"{found.source}, {note}") if note else found


def _ground(knowledge: Knowledge, topic: Topic, reason: Reason, readings: _Readings) -> Ground:
    rule = knowledge.by_id.get(reason.rule)
    names = frozenset(knowledge.condition(rule).names) if rule else frozenset()
    computed = ""
    if rule is not None and not is_literal(topic, rule):
        computed = rule.value
        names |= knowledge.expression(rule.value, topic.static_type).names
    return Ground(
        reason=reason,
        item=rule.value if rule is not None and topic.policy is Policy.ALL else "",
        computed=computed,
        readings=readings.of(names),
        citations=tuple(words.citation(knowledge, source) for source in reason.sources),
        looked_up=f" on {rule.verified}" if rule is not None and rule.verified[:1].isdigit() else "",
    )


def _lost(knowledge: Knowledge, lost: CompiledRule, winner: CompiledRule) -> Lost:
    rule: Rule = lost.rule
    return Lost(
        rule=rule.id,
        school=rule.school.value,
        advised=words.value_words(knowledge, rule.topic, rule.value),
        text=rule.because,
        citations=tuple(words.citation(knowledge, source) for source in rule.sources),
        errata=tuple(f"{key}: {knowledge.errata[key].text}" for key in rule.erratum),
        winner=winner.rule.id,
        winner_text=winner.rule.because,
    )


def _why_not(topic: Topic, entry: Recommendation, explainer: Explainer, text: str) -> Alternative:
    value = _value_of(topic, text)
    if entry.status is Status.SILENT:
        return Alternative(value, "This school has no rule on this topic at all.")
    if entry.status is Status.NOT_APPLICABLE:
        return Alternative(value, f"The topic means nothing here: it needs `{topic.applies}`.")
    chosen = entry.value if topic.policy is Policy.ALL else [entry.value]
    if value in (chosen or ()):
        return Alternative(value, "It is what is recommended.")
    if topic.policy is not Policy.VALUE:
        return Alternative(value, explainer.why_not(str(value)))
    for other in entry.alternatives:
        if to_json(other.value) == value:
            return Alternative(value, other.why_not)
    return Alternative(value, "No rule that holds here gives it.")


def _value_of(topic: Topic, text: str) -> Any:
    """The value of the topic that a text names. Raises InputError."""
    folded = text.strip().casefold().replace("-", "_").replace(" ", "_")
    if topic.policy is not Policy.VALUE:
        for name, described in topic.values.items():
            if text == name or folded == name.casefold() or text.strip().casefold() == described.casefold():
                return name
        raise _no_value(topic, text, did_you_mean(text, topic.values) or f"Values: {', '.join(topic.values)}.")
    numbers = list(_numbers(topic, text))
    return numbers if topic.type == "integers" else numbers[0]


def _numbers(topic: Topic, text: str) -> Iterator[int | float]:
    for part in text.strip("[]() ").split(",") if topic.type == "integers" else [text]:
        try:
            number = float(part)
            yield number if topic.type == "number" else int(part)
        except ValueError:
            example = {"integers": "256, 128", "integer": "128"}.get(topic.type, "0.001")
            raise _no_value(topic, text, f"Write it as {example}.") from None


def _no_value(topic: Topic, text: str, remedy: str) -> Exception:
    what = f"{shorten(text)!r} is not a value of {topic.name}"
    return input_error("There is no such value", what, where="--why-not", remedy=remedy)
