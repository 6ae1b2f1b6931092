"""The content of a report on a plan before it is Markdown or HTML: title, first page, open ends, sources, evidence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from advisor.facts.verdict import Verdict
from advisor.inference.plan import Measurement, Plan, Recommendation, Status
from advisor.knowledge.model import Knowledge
from advisor.report import words
from advisor.report.numbers import known_figures
from advisor.wording import join_names

if TYPE_CHECKING:
    from advisor.agent.events import ProbeSkipped
    from advisor.probes.outcome import Outcome
    from advisor.report.machine.page import MachineReport
    from advisor.survey.judged_claims import Judgement

SPREAD = {"shard_states": "spread its states over devices", "offload": "move its states to main memory"}
"""Strategies of memory without which a network does not fit on any device alone, in words."""
_MOST_UNSURE = 4
_JUDGED: Mapping[str, str] = {
    Verdict.CONFIRMED: "is confirmed",
    Verdict.OVERTURNED: "is overturned",
    Verdict.NO_DIFFERENCE: "is neither confirmed nor overturned, since there is no difference that matters",
    Verdict.UNDECIDED: "is left undecided",
}
"""The verdict of a measurement on a rule's claim, as the end of a sentence that begins with the claim."""


@dataclass(frozen=True, slots=True)
class OpenEnd:
    """A next step that could still change the plan: a fact to state with its question, or a command with what it could do."""

    code: str
    says: str
    is_question: bool = False


@dataclass(frozen=True, slots=True)
class Remedy:
    """A way to be done sooner that was planned for. `shortest` and `longest` are seconds of the whole training."""

    says: str
    """`a tenth of the examples`"""
    arguments: str
    """Added to a command, they plan for it."""
    shortest: float
    longest: float


@dataclass(frozen=True, slots=True)
class Outlook:
    """The needs of training, and how it could be done sooner."""

    plan: Plan
    """The plan, or the same with usual sizes where its own needs are not known."""
    supposed: tuple[str, ...] = ()
    """`10,000 examples`: sizes that nobody has stated."""
    remedies: tuple[Remedy, ...] = ()
    """Only if training is slow; the shortest time first."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """Measurements, claims and machine beside a plan. All may be missing: the report then has no such section."""

    outcomes: tuple[Outcome, ...] = ()
    """Oldest first; of each probe the newest counts"""
    skipped: tuple[ProbeSkipped, ...] = ()
    judged: tuple[Judgement, ...] = ()
    machine: MachineReport | None = None
    outlook: Outlook | None = None


NOTHING = Evidence()


def title(plan: Plan) -> str:
    kind, modality = plan.facts.get("task.kind"), plan.facts.get("data.modality")
    asked = [str(known.value).replace("_", " ") for known in (kind, modality) if known is not None]
    return f"Advice: {', '.join(asked)}" if asked else "Advice on a network"


def how_sure(plan: Plan) -> str:
    """`9 settled and 2 leaning. Not final: Batch size and Device; see what is still open below.`"""
    unsure = [entry.title for entry in advised(plan) if entry.status in (Status.LEANING, Status.OPEN)]
    if not unsure:
        return f"{words.status_counts(plan)}. Nothing that is still unknown can change it."
    more = ["more"] if len(unsure) > _MOST_UNSURE else []
    named = join_names([*unsure[:_MOST_UNSURE], *more])
    return f"{words.status_counts(plan)}. Not final: {named}; see what is still open below."


def advised(plan: Plan) -> list[Recommendation]:
    """The recommendations that say something, in the order of their groups."""
    return [entry for _, entries in words.grouped(plan) for entry in entries]


def left_out(
    plan: Plan, not_applicable: str = "Not applicable here", silent: str = "This school is silent on"
) -> Iterator[str]:
    """Topics on which the plan says nothing, and why, a sentence each that begins so."""
    for status, start in ((Status.NOT_APPLICABLE, not_applicable), (Status.SILENT, silent)):
        titles = [entry.title for entry in plan.recommendations.values() if entry.status is status]
        if titles:
            yield f"{start}: {', '.join(titles)}."


def _possible_here(plan: Plan) -> list[str]:
    """The probes of the plan but for those that have nothing to measure on this machine."""
    from advisor.agent.settling.workloads import step_of
    from advisor.probes.catalogue import probe_named
    from advisor.probes.surroundings import Surroundings

    facts = {name: known.value for name, known in plan.facts.items() if name.startswith(("machine.", "data."))}
    if "machine.cpu.usable_cores" not in facts:  # too little is known of it to say what it cannot do
        return list(plan.probes)
    here = Surroundings.of(facts, step_of(plan))
    return [name for name in plan.probes if probe_named(name).not_here(here) is None]


def settled_by(knowledge: Knowledge, probe: str) -> list[str]:
    """The titles of the topics that a probe could settle."""
    return [topic.title for topic in knowledge.topics.values() if topic.probe == probe]


def open_ends(plan: Plan, knowledge: Knowledge, arguments: str = "") -> Iterator[OpenEnd]:
    """Things worth asking, measuring and trying next, most worth first within each.

    Args:
        arguments: of the command line that told the facts: commands repeat them.
    """
    said = f" {arguments}" if arguments else ""
    for name in plan.questions:
        fact = knowledge.vocabulary.facts.get(name)
        yield OpenEnd(name, fact.question if fact else "", is_question=True)
    there = " (on the machine that the plan is for)" if words.plans_elsewhere(plan) else ""
    for probe in plan.probes if there else _possible_here(plan):
        settled = join_names(settled_by(knowledge, probe))
        yield OpenEnd(f"advisor probe{said} --only {probe}", f"could settle {settled}{there}")
    if plan.probes and there:
        brings = f"brings what was measured there: name the file with --machine, as in {words.BROUGHT}"
        yield OpenEnd("advisor profiles export --output NAME.json", brings)
    titles = words.worth_trying(plan, knowledge)
    if titles:
        could = f"could, on the data of this plan, confirm or overturn {join_names(titles)}"
        data = said if "--data " in said else f"{said} --data PATH --target COLUMN"
        yield OpenEnd(f"advisor try{data}{words.as_tried(plan)}", could)


def notes_on(knowledge: Knowledge, entry: Recommendation, lost: Iterable[str] = ()) -> Iterator[tuple[str, list[str]]]:
    """The plan's own notes, each with the errata it calls for, but for those that stand elsewhere already.

    Args:
        lost: rules whose advice is told in a section of its own, as having lost.
    """
    shown = {erratum for reason in entry.because for erratum in reason.errata}
    for note in entry.notes:
        if any(note.endswith(erratum) and note.startswith("Erratum") for erratum in shown):
            continue
        if any(f"{rule} advised" in note for rule in lost):
            continue
        quoted = words.errata_quoted(knowledge, entry.topic, note)
        yield note, [erratum for erratum in quoted if erratum not in note]


def errata(plan: Plan) -> list[str]:
    """Corrections to the sources that the rules of this plan rest on."""
    reasons = (reason for entry in plan.recommendations.values() for reason in entry.because)
    return list(dict.fromkeys(erratum for reason in reasons for erratum in reason.errata))


def sources(plan: Plan, knowledge: Knowledge) -> list[tuple[str, str]]:
    """Every source that a reason or a number of this plan rests on: its key, and what it is with the places cited."""
    reasons = [reason for entry in plan.recommendations.values() for reason in entry.because]
    cited = [source for reason in reasons for source in reason.sources]
    cited += [source for figure in known_figures(plan) for source in figure.sources]
    places = words.gathered((key, place) for key, _, place in (source.partition(" ") for source in cited))
    found = []
    for key in sorted(places):
        where = "; ".join(dict.fromkeys(place for place in places[key] if place))
        found.append((key, f"{knowledge.sources.get(key) or key}{f' ({where})' if where else ''}"))
    return found


def judged_rules(knowledge: Knowledge, measured: Measurement) -> Iterator[tuple[str, str, str, str]]:
    """The rules that a measurement has judged: name, what it staked on the probe, the judgement, what the rule says.

    What it staked and says is empty where the rule base does not know it.
    """
    for name, verdict in measured.judged.items():
        rule, expects, says = knowledge.by_id.get(name), "", ""
        if rule is not None:
            expects = rule.settles.expects if rule.settles is not None else ""
            says = " ".join([rule.because, *(f"Erratum {key}: {knowledge.errata[key].text}" for key in rule.erratum)])
        yield name, expects, _JUDGED.get(verdict, f"was judged {verdict}"), says
