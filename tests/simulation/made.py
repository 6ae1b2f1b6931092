"""Scenarios as tests write them."""

from __future__ import annotations

from typing import Any

from advisor.distributed.strategies import strategy
from advisor.simulation.result import Result
from advisor.simulation.scenario import Scenario, StepTime, step_time
from advisor.simulation.timing import timing


def scenario(name: str, workers: int, steps: int, times: str | StepTime = "constant:1s", **others: Any) -> Scenario:
    """One with links without limit, where the others say nothing else."""
    drawn = step_time(times) if isinstance(times, str) else times
    return Scenario(strategy(name), workers, steps, step_time=drawn, **others)


def found(name: str, workers: int, steps: int, times: str | StepTime = "constant:1s", **others: Any) -> Result:
    return timing(scenario(name, workers, steps, times, **others))
