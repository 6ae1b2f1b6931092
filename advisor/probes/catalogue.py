"""All probes. A new one is a file that declares it, and a line here."""

from __future__ import annotations

from advisor.errors import did_you_mean, shorten
from advisor.probes.batch import BATCH
from advisor.probes.precision import PRECISION
from advisor.probes.probe import Probe
from advisor.probes.threads import THREADS

__all__ = ["PROBES", "Probe", "probe_named"]

PROBES = (THREADS, BATCH, PRECISION)


def probe_named(name: str) -> Probe:
    """Raises ValueError for a name that no probe has."""
    for probe in PROBES:
        if probe.name == name:
            return probe
    raise ValueError(f"There is no probe {shorten(name)}. {did_you_mean(name, [probe.name for probe in PROBES])}")
