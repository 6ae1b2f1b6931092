"""The conversation line by line: for pipes, screen readers and simple terminals.

Each prompt names its fact in square brackets. An empty line means "I don't know", `?` explains, `<` goes back, `why` and
`later` and `change NAME` do what they say, `save FILE` writes the report, `!` or the end of input stops with the plan.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from advisor.errors import InputError
from advisor.facts.values import describe
from advisor.facts.vocabulary import Fact, FactType
from advisor.inference.plan import Status
from advisor.inference.questions import Question
from advisor.interview.interview import Change, Interview

HELP = (
    "Answer by word, by number, or by value with unit. An empty line: I don't know.",
    "  ?            explain the question      why        what the answer can change",
    "  <            go back                   later      ask again at the end",
    "  change NAME  give another answer       save FILE  write the report so far",
    "  !            stop here and print the plan",
)
MOST_CHANGES = 6


class Stopped(Exception):  # noqa: N818 - an event, not an error
    """The user wants no more questions."""


@dataclass
class PlainFace:
    """Speaks through two functions: `read(prompt)` raises EOFError at the end of input, `say(line)` prints."""

    interview: Interview
    read: Callable[[str], str]
    say: Callable[[str], None]
    after_step: Callable[[], None]
    save_report: Callable[[str], object]
    complain: Callable[[InputError], None]

    def run(self) -> bool:
        """Asks until nothing can change any more (True) or the user stops (False)."""
        for line in HELP:
            self.say(line)
        while (question := self.interview.question()) is not None:
            try:
                self._ask(question)
            except (Stopped, EOFError):
                return False
        return True

    def _ask(self, question: Question) -> None:
        fact = self.interview.fact(question.fact)
        left = self.interview.questions_left()
        self.say("")
        self.say(f"About {left} question{'s' if left != 1 else ''} left.")
        self.say(fact.question)
        for number, (choice, meaning) in enumerate(fact.choices, start=1):
            label = f"{number}  {choice}" if fact.type is FactType.CHOICE else f"-  {choice}"
            self.say(f"  {label}: {meaning}")
        present = self.interview.present(fact.name)
        if present is not None:
            self.say(f"  ({present.source.value}: {describe(fact, present.value)})")
        self._say_changes(self._reply(question, fact))

    def _reply(self, question: Question, fact: Fact) -> tuple[Change, ...]:
        """Reads lines until one of them moves the conversation on."""
        while True:
            text = self.read(f"[{fact.name}] ").strip()
            word, _, rest = text.partition(" ")
            try:
                if text == "!":
                    raise Stopped
                if text == "?":
                    self._explain(fact)
                elif text == "why":
                    self._why(question)
                elif text == "later":
                    self.interview.later(fact.name)
                    return self._moved(())
                elif text == "<":
                    if self.interview.back():
                        return self._moved(())
                    self.say("This is the first question.")
                elif word == "change" and rest.strip():
                    self.interview.change(rest.strip())
                    return ()
                elif word == "save" and rest.strip():
                    self.save_report(rest.strip())
                elif not text:
                    return self._moved(self.interview.do_not_know(fact.name))
                else:
                    return self._moved(self.interview.answer(fact.name, text))
            except InputError as error:
                self.complain(error)

    def _moved(self, changes: tuple[Change, ...]) -> tuple[Change, ...]:
        self.after_step()
        return changes

    def _explain(self, fact: Fact) -> None:
        self.say(fact.help)
        if fact.numeric:
            unit = f" in {fact.unit}" if fact.unit else ""
            low, high = (describe(fact, int(bound) if bound == int(bound) else bound) for bound in _bounds(fact))
            self.say(f"A number{unit}, from {low} to {high}.")
        elif fact.type is FactType.BOOLEAN:
            self.say("Answer yes or no.")
        elif fact.type is FactType.SET:
            self.say("Name all that apply, separated by commas, or none.")
        for line in HELP:
            self.say(line)

    def _why(self, question: Question) -> None:
        topics = self.interview.why(question)
        if not topics:
            self.say("As things stand the answer changes nothing.")
            return
        plan = self.interview.plan()
        self.say("The answer can change:")
        for name in topics:
            entry = plan.recommendations[name]
            now = f"now {_shown(entry.value)}, {entry.status.value}" if entry.value is not None else "now open"
            self.say(f"  {entry.title} ({now})")

    def _say_changes(self, changes: tuple[Change, ...]) -> None:
        lines = []
        for change in changes:
            if change.after.status is Status.NOT_APPLICABLE:
                lines.append(f"  -> {change.after.title}: not applicable")
            elif change.after.value != change.before.value or change.after.status is Status.SETTLED:
                lines.append(f"  -> {change.after.title}: {_shown(change.after.value)} ({change.after.status.value})")
        lines.sort(key=lambda line: not line.endswith("(settled)"))  # what is sure first
        for line in lines[:MOST_CHANGES]:
            self.say(line)
        if len(lines) > MOST_CHANGES:
            self.say(f"  -> and {len(lines) - MOST_CHANGES} more")


def _bounds(fact: Fact) -> tuple[float, float]:
    return fact.minimum, fact.maximum


def _shown(value: object) -> str:
    if value is None:
        return "open"
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "nothing"
    return str(value)
