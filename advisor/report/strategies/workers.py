"""Words for how many workers pay, as a simulation has shown: more than a ratio, which nobody can read by itself."""

from __future__ import annotations

from advisor.agent.sweeps import IN_STEP, SOONER
from advisor.facts.verdict import Verdict
from advisor.inference.plan import Measurement

BEST_WORKERS = "sim.workers.best"
"""The fact that such a simulation decides."""


def workers_words(found: Measurement) -> str:
    """`with 16 workers 5.3 times the examples/s of one (5.2 to 5.4); with fewer it is slower`."""
    assert found.median is not None  # noqa: S101 - strategies have figures
    digits = 3 if found.median < 2 else 2
    median, low, high = (f"{one:.{digits}g}" for one in (found.median, found.low or 0.0, found.high or 0.0))
    factor, between = f"{median} times", "" if low == high else f" ({low} to {high})"
    rival = "one" if found.rival == 1 else f"{found.rival:,}"
    if found.unit.startswith(SOONER):
        name = found.unit.removeprefix(SOONER)
        open_ = ", which is not decided" if found.verdict == Verdict.UNDECIDED else ""
        return (
            f"with {_count(found.before)} and {name} {factor} as fast to the same loss as with {rival}{between}{open_}"
        )
    if found.unit == IN_STEP:
        return f"if all keep step, {found.before:,} have {factor} the examples/s of {rival}{between}; whether they pay is open"
    if found.verdict == Verdict.OVERTURNED:
        each = f"each gets {factor} as much done{between}"
        return f"{_count(found.after)} as fast as {found.before:,}: more of them gain under 5 %, and {each}"
    if found.verdict == Verdict.UNDECIDED:
        return f"with {_count(found.before)} {factor} the examples/s of {rival}{between}, which is within the noise"
    return f"with {_count(found.before)} {factor} the examples/s of {rival}{between}; with fewer it is slower"


def _count(workers: object) -> str:
    return "1 worker" if workers == 1 else f"{workers:,} workers"
