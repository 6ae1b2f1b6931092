"""Two machines, or one machine on two days, for the terminal and as JSON: first the answer, then the figures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from advisor.agent.machines.comparison import Change, Difference, MachinesCompared, Side
from advisor.agent.machines.quantities import Quantity
from advisor.plain import encode
from advisor.probes.outcome import Rate
from advisor.report.page import Look, Page, Style
from advisor.report.rates import multiple, rate_words, times

SCHEMA = "advisor/machine-comparison/1"
WORDS = {
    Change.FASTER: "faster",
    Change.SLOWER: "slower",
    Change.NO_DIFFERENCE: "no difference that matters",
    Change.UNDECIDED: "undecided",
}
_STYLES = {Change.FASTER: Style.GOOD, Change.SLOWER: Style.BAD}
_MOST_NAMED = 12


def answer(compared: MachinesCompared) -> str:
    """The question that people come with, answered in one sentence."""
    total, same = len(compared.differences), len(compared.identical)
    if not total and same:
        figures = "the one figure that both have is" if same == 1 else f"all {same} figures that both have are"
        return (
            f"This is the same measurement on both sides: {figures} of the same runs, so there is nothing to compare."
        )
    if not total:
        return "Nothing was measured on both sides under the same conditions, so nothing can be compared."
    slower, faster = compared.count(Change.SLOWER), compared.count(Change.FASTER)
    undecided = compared.count(Change.UNDECIDED)
    of = f"of {total} figure{'s' if total > 1 else ''}"
    if compared.same_machine:
        return _since(compared, slower, faster, undecided, of)
    subject, other = compared.second.title, compared.first.title
    if slower or faster:
        parts = [f"{word} in {number}" for word, number in (("faster", faster), ("slower", slower)) if number]
        return f"{subject} is {' and '.join(parts)} {of}, compared with {other}."
    if 2 * undecided > total:
        told = f"{_mostly_undecided(compared, undecided, of)}, {subject} over {other}"
        remedy = "Measure both again with more time (`advisor probe --budget 3min`)."
        return f"Whether {subject} or {other} is faster cannot be said: {told}). {remedy}"
    if undecided:
        are = "is" if undecided == 1 else "are"
        return f"No difference between {subject} and {other} was found, but {undecided} {of} {are} undecided."
    return f"{subject} and {other} are equally fast: no difference that matters in any {of}."


def _since(compared: MachinesCompared, slower: int, faster: int, undecided: int, of: str) -> str:
    better = f"{faster} became faster" if faster else ""
    also = f"; {better}" if better else ""
    if slower:
        worst = min((d for d in compared.differences if d.change is Change.SLOWER), key=lambda d: d.ratio)
        most = f"the most: {worst.quantity.label}, {times(worst.ratio, worst.low, worst.high)}"
        return f"Yes, it is slower than it was in {slower} {of} ({most}){also}."
    if 2 * undecided > len(compared.differences):
        told = f"{_mostly_undecided(compared, undecided, of)})"
        remedy = "Measure again with more time (`advisor probe --budget 3min`), or name another day with --since DATE."
        return f"It cannot be said whether it is slower than it was: {told}{also}. {remedy}"
    open_ = f"{undecided} cannot be decided" if undecided else ""
    rest = ", and ".join(part for part in (better, open_) if part)
    if undecided:
        return f"There is no sign that it is slower than it was, but {rest} {of}."
    return f"No, it is not slower than it was{f': {rest}' if rest else ''} ({of[3:]} compared)."


def _mostly_undecided(compared: MachinesCompared, undecided: int, of: str) -> str:
    """`9 of 9 figures are undecided (their medians: 0.76x to 0.78x`, whose parenthesis is still open."""
    ratios = [difference.ratio for difference in compared.differences if difference.change is Change.UNDECIDED]
    least, most = multiple(min(ratios)), multiple(max(ratios))
    medians = f"its median: {least}" if undecided == 1 else f"their medians: {least} to {most}"
    return f"{undecided} {of} {'is' if undecided == 1 else 'are'} undecided ({medians}"


def compared_page(compared: MachinesCompared, look: Look) -> str:
    page = Page(look)
    page.add((answer(compared), Style.STRONG))
    page.blank()
    for mark, side in (("A", compared.first), ("B", compared.second)):
        page.add(f"{side.title}: {days_measured(side)}", first=[(f"{mark}  ", Style.STRONG)])
    if compared.differences:
        page.section("WHAT ELSE DIFFERS (A against B; any difference in speed may come from it)", compared.context)
    if compared.identical and not compared.differences:
        page.apart("Measure again with `advisor probe`; `advisor profiles compare` then tells what has changed since.")
    elif compared.identical:
        page.apart(f"The same runs on both sides, so not compared: {_names(compared.identical)}.")
    if compared.differences:
        page.heading("FIGURES (B / A: above 1 is faster)")
        for difference in compared.differences:
            _difference(page, difference)
        if one_run(compared):
            page.apart("Where a side has one run, its interval knows nothing of what changes from run to run.")
    for mark, only in (("A", compared.first_only), ("B", compared.second_only)):
        if only:
            page.apart(f"Only {mark} has: {_names(only)}.")
    return page.text()


def days_measured(side: Side) -> str:
    """`measured on 2026-01-02`, or from which day to which."""
    first, last = side.dates
    if not first:
        return "nothing measured"
    return f"measured on {first}" if first == last else f"measured from {first} to {last}"


def _difference(page: Page, difference: Difference) -> None:
    speed = times(difference.ratio, difference.low, difference.high)
    verdict = (WORDS[difference.change], _STYLES.get(difference.change, Style.PLAIN))
    page.add((quantity_name(difference.quantity), Style.STRONG), ": ", verdict, f", {speed}")
    a, b = rate_of(difference.first, difference.first_runs), rate_of(difference.second, difference.second_runs)
    page.add(f"A {a}, B {b}", first="  ")


def one_run(compared: MachinesCompared) -> bool:
    """True if a side of some figure was measured in one run only."""
    return any(min(one.first_runs, one.second_runs) == 1 for one in compared.differences)


def rate_of(rate: Rate, runs: int) -> str:
    """`13.1 GB/s [12.9, 13.4] in 3 runs`."""
    return f"{rate_words(rate)} in {runs} run{'s' if runs > 1 else ''}"


def _names(quantities: Sequence[Quantity]) -> str:
    """The first of them by name, and how many more."""
    names = list(dict.fromkeys(map(quantity_name, quantities)))
    more = f", and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return f"{', '.join(names[:_MOST_NAMED])}{more}"


def quantity_name(quantity: Quantity) -> str:
    """The label, and for the speed of a network which one, with what else it was measured with."""
    if quantity.gauged:
        return quantity.label
    conditions = dict(quantity.conditions)
    network = conditions.pop("network", "")
    rest = ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in conditions.items())
    return f"{quantity.label} ({', '.join(part for part in (network, rest) if part)})"


def compared_json(compared: MachinesCompared) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "answer": answer(compared),
        "same_machine": compared.same_machine,
        "a": _side_json(compared.first),
        "b": _side_json(compared.second),
        "counts": {change.value: compared.count(change) for change in Change},
        "context": list(compared.context),
        "figures": [
            {
                **_quantity_json(difference.quantity),
                "a": {**encode(difference.first), "runs": difference.first_runs},
                "b": {**encode(difference.second), "runs": difference.second_runs},
                "ratio": {"median": difference.ratio, "low": difference.low, "high": difference.high},
                "verdict": difference.change.value,
            }
            for difference in compared.differences
        ],
        "identical": list(map(_quantity_json, compared.identical)),
        "only_a": list(map(_quantity_json, compared.first_only)),
        "only_b": list(map(_quantity_json, compared.second_only)),
    }


def _side_json(side: Side) -> dict[str, Any]:
    first, last = side.dates
    return {"title": side.title, "first_day": first, "last_day": last, "outcomes": len(side.outcomes)}


def _quantity_json(quantity: Quantity) -> dict[str, Any]:
    return {
        "probe": quantity.probe, "name": quantity.name, "label": quantity.label, "conditions": dict(quantity.conditions),
    }  # fmt: skip
