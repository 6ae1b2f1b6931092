"""Beginners in the interview: when a good plan is ready for them, and whether what matters in it is what it is at the end.

A beginner answers what the vocabulary calls familiar and knows nothing else. The plan that is ready is held against the plan
after all other questions, answered by the same beginner, and against that of somebody who knows everything.
"""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from people import Person, as_text

from advisor.facts.fact_base import FactBase, Source
from advisor.inference.advise import VALUES_ONLY, advise, engine_for, values_of
from advisor.interview.interview import Interview
from advisor.knowledge.expressions.expressions import BOOLEAN
from advisor.knowledge.model import Knowledge


@dataclass(frozen=True, slots=True)
class Beginning:
    """The questions to the good plan and to the end, and the headlines that differ at the end, and for who knows everything."""

    person: Person
    to_good: tuple[str, ...]
    to_end: int
    differ: frozenset[str]
    differ_from_all: frozenset[str]


def begun(knowledge: Knowledge, person: Person) -> Beginning:
    interview = Interview(knowledge, FactBase.of(person.machine, Source.DETECTED), person.school)
    asked: list[str] = []
    ready: tuple[tuple[str, ...], dict[str, object]] | None = None
    while True:
        question = interview.question()
        if ready is None and interview.ready:
            ready = (tuple(asked), _headlines(interview))
        if question is None:
            break
        asked.append(question.fact)
        if question.fact in person.truths and _is_familiar(interview, question.fact):
            interview.answer(question.fact, as_text(person.truths[question.fact]))
        else:
            interview.do_not_know(question.fact)
    assert ready is not None
    to_good, good = ready
    known = FactBase.of(person.machine, Source.DETECTED).with_values(person.truths, Source.ASKED)
    everything = advise(knowledge, known, person.school, VALUES_ONLY)
    differ_from_all = frozenset(name for name, value in good.items() if everything.value(name) != value)
    return Beginning(person, to_good, len(asked), _differing(good, _headlines(interview)), differ_from_all)


def _headlines(interview: Interview) -> dict[str, object]:
    plan = interview.plan(VALUES_ONLY)
    return {name: plan.value(name) for name, topic in interview.knowledge.topics.items() if topic.headline}


def _differing(one: Mapping[str, object], other: Mapping[str, object]) -> frozenset[str]:
    return frozenset(name for name, value in one.items() if other[name] != value)


def _is_familiar(interview: Interview, name: str) -> bool:
    knowledge, fact = interview.knowledge, interview.fact(name)
    values = values_of(engine_for(knowledge, interview.school).program, interview.facts())
    return fact.familiar is not None and knowledge.expression(fact.familiar, BOOLEAN).at(values) is True


def table(results: Sequence[Beginning]) -> str:
    count = len(results)
    low, middle, high = statistics.quantiles([len(r.to_good) for r in results], n=4, method="inclusive")
    same, known = (
        sum(not d for d in found) for found in zip(*((r.differ, r.differ_from_all) for r in results), strict=True)
    )
    moved = Counter(name for r in results for name in r.differ)
    asked = Counter(name for r in results for name in r.to_good)
    usual = ", ".join(f"{name} {times / count:.0%}" for name, times in asked.most_common())
    return "\n".join([
        f"beginners: {count} people",
        f"  questions to the good plan: 25 % {low:.0f}, median {middle:.0f}, 75 % {high:.0f}, "
        f"worst {max(len(r.to_good) for r in results)}; to the end: median {statistics.median(r.to_end for r in results):.0f}",
        f"  all headlines as at the end: {same} of {count} ({same / count:.1%}); moved: {dict(moved) or 'none'}",
        f"  all headlines as for somebody who knows everything: {known} of {count} ({known / count:.1%})",
        f"  asked: {usual}",
    ])  # fmt: skip
