"""The report that people carry away: a plan as Markdown, for a beginner at the top, with every source at the end."""

from __future__ import annotations

from collections.abc import Iterator

from advisor.agent.trials.outcomes import is_trial
from advisor.facts.fact_base import SCOPED, Source
from advisor.inference.plan import Measurement, Plan, Recommendation
from advisor.knowledge.model import Knowledge
from advisor.report import contents, words
from advisor.report.changes import VERDICTS, difference, sentence
from advisor.report.contents import Outlook
from advisor.report.markup import code, code_block, plain, table
from advisor.report.numbers import NEEDS, needs_rows, numbers_table
from advisor.report.plan.brief import summary
from advisor.version import __version__


def report_text(
    plan: Plan, knowledge: Knowledge, date: str = "", outlook: Outlook | None = None, arguments: str = ""
) -> str:
    """The whole report. A pure function: the date is the caller's, and may be left out."""
    advised = contents.advised(plan)
    lines = [f"# {plain(contents.title(plan))}", "", *_summary(plan, knowledge, outlook)]
    for basis in SCOPED:
        lines += _experiments(knowledge, advised, basis)
    lines += ["## The plan", ""]
    present = {entry.status for entry in advised}
    lines += [f"- **{words.STATUS_WORDS[s]}**: {meaning}" for s, meaning in words.STATUS_MEANS.items() if s in present]
    rows = [(entry.title, words.advice_words(knowledge, entry), words.STATUS_WORDS[entry.status]) for entry in advised]
    lines += table(["Topic", "Advice", "How sure"], rows)
    for left_out in contents.left_out(plan):
        lines += [plain(left_out), ""]
    lines += ["## Why", ""]
    for entry in advised:
        lines += _topic(plan, knowledge, entry)
    lines += numbers_table(plan, knowledge)
    lines += _facts(plan, knowledge, arguments)
    lines += _still_open(plan, knowledge, arguments)
    lines += _listed("Errata to the survey's sources", [plain(erratum) for erratum in contents.errata(plan)])
    sources = [f"{code(key)}: {plain(text)}" for key, text in contents.sources(plan, knowledge)]
    lines += _listed("Sources", sources, "None.")
    lines += ["## Versions", "", f"- advisor {__version__}, rule base {plain(knowledge.digest[:12] or 'unnamed')}"]
    lines += [f"- school: {words.SCHOOL_WORDS[plan.school]}"]
    lines += [f"- date: {plain(date)}"] if date else []
    return "\n".join(lines) + "\n"


def _summary(plan: Plan, knowledge: Knowledge, outlook: Outlook | None) -> Iterator[str]:
    """The plan at a glance, as on the first screen; a line each."""
    for start, said in summary(plan, knowledge, outlook):
        yield f"- **{start}:** {plain(said)}"
    yield ""


# --- what was measured or simulated ------------------------------------------------------------------------------


def _experiments(knowledge: Knowledge, advised: list[Recommendation], basis: Source) -> list[str]:
    found = [(entry, entry.measured) for entry in advised if entry.measured is not None]
    found = [(entry, measured) for entry, measured in found if measured.basis is basis]
    if not found:
        return []
    ratio = "Ratio or difference" if any(is_trial(measured.probe) for _, measured in found) else "Ratio"
    title, under = _EXPERIMENT_WORDS[basis]
    head = ["Topic", "Before", f"{ratio} (95 % interval)", "n", "After", "Verdict", under]
    lines = [f"## {title}", *table(head, [_row(knowledge, entry, measured) for entry, measured in found])]
    for entry, measured in found:
        unit = words.compared_unit(knowledge, entry, measured)
        lines.append(f"- {plain(f'{entry.title}: {sentence(measured, unit)}')}")
        for rule, expects, judgement, says in contents.judged_rules(knowledge, measured):
            staked = f", {code(expects)}," if expects else ""
            told = f" It says: {plain(says)}" if says else ""
            lines.append(f"  - The claim of the rule {code(rule)}{staked} {plain(judgement)}.{told}")
    return [*lines, ""]


_EXPERIMENT_WORDS = {
    Source.MEASURED: ("Before and after measuring", "Measured on"),
    Source.SIMULATED: ("Before and after simulating", "Simulated for"),
}


def _row(knowledge: Knowledge, entry: Recommendation, measured: Measurement) -> tuple[object, ...]:
    before, after = words.measured_change(knowledge, entry, measured)
    scope = words.scope_words(measured) + (f", {measured.date}" if measured.date else "")
    return entry.title, before, difference(measured), measured.n, after, VERDICTS[measured.verdict], scope


# --- one topic ---------------------------------------------------------------------------------------------------


def _topic(plan: Plan, knowledge: Knowledge, entry: Recommendation) -> Iterator[str]:
    yield f"### {plain(entry.title)}: {plain(words.advice_words(knowledge, entry))}"
    yield ""
    yield f"{words.STATUS_WORDS[entry.status].capitalize()} ({code(entry.topic)})"
    yield ""
    for reason in entry.because:
        sources = "; ".join(words.citation(knowledge, source) for source in reason.sources)
        yield f"- {plain(reason.text)} {plain(f'({sources})') if sources else ''}".rstrip()
        strength = f", {plain(reason.strength)}" if reason.strength else ""
        readiness = f", technology readiness {reason.readiness} of 9" if reason.readiness is not None else ""
        yield f"  - rule {code(reason.rule)}, school {reason.school.value}{strength}{readiness}"
        if reason.when:
            yield f"  - when {code(reason.when)}"
        if not reason.verified:
            yield f"  - not verified: {words.UNVERIFIED_MEANS}"
        if reason.origin:
            yield f"  - from the rule pack {plain(reason.origin)}"
        yield from (f"  - **Erratum** {plain(erratum)}" for erratum in reason.errata)
    for note, errata in contents.notes_on(knowledge, entry):
        yield f"- Note: {plain(note)}"
        yield from (f"  - **Erratum** {plain(erratum)}" for erratum in errata)
    if entry.topic == "memory.strategy" and plan.memory:
        yield ""
        yield from table(NEEDS, needs_rows(plan.memory))
    if entry.alternatives:
        yield "- Why not"
        for other in entry.alternatives:
            value = words.value_words(knowledge, entry.topic, other.value, entry.unit)
            yield f"  - {plain(value)}: {plain(other.why_not)}"
            quoted = words.errata_quoted(knowledge, entry.topic, other.why_not)
            yield from (f"    - **Erratum** {plain(erratum)}" for erratum in quoted)
    if entry.flips:
        yield "- What would flip it"
        for flip in entry.flips:
            to, then = words.flip_words(knowledge, entry, flip)
            yield f"  - {code(flip.fact)} = {plain(to)} gives {plain(then)}"
    if entry.actions:
        yield from ("", "What to do:", "", *code_block(entry.actions))
    yield ""


# --- the rest ----------------------------------------------------------------------------------------------------


def _facts(plan: Plan, knowledge: Knowledge, arguments: str) -> list[str]:
    lines = ["## Facts", *table(["Fact", "Value", "Where from"], words.fact_rows(plan, knowledge))]
    remarks = [f"- {plain(remark)}" for remark in words.remarks_on(plan, knowledge, arguments)]
    return [*lines, *remarks, ""] if remarks else lines


def _still_open(plan: Plan, knowledge: Knowledge, arguments: str) -> list[str]:
    ends = contents.open_ends(plan, knowledge, arguments)
    lines = [f"{code(end.code)}{':' if end.is_question else ''} {plain(end.says)}" for end in ends]
    return _listed("Still open", lines, "Nothing that is worth asking or measuring.")


def _listed(title: str, items: list[str], none: str = "") -> list[str]:
    """A section of items; where there are none, what is said instead of them, or no section."""
    lines = [f"- {item}" for item in items] or [none]
    return [f"## {title}", "", *lines, ""] if items or none else []
