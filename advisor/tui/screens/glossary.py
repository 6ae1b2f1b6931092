"""Technical terms, facts and topics in plain words, found as one types."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from textual import events, on
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from advisor.errors import InputError
from advisor.facts.vocabulary import Fact
from advisor.knowledge.model import Knowledge, Topic
from advisor.knowledge.terms import Term, phrase, terms_in
from advisor.report.changes import by_whom
from advisor.report.rules.glossary import Entry, details, find_term, topic_title, whole_glossary
from advisor.tui.requests import ToTopic, ToWhatIf
from advisor.tui.screen import WizardScreen
from advisor.tui.text import FAINT, content, lines, plain
from advisor.tui.widgets.mouse import move_highlight
from advisor.wording import printable


@dataclass(frozen=True, slots=True)
class Word:
    """An entry, found by its `names`, or else by what it has `mentioned`: its values, meanings, question."""

    kind: str
    title: str
    item: Entry
    names: tuple[str, ...]
    mentioned: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        return f"{self.kind} {self.title}"


def entries(knowledge: Knowledge) -> list[Word]:
    everything = whole_glossary(knowledge)
    return [
        *(_term(term) for term in everything.terms),
        *(
            Word("fact", fact.name, fact, (fact.name,), (*fact.choice_names, *(m for _, m in fact.choices), fact.question))
            for fact in everything.facts
        ),
        *(
            Word("topic", topic.name, topic, (topic.name, topic.title), (*topic.values, *topic.values.values()))
            for topic in everything.topics
        ),
    ]  # fmt: skip


def _term(term: Term) -> Word:
    return Word("term", term.term, term, term.spellings, (term.text,))


def entries_within(knowledge: Knowledge, text: str) -> list[Word]:
    """The terms that a text uses, in its order."""
    return [_term(term) for term in terms_in(knowledge.phrases, text)]


def found(everything: list[Word], sought: str) -> list[Word]:
    """The entries that match: equal names first, then beginnings, then parts of names, then mentions."""
    wanted = _spelled(sought)
    if not wanted:
        return everything
    ranked = [(rank, entry) for entry in everything if (rank := _rank(entry, wanted)) is not None]
    return [entry for _, entry in sorted(ranked, key=lambda pair: pair[0])]


def _rank(entry: Word, wanted: str) -> int | None:
    names = [_spelled(name) for name in entry.names]
    if wanted in names:
        return 0
    if any(name.startswith(wanted) for name in names):
        return 1
    if any(f" {wanted}" in name for name in names):
        return 2
    if len(wanted) < 3:
        return None
    if any(wanted in name for name in names):
        return 3
    return 4 if any(wanted in _spelled(text) for text in entry.mentioned) else None


def _spelled(text: str) -> str:
    """The text without differences of case and punctuation."""
    return phrase(text).casefold()


def nothing_found(knowledge: Knowledge, sought: str) -> str:
    """The message when nothing matches, with what may have been meant."""
    try:
        find_term(knowledge, sought)
    except InputError as error:
        remedy = error.problems[0].remedy
        return f"Nothing is called that. {remedy if remedy.startswith('Did you') else 'Write fewer letters.'}"
    return "Nothing is called that."


def explained(knowledge: Knowledge, word: Word) -> Content:
    """Everything that is declared about an entry."""
    kind, about = word.kind, []
    match word.item:
        case Term() as term:
            says = term.text
        case Fact() as fact:
            kind, says = f"fact: {knowledge.vocabulary.groups.get(fact.group, fact.group)}", fact.question
        case topic:
            says = topic_title(topic)
            about = [f"means something only when {topic.applies}"] if topic.applies else []
            about += [f"can be measured: {by_whom(topic.probe)}"] if topic.probe else []
            about += [f"can be simulated: {by_whom(topic.simulation)}"] if topic.simulation else []
    label, name = (word.title, "") if isinstance(word.item, Term) else (says, f"  {word.title}")
    heading = Content.assemble((printable(label), "bold"), (printable(f"{name}  {kind}"), FAINT))
    said = [plain(says)] if label != says else []
    faint = [Content.styled(printable(text), FAINT) for text in about]
    return lines([heading, *said, *faint, *(content([mark, *pieces]) for mark, pieces in details(word.item))])


ENTER = "Enter: a topic's reasons, another answer to a fact, a related term."


class Words(OptionList):
    """One click explains an entry, a second one opens it."""

    def on_click(self, event: events.Click) -> None:
        clicked = event.style.meta.get("option")
        if event.chain == 1 and clicked is not None:
            event.prevent_default()
            self.highlighted = clicked


class GlossaryScreen(WizardScreen[None]):
    """Looks up `term` at once; terms that the text `within` uses come first."""

    TITLE = "Glossary"
    HELP_TEXT = (
        "Type a part of a word; Down moves in the list, and the highlighted entry is explained beside it. Enter on a topic shows "
        "its reasons in your plan, on a fact what another answer would change, on a term what it refers to."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down", "move(1)", "Down", show=False, id="glossary.down", tooltip="The next entry."),
        Binding("up", "move(-1)", "Up", show=False, id="glossary.up", tooltip="The entry before."),
        Binding("pagedown", "move(10)", "Page down", show=False, id="glossary.page_down", tooltip="Ten entries on."),
        Binding("pageup", "move(-10)", "Page up", show=False, id="glossary.page_up", tooltip="Ten entries back."),
    ]  # fmt: skip
    CSS = """
    GlossaryScreen #word { margin: 1 1 0 1; }
    GlossaryScreen #about_words { padding: 0 1; height: auto; color: $text-muted; }
    GlossaryScreen #words, GlossaryScreen #words:focus { width: 42; height: 1fr; margin: 0 1; }
    GlossaryScreen #words { text-wrap: nowrap; text-overflow: ellipsis; }
    GlossaryScreen #word_explained { width: 1fr; height: 1fr; padding: 0 1; border-left: solid $panel; }
    GlossaryScreen.-narrow Horizontal { layout: vertical; }
    GlossaryScreen.-narrow #words, GlossaryScreen.-narrow #words:focus { width: 1fr; height: 7; }
    GlossaryScreen.-narrow #word_explained { border-left: none; border-top: solid $panel; }
    """

    def __init__(self, term: str = "", *, within: str = "") -> None:
        super().__init__()
        self.term, self.within = term, within
        self.everything: list[Word] = []
        self.listed: dict[str, Word] = {}

    def contents(self) -> Iterable[Widget]:
        yield Input(self.term, placeholder="a word, a fact or a topic", id="word")
        yield Static("", id="about_words", markup=False)
        with Horizontal():
            yield Words(markup=False, id="words")
            yield VerticalScroll(Static("", id="explained_word", markup=False), id="word_explained", can_focus=False)

    def on_mount(self) -> None:
        self.everything = entries(self.wizard.desk.knowledge)
        self._list(self.term)
        self.query_one("#word", Input).focus()

    @on(Input.Changed, "#word")
    def _written(self, event: Input.Changed) -> None:
        event.stop()
        self._list(event.value)

    def _list(self, sought: str) -> None:
        knowledge = self.wizard.desk.knowledge
        here = entries_within(knowledge, self.within) if not sought.strip() else []
        shown = {entry.key: entry for entry in (*here, *found(self.everything, sought))}
        self.listed = shown
        words = self.query_one("#words", OptionList)
        words.clear_options()
        words.add_options([Option(_line(entry), id=key) for key, entry in shown.items()])
        words.highlighted = 0 if shown else None
        if here:
            said = f"First the words of the line and its topic ({len(here)}), then all others."
        else:
            said = f"{len(shown)} found. {ENTER}" if shown else nothing_found(knowledge, sought)
        self.query_one("#about_words", Static).update(plain(said))
        if not shown:
            self.query_one("#explained_word", Static).update("")

    @on(OptionList.OptionHighlighted, "#words")
    def _explain(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()
        entry = self.listed.get(str(event.option_id))
        if entry is not None:
            self.query_one("#explained_word", Static).update(explained(self.wizard.desk.knowledge, entry))
            self.query_one("#word_explained").scroll_home(animate=False)

    # --- keys ------------------------------------------------------------------------------------------------------

    def action_move(self, by: int) -> None:
        """Move in the list, wherever the focus is."""
        move_highlight(self.query_one("#words", OptionList), by)

    @on(Input.Submitted, "#word")
    @on(OptionList.OptionSelected, "#words")
    def _open(self, event: Message) -> None:
        event.stop()
        option = self.query_one("#words", OptionList).highlighted_option
        entry = None if option is None else self.listed.get(str(option.id))
        match entry.item if entry is not None else None:
            case Term() as term if term.see:
                self.query_one("#word", Input).value = term.see[0]
            case Topic() as topic if self._is_in_plan(topic.name):
                self.wizard.open(ToTopic(topic.name))
            case Fact() as fact if self.wizard.standing is not None and fact.group != "probe":
                self.wizard.open(ToWhatIf(fact.name))
            case _:
                pass

    def _is_in_plan(self, topic: str) -> bool:
        now = self.wizard.standing
        return now is not None and topic in now.plan.recommendations


def _line(entry: Word) -> Content:
    return Content.assemble((f"{entry.kind:<6}", FAINT), printable(entry.title))
