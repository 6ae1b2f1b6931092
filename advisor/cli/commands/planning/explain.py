"""`advisor explain TOPIC`: why, why not, and what would flip it."""

from __future__ import annotations

from typing import Annotated

import typer

from advisor.cli.completing import complete_topic, rules
from advisor.cli.console import look, warn_once, write, write_json
from advisor.cli.options import (
    Answers,
    DataPath,
    MachineName,
    Packs,
    PlainFormat,
    PlainFormatOption,
    SchoolName,
    SchoolOption,
    Sets,
    TargetColumn,
    as_packs,
)
from advisor.errors import input_error
from advisor.inference.advise import Detail
from advisor.inference.plan import Plan
from advisor.knowledge.model import Knowledge
from advisor.report.numbers import figure_page
from advisor.report.plan import explanation
from advisor.report.plan.explanation_text import explanation_page
from advisor.session.inputs import gather, knowledge_for, plan_of


def _complete_value(context: typer.Context, incomplete: str) -> list[str]:
    named = context.params.get("topic") or next(iter(context.args), "")  # not yet told apart while completing
    topic = rules().topics.get(named)
    return [value for value in topic.values if value.startswith(incomplete)] if topic else []


def explain(
    topic: Annotated[
        str, typer.Argument(metavar="TOPIC", autocompletion=complete_topic, help="For example network.type.")
    ],
    answers: Answers = None,
    sets: Sets = None,
    data: DataPath = None,
    target: TargetColumn = None,
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
    knowledge = knowledge_for(as_packs(packs))
    is_figure = topic in knowledge.figures.figures
    if is_figure and why_not is not None:
        what = f"{topic} is computed, not chosen between values"
        raise input_error("There is no why not", what, where="--why-not", remedy="Leave it out.")
    name = topic if is_figure else explanation.find_topic(knowledge, topic)
    inputs = gather(answers, sets, machine, school, packs, data=data, target=target, complain=warn_once)
    if is_figure:
        plan = plan_of(inputs, Detail(flips=False, questions=False))
        _explain_figure(plan, knowledge, name, format_)
        return
    plan = plan_of(inputs)
    explained = explanation.explain(plan, knowledge, name, why_not)
    if format_ is PlainFormat.JSON:
        write_json(explained.to_json())
    else:
        write(explanation_page(explained, plan, knowledge, look()))


def _explain_figure(plan: Plan, knowledge: Knowledge, name: str, format_: PlainFormat) -> None:
    """A computed number: its formula, what went into it, its source."""
    figure = next((figure for figure in plan.figures if figure.name == name), None)
    if format_ is PlainFormat.JSON:
        write_json({"schema": "advisor/figure/1", "name": name, **(figure.to_json() if figure else {"value": None})})
    elif figure is None:
        write(f"{knowledge.figures.figures[name].title} means nothing for this plan.")
    else:
        write(figure_page(figure, knowledge, look()))
