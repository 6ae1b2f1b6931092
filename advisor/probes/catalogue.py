"""All probes. A new one is a file that declares it, and a line here."""

from __future__ import annotations

from advisor.errors import did_you_mean
from advisor.probes.probe import Probe
from advisor.probes.rates.bandwidth import MEMORY
from advisor.probes.rates.matmul import MATMUL
from advisor.probes.rates.storage import STORAGE
from advisor.probes.rates.transfer import TRANSFER
from advisor.probes.settings.batch import BATCH
from advisor.probes.settings.checkpointing import CHECKPOINTING
from advisor.probes.settings.compiling import COMPILE
from advisor.probes.settings.device import DEVICE
from advisor.probes.settings.energy import ENERGY
from advisor.probes.settings.launch import INTEROP, NUMA, SMT
from advisor.probes.settings.layout import LAYOUT
from advisor.probes.settings.loading import INPUT, PINNING, PREFETCH, WORKERS
from advisor.probes.settings.precision import PRECISION
from advisor.probes.settings.ranks import ALLREDUCE, RANKS
from advisor.probes.settings.threads import THREADS
from advisor.wording import shorten

__all__ = ["PROBES", "Probe", "probe_named"]

PROBES = (
    THREADS,
    BATCH,
    PRECISION,
    LAYOUT,
    COMPILE,
    DEVICE,
    CHECKPOINTING,
    INPUT,
    WORKERS,
    PREFETCH,
    PINNING,
    INTEROP,
    SMT,
    NUMA,
    RANKS,
    ENERGY,
    ALLREDUCE,
    MATMUL,
    MEMORY,
    STORAGE,
    TRANSFER,
)


def probe_named(name: str) -> Probe:
    """Raises ValueError for a name that no probe has."""
    for probe in PROBES:
        if probe.name == name:
            return probe
    raise ValueError(f"There is no probe {shorten(name)}. {did_you_mean(name, [probe.name for probe in PROBES])}")
