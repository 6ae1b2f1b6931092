"""Simulating strategies for a plan: one choreography for `advisor simulate`, the wizard and Python."""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from pathlib import Path

from advisor.agent.settling.figures import step_samples
from advisor.agent.settling.scope import newest_in_scope, scope_of
from advisor.agent.settling.workloads import step_of
from advisor.agent.strategies import (
    OF_2017,
    OF_2017_BYTES,
    Circumstances,
    circumstances,
    learned_task,
)
from advisor.children.stopping import Stop
from advisor.cluster.profile import ClusterProfile
from advisor.cluster.profile import read as read_cluster
from advisor.distributed.strategies import strategy
from advisor.distributed.task import Task
from advisor.errors import input_error
from advisor.inference.plan import Plan
from advisor.report.numbers import number_words
from advisor.session.inputs import Inputs, plan_of
from advisor.simulation.result import Result
from advisor.simulation.running import simulate
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
