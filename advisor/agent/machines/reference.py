"""The workload that is measured when nobody names one: a small picture classifier."""

from __future__ import annotations

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
