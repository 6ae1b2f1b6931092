"""The solver, which only developers install."""

from __future__ import annotations

import importlib.util


def has_solver() -> bool:
    return importlib.util.find_spec("z3") is not None
