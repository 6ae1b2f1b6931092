"""The examples of a type of network that tests in several rooms go through."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from advisor.probes.workload import Workload
from advisor.starter.blueprint import Blueprint
from tests.training.demonstrations.demonstration import Demonstrated, Size


@dataclass(frozen=True, slots=True, kw_only=True)
class TypeExamples:
    """One type in small; names are those of tests."""

    networks: Mapping[str, tuple[Workload, tuple[int, ...]]]
    """Each with the shape of its answers to five examples; none where its step cannot be timed on made-up examples."""
    wavering: tuple[str, ...] = ()
    """Those of them whose loss is a contest: that it falls means nothing."""
    modality: str = "image"
    """Of data for which it can be built from 64 inputs and 64 outputs, in 16 steps where they have any."""
    recomputed: Mapping[str, Workload] | None
    """Those with a chain of layers whose activations can be computed again; None for a type without."""
    projects: Mapping[str, tuple[Blueprint, str]]
    """Each with the modality of its data."""
    demonstration: Callable[[Size, int], Demonstrated]
    """Training on data that suit it; the same seed gives the same figures."""
    leaves: tuple[float, float]
    """More than three seeds left of the trivial baseline's error, of the small and the large size, so that another version of
    torch does not fail. Some error must be left: about 0.55 of that of the mean picture by whoever knows the class alone, 0.14
    of a text where one token in ten is chance."""
