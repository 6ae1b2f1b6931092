"""The computed numbers of a plan for people: a line each, or with formula, inputs and sources."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from advisor.facts.values import with_unit
from advisor.inference.plan import ComputedFigure, MemoryOption, Plan
from advisor.knowledge.model import Knowledge
from advisor.report import words
from advisor.report.markup import code, plain, table
from advisor.report.page import Look, Page, Style
from advisor.wording import join_names

_SECONDS = ((365.25 * 86400, "years"), (86400, "days"), (3600, "h"), (60, "min"), (1, "s"), (1e-3, "ms"), (0, "us"))


def figure_words(figure: ComputedFigure) -> str:
    """The value with its unit, rounded to three digits: 16.2 GB, 3.1 min, 54,400 parameters."""
    return "unknown" if figure.value is None else number_words(figure.value, figure.unit)


def number_words(value: float, unit: str) -> str:
    if value < 0:
        return f"-{number_words(-value, unit)}"
    if unit == "s":
        size, name = _unit_of_seconds(value)
        return f"{rounded(value / size)} {name}"
    if unit.startswith(("FLOP", "MAC")) and value >= 1e6:
        power = min(int(len(str(int(value))) - 1) // 3, 6)
        return f"{rounded(value / 1000**power)} {'_kMGTPE'[power]}{unit}"
    return with_unit(_rounded_number(value), unit)


def interval_words(median: float, low: float, high: float, unit: str) -> tuple[str, str, str]:
    """All three; seconds in the unit of the median: `1 ms`, `0.869 ms` and `1.35 ms`."""
    if unit != "s" or min(median, low, high) < 0:
        return number_words(median, unit), number_words(low, unit), number_words(high, unit)
    size, name = _unit_of_seconds(median)
    shown = [f"{rounded(value / size)} {name}" for value in (median, low, high)]
    return shown[0], shown[1], shown[2]


def about_words(seconds: float) -> str:
    """An estimated time, of which two digits are as many as it deserves: `38 min`, `2.6 days`."""
    size, name = _unit_of_seconds(seconds)
    shown = f"{float(f'{seconds / size:.2g}'):g}"
    return f"{shown} {name.removesuffix('s') if shown == '1' and len(name) > 3 else name}"


def _unit_of_seconds(value: float) -> tuple[float, str]:
    """Of the value as it is shown, so that a hair less than a millisecond is one and not 1,000 us."""
    shown = float(f"{value:.3g}")
    size, name = next((size, name) for size, name in _SECONDS if shown >= size)
    return size or 1e-6, name


def rounded(value: float) -> str:
    """Three digits, without a power of ten: 4,900, 0.0012."""
    return f"{_rounded_number(value):,}"


def _rounded_number(value: float) -> float:
    """Three digits are as many as such a number deserves; whole numbers keep theirs up to a million."""
    if float(value).is_integer() and abs(value) < 1e6:
        return int(value)
    short = float(f"{value:.3g}")
    return int(short) if short.is_integer() and abs(short) < 1e15 else short


def known_figures(plan: Plan) -> list[ComputedFigure]:
    return [figure for figure in plan.figures if figure.value is not None]


def known_values(plan: Plan) -> dict[str, float]:
    """The figures that could be computed, by name, in their base units."""
    return {figure.name: figure.value for figure in plan.figures if figure.value is not None}


def numbers_lines(page: Page, plan: Plan, said: str = "") -> None:
    """The section of the terminal's plan: the most telling numbers."""
    known = known_figures(plan)
    shown = [figure for figure in known if figure.headline]
    if not shown:
        return
    page.heading("THE NUMBERS")
    for figure in shown:
        page.add(f"{figure.title}: ", (figure_words(figure), Style.STRONG), _assuming(figure), first="- ")
    warning = memory_warning(plan)
    if warning:
        page.add((warning, Style.CARE), first="! ")
    others = f"{len(known) - len(shown)} more are in the Markdown report. " if len(known) > len(shown) else ""
    page.add(f"{others}A formula with what goes into it:")
    page.verbatim(f"advisor explain {shown[0].name}{said}", first="  ")


def memory_warning(plan: Plan) -> str:
    """A warning where training does not fit into memory in any way; empty otherwise."""
    entry = plan.recommendations.get("memory.strategy")
    if entry is None or entry.value != "does_not_fit":
        return ""
    told = " ".join(entry.notes)
    return f"{entry.because[0].text if entry.because else 'Training does not fit into memory.'} {told}".rstrip()


def needs_rows(options: Sequence[MemoryOption]) -> Iterator[tuple[str, ...]]:
    """For each way to fit training into memory what it needs on each device."""
    for option in options:
        apart = f", {option.model_ranks} devices for each example" if option.model_ranks > 1 else ""
        sizes = (option.states, option.activations, option.needed, option.usable)
        yield (
            f"{option.strategy}{apart}",
            str(option.micro_batch),
            *(with_unit(_rounded_number(size), "bytes") for size in sizes),
            "yes" if option.fits else "no",
        )


NEEDS = ("Way", "Examples at a time", "States", "Activations", "In all", "Can be used", "Fits")
"""The head of `needs_rows`."""


def _assuming(figure: ComputedFigure) -> str:
    return f" (assuming {join_names(list(figure.assumes[:3]))})" if figure.assumes else ""


def numbers_table(plan: Plan, knowledge: Knowledge) -> Iterator[str]:
    """The section of the Markdown report: every number, then how each is computed, then what is wanting for the others."""
    known = known_figures(plan)
    if not known:
        return
    yield "## The numbers"
    rows = [(figure.title, figure_words(figure), join_names(list(figure.assumes)) or "nothing") for figure in known]
    yield from table(["Number", "Value", "Rests on what is assumed or not settled"], rows)
    warning = memory_warning(plan)
    if warning:
        yield from (f"**{plain(warning)}**", "")
    yield from ("### How they are computed", "")
    for figure in known:
        yield f"- **{plain(figure.title)}** {code(f'{figure.name} = {formula_words(figure)}')}"
        yield f"  - {plain(figure.help)}"
        if figure.inputs:
            yield f"  - with {plain(inputs_words(figure))}"
        yield f"  - {plain('; '.join(words.citation(knowledge, source) for source in figure.sources))}"
    yield ""
    titles, missing = uncomputed(plan)
    if missing:
        wanting = ", ".join(code(name) for name in missing)
        yield f"Not computed: {', '.join(map(plain, titles))}. For these are wanting: {wanting}."
        yield ""


def uncomputed(plan: Plan) -> tuple[list[str], list[str]]:
    """The titles of the numbers that could not be computed, and the names of what is wanting for that."""
    figures = [figure for figure in plan.figures if figure.value is None]
    missing = dict.fromkeys(name for figure in figures for name in figure.missing)
    return [figure.title for figure in figures], list(missing)


def formula_words(figure: ComputedFigure) -> str:
    return " ".join(figure.formula.split())


def inputs_words(figure: ComputedFigure) -> str:
    return "; ".join(f"{i.name} = {_input_words(i.value, i.unit)} ({i.origin})" for i in figure.inputs)


def _input_words(value: Any, unit: str) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return "unknown" if value is None else str(value)
    return number_words(value, unit)


def figure_page(figure: ComputedFigure, knowledge: Knowledge, look: Look) -> str:
    """`advisor explain memory.states`."""
    page = Page(look)
    given = knowledge.figures.given
    page.add((f"{figure.title}: ", Style.HEADING), (figure_words(figure), Style.STRONG))
    page.add(figure.help)
    page.add(f"{figure.name} = {formula_words(figure)}", first="  ")
    for one in figure.inputs:
        value = f" = {_input_words(one.value, one.unit)}"
        page.add((one.name, Style.STRONG), value, (f", {one.origin}", Style.FAINT), first="  - ")
    if figure.assumes:
        page.add(f"It rests on what is assumed or not settled: {join_names(list(figure.assumes))}.")
    if figure.missing:
        wanting = [f"{name} ({given[name].title.lower()})" if name in given else name for name in figure.missing]
        page.add(f"It is not known for want of {join_names(wanting)}.")
    elif figure.value is None:
        page.add("These inputs give no number: it would be a division by zero, or out of range.")
    page.items((words.citation(knowledge, source) for source in figure.sources), "source ")
    return page.text()
