"""What a second start says of what the first one has overturned."""

from __future__ import annotations

from dataclasses import replace

import pytest

from advisor.agent.second_look import after_second_look, wants_second_look
from advisor.children.stopping import STOPPED
from advisor.facts.verdict import Verdict
from advisor.probes.conditions import Conditions
from advisor.probes.outcome import Outcome

FIRST = Outcome(
    probe="threads", topic="compute.threads", fact="probe.threads.best", before=2, verdict=Verdict.OVERTURNED, after=1,
    rival=1, median=1.25, low=1.2, high=1.3, n=40, date="2026-01-01",
)  # fmt: skip
SECOND = replace(FIRST, before=1, rival=2, date="2026-01-02")
"""The bet is what the first start has left."""


def seen(verdict: Verdict, median: float) -> Outcome:
    after = {Verdict.CONFIRMED: 1, Verdict.OVERTURNED: 2, Verdict.NO_DIFFERENCE: 1}.get(verdict)
    return replace(SECOND, verdict=verdict, after=after, median=median, low=median - 0.05, high=median + 0.05)


def test_a_second_start_that_agrees_says_so_and_changes_nothing() -> None:
    found = after_second_look(FIRST, seen(Verdict.CONFIRMED, 1.1))
    assert found == replace(FIRST, second_start="has shown it too: 1.10 times.")
    assert not found.contradicted


@pytest.mark.parametrize(
    ("verdict", "median", "said"),
    [
        (Verdict.OVERTURNED, 1.25, "of 1 over 2 the first has shown 1.25 times, the second 0.80 times"),
        (Verdict.NO_DIFFERENCE, 1.01, "the second 1.01 times"),
        (Verdict.UNDECIDED, 0.95, "the second 0.95 times"),
    ],
)
def test_a_second_start_that_contradicts_leaves_it_undecided(verdict: Verdict, median: float, said: str) -> None:
    found = after_second_look(FIRST, seen(verdict, median))
    assert (found.verdict, found.after, found.facts()) == (Verdict.UNDECIDED, None, {})
    assert found.contradicted
    assert found.median == pytest.approx(0.8), "of what was recommended over its rival, as for all that is undecided"
    assert found.low is not None
    assert found.high is not None
    assert found.low < 0.8 < found.high
    assert said in found.second_start


@pytest.mark.parametrize(
    ("second", "said"),
    [
        (seen(Verdict.UNDECIDED, 1.05), "decided nothing: 1.05 times."),
        (replace(SECOND, failure="It hung.", median=None), "gave nothing: It hung."),
        (replace(seen(Verdict.UNDECIDED, 0.9), n=2), "gave nothing: its time was enough for 2 pairs"),
        (
            replace(seen(Verdict.OVERTURNED, 1.3), conditions=Conditions(others_share=0.7)),
            "gave nothing: other programs",
        ),
    ],
)
def test_a_second_start_that_says_too_little_leaves_the_first_and_is_told(second: Outcome, said: str) -> None:
    found = after_second_look(FIRST, second)
    assert (found.verdict, found.after) == (Verdict.OVERTURNED, 1)
    assert said in found.second_start


def test_who_stops_the_second_start_has_not_decided_by_that() -> None:
    stopped = replace(seen(Verdict.UNDECIDED, 1.2), conditions=Conditions(warnings=(STOPPED,)))
    found = after_second_look(FIRST, stopped)
    assert found.verdict is Verdict.UNDECIDED
    assert found.stopped
    assert not found.contradicted


@pytest.mark.parametrize(
    "outcome",
    [
        replace(FIRST, verdict=Verdict.CONFIRMED, after=2, rival=1),
        replace(FIRST, verdict=Verdict.UNDECIDED, after=None),
        replace(FIRST, median=1.7),
        replace(FIRST, failure="It hung."),
    ],
)
def test_nobody_looks_twice_at_anything_else(outcome: Outcome) -> None:
    assert wants_second_look(FIRST)
    assert not wants_second_look(outcome)


def test_what_the_second_start_said_survives_the_disk() -> None:
    told = replace(FIRST, second_start="has shown it too: 1.10 times.")
    assert Outcome.from_json(told.to_json()) == told
    before = {name: value for name, value in FIRST.to_json().items() if name != "second_start"}
    assert Outcome.from_json(before) == FIRST, "what was measured before there were second looks"
