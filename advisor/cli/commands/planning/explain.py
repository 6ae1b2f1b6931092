"""`advisor explain TOPIC`: why, why not, and what would flip it."""

from __future__ import annotations

from advisor.cli.commands.options import Explain
from advisor.cli.console import look, write, write_json
from advisor.cli.gathering import inputs_of
from advisor.cli.options import PlainFormat, as_packs
from advisor.errors import input_error
from advisor.inference.advise import Detail
from advisor.inference.plan import Plan
from advisor.knowledge.cache import knowledge_for
from advisor.knowledge.model import Knowledge
from advisor.report.numbers import figure_page
from advisor.report.plan import explanation
from advisor.report.plan.explanation_text import explanation_page
from advisor.session.inputs import plan_of


def explain(options: Explain) -> None:
    topic, why_not = options.topic, options.why_not
    knowledge = knowledge_for(as_packs(options.packs))
    is_figure = topic in knowledge.figures.figures
    if is_figure and why_not is not None:
        what = f"{topic} is computed, not chosen between values"
        raise input_error("There is no why not", what, where="--why-not", remedy="Leave it out.")
    name = topic if is_figure else explanation.find_topic(knowledge, topic)
    inputs = inputs_of(options)
    if is_figure:
        plan = plan_of(inputs, Detail(flips=False, questions=False))
        _explain_figure(plan, knowledge, name, options.format_)
        return
    plan = plan_of(inputs)
    explained = explanation.explain(plan, knowledge, name, why_not)
    if options.format_ is PlainFormat.JSON:
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
