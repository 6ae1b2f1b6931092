"""Detection: what this computer is, as far as it says, within the limits of its container."""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass
from pathlib import Path

from advisor.facts.vocabulary import Value
from advisor.machine.gpu import Gpu, detect_gpus
from advisor.machine.host import Host, ThisHost, Tree
from advisor.machine.limits import read_limits
from advisor.machine.processor import detect_processor


@dataclass(frozen=True)
class Machine:
    """One computer as its operating system describes it, with None for what it does not tell."""

    cpu_model: str | None = None
    physical_cores: int | None = None
    logical_cores: int | None = None
    usable_cores: int | None = None
    """Hardware threads that this process may use at once: by affinity or quota, whichever is less."""
    features: frozenset[str] | None = None
    """avx2, avx512, avx512_bf16, amx_bf16, neon, sve"""
    memory_bytes: int | None = None
    """Main memory within the container's limit."""
    gpus: tuple[Gpu, ...] | None = None
    notes: tuple[str, ...] = ()
    """What could not be read and why, in words for people."""

    @property
    def fingerprint(self) -> str:
        """16 hexadecimal digits for this machine under this quota; measurements under another do not count.

        Memory counts in whole GiB, since kernels reserve a little more or less from version to version.
        """
        memory = None if self.memory_bytes is None else round(self.memory_bytes / 2**30)
        cards = None if self.gpus is None else sorted(str(gpu.name or gpu.backend) for gpu in self.gpus)
        identity = (self.cpu_model, self.physical_cores, self.usable_cores, memory, cards)
        return hashlib.sha256(repr(identity).encode()).hexdigest()[:16]

    def facts(self) -> dict[str, Value]:
        """What is known, by the names of the vocabulary, in bytes and counts.

        Where cards differ, the facts are those that hold for every card.
        """
        known: dict[str, Value | None] = {
            "machine.cpu.model": self.cpu_model,
            "machine.cpu.physical_cores": self.physical_cores,
            "machine.cpu.logical_cores": self.logical_cores,
            "machine.cpu.usable_cores": self.usable_cores,
            "machine.cpu.features": self.features,
            "machine.memory_bytes": self.memory_bytes,
        }
        if self.gpus is not None:
            known["machine.gpu.count"] = len(self.gpus)
        if self.gpus:
            known["machine.gpu.name"] = _common([gpu.name for gpu in self.gpus])
            known["machine.gpu.backend"] = _common([gpu.backend for gpu in self.gpus])
            known["machine.gpu.memory_bytes"] = _least([gpu.memory_bytes for gpu in self.gpus])
            known["machine.gpu.compute_capability"] = _least([gpu.compute_capability for gpu in self.gpus])
        return {name: value for name, value in known.items() if value is not None}


def detect(root: Path = Path("/"), host: Host | None = None) -> Machine:
    """Looks at this computer; takes milliseconds and changes nothing.

    Args:
        root: where /proc, /sys and /dev are found; recordings of other machines stand elsewhere.
        host: what answers the questions that no file answers.
    """
    host = host or ThisHost()
    tree = Tree(root)
    processor = detect_processor(tree, host)
    limits = read_limits(tree)
    gpus = detect_gpus(tree, host)
    if gpus and len(set(gpus)) > 1:
        tree.notes.append("The GPUs differ: the smallest memory and lowest compute capability count for all.")
    quota = None if limits.cores is None else math.ceil(limits.cores)
    return Machine(
        cpu_model=processor.model,
        physical_cores=processor.physical_cores,
        logical_cores=processor.logical_cores,
        usable_cores=_least_known([processor.logical_cores, host.affinity(), quota]),
        features=processor.features,
        memory_bytes=_least_known([_main_memory(tree, host), limits.memory_bytes]),
        gpus=gpus,
        notes=tuple(dict.fromkeys(tree.notes)),
    )


def _main_memory(tree: Tree, host: Host) -> int | None:
    for line in (tree.read("/proc/meminfo") or "").splitlines():
        key, _, value = line.partition(":")
        kibibytes = value.removesuffix("kB").strip()
        if key == "MemTotal" and kibibytes.isdecimal():
            return int(kibibytes) * 1024
    return host.memory_bytes()


def _least_known(values: list[int | None]) -> int | None:
    return min((value for value in values if value is not None), default=None)


def _common(values: list[str | None]) -> str | None:
    return values[0] if len(set(values)) == 1 else None


def _least(values: list[int | None] | list[float | None]) -> int | float | None:
    """The smallest, but only when all are known."""
    known = [value for value in values if value is not None]
    return min(known) if len(known) == len(values) else None
