"""Lines of a form: a label, what is written beside it, and what belongs there; and reading them with every problem at once."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.suggester import SuggestFromList
from textual.widgets import Input, Label

from advisor.errors import InputError, Problem
from advisor.facts.values import parse_value
from advisor.facts.vocabulary import Fact, FactType
from advisor.tui.text import plain

_OPTION = re.compile(r"--([a-z]+(?:-[a-z]+)*)")


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a form."""

    name: str
    label: str
    help: str
    value: str = ""
    placeholder: str = ""
    suggested: Sequence[str] = ()
    """Texts that are completed while they are written."""
    more: str = ""
    """Further help, for which the form has no room."""


class Field(Horizontal):
    """A line with its label; its help is that of what has the focus."""

    DEFAULT_CSS = """
    Field { height: 1; }
    Field Label { width: 12; }
    Field Input { width: 1fr; }
    """

    def __init__(self, line: Line, form: str) -> None:
        """
        Args:
            form: begins the ids: the line is `#form_name`.
        """
        super().__init__()
        self.line, self.form = line, form
        self.HELP_TEXT = f"{line.label}: {line.help} {line.more}".rstrip()

    def compose(self) -> ComposeResult:
        line = self.line
        yield Label(plain(line.label), markup=False)
        yield Input(
            line.value,
            placeholder=line.placeholder,
            suggester=SuggestFromList(line.suggested, case_sensitive=False) if line.suggested else None,
            id=f"{self.form}_{line.name}",
        )


class Reading:
    """The texts in the lines of a form, as values. Problems are collected, and told all at once."""

    def __init__(self, lines: Iterable[Line], written: Mapping[str, str]) -> None:
        """
        Args:
            written: texts by the names of the lines.
        """
        self._labels = {line.name: line.label for line in lines}
        self._written = written
        self._problems: list[Problem] = []

    def text(self, name: str) -> str:
        return self._written[name].strip()

    def text_or_none(self, name: str) -> str | None:
        return self.text(name) or None

    def whole(self, name: str, least: int, most: int) -> int:
        return int(self._number(name, FactType.INTEGER, least, most))

    def whole_or_none(self, name: str, least: int, most: int) -> int | None:
        return self.whole(name, least, most) if self.text(name) else None

    def number(self, name: str, least: float, most: float) -> float:
        return self._number(name, FactType.NUMBER, least, most)

    def checks(self, name: str, read: Callable[[str], object]) -> None:
        """Collect what `read` finds wrong with the text of a line."""
        try:
            read(self.text(name))
        except InputError as error:
            self._problems += (replace(one, where=self._labels[name]) for one in error.problems)

    def refuse(self, problem: Problem) -> None:
        self._problems.append(problem)

    def done(self, title: str) -> None:
        """Raises InputError with all problems, where there are any."""
        if self._problems:
            raise InputError(title, self._problems)

    def _number(self, name: str, kind: FactType, least: float, most: float) -> float:
        label, text = self._labels[name], self.text(name)
        try:
            unit = name if kind is FactType.INTEGER else "ratio"
            found = parse_value(Fact(name, "", kind, unit=unit, minimum=least, maximum=most), text, where=label)
        except InputError as error:
            self._problems += error.problems
            return least
        if isinstance(found, int | float):
            return found
        self._problems.append(Problem(label, "nothing is written there.", f"For example {least:g}."))
        return least


def in_words_of(error: InputError, names: Mapping[str, str]) -> InputError:
    """The same error with the names of the screen in place of options of the command line.

    Args:
        names: of the screen, by what the error calls them: an option without its hyphens, or what stands before the colon.
    """
    return type(error)(error.title, [_named(one, names) for one in error.problems])


def _named(problem: Problem, names: Mapping[str, str]) -> Problem:
    where = names.get(problem.where.removeprefix("--"), problem.where)
    return replace(problem, where=where, what=without_options(problem.what, names),
                   remedy=without_options(problem.remedy, names))  # fmt: skip


def without_options(sentence: str, names: Mapping[str, str]) -> str:
    """`Write it with Step time.` for `Write it with --step-time.`"""
    return _OPTION.sub(lambda found: names.get(found[1], found[0]), sentence)
