"""The declarations of Boltzmann machines."""

from __future__ import annotations

from itertools import pairwise

from advisor.networks.description import NetworkSpec, UnbuildableError, flat_values
from advisor.networks.family import Family, Module, Units, flat
from advisor.networks.parts.counting import Counts
from advisor.networks.parts.sizes import GIBBS_STEPS


def _check(spec: NetworkSpec, units: Units) -> None:
    if len(units) > 1:
        raise UnbuildableError("An rbm has a single layer of hidden units; several on top of one another are a dbn.")


def _count(spec: NetworkSpec, units: Units, counts: Counts) -> None:
    widths = (flat_values(spec), *units)
    if spec.loss != "contrastive_divergence":
        counts.dense((*widths, spec.outputs))
        counts.parameters += sum(widths[:-1])  # visible biases, for pretraining
        return
    for below, above in pairwise(widths):
        counts.parameters += below * above + below + above
        counts.macs += (2 * GIBBS_STEPS + 1) * below * above
        counts.kept += 2 * (below + above)
    counts.macs += sum(below * above for below, above in pairwise(widths[:-1]))  # up to the next machine


def _build(spec: NetworkSpec, units: Units) -> Module:
    """With a head for another loss than contrastive divergence. Pixels and words are on or off, other values numbers."""
    from advisor.networks.families.boltzmann.network import DeepBelief

    outputs = None if spec.loss == "contrastive_divergence" else spec.outputs
    gaussian = spec.modality not in ("image", "video", "text")
    return DeepBelief((flat_values(spec), *units), outputs, gaussian=gaussian)


FAMILIES = (
    Family(
        name="rbm",
        hidden_units=(256,),  # of the one layer
        layout=flat,
        count=_count,
        build=_build,
        check=_check,
        loss="contrastive_divergence",
        own_losses=("contrastive_divergence",),
        layerwise=True,
    ),
    Family(
        name="dbn",
        hidden_units=(256, 256, 256),  # those of each machine, from the data upwards
        layout=flat,
        count=_count,
        build=_build,
        own_losses=("contrastive_divergence",),
        layerwise=True,
    ),
)
