"""A network that is built here as a model, counted layer by layer without building it. No torch here."""

from __future__ import annotations

from advisor.models.model import Model, Source
from advisor.models.tape import Tape
from advisor.networks.description import NetworkSpec
from advisor.networks.registry import family
from advisor.networks.spec import check, example_shape, hidden_units


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
