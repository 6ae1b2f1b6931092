"""The layers that a plan advises, as they are counted, timed, tried and generated."""

from __future__ import annotations

from typing import Any, Protocol

from advisor.networks.family import Family


class Advice(Protocol):
    """A plan, or a glance at one."""

    def value(self, topic: str) -> Any:
        """The recommended value, None where there is none."""

    def tied(self, topic: str) -> tuple[str, ...]:
        """The values that lead together, if several do."""


def advised(plan: Advice, topic: str) -> Any:
    """The recommended value; the first where several lead together; None where there is none."""
    value = plan.value(topic)
    return value if value is not None else next(iter(plan.tied(topic)), None)


def after_layers_of(plan: Advice, family: Family) -> tuple[str, float]:
    """The normalisation after layers and the share of values that are left out, as far as this type of network takes them."""
    normalization = advised(plan, "network.normalization")
    drops = "dropout" in (plan.value("training.regularization") or ())
    return normalization if normalization in family.normalizations else "none", family.dropout if drops else 0.0
