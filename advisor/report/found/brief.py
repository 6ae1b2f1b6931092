"""The findings of a measurement on one screen: each bet with what it was, what it is, and by how much; then what is left."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from advisor.agent.agent import Revision
from advisor.agent.trials.outcomes import is_trial
from advisor.facts.verdict import Verdict
from advisor.probes.outcome import Outcome
from advisor.report.changes import STYLES, listed, quantity
from advisor.report.contents import Outlook
from advisor.report.found.measured import bet_row, is_bet, newest_of, timed_network, unit_of
from advisor.report.page import Look, Page, Style
from advisor.report.plan.brief import needs_of, title_of
from advisor.wording import join_names, shorten

_SAID = {
    Verdict.OVERTURNED: "CHANGED",
    Verdict.CONFIRMED: "confirmed",
    Verdict.NO_DIFFERENCE: "kept",
    Verdict.UNDECIDED: "not decided",
}
_REASON = 70
"""Characters of a reason, of which the rest stands among the details."""


def measured_brief(revision: Revision, look: Look, arguments: str = "") -> str:
    """The first screen after measuring, at most 24 lines at 80 columns.

    Args:
        arguments: of the command line that told the facts: commands that are proposed repeat them.
    """
    for bets in (9, 7, 5, 3):
        if _page(revision, replace(look, colour=False), arguments, bets).fits:
            break
    return _page(revision, look, arguments, bets).text()


def _page(revision: Revision, look: Look, arguments: str, most: int) -> Page:
    page = Page(look)
    newest = newest_of(revision.outcomes)
    bets = sorted((one for one in newest if is_bet(one)), key=_rank)
    timed = timed_network(newest).removeprefix("timed: ")
    page.add(timed or "on this machine", first=[("MEASURED HERE  ", Style.HEADING)])
    page.add(("before -> measured -> after", Style.FAINT) if bets else "")
    for outcome in bets[:most]:
        _bet(page, revision, outcome)
    if len(bets) > most:
        page.add(f"and {len(bets) - most} more", first="  ")
    if not bets:
        page.add("Nothing was compared." if newest else "Nothing was measured.", first="  ")
    _reasons(page, bets, max(1, most // 3))
    _left(page, revision)
    page.blank()
    page.add(title_of(revision.after), first=[("PLAN NOW  ", Style.HEADING)])
    needs = list(needs_of(Outlook(revision.after)))
    if needs:
        page.add("; ".join(needs), first="  ")
    page.blank()
    page.add(("NEXT", Style.HEADING), "  --details shows intervals, conditions, the machine and the survey's claims")
    said = f" {arguments}" if arguments else ""
    if revision.open:
        page.verbatim(f"advisor probe{said} --budget 3min", first="  ")
    if said:  # what is measured without facts is a network for reference
        page.verbatim(f"advisor starter{said} --output project", first="  ")
    return page


def _rank(outcome: Outcome) -> int:
    """Changes first, then what was decided, then what was not."""
    if outcome.failure:
        return 4
    order = (Verdict.OVERTURNED, Verdict.CONFIRMED, Verdict.NO_DIFFERENCE, Verdict.UNDECIDED)
    return order.index(Verdict(outcome.verdict))


def _bet(page: Page, revision: Revision, outcome: Outcome) -> None:
    title, before, _, after, _ = bet_row(revision.after, outcome)
    change = after if before == after else f"{listed(outcome.before)} -> {after}"
    said = ("failed", Style.BAD) if outcome.failure else (_SAID[Verdict(outcome.verdict)], STYLES[outcome.verdict])
    gain = _gain(revision, outcome)
    if page.look.columns < 70:
        page.add(f"{title}: {change}, {gain + ', ' if gain else ''}", said, first="  ", rest="    ")
    else:
        widths = (20, page.look.columns - 57, 20, 11)
        page.columns((((title, Style.STRONG),), (change,), (gain,), (said,)), widths)


def _gain(revision: Revision, outcome: Outcome) -> str:
    """`1.52 times as fast`, `1.48 times 1 thread`, `same as 64`."""
    if outcome.failure or outcome.median is None or outcome.rival is None:
        return ""
    rival = quantity(outcome.rival, unit_of(revision.after, outcome))
    match Verdict(outcome.verdict):
        case Verdict.NO_DIFFERENCE:
            return f"same as {rival}"
        case Verdict.UNDECIDED:
            return ""
        case _ if is_trial(outcome.probe):
            return f"{outcome.median:+.3g} {outcome.unit.replace('_', ' ')}"
        case Verdict.OVERTURNED:
            return f"{outcome.median:.2f} times as fast"
        case _:
            return f"{outcome.median:.2f} times {rival}"


def _reasons(page: Page, bets: Sequence[Outcome], most: int) -> None:
    """For what failed or was not decided, why: each reason once, as many as there is room for."""
    told: dict[str, list[str]] = {}
    for outcome in bets:
        doubts = outcome.conditions.warnings if outcome.verdict is Verdict.UNDECIDED else ()
        reason = outcome.failure or (doubts[0] if doubts else "")
        if reason:
            told.setdefault(shorten(reason.partition(". ")[0].rstrip("."), _REASON), []).append(outcome.probe)
    for reason, probes in list(told.items())[:most]:
        page.add(f"{join_names(probes)}: {reason}.", first=[("  ! ", Style.CARE)])


def _left(page: Page, revision: Revision) -> None:
    """The probes that were not run: those that could still change the plan, and how many mean nothing here."""
    names = [one.probe for one in revision.open]
    others = len(revision.skipped) - len(names)
    said = [f"Not reached: {', '.join(names)}."] if names else []
    said += [f"{others} mean nothing here."] if others else []
    if said:
        page.add(" ".join(said), first="  ")
