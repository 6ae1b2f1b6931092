"""All probes. A new one is a file that declares it, and a line here."""

from __future__ import annotations

from advisor.errors import did_you_mean, shorten
from advisor.probes.bandwidth import MEMORY
from advisor.probes.batch import BATCH
from advisor.probes.checkpointing import CHECKPOINTING
from advisor.probes.compiling import COMPILE
from advisor.probes.device import DEVICE
from advisor.probes.energy import ENERGY
from advisor.probes.launch import INTEROP, NUMA, SMT
from advisor.probes.layout import LAYOUT
from advisor.probes.loading import INPUT, PINNING, PREFETCH, WORKERS
from advisor.probes.matmul import MATMUL
from advisor.probes.precision import PRECISION
from advisor.probes.probe import Probe
from advisor.probes.ranks import ALLREDUCE, RANKS
from advisor.probes.storage import STORAGE
from advisor.probes.threads import THREADS
from advisor.probes.transfer import TRANSFER

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
