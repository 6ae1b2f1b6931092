"""The type of network, by the names of plans, that a model belongs to."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from advisor.models.model import Model

_FAMILIES = {
    "transformer": (
        "decoder",
        "encoder",
        "encoder_decoder",
        "vision_transformer",
        "vision transformer",
        "vision transformer over tubes",
        "divided space-time transformer",
        "multiscale vision transformer",
        "swin",
        "swin transformer",
        "maxvit",
        "segformer",
        "segment anything",
        "spectrogram_transformer",
        "speech_encoder",
        "speech_writer",
        "conformer",
        "patch_forecaster",
        "series_decoder",
    ),
    "cnn": (
        "resnet",
        "resnet 3-D",
        "convnext",
        "densenet",
        "efficientnet",
        "efficientnetv2",
        "mobilenetv3",
        "mobilenetv4",
        "regnety",
        "vgg",
        "deeplab",
    ),
    "unet": ("unet",),
    "diffusion": ("diffusion u-net", "diffusion_unet", "diffusion_transformer", "joint_diffusion_transformer"),
    "ffn": ("recommender",),
}
TYPES: Mapping[str, str] = MappingProxyType({family: kind for kind, names in _FAMILIES.items() for family in names})
"""By family."""
_PARTS = (
    ("transformer", ("attention", "transformer")),
    ("lstm", ("lstm",)),
    ("rnn", ("rnn", "gru")),
    ("cnn", ("conv",)),
    ("gnn", ("message", "gat", "gcn", "sage")),
    ("ffn", ("linear",)),
)
"""Words in the kinds of a network's parts that tell its type; the first that is met decides."""


def type_of(model: Model) -> str | None:
    """The type of network, such as `cnn`: by its family, or by its parts where it is of none known; None if neither tells."""
    if model.family in TYPES:
        return TYPES[model.family]
    kinds = [layer.kind.lower() for layer in model.layers]
    found = (kind for kind, words in _PARTS if any(word in part for part in kinds for word in words))
    return next(found, None)
