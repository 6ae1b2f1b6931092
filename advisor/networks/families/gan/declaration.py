"""The declaration of the generative adversarial network."""

from __future__ import annotations

from itertools import pairwise

from advisor.networks.description import Layout, NetworkSpec, flat_values, input_picture
from advisor.networks.family import Family, Units, large_pictures
from advisor.networks.parts.counting import Counts
from advisor.networks.parts.sizes import NOISE_WIDTH, halvings


def _count(spec: NetworkSpec, units: Units) -> Counts:
    found, judge = Counts(), Counts()
    if large_pictures(spec) is Layout.FLAT:
        values = flat_values(spec)
        judge.dense((values, *units, 1))
        found.dense((NOISE_WIDTH, *units[::-1], values))
    else:
        shape = input_picture(spec)
        side = shape.side
        for (before, after), half in zip(pairwise((shape.colours, *units)), halvings(side, len(units)), strict=True):
            side //= 2 if half else 1
            judge.convolution(before, after, 16 if half else 9, side**2)
        judge.dense((units[-1] * side**2, 1))
        found.spreading(NOISE_WIDTH, (*units[::-1], shape.colours), shape.side)
    found.repeated(judge, 3)
    return found


FAMILIES = (
    Family(
        name="gan",
        hidden_units=(64, 128, 256),  # those of the judge; the generator goes through them in reverse
        layout=large_pictures,
        count=_count,
        loss="adversarial",
        fixed_loss=True,
        own_losses=("adversarial",),
        restores=True,
    ),
)
