"""Measurements as rows and figures: before -> measured -> after, the paired ratios, a curve for each probe."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from advisor.agent.trials.outcomes import is_trial
from advisor.facts.experiments import is_simulated, source_of
from advisor.facts.fact_base import Source
from advisor.facts.verdict import Verdict
from advisor.inference.plan import Plan, Recommendation
from advisor.knowledge.model import Knowledge
from advisor.probes.catalogue import probe_named
from advisor.probes.outcome import Outcome, SettingRecord
from advisor.probes.verdict import MATTERS
from advisor.report import contents, words
from advisor.report.changes import VERDICTS, Compared, difference, is_probe, listed, quantity, sentence
from advisor.report.found.measured import bet_row, conditions, gauged, is_bet, newest_of, title_of, unit_of
from advisor.report.html.drawing import Chart, Mark, Point, Shape
from advisor.report.rates import rate_words, scale
from advisor.wording import shorten


@dataclass(frozen=True, slots=True)
class Bet:
    """A recommendation before, what an experiment said of it, and after. `rules` are what became of its rules' claims."""

    title: str
    before: str
    verdict: str
    after: str
    found: str
    scope: str
    rules: tuple[tuple[str, str, str], ...] = ()
    """The rule, what it staked and how it was judged, and what it says"""
    warnings: tuple[str, ...] = ()
    basis: Source = Source.MEASURED

    @property
    def is_doubtful(self) -> bool:
        """True if the warnings may be why nothing was decided."""
        return bool(self.warnings) and self.verdict == VERDICTS[Verdict.UNDECIDED]


def bets(plan: Plan, knowledge: Knowledge, outcomes: Sequence[Outcome]) -> list[Bet]:
    """Every bet that was judged: those the plan shows, then those of probes that decide none of its topics."""
    entries = [entry for entry in contents.advised(plan) if entry.measured is not None]
    told = {(entry.measured.probe, entry.topic) for entry in entries if entry.measured is not None}
    newest = {(outcome.probe, outcome.topic): outcome for outcome in newest_of(outcomes)}
    found = [_of_plan(knowledge, entry, newest) for entry in entries]
    return found + [
        _of_outcome(plan, outcome) for kind, outcome in newest.items() if is_bet(outcome) and kind not in told
    ]


def _of_plan(knowledge: Knowledge, entry: Recommendation, newest: Mapping[tuple[str, str], Outcome]) -> Bet:
    measured = entry.measured
    assert measured is not None  # noqa: S101 - only such entries come here
    before, after = words.measured_change(knowledge, entry, measured)
    rules = tuple(
        (rule, f"{f', {expects},' if expects else ''} {judgement}.", says)
        for rule, expects, judgement, says in contents.judged_rules(knowledge, measured)
    )
    date = f", {measured.date[:10]}" if measured.date else ""
    outcome = newest.get((measured.probe, entry.topic))
    warnings = outcome.conditions.warnings if outcome is not None and outcome.date == measured.date else ()
    return Bet(
        entry.title, before, VERDICTS[measured.verdict], after,
        sentence(measured, words.compared_unit(knowledge, entry, measured)), f"{words.scope_words(measured)}{date}", rules,
        warnings, measured.basis,
    )  # fmt: skip


def _of_outcome(plan: Plan, outcome: Outcome) -> Bet:
    scope = f"{conditions(outcome)}{f', {outcome.date[:10]}' if outcome.date else ''}"
    return Bet(*bet_row(plan, outcome), scope, warnings=outcome.conditions.warnings, basis=source_of(outcome.probe))


# --- figures -----------------------------------------------------------------------------------------------------


def charts(plan: Plan, outcomes: Sequence[Outcome]) -> list[Chart]:
    """The paired ratios of all bets in one figure, then one figure for each probe that timed several settings."""
    newest = newest_of(outcomes)
    ratios = _ratios(plan, newest)
    settings = (_settings(plan, outcome) for outcome in newest if outcome.failure is None)
    return [chart for chart in (ratios, *settings) if chart is not None]


def _ratios(plan: Plan, newest: Sequence[Outcome]) -> Chart | None:
    points, rows = [], []
    for title, unit, found in _compared(plan, newest):
        if found.median is None or found.low is None or found.high is None:
            continue
        if not 0 < found.low <= found.high < math.inf:
            continue  # a plan from a file may say anything
        first, second = found.before, found.rival
        if found.verdict == Verdict.OVERTURNED:
            first, second = second, first
        pair = f"{quantity(listed(first), unit)} against {quantity(listed(second), unit)}"
        points.append(Point(title, found.median, found.low, found.high))
        rows.append((title, pair, difference(found), str(found.n), VERDICTS[found.verdict]))
    if not points:
        return None
    return Chart(
        name="paired-ratios",
        title="How much faster one setting was than the other",
        says="For each bet the median of the paired ratios with its 95 % interval. Right of 1 the first setting of the pair "
        "was faster; within the band around 1 there is no difference that matters.",
        shape=Shape.RATIOS,
        points=tuple(points),
        axis="times as fast",
        head=("What", "First against second", "Ratio and 95 % interval", "Pairs", "Verdict"),
        rows=tuple(rows),
        indifferent=MATTERS,
    )


def _compared(plan: Plan, newest: Sequence[Outcome]) -> Iterator[tuple[str, str, Compared]]:
    """Ratios that were measured only: a difference of scores has another scale, and a simulation is no measurement."""
    entries = {e.measured.probe: e for e in contents.advised(plan) if e.measured and _is_ratio(e.measured)}
    for entry in entries.values():
        assert entry.measured is not None  # noqa: S101
        yield entry.title, entry.unit, entry.measured
    for outcome in newest:
        if is_bet(outcome) and outcome.measured and outcome.probe not in entries and _is_ratio(outcome):
            yield title_of(plan, outcome), unit_of(plan, outcome), outcome


def _is_ratio(found: Compared) -> bool:
    return not is_trial(found.probe) and not is_simulated(found.probe)


def _settings(plan: Plan, outcome: Outcome) -> Chart | None:
    """Units of work per second in each setting, as a curve where settings are numbers."""
    timed = [(record, rate) for record in outcome.settings if (rate := outcome.rate(record.setting)) is not None]
    if len(timed) < 2 or not is_probe(outcome.probe):
        return None
    unit = timed[0][1].unit
    size, shown = scale(max(rate.high for _, rate in timed), unit)
    numbers = [record.setting for record, _ in timed if isinstance(record.setting, int)]
    varied = unit_of(plan, outcome) or "setting"
    points = tuple(
        Point(str(record.setting), rate.median / size, rate.low / size, rate.high / size,
              float(record.setting) if isinstance(record.setting, int) else 0.0, _mark(outcome, record))
        for record, rate in timed
    )  # fmt: skip
    ends = (choose(timed, key=lambda pair: pair[1].median) for choose in (min, max))
    least, most = (f"{rate_words(rate)} ({record.setting})" for record, rate in ends)
    return Chart(
        name=f"probe-{outcome.probe.replace('_', '-').replace('.', '-')}",
        title=probe_named(outcome.probe).question,
        says=f"From {least} to {most}, with 95 % intervals of the median.",
        shape=Shape.CURVE if len(numbers) == len(timed) and len(set(numbers)) > 1 else Shape.DOTS,
        points=points,
        axis=shown,
        head=(varied.capitalize(), "Rate and 95 % interval", "Samples", "Which is"),
        rows=(
            *((str(r.setting), rate_words(rate), str(rate.n), _mark(outcome, r).value or "tried") for r, rate in timed),
            *((str(r.setting), "not timed", "0", shorten(r.skipped, 200)) for r in outcome.settings if r.skipped),
        ),
        across=varied,
    )


def _mark(outcome: Outcome, record: SettingRecord) -> Mark:
    if not is_bet(outcome):
        return Mark.NONE
    if record.setting == outcome.before:
        return Mark.BOTH if outcome.after == outcome.before else Mark.BEFORE
    return Mark.AFTER if record.setting == outcome.after else Mark.NONE


def rates(outcomes: Sequence[Outcome]) -> list[tuple[str, str, str]]:
    """Rates that were gauged alone, so that there is no figure of them: probe, setting, rate with its interval."""
    found = map(gauged, newest_of(outcomes))
    return [rows[0] for rows in found if len(rows) == 1]
