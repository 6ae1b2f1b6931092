"""`advisor explain TOPIC`: why, why not, and what would flip it."""

from __future__ import annotations

from typing import Annotated

import typer

from advisor.cli.inputs import (
    Answers,
    MachineName,
    Packs,
    PlainFormat,
    PlainFormatOption,
    SchoolName,
    SchoolOption,
    Sets,
    complete_topic,
    gather,
    knowledge_for,
    plan_of,
)


def _complete_value(context: typer.Context, incomplete: str) -> list[str]:
    named = context.params.get("topic") or next(iter(context.args), "")  # not yet told apart while completing
    topic = knowledge_for(()).topics.get(named)
    return [value for value in topic.values if value.startswith(incomplete)] if topic else []


def explain(
    topic: Annotated[
        str, typer.Argument(metavar="TOPIC", autocompletion=complete_topic, help="For example network.type.")
    ],
    answers: Answers = None,
    sets: Sets = None,
    machine: MachineName = "auto",
    school: SchoolOption = SchoolName.TODAY,
    packs: Packs = None,
    why_not: Annotated[
        str | None,
        typer.Option(
            "--why-not", metavar="VALUE", autocompletion=_complete_value, help="Why this value is not recommended."
        ),
    ] = None,
    format_: PlainFormatOption = PlainFormat.TEXT,
) -> None:
    from advisor.cli.console import look, write, write_json
    from advisor.report import explanation

    knowledge = knowledge_for(tuple(packs or ()))
    name = explanation.find_topic(knowledge, topic)
    inputs = gather(answers, sets, machine, school, packs)
    plan = plan_of(inputs)
    explained = explanation.explain(plan, knowledge, name, why_not)
    if format_ is PlainFormat.JSON:
        write_json(explained.to_json())
        return
    from advisor.report.explanation_text import explanation_page

    write(explanation_page(explained, plan, knowledge, look()))
