"""`advisor rules list`: every rule, or those of one topic or school."""

from __future__ import annotations

from typing import Annotated

import typer

from advisor.cli.commands.rules.rule_json import rule_json
from advisor.cli.completing import complete_topic
from advisor.cli.console import say, write, write_json
from advisor.cli.options import Packs, PlainFormat, PlainFormatOption, SchoolName, as_packs
from advisor.errors import did_you_mean, input_error
from advisor.session.inputs import knowledge_for
from advisor.wording import shorten


def list_(
    topic: Annotated[
        str | None, typer.Option("--topic", autocompletion=complete_topic, help="Only this topic.")
    ] = None,
    school: Annotated[SchoolName | None, typer.Option("--school", help="Only this school.")] = None,
    packs: Packs = None,
    format_: PlainFormatOption = PlainFormat.TEXT,
) -> None:
    knowledge = knowledge_for(as_packs(packs))
    if topic is not None and topic not in knowledge.topics:
        known = knowledge.by_id.get(topic)
        hint = f"It is a rule of topic {known.topic}." if known else did_you_mean(topic, knowledge.topics)
        remedy = hint or f"Topics: {', '.join(knowledge.topics)}."
        raise input_error("There is no such topic", f"{shorten(topic)!r}", where="--topic", remedy=remedy)
    chosen = [
        rule
        for rule in knowledge.rules
        if (topic is None or rule.topic == topic) and (school is None or rule.school.value == school.value)
    ]
    if format_ is PlainFormat.JSON:
        write_json([rule_json(rule) for rule in chosen])
        return
    for rule in chosen:
        say(f"{rule.id}  ({rule.topic}, {rule.school.value}): {rule.effect.value} {rule.value}")
    write(f"{len(chosen)} rules")
