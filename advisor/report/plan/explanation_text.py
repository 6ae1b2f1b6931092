"""An explanation for the terminal, as a tree."""

from __future__ import annotations

from advisor.inference.plan import Plan, Status
from advisor.knowledge.model import Knowledge
from advisor.report import words
from advisor.report.changes import by_whom, sentence
from advisor.report.page import Branch, Look, Page, Style
from advisor.report.plan.explanation import Explanation, Ground, Lost
from advisor.report.plan.text import measured_line, symbol


def explanation_page(explained: Explanation, plan: Plan, knowledge: Knowledge, look: Look) -> str:
    """One topic as a tree: why, why not, what would flip it, what to do."""
    entry = explained.entry
    mark, style = symbol(entry.status, look)
    status = words.STATUS_WORDS[entry.status]
    meaning = words.STATUS_MEANS.get(entry.status)
    sections: tuple[tuple[str, list[Branch]], ...] = (
        ("It means something only when", _applies(explained)),
        ("Why", [_ground(ground) for ground in explained.grounds]),
        ("", _measured(explained, knowledge, look)),
        ("Could change with what is not known", _open(explained)),
        ("Superseded advice", [_lost(lost) for lost in explained.lost]),
        ("Why not", _why_not(explained, knowledge)),
        ("What would flip it", _flips(explained, plan, knowledge, look)),
        ("What to do", [Branch((line,), verbatim=True) for line in entry.actions]),
    )
    branches = [Branch(((mark, style), " ", (status, style), f": {meaning}" if meaning else ""))]
    for title, children in sections:
        branches += [Branch(((title, Style.HEADING),), tuple(children))] if title and children else children
    page = Page(look)
    advice = (words.advice_words(knowledge, entry), Style.STRONG)
    page.tree(Branch((f"{entry.title} ({entry.topic}): ", advice), tuple(branches)))
    if entry.status is Status.SILENT:
        page.add("`--school today` has advice on more topics than the survey.")
    return page.text()


def _applies(explained: Explanation) -> list[Branch]:
    if explained.applies is None:
        return []
    condition, readings = explained.applies
    return [Branch((condition,)), *(Branch((str(reading),)) for reading in readings)]


def _ground(ground: Ground) -> Branch:
    reason = ground.reason
    item = f"{ground.item}: " if ground.item else ""
    traits = [f"school {reason.school.value}", *([reason.strength] if reason.strength else [])]
    if reason.readiness is not None:
        traits.append(f"technology readiness {reason.readiness} of 9")
    inner: list[Branch] = [Branch(((f"rule {reason.rule} ({', '.join(traits)})", Style.FAINT),))]
    if ground.computed:
        inner.append(Branch((("value: ", Style.FAINT), ground.computed)))
    condition = Branch(
        (("when: ", Style.FAINT), reason.when or "always"), tuple(Branch((str(r),)) for r in ground.readings)
    )
    inner.append(condition)
    inner += [Branch((("source: ", Style.FAINT), cited)) for cited in ground.citations]
    if reason.verified:
        inner.append(Branch((("verified", Style.GOOD), f": looked up in the source{ground.looked_up}")))
    else:
        inner.append(Branch((("not verified", Style.CARE), f": {words.UNVERIFIED_MEANS}")))
    inner += [Branch(((f"Erratum {erratum}", Style.BAD),)) for erratum in reason.errata]
    if reason.origin:
        inner.append(Branch((("from the rule pack ", Style.CARE), reason.origin)))
    return Branch((f"{item}{reason.text}",), tuple(inner))


def _measured(explained: Explanation, knowledge: Knowledge, look: Look) -> list[Branch]:
    entry = explained.entry
    measured = entry.measured
    if measured is None:
        return []
    children = [
        Branch((sentence(measured, entry.unit),)),
        Branch((f"by {by_whom(measured.probe)}{f' on {measured.date}' if measured.date else ''}",)),
        Branch((f"measured on: {words.scope_words(measured)}",)),
        *(Branch((f"rule {rule}: {words.judged_words(verdict)}",)) for rule, verdict in measured.judged.items()),
    ]
    return [Branch(measured_line(knowledge, entry, measured, look), tuple(children))]


def _open(explained: Explanation) -> list[Branch]:
    children = [Branch((f"{name} = {value}, assumed",)) for name, value in explained.assumed]
    return children + [Branch(((name, Style.STRONG), f": {question}")) for name, question in explained.unknown]


def _lost(lost: Lost) -> Branch:
    inner = [Branch((("rule ", Style.FAINT), (f"{lost.rule} (school {lost.school})", Style.FAINT)))]
    inner += [Branch((("source: ", Style.FAINT), cited)) for cited in lost.citations]
    inner += [Branch(((f"Erratum {erratum}", Style.BAD),)) for erratum in lost.errata]
    inner.append(Branch((f"lost to {lost.winner}: {lost.winner_text}",)))
    return Branch(((lost.advised, Style.STRONG), f": {lost.text}"), tuple(inner))


def _why_not(explained: Explanation, knowledge: Knowledge) -> list[Branch]:
    entry = explained.entry
    printed = {erratum for lost in explained.lost for erratum in lost.errata}
    printed |= {erratum for ground in explained.grounds for erratum in ground.reason.errata}
    children = []
    for other in explained.why_not or entry.alternatives:
        value = words.value_words(knowledge, entry.topic, other.value, entry.unit)
        notes = []
        for erratum in words.errata_quoted(knowledge, entry.topic, other.why_not):
            key = erratum.partition(":")[0]
            notes.append(Branch(((f"Erratum {f'{key}, see above' if erratum in printed else erratum}", Style.BAD),)))
            printed.add(erratum)
        children.append(Branch(((value, Style.STRONG), f": {other.why_not}"), tuple(notes)))
    return children


def _flips(explained: Explanation, plan: Plan, knowledge: Knowledge, look: Look) -> list[Branch]:
    entry = explained.entry
    arrow = "→" if look.unicode else "->"
    children = []
    for flip in entry.flips:
        known = plan.facts.get(flip.fact)
        now = words.fact_words(knowledge, flip.fact, known.value) if known else "unknown"
        to, then = words.flip_words(knowledge, entry, flip)
        children.append(Branch((f"{flip.fact}: {now} {arrow} {to} gives ", (then, Style.STRONG))))
    return children
