"""The machine, the data and the training step as a probe sees them when it chooses its settings."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from advisor.probes.workload import Device, Workload


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The machine, the data and the plan's training step, as far as probes care; None is unknown."""

    workload: Workload | None = None
    physical_cores: int | None = None
    logical_cores: int | None = None
    usable_cores: int | None = None
    features: frozenset[str] | None = None
    """Instruction sets: avx2, avx512, avx512_bf16, amx_bf16, neon, sve"""
    compute_capability: float | None = None
    """Of the graphics card."""
    gpus: int | None = None
    gpu_backend: str | None = None
    """cuda, rocm, mps"""
    usable_by_torch: bool | None = None
    """True if the installed torch can compute on the graphics card."""
    numa_nodes: int | None = None
    """Parts of the main memory, each nearer to some of the processors."""
    examples: int | None = None
    """The number of examples to learn from."""
    data_bytes: int | None = None
    """Of all examples on disk."""
    pipeline: frozenset[str] | None = None
    """The plan's recommendation for reading the data, see the topic data.pipeline."""
    best_workers: int | None = None
    """Loader processes, as they were measured here."""

    @property
    def on_card(self) -> bool:
        """True if the training step runs on a graphics card."""
        return self.workload is not None and self.workload.device is Device.CUDA

    @property
    def compute_threads(self) -> int:
        """One thread for each core that may be used; the variables of the user's environment do not count."""
        allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        usable = self.usable_cores or allowed
        return max(1, min(usable, self.physical_cores or usable))

    @property
    def cuda(self) -> bool:
        """True if there is a card that CUDA programs."""
        return bool(self.gpus) and self.gpu_backend == "cuda"

    @property
    def no_card(self) -> str | None:
        """The reason why there is no graphics card that torch could use, None where there is one, of whatever kind."""
        if self.gpus == 0 or self.gpu_backend == "none":
            return "There is no graphics card."
        if self.gpus is None or self.gpu_backend is None:
            return "It is not known whether there is a graphics card."
        if self.cuda and self.usable_by_torch is False:
            return "torch cannot use the graphics card; `advisor doctor` says why and what to do."
        return None

    def one_core(self, so: str) -> str | None:
        """The reason why cores leave no choice, None where there are several; `so` says what follows of only one."""
        if self.usable_cores is None:
            return "It is not known how many cores can be used."
        return f"Only one core can be used, so {so}." if self.usable_cores < 2 else None

    @classmethod
    def of(cls, facts: Mapping[str, Any], workload: Workload | None = None) -> Surroundings:
        """From values by the names of the vocabulary: {"machine.cpu.usable_cores": 2, ...}."""
        features = facts.get("machine.cpu.features")
        pipeline = facts.get("data.pipeline")
        return cls(
            workload=workload,
            physical_cores=facts.get("machine.cpu.physical_cores"),
            logical_cores=facts.get("machine.cpu.logical_cores"),
            usable_cores=facts.get("machine.cpu.usable_cores"),
            features=None if features is None else frozenset(features),
            compute_capability=facts.get("machine.gpu.compute_capability"),
            gpus=facts.get("machine.gpu.count"),
            gpu_backend=facts.get("machine.gpu.backend"),
            usable_by_torch=facts.get("machine.gpu.usable_by_torch"),
            numa_nodes=facts.get("machine.cpu.numa_nodes"),
            examples=facts.get("data.examples"),
            data_bytes=facts.get("data.bytes"),
            pipeline=None if pipeline is None else frozenset(pipeline),
            best_workers=facts.get("probe.workers.best"),
        )
