"""One recommendation: its value, how sure it is, why, why not another, what would flip it, what to do."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from advisor.errors import InputError
from advisor.inference.plan import Recommendation
from advisor.knowledge.model import Policy, Topic
from advisor.report.words import advice_words, grouped
from advisor.tui.labels import repeats
from advisor.tui.requests import ToGlossary, ToTopic, ToWhatIf
from advisor.tui.screen import Dialog, Palette, WizardScreen
from advisor.tui.screens.topic.tree import headline, one_line, topic_twigs
from advisor.tui.text import plain
from advisor.tui.widgets.mouse import Choosing
from advisor.tui.widgets.outline import Outline, ToClipboard
from advisor.wording import printable, shorten

if TYPE_CHECKING:
    from advisor.inference.plan import Plan
    from advisor.tui.host import Standing


class WhyNotScreen(Dialog[str | None]):
    """Closes with the value as text."""

    TITLE = "Why not"
    HELP_TEXT = "Choose the value that you would have expected. The answer is shown at the top of the reasons."
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss", "Back", id="why_not.close", tooltip="Go back without asking.")
    ]
    CSS = """
    WhyNotScreen OptionList { height: auto; max-height: 16; }
    """

    def __init__(self, topic: Topic, entry: Recommendation) -> None:
        super().__init__()
        self.topic, self.entry = topic, entry

    def compose(self) -> ComposeResult:
        with Vertical(classes="window"):
            yield Static(plain(f"{self.topic.title}: why not …"), classes="strong", markup=False)
            if self.topic.policy is Policy.VALUE:
                example = {"integers": "256, 128", "integer": "128"}.get(self.topic.type, "0.001")
                yield Input(placeholder=f"a value, such as {example}")
            else:
                yield Choosing(*self._values(), markup=False)

    def _values(self) -> list[Option]:
        advised = self.entry.value if self.topic.policy is Policy.ALL else [self.entry.value]
        return [
            Option(Content.assemble((printable(meaning), "bold")), id=name)
            if repeats(name, meaning)
            else Option(Content.assemble((printable(name), "bold"), f"  {printable(meaning)}"), id=name)
            for name, meaning in self.topic.values.items()
            if name not in (advised or ())
        ]  # fmt: skip

    @on(OptionList.OptionSelected)
    def _chosen(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.dismiss(event.option_id)

    @on(Input.Submitted)
    def _written(self, event: Input.Submitted) -> None:
        event.stop()
        if event.value.strip():
            self.dismiss(event.value)


class TopicScreen(WizardScreen[None]):
    """A recommendation of `plan`, which is only read (saved, or supposed), or of the plan as the conversation stands."""

    TITLE = "Topic"
    HELP_TEXT = (
        "Everything behind one recommendation. The rules for it are under Why; unfold one to see what it reads and "
        "its sources. A line with › leads somewhere: a flip to the plan that it would give, a topic to its own reasons, a line "
        "of What to do onto the clipboard."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("n", "turn(1)", "Next", id="topic.next", tooltip="The next topic of the plan."),
        Binding("p", "turn(-1)", "Previous", id="topic.previous", tooltip="The topic before."),
        Binding("w", "why_not", "Why not …", id="topic.why_not", tooltip="Ask why another value is not recommended."),
        Binding("s", "suppose", "Suppose", id="topic.suppose", tooltip="See the plan if a fact were different."),
        Binding("c", "copy", "Copy", id="topic.copy", tooltip="Copy the line, or all of What to do on other lines."),
        Binding("question_mark", "glossary", "Words", id="topic.glossary", tooltip="Explain the words of the line."),
    ]  # fmt: skip
    PALETTE: ClassVar[Palette] = (
        ("Topic: Next", "The next topic of the plan", "turn(1)"),
        ("Topic: Previous", "The topic before", "turn(-1)"),
        ("Topic: Why not another value", "Ask why it is not recommended", "why_not"),
        ("Topic: Suppose", "See the plan if a fact were different", "suppose"),
        ("Topic: Copy what to do", "Onto the clipboard", "copy"),
        ("Words: Explain", "The words of this line", "glossary"),
    )
    CSS = """
    TopicScreen #topic_headline { padding: 0 1; margin: 1 0; height: auto; }
    TopicScreen Outline { height: 1fr; padding: 0 0 0 1; scrollbar-size-vertical: 1; }
    TopicScreen .option-list--option-highlighted { background: $primary-muted; color: $text; }
    TopicScreen.-low #topic_headline { margin: 0; }
    """

    def __init__(self, topic: str, plan: Plan | None = None, *, whose: str = "") -> None:
        """
        Args:
            whose: kind of the plan, for the title, such as `saved`.
        """
        super().__init__()
        self.topic, self.plan, self.whose = topic, plan, whose
        self.asked: list[str] = []
        self.shown: Plan | None = None

    def contents(self) -> Iterable[Widget]:
        yield Static("", id="topic_headline", markup=False)
        yield Outline(id="outline")

    def on_mount(self) -> None:
        if self.plan is None:
            self.wizard.standing_changed.subscribe(self, self._stands_otherwise)
        self._explain(afresh=True)

    def _stands_otherwise(self, _now: Standing) -> None:
        self._explain(afresh=False)

    @work(exclusive=True, group="explaining")
    async def _explain(self, *, afresh: bool) -> None:
        plan = self.plan or await self.wizard.full_plan()
        knowledge, topic, asked = self.wizard.desk.knowledge, self.topic, tuple(self.asked)
        try:
            twigs = await self.wizard.think(lambda: topic_twigs(plan, knowledge, topic, asked))
        except InputError as error:  # a value that is none
            self.asked.pop()
            self.wizard.complain(InputError(error.title, [replace(problem, where="") for problem in error.problems]))
            return
        self.shown = plan
        order = topics_of(plan)
        place = f", {order.index(topic) + 1} of {len(order)}" if topic in order else ""
        whose = f" ({self.whose})" if self.whose else ""
        self.retitle(shorten(f"{plan.recommendations[topic].title}{whose}{place}", 200))
        self.query_one("#topic_headline", Static).update(headline(plan, knowledge, topic))
        self.query_one(Outline).show_twigs(twigs, afresh=afresh)

    # --- what a line leads to --------------------------------------------------------------------------------------

    @on(Outline.Led)
    def _led(self, event: Outline.Led) -> None:
        match event.lead:
            case ToTopic(topic):
                self._go_to(topic)
            case ToClipboard(text):
                self._copy(text)
            case ToWhatIf(fact, text):
                self._suppose(fact, text)

    def _suppose(self, fact: str, text: str | None = None) -> None:
        if self.plan is None:
            self.wizard.open(ToWhatIf(fact, text))
        else:
            self.wizard.tell("This plan is read-only. Suppose something in a conversation of your own.")

    def _go_to(self, topic: str) -> None:
        self.topic = topic
        self.asked.clear()
        self._explain(afresh=True)

    def _copy(self, text: str) -> None:
        self.app.copy_to_clipboard(text)
        self.wizard.tell(shorten(text, 200), title="Copied")

    # --- keys ------------------------------------------------------------------------------------------------------

    def action_turn(self, by: int) -> None:
        if self.shown is None:
            return
        order = topics_of(self.shown)
        at = order.index(self.topic) + by if self.topic in order else 0
        self._go_to(order[at % len(order)])

    @work
    async def action_why_not(self) -> None:
        if self.shown is None:
            return
        topic = self.wizard.desk.knowledge.topics[self.topic]
        value = await self.app.push_screen_wait(WhyNotScreen(topic, self.shown.recommendations[self.topic]))
        if value is not None:
            self.asked = [*(other for other in self.asked if other != value), value]
            self._explain(afresh=True)

    def action_suppose(self) -> None:
        here = self.query_one(Outline).here
        if here is not None and isinstance(here.lead, ToWhatIf):
            self._suppose(here.lead.fact, here.lead.value)
        else:
            self._suppose("")

    def action_copy(self) -> None:
        """Copy the line; on any line that is not to be copied, copy everything there is to do."""
        here = self.query_one(Outline).here
        if here is not None and isinstance(here.lead, ToClipboard):
            self._copy(here.lead.text)
        elif self.shown is not None and (actions := self.shown.recommendations[self.topic].actions):
            self._copy("\n".join(map(one_line, actions)))
        elif here is not None:
            self._copy(here.text.plain)

    def action_glossary(self) -> None:
        here = self.query_one(Outline).here
        advice = ""
        if self.shown is not None:
            entry = self.shown.recommendations[self.topic]
            advice = f"{entry.title} . {advice_words(self.wizard.desk.knowledge, entry)}"
        self.wizard.open(ToGlossary(within=f"{here.text.plain if here is not None else ''} . {advice}"))


def topics_of(plan: Plan) -> list[str]:
    """The topics in the order of the list beside the question."""
    return [entry.topic for _, entries in grouped(plan) for entry in entries]
