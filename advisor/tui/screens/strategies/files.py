"""Findings on strategies as files: the pages and documents of `advisor simulate` and `advisor sync`."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import TypeAlias

from advisor.plain import json_text
from advisor.report.strategies.planned import planned_json
from advisor.report.strategies.simulation import simulation_json
from advisor.report.strategies.training import training_json
from advisor.session.simulating import Simulation
from advisor.session.simulating_plans import PlanSimulation
from advisor.session.syncing import Trained
from advisor.tui.saving import Kind

Found: TypeAlias = PlanSimulation | Trained | Simulation
"""The findings of one run."""


def kinds_of(found: Found) -> tuple[Kind, ...]:
    """The files that tell of these findings; none where nothing could be compared."""
    if isinstance(found, Trained) and found.comparison is None:
        return ()
    return (
        _kind("html", "Page as HTML", "its tables and pictures, for a browser", lambda: page_html(found)),
        _kind("json", "Findings as JSON", "for other programs", lambda: f"{json_text(document(found))}\n"),
    )


def _kind(name: str, title: str, meaning: str, make: Callable[[], str]) -> Kind:
    return Kind(name, title, meaning, f"strategies.{name}", lambda *_: make())


def page_html(found: Found) -> str:
    from advisor.report.html.strategies import planned_html, simulation_html, training_html  # 100 ms

    day = date.today().isoformat()
    match found:
        case PlanSimulation():
            plans = (found.before, found.after)
            return planned_html(
                found.scenario, found.names, found.results, found.comparison, found.sweep, plans, found.notes, day
            )
        case Simulation():
            return simulation_html(found.scenario, found.result, found.notes, day)
    assert found.comparison is not None  # noqa: S101 - `kinds_of` offers nothing without one
    return training_html(found.comparison, found.compared_runs, found.says, found.notes, day, own=found.own)


def document(found: Found) -> object:
    """The document of the command with `--format json`."""
    match found:
        case PlanSimulation():
            plans = (found.before, found.after)
            return planned_json(
                found.scenario, found.names, found.results, found.comparison, found.sweep, plans, found.notes
            )
        case Simulation():
            return simulation_json(found.scenario, found.result, found.notes)
    assert found.comparison is not None  # noqa: S101 - as above
    return training_json(found.comparison, found.compared_runs, found.says, found.notes)
