"""The declarations of Boltzmann machines."""

from __future__ import annotations

from itertools import pairwise

from advisor.networks.description import NetworkSpec, UnbuildableError, flat_values
from advisor.networks.family import Family, Units, flat
from advisor.networks.parts.counting import Counts
from advisor.networks.parts.sizes import GIBBS_STEPS


def _check(spec: NetworkSpec, units: Units) -> None:
    if len(units) > 1:
        raise UnbuildableError("An rbm has a single layer of hidden units; several on top of one another are a dbn.")


def _count(spec: NetworkSpec, units: Units) -> Counts:
    found = Counts()
    widths = (flat_values(spec), *units)
    if spec.loss != "contrastive_divergence":
        found.dense((*widths, spec.outputs))
        found.parameters += sum(widths[:-1])  # visible biases, for pretraining
        return found
    for below, above in pairwise(widths):
        found.parameters += below * above + below + above
        found.macs += (2 * GIBBS_STEPS + 1) * below * above
        found.kept += 2 * (below + above)
    found.macs += sum(below * above for below, above in pairwise(widths[:-1]))  # up to the next machine
    return found


FAMILIES = (
    Family(
        name="rbm",
        hidden_units=(256,),  # of the one layer
        layout=flat,
        count=_count,
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
        own_losses=("contrastive_divergence",),
        layerwise=True,
    ),
)
