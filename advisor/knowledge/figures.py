"""Computed numbers as data: a formula in the language of rules, its unit, its source, and what it means."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from advisor.errors import Problem
from advisor.knowledge.citations import cited, undeclared
from advisor.knowledge.expressions.compiler import compile_expression
from advisor.knowledge.expressions.expressions import BOOLEAN, NUMBER, Expression, ExpressionError, Symbols
from advisor.reading import Reader
from advisor.safe_yaml import Mapping as MappingNode
from advisor.safe_yaml import Node, Sequence
from advisor.wording import shorten

_GIVEN_KEYS = ("title", "unit", "help")
_CASE_KEYS = ("value", "only_when", "help", "sources")
_NAME = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*", re.ASCII)


@dataclass(frozen=True, slots=True)
class Given:
    """A number that the program supplies to formulas: counted, published or measured."""

    name: str
    title: str
    unit: str
    help: str


@dataclass(frozen=True, slots=True)
class Case:
    """One way to a figure: it applies only when a condition holds (empty: always)."""

    value: str
    only_when: str
    help: str
    sources: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Figure:
    """A computed number. The first case that applies and whose inputs are known gives it; a headline stands in short plans."""

    name: str
    title: str
    unit: str
    cases: tuple[Case, ...]
    headline: bool = False
    where: str = ""
    layer: int = 0


@dataclass(frozen=True, slots=True)
class Figures:
    """The names that formulas may read beside facts and topics, and the formulas in the order in which they can be computed."""

    given: Mapping[str, Given]
    figures: Mapping[str, Figure]

    def symbols(self, base: Symbols) -> Symbols:
        """Slots for facts, topics, given numbers and figures, in this order."""
        return base.with_numbers([*self.given, *self.figures])


NO_FIGURES = Figures({}, {})


def read_figures(node: Node | None, reader: Reader, layer: int, before: Figures) -> Figures:
    """The figures of one file on top of those of the layers before: a known name replaces a figure where it stands."""
    root = reader.mapping(node, "figures.yaml", ("given", "figures"))
    if root is None:
        return before
    given, figures = read_given(root, reader, layer, before.given), dict(before.figures)
    for name, value, line in reader.pairs(root.items["figures"], "figures") if "figures" in root.items else ():
        figure = _figure(name, value, line, reader, layer)
        if figure is not None:
            figures[name] = figure
    return Figures(given, figures)


def read_given(root: MappingNode, reader: Reader, layer: int, before: Mapping[str, Given]) -> dict[str, Given]:
    """The given numbers of one file after those of the layers before."""
    given = dict(before)
    if "given" not in root.items:
        return given
    if layer > 0:
        reader.note(root.key_lines["given"], "a pack cannot declare given numbers; the program supplies them.")
    for name, value, _ in reader.pairs(root.items["given"], "given"):
        entry = reader.mapping(value, f"given {name}", _GIVEN_KEYS)
        if entry is not None:
            given[name] = reader.record(Given, entry, f"given {name}", ("title", "help"), name=name)
    return given


def _figure(name: str, value: Node, line: int, reader: Reader, layer: int) -> Figure | None:
    what = f"figure {shorten(name)}"
    if not _NAME.fullmatch(name):
        reader.note(line, f"{what} has a name that no formula could read.", "Write words, joined by `.` or `_`.")
        return None
    entry = reader.mapping(value, what, ("title", "unit", "headline", "cases", *_CASE_KEYS))
    if entry is None:
        return None
    cases: list[Case] = []
    listed = entry.items.get("cases")
    if isinstance(listed, Sequence):
        if any(key in entry.items for key in _CASE_KEYS):
            reader.note(line, f"{what} has cases; value, only_when, help and sources belong into each of them.")
        for item in listed.items:
            inner = reader.mapping(item, f"{what}: a case", _CASE_KEYS)
            if inner is not None:
                cases.append(_case(inner, what, reader))
        if not listed.items:
            reader.note(listed.line, f"{what} has no case at all.", "Start each with `- value: ...`.")
    elif listed is not None:
        reader.note(listed.line, f"{what}: cases must be a list.", "Start each with `- value: ...`.")
    else:
        cases.append(_case(entry, what, reader))
    title, unit = reader.text(entry, "title", what, required=True), reader.text(entry, "unit", what)
    headline = reader.flag(entry, "headline", what, default=False)
    return Figure(name, title, unit, tuple(cases), headline, f"{reader.where}:{line}", layer)


def _case(entry: MappingNode, what: str, reader: Reader) -> Case:
    case = reader.record(Case, entry, what, ("value", "help"))
    if not case.sources:
        reader.note(entry.line, f"{what} names no sources.", "Cite a key of sources.yaml; `arithmetic` is one.")
    return case


@dataclass(frozen=True, slots=True)
class Formula:
    """A case compiled."""

    case: Case
    value: Expression
    only_when: Expression | None


def compile_figures(figures: Figures, base: Symbols) -> dict[str, tuple[Formula, ...]]:
    """Every formula, ready to be computed. Raises ExpressionError for figures that were not checked."""
    symbols = figures.symbols(base)
    return {
        name: tuple(
            Formula(
                case,
                compile_expression(case.value, symbols, NUMBER),
                compile_expression(case.only_when, symbols, BOOLEAN) if case.only_when else None,
            )
            for case in figure.cases
        )
        for name, figure in figures.figures.items()
    }


def _clashes(figures: Figures, base: Symbols) -> Iterator[Problem]:
    places = {**dict.fromkeys(figures.given, "figures.yaml"), **{n: f.where for n, f in figures.figures.items()}}
    for name, where in places.items():
        if name in base.slots or (name in figures.given and name in figures.figures):
            yield Problem(where, f"{shorten(name)} is declared elsewhere already.", "Choose another name.")


def check_figures(figures: Figures, base: Symbols, sources: Collection[str]) -> Iterator[Problem]:
    """Formulas that don't compile, read what comes later, cite what is not declared; and names that clash, in which case
    nothing else is looked at: every formula that reads one of these would be found wrong."""
    clashes = list(_clashes(figures, base))
    yield from clashes
    if clashes:
        return
    symbols = figures.symbols(base)
    computed = {*base.slots, *figures.given}
    for name, figure in figures.figures.items():
        for case in figure.cases:
            for text, wanted in ((case.value, NUMBER), (case.only_when, BOOLEAN)):
                if not text:
                    continue
                try:
                    expression = compile_expression(text, symbols, wanted)
                except ExpressionError as error:
                    yield Problem(figure.where, f"figure {name}: `{shorten(text)}` {error}")
                    continue
                later = sorted(expression.names - computed)
                if later:
                    what = f"figure {name} reads {later[0]}, which is computed after it."
                    yield Problem(figure.where, what, "Put it after the figures that it reads.")
            yield from undeclared(figure.where, f"figure {name} cites", cited(case.sources), sources)
        computed.add(name)
