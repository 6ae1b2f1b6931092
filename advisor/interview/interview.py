"""A conversation that ends in a plan: it asks only what can still change a recommendation.

Every step makes a new immutable `Progress`, so going back is taking the last one away.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from advisor.errors import InputError, did_you_mean, input_error, shorten
from advisor.facts.fact_base import FactBase, Known, Source
from advisor.facts.values import parse_value
from advisor.facts.vocabulary import Fact, FactType, Value
from advisor.inference.advise import Detail, advise, consistent, engine_for, situation_of
from advisor.inference.plan import Plan, Recommendation
from advisor.inference.questions import Inquiry, Question
from advisor.knowledge.model import Knowledge, School


@dataclass(frozen=True, slots=True)
class Progress:
    """What has been said so far: answers in the order given (None: not known), and what was put off."""

    answers: tuple[tuple[str, Value | None], ...] = ()
    later: tuple[str, ...] = ()

    def with_answer(self, name: str, value: Value | None) -> Progress:
        others = tuple((other, said) for other, said in self.answers if other != name)
        later = tuple(other for other in self.later if other != name)
        return Progress((*others, (name, value)), later)

    def with_later(self, name: str) -> Progress:
        return replace(self, later=(*(other for other in self.later if other != name), name))

    def said(self) -> dict[str, Value | None]:
        return dict(self.answers)


@dataclass(frozen=True, slots=True)
class Change:
    """A recommendation that the last answer moved."""

    topic: str
    before: Recommendation
    after: Recommendation


@dataclass
class Interview:
    """One conversation. `observed` are facts that were detected or published; answers outrank them."""

    knowledge: Knowledge
    observed: FactBase = field(default_factory=FactBase)
    school: School = School.TODAY
    progress: Progress = field(default_factory=Progress)
    _history: list[Progress] = field(default_factory=list)
    _wanted: str | None = None
    _changing: bool = False

    # --- where the conversation stands -----------------------------------------------------------------------------

    def facts(self, progress: Progress | None = None) -> FactBase:
        return self.observed.with_values((progress or self.progress).said(), Source.ASKED)

    def question(self) -> Question | None:
        """What to ask now; None when no answer can change anything any more."""
        if self._wanted is not None:
            topics = next((q.topics for q in self._inquiry().questions() if q.fact == self._wanted), ())
            return Question(self._wanted, topics)
        put_off = set(self.progress.later)
        postponed: Question | None = None
        for question in self._inquiry().ordered():
            if question.fact not in put_off:
                return question
            if postponed is None or (put_off and self._earlier(question.fact, postponed.fact)):
                postponed = question
        return postponed

    def _earlier(self, one: str, other: str) -> bool:
        return self.progress.later.index(one) < self.progress.later.index(other)

    def _inquiry(self) -> Inquiry:
        engine = engine_for(self.knowledge, self.school)
        base, _ = consistent(engine.program, self.facts())
        return Inquiry(engine, situation_of(engine.program, base), base)

    def why(self, question: Question) -> tuple[str, ...]:
        """The topics whose recommendation the answer can change."""
        return self._inquiry().why(question)

    def questions_left(self) -> int:
        """About how many more questions: those that could matter as things stand (answers can close or open some)."""
        return len(self._inquiry().candidates())

    def fact(self, name: str) -> Fact:
        return self.knowledge.vocabulary.facts[name]

    def present(self, name: str) -> Known | None:
        """What is taken for the fact if nobody answers: an observation, or an assumption."""
        return self.facts().known(name) or advise(self.knowledge, self.facts(), self.school, _BRIEF).facts.get(name)

    def plan(self, detail: Detail | None = None) -> Plan:
        return advise(self.knowledge, self.facts(), self.school, detail or Detail())

    # --- what can be said ------------------------------------------------------------------------------------------

    def answer(self, name: str, text: str) -> tuple[Change, ...]:
        """Takes an answer as text; returns what it moved. Raises InputError, and nothing has changed then."""
        value = parse_value(self.fact(name), self._numbered(name, text))
        return self._step(self.progress.with_answer(name, value))

    def _numbered(self, name: str, text: str) -> str:
        """Choices can be given by their number in the list."""
        fact = self.fact(name)
        names = fact.choice_names
        if fact.type is FactType.CHOICE and text.strip().isdigit() and 1 <= int(text.strip()[:6]) <= len(names):
            return names[int(text.strip()) - 1]
        return text

    def do_not_know(self, name: str) -> tuple[Change, ...]:
        return self._step(self.progress.with_answer(name, None))

    def later(self, name: str) -> None:
        self._step(self.progress.with_later(name))

    def back(self) -> bool:
        """Takes the last step back, so that the same fact is asked for again; False when there is nothing to take back."""
        if self._changing:
            self._wanted, self._changing = None, False
            return True
        if not self._history:
            return False
        undone = self.progress
        self.progress = self._history.pop()
        self._wanted = _difference(undone, self.progress)
        return True

    def change(self, name: str) -> None:
        """Asks for this fact next, whatever was said of it. Raises InputError when there is no such fact to ask for."""
        fact = self.knowledge.vocabulary.facts.get(name)
        if fact is None:
            hint = did_you_mean(name, self.knowledge.vocabulary.facts)
            raise input_error("There is no such fact", f"{shorten(name)!r}", where="change", remedy=hint)
        if fact.group == "probe":
            raise input_error(
                "This is measured, not asked", name, where="change", remedy="`advisor probe` measures it."
            )
        self._wanted, self._changing = name, True

    def _step(self, progress: Progress) -> tuple[Change, ...]:
        before = advise(self.knowledge, self.facts(), self.school, _BRIEF)
        after = advise(self.knowledge, self.facts(progress), self.school, _BRIEF)  # raises before anything has changed
        self._history.append(self.progress)
        self.progress = progress
        self._wanted, self._changing = None, False
        return tuple(changes(before, after))


_BRIEF = Detail(reasons=False, flips=False, questions=False)


def changes(before: Plan, after: Plan) -> Iterator[Change]:
    """The recommendations whose value or status differs."""
    for topic, entry in after.recommendations.items():
        earlier = before.recommendations[topic]
        if (earlier.value, earlier.status) != (entry.value, entry.status):
            yield Change(topic, earlier, entry)


def _difference(later: Progress, earlier: Progress) -> str:
    """The fact that the last step was about."""
    if later.answers != earlier.answers:
        return later.answers[-1][0]
    return later.later[-1]


def restored(interview: Interview, answers: dict[str, Value | None], later: tuple[str, ...]) -> Interview:
    """The interview with what was said before, one step for each answer so that going back works."""
    for name, value in answers.items():
        try:
            interview._step(interview.progress.with_answer(name, value))
        except InputError:
            continue  # excluded by another answer or by the machine as it is now: asked again
    known = set(answers)
    interview.progress = replace(interview.progress, later=tuple(name for name in later if name not in known))
    return interview
