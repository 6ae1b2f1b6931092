"""The trials of a probe, one for each setting, as a bench makes them and the contest runs them. No torch here."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, TypeAlias

from advisor.probes.probe import Probe, Setting
from advisor.probes.protocol import Message, Request

Tell: TypeAlias = Callable[[Message], None]
_STATUS = Path("/proc/self/status")


class Trial(Protocol):
    """The work that is timed in one setting: by default the plan's training step."""

    @property
    def setting(self) -> Setting: ...

    @property
    def work(self) -> float:
        """Units of work in a step; known after the warm-up."""

    def warm_up(self, seconds: float) -> None:
        """Run the step in growing sizes, up to its own. Raises CannotRunError if that would take longer than this."""

    def step(self) -> None:
        """Begin one step; a graphics card or another process may still be at it afterwards."""

    def finish(self) -> None:
        """Return when all steps are done."""

    def peak_memory_bytes(self) -> int:
        """The most that was held since the process began."""


class OnProcessor:
    """A trial whose steps have ended when they return, and whose memory is that of this process."""

    def finish(self) -> None:
        """Nothing is under way."""

    def peak_memory_bytes(self) -> int:
        return peak_memory_bytes()


def peak_memory_bytes() -> int:
    """Resident bytes of this process at the worst moment so far; 0 where the system does not tell.

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


@dataclass
class Equipment:
    """The trials of a probe, ready to be warmed up, and how to end what they started."""

    trials: dict[Setting, Trial]
    """Of every setting of the request, the recommended one included."""
    torch: str = ""
    """Its version, where it takes part."""
    threads: int = 1
    """Inside one operation, where the settings do not say otherwise."""
    device: str = ""
    """On which kind of device it ran, where the workload does not tell: cpu or cuda."""
    disk: str = ""
    """The disk that was read, if any: its mount point and kind."""
    weights: int = 0
    """Of the network that is timed; 0 where none is built in this process."""
    memory_bytes: int | None = None
    """Of the device that computes, where it is not the main memory: what batches may take of it."""
    meter: Callable[[], float] | None = None
    """A counter used instead of seconds."""
    recheck: Callable[[Setting, float], Message] | None = None
    """Runs a setting once more in a fresh process, within so many seconds."""
    close: list[Callable[[], None]] = field(default_factory=list)
    """Ends processes and files, last first."""


Prepare: TypeAlias = Callable[[Probe, Request, Tell], Equipment]
"""The function `prepare` of a bench. Raises CannotRunError or UnbuildableError where there can be no trial at all."""
