"""A network that is built here as a model, counted layer by layer without building it. No torch here."""

from __future__ import annotations

from dataclasses import dataclass

from advisor.models.model import Model, Source
from advisor.models.tape import Tape
from advisor.networks.description import NetworkSpec
from advisor.networks.registry import family
from advisor.networks.spec import check, example_shape, hidden_units


@dataclass(frozen=True, slots=True)
class Estimate:
    """About what a network of another size has; the fields are those of Model."""

    parameters: int
    multiply_adds: int
    kept: int
    kept_bytes: int = 0


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


def estimated(network: str, parameters: int, steps: int | None, model: Model | None) -> Estimate | None:
    """About the computation and kept values of a network of a stated size that cannot be counted; None where unknown.

    A transformer uses each weight once a step; its width h follows from 12 h^2 weights a layer and h / 96 layers (Kaplan et
    al. 2020, sections 2.1 and 3.1), and a layer keeps 17 values for each step and unit (Korthikanti et al. 2022, section
    4.1: 34 bytes at 16 bits). Others are scaled from the network that was counted: operations with the weights, kept values
    with their root, as when the width grows.
    """
    if network == "transformer" and steps is not None:
        width = (8 * parameters) ** (1 / 3)
        return Estimate(parameters, parameters * steps, max(1, round(17 * steps * width * max(2.0, width / 96))))
    if model is None:
        return None
    factor = parameters / model.parameters
    operations, kept = max(1, round(model.multiply_adds * factor)), max(1, round(model.kept * factor**0.5))
    return Estimate(parameters, operations, kept, round(model.kept_bytes * factor**0.5))


def backbone(inputs: int) -> Estimate:
    """The pretrained convolutional network that plans start from, ResNet-18, on pictures of so many values.

    11.7 million weights and 1.8e9 multiply-adds for 224 x 224 pixels in three colours (He et al. 2016, table 1); its
    convolutions put out 2.5 million values there, kept before and after normalisation and activation.
    """
    share = inputs / (3 * 224 * 224)
    return Estimate(11_690_000, round(1.8e9 * share), round(5e6 * share))
