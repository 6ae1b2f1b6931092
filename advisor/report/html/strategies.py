"""Strategies of several workers as HTML: figures of loss against time, and of who waits for whom."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from advisor.agent.sweeps import Sweep
from advisor.distributed.comparing import Comparison, Curve
from advisor.distributed.job import RING, Run
from advisor.inference.plan import Plan
from advisor.report.html.drawing import Chart, Point, Shape
from advisor.report.html.rendering import render
from advisor.report.strategies import planned, training
from advisor.report.strategies.curve import is_logarithmic
from advisor.report.strategies.simulation import figures, headed, rests_on, stretches
from advisor.report.strategies.timeline import Stretch
from advisor.simulation.result import Result
from advisor.simulation.scenario import Scenario


def simulation_html(scenario: Scenario, result: Result, notes: Sequence[str], date: str) -> str:
    """The page of one simulation."""
    charts = [timeline_chart(stretches(result.timeline))] if result.timeline else []
    if result.loss:
        charts.append(loss_chart({str(scenario.strategy): result.loss}))
    return render(
        "simulation.html.j2",
        title=f"Simulated: {scenario.strategy.declared.title}",
        date=date,
        says=f"{headed(scenario)}. {scenario.strategy.declared.says}",
        figures=figures(scenario, result, whole=True),
        charts=charts,
        notes=rests_on(scenario, notes),
    )


def planned_html(
    scenario: Scenario,
    names: Sequence[str],
    results: Sequence[Result],
    comparison: Comparison | None,
    found: Sweep,
    plans: tuple[Plan, Plan],
    notes: Sequence[str],
    date: str,
) -> str:
    """The page of what a simulator shows of a plan."""
    charts = []
    if comparison is not None:
        charts.append(loss_chart(planned.first_curves(names, results)))
        if results[0].timeline:
            charts.append(timeline_chart(stretches(results[0].timeline), title=f"Who waits for whom: {names[0]}"))
    return render(
        "simulations.html.j2",
        title="Simulated for the plan",
        date=date,
        says=f"{scenario.workers:,} workers. {planned.answer(comparison)} {planned.pays(found)} {planned.why_not(notes)}".strip(),
        head=[word[:1].upper() + word[1:] for word in planned.HEAD],
        rows=planned.rows(names, results, comparison, own=planned.has_own(plans[0])) if comparison is not None else [],
        workers_head=[word[:1].upper() + word[1:] for word in planned.WORKERS],
        workers=planned.worker_rows(found),
        meaning=[f"{change} {says}" for change, says in planned.meaning(*plans)],
        charts=charts,
        notes=rests_on(scenario, notes),
    )


def training_html(
    found: Comparison, runs: Sequence[Run], says: str, notes: Sequence[str], date: str, *, own: bool = True
) -> str:
    """The page of strategies that were trained for real; `own` as of `training_page`."""
    shown = [next((run for run in runs if run.strategy == name), None) for name in _shown(found)]
    charts = [loss_chart(training.curves(runs))]
    charts += [
        timeline_chart(training.stretches(run), f"timeline-{number}", f"Who waited for whom: {run.strategy}")
        for number, run in enumerate(shown)
        if run is not None and run.timeline
    ]
    return render(
        "training.html.j2",
        title="Strategies, trained here",
        date=date,
        says=says,
        head=[word[:1].upper() + word[1:] for word in training.HEAD],
        rows=training.rows(found, runs, own=own),
        charts=charts,
        notes=[*notes, RING],
    )


def _shown(found: Comparison) -> list[str]:
    """The plan's own strategy and the one that is shown to be faster, or else the next."""
    other = found.best if found.best.strategy != found.reference else found.rival
    return [found.reference, *([other.strategy] if other is not None else [])]


def loss_chart(curves: Mapping[str, Curve], name: str = "loss") -> Chart:
    """Loss against time, a line for each strategy."""
    points = tuple(Point(label, value, value, value, at) for label, curve in curves.items() for at, value in curve)
    lowest, highest = min(point.value for point in points), max(point.value for point in points)
    logarithmic = is_logarithmic(lowest, highest)
    ends = {label: curve[-1][1] for label, curve in curves.items() if curve}
    least = min(ends, key=ends.__getitem__)
    says = (
        f"The least loss at the end has {least}: {ends[least]:.4g}."
        if len(ends) > 1
        else f"It ends at {ends[least]:.4g}."
    )
    says += " The axis of the loss is logarithmic." if logarithmic else ""
    return Chart(
        name=name,
        title="Loss on held-out examples against time",
        says=says,
        shape=Shape.LINES,
        points=points,
        axis="loss",
        logarithmic=logarithmic,
        across="seconds",
        head=("Strategy", "Seconds", "Loss"),
        rows=tuple((point.label, f"{point.at:.4g}", f"{point.value:.4g}") for point in points),
    )


def timeline_chart(found: Sequence[Stretch], name: str = "timeline", title: str = "Who waits for whom") -> Chart:
    """Each worker's activity in the first moments."""
    points = tuple(Point(one.worker, one.end, one.begin, one.end, doing=one.doing) for one in found)
    return Chart(
        name=name,
        title=title,
        says="The first turns of the workers: full where they compute, hatched where they exchange, empty where they wait.",
        shape=Shape.SPANS,
        points=points,
        axis="seconds",
        head=("Worker", "From", "To", "Doing"),
        rows=tuple((one.worker, f"{one.begin:.4g}", f"{one.end:.4g}", one.doing) for one in found),
    )
