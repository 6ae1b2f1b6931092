"""Outcomes of strategies, run or simulated: the workers that they hold for, and how they are made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from advisor.agent.settling.glance import Glance
from advisor.agent.settling.sharing import fitted
from advisor.agent.settling.workloads import counted_step, model_name, on_card
from advisor.agent.trials.outcomes import DATA, FINGERPRINT
from advisor.facts.experiments import (
    BATCH,
    CONDITIONS,
    LATENCY,
    LEARNED,
    NETWORK,
    OF_CLUSTER,
    WORKER,
)
from advisor.facts.fact_base import FactBase, Source
from advisor.facts.values import to_text
from advisor.facts.verdict import Verdict
from advisor.inference.plan import Plan
from advisor.probes.conditions import Conditions
from advisor.probes.outcome import SPEED_UP, Outcome
from advisor.probes.probe import Setting

RUN_BEST = "probe.sync.best"
"""The fact that real workers decide."""
SIMULATED = "sim."
"""Begins the facts that a simulation decides."""
NO_LATENCY, MEASURED_LATENCY = "0", "measured"
"""Of links whose rate somebody has stated, and of those of a measured cluster, which its rate tells from others."""
_UNKNOWN = "unknown"


def worker_conditions(plan: Plan | Glance) -> dict[str, str]:
    """The workers of a plan as conditions of an outcome: network, data, batch, devices and links; empty where there is only one.

    They are as without any strategy that was run or simulated, so that no outcome can put itself out of its scope. What
    nobody knows is `unknown`, and a condition like any other.
    """
    facts = {condition: plan.facts.get(fact) for condition, fact in OF_CLUSTER.items()}
    several = any(known is not None and known.value > 1 for known in (facts["nodes"], facts["cards_per_node"]))  # type: ignore[operator]
    if not several:
        return {}
    before = _without_strategies(plan)
    return {
        NETWORK: _network(before),
        BATCH: _examples(before),
        WORKER: _device(before),
        LEARNED: _data(plan),
        LATENCY: _latency(plan),
        **{condition: _UNKNOWN if known is None else to_text(known.value) for condition, known in facts.items()},
    }


def without_strategies(facts: FactBase) -> FactBase:
    """The facts without what strategies have shown that were run or simulated."""
    for name in [name for name in facts.entries if name == RUN_BEST or name.startswith(SIMULATED)]:
        facts = facts.without(name)
    return facts


def _without_strategies(plan: Plan | Glance) -> Plan | Glance:
    """The plan before anything was known of strategies; itself where nothing is."""
    facts = without_strategies(plan.stated)
    if facts == plan.stated or plan.knowledge is None:
        return plan
    return Glance(plan.knowledge, fitted(plan.knowledge, facts, plan.school).facts, plan.school)


def _network(plan: Plan | Glance) -> str:
    step, size = counted_step(plan), plan.facts.get("network.parameters")
    if step is not None:
        return step.describe()
    name = model_name(plan) or plan.value("network.type") or _UNKNOWN
    return name if size is None else f"{name}, {to_text(size.value)} weights"


def _examples(plan: Plan | Glance) -> str:
    """Of one worker's step: all passes that are added up for it."""
    examples, passes = plan.value("training.micro_batch"), plan.value("training.accumulation")
    return _UNKNOWN if examples is None else str(examples * (passes or 1))


def _data(plan: Plan | Glance) -> str:
    fingerprint = plan.facts.get(FINGERPRINT)
    return _UNKNOWN if fingerprint is None else str(fingerprint.value)


def _latency(plan: Plan | Glance) -> str:
    rate = plan.facts.get(OF_CLUSTER["link_bytes_per_second"])
    return MEASURED_LATENCY if rate is not None and rate.source is Source.MEASURED else NO_LATENCY


def _device(plan: Plan | Glance) -> str:
    """`RTX 4090`, or `8 cores of AMD EPYC` where processors compute."""
    card, cores = plan.facts.get("machine.gpu.name"), plan.facts.get("machine.cpu.usable_cores")
    if on_card(plan):
        return _UNKNOWN if card is None else to_text(card.value)
    return _UNKNOWN if cores is None else on_cores(int(str(cores.value)), plan)


def on_cores(count: int, plan: Plan | Glance) -> str:
    """So many cores of the plan's processor as a condition: `1 core of AMD EPYC`; without its name where nobody knows it."""
    model = plan.facts.get("machine.cpu.model")
    return f"{count} {'core' if count == 1 else 'cores'}{'' if model is None else f' of {to_text(model.value)}'}"


def strategy_outcome(
    experiment: str,
    topic: str,
    fact: str,
    *,
    before: Setting,
    rival: Setting,
    after: Setting | None,
    verdict: Verdict,
    ratio: tuple[float, float, float],
    n: int,
    applies: Mapping[str, str],
    date: str,
    unit: str = SPEED_UP,
    besides: Mapping[str, int | str] | None = None,
    warnings: Sequence[str] = (),
) -> Outcome:
    """The outcome of strategies for one topic.

    Args:
        experiment: `SYNC` or `SIMULATE`.
        before, rival, after: values of `fact`: what the plan had, what it was compared with, what holds now (None where that
            is undecided).
        ratio: median, low and high of the 95 % interval, how many times as good one was as the other: of what won over the
            other where the verdict is confirmed or overturned, of `before` over the rival otherwise.
        n: pairs of runs, or of simulations, with the same seeds; at least 1.
        applies: `scope_of(plan)` of the plan that was simulated; for a run, with what really ran in place of what is planned:
            the machine, torch, and the conditions of workers that differed. Where it says nothing of data and latency, as for
            a plan of a single worker, they are those of the data that it names, and none.
        date: ISO 8601.
        besides: further facts that were found, whatever the verdict.
        warnings: sentences on what makes it doubtful.
    """
    median, low, high = ratio
    usual = {LEARNED: applies.get(DATA, _UNKNOWN), LATENCY: NO_LATENCY}
    return Outcome(
        probe=experiment, topic=topic, fact=fact, before=before, verdict=verdict, after=after, rival=rival, median=median,
        low=low, high=high, n=n, unit=unit, applies=usual | dict(applies), date=date, work="training",
        besides=dict(besides or {}), bound_by=CONDITIONS,
        conditions=Conditions(warnings=tuple(warnings)),
    )  # fmt: skip
