"""The workloads that are measured where the plan has none: for no facts at all, and for few."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from advisor.facts.vocabulary import Value

TITLE = "a small picture classifier (28 x 28 grey pictures, ten classes, 60,000 examples)"
FACTS: dict[str, Value] = {
    "task.kind": "classify",
    "task.outputs": 10,
    "task.multilabel": False,
    "data.modality": "image",
    "data.inputs": 784,
    "data.examples": 60_000,
    "data.location": "memory",
    "data.labelled_fraction": 1.0,
    "project.pretrained_allowed": False,
    "cluster.nodes": 1,
}
_OF_ANY: Mapping[str, Value] = {
    "task.kind": "classify",
    "task.outputs": 10,
    "data.examples": 60_000,
    "project.pretrained_allowed": False,
}
_OF_MODALITY: Mapping[str, Mapping[str, Value]] = {
    "image": {"data.inputs": 784},
    "audio": {"data.inputs": 40, "data.sequence_length": 100},
    "video": {"data.inputs": 784, "data.sequence_length": 16},
    "text": {"data.inputs": 20_000, "data.sequence_length": 128},
    "time_series": {"data.inputs": 8, "data.sequence_length": 100},
}


def usual_facts(modality: str | None) -> Iterator[Mapping[str, Value]]:
    """Facts of usual networks, the likeliest to be timed last.

    The last ones describe an ordinary network of fully connected layers: they say nothing of what an example is.
    """
    if modality is not None and modality in _OF_MODALITY:
        yield {**_OF_ANY, "data.modality": modality, **_OF_MODALITY[modality]}
    yield {**_OF_ANY, "data.inputs": 100}
