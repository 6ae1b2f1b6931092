"""Words for what an experiment found, shared by terminal and report."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from advisor.agent.trials.outcomes import is_trial
from advisor.facts.experiments import is_of_strategies, is_simulated
from advisor.facts.values import singular
from advisor.facts.verdict import Verdict
from advisor.inference.plan import Measurement, Plan
from advisor.probes.outcome import SPEED_UP, Outcome
from advisor.report.page import Style

VERDICTS: Mapping[str, str] = {
    Verdict.CONFIRMED: "confirmed",
    Verdict.OVERTURNED: "overturned",
    Verdict.NO_DIFFERENCE: "no difference that matters",
    Verdict.UNDECIDED: "undecided",
}
STYLES: Mapping[Verdict, Style] = {
    Verdict.CONFIRMED: Style.GOOD,
    Verdict.OVERTURNED: Style.CARE,
    Verdict.NO_DIFFERENCE: Style.PLAIN,
    Verdict.UNDECIDED: Style.FAINT,
}
ENDINGS: Mapping[Verdict, str] = {
    Verdict.NO_DIFFERENCE: ", which is less than matters",
    Verdict.UNDECIDED: ", which is not decided",
}
Compared: TypeAlias = Measurement | Outcome
"""Two settings that were compared: a measurement within a plan, or a probe's outcome."""


def claim(plan: Plan, rule: str) -> str:
    """The claim that a rule staked on the probe, as it was judged."""
    known = plan.knowledge.by_id.get(rule) if plan.knowledge is not None else None
    if known is None or known.settles is None:
        return f"the claim of rule {rule}"
    return f"the claim of rule {rule}, {known.settles.expects}"


def is_probe(experiment: str) -> bool:
    """True for a probe, which the catalogue has; false for trials on data and for strategies."""
    return not is_trial(experiment) and not is_of_strategies(experiment)


def by_whom(probe: str) -> str:
    """The name of an experiment: `the probe threads`, or the command where networks were trained on somebody's data or
    strategies were run or simulated."""
    if is_of_strategies(probe):
        return f"`advisor {probe}`"
    return "`advisor try`" if is_trial(probe) else f"the probe {probe}"


def quantity(value: Any, unit: str) -> str:
    """A value with its unit: 1 thread, 2 threads, bf16."""
    if not unit:
        return str(value)
    return f"{value} {singular(unit) if value == 1 and unit.endswith('s') else unit}"


def sentence(found: Compared, unit: str = "") -> str:
    """The comparison in words, with its interval and the number of pairs; of a single simulation there is no interval."""
    before, rival = (quantity(listed(setting), unit) for setting in (found.before, found.rival))
    if found.median is None or found.low is None or found.high is None:
        return untried(before, rival) if is_trial(found.probe) else "Nothing was compared."
    if is_trial(found.probe):
        return _scores(found, before, rival, found.median, found.low, found.high)
    gain = "times as fast" if found.unit == SPEED_UP else f"times the {found.unit}"
    pairs = _pairs(found)
    first, second, median, low, high = before, rival, found.median, found.low, found.high
    if found.verdict == Verdict.OVERTURNED:
        first, second = rival, before
    elif found.verdict == Verdict.UNDECIDED and median < 1:
        first, second, median, low, high = rival, before, 1 / median, 1 / high, 1 / low
    interval = "" if is_simulated(found.probe) and low == high else f"95 % interval {low:.2f} to {high:.2f}, "
    figures = f"({interval}{pairs})"
    return f"{first} against {second}: {median:.2f} {gain} {figures}{ENDINGS.get(found.verdict, '')}."


def _pairs(found: Compared) -> str:
    """`12 interleaved pairs`, `3 pairs of runs`, `1 pair of simulations`"""
    noun = "pair" if found.n == 1 else "pairs"
    if is_of_strategies(found.probe):
        return f"{found.n} {noun} of {'simulations' if is_simulated(found.probe) else 'runs'}"
    return f"{found.n} interleaved {noun}"


def _scores(found: Compared, before: str, rival: str, median: float, low: float, high: float) -> str:
    """A difference of scores on data that were not seen, greater being better, of the first of the two."""
    pairs = "1 pair" if found.n == 1 else f"{found.n} pairs"
    first, second = (rival, before) if found.verdict == Verdict.OVERTURNED else (before, rival)
    if median < 0:
        first, second, median, low, high = second, first, -median, -high, -low
    figures = f"(95 % interval {low:.3g} to {high:.3g}, {pairs})"
    told = f"{first} against {second}: {median:.3g} better in {found.unit.replace('_', ' ')} {figures}"
    return f"{told}{ENDINGS.get(found.verdict, '')}."


def untried(before: str, won: str) -> str:
    """Words for a bet that nothing could be compared for."""
    return f"{before} could not be judged in the time; of what was tried {won} did best."


def difference(found: Compared) -> str:
    """The finding in figures alone: `1.31 (1.22 to 1.40)`, or with its sign and unit where it is a difference of scores.

    A single simulation has no interval.
    """
    if found.median is None or found.low is None or found.high is None:
        return "not compared" if is_trial(found.probe) else "nothing"
    if is_trial(found.probe):
        return f"{found.median:+.3g} {found.unit.replace('_', ' ')} ({found.low:+.3g} to {found.high:+.3g})"
    if is_simulated(found.probe) and found.low == found.high:
        return f"{found.median:.2f}"
    if is_of_strategies(found.probe) and found.verdict == Verdict.UNDECIDED and found.median < 1:
        median, low, high = 1 / found.median, 1 / found.high, 1 / found.low
        return f"{listed(found.rival)} {median:.2f} ({low:.2f} to {high:.2f}) times as fast"
    return f"{found.median:.2f} ({found.low:.2f} to {found.high:.2f})"


def listed(setting: Any) -> Any:
    """Several values as one text."""
    return ", ".join(map(str, setting)) if isinstance(setting, list | tuple) else setting
