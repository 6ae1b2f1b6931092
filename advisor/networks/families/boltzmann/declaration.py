"""The declarations of Boltzmann machines."""

from __future__ import annotations

from advisor.models.tape import Tape, Value
from advisor.networks.description import NetworkSpec, UnbuildableError, flat_values
from advisor.networks.family import Family, Module, Units, flat
from advisor.networks.parts.sizes import GIBBS_STEPS


def _check(spec: NetworkSpec, units: Units) -> None:
    if len(units) > 1:
        raise UnbuildableError("An rbm has a single layer of hidden units; several on top of one another are a dbn.")


def _count(spec: NetworkSpec, units: Units, tape: Tape, x: Value) -> None:
    count = _count_contrasts if spec.loss == "contrastive_divergence" else _count_labelled
    count(spec, units, tape, x)


def _count_labelled(spec: NetworkSpec, units: Units, tape: Tape, x: Value) -> None:
    for number, hidden in enumerate(units):
        with tape.within("machines", number):
            tape.weights("visible_bias", x.size)  # for pretraining
            x = tape.activation("sigmoid", tape.linear("drive", x, hidden))
    tape.linear("head", x, spec.outputs)


def _count_contrasts(spec: NetworkSpec, units: Units, tape: Tape, x: Value) -> None:
    for number, hidden in enumerate(units):
        with tape.within("machines", number):
            _count_contrast(tape, x, hidden, gaussian=not number and _gaussian(spec))
            if number < len(units) - 1:
                with tape.tied(), tape.forgetting():
                    x = tape.activation("sigmoid", tape.linear("drive", x, hidden))


def _count_contrast(tape: Tape, x: Value, hidden: int, *, gaussian: bool) -> None:
    """The energies of an example, and of the visible units that the machine reaches from it."""
    drive = tape.linear("drive", x, hidden)
    reached = x
    with tape.tied(), tape.forgetting():
        for step in range(GIBBS_STEPS):
            with tape.within("steps", step):
                up = tape.linear("up", reached, hidden) if step else drive
                reached = tape.linear("down", tape.activation("sigmoid", up), x.size)
    with tape.within("energy"):
        _count_energy(tape, x, drive, gaussian)
    with tape.within("reached"), tape.tied():
        _count_energy(tape, reached, tape.linear("drive", reached, hidden), gaussian)


def _count_energy(tape: Tape, visible: Value, drive: Value, gaussian: bool) -> None:
    tape.activation("softplus", drive)
    if gaussian:
        difference = tape.add(visible, tape.weights("visible_bias", visible.size))
        tape.activation("square", difference)
    else:
        tape.scaled("visible_bias", visible, visible.size)


def _gaussian(spec: NetworkSpec) -> bool:
    """Pixels and words are on or off, other values numbers."""
    return spec.modality not in ("image", "video", "text")


def _build(spec: NetworkSpec, units: Units) -> Module:
    """With a head for another loss than contrastive divergence."""
    from advisor.networks.families.boltzmann.network import DeepBelief

    outputs = None if spec.loss == "contrastive_divergence" else spec.outputs
    return DeepBelief((flat_values(spec), *units), outputs, gaussian=_gaussian(spec))


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
        normalizations=("none",),
        dropout=0.0,
    ),
    Family(
        name="dbn",
        hidden_units=(256, 256, 256),  # those of each machine, from the data upwards
        layout=flat,
        count=_count,
        build=_build,
        own_losses=("contrastive_divergence",),
        layerwise=True,
        normalizations=("none",),
        dropout=0.0,
    ),
)
