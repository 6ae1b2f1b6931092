"""The report that people carry away: a plan as Markdown, for a beginner at the top, with every source at the end."""

from __future__ import annotations

from collections.abc import Iterator

from advisor import __version__
from advisor.agent.trials import is_trial
from advisor.errors import join_names
from advisor.inference.plan import Measurement, Plan, Reason, Recommendation, Status, Verdict
from advisor.knowledge.model import Knowledge
from advisor.report import words
from advisor.report.changes import VERDICTS, difference, sentence
from advisor.report.markup import code, code_block, plain, table
from advisor.report.numbers import known_figures, numbers_table


def report_text(plan: Plan, knowledge: Knowledge, date: str = "") -> str:
    """The whole report. A pure function: the date is the caller's, and may be left out."""
    advised = [entry for _, entries in words.grouped(plan) for entry in entries]
    lines = [f"# {plain(_title(plan))}", "", *_summary(plan, knowledge, advised)]
    lines += _measurements(knowledge, advised)
    lines += ["## The plan", ""]
    present = {entry.status for entry in advised}
    lines += [f"- **{words.STATUS_WORDS[s]}**: {meaning}" for s, meaning in words.STATUS_MEANS.items() if s in present]
    rows = [(entry.title, words.advice_words(knowledge, entry), words.STATUS_WORDS[entry.status]) for entry in advised]
    lines += table(["Topic", "Advice", "How sure"], rows)
    lines += _left_out(plan)
    lines += ["## Why", ""]
    for entry in advised:
        lines += _topic(plan, knowledge, entry)
    lines += numbers_table(plan, knowledge)
    lines += _facts(plan, knowledge)
    lines += _still_open(plan, knowledge)
    lines += _errata(plan)
    lines += _sources(plan, knowledge)
    lines += ["## Versions", "", f"- advisor {__version__}, rule base {plain(knowledge.digest[:12] or 'unnamed')}"]
    lines += [f"- school: {words.SCHOOL_WORDS[plan.school]}"]
    lines += [f"- date: {plain(date)}"] if date else []
    return "\n".join(lines) + "\n"


def _title(plan: Plan) -> str:
    kind, modality = plan.facts.get("task.kind"), plan.facts.get("data.modality")
    asked = [str(known.value).replace("_", " ") for known in (kind, modality) if known is not None]
    return f"Advice: {', '.join(asked)}" if asked else "Advice on a network"


# --- the summary -------------------------------------------------------------------------------------------------


_SUMMARY = (
    ("What to build", (("", "network.type"), ("", "network.depth"), ("with ", "network.hidden_units"))),
    (
        "How to train it",
        (
            ("with the loss ", "training.loss"),
            ("the optimiser ", "training.optimizer"),
            ("a learning rate of ", "training.learning_rate"),
            ("batches of ", "training.batch_size"),
        ),
    ),
    (
        "On what",
        (
            ("", "compute.device"),
            ("", "compute.threads"),
            ("numbers in ", "training.precision"),
            ("with ", "framework"),
        ),
    ),
    ("What to compare it with", (("", "baseline"),)),
)


def _summary(plan: Plan, knowledge: Knowledge, advised: list[Recommendation]) -> list[str]:
    """What to build, how to train it, on what, how sure: a line each."""

    def said(topic: str) -> str:
        entry = plan.recommendations.get(topic)
        if entry is None or entry.value in (None, []) or not words.is_advice(entry):
            return ""
        explained = topic != "network.depth"
        return plain(words.value_words(knowledge, topic, entry.value, entry.unit, explained=explained))

    lines = []
    for start, parts in _SUMMARY:
        found = [f"{before}{text}" for before, topic in parts if (text := said(topic))]
        if found:
            lines.append(f"- **{start}:** {', '.join(found)}.")
    unsure = [entry.title for entry in advised if entry.status in (Status.LEANING, Status.OPEN)]
    lines.append(f"- **How sure:** {words.status_counts(plan)}.{_first_unsure(unsure)}")
    return [*lines, ""]


def _first_unsure(titles: list[str]) -> str:
    if not titles:
        return " Nothing that is still unknown can change it."
    more = ["more"] if len(titles) > 4 else []
    return f" Not final: {plain(join_names([*titles[:4], *more]))}; see what is still open below."


# --- what was measured -------------------------------------------------------------------------------------------


def _measurements(knowledge: Knowledge, advised: list[Recommendation]) -> list[str]:
    measured = [(entry, entry.measured) for entry in advised if entry.measured is not None]
    if not measured:
        return []
    ratio = "Ratio or difference" if any(is_trial(found.probe) for _, found in measured) else "Ratio"
    head = ["Topic", "Before", f"{ratio} (95 % interval)", "n", "After", "Verdict", "Measured on"]
    rows = [_measured_row(knowledge, entry, found) for entry, found in measured]
    lines = ["## Before and after measuring", *table(head, rows)]
    for entry, found in measured:
        lines.append(f"- {plain(f'{entry.title}: {sentence(found, entry.unit)}')}")
        for rule, verdict in found.judged.items():
            lines.append(f"  - {_claim(knowledge, rule)} {plain(_judgement(verdict))}.{_says(knowledge, rule)}")
    return [*lines, ""]


def _measured_row(knowledge: Knowledge, entry: Recommendation, measured: Measurement) -> tuple[object, ...]:
    before, after = words.measured_change(knowledge, entry, measured)
    scope = words.scope_words(measured) + (f", {measured.date}" if measured.date else "")
    return entry.title, before, difference(measured), measured.n, after, VERDICTS[measured.verdict], scope


def _judgement(verdict: str) -> str:
    return {
        Verdict.CONFIRMED.value: "is confirmed",
        Verdict.OVERTURNED.value: "is overturned",
        Verdict.NO_DIFFERENCE.value: "is neither confirmed nor overturned, since there is no difference that matters",
        Verdict.UNDECIDED.value: "is left undecided",
    }.get(verdict, f"was judged {verdict}")


def _claim(knowledge: Knowledge, name: str) -> str:
    """What a judged rule staked on the probe."""
    rule = knowledge.by_id.get(name)
    expects = f", {code(rule.settles.expects)}," if rule is not None and rule.settles is not None else ""
    return f"The claim of the rule {code(name)}{expects}"


def _says(knowledge: Knowledge, name: str) -> str:
    """What a judged rule says, with its errata."""
    rule = knowledge.by_id.get(name)
    if rule is None:
        return ""
    errata = [f"Erratum {key}: {knowledge.errata[key].text}" for key in rule.erratum]
    return f" It says: {plain(' '.join([rule.because, *errata]))}"


# --- one topic ---------------------------------------------------------------------------------------------------


def _topic(plan: Plan, knowledge: Knowledge, entry: Recommendation) -> Iterator[str]:
    yield f"### {plain(entry.title)}: {plain(words.advice_words(knowledge, entry))}"
    yield ""
    yield f"{words.STATUS_WORDS[entry.status].capitalize()} ({code(entry.topic)})"
    yield ""
    for reason in entry.because:
        sources = "; ".join(words.citation(knowledge, source) for source in reason.sources)
        yield f"- {plain(reason.text)} {plain(f'({sources})') if sources else ''}".rstrip()
        yield f"  - rule {code(reason.rule)}, school {reason.school.value}{_traits(reason.strength, reason.readiness)}"
        if reason.when:
            yield f"  - when {code(reason.when)}"
        if not reason.verified:
            yield f"  - not verified: {words.UNVERIFIED_MEANS}"
        if reason.origin:
            yield f"  - from the rule pack {plain(reason.origin)}"
        for erratum in reason.errata:
            yield f"  - **Erratum** {plain(erratum)}"
    yield from _notes(knowledge, entry)
    if entry.alternatives:
        yield "- Why not"
        for other in entry.alternatives:
            value = words.value_words(knowledge, entry.topic, other.value, entry.unit)
            yield f"  - {plain(value)}: {plain(other.why_not)}"
            for erratum in words.errata_quoted(knowledge, entry.topic, other.why_not):
                yield f"    - **Erratum** {plain(erratum)}"
    if entry.flips:
        yield "- What would flip it"
        for flip in entry.flips:
            to = words.fact_words(knowledge, flip.fact, flip.to)
            then = words.value_words(knowledge, entry.topic, flip.then, entry.unit, explained=False)
            yield f"  - {code(flip.fact)} = {plain(to)} gives {plain(then)}"
    if entry.actions:
        yield from ("", "What to do:", "", *code_block(entry.actions))
    yield ""


def _traits(strength: str, readiness: int | None) -> str:
    traits = [f", {plain(strength)}"] if strength else []
    traits += [f", technology readiness {readiness} of 9"] if readiness is not None else []
    return "".join(traits)


def _notes(knowledge: Knowledge, entry: Recommendation) -> Iterator[str]:
    """The plan's own notes, less the errata that stand beside their rules already."""
    shown = {erratum for reason in entry.because for erratum in reason.errata}
    for note in entry.notes:
        if any(note.endswith(erratum) and note.startswith("Erratum") for erratum in shown):
            continue
        yield f"- Note: {plain(note)}"
        for erratum in words.errata_quoted(knowledge, entry.topic, note):
            if erratum not in note:
                yield f"  - **Erratum** {plain(erratum)}"


# --- the rest ----------------------------------------------------------------------------------------------------


def _left_out(plan: Plan) -> Iterator[str]:
    silent = [entry.title for entry in plan.recommendations.values() if entry.status is Status.SILENT]
    nothing = [entry.title for entry in plan.recommendations.values() if entry.status is Status.NOT_APPLICABLE]
    if nothing:
        yield from (f"Not applicable here: {plain(', '.join(nothing))}.", "")
    if silent:
        yield from (f"This school is silent on: {plain(', '.join(silent))}.", "")


def _facts(plan: Plan, knowledge: Knowledge) -> list[str]:
    rows = []
    for name, known in plan.facts.items():
        source = words.SOURCE_WORDS[known.source] + (f", {known.note}" if known.note else "")
        rows.append((name, words.fact_words(knowledge, name, known.value), source))
    lines = ["## Facts", *table(["Fact", "Value", "Where from"], rows)]
    remarks = [f"- {plain(remark)}" for remark in words.remarks_on(plan, knowledge)]
    return [*lines, *remarks, ""] if remarks else lines


def _still_open(plan: Plan, knowledge: Knowledge) -> list[str]:
    lines = []
    for name in plan.questions:
        fact = knowledge.vocabulary.facts.get(name)
        lines.append(f"- {code(name)}: {plain(fact.question if fact else '')}")
    for probe in plan.probes:
        titles = [topic.title for topic in knowledge.topics.values() if topic.probe == probe]
        lines.append(f"- {code(f'advisor probe --only {probe}')} could settle {plain(join_names(titles))}")
    titles = words.worth_trying(plan, knowledge)
    if titles:
        tried = code("advisor try --data PATH --target COLUMN")
        lines.append(f"- {tried}, on the data of this plan, could confirm or overturn {plain(join_names(titles))}")
    return ["## Still open", "", *(lines or ["Nothing that is worth asking or measuring."]), ""]


def _errata(plan: Plan) -> list[str]:
    """Corrections to the sources that the rules of this plan rest on."""
    found = dict.fromkeys(
        erratum for entry in plan.recommendations.values() for reason in entry.because for erratum in reason.errata
    )
    return ["## Errata to the survey's sources", "", *(f"- {plain(erratum)}" for erratum in found), ""] if found else []


def _sources(plan: Plan, knowledge: Knowledge) -> list[str]:
    reasons: list[Reason] = [reason for entry in plan.recommendations.values() for reason in entry.because]
    cited = [source for reason in reasons for source in reason.sources]
    cited += [source for figure in known_figures(plan) for source in figure.sources]
    places: dict[str, list[str]] = {}
    for source in cited:
        key, _, place = source.partition(" ")
        known = places.setdefault(key, [])
        if place and place not in known:
            known.append(place)
    lines = []
    for key in sorted(places):
        where = f" ({'; '.join(places[key])})" if places[key] else ""
        source_text = knowledge.sources.get(key)
        lines.append(f"- {code(key)}: {plain(f'{source_text or key}{where}')}")
    return ["## Sources", "", *(lines or ["None."]), ""]
