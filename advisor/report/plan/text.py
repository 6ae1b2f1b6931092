"""A plan for the terminal: one entry a topic, by groups, then what is still worth doing."""

from __future__ import annotations

from advisor.facts.fact_base import Source
from advisor.inference.plan import Measurement, Plan, Reason, Recommendation, Status
from advisor.knowledge.model import Knowledge, Policy
from advisor.report import contents, words
from advisor.report.changes import VERDICTS, sentence
from advisor.report.numbers import numbers_lines
from advisor.report.page import Item, Look, Page, Piece, Style
from advisor.wording import join_names

QUESTIONS_SHOWN = 5
NAMES_SHOWN = 3
FEW = 4

_SYMBOLS = {
    Status.SETTLED: ("✓", "+", Style.GOOD),
    Status.MEASURED: ("◆", "*", Style.GOOD),
    Status.SIMULATED: ("◇", "o", Style.GOOD),
    Status.LEANING: ("~", "~", Style.CARE),
    Status.OPEN: ("?", "?", Style.BAD),
    Status.NOT_APPLICABLE: ("–", "-", Style.FAINT),
    Status.SILENT: ("·", ".", Style.FAINT),
}


def plan_page(plan: Plan, knowledge: Knowledge, look: Look, arguments: str = "") -> str:
    """The whole plan as text. Everything in it that came from outside is shown as plain text.

    Args:
        arguments: of the command line that told the facts: commands repeat them.
    """
    said = f" {arguments}" if arguments else ""
    page = Page(look)
    _summary(page, plan)
    for title, entries in words.grouped(plan):
        page.heading(title.upper())
        for entry in entries:
            _entry(page, plan, knowledge, entry)
    reasons = "Not applicable, means nothing here", "Silent, this school says nothing about"
    page.section("NO ADVICE", contents.left_out(plan, *reasons))
    numbers_lines(page, plan, said)
    _assumptions(page, plan, knowledge)
    _questions(page, plan, knowledge, said)
    _probes(page, plan, knowledge, said)
    _trials(page, plan, knowledge, said)
    _remarks(page, plan, knowledge, said)
    return page.text()


def symbol(status: Status, look: Look) -> tuple[str, Style]:
    """A mark that always stands beside the status in words."""
    unicode, ascii_, style = _SYMBOLS[status]
    return (unicode if look.unicode else ascii_), style


def status_mark(entry: Recommendation, look: Look) -> list[tuple[str, Style]]:
    """`✓ settled  `: the status by mark and by word, as wide for most of them."""
    mark, style = symbol(entry.status, look)
    return [(mark, style), (f" {words.STATUS_WORDS[entry.status]:<8} ", style)]


def headline(knowledge: Knowledge, entry: Recommendation, look: Look) -> tuple[Piece, ...]:
    """`Network type: cnn (convolutional network) · network.type`; long lists follow line by line."""
    items = entry.value if isinstance(entry.value, list | tuple) else ()
    topic = knowledge.topics.get(entry.topic)
    if topic is not None and topic.policy is Policy.ALL and len(items) > FEW:
        advice = f"{len(items)} pieces of advice"
    else:
        advice = words.advice_words(knowledge, entry)
    return (f"{entry.title}: ", (advice, Style.STRONG), (f" {'·' if look.unicode else '-'} {entry.topic}", Style.FAINT))


def measured_line(knowledge: Knowledge, entry: Recommendation, measured: Measurement, look: Look) -> tuple[Piece, ...]:
    """`Measured: 4 threads → 2 threads, overturned.` Of a simulation it says `Simulated`."""
    before, after = words.measured_change(knowledge, entry, measured)
    change = f"{after}, as before" if before == after else f"{before} {'→' if look.unicode else '->'} {after}"
    return (f"{words.basis_word(measured).capitalize()}: {change}, ", (VERDICTS[measured.verdict], Style.STRONG), ".")


# --- parts of the page -------------------------------------------------------------------------------------------


def _summary(page: Page, plan: Plan) -> None:
    page.add(("YOUR PLAN", Style.HEADING), f" by {words.SCHOOL_WORDS[plan.school]}")
    sources = [known.source for known in plan.facts.values()]
    counts = [f"{sources.count(source)} {words.SOURCE_WORDS[source]}" for source in Source if source in sources]
    facts = "one fact" if len(sources) == 1 else f"{len(sources)} facts"
    page.add(f"It rests on {facts}: {join_names(counts)}." if sources else "It rests on no facts at all.")
    page.blank()
    for status, count in words.by_status(plan).items():
        mark, style = symbol(status, page.look)
        said = (words.STATUS_WORDS[status], style), f": {words.STATUS_MEANS[status]}"
        page.add(f"{count} ", *said, first=[(f"{mark} ", style)])
    if not all(reason.verified for entry in plan.recommendations.values() for reason in entry.because):
        page.add(("not verified", Style.CARE), f": {words.UNVERIFIED_MEANS}", first="! ")


def _entry(page: Page, plan: Plan, knowledge: Knowledge, entry: Recommendation) -> None:
    page.add(*headline(knowledge, entry, page.look), first=status_mark(entry, page.look))
    if entry.measured is not None:
        line = measured_line(knowledge, entry, entry.measured, page.look)
        unit = words.compared_unit(knowledge, entry, entry.measured)
        page.add(*line, f" {sentence(entry.measured, unit)}", first="  ")
    _reasons(page, knowledge, entry)
    for number, action in enumerate(entry.actions):
        page.verbatim(action, first="     " if number else "  do ")
    unsure = [*(name for name, _ in words.assumed_facts(plan, entry)), *words.unknown_facts(plan, entry)]
    turn = {name: number for number, name in enumerate(plan.questions)}
    unsure.sort(key=lambda name: turn.get(name, len(turn)))
    unsure = list(
        dict.fromkeys(_askable(knowledge, name) for name in unsure if _is_worth_knowing(plan, knowledge, name))
    )
    if unsure:
        page.add((f"could change with {_first_few(unsure)}", Style.CARE), first=[("  ! ", Style.CARE)])


def _is_worth_knowing(plan: Plan, knowledge: Knowledge, name: str) -> bool:
    """True for facts assumed, measured, or still worth asking; other unknown facts mean nothing until those are known."""
    fact = knowledge.vocabulary.facts.get(name)
    return name in plan.facts or name in plan.questions or (fact is not None and fact.group == "probe")


def _assumptions(page: Page, plan: Plan, knowledge: Knowledge) -> None:
    """The assumptions, and the advice for which each matters."""
    advised = [entry for entry in plan.recommendations.values() if words.is_advice(entry)]
    matters = words.gathered((name, entry.title) for entry in advised for name, _ in words.assumed_facts(plan, entry))
    values = {name: words.fact_words(knowledge, name, plan.facts[name].value) for name in matters}
    items: list[Item] = [
        [(name, Style.STRONG), f" = {values[name]}: matters for {_first_few(titles)}"]
        for name, titles in matters.items()
    ]
    page.section("ASSUMED", items)


def _reasons(page: Page, knowledge: Knowledge, entry: Recommendation) -> None:
    """Every reason; where the topic gives several pieces of advice, each piece with the reasons for it."""
    topic = knowledge.topics.get(entry.topic)
    if topic is None or topic.policy is not Policy.ALL:
        for reason in entry.because:
            _reason(page, reason, first="  - " if len(entry.because) > 1 else "  ")
        return
    rules = {reason.rule: knowledge.by_id.get(reason.rule) for reason in entry.because}
    values = {name: rule.value if rule is not None else None for name, rule in rules.items()}
    items = list(entry.value or ())
    for item in items:
        found = [reason for reason in entry.because if values[reason.rule] == item]
        for reason in found:
            _reason(page, reason, (item, Style.STRONG), ": ", first="  - ")
        if not found:
            page.add(topic.values.get(item, item), first="  - ")
    for reason in entry.because:
        if values[reason.rule] not in items:
            _reason(page, reason, first="  - ")


def _reason(page: Page, reason: Reason, *before: Piece, first: str) -> None:
    """A reason with its sources, doubts and errata."""
    cited = f" [{', '.join(reason.sources)}]" if reason.sources else ""
    doubts = [] if reason.verified else ["not verified"]
    doubts += [f"from the rule pack {reason.origin}"] if reason.origin else []
    doubtful = f" ({', '.join(doubts)})" if doubts else ""
    page.add(*before, reason.text, (cited, Style.FAINT), (doubtful, Style.CARE), first=first)
    for erratum in reason.errata:
        page.add((f"Erratum {erratum}", Style.BAD), first=[("  ! ", Style.BAD)])


def _askable(knowledge: Knowledge, name: str) -> str:
    """The fact, or for what no question can find out, how it is found out."""
    fact = knowledge.vocabulary.facts.get(name)
    return "measuring" if fact is not None and fact.group == "probe" else name


def _first_few(names: list[str]) -> str:
    if len(names) <= NAMES_SHOWN:
        return join_names(names)
    return join_names([*names[: NAMES_SHOWN - 1], f"{len(names) - NAMES_SHOWN + 1} more"])


def _questions(page: Page, plan: Plan, knowledge: Knowledge, said: str) -> None:
    if not plan.questions:
        return
    page.heading(f"STILL WORTH ANSWERING ({len(plan.questions)})")
    for name in plan.questions[:QUESTIONS_SHOWN]:
        fact = knowledge.vocabulary.facts.get(name)
        page.add((name, Style.STRONG), f": {fact.question if fact else ''}", first="- ")
    more = len(plan.questions) - QUESTIONS_SHOWN
    if more > 0:
        page.add(f"and {more} more.", first="- ")
    page.add("Add answers with --set NAME=VALUE; `advisor glossary NAME` explains one. The wizard asks them all:")
    page.verbatim(f"advisor wizard{said}", first="  ")


def _probes(page: Page, plan: Plan, knowledge: Knowledge, said: str) -> None:
    if not plan.probes:
        return
    page.heading("WORTH MEASURING")
    for probe in plan.probes:
        page.add(
            (probe, Style.STRONG), f": could settle {join_names(contents.settled_by(knowledge, probe))}", first="- "
        )
    if words.plans_elsewhere(plan):
        page.add(words.measure_there(said.strip()))
        return
    page.add("To time the alternatives here, all of them or those of one probe:")
    page.verbatim(f"advisor probe{said}", first="  ")
    page.verbatim(f"advisor probe{said} --only {plan.probes[0]}", first="  ")


def _trials(page: Page, plan: Plan, knowledge: Knowledge, said: str) -> None:
    titles = words.worth_trying(plan, knowledge)
    if titles:
        page.heading("WORTH TRYING")
        data = said if "--data " in said else f"{said} --data PATH --target COLUMN"
        page.add(
            f"Training the plan's network and its rivals on your data could confirm or overturn {join_names(titles)}:"
        )
        page.verbatim(f"advisor try{data}{words.as_tried(plan)}", first="  ")


def _remarks(page: Page, plan: Plan, knowledge: Knowledge, said: str) -> None:
    page.section("PLEASE NOTE", words.remarks_on(plan, knowledge, said.strip()))
    example = next((entry.topic for entry in plan.recommendations.values() if words.is_advice(entry)), "TOPIC")
    page.apart("Why, why not otherwise, what would flip it:")
    page.verbatim(f"advisor explain {example}{said}", first="  ")
