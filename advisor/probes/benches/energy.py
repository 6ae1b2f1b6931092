"""The plan's own training step in several number formats, with the joules that it takes instead of the seconds."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from advisor.children.errors import CannotRunError
from advisor.machine.host import Host, Tree
from advisor.probes.benches import step
from advisor.probes.judging.trial import Equipment, Tell
from advisor.probes.probe import Probe
from advisor.probes.protocol import Note, Request
from advisor.probes.settings.precision import no_counter, zones
from advisor.probes.workload import Device

_STANDS_STILL = 1.0
"""Seconds without a change, after which a counter is taken to be none. The slowest of them count ten times a second."""
_LOOK_EVERY = 0.0005


@dataclass
class Meter:
    """Reads a counter of joules; waits until it has moved, so that no work seems to take nothing."""

    counter: Callable[[], float]
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep

    def __post_init__(self) -> None:
        self._last = self.counter()

    def __call__(self) -> float:
        """Raises CannotRunError where the counter stands still."""
        until = self.clock() + _STANDS_STILL
        while (joules := self.counter()) <= self._last:
            if self.clock() > until:
                raise CannotRunError("The energy counter stands still, as it does in some virtual machines.")
            self.sleep(_LOOK_EVERY)
        self._last = joules
        return joules


class ProcessorCounter:
    """Joules since it was made, of all zones together; must be read more often than a zone takes to begin again."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._zones = zones(tree)
        self._last = self._readings()
        self._joules = 0.0

    def __call__(self) -> float:
        readings = self._readings()
        self._joules += sum((readings[path] - self._last[path]) % most for path, most in self._zones.items())
        self._last = readings
        return self._joules

    def _readings(self) -> dict[str, float]:
        """Raises CannotRunError where one is closed by now."""
        found: dict[str, float] = {}
        for path in self._zones:
            microjoules = self._tree.read_integer(path)
            if microjoules is None:
                raise CannotRunError(f"{path} cannot be read any more.")
            found[path] = microjoules / 1e6
        return found


def card_counter(nvml: Any, uuid: str) -> Callable[[], float]:
    """Joules of a card since its driver was loaded. Raises CannotRunError, as does the counter, where it does not tell."""

    def millijoules() -> int:
        try:
            nvml.nvmlInit()
            return int(nvml.nvmlDeviceGetTotalEnergyConsumption(nvml.nvmlDeviceGetHandleByUUID(uuid)))
        except nvml.NVMLError as error:
            raise CannotRunError(f"The graphics card does not tell its energy ({error}).") from error

    millijoules()
    return lambda: millijoules() / 1e3


def _card_here() -> str:
    """The one that torch computes on, by the name that NVML knows it by: NVML may number the cards otherwise."""
    if not torch.cuda.is_available():
        raise CannotRunError("torch cannot use a graphics card here.")
    return f"GPU-{torch.cuda.get_device_properties(0).uuid}"


def counter_for(device: Device, tree: Tree) -> Callable[[], float]:
    """Raises CannotRunError where nothing counts."""
    if device is Device.CUDA:
        nvml = Host().nvml()
        if nvml is None:
            raise CannotRunError("The graphics card's energy cannot be asked for: install nvidia-ml-py.")
        return card_counter(nvml, _card_here())
    if reason := no_counter(tree):
        raise CannotRunError(reason)
    return ProcessorCounter(tree)


def prepare(probe: Probe, request: Request, tell: Tell) -> Equipment:
    """The trials of the bench `step`, with a meter."""
    device = request.workload.device if request.workload else Device.CPU
    meter = Meter(counter_for(device, Tree(Path("/"))))
    what = "The graphics card alone" if device is Device.CUDA else "The whole processor"
    tell(Note(f"{what} was metered, with whatever other programs did on it meanwhile."))
    equipment = step.prepare(probe, request, tell)
    equipment.meter = meter
    return equipment
