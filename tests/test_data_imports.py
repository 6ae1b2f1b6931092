"""Reading data loads what reads data, and nothing else: no torch, and nothing of either before data are named."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = ("torch", "sklearn", "polars", "numpy", "pandas", "scipy", "PIL")


def imported_by(module: str) -> set[str]:
    """The top-level packages that are loaded once the module is."""
    script = f"import sys, {module}; print(*sorted({{name.partition('.')[0] for name in sys.modules}}))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=300, check=True)
    return set(done.stdout.split())


@pytest.mark.parametrize(
    "module",
    [
        "advisor.datasets.dataset",
        "advisor.training.recipe",
        "advisor.training.child.request",
        "advisor.training.ladder.outcome",
        "advisor.agent.trials.outcomes",
        "advisor.agent.trials.trying",
        "advisor.session.data",
        "advisor.session.trying",
        "advisor.cli.commands.planning.report",
    ],
)
def test_what_thinks_about_data_loads_no_heavy_library(module: str) -> None:
    assert not imported_by(module) & set(HEAVY)


def test_reading_data_needs_no_torch() -> None:
    assert "torch" not in imported_by("advisor.datasets.inspect")
