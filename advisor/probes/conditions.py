"""Under which conditions something was timed: what else the machine did, and what makes a result doubtful."""

from __future__ import annotations

import os
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import psutil

_GOVERNOR = Path("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")
BUSY = 0.10
"""Share of the processors that other programs took meanwhile, from which on they probably disturbed the timing."""
TOO_BUSY = 0.25
"""The same, from which on a result says little of the machine at rest."""
HOPELESS = 0.5
"""The same, from which on even pairs decide nothing: threads that wait for each other wait for others first."""
STOLEN = 0.02
"""Share of the processor's time that a hypervisor gave to others."""
WIDE = 0.10
"""Interquartile range over median."""


@dataclass(frozen=True, slots=True)
class Moment:
    """The state of the machine at one time."""

    load_average: float | None
    """Running processes, mean over the last minute."""
    total: float
    """Processor seconds since the machine started, of all cores; `stolen` by its host; `busy` for any program here."""
    stolen: float
    busy: float
    ours: float
    """Processor seconds of this program and of its children that have ended."""
    governor: str | None
    megahertz: float | None

    @classmethod
    def now(cls) -> Moment:
        times = psutil.cpu_times()
        stolen = float(getattr(times, "steal", 0.0))
        frequency = psutil.cpu_freq() if hasattr(psutil, "cpu_freq") else None
        return cls(
            load_average=os.getloadavg()[0] if hasattr(os, "getloadavg") else None,
            total=float(sum(times)),
            stolen=stolen,
            busy=float(sum(times)) - times.idle - float(getattr(times, "iowait", 0.0)) - stolen,
            ours=sum(os.times()[:4]),
            governor=_GOVERNOR.read_text().strip() if _GOVERNOR.exists() else None,
            megahertz=frequency.current if frequency else None,
        )


@dataclass(frozen=True, slots=True)
class Conditions:
    """What was noted around a measurement. `warnings` are sentences for people; none of them decides anything."""

    load_average: float | None = None
    """Before it began."""
    governor: str | None = None
    megahertz: float | None = None
    """At its end."""
    stolen_share: float = 0.0
    """Of the processors' time meanwhile, what the host of this virtual machine gave to others."""
    others_share: float = 0.0
    """Of the processors' time meanwhile, what other programs took."""
    warnings: tuple[str, ...] = ()

    @property
    def too_busy(self) -> bool:
        """Whether others, here or on the same host, took so much that settings could not use the processors they asked for."""
        return self.others_share + self.stolen_share > TOO_BUSY

    @property
    def hopeless(self) -> bool:
        """Whether others took so much that any comparison here compares them."""
        return self.others_share + self.stolen_share > HOPELESS

    def to_json(self) -> dict[str, Any]:
        return asdict(self) | {"warnings": list(self.warnings)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Conditions:
        return cls(**{**data, "warnings": tuple(data["warnings"])})


def spread(samples: Sequence[float]) -> float:
    """The interquartile range as a share of the median; 0 for fewer than four samples."""
    if len(samples) < 4:
        return 0.0
    low, middle, high = statistics.quantiles(samples, n=4, method="inclusive")
    return (high - low) / middle


def conditions(
    before: Moment, after: Moment, samples: Mapping[str, Sequence[float]], notes: Sequence[str] = ()
) -> Conditions:
    """What two moments and the samples between them tell.

    Args:
        before, after: the machine when the measurement began and when it ended.
        samples: seconds by the name of what was timed.
        notes: further warnings.
    """
    elapsed = max(after.total - before.total, 1e-9)
    stolen = max(0.0, (after.stolen - before.stolen) / elapsed)
    others = max(0.0, (after.busy - before.busy - (after.ours - before.ours)) / elapsed)
    warnings = list(notes)
    if others > BUSY:
        warnings.append(f"Other programs took {others:.0%} of the processors' time meanwhile.")
    if stolen > STOLEN:
        warnings.append(f"The host of this virtual machine gave {stolen:.0%} of the processors to others.")
    if before.governor not in (None, "performance"):
        warnings.append(f"The clock follows the load (governor {before.governor}): short measurements may see it rise.")
    for name, seconds in samples.items():
        if spread(seconds) > WIDE:
            warnings.append(f"The samples of {name} spread by {spread(seconds):.0%} (interquartile range over median).")
    return Conditions(before.load_average, after.governor, after.megahertz, stolen, others, tuple(warnings))
