"""HOW a recommendation came about: the tree of rules and facts behind it, down to what was stated, detected or assumed."""

from __future__ import annotations

from advisor.facts.fact_base import Source
from advisor.inference.plan import Plan
from advisor.knowledge.model import Knowledge
from advisor.report import words
from advisor.report.page import Branch, Look, Page, Piece, Style
from advisor.report.plan.explanation import Ground, Reading, explain, read_fact
from advisor.report.plan.text import symbol


def how_page(plan: Plan, knowledge: Knowledge, topic: str, look: Look) -> str:
    """The tree behind one topic. A topic or a computed fact that several rules read is told where it comes up first."""
    page = Page(look)
    page.tree(_Tree(plan, knowledge, look).topic(topic))
    return page.text()


class _Tree:
    def __init__(self, plan: Plan, knowledge: Knowledge, look: Look) -> None:
        self.plan = plan
        self.knowledge = knowledge
        self.look = look
        self.told: set[str] = set()

    def topic(self, name: str) -> Branch:
        self.told.add(name)
        entry = self.plan.recommendations[name]
        explained = explain(self.plan, self.knowledge, name)
        mark, style = symbol(entry.status, self.look)
        advice = (words.advice_words(self.knowledge, entry), Style.STRONG)
        title: tuple[Piece, ...] = ((mark, style), f" {name} = ", advice, f" ({words.STATUS_WORDS[entry.status]})")
        children = [self._ground(ground) for ground in explained.grounds]
        if explained.applies is not None:
            condition, readings = explained.applies
            children.append(Branch((f"it needs {condition}",), tuple(map(self._reading, readings))))
        if explained.unknown:
            names = ", ".join(fact for fact, _ in explained.unknown)
            children.append(Branch((("not known, and could change it: ", Style.CARE), names)))
        return Branch(title, tuple(children))

    def _ground(self, ground: Ground) -> Branch:
        reason = ground.reason
        cited = f" [{', '.join(reason.sources)}]" if reason.sources else ""
        inner = [Branch(((f"Erratum {erratum}", Style.BAD),)) for erratum in reason.errata]
        if not reason.verified:
            inner.append(Branch((("not verified", Style.CARE), f": {words.UNVERIFIED_MEANS}")))
        if reason.origin:
            inner.append(Branch((("from the rule pack ", Style.CARE), reason.origin)))
        if ground.computed:
            inner.append(Branch((("value: ", Style.FAINT), ground.computed)))
        inner.append(Branch((("when: ", Style.FAINT), reason.when or "always")))
        inner += [self._reading(reading) for reading in ground.readings]
        item = f"{ground.item}: " if ground.item else ""
        return Branch(((f"rule {reason.rule}: ", Style.FAINT), item, reason.text, (cited, Style.FAINT)), tuple(inner))

    def _reading(self, reading: Reading) -> Branch:
        if reading.name in self.told:
            return Branch((f"{reading}, see above",))
        if reading.name in self.plan.recommendations:
            return self.topic(reading.name)
        known = self.plan.facts.get(reading.name)
        fact = self.knowledge.vocabulary.facts.get(reading.name)
        formula = (fact.derive or fact.assume) if fact is not None else None
        if known is None or formula is None or known.source not in (Source.DERIVED, Source.ASSUMED):
            return Branch((str(reading),))
        self.told.add(reading.name)
        names = self.knowledge.expression(formula).names
        read = [
            self._reading(read_fact(self.plan, self.knowledge, name))
            for name in self.knowledge.vocabulary.facts
            if name in names
        ]
        return Branch((f"{reading}: {formula}" if read else str(reading),), tuple(read))
