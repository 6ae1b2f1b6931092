"""The conversation line by line: for pipes, screen readers and simple terminals.

Each prompt names its fact in square brackets. An empty line means "I don't know", `?` explains, `<` goes back, `why` and
`later` do what they say, `!` or the end of input stops with the plan; `commands.py` lists the rest.
"""

from __future__ import annotations

from advisor.cli.console import error_panel, warn, write
from advisor.cli.wizard.commands import Command, Verb, command_lines, spelling_of, understood
from advisor.cli.wizard.ending import Ending
from advisor.cli.wizard.lines import read, say
from advisor.cli.wizard.pages import WizardPages
from advisor.errors import InputError
from advisor.facts.fact_base import Source
from advisor.facts.values import describe
from advisor.facts.vocabulary import Fact, FactType
from advisor.inference.plan import Status
from advisor.interview.changes import Change, assignments
from advisor.interview.progress import finished
from advisor.knowledge.terms import terms_in
from advisor.session.desk import Desk
from advisor.wording import join_names

INTRODUCTION = (
    "Answer by number, by word (its beginning is enough), or by value with unit.",
    "Empty line: I don't know.  ? explains and lists commands.  ! prints the plan.",
)
NO_DATA = "Are the data here? `advisor wizard --data PATH` looks into them, and asks less."
NO_CARD = (
    "Will it be trained elsewhere? `advisor wizard --machine rtx-4090` plans for that card (`advisor profiles list`)."
)
AT_THE_END = (
    "all, how TOPIC, why not TOPIC VALUE, flip TOPIC, what if NAME=VALUE, change NAME, or an empty line to go on."
)
MOST_CHANGES = 6
MOST_ITEMS = 4
PLAN = "plan"
"""The name of the last prompt, which asks for no fact."""


class Stopped(Exception):  # noqa: N818 - an event, not an error
    """The user wants no more questions."""


class PlainFace:
    """Asks the questions of the desk's conversation; `ending` writes the report that is asked for meanwhile."""

    def __init__(self, desk: Desk, ending: Ending) -> None:
        self.desk = desk
        self.ending = ending
        self.interview = desk.interview
        self.pages = WizardPages(desk.knowledge, desk.interview.plan, desk.told, desk.inputs_now)
        self._unused: tuple[str, ...] = ()
        self._was_ready = False

    def run(self) -> bool:
        """Ask until nothing can change any more (True) or the user stops (False); either way show the plan."""
        for line in INTRODUCTION:
            say(line)
        if self.desk.inspection is None:
            say(NO_DATA)
        if self.desk.inputs.here:
            say(NO_CARD)
        self._say_unused()
        try:
            while True:
                question = self.interview.question()
                if question is not None:
                    self._ask(self.interview.fact(question.fact))
                elif self._is_enough():
                    return True
        except (Stopped, EOFError):
            say("")
            write(self.pages.first_screen("`advisor recommend` with --all"))
            return False

    def _ask(self, fact: Fact) -> None:
        say("")
        self._say_how_far()
        say(fact.question)
        self._say_choices(fact)
        present = self.interview.present(fact.name)
        if present is not None:
            say(f"  ({present.source.value}: {describe(fact, present.value)})")
        while not self._reply(understood(read(f"[{fact.name}] ")), fact):
            pass

    def _say_how_far(self) -> None:
        """Tell about how many questions are left, and once that a good plan is ready."""
        ready, was_ready, details = self.interview.ready, self._was_ready, self.interview.details_left
        self._was_ready = ready
        if ready and not was_ready:
            usual = " Of what you do not know, the usual is assumed." if self.interview.usual else ""
            say(f"A good plan is ready: type ! to finish, or answer about {details} more that change details.{usual}")
        elif ready:
            say(f"About {_counted(details)} left, of details.")
        else:
            say(f"About {_counted(self.interview.essentials_left)} left to a good plan.")

    def _is_enough(self) -> bool:
        """Show the plan and take commands on it; return True if the user has nothing more to change."""
        say("")
        write(self.pages.first_screen("`all`"))
        say("")
        say(finished(self.interview.progress, "`answers` lists what"))
        say(AT_THE_END)
        while True:
            command = understood(read(f"[{PLAN}] "))
            if command.verb in (Verb.UNKNOWN, Verb.SKIP):
                return True
            if command.verb in (Verb.ANSWER, Verb.LATER):
                say(f"No fact is asked for here. {AT_THE_END}")
            elif self._reply(command, None):
                return False

    def _reply(self, command: Command, fact: Fact | None) -> bool:
        """Do what was typed at the question for `fact`, if there was one; return True if that moved the conversation on."""
        try:
            if fact is not None and command.verb in _ANSWERING:
                self._take(command, fact)
                return True
            return self._obey(command, fact)
        except InputError as error:
            error_panel(error)
            return False

    # --- what moves the conversation on ----------------------------------------------------------------------------

    def _take(self, command: Command, fact: Fact) -> None:
        changes: tuple[Change, ...] = ()
        match command.verb:
            case Verb.LATER:
                self.interview.later(fact.name)
            case Verb.SKIP:
                changes = self.interview.skip(fact.name)
            case Verb.UNKNOWN:
                changes = self.interview.do_not_know(fact.name)
            case _:
                changes = self.interview.answer(fact.name, command.rest)
        self._save()
        if command.verb is Verb.UNKNOWN:
            self._say_assumed(fact)
        self._say_changes(changes)
        self._say_unused()

    def _obey(self, command: Command, fact: Fact | None) -> bool:
        spelling = spelling_of(command.verb)
        about = fact.name if fact is not None else ""
        if spelling.needs and not command.rest:
            example = about or next(iter(self.interview.knowledge.vocabulary.facts))
            topic = next(iter(self.interview.knowledge.topics))
            say(spelling.needs.format(about=example, topic=topic))
            return False
        match command.verb:
            case Verb.STOP:
                raise Stopped
            case Verb.BACK:
                return self._back()
            case Verb.CHANGE:
                self.interview.change(command.rest)
                return True
            case Verb.SAVE:
                self.ending.save_report(command.rest)
            case Verb.ANSWERS:
                self._say_answers()
            case Verb.WHY if command.rest not in self.interview.knowledge.topics and (command.rest or about):
                self._why(command.rest or about)
            case Verb.HELP if not command.rest:
                self._explain(fact)
            case _:
                self._show(self._page(command, about), fact)
        return False

    def _back(self) -> bool:
        if not self.interview.back():
            say("This is the first question.")
            return False
        self._save()
        self._say_unused()
        return True

    def _save(self) -> None:
        self.desk.save()
        warn_of_notes(self.desk)

    # --- what is told on demand ------------------------------------------------------------------------------------

    def _page(self, command: Command, about: str) -> str:
        match command.verb:
            case Verb.HELP:
                return self.pages.term(command.rest)
            case Verb.HOW | Verb.WHY if command.rest:
                return self.pages.how(command.rest)
            case Verb.WHY_NOT:
                return self.pages.why_not(command.rest)
            case Verb.FLIP:
                return self.pages.flip(command.rest)
            case Verb.WHAT_IF:
                stated = assignments(self.interview.knowledge, command.rest, about)
                return self.pages.what_if(self.interview.what_if(stated))
            case Verb.ALL:
                return self.pages.whole()
            case _:
                return self.pages.overview()

    def _show(self, page: str, fact: Fact | None) -> None:
        write(page)
        if fact is not None:
            say(fact.question)  # the page may have pushed it off the screen

    def _explain(self, fact: Fact | None) -> None:
        if fact is not None:
            say(fact.help)
            self._say_choices(fact)
            if fact.numeric:
                unit = f" in {fact.unit}" if fact.unit else ""
                bounds = (fact.minimum, fact.maximum)
                low, high = (describe(fact, int(bound) if bound == int(bound) else bound) for bound in bounds)
                say(f"A number{unit}, from {low} to {high}.")
            elif fact.type is FactType.BOOLEAN:
                say("Answer yes or no.")
            elif fact.type is FactType.SET:
                say("Name all that apply, separated by commas, or none.")
            self._say_terms(fact)
        say("An empty line: I don't know. Beside an answer you can type:")
        for line in command_lines():
            say(line)

    def _say_terms(self, fact: Fact) -> None:
        """Explain the technical words of the question and its choices."""
        text = " . ".join([fact.question, fact.help, *(meaning for _, meaning in fact.choices)])
        terms = terms_in(self.interview.knowledge.phrases, text)
        if terms:
            say("Words used here:")
            for term in terms:
                say(f"  {term.term}: {term.text}")

    def _say_choices(self, fact: Fact) -> None:
        for number, (choice, meaning) in enumerate(fact.choices, start=1):
            say(f"  {number}  {choice}: {meaning}")

    def _why(self, name: str) -> None:
        fact = self.interview.knowledge.vocabulary.facts.get(name)
        if fact is None:
            write(self.pages.how(name))  # a title, or a name with a mistake, which is explained
            return
        if fact.type is FactType.TEXT:
            say(fact.help)
            return
        plan = self.interview.plan()
        influence = self.interview.why(name)
        if influence.proven:
            say("The answer can change:")
        for topic in influence.proven:
            entry = plan.recommendations[topic]
            now = f"now {_shown(entry.value)}, {entry.status.value}" if entry.value is not None else "now open"
            say(f"  {entry.title} ({now})")
        if influence.possible:
            also = "It may also" if influence.proven else "It may"
            titles = ", ".join(plan.recommendations[topic].title for topic in influence.possible)
            say(f"{also} matter for these, though no case was found in which it does: {titles}.")
        if not influence.proven and not influence.possible:
            say("As things stand the answer changes nothing.")

    def _say_answers(self) -> None:
        unused = self.interview.unused()
        for name, value in self.interview.progress.answers:
            said = "don't know" if value is None else describe(self.interview.fact(name), value)
            say(f"  {name}: {said}{'   (kept, not used)' if name in unused else ''}")
        if not self.interview.progress.answers:
            say("You have said nothing yet.")
        if self.interview.progress.later:
            say(f"Put off: {', '.join(self.interview.progress.later)}.")

    # --- what a step brought ---------------------------------------------------------------------------------------

    def _say_changes(self, changes: tuple[Change, ...]) -> None:
        lines = []
        for change in changes:
            if change.after.status is Status.NOT_APPLICABLE:
                lines.append(f"  -> {change.after.title}: not applicable")
            elif change.after.value != change.before.value or change.after.status is Status.SETTLED:
                lines.append(f"  -> {change.after.title}: {_shown(change.after.value)} ({change.after.status.value})")
        lines.sort(key=lambda line: not line.endswith("(settled)"))  # what is sure first
        for line in lines[:MOST_CHANGES]:
            say(line)
        if len(lines) > MOST_CHANGES:
            say(f"  -> and {len(lines) - MOST_CHANGES} more")

    def _say_assumed(self, fact: Fact) -> None:
        present = self.interview.present(fact.name)
        if present is not None and present.source is Source.ASSUMED:
            say(f"  assuming {describe(fact, present.value)}")

    def _say_unused(self) -> None:
        """Name answers that the last step made irrelevant, or relevant again."""
        before, self._unused = self._unused, self.interview.unused()
        said = self.interview.progress.said()
        for words, names in (
            ("kept, not used", [name for name in self._unused if name not in before]),
            ("used again", [name for name in before if name not in self._unused and said.get(name) is not None]),
        ):
            shown = [
                f"{name} = {describe(self.interview.fact(name), value)}"
                for name in names
                if (value := said[name]) is not None
            ]
            if shown:
                say(f"  {words}: {', '.join(shown)}")


def warn_of_notes(desk: Desk) -> None:
    for title, what in desk.notes():
        warn(title, what)


_ANSWERING = frozenset({Verb.ANSWER, Verb.UNKNOWN, Verb.LATER, Verb.SKIP})


def _counted(questions: int) -> str:
    return f"{questions} question{'s' if questions != 1 else ''}"


def _shown(value: object) -> str:
    if value is None:
        return "open"
    if isinstance(value, list):
        shown = [str(item) for item in value[:MOST_ITEMS]]
        more = [f"{len(value) - MOST_ITEMS} more"] if len(value) > MOST_ITEMS else []
        return join_names(shown + more) if more else ", ".join(shown) or "nothing"
    return str(value)
