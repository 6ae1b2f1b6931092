"""What measuring changed: before -> measured -> after, for the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from advisor.inference.plan import Measurement, Plan, Recommendation, Verdict

VERDICTS: Mapping[Verdict, str] = {
    Verdict.CONFIRMED: "confirmed",
    Verdict.OVERTURNED: "overturned",
    Verdict.NO_DIFFERENCE: "no difference that matters",
    Verdict.UNDECIDED: "undecided",
}


def change_lines(plan: Plan) -> Iterator[str]:
    """One block of lines for every recommendation that was measured."""
    measured = [entry for entry in plan.recommendations.values() if entry.measured is not None]
    if not measured:
        yield "Nothing was measured."
        return
    yield "before -> measured -> after"
    for entry in measured:
        assert entry.measured is not None  # noqa: S101
        yield from _entry_lines(plan, entry, entry.measured)


def claim(plan: Plan, rule: str) -> str:
    """What a rule staked on the probe, as it was judged."""
    known = plan.knowledge.by_id.get(rule) if plan.knowledge is not None else None
    if known is None or known.settles is None:
        return f"the claim of rule {rule}"
    return f"the claim of rule {rule}, {known.settles.expects}"


def _entry_lines(plan: Plan, entry: Recommendation, found: Measurement) -> Iterator[str]:
    before, after = quantity(found.before, entry.unit), quantity(entry.value, entry.unit)
    yield f"  {entry.title}: {before} -> {VERDICTS[found.verdict]} -> {after}"
    yield f"    {sentence(found, entry.unit)}"
    conditions = ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in sorted(found.applies.items()))
    yield f"    measured with: {conditions}"
    for rule, verdict in found.judged.items():
        yield f"    {claim(plan, rule)}: {VERDICTS[Verdict(verdict)]}"


def quantity(value: Any, unit: str) -> str:
    """A value with its unit: 1 thread, 2 threads, bf16."""
    if not unit:
        return str(value)
    return f"{value} {unit.removesuffix('s') if value == 1 else unit}"


def sentence(found: Measurement, unit: str = "") -> str:
    """The comparison in words, with its interval and the number of pairs."""
    before, rival = quantity(found.before, unit), quantity(found.rival, unit)
    pairs = "1 interleaved pair" if found.n == 1 else f"{found.n} interleaved pairs"
    figures = f"(95 % interval {found.low:.2f} to {found.high:.2f}, {pairs})"
    match found.verdict:
        case Verdict.CONFIRMED:
            return f"{before} against {rival}: {found.median:.2f} times as fast {figures}."
        case Verdict.OVERTURNED:
            return f"{rival} against {before}: {found.median:.2f} times as fast {figures}."
        case Verdict.NO_DIFFERENCE:
            return f"{before} against {rival}: {found.median:.2f} times as fast {figures}, which is less than matters."
        case _ if found.median < 1:
            swapped = f"(95 % interval {1 / found.high:.2f} to {1 / found.low:.2f}, {pairs})"
            return f"{rival} against {before}: {1 / found.median:.2f} times as fast {swapped}, not decided in the time given."
        case _:
            return (
                f"{before} against {rival}: {found.median:.2f} times as fast {figures}, not decided in the time given."
            )
