"""Simulating strategies for a plan: one choreography for `advisor simulate`, the wizard and Python."""

from __future__ import annotations

import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from advisor.agent.remembered.memory import LAST
from advisor.agent.settling.figures import step_samples
from advisor.agent.settling.scope import newest_in_scope, scope_of
from advisor.agent.settling.workloads import step_of
from advisor.agent.simulating import RESTART, Sweep, contestants, failing, race, raced, settled, steps_for, sweep, swept
from advisor.agent.strategies import (
    OF_2017,
    OF_2017_BYTES,
    Circumstances,
    circumstances,
    learned_task,
    reference_of,
    without_strategies,
)
from advisor.children.stopping import Stop
from advisor.cluster.profile import ClusterProfile
from advisor.cluster.profile import read as read_cluster
from advisor.distributed.comparing import Comparison
from advisor.distributed.strategies import strategy
from advisor.distributed.task import Task
from advisor.errors import Complain, input_error
from advisor.inference.plan import Plan
from advisor.probes.outcome import Outcome
from advisor.report.numbers import number_words
from advisor.session.inputs import Inputs, plan_of
from advisor.session.recalling import keep
from advisor.simulation.result import Result
from advisor.simulation.running import checkpoints, simulate, simulate_all
from advisor.simulation.scenario import Faults, Law, Link, Scenario, StepTime, link, measured, seconds, step_time

USUAL_WORKERS, USUAL_STEPS = 8, 200
MOST_LEARNING, MOST_GRADIENTS = 64, 20_000
"""Workers, and their gradients together, up to which real gradients take seconds."""
UNEVEN = 0.3
"""The spread of the time of a step where workers are uneven: the slowest of eight then takes half as long again."""
EVEN = 0.05
MEASURED = "measured"


@dataclass(frozen=True, slots=True)
class Asked:
    """Wishes for a simulation; None is for the plan to say. Texts are as they are written for the command."""

    strategy: str = "synchronous"
    workers: int | None = None
    steps: int | None = None
    batch: int | None = None
    step_time: str | None = None
    link: str | None = None
    latency: str = "0s"
    straggler: float = 1.0
    overlap: float = 0.0
    failures: str | None = None
    restart: str = "5min"
    checkpoint: str | None = None
    checkpoint_cost: str = "0s"
    loss: bool | None = None
    seed: int = 0
    cluster: Path | None = None
    """A profile that `advisor.cluster` has written: its ranks are the workers, with their steps and their link."""


@dataclass(frozen=True, slots=True)
class Simulation:
    """A simulation that was made, with everything that it rests on."""

    scenario: Scenario
    result: Result
    task: Task | None
    """Learned meanwhile; None for timing alone."""
    notes: tuple[str, ...]
    """Values taken from the plan, measured or assumed, in sentences."""


def simulated(inputs: Inputs, asked: Asked, seconds_left: float, stop: Stop | None = None) -> Simulation:
    """Simulate one strategy for the plan of these inputs.

    Raises InputError for what cannot be simulated; CannotRunError where it takes too long, StoppedError where it was stopped.
    """
    plan = plan_of(inputs)
    scenario, notes = scenario_of(plan, inputs, asked)
    task, learned = _task(plan, inputs, scenario, asked.loss)
    stopped = stop or Stop()
    result = simulate(scenario, task, seconds=seconds_left, stop=lambda: stopped.now)
    return Simulation(scenario, result, task, (*notes, *learned))


def scenario_of(plan: Plan, inputs: Inputs, asked: Asked) -> tuple[Scenario, tuple[str, ...]]:
    """The cluster of the plan with what is asked in its place, and what was assumed. Raises InputError."""
    known, notes = circumstances(plan), []
    law, says = _step_time(plan, inputs, known, asked.step_time)
    joined, told = _link(known, asked)
    workers = asked.workers if asked.workers is not None else known.workers or USUAL_WORKERS
    if asked.cluster is not None:
        profile = read_cluster(asked.cluster)
        law, joined, workers = _as_measured(profile, law), _measured_link(profile, asked, joined), len(profile.ranks)
        whose = f"the {workers} ranks of {asked.cluster.name} do, measured on {profile.date[:10]}"
        says = f"{says} Workers differ as {whose}.".strip()
        told = "" if asked.link is not None else "The link is that of this cluster."
    notes += [one for one in (says, told) if one]
    size = known.message_bytes
    if size is None:
        size = OF_2017_BYTES
        notes.append(
            f"The plan has no network yet: {number_words(size, 'bytes')} are exchanged, the weights of the network 784-64-64-10 "
            "of the report of 2017."
        )
    scenario = Scenario(
        strategy(asked.strategy),
        workers=workers,
        steps=asked.steps if asked.steps is not None else USUAL_STEPS,
        batch=asked.batch if asked.batch is not None else known.batch or OF_2017.batch,
        step_time=law,
        link=joined,
        message_bytes=size,
        straggler=asked.straggler,
        overlap=asked.overlap,
        seed=asked.seed,
        faults=_faults(asked),
    )
    return scenario, tuple(notes)


def _step_time(plan: Plan, inputs: Inputs, known: Circumstances, text: str | None) -> tuple[StepTime, str]:
    """The time of a step, and a sentence on where it is from; none where somebody has said it."""
    if text is not None and text.strip().lower() != MEASURED:
        return step_time(text, "--step-time"), ""
    workload = step_of(plan)
    counted = newest_in_scope(inputs.outcomes, scope_of(plan, inputs.machine))
    samples = () if workload is None else step_samples(plan, counted, workload)
    if samples:
        several = int(plan.value("training.accumulation") or 1)
        law = measured([[several * one for one in samples]])
        return law, f"A step takes {number_words(law.mean, 's')}, as {len(samples)} steps that were measured here."
    if text is not None:
        raise input_error(
            "No step was measured", "there is no measurement of this plan's step on this machine", where="--step-time",
            remedy="Measure it with `advisor probe --only threads`, or write for example constant:20ms.",
        )  # fmt: skip
    if known.step_seconds is None:
        return StepTime(), "Nothing is known of the time of a step: 1 s is assumed. Write it with --step-time."
    spread = UNEVEN if known.uneven else EVEN
    law = StepTime(Law.LOGNORMAL, known.step_seconds, spread)
    uneven = "uneven workers" if known.uneven else "even workers"
    return law, (
        f"A step takes {number_words(known.step_seconds, 's')}, {known.step_says}, with a spread of {spread:.0%} as "
        f"{uneven} have it (assumed)."
    )


def _link(known: Circumstances, asked: Asked) -> tuple[Link, str]:
    if asked.link is not None:
        return link(asked.link, asked.latency, "--link"), ""
    waits = seconds(asked.latency, "--latency")
    rate = known.link_bytes_per_second
    if rate is None:
        return Link(None, waits), "No link is known: bytes take no time. Write its rate with --link."
    return Link(rate, waits), f"The plan's link carries {number_words(rate, 'bytes/s')}."


def _as_measured(profile: ClusterProfile, law: StepTime) -> StepTime:
    """The ranks' own training steps; where only matrix products were timed, steps that differ from rank to rank as those do."""
    samples = profile.step_samples()
    if all(rank.steps is not None for rank in profile.ranks):
        return measured(samples)
    typical = statistics.median(statistics.median(own) for own in samples)
    return measured([[law.mean * one / typical for one in own] for own in samples])


def _measured_link(profile: ClusterProfile, asked: Asked, joined: Link) -> Link:
    """The cluster's, unless somebody has named another."""
    if asked.link is not None:
        return joined
    latency, rate = profile.link()
    return Link(rate, latency)


def _faults(asked: Asked) -> Faults:
    failures = None if asked.failures is None else seconds(asked.failures, "--failures")
    every = None if asked.checkpoint is None else seconds(asked.checkpoint, "--checkpoint")
    return Faults(
        between_failures=failures,
        restart=seconds(asked.restart, "--restart"),
        checkpoint_every=every,
        checkpoint_cost=seconds(asked.checkpoint_cost, "--checkpoint-cost"),
    )


def _task(plan: Plan, inputs: Inputs, scenario: Scenario, loss: bool | None) -> tuple[Task | None, tuple[str, ...]]:
    """The task learned meanwhile, and what should be known of it."""
    many = scenario.workers > MOST_LEARNING or scenario.workers * scenario.steps > MOST_GRADIENTS
    if loss is False or (loss is None and (many or scenario.faults.leaves)):
        return None, ()
    return learned_task(
        plan, inputs.inspection, batch=scenario.batch, seed=scenario.seed, workers=scenario.workers, simulated=True
    )


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


def simulated_for_plan(
    inputs: Inputs, asked: Asked, seconds_left: float, *, complain: Complain, stop: Stop | None = None
) -> PlanSimulation:
    """Compare strategies, and numbers of workers, for the plan of these inputs; what counts for it is kept.

    Raises as `simulated` does.
    """
    until, stopped = time.monotonic() + seconds_left, stop or Stop()
    known = without_strategies(inputs.outcomes)
    plan = plan_of(replace(inputs, outcomes=known))
    asked = replace(asked, strategy=reference_of(plan))
    scenario, notes = scenario_of(plan, inputs, asked)

    def run(scenarios: Sequence[Scenario], task: Task | None = None) -> list[Result]:
        return simulate_all(scenarios, task, seconds=until - time.monotonic(), stop=lambda: stopped.now)

    found = swept(run(sweep(scenario)))
    comparison, names, results, own = None, [], [], True
    if asked.loss is not False and 1 < scenario.workers <= MOST_LEARNING:
        task, learned = learned_task(
            plan, inputs.inspection, batch=scenario.batch, seed=scenario.seed, workers=scenario.workers, simulated=True
        )
        notes, own = (*notes, *learned), not learned
        names = contestants(plan, scenario)
        if asked.steps is None:
            scenario = replace(scenario, steps=steps_for(scenario.workers, len(names)))
        results = run(race(scenario, names), task)
        comparison = raced(names, results)
    elif scenario.workers > MOST_LEARNING:
        notes = (*notes, f"Losses are simulated for at most {MOST_LEARNING} workers: of more, times alone.")
    outcomes: list[Outcome] = []
    if _is_the_plans(plan, scenario, asked):
        date = datetime.now(UTC).isoformat(timespec="seconds")
        scope = scope_of(plan, inputs.machine)
        if inputs.machine is not None:  # where it is kept; what it is bound to are the plan's workers
            scope = {**scope, "machine": inputs.machine.fingerprint}
        often = failing(plan, scenario.seed)
        saved = (
            None if often is None else checkpoints(often, seconds=until - time.monotonic(), stop=lambda: stopped.now)
        )
        outcomes = settled(plan, scope, date, comparison if own else None, found, saved)
        if comparison is not None and not own:
            notes = (
                *notes,
                "So the comparison of strategies decides nothing for the plan; the number of workers does.",
            )
        if saved is not None:
            notes = (
                *notes,
                f"After a failure it takes {number_words(RESTART, 's')} until the work goes on (assumed).",
            )
        for outcome in outcomes:
            if inputs.machine is not None:
                keep(inputs.machine, outcome, complain, LAST)
    else:
        notes = (
            *notes,
            "These are not the plan's own workers with a link and steps that it knows: nothing of it counts for the plan.",
        )
    after = plan_of(replace(inputs, outcomes=(*known, *outcomes)))
    return PlanSimulation(
        scenario, tuple(names), tuple(results), comparison, found, notes, tuple(outcomes), plan, after
    )


def _is_the_plans(plan: Plan, scenario: Scenario, asked: Asked) -> bool:
    """True if nothing but the plan's own workers, batch and links were simulated, with a step whose time is known."""
    known = circumstances(plan)
    if scenario.step_time.law is not Law.SAMPLES and known.step_seconds is None:
        return False
    if scenario.link.bytes_per_second is None or (known.uneven and scenario.step_time.law is Law.SAMPLES):
        return False  # exchanges that cost nothing, or steps of one even machine, are not the plan's
    theirs = (known.workers, known.batch) == (scenario.workers, scenario.batch)
    own_steps = asked.step_time is None or scenario.step_time.law is Law.SAMPLES
    return theirs and own_steps and all(getattr(asked, name) == getattr(Asked(), name) for name in _OF_THE_PLAN)


_OF_THE_PLAN = ("link", "straggler", "overlap", "failures", "checkpoint", "cluster", "steps")
"""Settings that follow the plan, unless somebody asks for something else."""
