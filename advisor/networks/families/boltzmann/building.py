"""A Boltzmann machine from a description."""

from __future__ import annotations

from torch import nn

from advisor.networks.description import NetworkSpec, flat_values
from advisor.networks.families.boltzmann.network import BoltzmannMachine, DeepBelief
from advisor.networks.spec import hidden_units


def build(spec: NetworkSpec) -> nn.Module:
    """An rbm with another loss than contrastive divergence is one with a head: a dbn of a single layer."""
    values, units, gaussian = flat_values(spec), hidden_units(spec), _gaussian(spec)
    alone = spec.loss == "contrastive_divergence"
    if alone and spec.network == "rbm":
        return BoltzmannMachine(values, units[0], gaussian=gaussian)
    return DeepBelief((values, *units), None if alone else spec.outputs, gaussian=gaussian)


def _gaussian(spec: NetworkSpec) -> bool:
    """Pixels of pictures and words of texts are on or off; other values are numbers."""
    return spec.modality not in ("image", "video", "text")
