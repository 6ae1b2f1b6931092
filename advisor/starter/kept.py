"""The plan that a project can keep to: with a published network where projects can train it, with one built here otherwise."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from advisor.agent.settling.workloads import MODEL, model_name
from advisor.errors import InputError, input_error
from advisor.facts.vocabulary import Value
from advisor.inference.plan import Plan
from advisor.starter.named import named_of

_NO_WEIGHTS: Mapping[str, Value] = {"project.pretrained_allowed": False}


def plan_to_keep(plan: Plan, again: Callable[[Mapping[str, Value]], Plan]) -> tuple[Plan, tuple[str, ...]]:
    """The plan, or one that is made anew without a published network, and the words on that.

    What somebody stated, a network or how much of it is trained, is never put aside: then the project is refused.

    Args:
        again: makes the plan anew, as if these facts had been stated too.

    Raises InputError for volumes, which no project reads.
    """
    volumes = plan.facts.get("data.volumes")
    if volumes is not None and volumes.value is True:
        raise input_error(
            "There is no project for volumes",
            "a project reads flat pictures",
            where="data.volumes",
            remedy="nnU-Net (package nnunetv2) trains on volumes as they are. For flat pictures add --set data.volumes=no.",
        )
    stated = MODEL in plan.facts or "training.adaptation" in plan.facts
    if stated or model_name(plan) is None:
        return plan, ()
    try:
        named_of(plan)
    except InputError as error:
        told = (
            f"Planned anew without a published network, because {error.problems[0].what}. "
            "`advisor recommend --set project.pretrained_allowed=no` with the same answers shows that plan."
        )
        return again(_NO_WEIGHTS), (told,)
    return plan, ()
