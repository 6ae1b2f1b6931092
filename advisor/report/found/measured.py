"""The findings of a measurement: before -> measured -> after for every bet, rates, and what is still open."""

from __future__ import annotations

from collections.abc import Sequence

from advisor.agent.agent import Revision
from advisor.agent.settling.otherwise import timed_otherwise
from advisor.facts.experiments import is_of_strategies, is_simulated
from advisor.facts.verdict import Verdict
from advisor.inference.plan import Plan
from advisor.probes.catalogue import PROBES, probe_named
from advisor.probes.outcome import Outcome
from advisor.probes.workload import NAMED
from advisor.report.changes import STYLES, VERDICTS, claim, is_probe, listed, quantity, sentence
from advisor.report.machine.devices import quantity as with_prefix
from advisor.report.markup import plain, table
from advisor.report.page import Item, Look, Page, Style
from advisor.report.rates import rate_words
from advisor.report.words import gathered


def measured_page(revision: Revision, look: Look) -> str:
    """For the terminal; the newest result of each probe counts."""
    page = Page(look)
    newest = newest_of(revision.outcomes)
    bets = measured_bets(newest)
    timed = timed_network(newest)
    if timed:
        page.add(timed)
    if bets:
        page.heading("before -> measured -> after")
        for outcome in bets:
            _bet(page, revision.after, outcome)
    elif not newest:
        page.add("Nothing was measured.")
    _changes(page, revision)
    page.reasons("still open", gathered((one.reason, one.probe) for one in revision.open))
    left_out = [one for one in revision.skipped if not one.open]
    page.reasons("not measured here", gathered((one.reason, one.probe) for one in left_out))
    return page.text()


def measured_markdown(revision: Revision) -> list[str]:
    """The same for a report: every bet, every rate, and what is still open."""
    plan, newest = revision.after, newest_of(revision.outcomes)
    lines = ["", "## What was measured"]
    if timed := timed_network(newest):
        lines += ["", plain(timed)]
    bets = measured_bets(newest)
    if bets:
        lines += table(["What", "Before", "Measured", "After", "How"], [bet_row(plan, outcome) for outcome in bets])
    rates = [row for outcome in newest for row in gauged(outcome)]
    if rates:
        lines += table(["Probe", "Setting", "Rate and 95 % interval"], rates)
    lines += [
        f"- {plain(outcome.probe)}: {plain(said)}"
        for outcome in bets
        if (said := timed_otherwise(plan, outcome)) is not None
    ]
    lines += [f"- {plain(one.probe)} is still open: {plain(one.reason)}" for one in revision.open]
    return [*lines, ""]


def timed_network(outcomes: Sequence[Outcome]) -> str:
    """`timed: your module net.py:make, 11,689,512 weights`, as the process has built it; empty where no network was timed."""
    for outcome in outcomes:
        weights, name = outcome.applies.get("weights", ""), outcome.applies.get("network", "")
        if name and weights.isdecimal():
            return f"timed: {outcome.applies.get(NAMED) or name}, {int(weights):,} weights"
    return ""


def gauged(outcome: Outcome) -> list[tuple[str, str, str]]:
    """The rates that a probe gauged: probe, setting, rate with its interval."""
    if not outcome.gauges or outcome.failure is not None:
        return []
    rates = ((record.setting, outcome.rate(record.setting)) for record in outcome.settings)
    return [(outcome.probe, str(setting), rate_words(rate)) for setting, rate in rates if rate is not None]


def newest_of(outcomes: Sequence[Outcome]) -> list[Outcome]:
    """Of each probe the newest result, of strategies of each topic; one that failed only where there is no other."""
    found: dict[tuple[str, str], Outcome] = {}
    for outcome in outcomes:
        kind = outcome.probe, outcome.topic if is_of_strategies(outcome.probe) else ""
        if kind not in found or outcome.measured or not found[kind].measured:
            found[kind] = outcome
    return list(found.values())


def measured_bets(outcomes: Sequence[Outcome]) -> list[Outcome]:
    """The bets for which something was measured, and not only simulated."""
    return [outcome for outcome in outcomes if is_bet(outcome) and not is_simulated(outcome.probe)]


def is_bet(outcome: Outcome) -> bool:
    """True if it says which of two settings holds; others only measure rates."""
    return bool(outcome.fact)


def title_of(plan: Plan, outcome: Outcome) -> str:
    """The recommendation that it decides, or the probe's own title."""
    topic = plan.knowledge.topics.get(outcome.topic) if plan.knowledge is not None else None
    if topic is not None and outcome.probe in topic.experiments:
        return topic.title
    return next((probe.title for probe in PROBES if probe.name == outcome.probe and probe.title), outcome.probe)


def _bet(page: Page, plan: Plan, outcome: Outcome) -> None:
    title, before, said, after, found = bet_row(plan, outcome)
    verdict = (said, Style.BAD if outcome.failure else STYLES[outcome.verdict])
    page.add((title, Style.STRONG), f": {before} -> ", verdict, f" -> {after}", first="  ")
    if outcome.failure or outcome.measured:
        page.add(found, first="    ")
    if outcome.failure:
        return
    doubts = outcome.conditions.warnings if outcome.verdict is Verdict.UNDECIDED else ()
    told = second_start(outcome), *doubts, timed_otherwise(plan, outcome), _memory(outcome)
    for text in (*told, f"measured with: {conditions(outcome)}"):
        if text:
            page.add((text, Style.FAINT), first="    ")
    if plan.knowledge is None:
        return
    entry = plan.recommendations.get(outcome.topic)
    if entry is not None and entry.measured is not None and entry.measured.probe == outcome.probe:
        for rule, judged in entry.measured.judged.items():
            page.add(f"{claim(plan, rule)}: {VERDICTS[Verdict(judged)]}", first="    ")


def second_start(outcome: Outcome) -> str:
    """The result of a second start for a bet that was overturned; empty where none was needed."""
    return f"A second start {outcome.second_start}" if outcome.second_start else ""


def bet_row(plan: Plan, outcome: Outcome) -> tuple[str, str, str, str, str]:
    """The row of a bet: topic, value before, what measuring said, value after, and the comparison or why it failed."""
    unit = unit_of(plan, outcome)
    after = outcome.before if outcome.after is None else outcome.after
    said = "failed" if outcome.failure else VERDICTS[outcome.verdict]
    found = outcome.failure or (sentence(outcome, unit) if outcome.measured else "Nothing was compared.")
    return title_of(plan, outcome), quantity(outcome.before, unit), said, quantity(after, unit), found


def unit_of(plan: Plan, outcome: Outcome) -> str:
    """The unit of the fact that the probe settles."""
    fact = plan.knowledge.vocabulary.facts.get(outcome.fact) if plan.knowledge is not None else None
    return fact.unit if fact is not None else ""


def _memory(outcome: Outcome) -> str:
    """Peak memory by setting, where each was measured by itself."""
    if not is_probe(outcome.probe) or probe_named(outcome.probe).bench != "peers":
        return ""
    found = [
        f"{r.setting} {with_prefix(r.peak_memory_bytes, 'bytes')}" for r in outcome.settings if r.peak_memory_bytes
    ]
    return f"most memory held: {', '.join(found)}" if found else ""


def conditions(outcome: Outcome) -> str:
    """`batch size 64, threads 4`."""
    told = {name: text for name, text in outcome.applies.items() if name != NAMED}
    return ", ".join(f"{name.replace('_', ' ')} {text}" for name, text in sorted(told.items()))


def _changes(page: Page, revision: Revision) -> None:
    if not revision.measured:
        return
    changed: list[Item] = [
        [(entry.title, Style.STRONG), f": {_value(was)} -> {_value(entry.value)}"]
        for name, entry in revision.after.recommendations.items()
        if (was := revision.before.value(name)) != entry.value
    ]
    page.heading("what changes in the plan")
    page.items(changed)
    if not changed:
        page.add("Nothing: every recommendation stays as it was.")


def _value(value: object) -> str:
    return "nothing" if value is None else str(listed(value))
