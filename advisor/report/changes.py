"""Words for what a measurement found, shared by terminal and report."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from advisor.inference.plan import Plan, Verdict
from advisor.probes.outcome import SPEED_UP

VERDICTS: Mapping[Verdict, str] = {
    Verdict.CONFIRMED: "confirmed",
    Verdict.OVERTURNED: "overturned",
    Verdict.NO_DIFFERENCE: "no difference that matters",
    Verdict.UNDECIDED: "undecided",
}


def claim(plan: Plan, rule: str) -> str:
    """What a rule staked on the probe, as it was judged."""
    known = plan.knowledge.by_id.get(rule) if plan.knowledge is not None else None
    if known is None or known.settles is None:
        return f"the claim of rule {rule}"
    return f"the claim of rule {rule}, {known.settles.expects}"


def quantity(value: Any, unit: str) -> str:
    """A value with its unit: 1 thread, 2 threads, bf16."""
    if not unit:
        return str(value)
    return f"{value} {unit.removesuffix('s') if value == 1 else unit}"


class Compared(Protocol):
    """Two settings that were compared: a measurement within a plan, or a probe's outcome."""

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
    before, rival = quantity(found.before, unit), quantity(found.rival, unit)
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
