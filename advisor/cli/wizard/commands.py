"""The commands of the plain conversation, declared once: words, meaning, help."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Verb(StrEnum):
    """A command of the user; ANSWER is everything else."""

    ANSWER = "answer"
    UNKNOWN = ""
    HELP = "?"
    BACK = "<"
    WHY = "why"
    LATER = "later"
    SKIP = "skip"
    STOP = "!"
    CHANGE = "change"
    ANSWERS = "answers"
    PLAN = "plan"
    ALL = "all"
    HOW = "how"
    WHY_NOT = "why not"
    FLIP = "flip"
    WHAT_IF = "what if"
    SAVE = "save"


@dataclass(frozen=True, slots=True)
class Command:
    """One typed line: its command, and the rest."""

    verb: Verb
    rest: str = ""


@dataclass(frozen=True, slots=True)
class Spelling:
    """A command as the help lists it. `needs` explains what must follow, where something must."""

    verb: Verb
    usage: str
    does: str
    others: tuple[str, ...] = ()
    takes: bool = True
    needs: str = ""


SPELLINGS = (
    Spelling(Verb.HELP, "? [TERM]", "explain the question, or a term", ("help",)),
    Spelling(Verb.BACK, "<", "go back to the question before", ("back", "undo"), takes=False),
    Spelling(Verb.LATER, "later", "ask again at the end", takes=False),
    Spelling(Verb.SKIP, "skip", "leave it as it is", takes=False),
    Spelling(Verb.WHY, "why [NAME]", "what the answer can change"),
    Spelling(Verb.CHANGE, "change NAME", "answer another question, or answer anew",
             needs="Write `change NAME`, for example `change {about}`; `answers` lists what you said."),
    Spelling(Verb.ANSWERS, "answers", "what you have said so far", takes=False),
    Spelling(Verb.PLAN, "plan", "the recommendations so far, in short", takes=False),
    Spelling(Verb.ALL, "all", "the whole plan so far, with reasons", takes=False),
    Spelling(Verb.HOW, "how TOPIC", "what is behind a recommendation, or a number",
             needs="Write `how TOPIC`, for example `how {topic}`; `plan` lists the topics."),
    Spelling(Verb.WHY_NOT, "why not TOPIC VALUE", "why that is not recommended",
             needs="Write `why not TOPIC VALUE`, for example `why not network.type lstm`; `? TOPIC` lists its values."),
    Spelling(Verb.FLIP, "flip TOPIC", "the nearest answers that would change it", ("what would flip",),
             needs="Write `flip TOPIC`, for example `flip {topic}`; `plan` lists the topics."),
    Spelling(Verb.WHAT_IF, "what if NAME=VALUE", "both plans side by side; nothing is changed", ("whatif",),
             needs="Write `what if NAME=VALUE`, for example `what if {about}=...`; several are separated by blanks."),
    Spelling(Verb.SAVE, "save FILE", "write the report so far (`save FILE!`: over a file)",
             needs="Write `save FILE`, for example `save plan.md`; your answers are kept for --resume anyway."),
    Spelling(Verb.STOP, "!", "stop here, with the plan on one screen", ("quit", "exit", "stop"), takes=False),
)  # fmt: skip
"""In the order of the help. A word that takes nothing is a command only if nothing follows it."""

_WORDS = sorted(
    ((word, spelling) for spelling in SPELLINGS for word in (spelling.verb.value, *spelling.others)),
    key=lambda pair: -len(pair[0]),
)
WORDS = frozenset(word for word, _ in _WORDS)


def understood(line: str) -> Command:
    """The meaning of a line. Commands go before answers; no choice of the vocabulary is spelled like one (a test holds it)."""
    text = " ".join(line.split())
    if not text:
        return Command(Verb.UNKNOWN)
    folded = text.casefold()
    for word, spelling in _WORDS:
        rest = text[len(word) :]
        separate = rest.startswith(" ") or not word[-1].isalpha()
        if folded == word or (spelling.takes and folded.startswith(word) and separate):
            return Command(spelling.verb, rest.strip())
    return Command(Verb.ANSWER, line.strip())


def spelling_of(verb: Verb) -> Spelling:
    return next(spelling for spelling in SPELLINGS if spelling.verb is verb)


def command_lines() -> list[str]:
    """The help on all commands."""
    width = max(len(spelling.usage) for spelling in SPELLINGS)
    return [f"  {spelling.usage:<{width}}  {spelling.does}" for spelling in SPELLINGS]
