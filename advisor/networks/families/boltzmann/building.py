"""A Boltzmann machine from a description."""

from __future__ import annotations

from torch import nn

from advisor.networks.description import NetworkSpec, flat_values
from advisor.networks.families.boltzmann.network import DeepBelief
from advisor.networks.family import Units


def build(spec: NetworkSpec, units: Units) -> nn.Module:
    """With a head for another loss than contrastive divergence. Pixels and words are on or off, other values numbers."""
    outputs = None if spec.loss == "contrastive_divergence" else spec.outputs
    gaussian = spec.modality not in ("image", "video", "text")
    return DeepBelief((flat_values(spec), *units), outputs, gaussian=gaussian)
