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
"""The stacks and pools of the threads that each library starts for a core."""


def check_address_space(work: str) -> None:
    """Raises OutOfMemoryError where this process may not reserve what reading data takes."""
    left = _left()
    needed = TO_READ_DATA + FOR_EACH_CORE * (os.cpu_count() or 1)
    if left is not None and left < needed:
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

    limits = [resource.getrlimit(kind)[0] for kind in (resource.RLIMIT_AS, resource.RLIMIT_DATA)]
    known = [limit for limit in limits if limit != resource.RLIM_INFINITY]
    if not known:
        return None
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    return max(0, min(known) - pages * resource.getpagesize())
