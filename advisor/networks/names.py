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
    }
)
"""Every network that can be built, with the hidden units it gets where none are stated.

Units per layer, or channels per stage (cnn, unet, and autoencoders of large pictures); of a transformer its width and
the width of its feed-forward layers; of an autoencoder encoder, code and decoder.
"""

LOSSES = (
    "cross_entropy",
    "binary_cross_entropy",
    "mse",
    "mae",
    "huber",
    "quantile",
    "dice_cross_entropy",
    "elbo",
)
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
