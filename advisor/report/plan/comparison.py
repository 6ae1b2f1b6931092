"""Two plans beside each other: the facts that differ, and the topics whose advice differs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from advisor.facts.values import to_json
from advisor.facts.vocabulary import Value
from advisor.inference.plan import Plan
from advisor.knowledge.model import Knowledge, Policy
from advisor.report import words
from advisor.report.numbers import figure_words
from advisor.report.page import Look, Page, Piece, Style
from advisor.wording import join_names

SIDE_BY_SIDE_FROM = 80


@dataclass(frozen=True, slots=True)
class Side:
    """The content of one plan, as JSON and in words. `why` is the first reason of a recommendation."""

    value: Any
    kind: str
    words: str
    why: str = ""


@dataclass(frozen=True, slots=True)
class Difference:
    name: str
    title: str
    a: Side
    b: Side


@dataclass(frozen=True, slots=True)
class Comparison:
    """`what_if` holds the facts that make the second plan out of the first, where it is no plan of its own."""

    a: str
    b: str
    school: str
    facts: tuple[Difference, ...]
    topics: tuple[Difference, ...]
    numbers: tuple[Difference, ...]
    same: int
    what_if: Mapping[str, Value | None] | None = None

    @property
    def labels(self) -> tuple[str, str]:
        return ("A", "B") if self.what_if is None else ("before", "after")

    def to_json(self) -> dict[str, Any]:
        return {
            "schema": "advisor/comparison/1",
            "a": self.a,
            "b": self.b,
            "school": self.school,
            "facts": [{"fact": d.name, **_sides(d, "source")} for d in self.facts],
            "topics": [{"topic": d.name, "title": d.title, **_sides(d, "status")} for d in self.topics],
            "numbers": [
                {"figure": d.name, "title": d.title, "unit": d.a.kind or d.b.kind, "a": d.a.value, "b": d.b.value}
                for d in self.numbers
            ],
            "same": self.same,
            **({} if self.what_if is None else {"what_if": {n: to_json(value) for n, value in self.what_if.items()}}),
        }


def _sides(difference: Difference, kind: str) -> dict[str, Any]:
    return {
        name: {"value": side.value, kind: side.kind or None, **({"because": side.why} if side.why else {})}
        for name, side in (("a", difference.a), ("b", difference.b))
    }


def compare_plans(knowledge: Knowledge, a: str, plan_a: Plan, b: str, plan_b: Plan) -> Comparison:
    """The differences: facts by value, topics by value or status."""
    names = [name for name in knowledge.vocabulary.facts if name in plan_a.facts or name in plan_b.facts]
    facts = [Difference(n, n, _fact(knowledge, plan_a, n), _fact(knowledge, plan_b, n)) for n in names]
    topics = [
        Difference(name, topic.title, _topic(knowledge, plan_a, name), _topic(knowledge, plan_b, name))
        for name, topic in knowledge.topics.items()
    ]
    differing = tuple(d for d in topics if (d.a.value, d.a.kind) != (d.b.value, d.b.kind))
    return Comparison(
        a=a,
        b=b,
        school=plan_a.school.value,
        facts=tuple(d for d in facts if d.a.value != d.b.value),
        topics=differing,
        numbers=tuple(_numbers(plan_a, plan_b)),
        same=len(topics) - len(differing),
    )


def compare_what_if(
    knowledge: Knowledge, before: str, plan: Plan, stated: Mapping[str, Value | None], then: Plan
) -> Comparison:
    """A plan beside the plan that the stated facts would make of it."""
    said = [
        f"{name} = {'unknown' if value is None else words.fact_words(knowledge, name, value)}"
        for name, value in stated.items()
    ]
    return replace(compare_plans(knowledge, before, plan, f"if {join_names(said)}", then), what_if=dict(stated))


def _numbers(plan_a: Plan, plan_b: Plan) -> Iterator[Difference]:
    """The most telling computed numbers, where people would read different ones."""
    both = [{figure.name: figure for figure in plan.figures if figure.headline} for plan in (plan_a, plan_b)]
    for name in dict.fromkeys([*both[0], *both[1]]):
        figures = [found.get(name) for found in both]
        a, b = (Side(f.value, f.unit, figure_words(f)) if f else Side(None, "", "means nothing") for f in figures)
        if a.words != b.words:
            yield Difference(name, next(figure.title for figure in figures if figure), a, b)


def _fact(knowledge: Knowledge, plan: Plan, name: str) -> Side:
    known = plan.facts.get(name)
    if known is None:
        return Side(None, "", "unknown")
    return Side(to_json(known.value), known.source.value, words.known_words(knowledge, name, known))


def _topic(knowledge: Knowledge, plan: Plan, name: str) -> Side:
    entry = plan.recommendations[name]
    one = knowledge.topics[name].policy is not Policy.ALL  # the meaning of every item of a list takes too much room
    status = words.STATUS_WORDS[entry.status]
    said = f"{words.advice_words(knowledge, entry, explained=one)}, {status}" if words.is_advice(entry) else status
    return Side(to_json(entry.value), entry.status.value, said, entry.because[0].text if entry.because else "")


# --- text ---------------------------------------------------------------------------------------------------------


def comparison_page(comparison: Comparison, look: Look) -> str:
    """Side by side where there is room, otherwise one below the other."""
    page = Page(look)
    for label, name in zip(comparison.labels, (comparison.a, comparison.b), strict=True):
        page.add((label, Style.STRONG), f": {name}")
    page.heading("FACTS THAT DIFFER")
    _differences(page, comparison.labels, comparison.facts, "All facts are the same.")
    page.heading("ADVICE THAT DIFFERS")
    _differences(page, comparison.labels, comparison.topics, "The plans are the same.")
    if comparison.numbers:
        page.heading("NUMBERS THAT DIFFER")
        _differences(page, comparison.labels, comparison.numbers, "")
    if comparison.topics and comparison.same:
        page.apart(f"The other {comparison.same} topics have the same advice, equally sure.")
    return page.text()


def _differences(page: Page, labels: tuple[str, str], differences: tuple[Difference, ...], none: str) -> None:
    if not differences:
        page.add(none)
        return
    rows: list[tuple[Piece, Piece, Piece]] = [(d.title, d.a.words, d.b.words) for d in differences]
    if page.look.columns >= SIDE_BY_SIDE_FROM:
        name_width = min(max(len(d.title) for d in differences), 30)
        width = (page.look.columns - name_width - 4) // 2
        first, second = labels
        for row in [("", (first, Style.STRONG), (second, Style.STRONG)), *rows]:
            page.columns([(cell,) for cell in row], [name_width, width, width])
        return
    for difference in differences:
        page.add((difference.title, Style.STRONG))
        for label, side in zip(labels, (difference.a, difference.b), strict=True):
            page.add(side.words, first=f"  {label}: ")
