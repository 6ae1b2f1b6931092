"""The plan as a list beside the question: a line for each topic, and what the last step changed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from textual.content import Content
from textual.message import Message
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from advisor.inference.plan import Plan, Recommendation
from advisor.knowledge.model import Knowledge
from advisor.report.words import advice_words, grouped, status_counts
from advisor.tui.text import status
from advisor.tui.widgets.mouse import Choosing
from advisor.wording import printable, shorten

LONGEST = 60
"""Most characters of the advice in a line."""


class PlanList(Choosing):
    """Posts `Opened` with the topic whose line was chosen (Enter or a click)."""

    class Opened(Message):
        def __init__(self, topic: str) -> None:
            super().__init__()
            self.topic = topic

    def __init__(self, knowledge: Knowledge, *, id: str | None = None) -> None:
        super().__init__(markup=False, compact=True, id=id, classes="plan")
        self.knowledge = knowledge

    def show(self, plan: Plan, moved: Iterable[str] = ()) -> None:
        """Show this plan; mark topics that `moved`, and scroll to the first of them."""
        marked = frozenset(moved)
        kept = self.highlighted_option.id if self.highlighted_option is not None else None
        self.clear_options()
        self.add_options(list(self._entries(plan, marked)))
        self.border_title = f"Plan: {status_counts(plan)}"
        self.border_subtitle = f"»new: changed by the last step ({len(marked)})" if marked else ""
        first = next((name for name in (option.id for option in self.options) if name in marked), kept)
        if first is not None and any(option.id == first for option in self.options):
            self.highlighted = self.get_option_index(first)
            self.call_after_refresh(self.scroll_to_highlight)

    def on_resize(self) -> None:
        self.call_after_refresh(self.scroll_to_highlight)

    def _entries(self, plan: Plan, marked: frozenset[str]) -> Iterator[Option]:
        for group, entries in grouped(plan):
            yield Option(Content.styled(group, "bold $primary"), disabled=True)
            for entry in entries:
                yield Option(topic_line(self.knowledge, entry, moved=entry.topic in marked), id=entry.topic)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        if event.option_id is not None:
            self.post_message(self.Opened(event.option_id))


def topic_line(knowledge: Knowledge, entry: Recommendation, *, moved: bool = False) -> Content:
    """`»new ~ leaning   Network type: cnn`: marked by symbol and by word if the last step changed it."""
    advice = shorten(advice_words(knowledge, entry, explained=False), LONGEST)
    mark = "»new " if moved else "     "
    return Content.assemble((mark, "bold $text-accent"), status(entry), f"{printable(entry.title)}: ", (advice, "bold"))
