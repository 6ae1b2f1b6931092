"""The figures of plans in which some topics are decided otherwise."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from advisor.agent.settling.figures import with_figures
from advisor.facts.fact_base import FactBase
from advisor.inference.advise import VALUES_ONLY, advise
from advisor.inference.plan import ComputedFigure, Plan, Status
from advisor.knowledge.model import Knowledge


def planned(knowledge: Knowledge, facts: FactBase, chosen: Mapping[str, object]) -> Plan:
    """The plan for the facts, with these topics decided so, and its figures."""
    plan = advise(knowledge, facts, detail=VALUES_ONLY)
    entries = dict(plan.recommendations)
    for topic, wanted in chosen.items():
        entries[topic] = replace(entries[topic], value=wanted, status=Status.SETTLED)
    return with_figures(knowledge, replace(plan, recommendations=entries))


def figures_of(knowledge: Knowledge, facts: FactBase, chosen: Mapping[str, object]) -> Mapping[str, ComputedFigure]:
    return {figure.name: figure for figure in planned(knowledge, facts, chosen).figures}


def value(figures: Mapping[str, ComputedFigure], name: str) -> float:
    """Raises AssertionError where it is not known."""
    found = figures[name].value
    assert found is not None, (name, figures[name].missing)
    return found
