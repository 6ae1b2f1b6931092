"""Trials on changed data, in the child that trains: every thirtieth case that the commands look at is also tried."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from .case import Case, Format
from .drawing import for_each
from .surviving import End, put_away, survive
from .test_fuzz import CASES, KEPT
from .test_learning import DATA

TRIALS = CASES // 30
"""Of all formats; each takes seconds, in which others train."""
SECONDS = 8


@st.composite
def _trials(draw: DrawFn, name: str) -> Case:
    made = draw(DATA[name]())
    targets = [target for target in made.targets if target.isprintable() and target.isascii()]
    aim = ("--target", targets[0]) if targets else ()
    return made.case(("try", "--data", made.path, *aim, "--budget", f"{SECONDS}s"))


@pytest.mark.fuzz
@pytest.mark.parametrize(("place", "name"), [*enumerate(DATA)][:TRIALS])
def test_changed_data_are_tried_or_refused(place: int, name: str) -> None:
    count = len(range(place, TRIALS, len(DATA)))
    format_ = Format(name, list, lambda: _trials(name), starts_processes=True)
    ends: Counter[End] = Counter()
    told: list[str] = []

    def one(case: Case) -> None:
        kept = KEPT / "failed" / f"{name}-trying" / str(ends.total())
        put_away(kept)
        outcome = survive(case, kept, format_)
        ends[outcome.end] += 1
        if outcome.end is End.FAILED:
            told.append(f"{kept}\n{outcome}")
        else:
            put_away(kept)

    for_each(format_.mutated(), count, f"trying/{name}", one)
    assert not told, "\n".join(told)
