"""`advise(knowledge, facts) -> Plan`: a pure function from what is known to what is recommended."""

from __future__ import annotations

from dataclasses import dataclass

from advisor.errors import InputError, Problem
from advisor.facts.fact_base import SCOPED, FactBase, Known, Source
from advisor.facts.values import describe
from advisor.facts.vocabulary import PROBE_GROUP
from advisor.inference.explaining.explain import Explainer
from advisor.inference.explaining.flips import find_flips
from advisor.inference.explaining.questions import Inquiry
from advisor.inference.outcomes import NOT_APPLICABLE, Outcome, Tie
from advisor.inference.plan import Flip, Plan, Recommendation, Status
from advisor.inference.program.program import Program
from advisor.inference.program.steps import Constraint, apply_steps
from advisor.inference.program.topic import TopicProgram
from advisor.inference.proof.engine import Engine
from advisor.inference.situation import Situation
from advisor.knowledge.expressions.regions import FALSE
from advisor.knowledge.model import Knowledge, Policy, School
from advisor.wording import join_names


@dataclass(frozen=True)
class Detail:
    """The amount of a plan that is worked out. The status of every recommendation always is."""

    reasons: bool = True
    flips: bool = True
    questions: bool = True


FULL = Detail()
WITH_REASONS = Detail(flips=False, questions=False)
"""Without what takes most of the time."""
VALUES_ONLY = Detail(reasons=False, flips=False, questions=False)


def engine_for(knowledge: Knowledge, school: School) -> Engine:
    """The compiled rule base of a school; made once per knowledge, since it remembers what it has worked out."""
    engines: dict[School, Engine] = knowledge.compiled
    if school not in engines:
        engines[school] = Engine(Program(knowledge, school))
    return engines[school]


def advise(knowledge: Knowledge, facts: FactBase, school: School = School.TODAY, detail: Detail = FULL) -> Plan:
    """Recommend a value for every topic.

    Raises:
        InputError: two stated facts exclude each other.
    """
    engine = engine_for(knowledge, school)
    base, withdrawn = consistent(engine.program, facts)
    situation = situation_of(engine.program, base)
    flips = find_flips(engine, situation, knowledge.topics) if detail.flips else {}
    recommendations = {
        name: _recommend(engine, engine.program.topics[name], situation, base, detail, flips.get(name, ()))
        for name in knowledge.topics
    }
    questions: tuple[str, ...] = ()
    if detail.questions:
        questions = tuple(question.fact for question in Inquiry(engine, situation, base).questions())
    shown, unused = _facts_in_use(engine.program, situation, base)
    return Plan(
        school=school,
        facts=shown,
        recommendations=recommendations,
        unused=unused,
        withdrawn=withdrawn,
        contradictions=tuple(facts.contradictions(knowledge.vocabulary.facts)),
        questions=questions,
        probes=probes_worth(knowledge, recommendations),
        evidence=tuple(base.evidence(knowledge.vocabulary.facts)),
        stated=base,
        knowledge=knowledge,
    )


def probes_worth(knowledge: Knowledge, recommendations: dict[str, Recommendation]) -> tuple[str, ...]:
    """The probes that could decide a recommendation which is not settled, measured or simulated yet.

    What decides by a closed fact is none of them: nothing is open on its account.
    """
    facts = knowledge.vocabulary.facts
    undecided = [
        knowledge.topics[name]
        for name, entry in recommendations.items()
        if knowledge.topics[name].probe and entry.status in (Status.LEANING, Status.OPEN)
    ]
    return tuple(topic.probe for topic in undecided if not facts[topic.measured_fact].closed)


def situation_of(program: Program, facts: FactBase) -> Situation:
    values: list[object] = [None] * program.width
    for name, slot in program.fact_slots.items():
        known = facts.known(name)
        values[slot] = known.value if known else None
    blank = program.usual - {program.fact_slots[name] for name in facts.declined if name in program.fact_slots}
    return Situation(tuple(values), blank | {program.fact_slots[name] for name in facts.blank})


def values_of(program: Program, facts: FactBase) -> list[object]:
    """The values of all facts by slot, those that follow or are assumed included; the places of topics stay empty."""
    situation = situation_of(program, consistent(program, facts)[0])
    values = list(situation.values)
    apply_steps(program.steps, values, assume=True, blank=situation.blank)
    return values


def consistent(program: Program, facts: FactBase) -> tuple[FactBase, tuple[str, ...]]:
    """The facts without observations that a stronger answer makes impossible, and the names of those withdrawn.

    When an answer and an observation break a constraint together, another machine is being planned: everything observed
    of the same part (`machine.cpu.…`) is withdrawn, not just the one value.
    """
    withdrawn: set[str] = set()
    regions = program.fact_regions(situation_of(program, facts).values)
    for constraint in program.constraints:
        while constraint.expression.over(regions) == FALSE:
            names = [program.facts[slot].name for slot in sorted(constraint.reads)]
            known = {name: entry for name in names if (entry := facts.known(name)) is not None}
            observed = [name for name, entry in known.items() if entry.source is not Source.ASKED]
            if not observed:
                raise _exclusion(program, constraint, known)
            parts = {name.rpartition(".")[0] for name in observed}
            for name in list(facts.names()):
                entry = facts.known(name)
                if name.rpartition(".")[0] in parts and entry is not None and entry.source is not Source.ASKED:
                    facts = facts.without(name)
                    withdrawn.add(name)
            regions = program.fact_regions(situation_of(program, facts).values)
    return facts, tuple(fact.name for fact in program.facts if fact.name in withdrawn)


def _exclusion(program: Program, constraint: Constraint, known: dict[str, Known]) -> InputError:
    facts = program.knowledge.vocabulary.facts
    stated = [f"{name} = {describe(facts[name], entry.value)}" for name, entry in known.items()]
    impossible = {1: "is impossible", 2: "cannot both be true"}.get(len(stated), "cannot all be true")
    what = f"{join_names(stated)} {impossible}: {constraint.because}."
    remedy = "Change one of them." if len(stated) > 1 else "Change it."
    return InputError("These answers exclude each other", [Problem(join_names(list(known)), what, remedy)])


def _facts_in_use(program: Program, situation: Situation, facts: FactBase) -> tuple[dict[str, Known], tuple[str, ...]]:
    values = list(situation.values)
    apply_steps(program.steps, values, assume=True, blank=situation.blank)
    shown: dict[str, Known] = {}
    unused = []
    for fact in program.facts:
        slot = program.fact_slots[fact.name]
        known = facts.known(fact.name)
        if known is not None and known.source is Source.DERIVED and fact.name in program.topics:
            continue  # it is the plan's own
        if values[slot] is None:
            if known is not None:
                unused.append(fact.name)
        elif known is not None:
            shown[fact.name] = known
        else:
            shown[fact.name] = Known(values[slot], Source.DERIVED if fact.derive else Source.ASSUMED)
    return shown, tuple(unused)


def _recommend(
    engine: Engine, topic: TopicProgram, situation: Situation, facts: FactBase, detail: Detail, flips: tuple[Flip, ...]
) -> Recommendation:
    declared = topic.topic
    if topic.silent:
        return Recommendation(topic.name, declared.title, None, Status.SILENT, declared.unit)
    decision = engine.decide(topic, situation)
    outcome = decision.outcome
    explainer = Explainer(engine, topic, situation)
    status = _status(explainer, facts, decision.settled)
    return Recommendation(
        topic=topic.name,
        title=declared.title,
        value=_plain(outcome),
        status=status,
        unit=declared.unit,
        tied=tuple(outcome) if isinstance(outcome, Tie) else (),
        because=explainer.because() if detail.reasons else (),
        alternatives=explainer.alternatives() if detail.reasons and outcome is not NOT_APPLICABLE else (),
        flips=flips,
        actions=explainer.actions() if detail.reasons else (),
        notes=_notes(explainer, decision.open_slots, status) if detail.reasons else (),
        depends_on=tuple(engine.program.facts[slot].name for slot in decision.open_slots),
    )


def _plain(outcome: Outcome) -> object:
    if outcome is NOT_APPLICABLE or isinstance(outcome, Tie):
        return None
    return list(outcome) if isinstance(outcome, tuple) else outcome


def _status(explainer: Explainer, facts: FactBase, settled: bool) -> Status:
    if explainer.outcome is NOT_APPLICABLE:
        return Status.NOT_APPLICABLE
    if isinstance(explainer.outcome, Tie):
        return Status.OPEN
    return _by_experiment(explainer, facts) or (Status.SETTLED if settled else Status.LEANING)


def _by_experiment(explainer: Explainer, facts: FactBase) -> Status | None:
    """Measured or simulated where an experiment can decide the topic, and the rule that decides now reads what such found in
    scope; what rests on both is no surer than the simulation."""
    topic, declared = explainer.topic.topic, explainer.program.facts
    if not topic.experiments or topic.policy is Policy.ALL or explainer.first is None:
        return None
    read = [declared[slot] for slot in explainer.rules[explainer.first[0]].reads if slot < len(declared)]
    known = [facts.known(fact.name) for fact in read if fact.group == PROBE_GROUP]
    sources = {None if entry is None else entry.source for entry in known}
    if not sources or not sources <= {*SCOPED}:
        return None
    return Status.SIMULATED if Source.SIMULATED in sources else Status.MEASURED


def _notes(explainer: Explainer, open_slots: tuple[int, ...], status: Status) -> tuple[str, ...]:
    """Notes that a reader should know before trusting the recommendation."""
    notes: list[str] = []
    situation, errata = explainer.situation, explainer.knowledge.errata
    for slot in open_slots:
        fact, value = explainer.program.facts[slot], explainer.values[slot]
        if value is not None and situation.values[slot] is None and fact.default:
            notes.append(f"{fact.name} is assumed to be {describe(fact, value)}.")
    because = explainer.because()
    if because and not any(reason.verified for reason in because):
        notes.append("No source of it has been looked up yet; it is recalled from the literature.")
    for reason in because:
        notes.extend(f"Erratum to {reason.rule}: {text}" for text in reason.errata)
    for lost, winner in explainer.silenced():
        notes.append(
            f"The {lost.rule.school.value} school's {lost.rule.id} advised {_said(lost.rule.value)}: {lost.rule.because} "
            + "".join(f"(Erratum {key}: {errata[key].text}) " for key in lost.rule.erratum)
            + f"It lost to {winner.rule.id}: {winner.rule.because}"
        )
    if status is Status.SETTLED and isinstance(explainer.engine.leading(explainer.topic, situation), Tie):
        notes.append("Every case that is still possible leads to it.")
    return tuple(dict.fromkeys(notes))


def _said(value: str) -> str:
    return value if value.replace("_", "").isalnum() else f"`{value}`"
