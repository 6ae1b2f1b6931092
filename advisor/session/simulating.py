"""Simulating strategies for a plan: one choreography for `advisor simulate`, the wizard and Python."""

from __future__ import annotations

import random
import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from advisor.agent.clusters import measured_on
from advisor.agent.exchanged import exchanged_network, gradient_matrices, skips_unseen, stage_bytes
from advisor.agent.settling.figures import step_samples
from advisor.agent.settling.scope import newest_in_scope, scope_of
from advisor.agent.settling.workloads import step_of
from advisor.agent.strategies import (
    OF_2017,
    OF_2017_BYTES,
    WEIGHT_BYTES,
    Circumstances,
    circumstances,
    learned_task,
)
from advisor.children.stopping import Stop
from advisor.cluster.profile import ClusterProfile, step_words
from advisor.cluster.profile import read as read_cluster
from advisor.distributed.strategies import Kind, Strategy, strategy
from advisor.distributed.task import Task
from advisor.errors import input_error
from advisor.facts.cluster import CARDS, NETWORK, NODES
from advisor.facts.fact_base import Source
from advisor.inference.plan import Plan
from advisor.models.model import Model
from advisor.report.numbers import number_words
from advisor.session.inputs import Inputs, plan_of
from advisor.simulation.exchange import BUCKET
from advisor.simulation.result import Result
from advisor.simulation.running import simulate
from advisor.simulation.scenario import (
    Faults,
    Law,
    Link,
    Scenario,
    StepTime,
    link,
    measured,
    seconds,
    size_of,
    step_time,
)
from advisor.wording import join_names, shorten

USUAL_WORKERS, USUAL_STEPS = 8, 200
MOST_LEARNING, MOST_GRADIENTS = 64, 20_000
"""Workers, and their gradients together, up to which real gradients take seconds."""
UNEVEN = 0.3
"""The spread of the time of a step where workers are uneven: the slowest of eight then takes half as long again."""
EVEN = 0.05
MEASURED = "measured"
OWN_LEARNS = "The plan's own network learns the plan's data."
FORMATS: Mapping[str, int] = {"fp32": 4, "bf16": 2, "fp16": 2}
"""Bytes of a number, by its format."""
_SUMS = 1_000
"""Steps that are put together from measured passes."""


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
    overlap: float | None = None
    """The share of a step during which gradients can be exchanged already; None for buckets, as torch has them."""
    failures: str | None = None
    restart: str = "5min"
    checkpoint: str | None = None
    checkpoint_cost: str = "0s"
    loss: bool | None = None
    seed: int = 0
    precision: str | None = None
    """The number format of what workers exchange: fp32, bf16 or fp16; None for that of the plan, see `exchanged_format`."""
    inner_link: str | None = None
    """Network speed inside a group under a mixed strategy; None for `link`."""
    servers: int = 1
    """Number of parameter servers that share the weights."""
    activations: str | None = None
    """Of a pipeline: bytes that a stage passes to the next for one example, such as 800kB."""
    cluster: Path | None = None
    """A profile that `advisor.cluster` has written: its ranks are the workers, with their steps and their link. Where it is None,
    that of the machine that the plan names, if it is a measured cluster."""


@dataclass(frozen=True, slots=True)
class Simulation:
    """A simulation that was made, with everything that it rests on."""

    scenario: Scenario
    result: Result
    task: Task | None
    """Learned meanwhile; None for timing alone."""
    notes: tuple[str, ...]
    """Values taken from the plan, measured or assumed, in sentences."""

    def _repr_html_(self) -> str:
        """In a notebook."""
        from advisor.report.strategies.notebooks import simulated_html

        return simulated_html(self.scenario, self.result)


def simulated(
    inputs: Inputs,
    asked: Asked,
    seconds_left: float,
    stop: Stop | None = None,
    tell: Callable[[float], None] = lambda share: None,
) -> Simulation:
    """Simulate one strategy for the plan of these inputs.

    Args:
        stop: another thread sets it.
        tell: is told the share that is done, 0 to 1, now and then.

    Raises InputError for what cannot be simulated; CannotRunError where it takes too long, StoppedError where it was stopped.
    """
    plan = plan_of(inputs)
    scenario, notes = scenario_of(plan, inputs, asked)
    notes += tuple(_without_effect(scenario, asked))
    task, learned = _task(plan, inputs, scenario, asked.loss)
    stopped = stop or Stop()
    result = simulate(scenario, task, seconds=seconds_left, stop=lambda: stopped.now, tell=tell)
    return Simulation(scenario, result, task, (*notes, *learned))


def _without_effect(scenario: Scenario, asked: Asked) -> Iterator[str]:
    """Sentences on options that mean nothing for this strategy."""
    kind, name = scenario.strategy.kind, scenario.strategy.name
    if asked.servers > 1 and kind not in (Kind.SERVER, Kind.GROUPS):
        yield f"--servers has no effect: {name} has no parameter server."
    if asked.inner_link is not None and kind is not Kind.GROUPS:
        yield f"--inner-link has no effect: {name} has no groups of workers."


def scenario_of(plan: Plan, inputs: Inputs, asked: Asked) -> tuple[Scenario, tuple[str, ...]]:
    """The cluster of the plan with what is asked in its place, and what was assumed. Raises InputError."""
    known, notes = circumstances(plan), []
    law, says = _step_time(plan, inputs, known, asked.step_time, asked.seed)
    joined, told = _link(known, asked)
    workers = known.workers or USUAL_WORKERS
    profile = inputs.cluster if asked.cluster is None else read_cluster(asked.cluster)
    if profile is not None:
        stated = _stated(plan) if asked.cluster is None else ()
        law, says = _as_measured(plan, profile, known, asked, law, says)
        joined, told = _measured_link(profile, asked, joined, told, stated)
        workers = workers if {NODES, CARDS} & set(stated) else len(profile.ranks)
    workers = asked.workers if asked.workers is not None else workers
    notes += [one for one in (says, told) if one]
    chosen = strategy(asked.strategy)
    format_, why = exchanged_format(chosen.kind, known.precision) if asked.precision is None else (asked.precision, "")
    each = value_bytes(format_)
    size, network = known.message_bytes, exchanged_network(plan, inputs.network)
    weights = None if size is None else size // WEIGHT_BYTES
    size, frozen = _with_frozen(chosen.kind, size, known.frozen_bytes)
    notes += [one for one in (why, frozen) if one]
    if size is None:
        size, weights = OF_2017_BYTES, OF_2017_BYTES // WEIGHT_BYTES
        moved = number_words(size * each // WEIGHT_BYTES, "bytes")
        notes.append(
            f"The plan has no network yet: {moved} are exchanged, the weights of the network 784-64-64-10 of the report of 2017."
        )
    batch = asked.batch if asked.batch is not None else known.batch or OF_2017.batch
    between, passes = _between_stages(chosen, network, asked, batch, each)
    notes += [passes] if passes else []
    scenario = Scenario(
        chosen,
        workers=workers,
        steps=asked.steps if asked.steps is not None else USUAL_STEPS,
        batch=batch,
        step_time=law,
        link=joined,
        message_bytes=size * each // WEIGHT_BYTES,
        value_bytes=each,
        activation_bytes=None if between is None else 0,
        between_stages=between or (),
        shapes=gradient_matrices(network, weights),
        straggler=asked.straggler,
        overlap=asked.overlap or 0.0,
        bucket_bytes=BUCKET if asked.overlap is None else None,
        group_link=None if asked.inner_link is None else link(asked.inner_link, asked.latency, "--inner-link"),
        servers=asked.servers,
        seed=asked.seed,
        faults=_faults(asked),
    )
    return scenario, tuple(notes)


def exchanged_format(kind: Kind, precision: str | None) -> tuple[str, str]:
    """The number format of what workers exchange in a plan that computes in this one, and a sentence where it is not fp32.

    Mixed precision keeps weights and gradients in 32 bits; sharded workers gather weights, and stages of a pipeline pass on
    activations, in the format of the computation.
    """
    if precision in (None, "fp32", "tf32"):
        return "fp32", ""
    half = "fp16" if precision == "fp16" else "bf16"
    if kind in (Kind.SHARDED, Kind.PIPELINE):
        return half, f"Workers exchange {half}, as the plan computes in {precision}."
    return (
        "fp32",
        f"Workers exchange fp32: {precision} of the plan is mixed precision, which keeps gradients in 32 bits.",
    )


def _with_frozen(kind: Kind, size: int | None, frozen: int) -> tuple[int | None, str]:
    """The bytes of an exchange, and a sentence where weights of the network are frozen."""
    if size is None or not frozen:
        return size, ""
    share = f"{size // WEIGHT_BYTES:,} of {(size + frozen) // WEIGHT_BYTES:,} weights"
    if kind is Kind.SHARDED:
        return size + 2 * frozen // 3, (
            f"The plan trains {share}. Sharded workers gather the frozen ones, too: in two of the three exchanges of a step, "
            "of which the mean is given as one exchange."
        )
    return size, f"Workers exchange what the plan trains: {share}. The others are frozen."


def value_bytes(precision: str) -> int:
    """Of a number in this format. Raises InputError."""
    found = FORMATS.get(precision.strip().lower())
    if found is None:
        raise input_error(
            "There is no such number format", repr(shorten(precision)), where="--precision",
            remedy=f"Known: {join_names(list(FORMATS))}.",
        )  # fmt: skip
    return found


def _between_stages(
    chosen: Strategy, network: Model | None, asked: Asked, batch: int, each: int
) -> tuple[tuple[int, ...] | None, str]:
    """Of a pipeline: bytes that each stage but the last passes on for one worker's batch, None where that is not known, and a
    sentence on them; nothing for other strategies."""
    if chosen.kind is not Kind.PIPELINE or (stages := chosen.whole("stages")) == 1:
        return (), ""
    if asked.activations is not None:
        one = size_of(asked.activations, "--activations")
        return (one * batch,) * (
            stages - 1
        ), f"Each stage passes on {number_words(one, 'bytes')} for an example (given)."
    found = stage_bytes(network, stages, batch, each)
    if isinstance(found, str) or network is None:
        why = f"The bytes that pass between the stages are not known: {found}."
        return None, f"{why} Passing them takes no time here. Give them with --activations, such as 800kB."
    sizes = join_names([number_words(one // batch, "bytes") for one in found])
    passes = "The first stage passes on" if len(found) == 1 else "The stages but the last pass on"
    skips = " Connections that skip blocks are not among them." if skips_unseen(network) else ""
    return (
        found,
        f"{passes} {sizes} for each example, and the next as much back, counted of {shorten(network.name)}.{skips}",
    )


def _step_time(plan: Plan, inputs: Inputs, known: Circumstances, text: str | None, seed: int) -> tuple[StepTime, str]:
    """The time of a step, and a sentence on where it is from; none where somebody has said it.

    A step that adds up the gradients of several passes takes the sum of as many measured ones.
    """
    if text is not None and text.strip().lower() != MEASURED:
        return step_time(text, "--step-time"), ""
    workload = step_of(plan)
    counted = newest_in_scope(inputs.outcomes, scope_of(plan, inputs.machine))
    samples = () if workload is None else step_samples(plan, counted, workload)
    if samples:
        passes = int(plan.value("training.accumulation") or 1)
        law = measured([samples if passes == 1 else sums(samples, passes, seed)])
        several = f", {passes} of them added up for each" if passes > 1 else ""
        return (
            law,
            f"A step takes {number_words(law.mean, 's')}, as {len(samples)} steps that were measured here{several}.",
        )
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


def sums(samples: Sequence[float], passes: int, seed: int) -> list[float]:
    """Seconds of steps of so many passes each: sums of samples that are drawn with replacement."""
    draw = random.Random(seed)  # noqa: S311  reproducible, no secret
    return [sum(draw.choices(samples, k=passes)) for _ in range(_SUMS)]


def _link(known: Circumstances, asked: Asked) -> tuple[Link, str]:
    if asked.link is not None:
        return link(asked.link, asked.latency, "--link"), ""
    waits = seconds(asked.latency, "--latency")
    rate = known.link_bytes_per_second
    if rate is None:
        return Link(None, waits), "No link is known: bytes take no time. Write its rate with --link."
    return Link(rate, waits), f"The plan's link carries {number_words(rate, 'bytes/s')}."


def _stated(plan: Plan) -> tuple[str, ...]:
    """The facts of a measured cluster that somebody has stated otherwise."""
    return tuple(
        name
        for name in (NODES, CARDS, NETWORK)
        if name in plan.facts and plan.facts[name].source is not Source.MEASURED
    )


def _is_timed(plan: Plan, profile: ClusterProfile) -> bool:
    """True if the training step that was timed on the cluster is the plan's."""
    step = step_of(plan)
    alone = int(plan.value("training.accumulation") or 1) == 1
    return alone and step is not None and profile.step == step_words(step.describe(), step.batch_size, step.precision)


def _as_measured(
    plan: Plan, profile: ClusterProfile, known: Circumstances, asked: Asked, law: StepTime, says: str
) -> tuple[StepTime, str]:
    """The ranks' own training steps where they are the plan's, or its time is not known; else its steps, that differ from rank to
    rank as those do, or as matrix products where only these were timed."""
    samples = profile.step_samples()
    ranks = f"{len(samples)} ranks"
    stepped = all(rank.steps is not None for rank in profile.ranks)
    if asked.step_time is None and stepped and (known.step_seconds is None or _is_timed(plan, profile)):
        own = measured(samples)
        mean = number_words(own.mean, "s")
        return (
            own,
            f"A step takes {mean} on the average of {ranks}, each with its own time, measured {measured_on(profile)}.",
        )
    typical = statistics.median(statistics.median(own) for own in samples)
    differing = measured([[law.mean * one / typical for one in own] for own in samples])
    return differing, f"{says} Workers differ as {ranks} do, measured {measured_on(profile)}.".strip()


def _measured_link(
    profile: ClusterProfile, asked: Asked, joined: Link, told: str, stated: Sequence[str]
) -> tuple[Link, str]:
    """The cluster's, unless somebody has named another."""
    if asked.link is not None or NETWORK in stated:
        return joined, told
    latency, rate = profile.link()
    if asked.latency != Asked().latency:
        latency = joined.latency
    carries = "showed no limit to its rate," if rate is None else f"carries {number_words(rate, 'bytes/s')}"
    waits = f"with a latency of {number_words(latency, 's')}"
    return Link(rate, latency), f"The link {carries} {waits}, measured {measured_on(profile)}."


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
    task, notes = learned_task(
        plan, inputs.inspection, batch=scenario.batch, seed=scenario.seed, workers=scenario.workers, simulated=True
    )
    return task, notes or (OWN_LEARNS,)
