"""Strategies that were trained for real: a row each, loss against time, who waited for whom; as a page and as JSON."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from typing import Any

from advisor.distributed.comparing import FEWEST_PAIRS, Comparison, Curve, Interval, Standing
from advisor.distributed.job import RING, Run, name_of
from advisor.distributed.strategies import ALONE
from advisor.facts.verdict import Verdict
from advisor.plain import encode
from advisor.report.changes import VERDICTS
from advisor.report.numbers import number_words
from advisor.report.page import Look, Page, Style
from advisor.report.strategies.curve import curve_lines
from advisor.report.strategies.table import table_lines
from advisor.report.strategies.timeline import Stretch, timeline_lines
from advisor.report.strategies.verdicts import between

SCHEMA = "advisor/sync/1"
HEAD = ("strategy", "to the loss", "times as fast", "examples/s", "waiting", "sent", "held out")
WIDTHS = (26, 11, 19, 10, 7, 8), (21, 7, 19, 8, 7, 8)
"""Of a table without what is held out: with room, and on a screen of 80 columns."""


def training_page(
    found: Comparison,
    runs: Sequence[Run],
    says: str,
    notes: Sequence[str],
    look: Look,
    *,
    whole: bool = False,
    own: bool = True,
) -> str:
    """The report on real workers.

    Args:
        runs: of all strategies and seeds.
        says: the answer in a sentence.
        notes: on what it rests, in sentences.
        whole: with staleness, every run, and how bytes are counted.
        own: True if the others were compared with the plan's own strategy.
    """
    page, told = Page(look), rows(found, runs, own=own)
    page.add(says, first=[("TRAINED  ", Style.HEADING)])
    page.blank()
    table_lines(page, HEAD[:-1], [row[:-1] for row in told], *WIDTHS)
    page.add(f"The loss to reach is {found.goal:.4g}, on held-out examples. {_INTERVALS}", first="  ")
    page.heading("AT THE END")
    page.items(f"{row[0]}: {row[-1]}" for row in told)
    page.add("Of each strategy's training with the median score; intervals are over held-out examples.", first="  ")
    page.heading("LOSS")
    curve_lines(page, curves(runs))
    shown = next((run for run in runs if run.strategy == found.best.strategy and run.timeline), None)
    if shown is not None:
        page.heading(f"WHO WAITED FOR WHOM ({shown.strategy})")
        timeline_lines(page, stretches(shown), number_words(_shown(shown), "s"))
    if whole:
        page.section("EVERY RUN", [_run(run) for run in runs])
    page.section("WHAT IT RESTS ON", [*notes, *([RING] if whole else [])])
    return page.text()


_INTERVALS = (
    "Intervals are those of 95 %, over pairs of trainings with the same seed. What counts as faster holds for all strategies "
    "together (Holm's correction)."
)


def rows(found: Comparison, runs: Sequence[Run], *, own: bool = True) -> list[tuple[str, ...]]:
    """A row for one worker alone, and one for each strategy, the fastest first, as under HEAD; `own` as of `training_page`."""
    standings = (*([found.alone] if found.alone is not None else []), *found.standings)
    return [
        _row(faster(found, one, own=own), one, [run for run in runs if run.strategy == one.strategy])
        for one in standings
    ]


def curves(runs: Sequence[Run]) -> dict[str, Curve]:
    """Of each strategy the loss of its first seed against time."""
    first: dict[str, Curve] = {}
    for run in runs:
        first.setdefault(run.strategy, [(point.seconds, point.loss) for point in run.curve])
    return first


def stretches(run: Run) -> list[Stretch]:
    """Each process's activity at the beginning of a run."""
    workers = len(run.waiting)
    return [Stretch(name_of(one.rank, workers), one.begin, one.end, one.doing) for one in run.timeline]


def training_json(found: Comparison, runs: Sequence[Run], says: str, notes: Sequence[str]) -> dict[str, Any]:
    """The document of `advisor sync --format json`."""
    return {
        "schema": SCHEMA,
        "says": says,
        "goal": found.goal,
        "reference": found.reference,
        "best": found.best.strategy,
        "level": [one.strategy for one in found.level],
        "decided": not found.doubt and found.pairs >= FEWEST_PAIRS and found.faster_still is None,
        "doubt": found.doubt or None,
        "alone": None
        if found.alone is None
        else _standing_json(found.alone, [one for one in runs if one.strategy == ALONE]),
        "strategies": [
            _standing_json(one, [run for run in runs if run.strategy == one.strategy]) for one in found.standings
        ],
        "runs": [encode(run) for run in runs],
        "notes": list(notes),
    }


def middle(runs: Sequence[Run]) -> Run:
    """The run with the median held-out score; the lower of two."""
    return sorted(runs, key=lambda run: run.held_out.value)[(len(runs) - 1) // 2]


def _row(times: str, one: Standing, runs: Sequence[Run]) -> tuple[str, ...]:
    last = middle(runs).held_out
    return (
        one.strategy,
        number_words(one.typical, "s") if one.typical is not None else "not reached",
        times,
        f"{statistics.median(run.examples_per_s for run in runs):,.0f}",
        f"{statistics.fmean(share for run in runs for share in run.waiting):.0%}",
        number_words(statistics.median(run.bytes for run in runs), "bytes"),
        f"{runs[0].metric} {last.value:.4g} ({last.low:.4g} to {last.high:.4g})",
    )


def faster(found: Comparison, one: Standing, *, own: bool = True) -> str:
    """Speed relative to the strategy that all are compared with, the plan's `own` or another; in words."""
    if one.strategy == found.reference:
        return "the plan's own" if own else "the reference"
    if one.ratio is None:
        return "" if one.verdict is Verdict.UNDECIDED else "slower"
    return between(one.ratio)


def _run(run: Run) -> str:
    return (
        f"{run.strategy}, seed {run.seed}: {run.examples:,} examples in {number_words(run.seconds, 's')}, {run.updates:,} "
        f"updates, {run.dropped:,} gradients dropped, staleness {run.staleness.median:g} (95 % at most {run.staleness.p95:g}), "
        f"{run.metric} {run.held_out.value:.4g} ({run.held_out.low:.4g} to {run.held_out.high:.4g})."
    )


def _standing_json(one: Standing, runs: Sequence[Run]) -> dict[str, Any]:
    return {
        "strategy": one.strategy,
        "seconds": list(one.seconds),
        "times_as_fast": _interval_json(one.ratio) if one.ratio is not None else None,
        "verdict": VERDICTS[one.verdict],
        "probability": one.probability,
        "examples_per_s": statistics.median(run.examples_per_s for run in runs),
        "staleness": {"median": runs[0].staleness.median, "p95": runs[0].staleness.p95},
        "waiting_share": statistics.fmean(share for run in runs for share in run.waiting),
        "bytes": statistics.median(run.bytes for run in runs),
        "held_out": {"metric": runs[0].metric, **encode(middle(runs).held_out)},
    }


def _interval_json(ratio: Interval) -> dict[str, float | None]:
    """With null for a bound that there is none of, since JSON knows no infinity."""
    return {**encode(ratio), "high": ratio.high if math.isfinite(ratio.high) else None}


def _shown(run: Run) -> float:
    return max(one.end for one in run.timeline) - min(one.begin for one in run.timeline)
