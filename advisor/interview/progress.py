"""The answers of a conversation so far, as a value: going back removes the last one."""

from __future__ import annotations

from dataclasses import dataclass

from advisor.facts.vocabulary import Value


@dataclass(frozen=True, slots=True)
class Progress:
    """Answers in the order given (None: not known), and the questions that were put off."""

    answers: tuple[tuple[str, Value | None], ...] = ()
    later: tuple[str, ...] = ()

    def with_answer(self, name: str, value: Value | None) -> Progress:
        others = tuple((other, said) for other, said in self.answers if other != name)
        later = tuple(other for other in self.later if other != name)
        return Progress((*others, (name, value)), later)

    def with_later(self, name: str) -> Progress:
        """Put the fact off; an earlier "don't know" no longer counts, an earlier value does."""
        answers = tuple((other, said) for other, said in self.answers if other != name or said is not None)
        return Progress(answers, (*(other for other in self.later if other != name), name))

    def said(self) -> dict[str, Value | None]:
        return dict(self.answers)

    def left_out(self) -> tuple[str, ...]:
        """Facts that were asked for, and neither answered nor taken up again."""
        return (*(name for name, said in self.answers if said is None), *self.later)


def finished(progress: Progress, where: str) -> str:
    """The words when nothing is left to ask; `where` begins to say where the unanswered questions can be seen."""
    left = len(progress.left_out())
    if not left:
        return "Nothing that you could still answer would change the plan."
    questions = "one question" if left == 1 else f"{left} questions"
    return f"Nothing else is asked. You left out {questions}, whose answers may still change the plan: {where} you left out."
