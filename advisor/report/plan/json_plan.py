"""A plan as JSON (`advisor/plan/1`): what `recommend --format json` writes, and what commands on saved plans read."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from advisor.errors import InputError, Problem, did_you_mean, input_error
from advisor.facts.fact_base import SCOPED, Contradiction, FactBase, Known, Source
from advisor.facts.values import from_json
from advisor.facts.verdict import Verdict
from advisor.facts.vocabulary import FactType, Value
from advisor.files.named import read_named
from advisor.inference.plan import (
    Alternative,
    ComputedFigure,
    Flip,
    Input,
    Measurement,
    MemoryOption,
    Plan,
    Reason,
    Recommendation,
    Status,
)
from advisor.knowledge.model import Knowledge, Policy, School, Topic
from advisor.plain import json_text
from advisor.report.plan.json_fields import Fields
from advisor.wording import join_first, shorten

if TYPE_CHECKING:
    from advisor.probes.outcome import Outcome

_FAMILY = "advisor/plan/"
SCHEMA = f"{_FAMILY}1"
MAX_BYTES = 16_000_000
TITLE = "This plan cannot be used"
OTHER_RULES = "Not all of this plan can be used"
REMEDY = "Name a file that `advisor recommend --format json --output FILE` wrote."


def plan_text(plan: Plan) -> str:
    """The plan as JSON text. Raises ValueError where a number is no number, which `advise` never gives."""
    return json_text(plan.to_json())


def read_plan(path: Path, knowledge: Knowledge) -> Plan:
    """The plan alone, as `read_saved` gives it."""
    return read_saved(path, knowledge).plan


@dataclass(frozen=True)
class SavedPlan:
    """A plan in a file."""

    plan: Plan
    remark: str
    """On names that these rules do not know, and topics that the plan does not know; empty without such."""
    outcomes: tuple[object, ...]
    """The measurements that stand beside it, as JSON."""


def read_saved(path: Path, knowledge: Knowledge) -> SavedPlan:
    """A saved plan. Keys, facts and topics that this rule base does not know are passed over.

    Raises:
        InputError: not such a file, or values in it that no plan holds; every problem at once.
    """
    fields = Fields(_load(path), shorten(path, 400), "", [])
    schema = fields.text("schema")
    if schema != SCHEMA and not fields.problems:
        newer = "of another version of this program: it " if schema.startswith(_FAMILY) else ""
        fields.note("schema", f"{newer}is {shorten(schema)!r}, not {SCHEMA}", REMEDY)
    if fields.problems:
        raise InputError(TITLE, fields.problems)
    plan = _plan(fields, knowledge)
    if fields.problems:
        raise InputError(TITLE, fields.problems)
    beside = fields.raw("outcomes")
    return SavedPlan(plan, _remark(fields, knowledge), tuple(beside) if isinstance(beside, list) else ())


def _remark(fields: Fields, knowledge: Knowledge) -> str:
    remarks = []
    if fields.unknown:
        remarks.append(f"These rules do not know {join_first(list(fields.unknown))}: left out.")
    missing = [name for name in knowledge.topics if name not in fields.raw("recommendations")]
    if missing:
        remarks.append(f"The plan says nothing on {join_first(missing)}.")
    return f"{fields.where} was made by other rules. {' '.join(remarks)}" if remarks else ""


def outcomes_beside(saved: SavedPlan) -> tuple[Outcome, ...]:
    """The measurements that `advisor probe --format json` wrote beside a plan; what of them is damaged is left out."""
    if not saved.outcomes:
        return ()
    from advisor.agent.remembered.profile import SCHEMA as PROFILE  # 18 ms, only for plans with measurements
    from advisor.agent.remembered.profile import MachineProfile

    return MachineProfile.from_json({"schema": PROFILE, "outcomes": list(saved.outcomes)}).outcomes


def _load(path: Path) -> object:
    where = shorten(path, 400)
    raw = read_named(path, MAX_BYTES, TITLE, "Check the name and its permissions.", too_large=REMEDY)
    try:
        return json.loads(raw.decode("utf-8-sig"), parse_constant=_refuse)
    except UnicodeDecodeError:
        raise input_error(TITLE, "is not UTF-8 text", where=where, remedy=REMEDY) from None
    except json.JSONDecodeError as error:
        place = f"{where}:{error.lineno}"
        raise input_error(TITLE, f"is not JSON ({error.msg})", where=place, remedy=REMEDY) from None
    except RecursionError:
        raise input_error(TITLE, "is nested too deep", where=where, remedy=REMEDY) from None
    except ValueError as error:  # nan, infinity, or a whole number of thousands of digits
        raise input_error(TITLE, f"is not JSON ({shorten(error)})", where=where, remedy=REMEDY) from None


def _refuse(name: str) -> object:
    raise ValueError(f"{name} is no number")


# --- the parts of a plan -----------------------------------------------------------------------------------------


def _plan(fields: Fields, knowledge: Knowledge) -> Plan:
    known = knowledge.vocabulary.facts
    probes = {name for topic in knowledge.topics.values() for name in topic.experiments}
    topics = knowledge.topics
    facts = {name: _known(inner, knowledge, name) for name, inner in fields.named("facts") if fields.knows(name, known)}
    recommendations = {
        name: _recommendation(inner, knowledge, topics[name])
        for name, inner in fields.named("recommendations")
        if fields.knows(name, topics)
    }
    unsaid = {name: Recommendation(name, topic.title, None, Status.SILENT) for name, topic in topics.items()}
    contradictions = [inner for inner in fields.items("contradictions") if inner.knows(inner.text("fact"), known)]
    evidence = [inner for inner in fields.items("evidence") if inner.knows(inner.text("fact"), known)]
    return Plan(
        school=School(fields.choice("school", [School.TODAY.value, School.SURVEY.value])),
        facts=facts,
        recommendations=recommendations | {name: unsaid[name] for name in topics if name not in recommendations},
        unused=fields.known_texts("unused", known),
        withdrawn=fields.known_texts("withdrawn", known),
        contradictions=tuple(_contradiction(inner, knowledge, inner.text("fact")) for inner in contradictions),
        questions=fields.known_texts("questions", known, required=True),
        probes=fields.known_texts("probes", probes, required=True),
        figures=tuple(_figure(name, inner) for name, inner in fields.named("figures", required=False)),
        memory=tuple(_option(inner, topics["memory.strategy"]) for inner in fields.items("memory_options")),
        evidence=tuple((inner.text("fact"), _evidence(inner, knowledge, inner.text("fact"))) for inner in evidence),
        stated=_stated(facts),
        knowledge=knowledge,
    )


def _stated(facts: dict[str, Known]) -> FactBase:
    """The facts that the plan was made from, in the scope of its own measurements."""
    base = FactBase().in_scope({key: value for known in facts.values() for key, value in known.applies.items()})
    for name, known in facts.items():
        if known.source not in (Source.DERIVED, Source.ASSUMED):
            base = base.with_known(name, known)
    return base


def _known(fields: Fields, knowledge: Knowledge, name: str) -> Known:
    value = _value(fields, knowledge, name, "value")
    return Known(value, _source(fields, "source"), fields.named_texts("applies"), fields.text("note", required=False))


def _figure(name: str, fields: Fields) -> ComputedFigure:
    inputs = tuple(
        Input(inner.text("name"), _input_value(inner), inner.text("unit"), inner.text("origin"))
        for inner in fields.items("inputs")
    )
    value = fields.number("value", required=False) if fields.raw("value") is not None else None
    return ComputedFigure(
        name, fields.text("title"), fields.text("unit"), value, fields.text("formula"), fields.text("help"),
        fields.texts("sources"), inputs, fields.texts("assumes", required=False), fields.texts("missing", required=False),
        fields.flag("headline"),
    )  # fmt: skip


def _option(fields: Fields, topic: Topic) -> MemoryOption:
    states, activations, reserved, usable = (
        fields.number(key) for key in ("states", "activations", "reserved", "usable")
    )
    return MemoryOption(
        str(_named_value(fields, topic, "strategy", fields.text("strategy"))),
        int(fields.number("model_ranks")), int(fields.number("micro_batch")), states, activations, reserved, usable,
        fields.flag("fits"),
        fields.number("main_memory", required=False) if fields.raw("main_memory") is not None else None,
        fields.flag("shared"),
    )  # fmt: skip


def _input_value(fields: Fields) -> object:
    """A number, or anything that is shown as it stands."""
    value = fields.raw("value")
    return fields.number("value") if isinstance(value, int | float) and not isinstance(value, bool) else value


def _contradiction(fields: Fields, knowledge: Knowledge, name: str) -> Contradiction:
    used, overruled = (
        Known(_value(fields, knowledge, name, key), _source(fields, f"{key}_source")) for key in ("used", "overruled")
    )
    return Contradiction(name, used, overruled)


def _evidence(fields: Fields, knowledge: Knowledge, name: str) -> Known:
    """A measured value of another scope, or a simulated one; plans of earlier versions knew only of the former."""
    given = fields.raw("source") is not None
    source = Source(fields.choice("source", [one.value for one in SCOPED])) if given else Source.MEASURED
    return Known(_value(fields, knowledge, name, "value"), source, fields.named_texts("applies"))


def _source(fields: Fields, key: str) -> Source:
    return Source(fields.choice(key, [source.value for source in Source]))


def _value(fields: Fields, knowledge: Knowledge, name: str, key: str) -> Value:
    """A fact's value under this key; where that is wrong it is noted, and an empty text stands in."""
    raw = fields.raw(key)
    if not isinstance(raw, bool | int | float | str | list):
        fields.note(key, f"{shorten(raw)!r} is no value of {name}", REMEDY)
        return ""
    try:
        parsed = from_json(knowledge.vocabulary.facts[name], raw)
        return raw if isinstance(raw, int) and isinstance(parsed, float) else parsed  # 1 stays 1, not 1.0
    except InputError as error:
        problem = error.problems[0] if error.problems else Problem("", "it is empty", REMEDY)
        fields.note(key, f"{error.title}: {problem.what}", problem.remedy)
        return ""


_WITH_VALUE = (Status.SETTLED, Status.LEANING, Status.MEASURED, Status.SIMULATED)


def _recommendation(fields: Fields, knowledge: Knowledge, topic: Topic) -> Recommendation:
    status = Status(fields.choice("status", [status.value for status in Status]))
    measured = fields.inner("measured")
    if status in _WITH_VALUE and fields.raw("value") is None:
        fields.note("value", f"is missing, though the recommendation is {status.value}", REMEDY)
    return Recommendation(
        topic=topic.name,
        title=fields.text("title", required=False) or topic.title,
        value=_recommended(fields, knowledge, topic),
        status=status,
        unit=fields.text("unit", required=False),
        tied=tuple(str(_named_value(fields, topic, "tied", name)) for name in fields.texts("tied", required=False)),
        because=tuple(_reason(inner) for inner in fields.items("because")),
        alternatives=tuple(
            Alternative(_advice(inner, topic, "value"), inner.text("why_not")) for inner in fields.items("alternatives")
        ),
        flips=tuple(
            Flip(inner.text("fact"), _value(inner, knowledge, inner.text("fact"), "to"), _advice(inner, topic, "then"))
            for inner in fields.items("flips")
            if inner.knows(inner.text("fact"), knowledge.vocabulary.facts)
        ),
        actions=fields.texts("actions", required=False),
        notes=fields.texts("confidence_notes", required=False),
        depends_on=fields.known_texts("depends_on_unknown", knowledge.vocabulary.facts),
        measured=_measurement(measured, knowledge, topic) if measured is not None else None,
    )


def _recommended(fields: Fields, knowledge: Knowledge, topic: Topic) -> Any:
    """The value; what somebody stated in words of their own, the name of a network, is none of the topic's."""
    fact = knowledge.vocabulary.facts.get(topic.name)
    if fact is not None and fact.type is FactType.TEXT and isinstance(fields.raw("value"), str):
        return fields.text("value")
    return _advice(fields, topic, "value")


def _reason(fields: Fields) -> Reason:
    readiness = fields.number("readiness", required=False)
    return Reason(
        rule=fields.text("rule"),
        text=fields.text("text"),
        sources=fields.texts("sources", required=False),
        school=School(fields.choice("school", [school.value for school in School])),
        strength=fields.text("strength", required=False),
        verified=fields.flag("verified"),
        errata=fields.texts("errata", required=False),
        when=fields.text("when", required=False),
        origin=fields.text("origin", required=False),
        readiness=int(readiness) if readiness else None,
    )


def _measurement(fields: Fields, knowledge: Knowledge, topic: Topic) -> Measurement | None:
    n = int(fields.number("n"))
    median, low, high = (fields.number(key) if n else None for key in ("median", "low", "high"))
    fact = fields.text("fact", required=False)
    if fact and not fields.knows(fact, knowledge.vocabulary.facts):
        return None

    def setting(key: str) -> Any:
        return _value(fields, knowledge, fact, key) if fact else _advice(fields, topic, key)

    return Measurement(
        probe=fields.text("probe"),
        before=setting("before"),
        after=setting("after"),
        verdict=Verdict(fields.choice("verdict", [verdict.value for verdict in Verdict])),
        median=median,
        low=low,
        high=high,
        n=n,
        unit=fields.text("unit", required=False) or "speed-up",
        date=fields.text("date", required=False),
        applies=fields.named_texts("applies"),
        rival=setting("rival") if fields.raw("rival") is not None else None,
        judged=fields.named_texts("rules"),
        fact=fact,
    )


def _advice(fields: Fields, topic: Topic, key: str) -> Any:
    """A value of the topic, or None."""
    raw = fields.raw(key)
    if raw is None:
        return None
    if topic.policy is Policy.VALUE:
        several = topic.type == "integers"
        numbers = fields.numbers(key) if several else [fields.number(key)]
        if not fields.problems and not topic.admits(numbers):
            low, high = topic.bounds
            fields.note(
                key, f"{shorten(raw)} is no value of {topic.name}", f"It must lie between {low:g} and {high:g}."
            )
        if topic.type == "number":
            return numbers[0]
        return [int(number) for number in numbers] if several else int(numbers[0])
    if topic.policy is Policy.ALL and isinstance(raw, list):
        return [_named_value(fields, topic, key, item) for item in fields.texts(key)]
    return _named_value(fields, topic, key, raw)


def _named_value(fields: Fields, topic: Topic, key: str, name: object) -> object:
    if not isinstance(name, str) or name not in topic.values:
        hint = did_you_mean(str(name), topic.values)
        fields.note(key, f"{shorten(name)!r} is not a value of {topic.name}", hint)
    return name
