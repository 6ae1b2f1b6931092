"""Two plans as lines of a list: side by side where there is room, else one below the other."""

from __future__ import annotations

from collections.abc import Iterator

from textual.content import Content
from textual.widgets.option_list import Option

from advisor.inference.plan import Recommendation
from advisor.interview.changes import WhatIf
from advisor.knowledge.model import Knowledge
from advisor.report.plan.comparison import Difference, compare_what_if
from advisor.report.words import advice_words, grouped, is_advice
from advisor.tui.labels import advice_label
from advisor.tui.text import FAINT, lines, plain, status
from advisor.tui.widgets.columns import Columns, Fitting
from advisor.wording import printable

NOW, THEN = "now", "then"
CHANGED, SAME = "≠", " "
TITLE_WIDTH = 24


def rows(found: WhatIf, knowledge: Knowledge, *, all_topics: bool) -> Iterator[Option]:
    """Advice by topic, then facts and numbers that differ. The id of an option is its topic."""
    changed = {change.topic for change in found.changes}
    compared = compare_what_if(knowledge, "", found.before, found.stated, found.after)
    yield _heading(f"Advice, {len(changed)} change")
    for topic in _topics(found):
        if all_topics or topic in changed:
            before, after = (_advice(knowledge, plan.recommendations[topic]) for plan in (found.before, found.after))
            title = found.after.recommendations[topic].title
            yield Option(_sides(title, before, after, changed=topic in changed), id=topic)
    same = len(_topics(found)) - len(changed)
    if changed and same and not all_topics:
        yield Option(Content.styled(f"  {same} more stay as they are; d lists them.", FAINT), disabled=True)
    if not changed:
        yield Option(plain("The advice stays as it is, and equally sure."), disabled=True)
    yield from _differing("Facts that differ", compared.facts)
    yield from _differing("Numbers that differ", compared.numbers)


def _topics(found: WhatIf) -> list[str]:
    """The topics in the order of the list beside the question; some may be in only one of the two plans."""
    order = {
        entry.topic: None
        for plan in (found.after, found.before)
        for _, entries in grouped(plan)
        for entry in entries
    }  # fmt: skip
    changed = (change.topic for change in found.changes)
    return list(order | dict.fromkeys(changed))


def _advice(knowledge: Knowledge, entry: Recommendation) -> Content:
    if not is_advice(entry):
        return plain(advice_words(knowledge, entry))
    return Content.assemble(status(entry), printable(advice_label(knowledge, entry)))


def _differing(heading: str, differences: tuple[Difference, ...]) -> Iterator[Option]:
    if differences:
        yield _heading(heading)
    for difference in differences:
        both = plain(difference.a.words), plain(difference.b.words)
        yield Option(_sides(difference.title, *both, changed=True), disabled=True)


def _heading(title: str) -> Option:
    styled = Content.styled(title, "bold $text-primary")
    wide = Columns((styled, TITLE_WIDTH + 2), (Content.styled(NOW, "bold"), 0), (Content.styled(THEN, "bold"), 0))
    return Option(Fitting(wide, styled), disabled=True)


def _sides(title: str, before: Content, after: Content, *, changed: bool) -> Fitting:
    """Mark what differs by symbol and by word, and say once what does not."""
    mark = Content.styled(CHANGED if changed else SAME, "bold $text-accent")
    name = Content.styled(printable(title), "bold" if changed else "")
    then = after if changed else Content.styled("the same", FAINT)
    wide = Columns((mark, 1), (name, TITLE_WIDTH - 1), (before, 0), (then, 0))
    stacked = Content.assemble(name, ": ", before)
    if changed:
        now = Content.assemble((f"{NOW:>4}  ", FAINT), before)
        supposed = Content.assemble((f"{THEN:>4}  ", FAINT), after)
        stacked = lines([name + Content.styled("  changes", "$text-accent"), now, supposed])
    return Fitting(wide, Columns((mark, 1), (stacked, 0), gap=1))
