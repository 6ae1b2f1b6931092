"""Training that takes longer than people mean to wait."""

from __future__ import annotations

from math import sqrt

from advisor.inference.plan import Plan
from advisor.report.numbers import known_values

_PATIENCE = 24.0
"""Hours from which training is called slow where nobody said how long it may take."""
_HOUR = 3600.0


def slowness(plan: Plan) -> str | None:
    """A sentence that training is slow; None where it is not, or its time is not known."""
    known = known_values(plan)
    if "time.shortest" not in known or "time.longest" not in known:
        return None
    stated = plan.facts.get("project.hours_available")
    hours = float(stated.value) if stated is not None and isinstance(stated.value, int | float) else None
    if sqrt(known["time.shortest"] * known["time.longest"]) <= _HOUR * (_PATIENCE if hours is None else hours):
        return None
    return "Slow here." if hours is None else f"Slow here: probably more than the {hours:g} h allowed."
