"""How long property tests search: short and the same on every run, unless THOROUGH says otherwise."""

from __future__ import annotations

import os

from hypothesis import settings

THOROUGH = int(os.environ.get("THOROUGH", "0"))


def examples(count: int) -> settings:
    """So many examples; with THOROUGH=20 in the environment twenty times as many, and other ones on every run."""
    return settings(max_examples=count * max(THOROUGH, 1), derandomize=not THOROUGH)
