"""The findings of a measurement on one screen: what each bet was, what was measured, and what it is; then what is left."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from advisor.agent.agent import Revision
from advisor.agent.choosing import PATIENCE
from advisor.agent.events import ProbeSkipped
from advisor.agent.machines.remarks import Again
from advisor.agent.settling.otherwise import fewer_examples, timed_otherwise
from advisor.agent.trials.outcomes import is_trial
from advisor.facts.verdict import Verdict
from advisor.probes.catalogue import probe_named
from advisor.probes.outcome import Outcome
from advisor.report.changes import STYLES, is_probe, listed, quantity
from advisor.report.contents import Outlook
from advisor.report.found.measured import bet_row, is_bet, measured_bets, newest_of, timed_network, unit_of
from advisor.report.page import Look, Page, Style
from advisor.report.plan.brief import needs_of, title_of
from advisor.report.rates import rate_words
from advisor.wording import join_names, shorten

_REASON = 110
"""Characters of a reason, of which the rest stands among the details."""
_NARROW = 70
"""Columns, below which a bet is a sentence and not a row of a table."""
_MINUTE, _LEAST, _MOST, _DAY = 60, 180, 1800, 86340
"""Seconds. Budgets are whole minutes, at least three; beyond half an hour only what takes least is proposed."""
_OVERHEAD = 10
"""Seconds of a run beside its probes."""


@dataclass(frozen=True, slots=True)
class Asked:
    """The run, as the command line asked for it."""

    facts: str = ""
    """The options that told the facts, as they are typed in a shell."""
    again: Again = Again()  # noqa: RUF009 - immutable
    only: tuple[str, ...] = ()
    saved: str = ""
    """A sentence on where it is kept."""
    usual: bool = False
    """True if the network that was timed is a usual one, since no plan was asked for."""
    unsaved: bool = False
    """True if nothing that was measured could be kept: all of it is to be measured again."""


def measured_brief(revision: Revision, look: Look, asked: Asked = Asked()) -> str:
    """The first screen after measuring, at most 24 lines at 80 columns."""
    for bets in (9, 7, 5, 3):
        if _page(revision, replace(look, colour=False), asked, bets).fits:
            break
    return _page(revision, look, asked, bets).text()


def _page(revision: Revision, look: Look, asked: Asked, most: int) -> Page:
    page = Page(look)
    newest = newest_of(revision.outcomes)
    bets = sorted(measured_bets(newest), key=_rank)
    timed = timed_network(newest).removeprefix("timed: ")
    page.add(timed or "on this machine", first=[("MEASURED HERE  ", Style.HEADING)])
    if bets:
        _row(page, *((word, Style.FAINT) for word in ("what", "before ->", "measured ->", "after")))
    for outcome in bets[:most]:
        _bet(page, revision, outcome)
    if len(bets) > most:
        page.add(f"and {len(bets) - most} more", first="  ")
    if not bets:
        _rates(page, newest, most)
    _reasons(page, revision, bets, max(1, most // 3))
    _left(page, revision)
    if asked.saved:
        page.add(asked.saved, first="  ")
    if not asked.usual:
        page.blank()
        page.add(title_of(revision.after), first=[("PLAN NOW  ", Style.HEADING)])
        needs = list(needs_of(Outlook(revision.after)))
        if needs:
            page.add("; ".join(needs), first="  ")
    page.blank()
    page.add(("NEXT", Style.HEADING), "  --details shows intervals, conditions, the machine and the survey's claims")
    for command, purpose in _next(revision, asked):
        beside = f"  # {purpose}" if len(command) + len(purpose) + 6 <= look.columns else ""
        page.verbatim(f"{command}{beside}", first="  ")
    return page


def _rank(outcome: Outcome) -> int:
    """Changes first, then what was decided, then what was not."""
    if outcome.failure:
        return 4
    order = (Verdict.OVERTURNED, Verdict.CONFIRMED, Verdict.NO_DIFFERENCE, Verdict.UNDECIDED)
    return order.index(Verdict(outcome.verdict))


def _row(page: Page, *words: tuple[str, Style]) -> None:
    """The cells of one line, of which the one before the last has what the others leave."""
    if page.look.columns >= _NARROW:
        page.columns([(word,) for word in words], (20, 12, page.look.columns - 53, 15))


def _bet(page: Page, revision: Revision, outcome: Outcome) -> None:
    title, before, _, after, _ = bet_row(revision.after, outcome)
    fewer = fewer_examples(revision.after, outcome)
    found, said, style = _found(revision, outcome), _said(outcome, after), STYLES[outcome.verdict]
    if fewer is not None and outcome.verdict is not Verdict.UNDECIDED:
        said, style = f"only with {fewer}", Style.CARE
    if outcome.failure:
        style = Style.BAD
    if page.look.columns < _NARROW:
        page.add(
            (title, Style.STRONG), f": {before}; {found}{': ' if found else ''}", (said, style), first="  ", rest="    "
        )
    else:
        _row(page, (title, Style.STRONG), (str(listed(before)), Style.PLAIN), (found, Style.PLAIN), (said, style))


def _said(outcome: Outcome, after: str) -> str:
    if outcome.failure:
        return "failed"
    match Verdict(outcome.verdict):
        case Verdict.OVERTURNED:
            return f"CHANGED to {after}"
        case Verdict.CONFIRMED:
            return "confirmed"
        case Verdict.NO_DIFFERENCE:
            return "kept"
        case _:
            return "not decided"


def _found(revision: Revision, outcome: Outcome) -> str:
    """`bf16 1.52 times as fast`, `1.48 times as fast as 1 thread`, `as fast as 64 examples`."""
    if outcome.failure or outcome.median is None or outcome.rival is None:
        return ""
    rival, median = quantity(outcome.rival, unit_of(revision.after, outcome)), outcome.median
    if is_trial(outcome.probe) and outcome.verdict in (Verdict.OVERTURNED, Verdict.CONFIRMED):
        return f"{median:+.3g} {outcome.unit.replace('_', ' ')}"
    match Verdict(outcome.verdict):
        case Verdict.NO_DIFFERENCE:
            return f"as good as {rival}" if is_trial(outcome.probe) else f"as fast as {rival}"
        case Verdict.OVERTURNED:
            return f"{rival} {median:.2f} times as fast"
        case Verdict.CONFIRMED:
            return f"{median:.2f} times as fast as {rival}"
        case _:
            return ""


def _rates(page: Page, newest: Sequence[Outcome], most: int) -> None:
    """The rates of the machine that were gauged, where no bet was measured."""
    rows = []
    for outcome in newest:
        labels = probe_named(outcome.probe).labels if not outcome.failure and is_probe(outcome.probe) else {}
        rates = ((labels.get(fact, fact), outcome.rate(setting)) for fact, setting in outcome.gauges.items())
        rows += [(label, rate_words(rate)) for label, rate in rates if labels and rate is not None]
    if rows:
        page.labelled((f"  {label}", words) for label, words in rows[:most])
    else:
        page.add("Nothing was compared." if newest else "Nothing was measured.", first="  ")


def _reasons(page: Page, revision: Revision, bets: Sequence[Outcome], most: int) -> None:
    """For what failed, was not decided or was timed otherwise, why: each reason once, as many as there is room for."""
    told: dict[str, list[str]] = {}
    for outcome in bets:
        doubts = outcome.conditions.warnings if outcome.verdict is Verdict.UNDECIDED else ()
        reason = outcome.failure or (doubts[0] if doubts else "") or timed_otherwise(revision.after, outcome)
        if reason:
            told.setdefault(_first_sentence(reason), []).append(outcome.probe)
    for reason, probes in list(told.items())[:most]:
        page.add(f"{join_names(probes)}: {reason}.", first=[("  ! ", Style.CARE)])


def _first_sentence(text: str) -> str:
    return shorten(text.partition(". ")[0].rstrip("."), _REASON)


def _left(page: Page, revision: Revision) -> None:
    """The probes that were not run: those that could still change the plan, and why the others say nothing about it."""
    names = [one.probe for one in revision.open]
    slow = {one.reason.partition(": ")[0] for one in revision.open if one.reason.startswith("A step")}
    others = [one for one in revision.skipped if not one.open]
    reasons = {_first_sentence(one.reason) for one in others}
    said = [f"Not reached: {', '.join(names)}."] if names else []
    said += [f"{reason}." for reason in sorted(slow)[:1]]
    if len(reasons) == 1:
        said.append(f"Left out: {join_names([one.probe for one in others])}, for one reason: {reasons.pop()}.")
    elif others:
        said.append(f"{len(others)} other probes do not apply to this plan.")
    if said:
        page.add(" ".join(said), first="  ")


def _next(revision: Revision, asked: Asked) -> Iterator[tuple[str, str]]:
    """Complete commands, and what each is for."""
    facts = f" {asked.facts}" if asked.facts else ""
    left = left_to_measure(revision, asked)
    if left:
        yield left.strip("`"), "what is left"
    if asked.usual:
        yield f"advisor wizard{facts}", "answer a few questions: then your own network"
    elif facts:  # what is measured without facts is a network for reference
        yield f"advisor starter{facts} --output project", "a project for this plan"


def left_to_measure(revision: Revision, asked: Asked) -> str:
    """The command, in backquotes, that measures what is left and what was not decided in a time that is enough; else ''."""
    undecided = [one for one in newest_of(revision.outcomes) if is_bet(one) and one.verdict is Verdict.UNDECIDED]
    needed = _needed(revision.open, [one for one in undecided if one.late or not one.failure])
    if not needed:
        return ""
    names = list(needed)
    while len(names) > 1 and sum(needed[name] for name in names) > _MOST:
        names.pop()
    seconds = max(_LEAST, sum(needed[name] for name in names) + _OVERHEAD)
    only = asked.only if len(names) == len(needed) or asked.unsaved else names
    return asked.again.command(only, f"{math.ceil(seconds / _MINUTE)}min")


def _needed(left: Sequence[ProbeSkipped], undecided: Sequence[Outcome]) -> dict[str, float]:
    """Seconds that each probe which is left needs, those that need least first; not of what a day is too short for."""
    found = {one.probe: max(one.seconds, probe_named(one.probe).cost_seconds) for one in left}
    found |= {one.probe: PATIENCE * probe_named(one.probe).cost_seconds for one in undecided if is_probe(one.probe)}
    return {name: needs for name, needs in sorted(found.items(), key=lambda item: item[1]) if needs + _OVERHEAD < _DAY}
