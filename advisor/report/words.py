"""Words for what a plan holds, shared by every face of a report: groups, statuses, values, sources, measurements."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TypeVar

from advisor.facts.cluster import slow_parts
from advisor.facts.fact_base import SCOPED, Known, Source
from advisor.facts.out_of_scope import differing
from advisor.facts.values import describe, number_text, singular, to_text
from advisor.facts.vocabulary import Value
from advisor.inference.plan import Flip, Measurement, Plan, Recommendation, Status
from advisor.knowledge.model import Knowledge, School
from advisor.report.proposed import with_facts, without
from advisor.wording import join_names, shell_word

T = TypeVar("T")

# A topic belongs to the group that lists the first part of its name.
GROUPS = (
    ("Network", ("network",)),
    ("Training", ("training",)),
    ("Computing", ("compute",)),
    ("Data and memory", ("data", "memory", "storage")),
    ("Several devices", ("parallelism", "sync", "communication")),
    ("Practice", ("practice",)),
    ("Project", ("framework", "baseline", "fault_tolerance", "cost")),
)
OTHER = "Other"

STATUS_WORDS = {status: status.value.replace("_", " ") for status in Status}
STATUS_MEANS = {
    Status.SETTLED: "stays the same whatever the answers that are still missing",
    Status.MEASURED: "decided by measuring the alternatives",
    Status.SIMULATED: "decided by simulating the alternatives; nothing was measured",
    Status.LEANING: "the best as things stand, but a missing answer or an assumption could change it",
    Status.OPEN: "nothing leads yet",
}
SCHOOL_WORDS = {School.TODAY: "today's practice", School.SURVEY: "the survey as written", School.ANY: "any"}
SOURCE_WORDS = {
    Source.ASKED: "stated",
    Source.MEASURED: "measured",
    Source.SIMULATED: "simulated",
    Source.INSPECTED: "found in the data",
    Source.DETECTED: "detected",
    Source.PUBLISHED: "published",
    Source.DERIVED: "computed",
    Source.ASSUMED: "assumed",
}
NOTHING = "nothing to add"
UNVERIFIED_MEANS = "the source is cited from memory, nobody has looked it up yet"


def gathered(pairs: Iterable[tuple[str, T]]) -> dict[str, list[T]]:
    """Everything that stands under the same name, such as what was left out for the same reason."""
    found: dict[str, list[T]] = {}
    for name, one in pairs:
        found.setdefault(name, []).append(one)
    return found


def is_advice(entry: Recommendation) -> bool:
    """True if the plan says something on this topic."""
    return entry.status not in (Status.SILENT, Status.NOT_APPLICABLE)


def grouped(plan: Plan) -> list[tuple[str, list[Recommendation]]]:
    """The recommendations that say something, by group, in the order of the plan."""
    return by_group({name: entry for name, entry in plan.recommendations.items() if is_advice(entry)})


def by_group(topics: Mapping[str, T]) -> list[tuple[str, list[T]]]:
    """Values under the names of topics, by group; groups with nothing in them are left out."""
    group_of = {prefix: title for title, prefixes in GROUPS for prefix in prefixes}
    groups: dict[str, list[T]] = {title: [] for title in [*(title for title, _ in GROUPS), OTHER]}
    for name, one in topics.items():
        groups[group_of.get(name.partition(".")[0], OTHER)].append(one)
    return [(title, found) for title, found in groups.items() if found]


def by_status(plan: Plan) -> dict[Status, int]:
    """The number of recommendations by status, of those that say something."""
    statuses = [entry.status for entry in plan.recommendations.values()]
    return {status: statuses.count(status) for status in STATUS_MEANS if status in statuses}


def status_counts(plan: Plan) -> str:
    """`9 settled, 2 measured, 5 leaning and 1 open`."""
    return join_names([f"{count} {STATUS_WORDS[s]}" for s, count in by_status(plan).items()]) or "no advice"


# --- values ------------------------------------------------------------------------------------------------------


def value_words(knowledge: Knowledge, topic: str, value: object, unit: str = "", *, explained: bool = True) -> str:
    """A topic's value for people: `cnn (convolutional network)`, `64, 128 units per layer`, `relu, gelu`."""
    if value is None:
        return "none"
    if isinstance(value, list | tuple | frozenset | set):
        items = [value_words(knowledge, topic, item, explained=explained) for item in value]
        return _with_unit(", ".join(items), unit) if items else NOTHING
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _with_unit(number_text(value), unit)
    name = str(value)
    declared = knowledge.topics.get(topic)
    words = declared.values.get(name, "") if declared and explained else ""
    if _folded(words) in ("", _folded(name)):
        return name
    return f"{name} [{words}]" if "(" in words else f"{name} ({words})"


def _folded(text: str) -> str:
    return re.sub(r"[\s_-]+", "", text).casefold()


def _with_unit(text: str, unit: str) -> str:
    if unit == "money":
        return f"{text} (in the currency of your prices)"
    if text == "1" and unit.endswith("s"):
        unit = singular(unit)
    return f"{text} {unit}".rstrip()


def advice_words(knowledge: Knowledge, entry: Recommendation, *, explained: bool = True) -> str:
    """The recommendation, or why there is none: `he or lecun`, `nothing to go on yet`."""
    if entry.status is Status.NOT_APPLICABLE:
        return "means nothing here"
    if entry.status is Status.SILENT:
        return "this school says nothing about it"
    if entry.value is None:
        tied = [value_words(knowledge, entry.topic, value, explained=explained) for value in entry.tied]
        nothing = "nothing to go on yet" if entry.depends_on else "no rule speaks for a value"
        return join_names(tied, "or") or nothing
    return value_words(knowledge, entry.topic, entry.value, entry.unit, explained=explained)


def flip_words(knowledge: Knowledge, entry: Recommendation, flip: Flip) -> tuple[str, str]:
    """The other value of the fact, and the advice that it gives."""
    then = value_words(knowledge, entry.topic, flip.then, entry.unit, explained=False)
    return fact_words(knowledge, flip.fact, flip.to), then


def fact_rows(plan: Plan, knowledge: Knowledge) -> Iterator[tuple[str, str, str]]:
    """The facts that a plan rests on: name, value, and where it came from."""
    for name, known in plan.facts.items():
        source = SOURCE_WORDS[known.source] + (f", {known.note}" if known.note else "")
        yield name, fact_words(knowledge, name, known.value), source


def fact_words(knowledge: Knowledge, name: str, value: Value) -> str:
    """A fact's value with its unit."""
    fact = knowledge.vocabulary.facts.get(name)
    return describe(fact, value) if fact is not None else to_text(value)


def known_words(knowledge: Knowledge, name: str, known: Known) -> str:
    """A fact's value with where it came from: `8 cores (detected)`."""
    note = f", {known.note}" if known.note else ""
    return f"{fact_words(knowledge, name, known.value)} ({SOURCE_WORDS[known.source]}{note})"


def assumed_facts(plan: Plan, entry: Recommendation) -> Iterator[tuple[str, Known]]:
    """Assumptions that the recommendation rests on: another value of theirs could change it."""
    for name in entry.depends_on:
        known = plan.facts.get(name)
        if known is not None and known.source is Source.ASSUMED:
            yield name, known


def unknown_facts(plan: Plan, entry: Recommendation) -> list[str]:
    """Unknown facts on which the recommendation depends and for which not even an assumption stands."""
    return [name for name in entry.depends_on if name not in plan.facts]


_TOLD_AT = {"network.parameters": "network.model"}
"""The recommendation at which a fact is told of that cannot be as it was stated, where that has another name."""


def remarks_on(plan: Plan, knowledge: Knowledge, told: str = "") -> Iterator[str]:
    """Facts that disagree, were withdrawn, mean nothing here or were measured or simulated under other conditions; and what is
    slow in a measured cluster.

    Args:
        told: the options that told the facts, which commands repeat.
    """
    for clash in plan.contradictions:
        used = known_words(knowledge, clash.fact, clash.used)
        overruled = known_words(knowledge, clash.fact, clash.overruled)
        yield f"{clash.fact}: {used} contradicts {overruled}; the plan uses the first."
    yield from slow_parts(plan.facts)
    for name, known in plan.facts.items():
        if known.source is Source.ASSUMED and known.note:
            yield f"{name} is taken as {known_words(knowledge, name, known)}."
    if plan.withdrawn:
        yield f"Withdrawn, because your answers describe another machine: {', '.join(plan.withdrawn)}."
    places = {name: _TOLD_AT.get(name, name) for name in plan.unused}
    other = [
        name for name in plan.unused if places[name] in plan.recommendations and plan.value(places[name]) is not None
    ]
    if nothing := [name for name in plan.unused if name not in other]:
        yield f"Stated, but it means nothing for this plan: {', '.join(nothing)}."
    for name in other:
        why = with_facts(f"`advisor explain {places[name]}` with the same answers", told)
        yield f"{name} cannot be as you stated it: {why} says why."
    for source in SCOPED:
        elsewhere = (
            (
                "; ".join(map(str, differing(known.applies, plan.stated.scope))) or "not said where",
                f"{name} = {fact_words(knowledge, name, known.value)}{f' ({known.note})' if known.note else ''}",
            )
            for name, known in plan.evidence
            if known.source is source
        )
        for where, found in gathered(elsewhere).items():
            how = f"{SOURCE_WORDS[source].capitalize()} under other conditions"
            yield f"{how}, so it does not count here: {', '.join(found)}. What differs: {where}."


BROUGHT = "advisor recommend --machine NAME.json"


def measure_there(told: str = "") -> str:
    """The way by which a plan for another machine comes to know what was measured on it, in sentences.

    Args:
        told: the options that told the facts, which commands repeat.
    """
    probe = with_facts("`advisor probe` with the same answers", without(told, "--machine"))
    known = with_facts(f"`{BROUGHT}` with the same answers", told)
    return (
        f"Measure on the machine that the plan is for: {probe}, then `advisor profiles export --output NAME.json`. "
        f"With that file, this plan knows what was measured: {known}."
    )


def plans_elsewhere(plan: Plan) -> bool:
    """True if the plan is for another machine than the one that it was made on, or for none that is known.

    What was detected here stands without a note; what a profile says of a machine names the profile.
    """
    about = {name: known for name, known in plan.facts.items() if name.startswith("machine.")}
    here = any(known.source is Source.DETECTED and not known.note for known in about.values())
    contradicted = any(
        clash.fact.startswith("machine.") and clash.used.source is Source.ASKED for clash in plan.contradictions
    )
    return not here or contradicted


def as_tried(plan: Plan) -> str:
    """The options of the last trial on these data, to be typed once more after a space; empty where there were none."""
    flags = {
        "trial.metric": "--metric", "trial.horizon": "--horizon", "trial.split.test": "--test",
        "trial.split.time_column": "--time-column", "trial.split.group": "--group", "trial.split.seed": "--seed",
    }  # fmt: skip
    told = [(flag, str(plan.facts[name].value)) for name, flag in flags.items() if name in plan.facts]
    return "".join(f" {flag} {shell_word(value)}" for flag, value in told)


def can_be_tried(plan: Plan) -> bool:
    """True unless the task is known to be one that `advisor try` does not compare models for."""
    kind = plan.facts.get("task.kind")
    return kind is None or kind.value != "segment"


def worth_trying(plan: Plan, knowledge: Knowledge) -> list[str]:
    """Titles of the recommendations that `advisor try` could judge on the data that were inspected, and has not yet."""
    if "data.fingerprint" not in plan.facts or not can_be_tried(plan):
        return []
    tried = [topic for topic in knowledge.topics.values() if topic.measured_fact.startswith("trial.")]
    entries = [plan.recommendations[topic.name] for topic in tried if topic.name in plan.recommendations]
    return [entry.title for entry in entries if is_advice(entry) and entry.measured is None]


# --- sources -----------------------------------------------------------------------------------------------------


def citation(knowledge: Knowledge, source: str) -> str:
    """A source in full: `Wünsche 2018: Performance Factors…, III.D`."""
    key, _, place = source.partition(" ")
    known = knowledge.sources.get(key)
    return source if known is None else f"{known}{f', {place}' if place else ''}"


def errata_quoted(knowledge: Knowledge, topic: str, text: str) -> list[str]:
    """The errata of rules of this topic that a text names or quotes: an erratum is printed wherever its rule is."""
    found: dict[str, None] = {}
    for rule in knowledge.rules:
        if rule.topic == topic and rule.erratum and (rule.because in text or _names(rule.id, text)):
            found.update(dict.fromkeys(rule.erratum))
    return [f"{key}: {knowledge.errata[key].text}" for key in found]


def _names(rule: str, text: str) -> bool:
    return rule in text and re.search(rf"(?<![\w.-]){re.escape(rule)}(?![\w-]|\.\w)", text) is not None


# --- measurements ------------------------------------------------------------------------------------------------


def basis_word(measured: Measurement) -> str:
    """`measured` or `simulated`: what is said of the comparison and nothing else is."""
    return SOURCE_WORDS[measured.basis]


def compared_unit(knowledge: Knowledge, entry: Recommendation, measured: Measurement) -> str:
    """The unit of the settings that were compared."""
    fact = knowledge.vocabulary.facts.get(measured.fact)
    return entry.unit if fact is None else fact.unit


def measured_change(knowledge: Knowledge, entry: Recommendation, measured: Measurement) -> tuple[str, str]:
    """The advice before and after the experiment; the setting that was compared, where that is no value of the advice."""
    unit = compared_unit(knowledge, entry, measured)
    before, after = (
        value_words(knowledge, entry.topic, value, unit, explained=False) for value in (measured.before, measured.after)
    )
    return before, after


def under_words(measured: Measurement) -> str:
    """The words before its conditions: `measured on`, `simulated for`."""
    return "simulated for" if measured.basis is Source.SIMULATED else "measured on"


def scope_words(measured: Measurement) -> str:
    """The conditions of the measurement or simulation."""
    return ", ".join(f"{name} {value}" for name, value in measured.applies.items()) or "not stated"
