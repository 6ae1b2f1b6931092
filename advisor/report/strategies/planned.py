"""The simulator's report on a plan: strategies beside its own, numbers of workers, and what that means for it."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from advisor.agent.simulating import by_strategy
from advisor.agent.sweeps import Sooner, Sweep
from advisor.distributed.comparing import Comparison, Curve, Interval
from advisor.distributed.strategies import strategy
from advisor.facts.experiments import SIMULATE
from advisor.facts.verdict import Verdict
from advisor.inference.plan import Plan
from advisor.plain import encode
from advisor.report.changes import listed, sentence
from advisor.report.numbers import number_words
from advisor.report.page import Look, Page, Style
from advisor.report.strategies.curve import curve_lines
from advisor.report.strategies.simulation import rests_on, simulation_json
from advisor.report.strategies.table import table_lines
from advisor.report.strategies.training import WIDTHS, faster
from advisor.report.strategies.verdicts import level_with, unclear
from advisor.report.words import compared_unit
from advisor.simulation.result import Result
from advisor.simulation.scenario import Scenario

SCHEMA = "advisor/simulations/1"
NOTHING_COUNTS = "This does not change your plan."
"""Ends the note that says why."""
HEAD = ("strategy", "to the loss", "times as fast", "examples/s", "waiting", "sent")
WORKERS = ("workers", "a step takes", "speed-up", "used")
_WORKER_WIDTHS = (8, 13, 22, 6)


def rows(
    names: Sequence[str], results: Sequence[Result], found: Comparison, *, own: bool = True
) -> list[tuple[str, ...]]:
    """A row for each strategy, the fastest first, as under HEAD.

    Args:
        own: True if the plan has workers, and so a strategy of its own.
    """
    made = by_strategy(names, results)
    return [
        (
            one.strategy,
            number_words(one.typical, "s") if one.typical is not None else "not reached",
            faster(found, one, own=own),
            f"{statistics.median(each.examples_per_s or 0 for each in made[one.strategy]):,.0f}",
            f"{statistics.fmean(each.waiting_share for each in made[one.strategy]):.0%}",
            number_words(made[one.strategy][0].bytes, "bytes"),
        )
        for one in found.standings
    ]


def has_own(plan: Plan) -> bool:
    """True if the plan has several workers, and so a strategy of its own with which others are compared."""
    entry = plan.recommendations.get("sync.strategy")
    return entry is None or entry.value != "none"


def why_not(notes: Sequence[str]) -> str:
    """The note that says why nothing counts for the plan; empty where it does."""
    return next((note for note in notes if note.endswith(NOTHING_COUNTS)), "")


def worker_rows(found: Sweep) -> list[tuple[str, ...]]:
    """A row for each number of workers, as under WORKERS."""
    seconds, alone = found.seconds, min(found.times)
    return [
        (
            f"{workers:,}",
            number_words(seconds[workers], "s"),
            _factor(found.speed_up(workers, alone)),
            f"{found.speed_up(workers, alone).value / workers:.0%}",
        )
        for workers in sorted(found.times)
    ]


def _factor(ratio: Interval) -> str:
    """`4.21 (4.1 to 4.33)`, or `4.21` where all seeds gave the same."""
    value, low, high = (f"{one:.3g}" for one in (ratio.value, ratio.low, ratio.high))
    return value if low == high else f"{value} ({low} to {high})"


_FOLLOWING = ("compute.device", "parallelism.strategy", "sync.strategy")
"""Told where the simulation changes them, though their own bets were not simulated."""


def pays(found: Sweep) -> str:
    """A sentence on where adding workers stops paying, and one on a strategy with which they may pay all the same."""
    return f"{_shared(found)} {'' if found.sooner is None else _sooner(found, found.sooner)}".strip()


def _sooner(found: Sweep, sooner: Sooner) -> str:
    most = max(found.times)
    if sooner.ratio is None:
        return f"Whether {most:,} pay with {sooner.strategy} is not known: too little of it was simulated."
    fewer = "one alone" if sooner.beside == 1 else f"{sooner.beside:,} that keep step"
    times = f"{_factor(sooner.ratio)} times as fast as {fewer}"
    match sooner.verdict:
        case Verdict.CONFIRMED:
            return f"With {sooner.strategy}, though, {most:,} workers come to the loss {times}."
        case Verdict.OVERTURNED:
            return f"Nor does {sooner.strategy} help: with it {most:,} workers come to the loss {times}."
        case _:
            return f"Whether {sooner.strategy} helps is open: with it {most:,} workers come to the loss {times}."


def _shared(found: Sweep) -> str:
    most, best, perhaps = max(found.times), found.best, found.perhaps
    doubt = f" Whether more than {perhaps:,} gain anything is within the noise." if perhaps < best else ""
    if best == 1:
        return "Sharing the batch among several workers saves no time."
    up_to = f"up to {best:,} workers" if best < most else f"with all {most:,} workers"
    busy = f"Up to {found.best_by_price:,}, each does at least 80 % of what a worker does at best."
    return f"A step of the whole batch gets shorter {up_to}. {busy}{doubt}"


def meaning(before: Plan, after: Plan) -> list[tuple[str, str]]:
    """For each recommendation that the simulation speaks of, and where the plan computes if that follows: its title with before
    and after, and the comparison in words."""
    told = []
    for topic, entry in after.recommendations.items():
        measured = entry.measured
        was, now = before.recommendations[topic].value, entry.value
        if measured is not None and measured.probe == SIMULATE:
            unit = compared_unit(after.knowledge, entry, measured) if after.knowledge is not None else ""
            says = sentence(measured, unit)
        elif topic in _FOLLOWING and was != now:
            says = "This follows from the simulation."
        else:
            continue
        told.append((f"{entry.title}: {listed(was)} -> {listed(now)} ({entry.status.value}).", says))
    return told


def planned_page(
    scenario: Scenario,
    names: Sequence[str],
    results: Sequence[Result],
    comparison: Comparison | None,
    found: Sweep,
    plans: tuple[Plan, Plan],
    notes: Sequence[str],
    look: Look,
) -> str:
    """The page of `advisor simulate` for a plan.

    Args:
        plans: before and after.
    """
    page = Page(look)
    page.add(
        f"{scenario.workers:,} workers, {scenario.batch:,} examples a step of each. {answer(comparison)}".strip(),
        first=[("SIMULATED FOR THE PLAN  ", Style.HEADING)],
    )
    if why := why_not(notes):
        page.add((why, Style.CARE), first="  ")
    if comparison is not None:
        page.blank()
        table_lines(page, HEAD, rows(names, results, comparison, own=has_own(plans[0])), *WIDTHS)
        page.add(
            f"The loss to reach is {comparison.goal:.4g}, on held-out examples, with {_seeds(names, results)} each.",
            first="  ",
        )
    page.heading("HOW MANY WORKERS ARE WORTH IT")
    page.add(pays(found), first="  ")
    table_lines(page, WORKERS, worker_rows(found), _WORKER_WIDTHS)
    if (seeds := len(found.times[min(found.times)])) > 1:
        page.add(f"With {seeds} seeds each; brackets are 95 % intervals.", first="  ")
    told = meaning(*plans)
    if told:
        page.heading("WHAT IT MEANS FOR THE PLAN")
        page.items([[(change, Style.STRONG), f" {says}"] for change, says in told])
    if comparison is not None:
        page.heading("LOSS")
        curve_lines(page, first_curves(names, results))
    page.section("WHAT IT RESTS ON", rests_on(scenario, notes))
    return page.text()


def answer(found: Comparison | None) -> str:
    """A sentence on who came to the loss first; nothing where nobody learned."""
    if found is None:
        return ""
    own, best = found.own, found.best
    if best.strategy != found.reference and best.ratio is not None:
        factor = f"{round(best.ratio.value, 2):g}" if best.ratio.value < 2 else f"{best.ratio.value:.2g}"
        return f"{best.strategy} came to the same loss {factor} times as fast as {found.reference}{level_with(found)}."
    if (maybe := found.faster_still) is not None:
        said = unclear(found, maybe)
        return f"{said[:1].upper()}{said[1:]}"
    if own.reached < len(own.seconds):
        there = f"only {own.reached}" if own.reached else "none"
        return (
            f"{own.strategy} itself came to the loss with {there} of {len(own.seconds)} seeds, so nothing is decided."
        )
    if len(found.standings) > 1 and not any(one.reached for one in found.standings if one is not own):
        return f"Nothing but {own.strategy} came to the loss in this many steps."
    return f"Nothing came to the same loss clearly sooner than {found.reference}."


def _seeds(names: Sequence[str], results: Sequence[Result]) -> str:
    """1 seed; 5 seeds."""
    count = len(results) // max(1, len(names))
    return "1 seed" if count == 1 else f"{count} seeds"


def first_curves(names: Sequence[str], results: Sequence[Result]) -> Mapping[str, Curve]:
    """The loss of each strategy with its first seed."""
    return {name: own[0].loss for name, own in by_strategy(names, results).items()}


def planned_json(
    scenario: Scenario,
    names: Sequence[str],
    results: Sequence[Result],
    comparison: Comparison | None,
    found: Sweep,
    plans: tuple[Plan, Plan],
    notes: Sequence[str],
) -> dict[str, Any]:
    """The document of `advisor simulate --format json` without a strategy."""
    before, after = plans
    firsts = [own[0] for own in by_strategy(names, results).values()]
    entries = after.recommendations.items()
    spoken = [name for name, one in entries if one.measured is not None and one.measured.probe == SIMULATE]
    return {
        "schema": SCHEMA,
        "workers": scenario.workers,
        "says": answer(comparison),
        "best": comparison.best.strategy if comparison is not None else None,
        "goal": comparison.goal if comparison is not None else None,
        "standings": [encode(one) for one in comparison.standings] if comparison is not None else [],
        "simulations": [simulation_json(scenario_like(scenario, result), result, ()) for result in firsts],
        "steps": [[workers, seconds] for workers, seconds in sorted(found.seconds.items())],
        "speed_ups": [[workers, encode(found.speed_up(workers, min(found.times)))] for workers in sorted(found.times)],
        "workers_best": found.advised,
        "sooner": None if found.sooner is None else encode(found.sooner) | {"verdict": found.sooner.verdict.value},
        "pays": pays(found),
        "workers_best_by_price": found.best_by_price,
        "recommendations": {
            name: {"before": before.recommendations[name].value, **after.recommendations[name].to_json()}
            for name in spoken
        },
        "notes": list(notes),
    }


def scenario_like(scenario: Scenario, result: Result) -> Scenario:
    """The scenario with the strategy of a result."""
    return replace(scenario, strategy=strategy(result.strategy))
