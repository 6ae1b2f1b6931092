"""Examples as a saved model takes them: where it learned from features of a frozen network, that looks at pictures first."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from importlib.util import find_spec

import numpy

from advisor.datasets.dataset import Examples
from advisor.errors import input_error
from advisor.training.child.fitted import FittingError
from advisor.training.kept.card import TITLE
from advisor.training.ladder.backbones import FILES, LIBRARY, Backbone, cache


def looking(backbone: Backbone | None, threads: int) -> Callable[[Examples], Examples]:
    """The way from pictures to their features by the weights that are on this computer; without a network nothing changes.

    Raises InputError where the weights are missing, or are not those that the model learned with. So does the way itself
    where pictures do not suit the network.
    """
    if backbone is None:
        return lambda examples: examples
    path = cache() / backbone.file
    fetch = f'`python -c \'from torchvision.models import get_model; get_model("{backbone.name}", weights="DEFAULT")\'`'
    if find_spec(LIBRARY) is None:
        what = f"its pictures go through {backbone.name} of {LIBRARY} first, which is not installed"
        raise input_error(TITLE, what, remedy=f"Install it: pip install {LIBRARY}.")
    if not path.is_file():
        what = f"its pictures go through {backbone.name} first, and the weights of that are not here"
        remedy = "Put the file there from the computer where the model was saved"
        newest = backbone.file == FILES[backbone.name][0]
        remedy += f", or let {fetch} bring it." if newest else "."
        raise input_error(TITLE, what, where=str(path), remedy=remedy)
    from advisor.training.child.backbone import Features, Frozen  # torch takes seconds

    try:
        frozen = Frozen(backbone.name, path)
        if frozen.told != backbone:
            what = f"these weights of {backbone.name} are others than those that it learned with"
            remedy = (
                "Put the file there from the computer where the model was saved, or save the model anew with these."
            )
            raise input_error(TITLE, what, where=str(path), remedy=remedy)
    except FittingError as error:
        raise input_error(TITLE, str(error), where=str(path), remedy="Bring the file anew.") from None

    def look(examples: Examples) -> Examples:
        try:
            found = Features(frozen, numpy.asarray(examples.inputs), threads).of_all()
        except FittingError as error:
            raise input_error(TITLE, str(error)) from None
        return replace(examples, inputs=found)

    return look
