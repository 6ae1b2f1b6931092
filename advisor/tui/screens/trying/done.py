"""The results of trials: the winner, its lead beyond noise, and the effect on the plan."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static, TabbedContent, TabPane

from advisor.inference.plan import Plan
from advisor.knowledge.model import Knowledge
from advisor.report.changes import STYLES
from advisor.report.found.trying import bet_sentence, trying_page, value
from advisor.report.page import Look, Page, Style
from advisor.training.ladder.outcome import TrialResults
from advisor.tui.screens.running.findings import add_changes, counted, finding_words
from advisor.tui.text import lines, plain
from advisor.tui.widgets.page_view import PageView


class WonPane(Vertical):
    """Shows what won, and what it does to the plan once that is computed."""

    DEFAULT_CSS = """
    WonPane #won_summary { height: auto; padding: 0 1; }
    WonPane TabbedContent { height: 1fr; }
    """

    def __init__(self, knowledge: Knowledge, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.knowledge = knowledge

    def compose(self) -> ComposeResult:
        yield Static("", id="won_summary", markup=False)
        with TabbedContent(id="won_tabs"):
            with TabPane("What won", id="tab_won"):
                yield PageView(id="won")
            with TabPane("In the plan", id="tab_plan"):
                yield PageView(id="in_the_plan")

    def show(self, outcome: TrialResults, kept_in: str | None = None) -> None:
        """
        Args:
            kept_in: the sentences that name the folder of the winner and how to apply it, where it was saved.
        """
        titles = {name: topic.title for name, topic in self.knowledge.topics.items()}
        found = counted(bet.verdict.value for bet in outcome.bets)
        rows = [Content.styled(plain(outcome.says).plain, "bold")]
        rows += [Content.assemble("Bets of the plan: ", *found)] if found else []
        rows += [plain(kept_in)] if kept_in else []
        self.query_one("#won_summary", Static).update(lines(rows))
        self.query_one("#won", PageView).show(lambda look: trying_page(outcome, look, titles, with_verdict=False))
        self.query_one("#in_the_plan", PageView).show(lambda look: "The new plan is being computed ...")
        self.query_one("#won", PageView).focus()

    def show_plan(self, outcome: TrialResults, before: Plan, after: Plan) -> None:
        knowledge = self.knowledge
        self.query_one("#in_the_plan", PageView).show(lambda look: in_the_plan(outcome, before, after, knowledge, look))


def in_the_plan(outcome: TrialResults, before: Plan, after: Plan, knowledge: Knowledge, look: Look) -> str:
    """Before -> measured -> after for each bet, then every recommendation that changed."""
    page = Page(look)
    page.heading("before -> measured -> after")
    if not outcome.bets:
        page.add("No bet of the plan could be judged by these trials.")
    for bet in outcome.bets:
        topic = knowledge.topics.get(bet.topic)
        now = bet.before if bet.after is None else bet.after
        said = finding_words(bet.verdict.value)
        title = (topic.title if topic is not None else bet.topic, Style.STRONG)
        page.add(
            title,
            f": {value(bet.before)} -> ",
            (said, STYLES[bet.verdict]),
            f" -> {value(now)}",
        )
        page.add(bet_sentence(bet, outcome.metric), first="  ")
    add_changes(page, before, after, knowledge)
    return page.text()
