"""What a probe wants to know of the machine and the data before it chooses what to try."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The machine and the data, as far as probes care; None is unknown."""

    physical_cores: int | None = None
    logical_cores: int | None = None
    usable_cores: int | None = None
    features: frozenset[str] | None = None
    """Instruction sets: avx2, avx512, avx512_bf16, amx_bf16, neon, sve"""
    compute_capability: float | None = None
    """Of the graphics card."""
    examples: int | None = None
    """That there are to learn from."""

    @classmethod
    def of(cls, facts: Mapping[str, Any]) -> Surroundings:
        """From values by the names of the vocabulary: {"machine.cpu.usable_cores": 2, ...}."""
        features = facts.get("machine.cpu.features")
        return cls(
            physical_cores=facts.get("machine.cpu.physical_cores"),
            logical_cores=facts.get("machine.cpu.logical_cores"),
            usable_cores=facts.get("machine.cpu.usable_cores"),
            features=None if features is None else frozenset(features),
            compute_capability=facts.get("machine.gpu.compute_capability"),
            examples=facts.get("data.examples"),
        )
