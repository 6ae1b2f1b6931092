"""Values inside valid files, changed by the hundred: whatever they say, the program survives them.

FUZZ_CASES says how many a format: 200 without it, 5000 by `make fuzz`.
"""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest

from .case import Case
from .drawing import for_each
from .formats import formats
from .surviving import End, keep, put_away, survive

CASES = int(os.environ.get("FUZZ_CASES", "200"))
SHARDS = 4
"""Parts of a format's cases, which may run beside each other."""
KEPT = Path(__file__).resolve().parents[2] / "build" / "fuzz"
"""Cases that failed; and those that a process died of, in `running`."""

pytestmark = pytest.mark.fuzz


@pytest.mark.parametrize("shard", range(SHARDS))
@pytest.mark.parametrize("name", formats())
def test_mutated_files_are_survived(name: str, shard: int, record_property: pytest.RecordProperty) -> None:
    format_, count = formats()[name], max(CASES // SHARDS // formats()[name].one_of, 1)
    place, failed = KEPT / "running" / f"{name}-{shard}-{os.getpid()}", KEPT / "failed" / name
    ends: Counter[End] = Counter()
    told: list[str] = []
    at_the_door = 0
    seconds: list[float] = []

    def one(case: Case) -> None:
        outcome = survive(case, place, format_)
        nonlocal at_the_door
        ends[outcome.end] += 1
        at_the_door += any(said in outcome.ran.err for said in format_.at_the_door)
        seconds.append(outcome.ran.spent.seconds)
        if outcome.end is End.FAILED:
            kept = failed / f"{shard}-{len(seconds)}"
            keep(case, kept, outcome)
            told.append(f"{kept}\n{outcome}")
        put_away(place)

    for_each(format_.mutated(), count, f"{name}/{shard}", one)
    record_property(
        "fuzz",
        {
            "format": name,
            **{str(end): number for end, number in ends.items()},
            "seconds": sum(seconds),
            "slowest": max(seconds),
        },
    )
    assert not told, f"{len(told)} of {count} cases; `python -m tests.fuzz FOLDER` runs one again:\n" + "\n".join(
        told[:20]
    )
    assert at_the_door <= count / 2, f"{at_the_door} of {count} files are refused before their values are looked at"
    share = (ends[End.ACCEPTED] + ends[End.GAVE_UP]) / count
    chance = count**-0.5  # two standard errors at most: few cases say little of the share
    assert share >= format_.accepted_share - chance, (
        f"only {share:.0%} of the mutated files are read to their end: {dict(ends)}"
    )


@pytest.mark.parametrize("name", formats())
def test_files_are_valid_before_they_are_mutated(name: str, tmp_path: Path) -> None:
    for number, case in enumerate(formats()[name].valid()):
        outcome = survive(case, tmp_path / str(number), formats()[name])
        assert outcome.end is End.ACCEPTED, f"{case.command}\n{outcome}"
