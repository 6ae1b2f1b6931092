"""Limits on the memory that a process may reserve (`ulimit -v`, batch systems), asked before libraries are loaded that
abort or hang within too little: they reserve far more than they use."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from advisor.errors import OutOfMemoryError, Problem
from advisor.wording import shorten

TO_READ_DATA = 1_600_000_000
"""Bytes that polars, numpy and SciPy reserve, with half as much again: 1.1 GB were seen besides what threads take."""
FOR_EACH_CORE = 200_000_000
"""The stacks and pools of the threads that each library starts for a core that this process may use."""
MOST_CORES = 32
"""Beyond, libraries share: so many are counted at most."""


def check_address_space(work: str) -> None:
    """Raises OutOfMemoryError where this process may not reserve what reading data takes."""
    left = _left()
    if left is None:
        return
    needed = TO_READ_DATA + FOR_EACH_CORE * min(len(os.sched_getaffinity(0)), MOST_CORES)
    if left < needed:
        what = (
            f"this process may reserve {left / 1e9:.1f} GB more, and the libraries for it reserve {needed / 1e9:.1f} GB"
        )
        remedy = "Lift the limit in the same shell, `ulimit -v unlimited`, or ask the batch system for more."
        raise OutOfMemoryError(f"Not enough memory to {shorten(work)}", [Problem("", what, remedy)])


def _left() -> int | None:
    """Bytes that this process may still reserve; None where there is no limit, or no way to know."""
    if sys.platform != "linux":
        return None
    import resource  # not on Windows

    pages = Path("/proc/self/statm").read_text().split()
    page = resource.getpagesize()
    taken = {resource.RLIMIT_AS: int(pages[0]) * page, resource.RLIMIT_DATA: int(pages[5]) * page}
    limits = {kind: resource.getrlimit(kind)[0] for kind in taken}
    left = [max(0, limit - taken[kind]) for kind, limit in limits.items() if limit != resource.RLIM_INFINITY]
    return min(left, default=None)
