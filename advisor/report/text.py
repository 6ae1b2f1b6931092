"""A plan for the terminal: one entry a topic, by groups, then what is still worth doing."""

from __future__ import annotations

from collections.abc import Iterator

from advisor.errors import join_names
from advisor.facts.fact_base import Source
from advisor.inference.plan import Plan, Reason, Recommendation, Status
from advisor.knowledge.model import Effect, Knowledge
from advisor.report import words
from advisor.report.page import Branch, Look, Page, Piece, Style

QUESTIONS_SHOWN = 5
NAMES_SHOWN = 3
UNVERIFIED_MEANS = "the source is cited from memory, nobody has looked it up yet"

_SYMBOLS = {
    Status.SETTLED: ("✓", "+", Style.GOOD),
    Status.MEASURED: ("◆", "*", Style.GOOD),
    Status.LEANING: ("~", "~", Style.CARE),
    Status.OPEN: ("?", "?", Style.BAD),
    Status.NOT_APPLICABLE: ("–", "-", Style.FAINT),
    Status.SILENT: ("·", ".", Style.FAINT),
}


def plan_page(plan: Plan, knowledge: Knowledge, look: Look) -> str:
    """The whole plan as text. Everything in it that came from outside is shown as plain text."""
    page = Page(look)
    _summary(page, plan)
    for title, entries in words.grouped(plan):
        page.heading(title.upper())
        for entry in entries:
            _entry(page, plan, knowledge, entry)
    _left_out(page, plan)
    _questions(page, plan, knowledge)
    _probes(page, plan, knowledge)
    _remarks(page, plan, knowledge)
    return page.text()


def symbol(status: Status, look: Look) -> tuple[str, Style]:
    """A mark that always stands beside the status in words."""
    unicode, ascii_, style = _SYMBOLS[status]
    return (unicode if look.unicode else ascii_), style


def status_mark(entry: Recommendation, look: Look) -> list[tuple[str, Style]]:
    """`✓ settled  `: the status by mark and by word, always as wide."""
    mark, style = symbol(entry.status, look)
    return [(mark, style), (f" {words.STATUS_WORDS[entry.status]:<9}", style)]


def headline(knowledge: Knowledge, entry: Recommendation, look: Look) -> tuple[Piece, ...]:
    """`Network type: cnn (convolutional network) · network.type`."""
    advice = words.advice_words(knowledge, entry)
    return (f"{entry.title}: ", (advice, Style.STRONG), (f" {'·' if look.unicode else '-'} {entry.topic}", Style.FAINT))


def errata_of(reason: Reason) -> Iterator[tuple[str, Style]]:
    """An erratum is printed wherever its rule is."""
    for erratum in reason.errata:
        yield f"Erratum {erratum}", Style.BAD


def measured_branch(knowledge: Knowledge, entry: Recommendation, look: Look) -> Branch | None:
    """What timing said of the recommendation."""
    measured = entry.measured
    if measured is None:
        return None
    before, after = words.measured_change(knowledge, entry, measured)
    arrow = "→" if look.unicode else "->"
    change = f"{after}, as before" if before == after else f"{before} {arrow} {after}"
    against = f" against {words.value_words(knowledge, entry.topic, measured.rival, entry.unit, explained=False)}"
    details = [
        Branch((f"{words.ratio_words(measured)}{against if measured.rival is not None else ''}",)),
        Branch((f"by the probe {measured.probe}{f' on {measured.date}' if measured.date else ''}",)),
        Branch((f"holds for: {words.scope_words(measured)}",)),
    ]
    details += [Branch((f"{rule}: {words.judged_words(verdict)}",)) for rule, verdict in measured.judged.items()]
    return Branch((f"Measured: {change}, ", (words.VERDICT_WORDS[measured.verdict], Style.STRONG)), tuple(details))


# --- parts of the page -------------------------------------------------------------------------------------------------


def _summary(page: Page, plan: Plan) -> None:
    page.add(("YOUR PLAN", Style.HEADING), f" by {words.SCHOOL_WORDS[plan.school]}")
    sources = [known.source for known in plan.facts.values()]
    counts = [f"{sources.count(source)} {words.SOURCE_WORDS[source]}" for source in Source if source in sources]
    page.add(f"It rests on {len(sources)} facts: {join_names(counts)}." if sources else "It rests on no facts at all.")
    page.blank()
    for status, meaning in words.STATUS_MEANS.items():
        count = sum(entry.status is status for entry in plan.recommendations.values())
        if count:
            mark, style = symbol(status, page.look)
            page.add(f"{count} ", (words.STATUS_WORDS[status], style), f": {meaning}", first=[(f"{mark} ", style)])
    shown = [entry.because[0] for entry in plan.recommendations.values() if entry.because]
    if not all(reason.verified for reason in shown):
        page.add(("not verified", Style.CARE), f": {UNVERIFIED_MEANS}", first="! ")


def _entry(page: Page, plan: Plan, knowledge: Knowledge, entry: Recommendation) -> None:
    page.add(*headline(knowledge, entry, page.look), first=status_mark(entry, page.look))
    branch = measured_branch(knowledge, entry, page.look)
    if branch is not None and entry.measured is not None:
        page.add(*branch.pieces, f": {words.ratio_words(entry.measured)}", first="  ")
    marks: list[str] = []
    if entry.because:
        reason = entry.because[0]
        rule = knowledge.by_id.get(reason.rule)
        item = f"{rule.value}: " if rule is not None and rule.effect is Effect.ADD else ""
        cited = f" [{', '.join(reason.sources)}]" if reason.sources else ""
        page.add(item, reason.text, (cited, Style.FAINT), first="  ")
        for text, style in errata_of(reason):
            page.add((text, style), first=[("  ! ", style)])
        marks += [] if reason.verified else ["not verified"]
        marks += [f"from the rule pack {reason.origin}"] if reason.origin else []
    assumed = [f"{n} = {words.fact_words(knowledge, n, known.value)}" for n, known in words.assumed_facts(plan, entry)]
    marks += [f"assumes {join_names(assumed)}"] if assumed else []
    unknown = words.unknown_facts(plan, entry)
    marks += [f"hangs on {_first_few(unknown)}, not known yet"] if unknown else []
    if marks:
        page.add(("; ".join(marks), Style.CARE), first=[("  ! ", Style.CARE)])


def _first_few(names: list[str]) -> str:
    return join_names(names if len(names) <= NAMES_SHOWN else [*names[: NAMES_SHOWN - 1], f"{len(names) - NAMES_SHOWN + 1} more"])


def _left_out(page: Page, plan: Plan) -> None:
    silent = [entry.title for entry in plan.recommendations.values() if entry.status is Status.SILENT]
    nothing = [entry.title for entry in plan.recommendations.values() if entry.status is Status.NOT_APPLICABLE]
    if silent or nothing:
        page.heading("NO ADVICE")
    if nothing:
        page.add(f"Not applicable, means nothing here: {', '.join(nothing)}.", first="- ")
    if silent:
        page.add(f"Silent, this school says nothing about: {', '.join(silent)}.", first="- ")


def _questions(page: Page, plan: Plan, knowledge: Knowledge) -> None:
    if not plan.questions:
        return
    page.heading(f"STILL WORTH ANSWERING ({len(plan.questions)})")
    for name in plan.questions[:QUESTIONS_SHOWN]:
        fact = knowledge.vocabulary.facts.get(name)
        page.add((name, Style.STRONG), f": {fact.question if fact else ''}", first="- ")
    more = len(plan.questions) - QUESTIONS_SHOWN
    if more > 0:
        page.add(f"and {more} more.", first="- ")
    page.add("Add answers with --set NAME=VALUE; `advisor glossary NAME` explains one, `advisor wizard` asks them all.")


def _probes(page: Page, plan: Plan, knowledge: Knowledge) -> None:
    if not plan.probes:
        return
    page.heading("WORTH MEASURING")
    for probe in plan.probes:
        titles = [topic.title for topic in knowledge.topics.values() if topic.probe == probe]
        page.add((probe, Style.STRONG), f": could settle {join_names(titles)}", first="- ")
    page.add(f"`advisor probe` times the alternatives here; `advisor probe --only {plan.probes[0]}` runs one probe.")


def _remarks(page: Page, plan: Plan, knowledge: Knowledge) -> None:
    remarks = list(remarks_on(plan, knowledge))
    if remarks:
        page.heading("PLEASE NOTE")
        for remark in remarks:
            page.add(remark, first="- ")
    page.blank()
    example = next((entry.topic for entry in plan.recommendations.values() if words.is_advice(entry)), "TOPIC")
    page.add(f"Why, why not otherwise, what would flip it: `advisor explain {example}` with the same answers.")


def remarks_on(plan: Plan, knowledge: Knowledge) -> Iterator[str]:
    """Facts that disagree, were withdrawn, mean nothing here or were measured elsewhere."""
    for clash in plan.contradictions:
        used = words.known_words(knowledge, clash.fact, clash.used)
        overruled = words.known_words(knowledge, clash.fact, clash.overruled)
        yield f"{clash.fact}: {used} contradicts {overruled}; the plan uses the first."
    if plan.withdrawn:
        yield f"Withdrawn, because your answers describe another machine: {', '.join(plan.withdrawn)}."
    if plan.unused:
        yield f"Stated, but it means nothing for this plan: {', '.join(plan.unused)}."
    for name, known in plan.evidence:
        scope = ", ".join(f"{key} {value}" for key, value in known.applies.items())
        value = words.fact_words(knowledge, name, known.value)
        yield f"Measured elsewhere, so it is not counted here: {name} = {value} (on {scope or 'an unknown machine'})."
