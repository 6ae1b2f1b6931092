"""Pages on the plan that the plain wizard shows on demand, laid out for this terminal."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from advisor.cli.console import look
from advisor.errors import InputError, Problem, input_error
from advisor.inference.plan import Plan
from advisor.interview.agenda import first_questions
from advisor.interview.changes import WhatIf
from advisor.knowledge.model import Knowledge
from advisor.report import words
from advisor.report.numbers import figure_page
from advisor.report.page import Page
from advisor.report.plan.brief import brief_of, brief_page
from advisor.report.plan.comparison import compare_what_if, comparison_page
from advisor.report.plan.explanation import Explanation, explain, find_topic
from advisor.report.plan.explanation_text import explanation_page, how_page
from advisor.report.plan.text import plan_page, status_mark
from advisor.report.rules.glossary import find_term, glossary_page
from advisor.session.inputs import Inputs
from advisor.session.outlook import outlook_of
from advisor.wording import join_names, shorten


@dataclass(frozen=True)
class WizardPages:
    """Pages on the plan as it stands: `current` makes it anew, `told` are the arguments by which another command makes it, and
    `inputs` what it is made from."""

    knowledge: Knowledge
    current: Callable[[], Plan]
    told: Callable[[], str]
    inputs: Callable[[], Inputs]

    def first_screen(self, more: str) -> str:
        """The plan on one screen; `more` is what to type for the rest."""
        plan, inputs = self.current(), self.inputs()
        data = inputs.inspection is not None
        outlook = outlook_of(inputs, plan)
        brief = brief_of(plan, self.knowledge, self.told(), data=data, questions=first_questions(plan), outlook=outlook)
        return brief_page(brief, look(), more=more)

    def whole(self) -> str:
        return plan_page(self.current(), self.knowledge, look(), self.told())

    def overview(self) -> str:
        """A line for each recommendation."""
        page = Page(look())
        left_out = []
        for entry in self.current().recommendations.values():
            if not words.is_advice(entry):
                left_out.append(entry.topic)
                continue
            advice = words.advice_words(self.knowledge, entry, explained=False)
            page.add(f"{entry.topic}: {advice}", first=status_mark(entry, page.look))
        if left_out:
            page.add(f"No advice on {', '.join(left_out)}.")
        return page.text()

    def how(self, topic: str) -> str:
        if topic in self.knowledge.figures.figures:  # a computed number: its formula and what went into it
            figure = next((figure for figure in self.current().figures if figure.name == topic), None)
            if figure is None:
                return f"{self.knowledge.figures.figures[topic].title} means nothing for this plan.\n"
            return figure_page(figure, self.knowledge, look())
        return how_page(self.current(), self.knowledge, named_topic(self.knowledge, topic), look())

    def why_not(self, topic_and_value: str) -> str:
        topic, value = topic_and_its_value(self.knowledge, topic_and_value)
        try:
            return self._explained(topic, value)
        except InputError as error:
            problems = [Problem(topic, problem.what, problem.remedy) for problem in error.problems]
            raise InputError(error.title, problems) from None

    def flip(self, topic: str) -> str:
        return self._explained(named_topic(self.knowledge, topic), None)

    def _explained(self, topic: str, value: str | None) -> str:
        """The part of an explanation that was asked for: why not this value, or else what would flip the topic."""
        plan = self.current()
        whole = explain(plan, self.knowledge, topic, value)
        flips = whole.entry.flips if value is None else ()
        entry = replace(whole.entry, alternatives=(), actions=(), flips=flips, measured=None)
        part: Explanation = replace(whole, entry=entry, grounds=(), lost=())
        if value is not None or flips:
            part = replace(part, assumed=(), unknown=())
            return explanation_page(part, plan, self.knowledge, look())
        page = explanation_page(part, plan, self.knowledge, look())
        return f"{page}No single answer that is changed would give another value.\n"

    def what_if(self, found: WhatIf) -> str:
        comparison = compare_what_if(self.knowledge, "as it stands", found.before, found.stated, found.after)
        return comparison_page(comparison, look())

    def term(self, term: str) -> str:
        return glossary_page(find_term(self.knowledge, term), look())


def named_topic(knowledge: Knowledge, text: str) -> str:
    """The topic of this name or title, or the only one whose name or title has a part that begins so.

    Raises:
        InputError: there is none, or there are several.
    """
    try:
        return find_topic(knowledge, text)
    except InputError as error:
        begun = text.strip().casefold().replace(" ", "_")
        found = [
            name
            for name, topic in knowledge.topics.items()
            if begun and (name.partition(".")[2].startswith(begun) or topic.title.casefold().startswith(begun))
        ]
        if len(found) == 1:
            return found[0]
        if found:
            what = f"{shorten(text)!r} could be {join_names(found, 'or')}"
            raise input_error("This could be several topics", what, remedy="Write its whole name.") from None
        raise error


def topic_and_its_value(knowledge: Knowledge, text: str) -> tuple[str, str]:
    """`network.type lstm` or `lstm` alone, where only one topic has that value. Raises InputError."""
    parts = text.split()
    for size in range(len(parts) - 1, 0, -1):
        first = " ".join(parts[:size])
        for name, known in knowledge.topics.items():
            if first == name or first.casefold() == known.title.casefold():
                return name, " ".join(parts[size:])
    owners = [name for name, topic in knowledge.topics.items() if text.strip() in topic.values]
    if len(owners) == 1:
        return owners[0], text
    if owners:
        what = f"{shorten(text)!r} is a value of {join_names(owners)}"
        raise input_error("Which topic is meant?", what, remedy=f"Write for example `why not {owners[0]} {text}`.")
    if len(parts) > 1:
        return named_topic(knowledge, parts[0]), " ".join(parts[1:])
    topic = named_topic(knowledge, text)
    remedy = f"Write for example `why not {topic} {next(iter(knowledge.topics[topic].values), '1')}`."
    raise input_error("Which value is meant?", f"{topic} has many", remedy=remedy)
