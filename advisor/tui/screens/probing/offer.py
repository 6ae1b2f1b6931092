"""Probes worth running for a plan: the question of each, the bets it can settle, its cost."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from textual.content import Content

from advisor.agent.agent import AFTERWARDS
from advisor.agent.choosing import within_reach
from advisor.agent.settling.scope import plans_this_machine
from advisor.agent.worth import before_of, why_not, worth
from advisor.facts.fact_base import FactBase
from advisor.inference.plan import Plan, Status
from advisor.knowledge.model import Knowledge
from advisor.probes.catalogue import PROBES
from advisor.probes.probe import Probe
from advisor.report.changes import VERDICTS
from advisor.report.words import STATUS_WORDS, advice_words
from advisor.tui.text import FAINT, lines, plain
from advisor.wording import join_names, printable

ELSEWHERE = "The plan is for another machine than this one."


@dataclass(frozen=True, slots=True)
class Offer:
    """One probe, seen from a plan."""

    probe: Probe
    title: str
    bet: str
    """The recommendation that it decides, with the present value; empty if there is none."""
    known: str
    """The verdict of an earlier measurement."""
    claims: int
    """The number of claims of rules that it judges."""
    worth: float
    """Recommendations settled or changed."""
    why_not: str | None
    """The reason why it tells nothing here."""

    @property
    def ticked(self) -> bool:
        """The agent would run it by itself, given time."""
        return self.why_not is None and self.worth > 0 and not self.probe.opt_in

    @property
    def seconds(self) -> float:
        """The time that it is expected to take."""
        return self.probe.cost_seconds


def probe_title(knowledge: Knowledge, probe: Probe) -> str:
    """The title of the recommendation that the probe decides, or of what it measures."""
    topic = knowledge.topics.get(probe.topic)
    if topic is not None and topic.probe == probe.name:
        return topic.title
    return probe.title or probe.name


def offers(knowledge: Knowledge, plan: Plan, facts: FactBase) -> list[Offer]:
    """All probes: those that the agent would choose, then those that must be ticked by hand, then those that tell nothing here.

    Takes as long as a few dozen plans.
    """
    found = [_offer(knowledge, plan, probe, elsewhere=not plans_this_machine(facts)) for probe in PROBES]
    return sorted(found, key=lambda one: (not one.ticked, one.why_not is not None, -one.worth / one.probe.cost_seconds))


def _offer(knowledge: Knowledge, plan: Plan, probe: Probe, *, elsewhere: bool) -> Offer:
    reason = ELSEWHERE if elsewhere else why_not(plan, probe)
    before = before_of(plan, probe) if reason is None else None
    total = 0.0
    if before is not None:
        total = worth(knowledge, plan, probe, before).total
    entry = plan.recommendations.get(probe.topic)
    topic = knowledge.topics.get(probe.topic)
    decides = entry is not None and topic is not None and topic.probe == probe.name
    bet = known = ""
    if entry is not None and decides:
        bet = f"{entry.title}: {advice_words(knowledge, entry, explained=False)} ({STATUS_WORDS[entry.status]})"
        if entry.measured is not None and entry.status is Status.MEASURED:
            known = f"Measured already: {VERDICTS[entry.measured.verdict]}."
    claims = sum(rule.settles is not None and rule.settles.probe == probe.name for rule in knowledge.rules)
    return Offer(probe, probe_title(knowledge, probe), bet, known, claims, total, reason)


def time_words(ticked: Sequence[Offer], budget: float) -> str:
    """The time that these take together; where that is more than the budget (seconds), also what the agent does then."""
    if not ticked:
        return "Nothing is ticked."
    needed = sum(offer.seconds for offer in ticked)
    said = f"{len(ticked)} ticked: about {needed:.0f} s"
    if needed <= budget:
        return said
    first = len(within_reach(ticked, budget - AFTERWARDS))
    if len(ticked) == 1:
        return f"{said}, of {budget:.0f} s. It may be left undecided."
    cheapest = f"The {first} cheapest come" if first > 1 else "The cheapest comes"
    return f"{said}, of {budget:.0f} s. {cheapest} first; the others follow if time is left."


def offer_line(offer: Offer) -> Content:
    """`  6 s  Processor threads, a bet`."""
    what = ", a bet" if offer.bet else ""
    what = ", measured" if offer.known else what
    return Content.assemble((f"{offer.probe.cost_seconds:>3.0f} s  ", FAINT), printable(offer.title), (what, FAINT))


def offer_details(offer: Offer) -> Content:
    """The question of a probe, and why it is worth its time."""
    parts = [Content.styled(printable(offer.title), "bold"), plain(offer.probe.question), Content("")]
    if offer.bet:
        parts.append(plain(f"It can settle the bet {offer.bet}."))
    if offer.known:
        parts.append(plain(offer.known))
    if offer.claims:
        parts.append(plain(f"It judges {offer.claims} {'claim' if offer.claims == 1 else 'claims'} of the rules."))
    rates = [offer.probe.labels[fact] for fact in offer.probe.gauges]
    if rates:
        parts.append(plain(f"It measures: {'; '.join(rates)}."))
    if not offer.bet and not rates and offer.probe.fact:
        parts.append(plain("It decides how the plan is carried out, not what it recommends."))
    parts.append(plain(f"It takes about {offer.probe.cost_seconds:.0f} s."))
    if offer.probe.opt_in:
        parts.append(plain("It runs only when it is ticked by hand."))
    return lines(parts)


def not_here(found: Iterable[Offer]) -> Content:
    """The probes that tell nothing about this plan, by reason."""
    reasons: dict[str, list[str]] = {}
    for offer in found:
        if offer.why_not is not None:
            reasons.setdefault(offer.why_not, []).append(offer.title)
    told = [
        Content.assemble((printable(join_names(names)), "bold"), f": {printable(why)}")
        for why, names in reasons.items()
    ]
    return lines([Content("\n✗ Not here"), *told]) if told else Content("")
