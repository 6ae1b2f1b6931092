"""The type of network, by the names of plans, that a model belongs to."""

from __future__ import annotations

import re
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
    "unet": ("unet", "encoder_unet"),
    "diffusion": ("diffusion u-net", "diffusion_unet", "diffusion_transformer", "joint_diffusion_transformer"),
    "ffn": ("recommender",),
}
TYPES: Mapping[str, str] = MappingProxyType({family: kind for kind, names in _FAMILIES.items() for family in names})
"""By family."""
_PARTS = (
    ("transformer", {"transformer", "attention"}),
    ("lstm", {"lstm"}),
    ("rnn", {"rnn", "gru"}),
    ("cnn", {"conv", "conv1d", "conv2d", "conv3d", "convolution"}),
    ("gnn", {"gcn", "gat", "sage"}),
    ("ffn", {"linear"}),
)
"""Words in the kinds of a network's parts that tell its type."""
_WORD = re.compile(r"[A-Z]+(?![a-z])\d*[a-z]?|[A-Z]?[a-z]+\d*[a-z]?|\d+")
"""Of a name such as MultiheadAttention, Conv2d or layer_norm."""


def type_of(model: Model) -> str | None:
    """The type of network, such as `cnn`: by its family, or by the parts that compute most; None if neither tells."""
    if model.family in TYPES:
        return TYPES[model.family]
    work: dict[str, int] = {}
    for layer in model.layers:
        words = {word.lower() for word in _WORD.findall(layer.kind)}
        kind = next((kind for kind, known in _PARTS if words & known), None)
        if kind is not None:
            work[kind] = work.get(kind, 0) + layer.multiply_adds + layer.parameters
    if "transformer" in work or (len(work) > 1 and max(work, key=lambda kind: work[kind]) == "ffn"):
        work.pop("ffn", None)  # linear layers are a part of every kind
    return max(work, key=lambda kind: work[kind], default=None)
