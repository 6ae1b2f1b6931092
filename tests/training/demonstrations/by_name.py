"""The demonstrations by the name of the network."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tests.training.demonstrations import classes, generators, models, values
from tests.training.demonstrations.demonstration import Demonstrated, Size

DEMONSTRATIONS: Mapping[str, Callable[[Size, int], Demonstrated]] = {
    "ffn": classes.ffn,
    "autoencoder": values.autoencoder,
    "rbm": generators.rbm,
    "vae": generators.vae,
    "dbn": classes.dbn,
    "gan": generators.gan,
    "rnn": values.rnn,
    "lstm": classes.lstm,
    "cnn": classes.cnn,
    "deconvolutional": values.deconvolutional,
    "recursive": classes.recursive,
    "transformer": classes.transformer,
    "unet": values.unet,
    "diffusion": generators.diffusion,
    "gnn": classes.gnn,
    "linear": models.linear,
    "random_forest": models.random_forest,
    "gradient_boosting": models.gradient_boosting,
}


def demonstrate(network: str, size: Size = Size.SMALL, seed: int = 0) -> Demonstrated:
    """Trains a network, or another model, on data that suits it. The same seed gives the same figures.

    Raises KeyError for a name that is not among DEMONSTRATIONS.
    """
    return DEMONSTRATIONS[network](size, seed)
