"""The plan that a project can keep to: with a published network where projects can train it, with one built here otherwise."""

from __future__ import annotations

from advisor.agent.settling.advising import advise_here
from advisor.agent.settling.workloads import MODEL, model_name
from advisor.errors import InputError
from advisor.facts.fact_base import Source
from advisor.inference.plan import Plan
from advisor.knowledge.model import Knowledge
from advisor.starter.named import named_of


def plan_to_keep(plan: Plan, knowledge: Knowledge) -> tuple[Plan, tuple[str, ...]]:
    """The plan, or one that is made anew without published weights, and the words on that.

    What somebody stated, a network or how much of it is trained, is never put aside: then the project is refused.
    """
    stated = MODEL in plan.facts or "training.adaptation" in plan.facts
    if stated or model_name(plan) is None:
        return plan, ()
    try:
        named_of(plan)
    except InputError as error:
        facts = plan.stated.with_values({"project.pretrained_allowed": False}, Source.ASKED)
        told = (
            f"Planned anew without published weights, because {error.problems[0].what}. `advisor recommend` with "
            "project.pretrained_allowed=no shows that plan."
        )
        return advise_here(knowledge, facts, None, (), plan.school), (told,)
    return plan, ()
