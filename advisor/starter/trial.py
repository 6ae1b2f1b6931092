"""The batch size with which a first trial of the project is over in seconds."""

from __future__ import annotations

from itertools import pairwise

from advisor.networks.counts import counts
from advisor.networks.description import UnbuildableError
from advisor.networks.family import Answer
from advisor.networks.registry import family, losses
from advisor.networks.spec import Description
from advisor.starter.blueprint import Blueprint, Targets
from advisor.starter.sizes import LAYOUT_OF

OPERATIONS = 3e9
"""Of one step of the trial: some tenths of a second for one core of a processor."""
SMALLEST = 2
"""Examples, so that there is something to normalise and to tell apart."""
_MODALITY = {layout: modality for modality, layout in LAYOUT_OF.items()}


def trial_batch(blueprint: Blueprint) -> int | None:
    """Examples of a batch of the trial; None where the plan's own batch is quick enough, or stays what it is.

    An example takes two operations for each multiply-add forwards and four backwards (Kaplan et al. 2020, section 2.1).
    """
    recipe = blueprint.recipe
    if not blueprint.is_network or recipe.optimizer == "lbfgs":
        return None
    fitting = max(SMALLEST, int(OPERATIONS / (6 * _macs(blueprint) * recipe.accumulation)))
    return fitting if fitting < recipe.batch_size // recipe.accumulation else None


def _macs(blueprint: Blueprint) -> int:
    """Multiply-add operations of one example, forwards; roughly, where the advisor builds no such network itself."""
    try:
        return counts(_description(blueprint)).macs
    except UnbuildableError:  # such as a picture that cannot be halved without remainder
        shape = blueprint.shape
        widths = pairwise((shape.values * shape.channels, *blueprint.hidden_units))
        return 9 * shape.steps * shape.height * shape.width * sum(before * after for before, after in widths)


def _description(blueprint: Blueprint) -> Description:
    shape = blueprint.shape
    inputs = shape.values * shape.channels * shape.height * shape.width
    every_input = blueprint.targets is Targets.NEXT_TOKEN or family(blueprint.network).answer is Answer.PICTURE
    return Description(
        network=blueprint.network,
        modality=_MODALITY[blueprint.layout],
        inputs=inputs,
        outputs=inputs if every_input else blueprint.outputs,
        hidden_units=blueprint.hidden_units,
        sequence_length=shape.steps,
        loss=blueprint.recipe.loss if blueprint.recipe.loss in losses() else "mse",
        activation=blueprint.activation,
    )
