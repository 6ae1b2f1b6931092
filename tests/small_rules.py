"""Small rule bases for tests, written down as their authors would: declarations and rules as plain data."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from advisor.facts.fact_base import FactBase, Source
from advisor.inference.advise import advise
from advisor.inference.plan import Plan
from advisor.knowledge import loader
from advisor.knowledge.model import Knowledge, School

GROUPS = {group: group for group in ("task", "data", "machine", "cluster", "project", "network", "probe")}
SOURCES = """sources:
  book: {title: A book, author: Someone, year: 2020, kind: book}
  seed: {title: A seed document, author: Someone else, year: 2018, kind: seed}
errata:
  E1: {about: a figure, text: It should read 3.}
"""


def fact(kind: str, **keys: Any) -> dict[str, Any]:
    """A declared fact; what every fact needs is filled in."""
    return {"group": "data", "type": kind, "question": "What is it?", "help": "Say it.", **keys}


def choice(*names: str, **keys: Any) -> dict[str, Any]:
    return fact("choice", choices={name: name for name in names}, **keys)


def a_set(*names: str, **keys: Any) -> dict[str, Any]:
    return fact("set", choices={name: name for name in names}, **keys)


def integer(low: float = 0, high: float = 1_000_000, **keys: Any) -> dict[str, Any]:
    return fact("integer", min=low, max=high, **keys)


def number(low: float = 0, high: float = 1_000_000, **keys: Any) -> dict[str, Any]:
    return fact("number", min=low, max=high, **keys)


def boolean(**keys: Any) -> dict[str, Any]:
    return fact("boolean", **keys)


def topic(policy: str, *values: str, **keys: Any) -> dict[str, Any]:
    named = {"values": {value: value for value in values}} if values else {}
    return {"title": "A topic", "policy": policy, **named, **keys}


def rule(identifier: str, of: str, **keys: Any) -> dict[str, Any]:
    """A rule; `for_` stands for the key `for`."""
    named = {key.rstrip("_"): value for key, value in keys.items()}
    return {"id": identifier, "topic": of, "school": "any", "because": "It is so.", "sources": ["book"], **named}


_TOLD = ("question", "help", "group", "title", "because", "sources", "id", "topic")


@dataclass(frozen=True, repr=False)
class RuleBase:
    """A rule base as its author writes it."""

    facts: Mapping[str, Mapping[str, Any]]
    topics: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    rules: Sequence[Mapping[str, Any]] = ()
    constraints: Sequence[str] = ()

    def __repr__(self) -> str:
        """What tells this rule base from others, one line for each part: what a failing property shows."""
        parts = [*self.facts.items(), *self.topics.items(), *((one["id"], one) for one in self.rules)]
        lines = [f"{name}: { ({key: value for key, value in one.items() if key not in _TOLD}) }" for name, one in parts]
        return "\n".join(["RuleBase", *lines, *(f"constraint: {holds}" for holds in self.constraints)])

    def _repr_pretty_(self, printer: Any, _: bool) -> None:
        printer.text(repr(self))

    def texts(self) -> dict[str, str]:
        constraints = [{"holds": holds, "because": "nothing else exists"} for holds in self.constraints]
        declared = {"groups": GROUPS, "facts": self.facts, **({"constraints": constraints} if constraints else {})}
        return {
            "facts.yaml": json.dumps(declared, indent=1),
            "rules.yaml": "\n".join(f"- {json.dumps(one)}" for one in self.rules) + "\n",
            "sources.yaml": SOURCES,
            "topics.yaml": json.dumps({"topics": self.topics}, indent=1),
        }

    def write(self, folder: Path) -> Path:
        """The folder, with one file for each text."""
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in self.texts().items():
            (folder / name).write_text(text, encoding="utf-8")
        return folder

    def load(self) -> Knowledge:
        """Loaded and checked, without touching a disk."""
        return loader.build([(0, Path(name), text) for name, text in self.texts().items()])


def advised(knowledge: Knowledge, school: School = School.TODAY, /, **answers: Any) -> Plan:
    """The plan for these answers; `data__bytes` stands for the fact `data.bytes`."""
    facts = {name.replace("__", "."): value for name, value in answers.items()}
    return advise(knowledge, FactBase.of(facts, Source.ASKED), school)
