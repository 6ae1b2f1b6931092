"""The questions that are left: those that make the plan good, in the order of people, and after them the details.

A plan is good once no answer that a beginner can give is likely to change a headline of it, or moves its time and memory as
nothing else does. The first two questions of the
opening (of what the data are, and what should come out) stand above all others, since everything else is judged by them.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import replace
from functools import cached_property
from itertools import chain
from typing import Literal

from advisor.facts.fact_base import FactBase, Source
from advisor.facts.vocabulary import Fact
from advisor.inference.advise import consistent, engine_for, situation_of, values_of
from advisor.inference.explaining.likely import Likelihood
from advisor.inference.explaining.questions import Inquiry, Question
from advisor.inference.plan import Plan
from advisor.inference.program.steps import apply_steps
from advisor.knowledge.expressions.expressions import BOOLEAN
from advisor.knowledge.model import Knowledge, School

FIRST = 2
"""The number of questions of the opening on which the others are judged."""
LIKELY = 0.02
"""The likelihood of a change from which on a question is worth a beginner's time."""
LIKELY_IN_OPENING = 0.005
"""The same for a question of the opening: people expect it."""


def first_questions(plan: Plan) -> Iterator[tuple[str, str]]:
    """The facts that stand between a plan and a good plan, each with the question of a conversation, and after them whatever
    else could change it. Each is looked for when it is asked for: all together take longer than the plan."""
    if plan.knowledge is None:
        return
    program = engine_for(plan.knowledge, plan.school).program
    stated, _ = consistent(program, plan.stated)
    inquiry = inquiry_of(plan.knowledge, plan.school, stated, stated.declined)
    values = values_of(program, plan.stated)
    essential = [question.fact for question in Agenda(inquiry).essential]
    others = (question.fact for question in inquiry.ordered() if question.fact not in essential)
    yield from ((name, worded(plan.knowledge, name, values).question) for name in chain(essential, others))


def inquiry_of(knowledge: Knowledge, school: School, facts: FactBase, declined: Set[str]) -> Inquiry:
    """The questions that are open to people, who do not know what they `declined`.

    What only the plan's own choice tells, such as the size of the network that it names, counts as unknown where they could tell
    it, until they say that they cannot.
    """
    engine = engine_for(knowledge, school)
    values = situation_of(engine.program, facts).values
    for name, fact in knowledge.vocabulary.facts.items():
        known = facts.known(name)
        if fact.named_by and fact.familiar and known is not None and known.source is not Source.ASKED:
            chosen = facts.known(fact.named_by) is None and name not in declined
            if chosen and knowledge.expression(fact.familiar, BOOLEAN).at(list(values)) is True:
                facts = facts.without(name)
    asked = replace(facts, declined=facts.declined & declined)
    return Inquiry(engine, situation_of(engine.program, facts), asked)


def worded(knowledge: Knowledge, name: str, values: list[object]) -> Fact:
    """A fact in the words that fit what is known: what comes out of pictures is asked in other words than of texts."""
    fact = knowledge.vocabulary.facts[name]
    holding = (wording for wording in fact.wordings if knowledge.expression(wording.when).at(values) is True)
    return next((fact.worded(wording) for wording in holding), fact)


class Agenda:
    """The agenda of a conversation as it stands."""

    def __init__(self, inquiry: Inquiry) -> None:
        self._inquiry = inquiry
        self._program = inquiry.program
        names = self._program.knowledge.vocabulary.opening
        self._opening = {self._program.fact_slots[name]: place for place, name in enumerate(names)}

    @cached_property
    def essential(self) -> tuple[Question, ...]:
        """The questions that stand between this conversation and a good plan, the next one first."""
        candidates = self._inquiry.candidates()
        familiar = [slot for slot in candidates if self._holds(slot, "familiar")]
        always = [slot for slot in familiar if self._opening.get(slot, FIRST) < FIRST or self._holds(slot, "weighs")]
        likely = {slot: self._likelihood.change(slot) for slot in familiar}
        worth = [slot for slot in familiar if slot in always or likely[slot] >= self._least(slot)]
        last = len(self._opening)
        worth.sort(key=lambda slot: (self._opening.get(slot, last), -likely[slot], slot))
        return tuple(self._inquiry.question(slot, candidates[slot]) for slot in worth)

    @cached_property
    def details(self) -> tuple[Question, ...]:
        """All other questions whose answer can change something: by group, what is likely to change most first."""
        essential = {question.fact for question in self.essential}
        others = [
            question
            for question in self._inquiry.ordered()
            if question.fact not in essential and not self._is_named(question)
        ]
        return tuple(sorted(others, key=self._inquiry.turn))

    def _is_named(self, question: Question) -> bool:
        """Return whether the plan names what tells the answer, such as a published network its number of weights."""
        topic = self._program.topics.get(self._inquiry.fact(question).named_by)
        if topic is None:
            return False
        outcome = self._inquiry.engine.reported(topic, self._inquiry.situation)
        return isinstance(outcome, str) and outcome != "none"

    def _least(self, slot: int) -> float:
        return LIKELY_IN_OPENING if slot in self._opening else LIKELY

    @cached_property
    def _likelihood(self) -> Likelihood:
        return Likelihood(self._inquiry.engine, self._inquiry.situation)

    def _holds(self, slot: int, declared: Literal["familiar", "weighs"]) -> bool:
        """Return whether what the vocabulary declares of a fact holds as things stand."""
        condition = getattr(self._program.facts[slot], declared)
        return condition is not None and self._program.knowledge.expression(condition, BOOLEAN).at(self._values) is True

    @cached_property
    def _values(self) -> list[object]:
        situation = self._inquiry.situation
        values = list(situation.values)
        apply_steps(self._program.steps, values, assume=True, blank=situation.blank)
        return values
