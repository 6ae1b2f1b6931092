"""The network of a plan, counted: its size and computation are known as soon as all that it is built for is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from advisor.agent.settling.figures import sizes_of
from advisor.agent.settling.glance import Glance
from advisor.agent.settling.known_model import NOTE, OF_MODEL, counted_at_all, model_facts, scaled_facts
from advisor.agent.settling.workloads import MODEL, NONE, counted_step, means_nothing
from advisor.facts.fact_base import FactBase, Known, Source
from advisor.facts.vocabulary import Value
from advisor.inference.advise import engine_for
from advisor.inference.plan import Plan, Status
from advisor.knowledge.model import Knowledge, School
from advisor.models.model import Model
from advisor.models.named import naming

PARAMETERS = "network.parameters"
LENGTH = "data.sequence_length"
STATED = "network.stated_parameters"
"""The size of a network that is built here, where somebody stated it; known before the network is."""
_COUNTED = {PARAMETERS: "plan.parameters", "network.multiply_adds": "plan.macs"}
"""Facts that are counted of a network that is built here, by the numbers that they are."""
_BUILT_FOR = ("data.modality", "data.inputs", LENGTH, "task.outputs")
YOURS = "Your network"
"""The title of a network that somebody wrote or described, in place of that of published ones."""
NETWORK = ("network.type", "network.hidden_units", MODEL)
"""Recommendations that say which network it is."""


@dataclass(frozen=True)
class Counted:
    """The facts with those of the network that the plan has.

    `set_aside` is a size that somebody stated where weights of a published network are taken, which has another.
    """

    facts: FactBase
    set_aside: Mapping[str, Known] = field(default_factory=dict)


def with_network(knowledge: Knowledge, facts: FactBase, school: School) -> Counted:
    """Count the network that the rules choose, or the one that is built here; one that somebody named is counted already."""
    named = facts.known(MODEL)
    if named is not None and named.value != NONE:
        return Counted(facts)
    facts = _without_found(facts)
    stated = facts.known(PARAMETERS)
    if stated is not None:
        facts = facts.with_values({STATED: stated.value}, Source.DERIVED)
    glance = Glance(knowledge, facts, school)
    name = glance.value(MODEL)
    if name in (None, NONE):
        return Counted(facts.with_values(_counts(glance), Source.DERIVED))
    chosen = _with_published(knowledge, facts, name, counted_at_all(name, facts))
    if Glance(knowledge, chosen.facts, school).value(MODEL) != name:  # a last layer of so many outputs is most of it
        chosen = _with_published(knowledge, facts, name, counted_at_all(name, facts.without("task.outputs")))
    return chosen


def _with_published(knowledge: Knowledge, facts: FactBase, name: str, model: Model) -> Counted:
    found = model_facts(model)
    del found["network.family"]  # it is chosen for the type that the plan has
    aside = {}
    stated = facts.known(PARAMETERS)
    if stated is not None and stated.value != found[PARAMETERS]:
        aside = {PARAMETERS: stated}
        facts = facts.without(PARAMETERS)
    declared = knowledge.vocabulary.declared(found)
    facts = facts.with_values(declared, Source.PUBLISHED, note=f"{NOTE}{name}")
    return Counted(with_scaled(knowledge, facts, model, f"{NOTE}{name}"), aside)


def recounted(knowledge: Knowledge, facts: FactBase) -> FactBase:
    """The facts with those of a network that somebody named, counted again for examples as the facts say by now.

    The same facts for a network that no other examples can be counted of without running its code.
    """
    named = facts.known(MODEL)
    name = NONE if named is None else str(named.value).strip()
    if name == NONE or naming(name).builds:
        return facts
    for fact, value in knowledge.vocabulary.declared(model_facts(counted_at_all(name, facts))).items():
        known = facts.known(fact)
        if known is not None and known.note.startswith(NOTE):
            facts = facts.with_values({fact: value}, known.source, note=known.note)
    return facts


def with_scaled(knowledge: Knowledge, facts: FactBase, model: Model, note: str) -> FactBase:
    """The facts of a network with those that depend on the size of a picture as they are for that of the data."""
    scaled = knowledge.vocabulary.declared(scaled_facts(model, facts))
    for name in scaled:
        facts = facts.without(name, Source.PUBLISHED)
    return facts.with_values(scaled, Source.DERIVED, note=note)


def with_title_of_own(plan: Plan) -> Plan:
    """The plan with a network of somebody's own, that was built or read, under a title which does not call it published."""
    entry, known = plan.recommendations.get(MODEL), plan.facts.get("network.fingerprint")
    if entry is None or known is None or known.source is not Source.INSPECTED or not known.note.startswith(NOTE):
        return plan
    return replace(plan, recommendations={**plan.recommendations, MODEL: replace(entry, title=YOURS)})


def _without_found(facts: FactBase) -> FactBase:
    """The facts without what was counted of a network before."""
    for name in (*OF_MODEL, STATED):
        for known in facts.entries.get(name, ()):
            if known.source is Source.DERIVED or known.note.startswith(NOTE):
                facts = facts.without(name, known.source)
    return facts


def _counts(glance: Glance) -> dict[str, Value]:
    """Of the network that is built here, where all that it is built for is known and not assumed."""
    known = [glance.facts[name] for name in _BUILT_FOR if name in glance.facts]
    guessed = "data.inputs" not in glance.facts
    if guessed or any(one.source is Source.ASSUMED for one in known) or means_nothing(glance, "network.hidden_units"):
        return {}
    sizes = sizes_of(glance, counted_step(glance))
    if "plan.macs" not in sizes:
        return {}
    stated = glance.stated.known(PARAMETERS)
    names = [name for name in _COUNTED if stated is None or name != PARAMETERS]
    return {name: int(sizes[_COUNTED[name]].value) for name in names}


def resting_on_network(knowledge: Knowledge, school: School) -> list[str]:
    """The topics that read, also through others, how large the network is and how much it computes."""
    program = engine_for(knowledge, school).program
    slots = {program.fact_slots[name] for name in _COUNTED}
    return [name for name, topic in program.topics.items() if slots & set(topic.support) and name not in NETWORK]


def deciding_network(knowledge: Knowledge, school: School) -> frozenset[str]:
    """The facts on which it depends which network it is, and for what it is built."""
    program = engine_for(knowledge, school).program
    slots = set().union(*(program.topics[name].support for name in NETWORK))
    return frozenset(fact for fact, slot in program.fact_slots.items() if slot in slots).union(_BUILT_FOR)


def with_open_network(knowledge: Knowledge, plan: Plan) -> Plan:
    """Say leaning of all that rests on the size of a network which could become another one."""
    entries = [plan.recommendations[name] for name in NETWORK if name in plan.recommendations]
    open_ = [fact for entry in entries if entry.status is Status.LEANING for fact in entry.depends_on]
    size = plan.facts.get(PARAMETERS)
    if not open_ or size is None or size.source not in (Source.DERIVED, Source.PUBLISHED):
        return plan
    found = dict(plan.recommendations)
    for name in resting_on_network(knowledge, plan.school):
        entry = found[name]
        if entry.status is Status.SETTLED:
            lacks = tuple(dict.fromkeys((*entry.depends_on, *open_)))
            found[name] = replace(entry, status=Status.LEANING, depends_on=lacks)
    return replace(plan, recommendations=found)
