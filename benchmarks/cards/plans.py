"""Answers whose plans are measured: one network of each kind that a card may be wanted for."""

from __future__ import annotations

from collections.abc import Mapping

PLANS: Mapping[str, Mapping[str, object]] = {
    "pictures": {
        "task.kind": "classify",
        "task.outputs": 1000,
        "data.modality": "image",
        "data.inputs": 150_528,
        "data.examples": 1_200_000,
    },
    "table": {
        "task.kind": "regress",
        "task.outputs": 1,
        "data.modality": "tabular",
        "data.inputs": 200,
        "data.examples": 50_000_000,
        "data.sparse_ids": True,
    },
    "text": {
        "task.kind": "classify",
        "task.outputs": 4,
        "data.modality": "text",
        "data.inputs": 256,
        "data.sequence_length": 256,
        "data.examples": 100_000,
    },
    "sounds": {
        "task.kind": "classify",
        "task.outputs": 35,
        "data.modality": "audio",
        "data.inputs": 16_000,
        "data.examples": 85_000,
    },
}
SMALL: Mapping[str, Mapping[str, object]] = {
    "pictures": {"task.outputs": 10, "data.inputs": 784, "data.examples": 60_000},
    "table": {"data.examples": 1_000_000},
    "text": {"data.inputs": 32, "data.sequence_length": 32, "data.examples": 50_000},
    "sounds": {"data.inputs": 1_000, "data.examples": 10_000},
}
"""What differs where a processor stands in for a card."""
MODELS: Mapping[str, Mapping[str, object]] = {
    "resnet50": {"task.outputs": 1000, "data.modality": "image", "data.inputs": 150_528, "data.examples": 1_200_000},
    "vit_base_patch16_224": {
        "task.outputs": 1000,
        "data.modality": "image",
        "data.inputs": 150_528,
        "data.examples": 1_200_000,
    },
    "bert-base": {"task.outputs": 4, "data.modality": "text", "data.sequence_length": 512, "data.examples": 100_000},
}
"""Published networks, whose memory and time are predicted before they are measured."""
COMMON: Mapping[str, object] = {"project.pretrained_allowed": False}
STARTERS = ("pictures", "text")


def answers(plan: str, small: bool = False) -> str:
    """A file of answers as `--for` and `--answers` read it."""
    return _file({**PLANS[plan], **(SMALL[plan] if small else {}), **COMMON})


def of_model(name: str) -> str:
    return _file({"task.kind": "classify", **MODELS[name], **COMMON})


def _file(said: Mapping[str, object]) -> str:
    return "".join(f"{name}: {_yaml(value)}\n" for name, value in said.items())


def _yaml(value: object) -> str:
    return ("yes" if value else "no") if isinstance(value, bool) else str(value)
