"""`advisor explain TOPIC`: why, why not, and what would flip it."""

from __future__ import annotations

from pathlib import Path

from advisor.cli.commands.options import Explain
from advisor.cli.console import look
from advisor.cli.delivering import deliver, deliver_json, refuse_rewriting
from advisor.cli.gathering import inputs_of
from advisor.cli.options import PlainFormat, as_packs
from advisor.errors import input_error
from advisor.inference.advise import WITH_REASONS
from advisor.inference.plan import Plan
from advisor.knowledge.cache import knowledge_for
from advisor.knowledge.model import Knowledge
from advisor.models.types import type_of
from advisor.report.numbers import figure_page
from advisor.report.page import Look
from advisor.report.plan import explanation
from advisor.report.plan.explanation_text import explanation_page
from advisor.session.inputs import plan_of
from advisor.wording import join_names, shorten

NETWORK_TYPE = "network.type"


def explain(options: Explain) -> None:
    topic, why_not, output = options.topic, options.why_not, options.output
    refuse_rewriting(output, options.answers, Path(options.machine))
    knowledge = knowledge_for(as_packs(options.packs))
    is_figure = topic in knowledge.figures.figures
    if is_figure and why_not is not None:
        what = f"{topic} is computed, not chosen between values"
        raise input_error("There is no why not", what, where="--why-not", remedy="Leave it out.")
    name = topic if is_figure else _topic_named(knowledge, topic)
    if why_not is not None:
        _refuse_a_kind(knowledge, name, why_not)
    inputs = inputs_of(options)
    if is_figure:
        plan = plan_of(inputs, WITH_REASONS)
        _explain_figure(plan, knowledge, name, options)
        return
    plan = plan_of(inputs)
    explained = explanation.explain(plan, knowledge, name, why_not)
    if options.format_ is PlainFormat.JSON:
        deliver_json(explained.to_json(), output, options.force)
    else:
        deliver(explanation_page(explained, plan, knowledge, _seen(output)), output, options.force)


def _topic_named(knowledge: Knowledge, text: str) -> str:
    """The topic of this name or title. Raises InputError, with all topics of a group where one is named."""
    group = text.strip().casefold().rstrip(".")
    inside = [name for name in knowledge.topics if name.startswith(f"{group}.")]
    if not inside or group in knowledge.topics:
        return explanation.find_topic(knowledge, text)
    what = f"{shorten(text)!r} is a group of {len(inside)} topics"
    remedy = f"Name one of them: {join_names(inside, 'or')}."
    raise input_error("This is not one topic", what, where="TOPIC", remedy=remedy)


def _refuse_a_kind(knowledge: Knowledge, topic: str, text: str) -> None:
    """Raise InputError where a published network is named instead of the type that it is of."""
    declared = knowledge.topics[topic]
    wanted = text.strip().casefold()
    if topic != NETWORK_TYPE or wanted in declared.values or len(wanted) < 3:
        return
    from advisor.models.published import published_models  # 50 ms

    named = next((one for name, one in published_models().items() if name.startswith(wanted)), None)
    family = type_of(named.model()) if named is not None else None
    if family is not None:
        what = f"{shorten(text)!r} is a published network, of the type {family}"
        remedy = f"Write --why-not {family}; `advisor models list` has the published ones."
        raise input_error("There is no such value", what, where="--why-not", remedy=remedy)


def _seen(output: Path | None) -> Look:
    """The look of what is written: of the terminal, or plain in a file."""
    return look() if output is None else Look()


def _explain_figure(plan: Plan, knowledge: Knowledge, name: str, options: Explain) -> None:
    """A computed number: its formula, what went into it, its source."""
    output, force = options.output, options.force
    figure = next((figure for figure in plan.figures if figure.name == name), None)
    if options.format_ is PlainFormat.JSON:
        told = {"schema": "advisor/figure/1", "name": name, **(figure.to_json() if figure else {"value": None})}
        deliver_json(told, output, force)
    elif figure is None:
        deliver(f"{knowledge.figures.figures[name].title} means nothing for this plan.", output, force)
    else:
        deliver(figure_page(figure, knowledge, _seen(output)), output, force)
