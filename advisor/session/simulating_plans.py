"""Comparing strategies, and numbers of workers, for a plan in virtual time; what counts for the plan is kept."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from advisor.agent.remembered.memory import LAST
from advisor.agent.settling.scope import scope_of
from advisor.agent.simulating import (
    RESTART,
    best_checkpoint,
    contestants,
    ends_of,
    failing,
    finished,
    race,
    raced,
    seed_by_seed,
    settled,
    steps_for,
    topic_of,
    winner,
)
from advisor.agent.strategies import circumstances, gradient_seconds, learned_task, reference_of, without_strategies
from advisor.agent.sweeps import SEEDS, Sooner, Sweep, alone, sweep, swept, with_sooner
from advisor.children.stopping import Stop
from advisor.distributed.comparing import Comparison
from advisor.distributed.task import Task
from advisor.errors import Complain
from advisor.facts.cluster import NODES
from advisor.inference.plan import Plan
from advisor.probes.outcome import Outcome
from advisor.report.numbers import number_words
from advisor.report.strategies.planned import NOTHING_COUNTS, has_own
from advisor.session.inputs import Inputs, plan_of
from advisor.session.recalling import keep
from advisor.session.simulating import MEASURED, MOST_LEARNING, OWN_LEARNS, Asked, scenario_of
from advisor.simulation.request import Saved
from advisor.simulation.result import Result
from advisor.simulation.running import LateError, checkpoints, simulate_all
from advisor.simulation.scenario import Scenario


@dataclass(frozen=True, slots=True)
class PlanSimulation:
    """The simulator's findings on a plan."""

    scenario: Scenario
    """Of the plan's own strategy."""
    names: tuple[str, ...]
    """Of the strategies that were compared, the plan's own first; empty where nothing was learned."""
    results: tuple[Result, ...]
    """Of each strategy with each seed, in the order of `agent.simulating.race`."""
    comparison: Comparison | None
    sweep: Sweep
    notes: tuple[str, ...]
    outcomes: tuple[Outcome, ...]
    """Those that count for the plan; empty where another cluster than its own was simulated."""
    before: Plan
    after: Plan

    def _repr_html_(self) -> str:
        """In a notebook."""
        from advisor.report.strategies.notebooks import planned_html

        return planned_html(self.names, self.results, self.comparison, self.sweep, own=has_own(self.before))


def simulated_for_plan(
    inputs: Inputs,
    asked: Asked,
    seconds_left: float,
    *,
    complain: Complain,
    stop: Stop | None = None,
    tell: Callable[[float], None] = lambda share: None,
) -> PlanSimulation:
    """Compare strategies, and numbers of workers, for the plan of these inputs; what counts for it is kept.

    Args:
        stop: another thread sets it.
        tell: is told the share that is done, 0 to 1, now and then: of the losses, which take most of the time, if there are any.

    Raises as `simulated` does.
    """
    until, stopped = time.monotonic() + seconds_left, stop or Stop()
    known = without_strategies(inputs.outcomes)
    plan = plan_of(replace(inputs, outcomes=known))
    asked = replace(asked, strategy=reference_of(plan))
    scenario, notes = scenario_of(plan, inputs, asked)

    learns = asked.loss is not False and 1 < scenario.workers <= MOST_LEARNING

    def run(scenarios: Sequence[Scenario], task: Task | None = None, *, most: bool = True) -> list[Result]:
        told = tell if most and learns == (task is not None) else lambda share: None
        left = until - time.monotonic() - (0.0 if task is None else _AFTER)
        return simulate_all(scenarios, task, seconds=max(1.0, left), stop=lambda: stopped.now, tell=told)

    found = swept(run(sweep(scenario)))
    comparison, own = None, True
    names: list[str] = []
    results: list[Result] = []
    if learns:
        task, learned = learned_task(
            plan, inputs.inspection, batch=scenario.batch, seed=scenario.seed, workers=scenario.workers, simulated=True
        )
        notes, own = (*notes, *(learned or [OWN_LEARNS])), not learned
        names = contestants(plan, scenario)
        doubtful = (
            own and found.best < scenario.workers
        )  # workers that gain nothing by keeping step may pay with a rival
        gradient = gradient_seconds(plan, scenario.batch) if own else None
        if gradient is not None:
            task = replace(task, most_held_out=_LOOKED)
        if asked.steps is None:
            fit = _LEARNING * (until - time.monotonic()) / gradient if gradient else math.inf
            scenario = replace(scenario, steps=steps_for(scenario.workers, len(names) + 2 * doubtful, fit))
        results = _finished(names, lambda: run(seed_by_seed(race(scenario, names)), task))
        if (seeds := len(results) // len(names)) < SEEDS:
            each = f"{seeds} of {SEEDS} seeds"
            notes = (
                *notes,
                f"The time was over: each strategy was simulated with {each}. A longer --budget gives all.",
            )
        comparison = raced(names, results)
        if doubtful:
            name = winner(comparison)
            ways = _of_one(lambda: [run(some, its, most=False) for some, its in alone(scenario, task, name)])
            found = with_sooner(found, name, comparison, ends_of(names, results), ways)
    elif scenario.workers > MOST_LEARNING:
        notes = (*notes, f"Losses are simulated for at most {MOST_LEARNING} workers: of more, times alone.")
    if found.best < scenario.workers and not (learns and own):
        if topic_of(asked.strategy) != "synchronous":
            found = replace(found, sooner=Sooner(asked.strategy, found.best))
        notes = (
            *notes,
            "Under a strategy that keeps no step more workers may pay: that takes losses of the plan's network.",
        )
    outcomes: list[Outcome] = []
    apart = _why_apart(plan, scenario, asked)
    if not apart:
        date = datetime.now(UTC).isoformat(timespec="seconds")
        scope = scope_of(plan, inputs.machine)
        if inputs.machine is not None:  # where it is kept; what it is bound to are the plan's workers
            scope = {**scope, "machine": inputs.machine.fingerprint}
        saved = _saved(plan, scenario.seed, until, stopped)
        counted = comparison if own else None
        outcomes = settled(plan, scope, date, counted, found, saved, ends_of(names, results))
        if comparison is not None and not own:
            does = "" if found.advised is None else "; the number of workers does"
            notes = (*notes, f"So the comparison of strategies decides nothing for the plan{does}.")
        if saved:
            notes = (*notes, _told_of(saved))
        if inputs.machine is None and outcomes:
            notes = (*notes, "For a machine that is not this one, it counts now and is not kept for later.")
        for outcome in outcomes:
            if inputs.machine is not None:
                keep(inputs.machine, outcome, complain, LAST)
    else:
        notes = (*notes, f"{apart} {NOTHING_COUNTS}")
    after = plan_of(replace(inputs, outcomes=(*known, *outcomes)))
    return PlanSimulation(
        scenario, tuple(names), tuple(results), comparison, found, notes, tuple(outcomes), plan, after
    )


def _finished(names: Sequence[str], run: Callable[[], Sequence[Result]]) -> list[Result]:
    """Each strategy with each seed for which there was time. Raises LateError where that is none."""
    try:
        return finished(names, run())
    except LateError as late:
        if found := finished(names, late.found):
            return found
        raise


def _of_one(run: Callable[[], list[list[Result]]]) -> list[list[Result]]:
    """The trainings of one worker; none where the time is over before the last."""
    try:
        return run()
    except LateError:
        return []


def _saved(plan: Plan, seed: int, until: float, stop: Stop) -> list[Saved]:
    """The best checkpoints with each seed; empty where the plan expects no failures, or the time is over before the last."""
    often = failing(plan, seed)
    if often is None:
        return []
    try:
        return [
            checkpoints(replace(often, seed=seed + one), seconds=until - time.monotonic(), stop=lambda: stop.now)
            for one in range(SEEDS)
        ]
    except LateError:
        return []


def _told_of(saved: Sequence[Saved]) -> str:
    every = best_checkpoint(saved)
    between = f"{number_words(every.low, 's')} to {number_words(every.high, 's')} (95 % interval, {len(saved)} seeds)"
    return (
        f"Of simulated failures those with a checkpoint every {number_words(every.value, 's')} lost the least: {between}. "
        f"After a failure it takes {number_words(RESTART, 's')} until the work goes on (assumed)."
    )


def _why_apart(plan: Plan, scenario: Scenario, asked: Asked) -> str:
    """The reason why not just the plan's own workers, batch and links were simulated, with a step whose time is known, in a
    sentence; empty where they were."""
    known = circumstances(plan)
    if known.alone:
        return _why_alone(plan)
    own_steps = asked.step_time is None or asked.step_time.strip().lower() == MEASURED
    theirs = (known.workers, known.batch) == (scenario.workers, scenario.batch)
    if not (theirs and own_steps and all(getattr(asked, name) == getattr(Asked(), name) for name in _OF_THE_PLAN)):
        return "These are not just the plan's own workers, link and steps."
    if known.step_seconds is None and len(scenario.step_time.samples) != 1:
        return "The time of the plan's own step is not known."  # samples of several workers are of a measured cluster
    if scenario.link.bytes_per_second is None:
        return "The plan knows no rate of its link."
    if known.uneven and len(scenario.step_time.samples) == 1:
        return "The plan's workers are uneven, and the steps are those of one machine."
    return ""


def _why_alone(plan: Plan) -> str:
    """A sentence on a plan of one worker, with the reason why the nodes that are stated are not planned for."""
    nodes, device = plan.facts.get(NODES), plan.recommendations.get("compute.device")
    count = nodes.value if nodes is not None and isinstance(nodes.value, int) else 1
    if count < 2 or device is None or not device.because:
        return "The plan trains with one worker."
    return f"The plan trains with one worker, though {count:,} nodes are stated. {device.because[0].text.rstrip('.')}."


_AFTER = 3.0
"""Seconds that are left for what follows the losses."""
_LEARNING = 0.4
"""Of the time that is left, for gradients; looking at held-out examples takes as long."""
_LOOKED = 128
"""Held-out examples that are looked at while the plan's own network learns."""
_OF_THE_PLAN = ("link", "latency", "straggler", "overlap", "failures", "checkpoint", "cluster", "steps",
                "precision", "inner_link", "servers")  # fmt: skip
"""Settings that follow the plan, unless somebody asks for something else."""
