"""The size of a network and its computation, counted layer by layer without building it. No torch here."""

from __future__ import annotations

from advisor.networks.description import NetworkSpec
from advisor.networks.parts.counting import Counts
from advisor.networks.registry import family
from advisor.networks.spec import check, hidden_units


def counts(spec: NetworkSpec) -> Counts:
    """Raises UnbuildableError where the network cannot be built."""
    check(spec)
    found = Counts()
    family(spec.network).count(spec, hidden_units(spec), found)
    return found


def estimated(network: str, parameters: int, steps: int | None, counted: Counts | None) -> Counts | None:
    """About the computation and kept values of a network of a stated size that cannot be counted; None where unknown.

    A transformer uses each weight once a step; its width h follows from 12 h^2 weights a layer and h / 96 layers (Kaplan et
    al. 2020, sections 2.1 and 3.1). Others are scaled from the network that was counted: operations with the weights, kept
    values with their root, as when the width grows.
    """
    if network == "transformer" and steps is not None:
        width = (8 * parameters) ** (1 / 3)
        return Counts(parameters, parameters * steps, max(1, round(17 * steps * width * max(2.0, width / 96))))
    if counted is None:
        return None
    factor = parameters / counted.parameters
    return Counts(parameters, max(1, round(counted.macs * factor)), max(1, round(counted.kept * factor**0.5)))


def backbone(inputs: int) -> Counts:
    """The pretrained convolutional network that plans start from, ResNet-18, on pictures of so many values.

    11.7 million weights and 1.8e9 multiply-adds for 224 x 224 pixels in three colours (He et al. 2016, table 1); its
    convolutions put out 2.5 million values there, kept before and after normalisation and activation.
    """
    share = inputs / (3 * 224 * 224)
    return Counts(11_690_000, round(1.8e9 * share), round(5e6 * share))
