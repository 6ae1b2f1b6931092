"""The effect of an answer that was given or supposed: two plans, and the recommendations on which they differ."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from advisor.errors import InputError, Problem, input_error
from advisor.facts.answers import unknown_fact
from advisor.facts.vocabulary import Value
from advisor.inference.plan import Plan, Recommendation
from advisor.knowledge.model import Knowledge
from advisor.wording import shorten


@dataclass(frozen=True, slots=True)
class Change:
    """A recommendation whose value or status differs between two plans."""

    topic: str
    before: Recommendation
    after: Recommendation


def changes(before: Plan, after: Plan) -> tuple[Change, ...]:
    """The recommendations that differ, in the order of the plan."""
    pairs = ((topic, before.recommendations[topic], entry) for topic, entry in after.recommendations.items())
    return tuple(
        Change(topic, earlier, entry)
        for topic, earlier, entry in pairs
        if (earlier.value, earlier.status, earlier.tied) != (entry.value, entry.status, entry.tied)
    )


@dataclass(frozen=True)
class WhatIf:
    """The plan as things stand beside the plan if some facts were different (None: not known). Nothing has changed."""

    stated: Mapping[str, Value | None]
    before: Plan
    after: Plan

    @property
    def changes(self) -> tuple[Change, ...]:
        return changes(self.before, self.after)


_ASSIGNED = re.compile(r"(?:^|(?<=\s))([A-Za-z_][\w.]*)\s*=(?!=)")


def assignments(knowledge: Knowledge, text: str, about: str = "") -> dict[str, str]:
    """`data.modality=image data.bytes=300 MB` as names with the texts of their values.

    A text without any `=` is a value of the fact that is being talked `about`.

    Raises:
        InputError: no such facts, a fact named twice, or nothing to understand.
    """
    found = list(_ASSIGNED.finditer(text))
    if not found and text.strip() and about:
        return {about: text.strip()}
    if not found or text[: found[0].start()].strip():
        example = "Write for example `what if data.modality=text`."
        raise input_error("This is no supposition", f"{shorten(text)!r}" if text else "nothing", remedy=example)
    ends = [*(match.start() for match in found[1:]), len(text)]
    stated: dict[str, str] = {}
    problems: list[Problem] = []
    for match, end in zip(found, ends, strict=True):
        name = match[1]
        if name not in knowledge.vocabulary.facts:
            problems.append(unknown_fact(knowledge.vocabulary, name, "what if", knowledge.topics))
        elif name in stated:
            problems.append(Problem("what if", f"{name} is supposed twice.", "Keep one of them."))
        stated[name] = text[match.end() : end].strip()
    if problems:
        raise InputError("This supposition cannot be used", problems)
    return stated
