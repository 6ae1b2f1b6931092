"""The benchmark of 2016 on one screen: the best threads and time of each network, beside the quickest tool of then."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

from advisor.facts.verdict import Verdict
from advisor.probes.settings.batch import BATCH
from advisor.probes.settings.cores import THREADS
from advisor.probes.settings.variants import DEVICE
from advisor.report.changes import STYLES, VERDICTS
from advisor.report.page import Look, Page, Style
from advisor.report.survey.bench import BenchReport, of_bench, short
from advisor.report.words import gathered
from advisor.survey import bench_findings as findings
from advisor.survey.bench import ENOUGH, Measured, timed
from advisor.wording import join_names, shorten

_WIDTHS = (10, 12, 22, 13, 14)
_NARROW = sum(_WIDTHS) + 2 * len(_WIDTHS) - 2
"""Columns, below which a network is a sentence and not a row of a table."""
_REASON = 110
_MINUTE, _DAY = 60, 86340
_LEAST, _MOST = 3, 3600
"""Minutes of a budget that is proposed, and seconds beyond which only what takes least is proposed."""


def bench_brief(report: BenchReport, look: Look, options: str = "") -> str:
    """The first screen, at most 24 lines at 80 columns.

    Args:
        options: of the command line, as they are typed in a shell, without the networks and the budget.
    """
    for claims in (5, 3, 1, 0):
        if _page(report, replace(look, colour=False), options, claims).fits:
            break
    return _page(report, look, options, claims).text()


def _page(report: BenchReport, look: Look, options: str, claims: int) -> Page:
    page = Page(look)
    machine = f"{shorten(report.machine)}{f', torch {report.torch}' if report.torch else ''}"
    page.add(machine, first=[("BENCHMARK OF 2016 HERE  ", Style.HEADING)])
    done = [result for result in report.results if timed(result)]
    if done:
        _row(
            page,
            *((word, Style.FAINT) for word in ("network", "threads", "a step takes", "over 1 thread", "best of 2016")),
        )
    for result in done:
        _network(page, report, result)
    if not done:
        page.add("Nothing was measured.", first="  ")
    for reason, names in _reasons(report).items():
        page.add(f"{join_names(names)}: {reason}.", first=[("  ! ", Style.CARE)])
    _claims(page, report, claims)
    page.blank()
    page.add(("NEXT", Style.HEADING), "  --details shows every setting with its interval, and the claims")
    for command, purpose in _next(report, options):
        page.verbatim(f"{command}  # {purpose}", first="  ")
    return page


def _row(page: Page, *words: tuple[str, Style]) -> None:
    if page.look.columns >= _NARROW:
        page.columns([(word,) for word in words], _WIDTHS)


def _network(page: Page, report: BenchReport, result: Measured) -> None:
    threads = result.best_threads
    own = findings.seconds(result, THREADS.name, threads) if threads is not None else None
    if threads is None or own is None:
        step = findings.seconds(result, BATCH.name, result.network.batch_size)
        time_, faster, said = f"{short(step.median)} s" if step else "", "", "-"
    else:
        outcome = result.outcomes.get(THREADS.name)
        decided = outcome is not None and outcome.verdict is not Verdict.UNDECIDED
        ratio = findings.speed_up(result, THREADS.name, 1, threads) if threads != 1 else None
        interval = f" ({short(own.low)} to {short(own.high)})" if own.low is not None and own.high is not None else ""
        time_ = f"{short(own.median)} s{interval or ', run once'}"
        faster, said = f"{ratio.median:.2f} times" if ratio else "", f"{threads}{'' if decided else ', undecided'}"
    published = findings.published_of(result.network, report.table)
    quickest = min(
        (figure for figure in published if figure.threads is not None), key=lambda one: one.value, default=None
    )
    there = f"{short(quickest.value)} s with {quickest.threads}" if quickest is not None else ""
    if page.look.columns >= _NARROW:
        cells = (said, Style.PLAIN), (time_, Style.PLAIN), (faster, Style.PLAIN), (there, Style.FAINT)
        _row(page, (result.network.title, Style.STRONG), *cells)
    else:
        told = ", ".join(filter(None, (f"threads {said}", f"{time_} a step", faster and f"{faster} 1 thread")))
        page.add((result.network.title, Style.STRONG), f": {told}", first="  ", rest="    ")


def _reasons(report: BenchReport) -> dict[str, list[str]]:
    """The networks of which nothing is known, by why, and doubts about the others: each once, the shortest list last."""
    found: list[tuple[str, str]] = []
    for result in report.results:
        why = [outcome.failure for outcome in result.outcomes.values() if outcome.failure]
        why += [result.skipped[probe] for probe in (THREADS.name, BATCH.name, DEVICE.name) if probe in result.skipped]
        if not timed(result) and why:
            found.append((_sentence(why[0]), result.network.title))
        busy = any(outcome.conditions.too_busy for outcome in result.outcomes.values())
        if timed(result) and busy:
            found.append(("other programs took much of the processors", result.network.title))
    return {reason: list(names) for reason, names in gathered(found).items()}


def _sentence(text: str) -> str:
    return shorten(of_bench(text).partition(". ")[0].rstrip("."), _REASON)


def _claims(page: Page, report: BenchReport, most: int) -> None:
    """The claims of 2016 and 2018 that these times have judged, those that were overturned first."""
    verdicts = {id_: [one.verdict for one in each.values()] for id_, each in report.found.judged.items()}
    decided = [id_ for id_, said in verdicts.items() if any(v in (Verdict.CONFIRMED, Verdict.OVERTURNED) for v in said)]
    if not decided:
        return
    page.blank()
    count = f"{len(decided)} of the documents' claims" if len(decided) > 1 else "One of the documents' claims"
    page.add(f"{count} could be judged{':' if most else '.'}")
    for id_ in sorted(decided, key=lambda one: Verdict.OVERTURNED not in verdicts[one])[:most]:
        verdict = Verdict.OVERTURNED if Verdict.OVERTURNED in verdicts[id_] else Verdict.CONFIRMED
        names = [report.titles[name] for name, one in report.found.judged[id_].items() if one.verdict is verdict]
        text = next(iter(report.found.judged[id_].values())).claim.text
        said = f"{VERDICTS[verdict]} for {join_names(names)}: "
        page.add((said, STYLES[verdict]), shorten(text, _REASON), first="  ")


def _next(report: BenchReport, options: str) -> Iterator[tuple[str, str]]:
    """Commands that measure what is left and what is undecided, with the time that this needs; not what cannot run here."""
    said = f" {options}" if options else ""
    left = [one for one in report.results if not timed(one) and not _refused(one)]
    undecided = [one for one in report.results if timed(one) and _open(one)]
    for results, purpose in ((left, "what is left"), (undecided, "what is undecided")):
        seconds = {one.network.name: 2 * ENOUGH + sum(one.needs.values()) for one in results}
        names = sorted(seconds, key=seconds.__getitem__)
        while len(names) > 1 and sum(seconds[name] for name in names) > _MOST:
            names.pop()
        if names and seconds[names[0]] < _DAY:
            minutes = max(_LEAST, math.ceil(sum(seconds[name] for name in names) / _MINUTE))
            yield f"advisor bench {' '.join(names)}{said} --budget {minutes}min", purpose
    yield "advisor rules trial", "every claim of the documents"


def _refused(result: Measured) -> bool:
    """True if it did not run for another reason than want of time."""
    return any(outcome.failure and not (outcome.late or outcome.too_slow) for outcome in result.outcomes.values())


def _open(result: Measured) -> bool:
    return any(one.verdict is Verdict.UNDECIDED and not one.failure for one in result.outcomes.values())
