"""The reasons of one recommendation, beside the plan where the screen is wide enough for them."""

from __future__ import annotations

from collections.abc import Iterator

from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from advisor.inference.plan import Plan, Recommendation
from advisor.knowledge.model import Knowledge
from advisor.report.words import STATUS_MEANS, unknown_facts
from advisor.tui.labels import advice_label, value_label
from advisor.tui.text import FAINT, lines, plain, status
from advisor.wording import printable

MOST_QUESTIONS = 6


class Reasons(VerticalScroll):
    """Shows why a topic has the value that it has, what was not chosen, and what it still depends on."""

    HELP_TEXT = "The reasons of the line of the plan that is highlighted. The arrows scroll them."

    def __init__(self, knowledge: Knowledge, *, id: str | None = None) -> None:
        super().__init__(Static("", markup=False), id=id)
        self.knowledge = knowledge
        self.border_title = "Reasons"

    def show(self, plan: Plan, topic: str | None) -> None:
        entry = None if topic is None else plan.recommendations.get(topic)
        self.border_title = "Reasons" if entry is None else printable(f"Why: {entry.title}")
        parts = [plain("Choose a line of the plan.")] if entry is None else list(self._parts(plan, entry))
        self.query_one(Static).update(lines(parts))
        self.scroll_home(animate=False)

    def _parts(self, plan: Plan, entry: Recommendation) -> Iterator[Content]:
        yield Content.styled(printable(advice_label(self.knowledge, entry)), "bold")
        if entry.value is not None:
            yield Content.styled(printable(f"{entry.topic} = {entry.shown}"), FAINT)
        yield status(entry)
        yield Content.styled(STATUS_MEANS.get(entry.status, ""), FAINT)
        if entry.because:
            yield _heading("Because")
        for reason in entry.because:
            yield plain(f"• {reason.text}")
        if entry.alternatives:
            yield _heading("Instead of")
        for other in entry.alternatives:
            name = value_label(self.knowledge, entry.topic, other.value)
            yield Content.assemble("• ", (printable(name), "bold"), printable(f": {other.why_not}"))
        asked = [self.knowledge.vocabulary.facts[name] for name in unknown_facts(plan, entry)]
        questions = [fact.question for fact in asked if fact.group != "probe"]
        if questions:
            yield _heading("Could change with")
        for question in questions[:MOST_QUESTIONS]:
            yield plain(f"• {question}")
        if len(questions) > MOST_QUESTIONS:
            yield plain(f"• {len(questions) - MOST_QUESTIONS} more")


def _heading(text: str) -> Content:
    return Content.assemble("\n", (text, "bold $text-primary"))
