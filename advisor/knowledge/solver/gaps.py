"""Situations in which everything is known that applies, and yet no rule of school today says anything."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import z3

from advisor.errors import Problem
from advisor.facts.values import number_text
from advisor.facts.vocabulary import FactType
from advisor.knowledge.model import Knowledge, Policy, School, Topic, is_literal
from advisor.knowledge.solver.outcomes import RuleFormulas, TopicFormulas, admitted
from advisor.knowledge.solver.questions import Answer, Court
from advisor.knowledge.solver.situations import Situations
from advisor.knowledge.solver.translation import numeral
from advisor.knowledge.solver.values import (
    Choice,
    Formula,
    Members,
    Number,
    Numbers,
    Term,
    Truth,
    all_of,
    any_of,
    holds_in,
    negation,
)

EXAMPLES = 3


@dataclass(frozen=True, slots=True)
class Said:
    """Say what an example gives one name, in the rule language where it has words for it."""

    text: str
    formula: Formula
    exact: bool = False
    """A number as it happens to be in the example."""


def gaps(court: Court) -> Iterator[Problem]:
    """Up to three kinds of situations for each topic; also reasons in `gaps` that explain none."""
    for topic in court.knowledge.topics.values():
        if topic.policy is Policy.ALL:  # to add nothing is advice too
            continue
        examples = _silences(court, topic)
        if examples is None:
            continue
        if topic.gaps and not examples:
            what = f"topic {topic.name} says why it has gaps, but there is none."
            yield Problem(topic.where, what, "Take `gaps` out of the topic.")
        for example in () if topic.gaps else examples:
            where = f" where {example}" if example else ""
            what = f"topic {topic.name}: no rule of school today recommends anything{where}."
            yield Problem(topic.where, what, "Add a rule, or say why in `gaps` of the topic.")


def _silences(court: Court, topic: Topic) -> list[str] | None:
    """Examples of situations in which the topic is silent, as different as they are told; None where nobody can say."""
    formulas, asker = court.formulas(topic.name, School.TODAY), court.asker(topic.name, School.TODAY)
    conditions = [formulas.applies.true, formulas.silent, *_complete(court), *_decided(court, formulas)]
    examples: list[str] = []
    while len(examples) < EXAMPLES:
        answer, model = asker.model(*conditions)
        if answer is Answer.IMPOSSIBLE:
            break
        if answer is Answer.POSSIBLE and not _confirmed(court, formulas, model):
            court.tally.unanswered += 1
            answer = Answer.UNKNOWN
        if answer is Answer.UNKNOWN:
            return examples or None
        said = _what_matters(court, formulas, model)
        examples.append(" and ".join(one.text for one in said))
        kind = [one for one in said if not one.exact] or said  # the same with another number is no other example
        conditions.append(negation(all_of(*(one.formula for one in kind))))
    return examples


def _complete(court: Court) -> list[Formula]:
    """Everything that can be asked or looked up is known; what probes measure may be."""
    facts = court.knowledge.vocabulary.facts.values()
    return [court.situations.stated(f.name) for f in facts if f.group != "probe" and f.type is not FactType.TEXT]


def _decided(court: Court, formulas: TopicFormulas) -> Iterator[Formula]:
    """The topics that these rules read are decided, or mean nothing: where they are silent, theirs is the gap."""
    for name in sorted(formulas.reads & set(court.knowledge.topics)):
        other = court.formulas(name, School.TODAY)
        yield any_of(court.situations.seen.term(name).known, other.applies.false)


def _confirmed(court: Court, formulas: TopicFormulas, model: Any) -> bool:
    """Return whether the rules as they run see the solver's example as it does: floating point, roots and logarithms included."""
    knowledge, seen = court.knowledge, court.situations.seen
    values: list[Any] = [None] * len(knowledge.symbols.slots)
    for name in court.names_behind(formulas.reads, School.TODAY):
        values[knowledge.symbols.slots[name]] = value_in(model, seen.term(name))
    for topic in [formulas.topic.name, *court.upstream(formulas.reads)]:
        rules = court.formulas(topic, School.TODAY)
        if not all(_runs_alike(knowledge, rules.topic, one, values, model) for one in rules.rules):
            return False
    return True


def _runs_alike(knowledge: Knowledge, topic: Topic, one: RuleFormulas, values: list[Any], model: Any) -> bool:
    holds = knowledge.condition(one.rule).at(values) is True
    if holds is not holds_in(model, one.holds):
        return False
    if is_literal(topic, one.rule) or not holds:
        return True
    value = knowledge.expression(one.rule.value, topic.static_type).at(values)
    given = value is not None and (topic.policy is not Policy.VALUE or topic.admits(value))
    return given is holds_in(model, admitted(topic, one.value))


def value_in(model: Any, term: Term) -> Any:
    """The value of a term in the solver's example; None where it is unknown."""
    if isinstance(term, Truth):
        return True if holds_in(model, term.true) else False if holds_in(model, term.false) else None
    if not holds_in(model, term.known) or isinstance(term, Numbers):
        return None
    if isinstance(term, Choice):
        return next(name for name, formula in term.options.items() if holds_in(model, formula))
    if isinstance(term, Members):
        return frozenset(name for name, formula in term.options.items() if holds_in(model, formula))
    value = model.eval(term.value, model_completion=True)
    if z3.is_algebraic_value(value):
        value = value.approx(20)
    fraction = value.as_fraction() if z3.is_rational_value(value) else None
    return value.as_long() if fraction is None else float(fraction)


def _what_matters(court: Court, formulas: TopicFormulas, model: Any) -> list[Said]:
    """The few facts and recommendations of an example that leave the topic silent, whatever the others are.

    Numbers are told as the range between the thresholds around them; exactly where that does not do.
    """
    asker = court.asker_at_large(formulas.reads)
    spoken = negation(all_of(formulas.applies.true, formulas.silent))
    said: list[Said] = []
    for exact in (False, True):
        said = [one for name in sorted(formulas.reads) for one in _told(court, formulas, name, model, exact=exact)]
        positions = asker.reasons([one.formula for one in said], spoken)
        if positions is not None:
            return [said[position] for position in positions]
    return said


def _told(court: Court, formulas: TopicFormulas, name: str, model: Any, *, exact: bool) -> Iterator[Said]:
    term = court.situations.seen.term(name)
    value = value_in(model, term)
    if isinstance(term, Numbers):
        return
    if value is None:
        yield Said(f"{name} {_why_unknown(court.situations, name)}", negation(term.known))
    elif isinstance(term, Truth):
        yield Said(name, term.true) if value else Said(f"not {name}", term.false)
    elif isinstance(term, Choice):
        yield Said(f'{name} == "{value}"', all_of(term.known, term.has(value)))
    elif isinstance(term, Members):
        for member, formula in term.options.items():
            inside = member in value
            has = formula if inside else negation(formula)
            yield Said(f'"{member}" {"in" if inside else "not in"} {name}', all_of(term.known, has))
    else:
        yield _told_number(name, term, value, [] if exact else thresholds(court, formulas, name))


def _why_unknown(situations: Situations, name: str) -> str:
    fact = situations.facts.get(name)
    if fact is None:
        return "means nothing"
    return "is not measured" if fact.group == "probe" else "does not apply"


def _told_number(name: str, term: Number, value: float, cuts: list[float]) -> Said:
    below = max((cut for cut in cuts if cut <= value), default=None)
    above = min((cut for cut in cuts if cut >= value), default=None)
    if not cuts or below == above:
        return Said(f"{name} == {number_text(value)}", all_of(term.known, term.value == numeral(value)), exact=True)
    parts = [] if below is None else [term.value > numeral(below)]
    parts += [] if above is None else [term.value < numeral(above)]
    if above is None:
        text = f"{name} > {number_text(below or 0)}"
    else:
        text = (
            f"{name} < {number_text(above)}"
            if below is None
            else f"{number_text(below)} < {name} < {number_text(above)}"
        )
    return Said(text, all_of(term.known, *parts))


def thresholds(court: Court, formulas: TopicFormulas, name: str) -> list[float]:
    """The constants with which the topic's conditions compare a name."""
    knowledge = court.knowledge
    expressions = [knowledge.condition(one.rule) for one in formulas.rules]
    if formulas.topic.applies:
        expressions.append(knowledge.expression(formulas.topic.applies))
    return sorted({cut for expression in expressions for cut, _ in expression.cuts.get(name, ())})
