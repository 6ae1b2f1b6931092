"""Rules that cannot matter: they never hold, never give a value, are superseded wherever they hold, or come too late."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from advisor.errors import Problem
from advisor.knowledge.lint import repeated_rules
from advisor.knowledge.model import Policy, Rule, School
from advisor.knowledge.solver.outcomes import RuleFormulas
from advisor.knowledge.solver.questions import Answer, Court
from advisor.knowledge.solver.values import Formula, negation
from advisor.wording import join_names


class Fate(Enum):
    MATTERS = "matters"
    NEVER_HOLDS = "never holds"
    NO_VALUE = "never gives a value"
    SUPERSEDED = "is superseded"
    LATE = "comes too late"


@dataclass(frozen=True, slots=True)
class Verdict:
    """The fate of a rule in a school, and the rules that bring it about."""

    fate: Fate
    by: tuple[str, ...] = ()


def rules_without_effect(court: Court) -> Iterator[Problem]:
    """One remark for each rule that cannot matter in any school where it should."""
    repeated = repeated_rules(court.knowledge)
    for rule in court.knowledge.rules:
        verdicts = {school: judged(court, rule, school) for school in rule.counts_in}
        if all(verdict.fate is Fate.NEVER_HOLDS for verdict in verdicts.values()):
            yield _never_holds(court, rule)
        elif rule.id not in repeated:
            # School today supersedes rules of the survey on purpose: those need to matter in school survey only.
            matters_in = (School.SURVEY,) if rule.school is School.SURVEY else rule.counts_in
            told = [verdicts[school] for school in matters_in]
            told = [verdict for verdict in told if verdict.fate is not Fate.NEVER_HOLDS]
            if told and all(verdict.fate is not Fate.MATTERS for verdict in told):
                yield _without_effect(rule, told)
        if rule.settles and any(verdict.fate is not Fate.NEVER_HOLDS for verdict in verdicts.values()):
            yield from _unmeetable(court, rule, rule.settles.expects)


def judged(court: Court, rule: Rule, school: School) -> Verdict:
    """The rules of later layers left out: to overrule is what packs are for."""
    formulas, asker = court.formulas(rule.topic, school, rule.layer), court.asker(rule.topic, school)
    position = formulas.position[rule.id]
    this, earlier = formulas.rules[position], formulas.rules[:position]
    by_order = formulas.topic.policy in (Policy.FIRST, Policy.VALUE)
    late = [negation(one.decides) for one in earlier] if by_order else []
    if asker.ask(formulas.meant, this.decides, *late) is not Answer.IMPOSSIBLE:
        return Verdict(Fate.MATTERS)
    held = asker.ask(formulas.meant, this.holds)
    if held is not Answer.POSSIBLE:
        return Verdict(Fate.NEVER_HOLDS if held is Answer.IMPOSSIBLE else Fate.MATTERS)
    silencers = [one for one in formulas.rules if rule.id in one.rule.supersedes]
    superseded = asker.reasons([negation(one.holds) for one in silencers], formulas.meant, this.holds)
    if superseded is not None:
        return Verdict(Fate.SUPERSEDED, _names(silencers, superseded))
    if asker.ask(formulas.meant, this.decides) is Answer.IMPOSSIBLE:
        return Verdict(Fate.NO_VALUE)
    return Verdict(Fate.LATE, _names(earlier, asker.reasons(late, formulas.meant, this.decides) or []))


def _names(rules: tuple[RuleFormulas, ...] | list[RuleFormulas], positions: list[int]) -> tuple[str, ...]:
    return tuple(rules[position].rule.id for position in positions)


def _never_holds(court: Court, rule: Rule) -> Problem:
    """A condition that excludes itself, or what its topic or other topics leave over."""
    what = f"rule {rule.id} can never hold"
    formulas = court.formulas(rule.topic, rule.counts_in[-1], rule.layer)
    at_large = court.asker_at_large(formulas.reads)
    condition: Formula = formulas[rule.id].holds
    if at_large.ask(condition, formulas.meant) is Answer.POSSIBLE:
        topics = sorted(court.knowledge.condition(rule).names & set(court.knowledge.topics))
        what += f" with what is ever recommended as {join_names(topics or sorted(court.upstream(formulas.reads)))}"
    elif at_large.ask(condition) is Answer.POSSIBLE:
        what += " where its topic applies"
    return Problem(rule.where, f"{what}: `{rule.when}`.", "Correct or delete it.")


def _without_effect(rule: Rule, verdicts: list[Verdict]) -> Problem:
    by = join_names(list(dict.fromkeys(name for verdict in verdicts for name in verdict.by)), "or") or "an earlier rule"
    fates = {verdict.fate for verdict in verdicts}
    if fates == {Fate.NO_VALUE}:
        what = f"rule {rule.id} never gives a value: `{rule.value}` cannot be computed, or is out of bounds, wherever it holds."
        return Problem(rule.where, what, "Correct or delete it.")
    if fates == {Fate.SUPERSEDED}:
        what = f"rule {rule.id} never counts: wherever it holds, so does {by}, which supersedes it."
        return Problem(rule.where, what, "Narrow what supersedes it, or delete it.")
    what = f"rule {rule.id} never decides: wherever it holds, {by} comes first."
    return Problem(rule.where, what, "Narrow what comes first, move it up with `before`, or delete it.")


def _unmeetable(court: Court, rule: Rule, expects: str) -> Iterator[Problem]:
    for school in rule.counts_in:
        formulas = court.formulas(rule.topic, school, rule.layer)
        expected = court.situations.seen.truth(expects).true
        answer = court.asker(rule.topic, school).ask(formulas.meant, formulas[rule.id].holds, expected)
        if answer is not Answer.IMPOSSIBLE:
            return
    at_all = court.asker_at_large(court.knowledge.expression(expects).names).ask(expected)
    where = " where it holds" if at_all is Answer.POSSIBLE else ""
    yield Problem(rule.where, f"rule {rule.id} expects what no probe can find{where}.", "Correct what it expects.")
