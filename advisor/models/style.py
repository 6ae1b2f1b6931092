"""The activation and the normalisation that a network has, by the names of plans, found in its layers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping

from advisor.models.model import Layer

OTHER = "other"
"""Such as hard swish, for which plans have no name."""
_NORMALIZATIONS = (
    ("rms_norm", re.compile(r"rms|t5layer")),
    ("batch_norm", re.compile(r"batch")),
    ("layer_norm", re.compile(r"layer")),
    ("group_norm", re.compile(r"group")),
    (OTHER, re.compile(r"")),
)
_ACTIVATIONS = (
    (OTHER, re.compile(r"hard|clamped")),
    ("gelu", re.compile(r"gelu")),
    ("leaky_relu", re.compile(r"leaky_?relu")),
    ("relu", re.compile(r"^relu6?$|^relu")),
    ("swish", re.compile(r"^silu|^swish")),
    (OTHER, re.compile(r"mish|^.?elu$|prelu|softplus")),
    ("tanh", re.compile(r"^tanh")),
    ("sigmoid", re.compile(r"^sigmoid")),
)
_GATES = ("tanh", "sigmoid")
"""Stand beside others as gates; the activation is one of them only where there is no other."""
_NORM = re.compile(r"^(?!.*conv).*norm", re.IGNORECASE)


def normalization_of(layers: Iterable[Layer]) -> str:
    """The one of most layers; none where there is no such layer."""
    found = Counter(_normalization(layer) for layer in layers if _NORM.search(layer.kind))
    return _largest(found) or "none"


def _normalization(layer: Layer) -> str:
    kind = layer.kind.lower()
    return next(name for name, known in _NORMALIZATIONS if known.search(kind))


def activation_of(layers: Iterable[Layer]) -> str:
    """The one of most layers; `other` where none is a layer of its own, as in code that calls functions."""
    named = [(layer, name) for layer in layers if (name := _activation(layer)) is not None]
    placed = [name for layer, name in named if len(layer.shape) > 1]  # others bend what is told beside the example
    found = Counter(placed or [name for _, name in named])
    return _largest({name: layers for name, layers in found.items() if name not in _GATES}) or _largest(found) or OTHER


def _activation(layer: Layer) -> str | None:
    kind = (layer.name.rpartition(".")[2] if layer.kind == "activation" else layer.kind).lower()
    return next((name for name, known in _ACTIVATIONS if known.search(kind)), None)


def _largest(found: Mapping[str, int]) -> str | None:
    return max(found, key=lambda name: found[name], default=None)
