"""Errors for people: what is wrong, where, and the remedy."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from advisor.wording import join_names

Complain = Callable[[str, str], None]
"""Is told a title and a sentence: what a person should know although the work goes on."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing a user can fix."""

    where: str
    what: str
    remedy: str = ""

    def __str__(self) -> str:
        text = f"{self.where}: {self.what}" if self.where else self.what
        if not self.remedy:
            return text
        return f"{text} {self.remedy}" if text.endswith((".", "?", "!", ":")) else f"{text}. {self.remedy}"


class InputError(ValueError):
    """Wrong input, with every problem found at once; the command line shows it as one titled panel."""

    def __init__(self, title: str, problems: Iterable[Problem], more: int = 0) -> None:
        """
        Args:
            more: problems beyond those that are listed.
        """
        self.title = title
        self.problems = tuple(problems)
        self.more = more
        super().__init__(f"{title}\n" + "\n".join(map(str, self.problems)))


class OutOfMemoryError(InputError):
    """There is too little memory for the work: no fault of the input, so that the command ends as work that failed."""


def input_error(title: str, what: str, *, where: str = "", remedy: str = "") -> InputError:
    return InputError(title, [Problem(where, what, remedy)])


def did_you_mean(wrong: str, known: Iterable[str]) -> str:
    """`Did you mean ...?` for the nearest known name, otherwise the known ones when they are few."""
    names = list(known)
    nearest = difflib.get_close_matches(wrong[:200], names, n=1, cutoff=0.6)
    if nearest:
        return f"Did you mean {nearest[0]}?"
    return f"Known: {join_names(names)}." if 0 < len(names) <= 20 else ""
