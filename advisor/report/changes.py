"""What measuring changed: before -> measured -> after, for the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

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
        yield from _entry_lines(entry, entry.measured)


def _entry_lines(entry: Recommendation, found: Measurement) -> Iterator[str]:
    unit = f" {entry.unit}" if entry.unit else ""
    yield f"  {entry.title}: {found.before}{unit} -> {VERDICTS[found.verdict]} -> {entry.value}{unit}"
    yield f"    {sentence(found, entry.unit)}"
    conditions = ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in sorted(found.applies.items()))
    yield f"    holds for: {conditions}"
    for rule, verdict in found.judged.items():
        yield f"    rule {rule}: {VERDICTS[Verdict(verdict)]}"


def sentence(found: Measurement, unit: str = "") -> str:
    """The comparison in words, with its interval and the number of pairs."""
    suffix = f" {unit}" if unit else ""
    other = found.before if found.verdict is Verdict.OVERTURNED else found.rival
    interval = f"(95 % interval {found.low:.2f} to {found.high:.2f}, {found.n} interleaved pairs)"
    if found.rival is None:
        return f"There was nothing to compare {found.before}{suffix} with."
    if found.verdict is Verdict.NO_DIFFERENCE:
        return f"{found.before} and {found.rival}{suffix} take the same time: ratio {found.median:.2f} {interval}."
    if found.verdict is Verdict.UNDECIDED:
        return f"{found.before} against {found.rival}{suffix}: ratio {found.median:.2f} {interval}, not decided in the time given."
    winner = found.rival if found.verdict is Verdict.OVERTURNED else found.before
    return f"{winner} is {found.median:.2f} times as fast as {other}{suffix} {interval}."
