"""What a second start says of what the first one has overturned."""

from __future__ import annotations

from dataclasses import replace

import pytest

from advisor.agent.second_look import after_second_look, wants_second_look
from advisor.probes.outcome import ProbeOutcome
from advisor.probes.verdict import Verdict

FIRST = ProbeOutcome(
    probe="threads", topic="compute.threads", fact="probe.threads.best", before=2, verdict=Verdict.OVERTURNED, after=1,
    rival=1, median=1.25, low=1.2, high=1.3, n=40, date="2026-01-01",
)  # fmt: skip
SECOND = replace(FIRST, before=1, rival=2, date="2026-01-02")
"""The bet is what the first start has left."""


def seen(verdict: Verdict, median: float) -> ProbeOutcome:
    after = {Verdict.CONFIRMED: 1, Verdict.OVERTURNED: 2, Verdict.NO_DIFFERENCE: 1}.get(verdict)
    return replace(SECOND, verdict=verdict, after=after, median=median, low=median - 0.05, high=median + 0.05)


def test_a_second_start_that_agrees_is_counted_and_changes_nothing() -> None:
    found = after_second_look(FIRST, seen(Verdict.CONFIRMED, 1.1))
    assert found == replace(FIRST, starts=2, date=SECOND.date)
    assert not wants_second_look(found)


@pytest.mark.parametrize(
    ("verdict", "median", "said"),
    [
        (Verdict.OVERTURNED, 1.25, "1.25 times as fast as 2 in one, 0.80 times in the other"),
        (Verdict.NO_DIFFERENCE, 1.01, "1.01 times in the other"),
        (Verdict.UNDECIDED, 0.95, "0.95 times in the other"),
    ],
)
def test_a_second_start_that_contradicts_leaves_it_undecided(verdict: Verdict, median: float, said: str) -> None:
    found = after_second_look(FIRST, seen(verdict, median))
    assert (found.verdict, found.after, found.facts()) == (Verdict.UNDECIDED, None, {})
    assert found.median == pytest.approx(0.8), "of what was recommended over its rival, as for all that is undecided"
    assert found.low is not None
    assert found.high is not None
    assert found.low < 0.8 < found.high
    assert said in found.conditions.warnings[-1]


def test_a_second_start_that_decides_nothing_or_fails_leaves_the_first() -> None:
    doubtful = after_second_look(FIRST, seen(Verdict.UNDECIDED, 1.05))
    assert (doubtful.verdict, doubtful.starts) == (Verdict.OVERTURNED, 1)
    assert "decided nothing" in doubtful.conditions.warnings[-1]
    assert after_second_look(FIRST, replace(SECOND, failure="It hung.", median=None)) == FIRST


@pytest.mark.parametrize(
    "outcome",
    [
        replace(FIRST, verdict=Verdict.CONFIRMED, after=2, rival=1),
        replace(FIRST, verdict=Verdict.UNDECIDED, after=None),
        replace(FIRST, median=1.7),
        replace(FIRST, failure="It hung."),
        replace(FIRST, starts=2),
    ],
)
def test_nobody_looks_twice_at_anything_else(outcome: ProbeOutcome) -> None:
    assert wants_second_look(FIRST)
    assert not wants_second_look(outcome)


def test_the_number_of_starts_survives_the_disk() -> None:
    twice = replace(FIRST, starts=2)
    assert ProbeOutcome.from_json(twice.to_json()) == twice
    before = {name: value for name, value in FIRST.to_json().items() if name != "starts"}
    assert ProbeOutcome.from_json(before) == FIRST, "what was measured before there were second looks"
