"""The number of threads that a bench computes with, where that is not its question."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from advisor.probes.surroundings import Surroundings


def thread_count(facts: Mapping[str, Any]) -> int:
    """One thread for each core that may be used; the variables of the user's environment do not count.

    Args:
        facts: of the machine, by the names of the vocabulary.
    """
    surroundings = Surroundings.of(facts)
    usable = surroundings.usable_cores or _allowed()
    return max(1, min(usable, surroundings.physical_cores or usable))


def _allowed() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
