"""The most memory that this process has held."""

from __future__ import annotations

import sys
from pathlib import Path

_STATUS = Path("/proc/self/status")


class OnProcessor:
    """A trial whose steps have ended when they return, and whose memory is that of this process."""

    def finish(self) -> None:
        """Nothing is under way."""

    def peak_memory_bytes(self) -> int:
        return peak_memory_bytes()


def peak_memory_bytes() -> int:
    """Resident bytes at the worst moment so far; 0 where the system does not tell.

    Linux counts it for the program alone; getrusage would include what the parent held when it started this process.
    """
    if _STATUS.exists():
        for line in _STATUS.read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    if sys.platform == "win32":
        return 0
    import resource  # Windows has none

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # bytes on macOS
