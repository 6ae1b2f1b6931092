"""Examples as a saved model takes them: where it learned from features of a frozen network, that looks at them first."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from advisor.datasets.dataset import Examples
from advisor.errors import input_error
from advisor.training.child.fitted import FittingError
from advisor.training.kept.card import TITLE
from advisor.training.ladder.backbones import (
    Backbone,
    cache,
    fetching,
    files_of,
    has_library,
    library_of,
    reads_texts,
    weights_of,
)


def looking(backbone: Backbone | None, threads: int) -> Callable[[Examples], Examples]:
    """The way from pictures or texts to their features by weights on this computer; without a network nothing changes.

    Raises InputError where the weights are missing, or are not those that the model learned with. So does the way itself
    where they do not suit the network.
    """
    if backbone is None:
        return lambda examples: examples
    name, library = backbone.name, library_of(backbone.name)
    what = "texts" if reads_texts(name) else "pictures"
    if not has_library("text" if reads_texts(name) else "image"):
        said = f"its {what} go through {name} of {library} first, which is not installed"
        raise input_error(TITLE, said, remedy=f"Install it: pip install {library}.")
    path = weights_of(name) if reads_texts(name) else cache(name) / backbone.file
    if path is None or not path.is_file():
        said = f"its {what} go through {name} first, and the weights of that are not here"
        remedy = "Put them there from the computer where the model was saved"
        newest = backbone.file == files_of(name)[0]
        remedy += f", or let {fetching(name)} bring them." if newest else "."
        raise input_error(TITLE, said, where=str(path or cache(name)), remedy=remedy)
    from advisor.training.child.backbone import Features, frozen  # torch takes seconds

    try:
        network = frozen(name, path)
        if network.told != backbone:
            said = f"these weights of {name} are others than those that it learned with"
            remedy = (
                "Put the file there from the computer where the model was saved, or save the model anew with these."
            )
            raise input_error(TITLE, said, where=str(path), remedy=remedy)
    except FittingError as error:
        raise input_error(TITLE, str(error), where=str(path), remedy="Bring the file anew.") from None

    def look(examples: Examples) -> Examples:
        try:
            found = Features(network, examples.inputs, threads).of_all()
        except FittingError as error:
            raise input_error(TITLE, str(error)) from None
        return replace(examples, inputs=found)

    return look
