"""The declaration of the generative adversarial network."""

from __future__ import annotations

from advisor.models.tape import Tape, Value
from advisor.networks.description import Layout, NetworkSpec, flat_values, input_picture
from advisor.networks.family import Family, Module, Units, after_layers, large_pictures
from advisor.networks.parts import shapes
from advisor.networks.parts.sizes import NOISE_WIDTH, halvings


def _count(spec: NetworkSpec, units: Units, tape: Tape, x: Value) -> None:
    """The judge looks at the real example and twice at a produced one: the second time the generator learns from it."""
    rows = large_pictures(spec) is Layout.FLAT
    following = shapes.after_layers(tape, spec, 0 if rows else 2)
    noise = tape.given(NOISE_WIDTH)
    with tape.within("generator"):
        if rows:
            produced = shapes.dense(tape, noise, (*units[::-1], x.size), following)
        else:
            colors, side, _ = x.shape
            produced = shapes.spreading(tape, noise, (*units[::-1], colors), side, following)
    with tape.within("judge", "real"):
        _count_judge(tape, x, units, following)
    with tape.tied():
        with tape.within("judge", "produced"):
            _count_judge(tape, produced, units, following)
        with tape.within("judge", "passed_off"), tape.frozen():
            _count_judge(tape, produced, units, following)


def _count_judge(tape: Tape, x: Value, units: Units, following: shapes.Following) -> None:
    if len(x.shape) == 1:
        shapes.dense(tape, x, (*units, 1), following)
        return
    for number, (after, half) in enumerate(zip(units, halvings(x.shape[1], len(units)), strict=True)):
        kernel, stride = (4, 2) if half else (3, 1)
        with tape.within(number):
            x = following(tape.convolution("convolution", x, after, kernel, stride=stride, padding=1))
    tape.linear("head", tape.view(x, x.size), 1)


def _build(spec: NetworkSpec, units: Units) -> Module:
    from advisor.networks.families.gan.network import Adversaries, dense_players, picture_players

    if large_pictures(spec) is Layout.FLAT:
        return Adversaries(*dense_players((flat_values(spec),), units, after_layers(spec)))
    shape = input_picture(spec)
    return Adversaries(*picture_players((shape.colors, *units), shape.size, after_layers(spec, 2)))


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
