"""Steps that were timed otherwise than the plan computes them, since that cannot be timed here."""

from __future__ import annotations

from advisor.agent.settling.glance import Glance
from advisor.agent.settling.workloads import on_card
from advisor.inference.plan import Plan
from advisor.probes.outcome import Outcome
from advisor.probes.workload import Device, Precision

_PLACES = {Device.CPU.value: "on the processor", Device.CUDA.value: "on a graphics card"}


def timed_otherwise(plan: Plan | Glance, outcome: Outcome) -> str | None:
    """The difference between the step that was timed and the plan's, in a sentence; None where there is none.

    A number format that cannot be timed on a device is timed as 32 bits, and a graphics card that torch does not reach as the
    processor (see workload_of). Where a step of the whole batch is too slow for the time, fewer examples are timed.
    """
    fewer = fewer_examples(plan, outcome)
    if fewer is not None:
        batch = plan.value("training.micro_batch")
        return (
            f"It was timed with {fewer} examples at a time and the plan takes {batch}, so the plan does not rest on it."
        )
    precision = plan.value("training.precision") or Precision.FP32.value
    computes = {"device": (Device.CUDA if on_card(plan) else Device.CPU).value, "precision": precision}
    other = {
        name: outcome.applies[name] for name in computes if outcome.applies.get(name, computes[name]) != computes[name]
    }
    if not other:
        return None
    timed, asked = _words(other), _words({name: computes[name] for name in other})
    return f"The step was timed {timed}; the plan computes {asked}, which cannot be timed here."


def fewer_examples(plan: Plan | Glance, outcome: Outcome) -> str | None:
    """The batch size of the steps that were timed, where it is not the plan's; None where it is, or does not count."""
    timed_with, batch = outcome.applies.get("batch_size"), plan.value("training.micro_batch")
    differs = "batch_size" in outcome.bound_by and batch is not None and timed_with != str(batch)
    return timed_with if differs else None


def _words(found: dict[str, str]) -> str:
    """`on the processor in fp32`"""
    return " ".join(_PLACES.get(value, value) if name == "device" else f"in {value}" for name, value in found.items())
