"""The devices that share the work: fewer where the exchange of gradients eats what sharing saves."""

from __future__ import annotations

from dataclasses import replace

from advisor.agent.settling.fitting import NOTHING_FITS, STRATEGY, Fitted, figures_of, fitted_as_advised
from advisor.agent.settling.glance import Glance
from advisor.facts.fact_base import FactBase, Source
from advisor.inference.plan import Plan, Status
from advisor.knowledge.model import Knowledge, School

MACHINE_SPEED_UP = "parallelism.machine_speed_up"
CLUSTER_SPEED_UP = "parallelism.cluster_speed_up"
DEVICE = "compute.device"
NODES = "cluster.nodes"
BEST_WORKERS = "sim.workers.best"
"""The number of workers beyond which more did not shorten training in simulations of this cluster."""
_WORTH_IT = 1.2
"""Times as fast, from which rules advise several devices; what is faster than that needs no second look."""


def fitted(knowledge: Knowledge, facts: FactBase, school: School, *, whole: bool = False) -> Fitted:
    """The facts with the first way that fits into memory, on fewer devices where more of them are hardly faster.

    Several devices are given up only where training fits the fewer without moving its states out of them.

    Args:
        whole: look at every way, those after the first that fits too.
    """
    for name in (MACHINE_SPEED_UP, CLUSTER_SPEED_UP):
        facts = facts.without(name, Source.DERIVED)
    found = fitted_as_advised(knowledge, facts, school, whole=whole)
    if school is School.SURVEY:
        return found
    told = _speed_ups(knowledge, facts, found, school)
    if not told:
        return found
    fewer = fitted_as_advised(knowledge, facts.with_values(told, Source.DERIVED), school, whole=whole)
    now, then = (Glance(knowledge, one.facts, school) for one in (found, fewer))
    same = now.value(DEVICE) == then.value(DEVICE)
    return found if same or _too_few(fewer, found) or _too_small(now, then) else fewer


def _too_few(fewer: Fitted, found: Fitted) -> bool:
    """True where training no longer fits the fewer devices, or only with its states outside; two unknowns say nothing."""
    if fewer.chosen is None:
        return bool(found.options)
    return fewer.chosen.strategy == "offload"


def _too_small(now: Glance, then: Glance) -> bool:
    """True where rules say so, of what is not computed: that states which devices share fit none of the fewer."""
    return now.value(STRATEGY) == "shard_states" and then.value(STRATEGY) in ("offload", NOTHING_FITS)


def _speed_ups(knowledge: Knowledge, facts: FactBase, found: Fitted, school: School) -> dict[str, float]:
    """The speed-ups of what is advised, where they are small; empty where they are not known, or stated.

    Where one worker was best in a simulation, all together are no faster than it.
    """
    glance = Glance(knowledge, found.facts, school)
    device, cards = glance.value(DEVICE), glance.facts.get("machine.gpu.count")
    count = int(cards.value) if cards is not None else 0  # type: ignore[arg-type]
    if device not in ("multi_gpu", "cluster") or glance.value("parallelism.strategy") == "model_parallel":
        return {}
    best = facts.known(BEST_WORKERS)
    if best is not None and best.value == 1:
        return {name: 1.0 for name in (CLUSTER_SPEED_UP, MACHINE_SPEED_UP) if facts.known(name) is None}
    speed_up = figures_of(knowledge, glance, school).get("scaling.speed_up")
    name = CLUSTER_SPEED_UP if device == "cluster" else MACHINE_SPEED_UP
    most = _WORTH_IT * max(1, count) if device == "cluster" else _WORTH_IT
    told = {}
    if facts.known(name) is None:
        if speed_up is None or speed_up >= most:
            return {}
        told[name] = round(speed_up, 3)
    if device == "cluster" and count > 1 and facts.known(MACHINE_SPEED_UP) is None:
        one_machine = facts.without(CLUSTER_SPEED_UP).without(NODES).with_values({NODES: 1}, Source.DERIVED)
        inside = Glance(knowledge, fitted_as_advised(knowledge, one_machine, school).facts, school)
        within = figures_of(knowledge, inside, school).get("scaling.speed_up")
        if within is not None:
            told[MACHINE_SPEED_UP] = round(within, 3)
    return told


def with_sharing(plan: Plan, ways: Fitted) -> Plan:
    """The plan with a choice of devices told as no more than leaning where it rests on speed-ups, computed or still unknown."""
    entry = plan.recommendations[DEVICE]
    if entry.status is not Status.SETTLED or plan.school is School.SURVEY:
        return plan
    told = [known for name in (MACHINE_SPEED_UP, CLUSTER_SPEED_UP) if (known := ways.facts.known(name)) is not None]
    lacking = next((one.missing for one in plan.figures if one.name == "scaling.speed_up"), ())
    computed = any(known.source is Source.DERIVED for known in told)
    unknown = not told and bool(lacking) and entry.value in ("multi_gpu", "cluster")
    if not computed and not unknown:
        return plan
    lacks = tuple(dict.fromkeys((*entry.depends_on, *(name for name in lacking if name in plan.facts))))
    leaning = replace(entry, status=Status.LEANING, depends_on=lacks)
    return replace(plan, recommendations={**plan.recommendations, DEVICE: leaning})
