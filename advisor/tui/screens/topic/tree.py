"""One recommendation as a tree: reasons down to the facts, why not another, what would flip it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from textual.content import Content

from advisor.facts.fact_base import Source
from advisor.facts.values import to_text
from advisor.inference.plan import Alternative, Measurement, Plan, Recommendation, Status
from advisor.knowledge.model import Knowledge, Policy
from advisor.report import contents, words
from advisor.report.changes import VERDICTS, by_whom, sentence
from advisor.report.plan.explanation import Explanation, Ground, Lost, Reading, explain, read_fact
from advisor.report.plan.text import FEW
from advisor.tui.labels import advice_label, answer_label, fact_label, value_label
from advisor.tui.requests import ToTopic, ToWhatIf
from advisor.tui.text import FAINT, lines, plain, status
from advisor.tui.widgets.outline import Lead, ToClipboard, Twig
from advisor.wording import printable

_CODE = re.compile(r"((?:[\w.-]+ needs )?`[^`]*`)")
"""The condition of a rule, quoted in a sentence for people."""


def headline(plan: Plan, knowledge: Knowledge, topic: str) -> Content:
    """The advice, and how sure it is."""
    entry = plan.recommendations[topic]
    meaning = words.STATUS_MEANS.get(entry.status, "")
    items = entry.value if isinstance(entry.value, list | tuple) else ()
    said = advice_label(knowledge, entry)
    if knowledge.topics[topic].policy is Policy.ALL and len(items) > FEW:
        said = f"{len(items)} pieces of advice, each with its reason below"
    spelled = f"  {topic} = {entry.shown}" if entry.value is not None and not items else f"  {topic}"
    meaning_of_value = knowledge.topics[topic].values.get(str(entry.value), "")
    told = f", {meaning_of_value}" if meaning_of_value and meaning_of_value != said else ""
    advice = Content.assemble((printable(said), "bold"), printable(told), (printable(spelled), FAINT))
    return lines([advice, Content.assemble(status(entry).rstrip(), f": {meaning}" if meaning else "")])


def topic_twigs(plan: Plan, knowledge: Knowledge, topic: str, asked: Sequence[str] = ()) -> tuple[Twig, ...]:
    """
    Args:
        asked: values for which to say why they are not recommended.

    Raises:
        InputError: one of them is no value of the topic.
    """
    tree = _Tree(plan, knowledge)
    answered = [found for value in asked for found in explain(plan, knowledge, topic, value).why_not]
    return tuple(tree.sections(explain(plan, knowledge, topic), answered))


@dataclass
class _Tree:
    plan: Plan
    knowledge: Knowledge
    told: set[str] = field(default_factory=set)
    """Topics and computed facts whose own reasons are further up."""

    def sections(self, explained: Explanation, asked: Sequence[Alternative]) -> Iterator[Twig]:
        entry = explained.entry
        self.told.add(entry.topic)
        if entry.status is Status.SILENT:
            yield Twig(plain("Today's practice has advice on more topics than the survey."))
        if entry.measured is not None:
            yield from _section(words.basis_word(entry.measured).capitalize(), self._measured(entry, entry.measured))
        if explained.applies is not None:
            condition, readings = explained.applies
            needs = Twig(plain(condition), tuple(map(self._reading, readings)), unfolded=True)
            yield from _section("It means something only when", [needs])
        yield from _section("Why not, as you asked", self._why_not(entry, asked))
        yield from _section("Why", [self._ground(ground) for ground in explained.grounds])
        yield from _section("Could change with what is not known", self._open(explained))
        yield from _section("Why not", self._why_not(entry, entry.alternatives))
        yield from _section("What would flip it", self._flips(entry))
        actions = [Twig(plain(one_line(text)), lead=ToClipboard(one_line(text))) for text in entry.actions]
        yield from _section("What to do", actions)
        yield from _section("What the survey advised, and why that lost", map(self._lost, explained.lost))
        yield from _section("Notes", self._notes(explained))

    # --- why -------------------------------------------------------------------------------------------------------

    def _ground(self, ground: Ground) -> Twig:
        reason = ground.reason
        traits = [f"school {reason.school.value}", *([reason.strength] if reason.strength else [])]
        if reason.readiness is not None:
            traits.append(f"technology readiness {reason.readiness} of 9")
        always = [*_errata(reason.errata)]
        if reason.origin:
            always.append(_twig(("from the rule pack ", "$text-warning"), reason.origin))
        if reason.verified:
            looked_up = _twig(("verified", "$text-success"), f": looked up in the source{ground.looked_up}")
        else:
            looked_up = _twig(("not verified", "$text-warning"), f": {words.UNVERIFIED_MEANS}")
        inner = (
            *([_twig(("value: ", FAINT), ground.computed)] if ground.computed else []),
            Twig(_text(("when: ", FAINT), reason.when or "always"), tuple(map(self._reading, ground.readings)), unfolded=True),
            *(_twig(("source: ", FAINT), cited) for cited in ground.citations),
            looked_up,
            _twig((f"rule {reason.rule} ({', '.join(traits)})", FAINT)),
        )  # fmt: skip
        beneath = (*always, Twig(plain("what it reads, and its sources"), inner)) if always else inner
        item = [(f"{ground.item}: ", "bold")] if ground.item else []
        cited = f" [{', '.join(reason.sources)}]" if reason.sources else ""
        return Twig(_text(*item, reason.text, (cited, FAINT)), beneath, unfolded=bool(always))

    def _reading(self, reading: Reading) -> Twig:
        """A fact or topic that a rule reads, with its own origins."""
        name = reading.name
        if name in self.plan.recommendations:
            lead: Lead = ToTopic(name)
            if name in self.told:
                return Twig(_read(reading, self._label(name), ", see above"), lead=lead)
            self.told.add(name)
            grounds = explain(self.plan, self.knowledge, name).grounds
            return Twig(_read(reading, self._label(name)), tuple(map(self._ground, grounds)), lead)
        known, fact = self.plan.facts.get(name), self.knowledge.vocabulary.facts[name]
        supposed = None if fact.group == "probe" else ToWhatIf(name)
        formula = fact.derive or fact.default
        if known is None or formula is None or known.source not in (Source.DERIVED, Source.ASSUMED):
            return Twig(_read(reading, self._label(name)), lead=supposed)
        if name in self.told:
            return Twig(_read(reading, self._label(name), ", see above"), lead=supposed)
        self.told.add(name)
        read = self.knowledge.expression(formula).names
        inner = [
            self._reading(read_fact(self.plan, self.knowledge, other))
            for other in self.knowledge.vocabulary.facts
            if other in read
        ]
        return Twig(_read(reading, self._label(name), f": {formula}"), tuple(inner), supposed)

    def _label(self, name: str) -> str:
        if name in self.plan.recommendations:
            return self.plan.recommendations[name].title
        return fact_label(self.knowledge.vocabulary.facts[name])

    def _notes(self, explained: Explanation) -> Iterator[Twig]:
        """Notes, apart from those on what lost: they have a section of their own."""
        lost = [lost.rule for lost in explained.lost]
        for note, errata in contents.notes_on(self.knowledge, explained.entry, lost):
            yield Twig(plain(note), tuple(_errata(errata)), unfolded=True)

    def _open(self, explained: Explanation) -> Iterator[Twig]:
        for name, value in explained.assumed:
            label = fact_label(self.knowledge.vocabulary.facts[name])
            yield Twig(_text(f"{label} ", (f"{value}, assumed", "bold"), (f"  {name}", FAINT)), lead=ToWhatIf(name))
        for name, question in explained.unknown:
            measured = self.knowledge.vocabulary.facts[name].group == "probe"
            yield Twig(_text(question, (f"  {name}", FAINT)), lead=None if measured else ToWhatIf(name))

    def _lost(self, lost: Lost) -> Twig:
        inner = [
            *_errata(lost.errata),
            _twig(f"lost to {lost.winner}: {lost.winner_text}"),
            *(_twig(("source: ", FAINT), cited) for cited in lost.citations),
            _twig((f"rule {lost.rule} (school {lost.school})", FAINT)),
        ]
        return Twig(_text((lost.advised, "bold"), f": {lost.text}"), tuple(inner), unfolded=bool(lost.errata))

    # --- measured --------------------------------------------------------------------------------------------------

    def _measured(self, entry: Recommendation, measured: Measurement) -> Iterator[Twig]:
        before, after = words.measured_change(self.knowledge, entry, measured)
        inner = [
            _twig(f"by {by_whom(measured.probe)}{f' on {measured.date}' if measured.date else ''}"),
            _twig(f"{words.under_words(measured)}: {words.scope_words(measured)}"),
            *(_twig(f"rule {rule}: {VERDICTS.get(verdict, verdict)}") for rule, verdict in measured.judged.items()),
        ]
        yield _twig(
            f"{before} → ",
            (VERDICTS[measured.verdict], "bold"),
            f" → {after}{', as before' if before == after else ''}",
        )
        unit = words.compared_unit(self.knowledge, entry, measured)
        yield Twig(plain(sentence(measured, unit)), tuple(inner))

    # --- otherwise -------------------------------------------------------------------------------------------------

    def _why_not(self, entry: Recommendation, others: Iterable[Alternative]) -> Iterator[Twig]:
        for other in others:
            value = value_label(self.knowledge, entry.topic, other.value, entry.unit)
            errata = words.errata_quoted(self.knowledge, entry.topic, other.why_not)
            said = [(part, FAINT) if number % 2 else part for number, part in enumerate(_CODE.split(other.why_not))]
            yield Twig(_text((value, "bold"), ": ", *said), tuple(_errata(errata)), unfolded=True)

    def _flips(self, entry: Recommendation) -> Iterator[Twig]:
        for flip in entry.flips:
            known = self.plan.facts.get(flip.fact)
            fact = self.knowledge.vocabulary.facts[flip.fact]
            now = answer_label(fact, known.value) if known else "not known"
            then = value_label(self.knowledge, entry.topic, flip.then, entry.unit)
            changed = f"{fact_label(fact)} {now} → {answer_label(fact, flip.to)} gives "
            text = _text(changed, (then, "bold"), (f"  {flip.fact}", FAINT))
            yield Twig(text, lead=ToWhatIf(flip.fact, to_text(flip.to)))


def one_line(text: str) -> str:
    """The text on one line: pasted into a shell, it must not run a second line that nobody has seen."""
    return printable(text).replace("\n", " ")


def _read(reading: Reading, label: str, beside: str = "") -> Content:
    """`What is one example? image (stated)  data.modality`: the name in rules is dimmed."""
    source = f" ({reading.source})" if reading.source else ""
    return _text(f"{label} ", (reading.value, "bold"), source, (f"  {reading.name}{beside}", FAINT))


def _section(title: str, twigs: Iterable[Twig]) -> Iterator[Twig]:
    found = tuple(twigs)
    if found:
        yield Twig(Content.styled(title, "bold $text-primary"), found, unfolded=True)


def _errata(errata: Iterable[str]) -> Iterator[Twig]:
    return (_twig((f"Erratum {erratum}", "$text-error")) for erratum in errata)


def _twig(*parts: str | tuple[str, str]) -> Twig:
    return Twig(_text(*parts))


def _text(*parts: str | tuple[str, str]) -> Content:
    """The parts on one line, each with its style; line breaks become blanks."""
    return Content.assemble(
        *(one_line(part) if isinstance(part, str) else (one_line(part[0]), part[1]) for part in parts)
    )
