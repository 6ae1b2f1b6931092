"""Commands that are proposed with the facts that were told, or with one of them changed."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator
from dataclasses import replace

from advisor.errors import Problem
from advisor.wording import shell_words

_PLANS = re.compile(
    r"`(advisor (?:recommend|explain|probe(?! list)|try|sync|simulate|starter|rules trial)\b[^`]*)`( with the same answers)?"
)
"""Commands that plan: from other facts they would tell of another plan."""
_LOOKS = re.compile(r"`(advisor inspect)`")
_STANDS_FOR_IT = re.compile(r"[A-Z]+")
"""`PATH`, `COLUMN`: to be replaced by whoever types the command."""
_UNREAD = "$'"
"""The beginning of a word with control characters, which shlex does not read."""

Option = tuple[str, ...]
"""A flag with its value, if it has one."""


def with_facts(text: str, told: str) -> str:
    """The text in which each command between backquotes that plans repeats the facts.

    Args:
        told: the options that told them, as they are typed in a shell; without any the text stays as it is.
    """
    if not told or _UNREAD in told:
        return text
    data = _typed(option for option in _options(told) if option[0] in ("--data", "--target"))
    text = _LOOKS.sub(lambda found: f"`{f'{found[1]} {data}'.strip()}`", text)
    return _PLANS.sub(lambda found: f"`{_joined(found[1], told)}`", text)


def problem_with_facts(problem: Problem, told: str) -> Problem:
    return replace(problem, remedy=with_facts(problem.remedy, told))


def changed(told: str, others: str) -> str:
    """The options with others in place of those that say the same otherwise."""
    new = list(_options(others))
    said = {_subject(option) for option in new}
    return _typed([*(option for option in _options(told) if _subject(option) not in said), *new])


def without(told: str, flag: str) -> str:
    """The options but for those under this flag."""
    return _typed(option for option in _options(told) if option[0] != flag)


def _joined(command: str, told: str) -> str:
    """The command and what was told: its own values stay, but for those that only stand for what was told."""
    first, dashes, rest = command.partition(" --")
    known = {option[0] for option in _options(told)}
    own = [
        option
        for option in _options(f"{dashes}{rest}")
        if not (option[0] in known and _STANDS_FOR_IT.fullmatch(option[-1]))
    ]
    said = {_subject(option) for option in own}
    return f"{first} {_typed([*own, *(option for option in _options(told) if _subject(option) not in said)])}"


def _options(typed: str) -> Iterator[Option]:
    words = shlex.split(typed)
    for at, word in enumerate(words):
        if word.startswith("--"):
            has_value = at + 1 < len(words) and not words[at + 1].startswith("--")
            yield (word, words[at + 1]) if has_value else (word,)


def _subject(option: Option) -> str:
    """The fact that it states, or its flag."""
    return option[1].partition("=")[0] if option[0] == "--set" else option[0]


def _typed(options: Iterable[Option]) -> str:
    return shell_words(word for option in options for word in option)
