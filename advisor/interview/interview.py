"""A conversation that ends in a plan: it asks only what can still change a recommendation.

Every step makes a new immutable `Progress`, so going back is taking the last one away.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace

from advisor.errors import InputError, input_error
from advisor.facts.answers import answers_text, unknown_fact
from advisor.facts.fact_base import FactBase, Known, Source
from advisor.facts.values import parse_value
from advisor.facts.vocabulary import Fact, FactType, Value
from advisor.inference.advise import (
    VALUES_ONLY,
    WITH_REASONS,
    Detail,
    advise,
    consistent,
    engine_for,
    values_of,
)
from advisor.inference.explaining.questions import Question
from advisor.inference.plan import Plan
from advisor.inference.proof.engine import Engine
from advisor.interview.agenda import Agenda, inquiry_of, worded
from advisor.interview.changes import Change, WhatIf, changes
from advisor.interview.choosing import spelled_out
from advisor.interview.influence import Influence, influence, unused_answers
from advisor.interview.progress import Progress
from advisor.knowledge.model import Knowledge, School

OPENED, OPENED_WITHIN = 5, 20
"""About as many questions are opened by answers, within so many answers: a count without them would stand still."""
MOST_COMPARED = 4
"""Answers of a question whose plans are compared with each other."""
MANY_UNKNOWN = 3
"""The number of answers that people may not know before the usual plan is made."""
Adviser = Callable[[FactBase, School, Detail], Plan]


@dataclass
class Interview:
    """One conversation. `observed` are facts that were detected or published; answers outrank them.

    `complete` adds what follows from the facts outside the rules (published figures of a card that was named), `adviser`
    makes the plan where more than the facts counts (what was measured on this machine before), `counted` adds what need not
    be asked because the plan's own network has it.
    """

    knowledge: Knowledge
    observed: FactBase = field(default_factory=FactBase)
    school: School = School.TODAY
    progress: Progress = field(default_factory=Progress)
    complete: Callable[[FactBase], FactBase] | None = None
    adviser: Adviser | None = None
    counted: Callable[[FactBase, School], FactBase] | None = None
    _history: list[tuple[Progress, str]] = field(default_factory=list)
    _wanted: str | None = None
    _changing: bool = False
    _worked_out: tuple[tuple[Progress, FactBase, School], Agenda] | None = None

    # --- where the conversation stands -----------------------------------------------------------------------------

    def facts(self, progress: Progress | None = None) -> FactBase:
        return self._facts_with((progress or self.progress).said())

    def _facts_with(self, said: Mapping[str, Value | None]) -> FactBase:
        facts = self.observed.with_values(said, Source.ASKED)
        if self._is_usual(said):
            declared = self.knowledge.vocabulary.facts
            facts = replace(
                facts, declined=facts.declined | {n for n in declared if declared[n].usual and n not in said}
            )
        return self.complete(facts) if self.complete else facts

    def question(self) -> Question | None:
        """The next question; None when no answer can change anything any more."""
        if self._wanted is not None:
            agenda = self._agenda()
            left = (*agenda.essential, *agenda.details)
            return Question(self._wanted, next((q.topics for q in left if q.fact == self._wanted), ()))
        agenda = self._agenda()
        essential = self._not_put_off(agenda.essential)
        if essential:
            return essential[0]
        if details := self._not_put_off(agenda.details):
            return details[0]
        put_off = self.progress.later
        left = (*agenda.essential, *agenda.details)
        return min(left, key=lambda question: put_off.index(question.fact), default=None)

    def _not_put_off(self, questions: tuple[Question, ...]) -> list[Question]:
        return [question for question in questions if question.fact not in self.progress.later]

    @property
    def ready(self) -> bool:
        """True once a good plan is ready: what is left to ask is likely to change details only, or most is not known anyway."""
        return self.usual or not self._not_put_off(self._agenda().essential)

    @property
    def usual(self) -> bool:
        """True once so much is not known that the usual value is assumed of everything that people are asked for first."""
        return self._is_usual(self.progress.said())

    def _is_usual(self, said: Mapping[str, Value | None]) -> bool:
        facts = self.knowledge.vocabulary.facts
        return sum(value is None and facts[name].usual is not None for name, value in said.items()) >= MANY_UNKNOWN

    def details(self) -> tuple[Question, ...]:
        """The questions that change details only, by group; nobody need answer them."""
        return self._agenda().details

    def _engine(self) -> Engine:
        return engine_for(self.knowledge, self.school)

    def _agenda(self) -> Agenda:
        """The questions that are left, worked out once for every state of the conversation."""
        state = (self.progress, self.observed, self.school)
        if self._worked_out is None or any(a is not b for a, b in zip(state, self._worked_out[0], strict=True)):
            self._worked_out = (state, self._new_agenda())
        return self._worked_out[1]

    def _new_agenda(self) -> Agenda:
        facts = self.facts()
        base, _ = consistent(self._engine().program, self.counted(facts, self.school) if self.counted else facts)
        return Agenda(inquiry_of(self.knowledge, self.school, base, self.progress.said().keys()))

    def questions_left(self) -> int:
        """The approximate number of questions left: those that matter as things stand (answers can close or open some)."""
        agenda = self._agenda()
        names = {question.fact for question in (*agenda.essential, *agenda.details)}
        return len(names | {self._wanted} if self._wanted else names)

    def questions_expected(self) -> int:
        """The same with those that answers will probably open: the fewer were given, the more of them. 0 only at the end."""
        left = self.questions_left()
        open_yet = max(0.0, 1 - len(self.progress.answers) / OPENED_WITHIN)
        return left + round(OPENED * open_yet) if left else 0

    @property
    def essentials_left(self) -> int:
        """The approximate number of questions until a good plan is ready."""
        return 0 if self.usual else len(self._not_put_off(self._agenda().essential))

    @property
    def details_left(self) -> int:
        """The approximate number of questions beyond a good plan."""
        return self.questions_left() - self.essentials_left

    def why(self, name: str) -> Influence:
        """The topics whose recommendation the answer to this question can change, answered or not."""
        return influence(self._engine(), self.facts(), name)

    def effects(self, name: str) -> dict[str, Plan]:
        """The plan that would follow from each answer, by its name, without reasons; empty where there are too many answers.

        An answer that the others exclude is left out. Takes a plan (tens of milliseconds) for each.
        """
        fact = self.fact(name)
        texts = ("yes", "no") if fact.type is FactType.BOOLEAN else fact.choice_names
        if fact.type not in (FactType.BOOLEAN, FactType.CHOICE) or len(texts) > MOST_COMPARED:
            return {}
        found = {}
        for text in texts:
            with suppress(InputError):
                found[text] = self._advise(self.supposed({name: text}), VALUES_ONLY)
        return found

    def unused(self) -> tuple[str, ...]:
        """Answers that are kept but not used: beside the others they mean nothing, or nothing depends on them."""
        answered = [name for name, value in self.progress.answers if value is not None]
        return unused_answers(self._engine(), self.facts(), answered)

    def fact(self, name: str) -> Fact:
        """The fact in the words that fit what is known."""
        fact = self.knowledge.vocabulary.facts[name]
        if not fact.wordings:
            return fact
        return worded(self.knowledge, name, values_of(self._engine().program, self.facts()))

    def present(self, name: str) -> Known | None:
        """The value of the fact if nobody answers: an observation, or an assumption."""
        return self.facts().known(name) or self._advise(self.facts(), VALUES_ONLY).facts.get(name)

    def plan(self, detail: Detail | None = None) -> Plan:
        return self._advise(self.facts(), detail or Detail())

    def _advise(self, facts: FactBase, detail: Detail) -> Plan:
        if self.adviser is not None:
            return self.adviser(facts, self.school, detail)
        return advise(self.knowledge, facts, self.school, detail)

    def what_if(self, stated: Mapping[str, str], detail: Detail | None = None) -> WhatIf:
        """Compare the plan as it stands with the plan if these facts (as texts, like answers) were so; nothing is changed.

        Raises:
            InputError: a text is no value of its fact, or the facts exclude each other.
        """
        values = {name: self.read(name, text) for name, text in stated.items()}
        wanted = detail or WITH_REASONS
        return WhatIf(values, self._advise(self.facts(), wanted), self._advise(self.supposed(stated), wanted))

    def supposed(self, stated: Mapping[str, str]) -> FactBase:
        """The facts if these, too, were answered so (as texts; nothing is changed). Raises InputError."""
        said = self.progress.said()
        for name, text in stated.items():
            said.update(self._read(name, text))
        return self._facts_with(said)

    # --- what can be said ------------------------------------------------------------------------------------------

    def read(self, name: str, text: str) -> Value | None:
        """The value that a text states, None for unknown; choices also by number or by a beginning. Raises InputError."""
        return self._read(name, text)[name]

    def _read(self, name: str, text: str) -> dict[str, Value | None]:
        """The value that a text states, and with a shortcut those of other facts."""
        declared, fact = self.knowledge.vocabulary.facts, self.fact(name)
        spelled = spelled_out(fact, text)
        for shortcut in fact.shortcuts:
            if spelled == shortcut.name:
                return {other: parse_value(declared[other], said) for other, said in shortcut.stands_for}
        return {name: parse_value(declared[name], spelled)}

    def answer(self, name: str, text: str) -> tuple[Change, ...]:
        """Take an answer as text; return what it moved. Raises InputError; nothing has changed then."""
        return self._answered(name, self._read(name, text))

    def do_not_know(self, name: str) -> tuple[Change, ...]:
        return self._answered(name, {name: None})

    def skip(self, name: str) -> tuple[Change, ...]:
        """Leave the fact as it is, answered, observed or not, and do not ask for it again."""
        if self.facts().known(name) is not None:
            self._wanted, self._changing = None, False
            return ()
        return self.do_not_know(name)

    def later(self, name: str) -> None:
        """Ask again when nothing else is left to ask; an earlier answer stays."""
        self._step(self.progress.with_later(name), name)

    def back(self) -> bool:
        """Undo the last step, so that the same fact is asked for again; return False if there is nothing to undo."""
        if self._changing:
            self._wanted, self._changing = None, False
            return True
        if not self._history:
            return False
        self.progress, self._wanted = self._history.pop()
        return True

    def change(self, name: str) -> None:
        """Ask for this fact next, answered or not. Raises InputError if no such fact can be asked for."""
        fact = self.knowledge.vocabulary.facts.get(name)
        if fact is None:
            problem = unknown_fact(self.knowledge.vocabulary, name, "change", self.knowledge.topics)
            raise InputError("There is no such fact", [problem])
        if fact.group == "probe":
            raise input_error(
                "This is measured, not asked", name, where="change", remedy="`advisor probe` measures it."
            )
        self._wanted, self._changing = name, True

    def _answered(self, name: str, said: Mapping[str, Value | None]) -> tuple[Change, ...]:
        progress = self.progress
        for other, value in said.items():
            progress = progress.with_answer(other, value)
        before = self._advise(self.facts(), VALUES_ONLY)
        after = self._advise(self.facts(progress), VALUES_ONLY)  # raises before anything has changed
        self._step(progress, name)
        return changes(before, after)

    def _step(self, progress: Progress, name: str) -> None:
        self._history.append((self.progress, name))
        self.progress = progress
        self._wanted, self._changing = None, False

    # --- answers on file -------------------------------------------------------------------------------------------

    def answers_text(self) -> str:
        """The answers as a file that `advisor recommend` and the wizard read."""
        heading = "Answers given to the advisor's wizard."
        if unused := self.unused():
            heading += f"\nKept, but not used beside the others: {', '.join(unused)}."
        declined = self.facts().declined
        not_said = dict.fromkeys(name for name in self.knowledge.vocabulary.facts if name in declined)
        return answers_text(self.knowledge.vocabulary, {**not_said, **self.progress.said()}, heading)

    def restore(self, answers: Mapping[str, Value | None], later: tuple[str, ...]) -> dict[str, InputError]:
        """Take up earlier answers, one step each so that going back works.

        Returns the answers that contradict the others (the machine may have changed) and why; they are asked for again.
        """
        refused: dict[str, InputError] = {}
        self.progress = replace(self.progress, later=tuple(name for name in later if name not in answers))
        for name, value in answers.items():
            progress = self.progress.with_answer(name, value)
            try:
                consistent(self._engine().program, self.facts(progress))
            except InputError as error:
                refused[name] = error
                continue
            self._step(progress, name)
        return refused
