"""The declarations of autoencoders."""

from __future__ import annotations

from itertools import pairwise

from advisor.networks.description import Layout, NetworkSpec, UnbuildableError, flat_values, input_picture
from advisor.networks.family import Family, Units, check_halvings, large_pictures
from advisor.networks.parts.counting import Counts
from advisor.networks.parts.sizes import PICTURE_CODE_WIDTH


def encoder_widths(units: Units) -> Units:
    """The encoder, down to its code: (256, 64, 256) is written out whole, (256, 64) is mirrored."""
    written_out = len(units) % 2 == 1 and units == units[::-1]
    return units[: len(units) // 2 + 1] if written_out else units


def _check(spec: NetworkSpec, units: Units) -> None:
    if "cross_entropy" in (spec.loss, spec.loss.removeprefix("dice_")):
        raise UnbuildableError(f"An autoencoder restores values, for which the loss {spec.loss} has no meaning.")
    if large_pictures(spec) is Layout.PICTURE:
        check_halvings(spec, units, len(units))


def _count(spec: NetworkSpec, units: Units) -> Counts:
    found = Counts()
    variational = spec.network == "vae"
    if large_pictures(spec) is Layout.FLAT:
        widths = (flat_values(spec), *encoder_widths(units))
        found.dense((*widths[:-1], widths[-1] * (2 if variational else 1)))
        found.dense(widths[::-1])
        return found
    shape = input_picture(spec)
    channels = (shape.colours, *units)
    for number, (before, after) in enumerate(pairwise(channels)):
        found.convolution(before, after, 9, shape.side**2 // 4 ** (number + 1))
    for number, (before, after) in enumerate(pairwise(channels[::-1])):
        found.widening(before, after, 16, shape.side**2 // 4 ** (len(units) - number), 4)
    if variational:
        values = channels[-1] * (shape.side // 2 ** len(units)) ** 2
        found.dense((values, 2 * PICTURE_CODE_WIDTH))
        found.dense((PICTURE_CODE_WIDTH, values))
    return found


FAMILIES = (
    Family(
        name="autoencoder",
        hidden_units=(256, 64, 256),  # encoder, code and decoder; of pictures channels per stage
        layout=large_pictures,
        count=_count,
        check=_check,
        loss="mse",
        restores=True,
    ),
    Family(
        name="vae",
        hidden_units=(256, 64, 256),  # as above
        layout=large_pictures,
        count=_count,
        check=_check,
        loss="elbo",
        fixed_loss=True,
        own_losses=("elbo",),
        restores=True,
    ),
)
