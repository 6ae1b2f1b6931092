"""Under which conditions something was timed: what else the machine did, and what makes a result doubtful."""

from __future__ import annotations

import os
import statistics
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from advisor.machine.detection.limits import groups as control_groups
from advisor.machine.host import Tree, number_list

_PROCESSORS = "/sys/devices/system/cpu"
BUSY = 0.10
"""Share of the processors that other programs took meanwhile, from which on they probably disturbed the timing."""
TOO_BUSY = 0.25
"""The same, from which on a result says little of the machine at rest."""
HOPELESS = 0.5
"""The same, from which on even pairs decide nothing: threads that wait for each other wait for others first."""
STOLEN = 0.02
"""Share of the processor's time that a hypervisor gave to others."""
_BUSY_DOUBT = "Other programs kept the CPU busy, so this result is not reliable."
WIDE = 0.10
"""Interquartile range over median."""


@dataclass(frozen=True, slots=True)
class Moment:
    """The state of the machine at one time."""

    load_average: float | None
    """Running processes, mean over the last minute."""
    total: float
    """Seconds since the machine started of the processors that we may use; `stolen` by its host; `busy` for any program."""
    stolen: float
    busy: float
    ours: float
    """Processor seconds of this program and of its children that have ended."""
    governor: str | None
    megahertz: float | None
    throttled: int = 0
    """Times that the limit of a container or a job on processor time has stopped its programs."""
    too_hot: int = 0
    """Times that these processors have slowed themselves down because of heat, as far as they tell."""

    @classmethod
    def now(cls) -> Moment:
        import psutil  # here: probes in somebody's own Python read what was measured, and have no psutil

        tree = Tree(Path("/"))
        usable = frozenset(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else None
        online = number_list(tree.read(f"{_PROCESSORS}/online"))
        times = times_of(psutil.cpu_times(percpu=True), online, usable)
        total, stolen = sum(map(_total, times)), sum(float(getattr(one, "steal", 0.0)) for one in times)
        idle = sum(one.idle + float(getattr(one, "iowait", 0.0)) for one in times)
        frequency = psutil.cpu_freq() if hasattr(psutil, "cpu_freq") else None
        return cls(
            load_average=os.getloadavg()[0] if hasattr(os, "getloadavg") else None,
            total=total,
            stolen=stolen,
            busy=total - idle - stolen,
            ours=sum(os.times()[:4]),
            governor=tree.read_word(f"{_PROCESSORS}/cpu0/cpufreq/scaling_governor"),
            megahertz=frequency.current if frequency else None,
            throttled=throttled(tree),
            too_hot=too_hot(tree, usable or online or ()),
        )


def times_of(times: Sequence[Any], online: Sequence[int] | None, usable: Set[int] | None) -> Sequence[Any]:
    """Of the usable processors; of all where the system does not tell which is which.

    Args:
        times: of each processor that is on, as psutil has them.
        online: their numbers.
    """
    numbers = range(len(times)) if online is None else online
    if usable is None or len(numbers) != len(times):
        return times
    return [one for number, one in zip(numbers, times, strict=True) if number in usable] or times


def _total(times: Any) -> float:
    """Linux counts what guests of a hypervisor took as time of its user as well."""
    return float(sum(times)) - float(getattr(times, "guest", 0.0)) - float(getattr(times, "guest_nice", 0.0))


def throttled(tree: Tree) -> int:
    """The number of times a limit has stopped the control groups of this process, their ancestors included."""
    stats = {f"{folder}/cpu.stat" for _, _, folder in control_groups(tree)}
    lines = (line.split() for stat in sorted(stats) for line in (tree.read(stat) or "").splitlines())
    return sum(int(line[1]) for line in lines if len(line) == 2 and line[0] == "nr_throttled" and line[1].isdecimal())


def too_hot(tree: Tree, processors: Iterable[int]) -> int:
    """Events that Intel's processors count, of cores and of whole packages."""
    counts = (
        tree.read_integer(f"{_PROCESSORS}/cpu{number}/thermal_throttle/{part}_throttle_count")
        for number in processors
        for part in ("core", "package")
    )
    return sum(count for count in counts if count is not None)


@dataclass(frozen=True, slots=True)
class Conditions:
    """Conditions noted around a measurement. `warnings` are sentences for people; none of them decides anything."""

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
        """True if others, here or on the same host, took so much that settings could not use the processors they asked for."""
        return self.others_share + self.stolen_share > TOO_BUSY

    @property
    def hopeless(self) -> bool:
        """True if others took so much that any comparison here compares them."""
        return self.others_share + self.stolen_share > HOPELESS

    def doubt(self, *, shares_cores: bool) -> str:
        """The reason why pairs that were timed meanwhile decide nothing, in a sentence; empty where they do.

        Args:
            shares_cores: True if what was timed wanted all processors for itself.
        """
        return _BUSY_DOUBT if self.hopeless or (shares_cores and self.too_busy) else ""


def spread(samples: Sequence[float]) -> float:
    """The interquartile range as a share of the median; 0 for fewer than four samples."""
    if len(samples) < 4:
        return 0.0
    low, middle, high = statistics.quantiles(samples, n=4, method="inclusive")
    return (high - low) / middle


def conditions(before: Moment, after: Moment, samples: Mapping[str, Sequence[float]]) -> Conditions:
    """The conditions that follow from two moments and the samples between them.

    Args:
        before, after: the machine when the measurement began and when it ended.
        samples: seconds by the name of what was timed.
    """
    elapsed = max(after.total - before.total, 1e-9)
    stolen = max(0.0, (after.stolen - before.stolen) / elapsed)
    others = max(0.0, (after.busy - before.busy - (after.ours - before.ours)) / elapsed)
    warnings = []
    if others > BUSY:
        warnings.append(f"Other programs took {others:.0%} of the processors' time meanwhile.")
    if stolen > STOLEN:
        warnings.append(f"The host of this virtual machine gave {stolen:.0%} of the processors to others.")
    if after.throttled > before.throttled:
        warnings.append(
            f"The limit of this container or job on processor time stopped it {after.throttled - before.throttled} times "
            "meanwhile: the probe wanted more than that limit gives."
        )
    if after.too_hot > before.too_hot:
        warnings.append("The processor became too hot meanwhile and slowed itself down.")
    if before.governor not in (None, "performance"):
        warnings.append(f"The clock follows the load (governor {before.governor}): short measurements may see it rise.")
    for name, seconds in samples.items():
        if spread(seconds) > WIDE:
            warnings.append(f"The samples of {name} spread by {spread(seconds):.0%} (interquartile range over median).")
    return Conditions(before.load_average, after.governor, after.megahertz, stolen, others, tuple(warnings))
