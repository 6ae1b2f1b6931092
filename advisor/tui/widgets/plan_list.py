"""The plan as a list beside the question: a line for each topic, and what the last step changed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache

from textual.content import Content
from textual.events import Resize
from textual.message import Message
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from advisor.inference.plan import Plan, Recommendation
from advisor.interview.changes import Change
from advisor.knowledge.model import Knowledge
from advisor.report.words import STATUS_WORDS, grouped
from advisor.tui.labels import advice_label
from advisor.tui.text import FAINT, glyph, lines, status_legend
from advisor.tui.widgets.columns import Columns
from advisor.tui.widgets.mouse import Choosing
from advisor.wording import printable

MOVED = "◂"
"""Marks what the last step changed."""
UNPROVEN = "◌"
"""Stands for a status that is being worked out."""
WORKING = "working out what is certain now"
FLASH, FLASH_SECONDS = "bold on $primary-muted", 0.5
"""The style of a value that has just changed, and how long it has it."""
ARROW = " → "
TITLE_WIDTH = 22
UNFOLDED_AT_FIRST = ("Network", "Training")
_GROUP = "group:"
_FRAME = 6
"""Columns of a frame around its title."""


class PlanList(Choosing):
    """Posts `Opened` with the topic whose line was chosen (Enter or a click).

    A group is folded unless something in it moved, it is one of the first, or there is room for all; Enter turns it.
    """

    HELP_TEXT = (
        "The plan: ● settled, ◐ leaning, ○ open, ◆ measured, ◇ simulated. ◂ marks what the last step changed, with what it was "
        "before. Enter on a line opens its reasons; on a group it folds or unfolds it."
    )

    class Opened(Message):
        def __init__(self, topic: str) -> None:
            super().__init__()
            self.topic = topic

    def __init__(self, knowledge: Knowledge, *, id: str | None = None) -> None:
        super().__init__(markup=False, compact=True, id=id, classes="plan")
        self.knowledge = knowledge
        self._plan: Plan | None = None
        self._moved: dict[str, Change] = {}
        self._proven = True
        self.flashing: set[str] = set()
        """Topics whose new value stands out for the moment."""
        self._turned: set[str] = set()
        """Groups that were folded or unfolded by hand."""
        self._all = False
        self.border_title = "Plan"

    def show(self, plan: Plan, moved: Iterable[Change] = (), *, proven: bool = True) -> None:
        """Show this plan, with what `moved`, and scroll to the first of that. Unless it is `proven`, statuses of that follow."""
        before = {} if self._plan is None else self._plan.recommendations
        self._plan, self._moved, self._proven = plan, {change.topic: change for change in moved}, proven
        self._all = self._has_room()
        if proven:
            self._entitle()
        changed = f"{MOVED} {len(self._moved)} changed by the last step" if self._moved else ""
        self.border_subtitle = changed if proven else f"{UNPROVEN} {changed.removeprefix(MOVED).strip() or WORKING}"
        self._flash(
            topic for topic in self._moved if topic in before and _differ(before[topic], plan.recommendations[topic])
        )
        kept = self.highlighted_option.id if self.highlighted_option is not None else None
        self._list(kept)
        topics = [option.id for option in self.options if option.id and not option.id.startswith(_GROUP)]
        first = next((topic for topic in topics if topic in self._moved), None if kept else next(iter(topics), None))
        if first is not None:
            self.highlighted = self.get_option_index(first)
        self.call_after_refresh(self.scroll_to_highlight)

    def _entitle(self) -> None:
        """With how many recommendations there are by status, in words where they fit as a whole."""
        if self._plan is not None:
            said = f"Plan  {status_legend(self._plan)}"
            fits = len(said) + _FRAME <= (self.outer_size.width or _FRAME)
            self.border_title = said if fits else f"Plan  {status_legend(self._plan, words=False)}"

    def _flash(self, topics: Iterable[str]) -> None:
        """Let the values of these stand out for a moment, unless nothing shall move or have a colour."""
        new = set(topics)
        if new and self.app.animation_level != "none" and not self.app.no_color:
            self.flashing |= new
            self.set_timer(FLASH_SECONDS, self._calm_down)

    def _calm_down(self) -> None:
        shown = {option.id for option in self.options}
        calm, self.flashing = self.flashing, set()
        for topic in calm & shown:
            self.replace_option_prompt(topic, self._line(topic))

    def _list(self, highlighted: str | None) -> None:
        self.clear_options()
        self.add_options(list(self._entries()))
        if highlighted is not None and any(option.id == highlighted for option in self.options):
            self.highlighted = self.get_option_index(highlighted)

    def _has_room(self) -> bool:
        groups = [] if self._plan is None else grouped(self._plan)
        return self.size.height >= sum(1 + len(entries) for _, entries in groups) + len(self._moved) > 0

    def on_resize(self, event: Resize) -> None:
        self._entitle()
        if self._plan is not None and self._has_room() != self._all:
            self._all = not self._all
            self._list(self.highlighted_option.id if self.highlighted_option is not None else None)
        self.call_after_refresh(self.scroll_to_highlight)

    def _is_unfolded(self, group: str, entries: Iterable[Recommendation]) -> bool:
        itself = self._all or group in UNFOLDED_AT_FIRST or any(entry.topic in self._moved for entry in entries)
        return itself != (group in self._turned)

    def _entries(self) -> Iterator[Option]:
        for group, entries in () if self._plan is None else grouped(self._plan):
            unfolded = self._is_unfolded(group, entries)
            folded = "" if unfolded else f"  {len(entries)}"
            title = Content.assemble((f"{'▾' if unfolded else '▸'} {group}", "bold $text-primary"), (folded, FAINT))
            yield Option(title, id=f"{_GROUP}{group}")
            for entry in entries if unfolded else ():
                yield Option(self._line(entry.topic), id=entry.topic)

    def _line(self, topic: str) -> Columns:
        assert self._plan is not None  # noqa: S101 - its lines are shown
        entry, moved = self._plan.recommendations[topic], self._moved.get(topic)
        mark = glyph(entry.status) if self._proven or moved is None else Content.styled(UNPROVEN, FAINT)
        return topic_line(self.knowledge, entry, mark, moved, flashes=topic in self.flashing)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        name = event.option_id or ""
        if name.startswith(_GROUP):
            self._turned ^= {name.removeprefix(_GROUP)}
            self._list(name)
        else:
            self.post_message(self.Opened(name))

    @property
    def topic(self) -> str | None:
        """The topic whose line is highlighted."""
        option = self.highlighted_option
        return None if option is None or option.id is None or option.id.startswith(_GROUP) else option.id


def _differ(one: Recommendation, other: Recommendation) -> bool:
    """True where the values differ, and not only how sure they are."""
    return (one.value, one.tied) != (other.value, other.tied)


def topic_line(
    knowledge: Knowledge, entry: Recommendation, mark: Content, moved: Change | None = None, *, flashes: bool = False
) -> Columns:
    """`◐ Network type   CNN  was FFN  ◂`: the status, the advice, and what it was before the last step."""
    was = "" if moved is None else was_words(knowledge, moved)
    return _topic_line(mark, printable(entry.title), printable(advice_label(knowledge, entry)), was, flashes)


@lru_cache(maxsize=1000)
def _topic_line(mark: Content, title: str, advice: str, was: str, flashes: bool) -> Columns:
    """Kept, with what is drawn of it: an answer changes few of the lines."""
    return Columns(
        (mark, 1),
        (Content(title), TITLE_WIDTH),
        (Content.assemble((advice, FLASH if flashes else "bold"), (f"  {was}" if was else "", FAINT)), 0),
        (Content.styled(MOVED if was else " ", "bold $text-accent"), 1),
        gap=1,
    )


def was_words(knowledge: Knowledge, moved: Change) -> str:
    """`was FFN`, or `was leaning` where it is only surer or less sure now."""
    before = printable(advice_label(knowledge, moved.before))
    if before == printable(advice_label(knowledge, moved.after)):
        return f"was {STATUS_WORDS[moved.before.status]}"
    return f"was {before}"


def moved_line(knowledge: Knowledge, moved: Iterable[Change], width: int) -> Content:
    """`◂ Network type: FFN → CNN · Depth: shallow → deep · 5 more`: as many changes as fit on a line."""
    changed = list(moved)
    told = sorted((_moved_words(knowledge, change) for change in changed), key=lambda text: ARROW not in text)
    shown = list(told)
    while shown and len(_joined(shown, len(changed) - len(shown))) + 2 > width:
        shown.pop()
    if not changed:
        return lines([])
    return Content.assemble((f"{MOVED} ", "bold $text-accent"), _joined(shown, len(changed) - len(shown)))


def _moved_words(knowledge: Knowledge, change: Change) -> str:
    before, after = (printable(advice_label(knowledge, entry)) for entry in (change.before, change.after))
    told = f"{before}{ARROW}{after}" if before != after else f"now {STATUS_WORDS[change.after.status]}"
    return f"{change.after.title}: {told}"


def _joined(shown: list[str], more: int) -> str:
    rest = [f"{more} more" if shown else f"{more} changed in the plan"] if more else []
    return " · ".join([*shown, *rest])
