"""A small rule base as texts, and the problems that a loader finds in a changed one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from advisor.errors import InputError
from advisor.knowledge import loader

FACTS = """\
groups: {data: The data, task: The task}
facts:
  data.examples: {group: data, type: integer, min: 1, question: How many?, help: Count them.}
  data.modality:
    group: data
    type: choice
    question: Which?
    help: Say.
    choices: {image: a picture, text: words}
"""
TOPICS = """\
topics:
  network.type: {title: Network, policy: score, values: {cnn: convolutional, ffn: plain}}
  compute.device: {title: Device, policy: first, values: {cpu: processor, gpu: card}}
  training.batch_size: {title: Batch, policy: value, type: integer}
  data.pipeline: {title: Pipeline, policy: all, values: {prefetch: ahead, shard: in parts}}
"""
SOURCES = """\
sources:
  book: {title: A book}
errata:
  E1: {about: a figure, text: It should read 3.}
"""
RULES = """\
- id: type.images
  topic: network.type
  school: survey
  when: data.modality == "image"
  for: cnn
  strength: strong
  because: Neighbours belong together.
  sources: [book III.D]
"""


def problems(tmp_path: Path, **files: str) -> list[str]:
    """The problems of a rule base, one text for each; `facts`, `topics`, `sources` and `rules` have a sound default."""
    for name, text in {"facts": FACTS, "topics": TOPICS, "sources": SOURCES, "rules": RULES, **files}.items():
        (tmp_path / f"{name}.yaml").write_text(text, encoding="utf-8")
    try:
        loader.load(tmp_path)
    except InputError as error:
        return [str(problem).removeprefix(f"{tmp_path}/") for problem in error.problems]
    return []


def rule_text(**keys: Any) -> str:
    """A sound rule of topic compute.device with some keys changed; None leaves a key out. Rules of `score` and `all` topics
    have no value."""
    if keys.get("topic") in ("network.type", "data.pipeline"):
        keys = {"value": None, **keys}
    given = {
        "id": "r", "topic": "compute.device", "school": "any", "value": "cpu", "because": "So.", "sources": "[book]", **keys,
    }  # fmt: skip
    lines = [f"{key.rstrip('_')}: {value}" for key, value in given.items() if value is not None]
    return "- " + "\n  ".join(lines) + "\n"


def fact_text(keys: str, name: str = "x") -> str:
    """A fact at the end of facts.yaml with these keys."""
    return f"  {name}: {{group: data, question: What?, help: Say., {keys}}}\n"
