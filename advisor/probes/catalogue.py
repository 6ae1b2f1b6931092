"""All probes: whatever `rates` and the modules of `settings` declare. A new one is found there."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator

from advisor.errors import did_you_mean
from advisor.probes import rates, settings
from advisor.probes.probe import Probe
from advisor.wording import shorten


def _declared() -> Iterator[Probe]:
    entries = pkgutil.iter_modules(settings.__path__, f"{settings.__name__}.")
    for module in (rates, *(importlib.import_module(entry.name) for entry in entries)):
        yield from (value for value in vars(module).values() if isinstance(value, Probe))


PROBES: tuple[Probe, ...] = tuple(
    sorted({id(probe): probe for probe in _declared()}.values(), key=lambda probe: (probe.place, probe.name))
)


def probe_named(name: str) -> Probe:
    """Raises ValueError for a name that no probe has."""
    for probe in PROBES:
        if probe.name == name:
            return probe
    raise ValueError(f"There is no probe {shorten(name)}. {did_you_mean(name, [probe.name for probe in PROBES])}")
