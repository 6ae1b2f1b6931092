"""Measurements that do not count for a plan: which conditions differ, then and now."""

from __future__ import annotations

from dataclasses import replace

from advisor.agent.settling.elsewhere import measured_elsewhere
from advisor.agent.settling.scope import binding
from advisor.probes.outcome import Outcome

from .profiles_made import MACHINE, compared

OUTCOME = compared()
HERE = binding(OUTCOME)
SMALLER = replace(MACHINE, usable_cores=2)
MACHINES = {machine.fingerprint: machine for machine in (MACHINE, SMALLER)}


def said(*outcomes: Outcome, **changed: str) -> str | None:
    """Of the probe of threads, for a plan that differs in these conditions from what was measured."""
    return measured_elsewhere(outcomes, HERE | changed, MACHINES).get("threads")


def test_every_condition_that_differs_is_told_with_its_value_then_and_now() -> None:
    told = said(OUTCOME, network="lstm 4-[6]-1", batch_size="64", torch="2.1")
    assert told is not None
    assert told.startswith("Measured on 2026-11-20 under other conditions: ")
    for words in (
        "network ffn 64-[64]-10 then, lstm 4-[6]-1 now",
        "batch size 32 then, 64 now",
        "torch 2.0 then, 2.1 now",
    ):
        assert words in told
    assert "precision" not in told


def test_a_machine_that_changed_is_told_by_what_changed_of_it() -> None:
    told = said(OUTCOME, machine=SMALLER.fingerprint)
    assert told is not None
    assert "usable hardware threads (affinity and quota) 8 then, 2 now" in told
    unknown = said(OUTCOME, machine="0" * 16)
    assert unknown is not None
    assert f"machine {MACHINE.fingerprint} then, {'0' * 16} now" in unknown


def test_a_plan_for_another_machine_is_said_in_one_phrase() -> None:
    (told,) = measured_elsewhere([OUTCOME], {}, MACHINES).values()
    assert "it was this machine, and the plan is for another" in told
    assert "network" not in told


def test_of_several_the_nearest_counts_and_nothing_is_said_where_one_is_in_scope() -> None:
    far = compared(date="2026-11-22", applies={**OUTCOME.applies, "torch": "1.9", "network": "lstm 4-[6]-1"})
    told = said(OUTCOME, far, torch="2.1")
    assert told is not None
    assert "Measured on 2026-11-20 under other conditions: torch 2.0 then, 2.1 now." in told
    assert said(OUTCOME, far) is None


def test_what_failed_is_no_measurement() -> None:
    assert said(compared(failure="It was killed."), torch="2.1") is None


def test_conditions_from_a_file_cannot_take_over_the_screen() -> None:
    told = said(compared(applies={**OUTCOME.applies, "torch": "2\x1b[2J" + "x" * 500}), torch="2.1")
    assert told is not None
    assert "\x1b" not in told
    assert len(told) < 300
