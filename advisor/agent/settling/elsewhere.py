"""Measurements of this host under other conditions than the plan's, with those conditions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from advisor.agent.machines.comparison import machine_features
from advisor.agent.settling.scope import binding
from advisor.agent.trials.outcomes import is_trial
from advisor.facts.experiments import is_of_strategies, is_simulated
from advisor.facts.out_of_scope import Differs, differing
from advisor.machine.machine import Machine
from advisor.probes.outcome import Outcome
from advisor.wording import shorten


def measured_elsewhere(
    outcomes: Sequence[Outcome], scope: Mapping[str, str], machines: Mapping[str, Machine]
) -> dict[str, str]:
    """By probe, which conditions keep its nearest measurement from counting; nothing where one counts.

    The nearest is the one with the fewest conditions that differ, and of those the newest.

    Args:
        outcomes: oldest first.
        scope: of the plan (advisor.agent.settling.scope.scope_of).
        machines: what is known of machines, by fingerprint.
    """
    nearest: dict[str, tuple[Outcome, tuple[Differs, ...]]] = {}
    for outcome in outcomes:
        if outcome.measured:
            differs = differing(binding(outcome), scope)
            if outcome.probe not in nearest or len(differs) <= len(nearest[outcome.probe][1]):
                nearest[outcome.probe] = outcome, differs
    return {probe: _said(outcome, found, machines) for probe, (outcome, found) in nearest.items() if found}


def _said(outcome: Outcome, differs: Sequence[Differs], machines: Mapping[str, Machine]) -> str:
    if any(one.name == "machine" and one.now is None for one in differs):
        told = "it was this machine, and the plan is for another"
    else:
        told = "; ".join(_machine_words(one, machines) if one.name == "machine" else str(one) for one in differs)
    day = shorten(outcome.date[:10])
    if is_trial(outcome.probe):
        return f"Tried on {day} under other conditions: {told}. `advisor try` on the same data tries it anew."
    if is_of_strategies(outcome.probe):
        what = "Simulated" if is_simulated(outcome.probe) else "Measured"
        return f"{what} on {day} under other conditions: {told}. `advisor {outcome.probe}` with the same answers does it anew."
    return f"Measured on {day} under other conditions: {told}. `advisor probe` with the same answers measures it anew."


def _machine_words(differs: Differs, machines: Mapping[str, Machine]) -> str:
    """`usable hardware threads (affinity and quota) 8 then, 2 now`; by fingerprint where nothing else tells them apart."""
    then, now = machines.get(differs.then), machines.get(differs.now or "")
    if then is None or now is None:
        return str(differs)
    changed = [
        f"{title[0].lower()}{title[1:]} {_known(was)} then, {_known(is_)} now"
        for title, was, is_ in machine_features(then, now)
        if was != is_
    ]
    return "; ".join(changed) or str(differs)


def _known(value: object) -> str:
    return "unknown" if value is None else shorten(value)
