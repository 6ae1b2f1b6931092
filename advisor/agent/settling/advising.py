"""Advice with the measurements that count for the plan that they lead to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from advisor.agent.settling.figures import with_figures
from advisor.agent.settling.fitting import Fitted, resting_on_memory
from advisor.agent.settling.glance import Glance
from advisor.agent.settling.judging import measurement
from advisor.agent.settling.memory import with_memory
from advisor.agent.settling.network import (
    NETWORK,
    deciding_network,
    resting_on_network,
    with_open_network,
    with_title_of_own,
)
from advisor.agent.settling.otherwise import timed_otherwise
from advisor.agent.settling.scope import newest_in_scope, scope_of, standing, with_outcome
from advisor.agent.settling.sharing import fitted, with_sharing
from advisor.agent.trials.outcomes import HORIZON
from advisor.facts.experiments import is_of_strategies, is_simulated
from advisor.facts.fact_base import FactBase, Source
from advisor.inference.advise import Detail, advise
from advisor.inference.plan import Flip, Plan, Recommendation
from advisor.knowledge.model import Knowledge, School, Topic
from advisor.machine.detection.detection import Machine
from advisor.probes.outcome import Outcome

MAX_ROUNDS = 4


def advise_here(
    knowledge: Knowledge,
    facts: FactBase,
    machine: Machine | None,
    outcomes: Sequence[Outcome] = (),
    school: School = School.TODAY,
    detail: Detail = Detail(),  # noqa: B008 - immutable
) -> Plan:
    """Advice with the measurements that are in scope; the newest of each probe counts, others are shown as evidence.

    `outcomes` stand oldest first.
    """
    _, given, chosen = _in_scope_of_itself(knowledge, facts, machine, outcomes, school)
    ways = fitted(knowledge, given, school, whole=detail.reasons)
    plan = replace(advise(knowledge, ways.facts, school, detail), memory=ways.options)
    plan = with_title_of_own(with_open_network(knowledge, plan))
    if detail.flips:
        plan = _without_broken_flips(
            knowledge, plan, facts, machine, outcomes, _doubtful(knowledge, plan, chosen, ways)
        )
    plan = with_measurements(knowledge, plan, chosen)
    plan = with_figures(knowledge, plan, chosen)
    plan = with_sharing(with_memory(knowledge, plan, ways, given), ways)
    return plan if detail.reasons else replace(plan, figures=())


def _in_scope_of_itself(
    knowledge: Knowledge, facts: FactBase, machine: Machine | None, outcomes: Sequence[Outcome], school: School
) -> tuple[Glance, FactBase, list[Outcome]]:
    """The plan with what was measured under its own conditions, the facts that it was made of, and these measurements.

    What is in scope depends on the plan (its network, its batch size), and the plan on what is in scope: repeated until
    nothing changes, at most four times.
    """
    scope: dict[str, str] = {}
    chosen: list[Outcome] = []
    given = facts.in_scope(scope)
    glance = Glance(knowledge, fitted(knowledge, given, school).facts, school)
    for _ in range(MAX_ROUNDS if outcomes else 0):
        found = scope_of(glance, machine)
        now = newest_in_scope(outcomes, found)
        if found == scope and now == chosen:
            break
        scope, chosen = found, now
        measured = facts
        for outcome in [*standing(outcomes), *chosen]:
            measured = with_outcome(knowledge, measured, outcome)
        given = measured.in_scope(scope)
        glance = Glance(knowledge, fitted(knowledge, given, school).facts, school)
    return glance, given, chosen


def _doubtful(
    knowledge: Knowledge, plan: Plan, measured: Sequence[Outcome], ways: Fitted
) -> Iterator[tuple[str, Flip]]:
    """The flips that are to be looked at again, with their topics: those whose answer can do more than the rules know of.

    It can put a measurement out of its scope, let training fit into memory in another way, or make it another network.
    """
    every = [(name, flip) for name, entry in plan.recommendations.items() for flip in entry.flips]
    fitting = set(resting_on_memory(knowledge, plan.school)) if ways.options else set()
    of_network = {*resting_on_network(knowledge, plan.school), *NETWORK}
    deciding = deciding_network(knowledge, plan.school)
    for name, flip in every:
        if measured or name in fitting or (flip.fact in deciding and name in of_network):
            yield name, flip


def _without_broken_flips(
    knowledge: Knowledge,
    plan: Plan,
    facts: FactBase,
    machine: Machine | None,
    outcomes: Sequence[Outcome],
    doubtful: Iterable[tuple[str, Flip]],
) -> Plan:
    """The plan with those of the doubtful flips only that give what they say, or something else than what it has now."""
    seen: dict[tuple[str, object], Glance] = {}
    broken: dict[str, dict[Flip, Flip | None]] = {}
    for name, flip in doubtful:
        key = (flip.fact, flip.to)
        if key not in seen:
            changed = facts.with_values({flip.fact: flip.to}, Source.ASKED)
            seen[key], *_ = _in_scope_of_itself(knowledge, changed, machine, outcomes, plan.school)
        then = seen[key].outcome(name)
        if then != flip.then:
            another = isinstance(then, str) and then != plan.value(name)
            broken.setdefault(name, {})[flip] = replace(flip, then=then) if another else None
    recommendations = dict(plan.recommendations)
    for name, mended in broken.items():
        entry = recommendations[name]
        flips = tuple(kept for flip in entry.flips if (kept := mended.get(flip, flip)) is not None)
        recommendations[name] = replace(entry, flips=flips)
    return replace(plan, recommendations=recommendations)


def _ahead(plan: Plan, outcome: Outcome) -> tuple[str, ...]:
    """A sentence for forecasts that were tried for another number of steps than they are planned for."""
    tried, planned = outcome.besides.get(HORIZON), plan.facts.get("task.outputs")
    if tried is None or planned is None or planned.value == tried:
        return ()
    return (
        f"It was tried on forecasts of {tried} step{'s' if tried != 1 else ''} at a time, and this plan is for "
        f"{planned.value} (task.outputs).",
    )


def with_measurements(knowledge: Knowledge, plan: Plan, outcomes: Sequence[Outcome]) -> Plan:
    """The plan with each measurement shown at the recommendation that it decides; a simulation where nothing was measured."""
    recommendations: dict[str, Any] = dict(plan.recommendations)
    for outcome in _shown(knowledge, outcomes):
        entry = recommendations.get(outcome.topic)
        if entry is not None and _matters(knowledge, entry, outcome):
            ran = f"`advisor {outcome.probe}`" if is_of_strategies(outcome.probe) else f"the probe {outcome.probe}"
            warnings = tuple(f"While {ran} ran: {text}" for text in outcome.conditions.warnings)
            warnings += (f"A second start {outcome.second_start}",) if outcome.second_start else ()
            otherwise = timed_otherwise(plan, outcome)
            warnings += (otherwise,) if otherwise is not None else ()
            warnings += _ahead(plan, outcome)
            found = measurement(knowledge, plan, outcome)
            recommendations[outcome.topic] = replace(entry, measured=found, notes=(*entry.notes, *warnings))
    return replace(plan, recommendations=recommendations)


def _shown(knowledge: Knowledge, outcomes: Sequence[Outcome]) -> list[Outcome]:
    """Of each topic the outcome that decides it: the newest that was measured, else the newest that was simulated."""
    found: dict[str, Outcome] = {}
    for outcome in sorted(outcomes, key=lambda outcome: not is_simulated(outcome.probe)):
        topic = knowledge.topics.get(outcome.topic)
        if topic is not None and _decides(topic, outcome):
            found[outcome.topic] = outcome
    return list(found.values())


def _decides(topic: Topic, outcome: Outcome) -> bool:
    """True if it is an experiment of the topic; strategies answer several questions, of which the topic names one."""
    fact = topic.experiments.get(outcome.probe)
    return fact is not None and (not is_of_strategies(outcome.probe) or fact == outcome.fact)


def _matters(knowledge: Knowledge, entry: Recommendation, outcome: Outcome) -> bool:
    """False for strategies that were compared although the plan leaves no choice: a single worker, or parts that must wait."""
    if not is_of_strategies(outcome.probe) or outcome.fact not in outcome.facts() or not entry.because:
        return True
    rules = (knowledge.by_id[reason.rule] for reason in entry.because if reason.rule in knowledge.by_id)
    return any(outcome.fact in knowledge.condition(rule).names for rule in rules)
