"""Rules that say the same, contradict each other, or supersede what they never meet."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import combinations

import z3

from advisor.errors import Problem
from advisor.knowledge.expressions.expressions import parse
from advisor.knowledge.model import Effect, Policy, Rule, School, Strength, Topic, is_literal
from advisor.knowledge.solver.outcomes import RuleFormulas, TopicFormulas, admitted
from advisor.knowledge.solver.questions import Answer, Asker, Court
from advisor.knowledge.solver.values import Number, all_of, holds_in

MEND = "Merge them, or say which supersedes the other."


def rules_at_odds(court: Court) -> Iterator[Problem]:
    """Pairs of rules that hold in the same situations and contradict or repeat each other."""
    for topic in court.knowledge.topics.values():
        for school in (School.TODAY, School.SURVEY):
            formulas = court.formulas(topic.name, school)
            asker = court.asker(topic.name, school)
            for one, other in _equivalent(formulas, asker):
                yield from _said_of(topic, one, other, asker)


def _equivalent(formulas: TopicFormulas, asker: Asker) -> Iterator[tuple[RuleFormulas, RuleFormulas]]:
    """The pairs of rules of one layer that hold in the same situations, and that say something of each other.

    Where one rule of a pair does not hold in a situation in which the other does, the solver need not be asked.
    """
    seen_in: dict[str, set[str]] = {}
    conditions = {one.rule.id: all_of(one.holds, admitted(formulas.topic, one.value)) for one in formulas.rules}
    for one in formulas.rules:
        _, model = asker.model(formulas.meant, conditions[one.rule.id])
        if model is not None:
            seen_in[one.rule.id] = {name for name, condition in conditions.items() if holds_in(model, condition)}
    for one, other in combinations(formulas.rules, 2):
        a, b = one.rule.id, other.rule.id
        if not (_comparable(one.rule, other.rule) and b in seen_in.get(a, ()) and a in seen_in.get(b, ())):
            continue
        if asker.ask(formulas.meant, z3.Xor(conditions[a], conditions[b])) is Answer.IMPOSSIBLE:
            yield one, other


def _comparable(a: Rule, b: Rule) -> bool:
    """Rules of one layer, neither of which supersedes the other."""
    return a.layer == b.layer and a.id not in b.supersedes and b.id not in a.supersedes


def _said_of(topic: Topic, one: RuleFormulas, other: RuleFormulas, asker: Asker) -> Iterator[Problem]:
    a, b = one.rule, other.rule
    if topic.policy in (Policy.FIRST, Policy.VALUE):
        if a.school is b.school and _differ(topic, one, other, asker):
            what = f"rules {a.id} and {b.id} hold in the same situations, but say {a.value} and {b.value}."
            yield Problem(b.where, what, MEND)
    elif a.value == b.value and _contradict(a, b):
        ayes, noes = (a, b) if a.effect is Effect.FOR else (b, a)
        how = "excludes" if noes.effect is Effect.VETO else "is strongly against"
        what = f"but {ayes.id} is strongly for {a.value} and {noes.id} {how} it."
        yield Problem(b.where, f"rules {a.id} and {b.id} hold in the same situations, {what}", MEND)
    elif _repeats(a, b):
        yield Problem(b.where, f"rule {b.id} says the same as {a.id}.", "Merge them.")


def _differ(topic: Topic, one: RuleFormulas, other: RuleFormulas, asker: Asker) -> bool:
    """Return whether the values can differ where both rules hold. Lists differ where they are written differently."""
    if isinstance(one.value, Number) and isinstance(other.value, Number):
        differ = one.value.value != other.value.value
        return asker.ask(one.holds, other.holds, one.value.known, other.value.known, differ) is Answer.POSSIBLE
    if is_literal(topic, one.rule) or is_literal(topic, other.rule):
        return one.rule.value != other.rule.value
    return ast.dump(parse(one.rule.value)) != ast.dump(parse(other.rule.value))


def _contradict(a: Rule, b: Rule) -> bool:
    effects = {a.effect, b.effect}
    strong = all(rule.strength is Strength.STRONG or rule.effect is Effect.VETO for rule in (a, b))
    return strong and Effect.FOR in effects and len(effects) == 2


def _repeats(a: Rule, b: Rule) -> bool:
    """The same advice of the same school, in score topics for the same argument, and it overrules the same."""
    keys = [(r.school, r.effect, r.value, r.supersedes, r.argument if r.strength else "") for r in (a, b)]
    return keys[0] == keys[1]


def idle_supersessions(court: Court) -> Iterator[Problem]:
    """Rules that supersede another which never holds together with them."""
    for topic in court.knowledge.topics:
        formulas, asker = court.formulas(topic, School.TODAY), court.asker(topic, School.TODAY)
        for one, other in [(rule, formulas[name]) for rule in formulas.rules for name in rule.rule.supersedes]:
            together = asker.ask(formulas.meant, one.holds, other.holds)
            alone = (asker.ask(formulas.meant, rule.holds) for rule in (one, other))
            if together is Answer.IMPOSSIBLE and all(answer is Answer.POSSIBLE for answer in alone):
                what = f"rule {one.rule.id} supersedes {other.rule.id}, but they never hold together."
                yield Problem(one.rule.where, what, "Take it out of `supersedes`.")
