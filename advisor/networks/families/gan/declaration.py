"""The declaration of the generative adversarial network."""

from __future__ import annotations

from itertools import pairwise

from advisor.networks.description import Layout, NetworkSpec, flat_values, input_picture
from advisor.networks.family import Family, Module, Units, activated, large_pictures
from advisor.networks.parts.counting import Counts
from advisor.networks.parts.sizes import NOISE_WIDTH, halvings


def _count(spec: NetworkSpec, units: Units, counts: Counts) -> None:
    judge = Counts()
    if large_pictures(spec) is Layout.FLAT:
        values = flat_values(spec)
        judge.dense((values, *units, 1))
        counts.dense((NOISE_WIDTH, *units[::-1], values))
    else:
        shape = input_picture(spec)
        side = shape.side
        for (before, after), half in zip(pairwise((shape.colours, *units)), halvings(side, len(units)), strict=True):
            side //= 2 if half else 1
            judge.convolution(before, after, 16 if half else 9, side**2)
        judge.dense((units[-1] * side**2, 1))
        counts.spreading(NOISE_WIDTH, (*units[::-1], shape.colours), shape.side)
    counts.repeated(judge, 3)


def _build(spec: NetworkSpec, units: Units) -> Module:
    from advisor.networks.families.gan.network import Adversaries, dense_players, picture_players

    following = activated(spec.activation)
    if large_pictures(spec) is Layout.FLAT:
        return Adversaries(*dense_players((flat_values(spec),), units, following))
    shape = input_picture(spec)
    return Adversaries(*picture_players((shape.colours, *units), shape.size, following))


FAMILIES = (
    Family(
        name="gan",
        hidden_units=(64, 128, 256),  # those of the judge; the generator goes through them in reverse
        layout=large_pictures,
        count=_count,
        build=_build,
        loss="adversarial",
        fixed_loss=True,
        own_losses=("adversarial",),
        restores=True,
    ),
)
