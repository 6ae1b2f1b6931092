"""Words for what a measurement found, shared by terminal and report."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from advisor.agent.trials.outcomes import is_trial
from advisor.facts.values import singular
from advisor.facts.verdict import Verdict
from advisor.inference.plan import Plan
from advisor.probes.outcome import SPEED_UP

VERDICTS: Mapping[Verdict, str] = {
    Verdict.CONFIRMED: "confirmed",
    Verdict.OVERTURNED: "overturned",
    Verdict.NO_DIFFERENCE: "no difference that matters",
    Verdict.UNDECIDED: "undecided",
}


def claim(plan: Plan, rule: str) -> str:
    """The claim that a rule staked on the probe, as it was judged."""
    known = plan.knowledge.by_id.get(rule) if plan.knowledge is not None else None
    if known is None or known.settles is None:
        return f"the claim of rule {rule}"
    return f"the claim of rule {rule}, {known.settles.expects}"


def by_whom(probe: str) -> str:
    """The name of a measurement: `the probe threads`, or `advisor try` where networks were trained on somebody's data."""
    return "`advisor try`" if is_trial(probe) else f"the probe {probe}"


def quantity(value: Any, unit: str) -> str:
    """A value with its unit: 1 thread, 2 threads, bf16."""
    if not unit:
        return str(value)
    return f"{value} {singular(unit) if value == 1 and unit.endswith('s') else unit}"


class Compared(Protocol):
    """Two settings that were compared: a measurement within a plan, or a probe's outcome."""

    @property
    def probe(self) -> str: ...

    @property
    def before(self) -> Any: ...

    @property
    def rival(self) -> Any: ...

    @property
    def verdict(self) -> Any: ...

    @property
    def median(self) -> float | None: ...

    @property
    def low(self) -> float | None: ...

    @property
    def high(self) -> float | None: ...

    @property
    def n(self) -> int: ...

    @property
    def unit(self) -> str: ...


def sentence(found: Compared, unit: str = "") -> str:
    """The comparison in words, with its interval and the number of pairs."""
    if found.median is None or found.low is None or found.high is None:
        return "Nothing was compared."
    before, rival = (quantity(_listed(setting), unit) for setting in (found.before, found.rival))
    if is_trial(found.probe):
        return _scores(found, before, rival, found.median, found.low, found.high)
    gain = "times as fast" if found.unit == SPEED_UP else f"times the {found.unit}"
    pairs = "1 interleaved pair" if found.n == 1 else f"{found.n} interleaved pairs"
    figures = f"(95 % interval {found.low:.2f} to {found.high:.2f}, {pairs})"
    match found.verdict:
        case Verdict.CONFIRMED:
            return f"{before} against {rival}: {found.median:.2f} {gain} {figures}."
        case Verdict.OVERTURNED:
            return f"{rival} against {before}: {found.median:.2f} {gain} {figures}."
        case Verdict.NO_DIFFERENCE:
            return f"{before} against {rival}: {found.median:.2f} {gain} {figures}, which is less than matters."
        case _ if found.median < 1:
            swapped = f"(95 % interval {1 / found.high:.2f} to {1 / found.low:.2f}, {pairs})"
            return f"{rival} against {before}: {1 / found.median:.2f} {gain} {swapped}, which is not decided."
        case _:
            return f"{before} against {rival}: {found.median:.2f} {gain} {figures}, which is not decided."


def _scores(found: Compared, before: str, rival: str, median: float, low: float, high: float) -> str:
    """A difference of scores on data that were not seen, greater being better, of the first of the two."""
    pairs = "1 pair" if found.n == 1 else f"{found.n} pairs"
    first, second = (rival, before) if found.verdict == Verdict.OVERTURNED else (before, rival)
    if median < 0:
        first, second, median, low, high = second, first, -median, -high, -low
    figures = f"(95 % interval {low:.3g} to {high:.3g}, {pairs})"
    told = f"{first} against {second}: {median:.3g} better in {found.unit.replace('_', ' ')} {figures}"
    match found.verdict:
        case Verdict.NO_DIFFERENCE:
            return f"{told}, which is less than matters."
        case Verdict.UNDECIDED:
            return f"{told}, which is not decided."
        case _:
            return f"{told}."


def difference(found: Compared) -> str:
    """The finding in figures alone: `1.31 (1.22 to 1.40)`, or with its sign and unit where it is a difference of scores."""
    if found.median is None or found.low is None or found.high is None:
        return "nothing"
    if is_trial(found.probe):
        return f"{found.median:+.3g} {found.unit.replace('_', ' ')} ({found.low:+.3g} to {found.high:+.3g})"
    return f"{found.median:.2f} ({found.low:.2f} to {found.high:.2f})"


def _listed(setting: Any) -> Any:
    return ", ".join(map(str, setting)) if isinstance(setting, list | tuple) else setting
