"""The trainings whose memory is measured on this machine: what is stated, and what is chosen where the plan leaves a choice."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Case:
    """A training."""

    name: str
    facts: Mapping[str, Any]
    batch: int
    chosen: Mapping[str, Any] = field(default_factory=dict)
    """Topics of the plan that are decided otherwise."""
    optimizer: str = "adamw"
    precision: str = "fp32"
    recomputed: bool = False
    timm: str = ""


def _table(values: int, outputs: int, kind: str = "classify") -> Mapping[str, Any]:
    return {"data.modality": "tabular", "data.inputs": values, "task.kind": kind, "task.outputs": outputs}


def _picture(side: int, outputs: int, kind: str = "classify") -> Mapping[str, Any]:
    return {"data.modality": "image", "data.inputs": 3 * side * side, "task.kind": kind, "task.outputs": outputs}


def _text(tokens: int, steps: int, outputs: int | None = None) -> Mapping[str, Any]:
    facts: dict[str, Any] = {"data.modality": "text", "data.inputs": tokens, "data.sequence_length": steps}
    if outputs is None:
        return {**facts, "task.kind": "translate", "task.outputs": tokens}
    return {**facts, "task.kind": "classify", "task.outputs": outputs}


def _series(values: int, steps: int, outputs: int) -> Mapping[str, Any]:
    facts = {"data.modality": "time_series", "data.inputs": values, "data.sequence_length": steps}
    return {**facts, "task.kind": "forecast", "task.outputs": outputs}


def _net(network: str, *units: int, **others: Any) -> Mapping[str, Any]:
    named = {f"network.{name}" if name in _OF_NETWORKS else f"training.{name}": value for name, value in others.items()}
    return {"network.type": network, "network.hidden_units": units, **named}


_OF_NETWORKS = ("activation", "normalization")
_PLAIN: Mapping[str, Any] = {"normalization": "none", "regularization": ()}

CASES = (
    # tables
    Case("wide ffn", _table(1000, 10), 256, _net("ffn", 4096, 4096, 4096, **_PLAIN)),
    Case("wide ffn, momentum", _table(1000, 10), 512, _net("ffn", 8192, 8192, **_PLAIN), "sgd_momentum"),
    Case("long ffn, large batch", _table(500, 10), 8192, _net("ffn", *[1024] * 6), "rmsprop"),
    Case("ffn with layer_norm", _table(300, 2), 4096, _net("ffn", *[1024] * 8, normalization="layer_norm"), precision="bf16"),
    Case("deep ffn, again", _table(500, 10), 8192, _net("ffn", *[768] * 16, **_PLAIN), "adam", recomputed=True),
    Case("wide ffn, sgd", _table(2000, 1, "regress"), 1024, _net("ffn", 8192, 4096, 2048, **_PLAIN), "sgd"),
    Case("autoencoder of a table", _table(4000, 4000, "reconstruct"), 2048, _net("autoencoder", 4096, 512, 4096), "adam"),
    Case("vae of a table", _table(2000, 2000, "generate"), 4096, _net("vae", 2048, 256, 2048, loss="elbo")),
    Case("rbm", _table(4000, 10, "represent"), 4096, _net("rbm", 4096, loss="contrastive_divergence"), "sgd"),
    Case("dbn", _table(3000, 10), 2048, _net("dbn", 4096, 4096, 2048), "nadam"),
    # pictures
    Case("cnn 32", _picture(32, 10), 256, _net("cnn", 64, 128, 256)),
    Case("cnn 32 without normalisation", _picture(32, 100), 256, _net("cnn", 64, 128, 256, **_PLAIN), "sgd_nesterov"),
    Case("cnn 64", _picture(64, 10), 128, _net("cnn", 32, 64, 128, 256), "adagrad"),
    Case("cnn 64, bf16", _picture(64, 10), 128, _net("cnn", 64, 128, 256), precision="bf16"),
    Case("cnn 96, again", _picture(96, 10), 128, _net("cnn", 32, 64, 128, 256), recomputed=True),
    Case("unet 64", _picture(64, 4, "segment"), 32, _net("unet", 32, 64, 128, 256)),
    Case("unet 128", _picture(128, 2, "segment"), 8, _net("unet", 32, 64, 128, 256), "sgd_momentum"),
    Case("autoencoder of pictures", _picture(32, 3072, "reconstruct"), 2048, _net("autoencoder", 64, 128)),
    Case("vae of pictures", _picture(32, 3072, "generate"), 512, _net("vae", 64, 128, 128, loss="elbo")),
    Case("gan 32", _picture(32, 3072, "generate"), 128, _net("gan", 64, 128, 256, loss="adversarial"), "adam"),
    Case("diffusion 32", _picture(32, 3072, "generate"), 64, _net("diffusion", 64, 128, loss="noise_prediction")),
    Case("deconvolutional", _table(100, 3072, "regress"), 512, _net("deconvolutional", 256, 128, 64, loss="mse")),
    Case("transformer of pictures", _picture(64, 100), 128, _net("transformer", 256, 1024)),
    # texts and series
    Case("small language model", _text(8000, 128), 32, _net("transformer", 256, 1024)),
    Case("language model, bf16", _text(8000, 256), 8, _net("transformer", 512, 2048), precision="bf16"),
    Case("language model, again", _text(4000, 256), 32, _net("transformer", 384, 1536), recomputed=True),
    Case("language model, many tokens", _text(50000, 64), 16, _net("transformer", 256, 1024), "adam"),
    Case("texts by a transformer", _text(20000, 256, 5), 32, _net("transformer", 256, 1024), "adam"),
    Case("texts by an lstm", _text(20000, 128, 5), 128, _net("lstm", 512, 512)),
    Case("series by an lstm", _series(16, 200, 8), 128, _net("lstm", 256, 256)),
    Case("series by an rnn", _series(16, 200, 8), 256, _net("rnn", 512, 512), "rmsprop"),
    # published, from random weights
    Case("resnet18", {}, 16, timm="resnet18"),
    Case("resnet18, bf16", {}, 32, timm="resnet18", optimizer="sgd_momentum", precision="bf16"),
    Case("resnet50", {}, 8, timm="resnet50", optimizer="sgd_momentum"),
    Case("resnet50, again", {}, 16, timm="resnet50", recomputed=True),
    Case("vit_small_patch16_224", {}, 16, timm="vit_small_patch16_224"),
    Case("vit_base_patch16_224, again", {}, 8, timm="vit_base_patch16_224", optimizer="adam", recomputed=True),
    Case("convnext_tiny", {}, 8, timm="convnext_tiny"),
    Case("mobilenetv3_large_100", {}, 32, timm="mobilenetv3_large_100", optimizer="rmsprop"),
    Case("efficientnet_b0", {}, 16, timm="efficientnet_b0", optimizer="rmsprop"),
    Case("swin_tiny_patch4_window7_224", {}, 8, timm="swin_tiny_patch4_window7_224"),
    Case("vgg11", {}, 8, timm="vgg11", optimizer="sgd_momentum"),
    Case("mixer_b16_224, bf16", {}, 8, timm="mixer_b16_224", precision="bf16"),
    Case("densenet121", {}, 8, timm="densenet121", optimizer="sgd_nesterov"),
)  # fmt: skip
