"""The question that is asked now with its explanation, and next steps when there is none left."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.events import Resize
from textual.widgets import OptionList, Static

from advisor.errors import InputError
from advisor.facts.fact_base import Source
from advisor.facts.values import describe
from advisor.interview.progress import finished
from advisor.knowledge.terms import terms_in
from advisor.report.words import SOURCE_WORDS, is_advice
from advisor.tui.labels import advice_label, choice_words
from advisor.tui.screens.interview.next_steps import needs_text, steps_for, ways_out
from advisor.tui.text import FAINT, gauge, lines, plain, problem_text
from advisor.tui.widgets.cards import Cards
from advisor.tui.widgets.entry import Entry, Reader
from advisor.tui.widgets.mouse import FocusOnRelease
from advisor.wording import join_names, printable

if TYPE_CHECKING:
    from advisor.facts.vocabulary import Fact, Value
    from advisor.inference.plan import Plan
    from advisor.interview.influence import Influence
    from advisor.knowledge.model import Knowledge
    from advisor.report.contents import Outlook as Needs
    from advisor.tui.host import Outlook, Standing

SHOWN_AS_GIVEN = (Source.ASKED, Source.DETECTED, Source.INSPECTED)
"""Sources whose value is written into the line of the entry; an assumed number would be made an answer by Enter."""
TOPICS_NAMED = 4
READING_LINES = 2
"""Lines of the answer on a low screen while the explanation is read."""


class Explanation(FocusOnRelease, VerticalScroll):
    """Takes the focus to be scrolled; on a low screen it gets the room of the answer meanwhile."""

    HELP_TEXT = "What the question is about. The arrows, Page up and Page down scroll it."
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,f2", "answer", "Answer", id="explanation.answer", tooltip="Back to the answer.")
    ]

    def on_focus(self) -> None:
        self._pane.add_class("reading")
        self._pane.fit()

    def on_blur(self) -> None:
        self._pane.remove_class("reading")
        self._pane.fit()

    def action_answer(self) -> None:
        self._pane.focus_entry()

    @property
    def _pane(self) -> QuestionPane:
        assert isinstance(self.parent, QuestionPane)  # noqa: S101 - it composes this
        return self.parent


class QuestionPane(Vertical):
    """The question and its answer: `show` another one, or `refuse` an answer with the reason."""

    def __init__(self, knowledge: Knowledge, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.knowledge = knowledge
        self.HELP_TEXT = ""
        self._certain = 0.0
        self._outlook: Outlook | None = None
        self._choices: dict[str, str] = {}
        """The answers to choose from, each with its meaning."""

    def compose(self) -> ComposeResult:
        yield Static("", id="progress", markup=False)
        with Vertical(id="asking") as asking:
            asking.border_title = "Question"
            yield Static("", id="words", markup=False)
            yield Static("", id="present", classes="faint", markup=False)
            yield Static("", id="refused", classes="bad", markup=False)
            yield Vertical(id="entry_place")
        deciding = Static("", id="decides", markup=False)
        deciding.border_title = "This answer decides"
        yield deciding
        yield Explanation(Static("", id="explained", markup=False), id="explanation")

    async def show(self, now: Standing, read: Reader) -> None:
        """Show the question; the one before gives up the focus only to this one, so no key in between reaches the plan."""
        place = self.query_one("#entry_place", Vertical)
        before = list(place.children)
        self._say("refused", plain(""))
        self._say("explained", plain(""))
        self._certain, self._outlook = now.certain, None
        self._choices = {} if now.fact is None else dict(now.fact.choices)
        self._show_progress()
        self._show_deciding(now)
        if now.fact is None:
            self._say("words", Content.styled(finished(now.progress, "F7 lists what"), "bold"))
            self._say("present", plain(""))
            self.HELP_TEXT = ""
            await place.mount(Cards(steps_for(now.plan)))
        else:
            taken = now.present
            known = "" if taken is None else f"{SOURCE_WORDS[taken.source]}: {describe(now.fact, taken.value)}"
            self._say("words", Content.styled(printable(now.fact.question), "bold"))
            self._say("present", plain(known))
            self._explain(now.fact)
            await place.mount(Entry(now.fact, read, _given_before(now), usual=taken))
        self.focus_entry()
        self.call_after_refresh(self.fit)
        for child in before:
            await child.remove()

    def on_resize(self, event: Resize) -> None:
        self.call_after_refresh(self.fit)

    def fit(self) -> None:
        """Give the answer all the lines that it needs, if there are as many beside the question; what is more is scrolled."""
        place, asking = self.query_one("#entry_place"), self.query_one("#asking")
        if self.has_class("reading") and self.screen.has_class("-low"):
            place.styles.max_height = READING_LINES
            return
        others = [self.query_one("#progress"), *(child for child in asking.children if child is not place)]
        taken = sum(other.outer_size.height for other in others if other.display)
        room = self.size.height - taken - asking.gutter.height - place.styles.margin.height
        place.styles.max_height = max(1, room)

    def _say(self, name: str, words: Content) -> None:
        """Show the text; an empty line takes no room."""
        line = self.query_one(f"#{name}", Static)
        line.update(words)
        line.set_class(not words.plain, "-empty")

    def _explain(self, fact: Fact) -> None:
        text = " . ".join([fact.question, fact.help, *(meaning for _, meaning in fact.choices)])
        terms = [
            Content.assemble((f"{printable(term.term)}: ", "bold"), printable(term.text))
            for term in terms_in(self.knowledge.phrases, text)
        ]
        shown = lines([plain(fact.help), *terms])
        self._say("explained", shown)
        self.query_one(Explanation).border_title = "In other words"
        self.HELP_TEXT = shown.plain

    def show_needs(self, plan: Plan, needs: Needs) -> None:
        """Say below the next steps what training needs, and add to them how it could be done sooner."""
        steps = self.query_one("#entry_place").children[-1]
        if isinstance(steps, Cards) and steps.option_count == len(steps_for(plan)):
            steps.add(ways_out(plan, needs))
            self._say("explained", needs_text(plan, needs))
            self.query_one(Explanation).border_title = "What it needs"
            self.call_after_refresh(self.fit)

    def show_outlook(self, outlook: Outlook) -> None:
        self._outlook = outlook
        self._show_progress()

    def _show_progress(self) -> None:
        """The certainty of the plan, and about how much there is left to ask."""
        said = [f"{int(self._certain * 100 + 1e-9)} % certain."]
        if self._outlook is not None:
            left = self._outlook.questions_left
            said += ["A good plan is ready."] if left and self._outlook.ready else []
            said += [f"About {left} question{'s' if left != 1 else ''} left."] if left else []
            said += [f"Kept, not used: {', '.join(self._outlook.unused)}"] if self._outlook.unused else []
        self._say("progress", Content.assemble(gauge(self._certain), " ", (printable(" ".join(said)), FAINT)))

    def _show_deciding(self, now: Standing) -> None:
        titles = [now.plan.recommendations[topic].title for topic in now.decides if topic in now.plan.recommendations]
        more = len(titles) - TOPICS_NAMED
        named = [*titles[:TOPICS_NAMED], *([f"{more} more"] if more > 0 else [])]
        self._say("decides", plain(" · ".join(named)))

    def show_why(self, influence: Influence, plan: Plan, effects: Mapping[str, Plan]) -> None:
        """Show what each answer would give where there are few (`effects`), then what the question bears on."""
        parts = list(effect_lines(self.knowledge, self._choices, effects))
        asleep: list[str] = []
        for topic in influence.proven:
            entry = plan.recommendations[topic]
            if is_advice(entry):
                now = advice_label(self.knowledge, entry)
                parts.append(plain(f"It can change {entry.title}, now {now}."))
            else:
                asleep.append(entry.title)
        if asleep:
            parts.append(
                plain(f"With other answers it matters for {join_names(asleep)}, which does not apply as things stand.")
            )
        if influence.possible:
            also = "It may also" if influence.proven else "It may"
            titles = join_names([plan.recommendations[topic].title for topic in influence.possible])
            parts.append(plain(f"{also} matter for {titles}, though no case was found in which it does."))
        if not parts:
            parts.append(plain("As things stand the answer changes nothing."))
        self._say("explained", lines(parts))
        explanation = self.query_one(Explanation)
        explanation.border_title = "Why this is asked"
        explanation.scroll_home(animate=False)
        explanation.focus()

    def refuse(self, error: InputError) -> None:
        self._say("refused", plain(f"✗ {error.title}: {problem_text(error)}"))

    def focus_entry(self) -> None:
        """Focus the newest entry: that of the question before may still be there."""
        place = self.query_one("#entry_place").children[-1]
        if isinstance(place, Entry):
            place.focus_first()
        else:
            place.focus()

    @on(OptionList.OptionSelected, "#entry_place > OptionList")
    async def _next_chosen(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        await self.screen.run_action(str(event.option_id))


def effect_lines(knowledge: Knowledge, choices: Mapping[str, str], effects: Mapping[str, Plan]) -> Iterator[Content]:
    """`Yes: Loss binary cross-entropy`: a line for each answer, with the advice on which the answers differ."""
    plans = list(effects.values())
    names = [] if not plans else list(plans[0].recommendations)
    differing = [name for name in names if any(plan.value(name) != plans[0].value(name) for plan in plans)]
    if not differing:
        return
    more = f", and {len(differing) - TOPICS_NAMED} more" if len(differing) > TOPICS_NAMED else ""
    for answer, plan in effects.items():
        entries = [plan.recommendations[name] for name in differing[:TOPICS_NAMED]]
        said = "; ".join(f"{entry.title} {advice_label(knowledge, entry)}" for entry in entries)
        yield Content.assemble(
            (f"{choice_words(answer, choices.get(answer, ''))[0]}: ", "bold"), printable(f"{said}{more}.")
        )


def _given_before(now: Standing) -> Value | None:
    """The value that the entry starts from."""
    assert now.fact is not None  # noqa: S101
    said = now.progress.said().get(now.fact.name)
    if said is None and now.present is not None and now.present.source in SHOWN_AS_GIVEN:
        return now.present.value
    return said
