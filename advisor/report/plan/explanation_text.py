"""Explanations for the terminal, as trees: of one recommendation, and of everything behind it down to plain facts."""

from __future__ import annotations

from collections.abc import Iterable

from advisor.facts.fact_base import Source
from advisor.inference.plan import Plan, Reason, Status
from advisor.knowledge.model import STATED, Knowledge
from advisor.report import words
from advisor.report.changes import VERDICTS, by_whom, sentence
from advisor.report.contents import notes_on
from advisor.report.numbers import needs_rows
from advisor.report.page import Branch, Look, Page, Piece, Style
from advisor.report.plan.explanation import Explanation, Ground, Lost, Reading, explain, read_fact
from advisor.report.plan.text import measured_line, symbol


def explanation_page(explained: Explanation, plan: Plan, knowledge: Knowledge, look: Look) -> str:
    """One topic as a tree: why, why not, what would flip it, what to do."""
    entry = explained.entry
    mark, style = symbol(entry.status, look)
    meaning = words.STATUS_MEANS.get(entry.status)
    sections: tuple[tuple[str, Iterable[Branch]], ...] = (
        ("It means something only when", _applies(explained)),
        ("Why", map(_ground, explained.grounds)),
        ("Needs of each way, on each device", _needs(explained)),
        ("", _measured(explained, knowledge, look)),
        ("Please note", _notes(explained, knowledge)),
        ("Could change with what is not known", _open(explained)),
        ("Superseded advice", map(_lost, explained.lost)),
        ("Why not", _why_not(explained, knowledge)),
        ("What would flip it", _flips(explained, plan, knowledge, look)),
        ("What to do", [Branch((line,), verbatim=True) for line in entry.actions]),
    )
    branches = [_line((mark, style), " ", (words.STATUS_WORDS[entry.status], style), f": {meaning}" if meaning else "")]
    for title, found in sections:
        children = tuple(found)
        branches += [Branch(((title, Style.HEADING),), children)] if title and children else children
    page = Page(look)
    advice = (words.advice_words(knowledge, entry), Style.STRONG)
    page.tree(Branch((f"{entry.title} ({entry.topic}): ", advice), tuple(branches)))
    if entry.status is Status.SILENT:
        page.add("`--school today` has advice on more topics than the survey.")
    return page.text()


def how_page(plan: Plan, knowledge: Knowledge, topic: str, look: Look) -> str:
    """The tree behind one topic, down to what was stated, detected or assumed.

    A topic or a computed fact that several rules read is told where it comes up first.
    """
    page = Page(look)
    page.tree(_Tree(plan, knowledge, look).topic(topic))
    return page.text()


def _line(*pieces: Piece, under: Iterable[Branch] = ()) -> Branch:
    return Branch(pieces, tuple(under))


def _lines(texts: Iterable[object]) -> list[Branch]:
    return [_line(str(text)) for text in texts]


def _errata(errata: Iterable[str]) -> list[Branch]:
    return [_line((f"Erratum {erratum}", Style.BAD)) for erratum in errata]


def _doubts(reason: Reason) -> list[Branch]:
    return [] if reason.verified else [_line(("not verified", Style.CARE), f": {words.UNVERIFIED_MEANS}")]


def _origin(reason: Reason) -> list[Branch]:
    return [_line(("from the rule pack ", Style.CARE), reason.origin)] if reason.origin else []


# --- one recommendation ------------------------------------------------------------------------------------------


def _needs(explained: Explanation) -> list[Branch]:
    """A line for each way: fits, 16 examples at a time: 1.2 GB + 3.4 GB = 6.1 GB of 21.6 GB."""
    lines = []
    for way, examples, states, activations, needed, usable, fits in needs_rows(explained.options):
        sum_ = f"states {states}, activations {activations}, {needed} in all, of {usable}"
        noun = "example" if examples == "1" else "examples"
        verdict = "fits" if fits == "yes" else "too much"
        lines.append(_line((way, Style.STRONG), f" ({examples} {noun} at a time): {sum_}: {verdict}"))
    return lines


def _notes(explained: Explanation, knowledge: Knowledge) -> list[Branch]:
    """Notes, apart from those on what lost: they have a section of their own."""
    notes = notes_on(knowledge, explained.entry, [lost.rule for lost in explained.lost])
    return [_line(note, under=_errata(errata)) for note, errata in notes]


def _applies(explained: Explanation) -> list[Branch]:
    condition, readings = explained.applies or ("", ())
    return [_line(condition), *_lines(readings)] if condition else []


def _ground(ground: Ground) -> Branch:
    reason = ground.reason
    traits = [f"school {reason.school.value}", *([reason.strength] if reason.strength else [])]
    if reason.readiness is not None:
        traits.append(f"technology readiness {reason.readiness} of 9")
    inner = [_line((f"rule {reason.rule} ({', '.join(traits)})", Style.FAINT))]
    inner += [_line(("value: ", Style.FAINT), ground.computed)] if ground.computed else []
    inner += [_line(("when: ", Style.FAINT), reason.when or "always", under=_lines(ground.readings))]
    inner += [_line(("source: ", Style.FAINT), cited) for cited in ground.citations]
    if reason.verified and reason.sources != (STATED,):
        inner.append(_line(("verified", Style.GOOD), f": looked up in the source{ground.looked_up}"))
    inner += [*_doubts(reason), *_errata(reason.errata), *_origin(reason)]
    return _line(f"{f'{ground.item}: ' if ground.item else ''}{reason.text}", under=inner)


def _measured(explained: Explanation, knowledge: Knowledge, look: Look) -> list[Branch]:
    entry = explained.entry
    measured = entry.measured
    if measured is None:
        return []
    said = [
        sentence(measured, words.compared_unit(knowledge, entry, measured)),
        f"by {by_whom(measured.probe)}{f' on {measured.date}' if measured.date else ''}",
        f"{words.under_words(measured)}: {words.scope_words(measured)}",
        *(f"rule {rule}: {VERDICTS.get(verdict, verdict)}" for rule, verdict in measured.judged.items()),
    ]
    return [_line(*measured_line(knowledge, entry, measured, look), under=_lines(said))]


def _open(explained: Explanation) -> list[Branch]:
    children = [_line(f"{name} = {value}, assumed") for name, value in explained.assumed]
    return children + [_line((name, Style.STRONG), f": {question}") for name, question in explained.unknown]


def _lost(lost: Lost) -> Branch:
    inner = [_line((f"rule {lost.rule} (school {lost.school})", Style.FAINT))]
    inner += [_line(("source: ", Style.FAINT), cited) for cited in lost.citations]
    inner += [*_errata(lost.errata), _line(f"lost to {lost.winner}: {lost.winner_text}")]
    return _line((lost.advised, Style.STRONG), f": {lost.text}", under=inner)


def _why_not(explained: Explanation, knowledge: Knowledge) -> list[Branch]:
    entry = explained.entry
    printed = {erratum for lost in explained.lost for erratum in lost.errata}
    printed |= {erratum for ground in explained.grounds for erratum in ground.reason.errata}
    children = []
    for other in explained.why_not or entry.alternatives:
        value = words.value_words(knowledge, entry.topic, other.value, entry.unit)
        errata = words.errata_quoted(knowledge, entry.topic, other.why_not)
        notes = [f"{one.partition(':')[0]}, see above" if one in printed else one for one in errata]
        children.append(_line((value, Style.STRONG), f": {other.why_not}", under=_errata(notes)))
        printed.update(errata)
    return children


def _flips(explained: Explanation, plan: Plan, knowledge: Knowledge, look: Look) -> list[Branch]:
    entry = explained.entry
    arrow = "→" if look.unicode else "->"
    children = []
    for flip in entry.flips:
        known = plan.facts.get(flip.fact)
        now = words.fact_words(knowledge, flip.fact, known.value) if known else "unknown"
        to, then = words.flip_words(knowledge, entry, flip)
        children.append(_line(f"{flip.fact}: {now} {arrow} {to} gives ", (then, Style.STRONG)))
    return children


# --- everything behind it ----------------------------------------------------------------------------------------


class _Tree:
    def __init__(self, plan: Plan, knowledge: Knowledge, look: Look) -> None:
        self.plan, self.knowledge, self.look = plan, knowledge, look
        self.told: set[str] = set()

    def topic(self, name: str) -> Branch:
        self.told.add(name)
        entry = self.plan.recommendations[name]
        explained = explain(self.plan, self.knowledge, name)
        advice = (words.advice_words(self.knowledge, entry), Style.STRONG)
        children = [self._ground(ground) for ground in explained.grounds]
        if explained.applies is not None:
            condition, readings = explained.applies
            children.append(_line(f"it needs {condition}", under=map(self._reading, readings)))
        if explained.unknown:
            names = ", ".join(fact for fact, _ in explained.unknown)
            children.append(_line(("not known, and could change it: ", Style.CARE), names))
        status = f" ({words.STATUS_WORDS[entry.status]})"
        return _line(symbol(entry.status, self.look), f" {name} = ", advice, status, under=children)

    def _ground(self, ground: Ground) -> Branch:
        reason = ground.reason
        item = f"{ground.item}: " if ground.item else ""
        cited = f" [{', '.join(reason.sources)}]" if reason.sources else ""
        inner = [*_errata(reason.errata), *_doubts(reason), *_origin(reason)]
        inner += [_line(("value: ", Style.FAINT), ground.computed)] if ground.computed else []
        inner += [_line(("when: ", Style.FAINT), reason.when or "always"), *map(self._reading, ground.readings)]
        return _line((f"rule {reason.rule}: ", Style.FAINT), item, reason.text, (cited, Style.FAINT), under=inner)

    def _reading(self, reading: Reading) -> Branch:
        name = reading.name
        if name in self.told:
            return _line(f"{reading}, see above")
        if name in self.plan.recommendations:
            return self.topic(name)
        known, fact = self.plan.facts.get(name), self.knowledge.vocabulary.facts.get(name)
        formula = (fact.derive or fact.default) if fact is not None else None
        if known is None or formula is None or known.source not in (Source.DERIVED, Source.ASSUMED):
            return _line(str(reading))
        self.told.add(name)
        names = self.knowledge.expression(formula).names
        facts = [name for name in self.knowledge.vocabulary.facts if name in names]
        read = [self._reading(read_fact(self.plan, self.knowledge, name)) for name in facts]
        return _line(f"{reading}: {formula}" if read else str(reading), under=read)
