"""The number format that takes the least energy: joules per example, where the machine counts them.

Processors count in the kernel's power capping framework (Documentation/power/powercap/powercap.rst: energy_uj in
microjoules, back to 0 after max_energy_range_uj), NVIDIA's cards from Volta on in NVML.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from advisor.children.errors import CannotRunError
from advisor.machine.host import Tree
from advisor.probes.probe import Probe, Varies, Work
from advisor.probes.settings.precision import PRECISION
from advisor.probes.surroundings import Surroundings
from advisor.probes.workload import Device, Precision, Workload

_POWERCAP = "/sys/class/powercap"
_FIRST_CAPABILITY = 7.0
"""Volta: the first cards whose total energy NVML tells (NVML API, nvmlDeviceGetTotalEnergyConsumption)."""


@dataclass(frozen=True, slots=True)
class Zone:
    """A counter of the processor: of a package, or of the memory beside it."""

    name: str
    path: str
    range_joules: float
    """After which it begins at 0 again."""


def zones(tree: Tree) -> tuple[Zone, ...]:
    """The counters that together make up the processors and their memory, readable or not.

    Cores and graphics units are parts of their package, and psys contains the packages: they would be counted twice.
    """
    found: list[Zone] = []
    for folder in tree.names(_POWERCAP):
        path = f"{_POWERCAP}/{folder}"
        name = tree.read_word(f"{path}/name") or ""
        most = tree.read_integer(f"{path}/max_energy_range_uj")
        if folder.startswith("intel-rapl:") and most and (name.startswith("package") or name == "dram"):
            found.append(Zone(name, f"{path}/energy_uj", most / 1e6))
    return tuple(found)


def no_counter(tree: Tree) -> str | None:
    """The reason why the energy of the processor cannot be counted, with a remedy; None where it can."""
    counters = zones(tree)
    if not counters:
        return "The processor shows no energy counter (/sys/class/powercap/intel-rapl); virtual machines rarely do."
    closed = [zone.path for zone in counters if tree.read_integer(zone.path) is None]
    if closed:
        return (
            f"The energy counter cannot be read ({closed[0]}). Run this as root, or let an administrator allow it until "
            f"the next start: sudo chmod a+r {_POWERCAP}/intel-rapl:*/energy_uj. It is closed because other users "
            "could learn secrets from it (CVE-2020-8694)."
        )
    return None


class ProcessorCounter:
    """Joules since it was made, of all zones together; must be read more often than a zone takes to begin again."""

    def __init__(self, tree: Tree, counters: Sequence[Zone]) -> None:
        self._tree = tree
        self._zones = counters
        self._last = self._readings()
        self._joules = 0.0

    def __call__(self) -> float:
        readings = self._readings()
        for zone in self._zones:
            self._joules += (readings[zone.path] - self._last[zone.path]) % zone.range_joules
        self._last = readings
        return self._joules

    def _readings(self) -> Mapping[str, float]:
        """Raises CannotRunError where one is closed by now."""
        found: dict[str, float] = {}
        for zone in self._zones:
            microjoules = self._tree.read_integer(zone.path)
            if microjoules is None:
                raise CannotRunError(f"{zone.path} cannot be read any more.")
            found[zone.path] = microjoules / 1e6
        return found


def _not_here(workload: Workload | None, surroundings: Surroundings) -> str | None:
    reason = PRECISION.not_here(workload, surroundings)
    if reason is not None:
        return f"There is no second number format to compare with. {reason}"
    if workload is not None and workload.device is Device.CUDA:
        old = (surroundings.compute_capability or 0) < _FIRST_CAPABILITY
        return "The graphics card counts no energy: that begins with compute capability 7." if old else None
    return no_counter(Tree(Path("/")))


ENERGY = Probe(
    name="energy",
    place=160,
    per="J",
    question="In which number format does the plan's own network take the least energy for an example?",
    topic="practice",
    fact="probe.energy.best",
    cost_seconds=25.0,
    varies=Varies.PRECISION,
    bench="energy",
    work=Work.EXAMPLE,
    shortest_sample=0.5,  # cards count about ten times a second
    bound_by=PRECISION.bound_by,
    not_here=_not_here,
    choose=PRECISION.choose,
    recommended=lambda values, *_: values.get(PRECISION.topic) or Precision.FP32.value,
)
