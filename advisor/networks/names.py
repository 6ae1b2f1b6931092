"""The names of the networks, losses and activations that can be built, known without importing torch."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

DEFAULT_HIDDEN_UNITS: Mapping[str, tuple[int, ...]] = MappingProxyType(
    {
        "ffn": (256, 256, 256),
        "autoencoder": (256, 64, 256),
        "cnn": (64, 128, 256),
        "rnn": (256, 256),
        "lstm": (256, 256),
        "transformer": (256, 1024),
        "vae": (256, 64, 256),
        "unet": (32, 64, 128, 256),
        "rbm": (256,),
        "dbn": (256, 256, 256),
        "gan": (64, 128, 256),
        "deconvolutional": (256, 128, 64),
        "recursive": (128, 256),
        "diffusion": (64, 128),
        "gnn": (128, 128),
    }
)
"""Every network that can be built, with the hidden units it gets where none are stated.

Units per layer, or channels per stage (cnn, unet, deconvolutional, and autoencoder, vae, gan and diffusion of pictures); of
a transformer its width and the width of its feed-forward layers; of an autoencoder encoder, code and decoder; of an rbm one
layer of hidden units, of a dbn those of each rbm, from the data upwards; of a gan the layers of its judge, which the
producing network goes through in reverse; of a deconvolutional network the stages from the small maps to the picture; of a
recursive network the width of a node's state, then the hidden layers of the function that merges two children; of a gnn
one round of messages for each.
"""
GENERATORS = ("vae", "gan", "diffusion")
"""Networks that give new examples of the kind they are shown, and are trained with a loss of their own."""
RESTORERS = ("autoencoder", *GENERATORS)
"""Networks whose outputs are as many as their inputs, whatever is stated."""

LOSSES = (
    "cross_entropy",
    "binary_cross_entropy",
    "mse",
    "mae",
    "huber",
    "quantile",
    "dice_cross_entropy",
    "elbo",
    "adversarial",
    "noise_prediction",
    "contrastive_divergence",
)
LOSS_OF: Mapping[str, str] = MappingProxyType({"vae": "elbo", "gan": "adversarial", "diffusion": "noise_prediction"})
"""The one loss of networks that have a loss of their own."""
ACTIVATIONS = ("relu", "leaky_relu", "gelu", "swish", "tanh", "sigmoid")


class UnbuildableError(ValueError):
    """This network cannot be built from what is known of it; the message says why and what would help."""


class UnknownNetworkError(UnbuildableError):
    """No builder goes by this name; the message names those that do."""

    def __init__(self, network: str) -> None:
        super().__init__(f"{network} cannot be built yet. These can: {', '.join(buildable())}.")


def buildable() -> tuple[str, ...]:
    """The types of network that can be built."""
    return tuple(DEFAULT_HIDDEN_UNITS)
