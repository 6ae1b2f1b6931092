"""A network that is built here as a model, counted layer by layer without building it. No torch here."""

from __future__ import annotations

from dataclasses import dataclass

from advisor.models.families.pictures import ResNet
from advisor.models.model import Model, Source
from advisor.models.tape import Tape
from advisor.networks.description import NetworkSpec, picture
from advisor.networks.registry import family
from advisor.networks.spec import check, example_shape, hidden_units


@dataclass(frozen=True, slots=True)
class Estimate:
    """About what a network of another size has; the fields are those of Model."""

    parameters: int
    multiply_adds: int
    kept: int
    recomputed: int
    largest: int
    kept_bytes: int = 0
    outputs: int = 0
    unfolded: int = 0


def counted(spec: NetworkSpec, *, processor: bool = False) -> Model:
    """The network, counted for an example of its plan; see Model.

    What it keeps is what it keeps on a graphics card, or on a processor; see Tape.

    The example of a gnn is a node. Everything that a network computes to learn counts as well: a gan's judge looks at a real
    example and twice at a produced one, a Boltzmann machine goes to its hidden units and back.
    Raises UnbuildableError where the network cannot be built.
    """
    check(spec)
    tape, units, shape = Tape(processor=processor), hidden_units(spec), example_shape(spec)
    family(spec.network).count(spec, units, tape, tape.given(*shape))
    name = f"{spec.network} {'-'.join(map(str, units))}"
    return Model(name, spec.network, Source.BUILT, shape, tuple(tape.layers), origin="advisor.networks")


_ON_LATENTS = 400_000_000
"""Diffusion models of so many weights compute on latents, whose sides are an eighth of the picture's (Rombach et al. 2022)."""


def vocabulary_of(parameters: int) -> int:
    """The usual number of tokens that a language model of this size tells apart: that of GPT-2, and from a billion weights on
    that of Llama 3; those of profiles/models lie between 32,000 and 262,208."""
    return 50_257 if parameters < 1_000_000_000 else 128_256


def estimated(
    network: str, parameters: int, steps: int | None, model: Model | None, outputs: int = 0
) -> Estimate | None:
    """About the computation and kept values of a network of a stated size that cannot be counted; None where unknown.

    A transformer uses each weight once a step; its width h follows from 12 h^2 weights a layer and h / 96 layers (Kaplan et
    al. 2020, sections 2.1 and 3.1), and a layer keeps 17 values for each step and unit (Korthikanti et al. 2022, section
    4.1: 34 bytes at 16 bits). Others are scaled from the network that was counted: operations with the weights, kept values
    with their root, as when the width grows.

    Args:
        outputs: values of the answer to one example, of a transformer.
    """
    if network == "transformer" and steps is not None:
        width = (8 * parameters) ** (1 / 3)
        layers, values = max(2.0, width / 96), steps * width
        kept, recomputed = max(1, round(17 * values * layers)), max(1, round(values * (layers + 17)))
        return Estimate(parameters, parameters * steps, kept, min(kept, recomputed), round(5 * values), 0, outputs)
    if model is None:
        return None
    factor = parameters / model.parameters
    area, wider = 1, factor**0.5
    if network == "diffusion" and parameters >= _ON_LATENTS:
        area, wider = 64, factor**0.75  # deeper as well: about what Stable Diffusion XL keeps
    return Estimate(
        parameters,
        max(1, round(model.multiply_adds * factor / area)),
        max(1, round(model.kept * wider / area)),
        max(1, round(model.recomputed * wider / area)),
        max(1, round(model.largest * wider / area)),
        round(model.kept_bytes * wider / area),
        model.outputs // area,
        round(model.unfolded * wider / area),
    )


def backbone(spec: NetworkSpec) -> Model:
    """The pretrained convolutional network that plans start from, ResNet-18, on these pictures.

    Grey ones are given in three equal colours; what is no square picture is taken for one of the usual size.
    """
    network = ResNet(blocks=(2, 2, 2, 2), bottleneck=False, classes=spec.outputs)
    shape = picture(spec.inputs)
    tape, example = Tape(), network.input if shape is None else (3, *shape.size)
    network.count(tape, example)
    layers = tuple(tape.layers)
    return Model("resnet18", "resnet", Source.PUBLISHED, example, layers, hidden_units=network.hidden_units)
