"""Training under several strategies for a plan: one choreography for `advisor sync`, the wizard and Python."""

from __future__ import annotations

import statistics
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from advisor.agent.remembered.memory import LAST
from advisor.agent.settling.known_model import code_for, counted_at_all
from advisor.agent.settling.scope import binding, newest_in_scope, scope_of
from advisor.agent.settling.strategies import RUN_BEST, on_cores, worker_conditions
from advisor.agent.settling.workloads import MODEL, counted_step, model_name
from advisor.agent.simulating import of_strategies
from advisor.agent.strategies import OF_2017, STANDS_IN, Own, learned_task, reference_of, without_strategies
from advisor.agent.unfinished import reached_words
from advisor.children.command import own_module_command
from advisor.children.errors import CannotRunError
from advisor.children.stopping import STOPPED, Stop
from advisor.children.supervise import Limits
from advisor.children.temporary import remove_abandoned
from advisor.distributed.comparing import FEWEST_PAIRS, Comparison, compared
from advisor.distributed.job import MOST_BATCH, MOST_WORKERS, Job, Message, Run
from advisor.distributed.launching.launch import run
from advisor.distributed.launching.results import Results
from advisor.distributed.strategies import ALONE, MOST_STRAGGLING, strategies, strategy
from advisor.distributed.task import DIGITS
from advisor.distributed.wires.links import LONGEST_LATENCY, links
from advisor.errors import Complain, InputError, Problem, input_error
from advisor.facts.cluster import NETWORK as BETWEEN_NODES
from advisor.facts.cluster import NODES
from advisor.facts.experiments import BATCH, NETWORK, OF_CLUSTER, SYNC, WORKER
from advisor.facts.out_of_scope import differing
from advisor.facts.values import to_text
from advisor.inference.plan import Plan
from advisor.models.code import Code
from advisor.probes.conditions import Conditions, Moment, conditions
from advisor.probes.outcome import Outcome
from advisor.report.numbers import number_words
from advisor.report.strategies.planned import has_own
from advisor.report.strategies.verdicts import beside_one, level_with, times, unclear
from advisor.session.affordable import (
    LEAST,
    MOST_MADE,
    Means,
    enough_seconds,
    gradient_here,
    schedule,
    start_seconds,
    why_barred,
)
from advisor.session.inputs import Inputs, plan_of
from advisor.session.measuring import check_here, with_cards
from advisor.session.models import code_of
from advisor.session.recalling import keep
from advisor.simulation.scenario import Link
from advisor.simulation.scenario import link as read_link
from advisor.simulation.scenario import seconds as read_seconds
from advisor.version import torch_version
from advisor.wording import join_names

RIVALS = ("synchronous", "local_sgd", "asynchronous", "delay_compensated")
"""Trained beside the plan's own strategy where nobody names any."""
_WORKER = "advisor.distributed.worker"
_UNLIMITED = "inf"
_LAST = 0.5
"""Seconds for the end of all processes."""
_SHORTEST = 1.0
"""Seconds, of which the system's clocks tell how busy it was."""
_SHORTER = 0.9
"""Of the time that was planned for a training: below it, people are told."""


@dataclass(frozen=True, slots=True)
class Asked:
    """Wishes for a training; None is for the plan to say. Texts are as they are written for the command."""

    strategies: str | None = None
    workers: int = 2
    link: str | None = None
    """Of each worker; where it is None, as fast as between the nodes of the plan, or as this machine if there is only one."""
    latency: str = "0s"
    straggler: float = 1.0
    batch: int | None = None
    rate: float | None = None
    seeds: int = 3
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Trained:
    """Findings from real workers, as far as they came."""

    job: Job
    results: Results
    comparison: Comparison | None
    """Of the strategies whose runs were all finished, with as many seeds as two of them have; None where those are fewer than
    two, or the first is not among them."""
    notes: tuple[str, ...]
    """On what it rests, in sentences."""
    outcomes: tuple[Outcome, ...] = ()
    """As later plans count them: for such workers, links and this network alone."""
    plans: tuple[Plan, Plan] | None = None
    """Before and after, where anything was compared."""
    own: bool = True
    """True if the others were compared with the plan's own strategy, or a form of it; a plan of one worker has none."""

    @property
    def says(self) -> str:
        """The answer in a sentence."""
        if self.comparison is None:
            done = len(self.results.runs)
            planned = len(self.job.runs)
            return f"{done} of {planned} trainings were finished: too few to compare strategies."
        answer = said(self.comparison, self.job)
        return f"{answer} A small network learned digits in place of the plan's." if STANDS_IN in self.notes else answer

    def _repr_html_(self) -> str:
        """In a notebook."""
        from advisor.report.strategies.notebooks import trained_html

        return trained_html(self.comparison, self.compared_runs, self.says, own=self.own)

    @property
    def compared_runs(self) -> tuple[Run, ...]:
        """The runs of the strategies that were compared."""
        if self.comparison is None:
            return ()
        names = {one.strategy for one in self.comparison.standings}
        alone = {ALONE} if self.comparison.alone is not None else set()
        return tuple(one for one in self.results.runs if one.strategy in names | alone)


def trained(
    inputs: Inputs,
    asked: Asked,
    seconds: float,
    *,
    complain: Complain,
    hear: Callable[[Message], None] = lambda _: None,
    stop: Stop | None = None,
) -> Trained:
    """Train the network of the plan under several strategies on this machine; what was compared is kept.

    Args:
        seconds: for everything.
        complain: is told what goes wrong and stops nothing.
        hear: is told what happens, in this thread. What it raises ends all processes.
        stop: another thread sets it; what is finished comes back.

    Raises InputError where something asked for is wrong, or nothing can be trained; CannotRunError where no process starts.
    """
    begun = time.monotonic()
    check_here(inputs, "Nothing can be trained")
    remove_abandoned()
    inputs = with_cards(inputs, stop)
    plan = plan_of(replace(inputs, outcomes=without_strategies(inputs.outcomes)))
    job, notes = job_of(plan, inputs, asked, seconds)
    joined = link_of(plan, asked)
    stopped = stop or Stop()
    until = begun + seconds
    late = threading.Timer(until - time.monotonic(), stopped.this)
    late.daemon = True
    late.start()
    try:
        before, clock = Moment.now(), time.monotonic()
        with links(job.ranks, joined.bytes_per_second, joined.latency) as found:
            results = run(job, links=found, hear=hear, stop=stopped, command=_command(job), until=until - _LAST)
            says = found.says
    except OSError as error:
        raise CannotRunError(f"No process could be started: {error}") from error
    finally:
        late.cancel()
    if results.failed == STOPPED and not stopped.all:
        results = replace(
            results, failed="", notes=(*results.notes, "The time was over before all trainings were done.")
        )
    noted = conditions(before, Moment.now(), {}) if time.monotonic() - clock > _SHORTEST else Conditions()
    doubt = noted.doubt(shares_cores=job.device == "cpu")
    how = results.ready.how if results.ready is not None else ""
    undone = [f"{one.strategy}, seed {one.seed}: {one.why}" for one in results.undone]
    rests = (
        *notes,
        *_as_planned(asked, joined),
        says,
        *([how] if how else []),
        *results.notes,
        *_shorter(job, results),
        *_straggling(job),
        *_without_one(job),
        *noted.warnings,
        *undone,
    )
    (comparison, whole), outcomes = _compared(job, results.runs, doubt), []
    rests = (*rests, *_without_ratio(comparison), *_left_again(comparison, results.runs))
    if comparison is not None and not whole:
        rests = (*rests, "This does not change your plan: not all seeds were finished with two strategies.")
    if comparison is not None and comparison.pairs < FEWEST_PAIRS:
        rests = (
            *rests,
            f"This does not change your plan: {FEWEST_PAIRS} seeds are the fewest that decide anything.",
        )
    planned = reference_of(plan)
    own = job.chosen[0].declared.topic == strategy(planned).declared.topic
    usual = (asked.rate, asked.latency, asked.straggler) == (None, Asked().latency, Asked().straggler)
    if not usual:
        rests = (*rests, "This does not change your plan: it was trained with another rate, latency or straggler.")
    if not own:
        rests = (*rests, f"This does not change your plan: its own strategy, {planned}, is not among these.")
    decides = comparison is not None and not doubt and comparison.pairs >= FEWEST_PAIRS
    if comparison is not None and decides and whole and own and usual and not notes and inputs.machine is not None:
        version = results.ready.torch if results.ready is not None else ""
        applies = ran(plan, inputs, job, joined.bytes_per_second, version)
        date = datetime.now(UTC).isoformat(timespec="seconds")
        outcomes = of_strategies(SYNC, RUN_BEST, comparison, applies, date)
        for outcome in outcomes:
            keep(inputs.machine, outcome, complain, LAST)
    after = plan_of(replace(inputs, outcomes=(*inputs.outcomes, *outcomes)))
    if outcomes and not newest_in_scope(outcomes, scope_of(plan, inputs.machine)):
        rests = (*rests, f"{_why_evidence(plan, inputs, outcomes[0])} It is kept as evidence, and decides nothing.")
    elif outcomes and after.value("sync.strategy") == "none":
        rests = (*rests, "The plan trains with one worker, which needs no strategy: it is kept for a plan of several.")
    return Trained(job, results, comparison, rests, tuple(outcomes), (plan, after), own and has_own(plan))


def ran(plan: Plan, inputs: Inputs, job: Job, rate: float | None, torch: str = "") -> dict[str, str]:
    """The conditions under which these workers trained: a plan for others has it as evidence only.

    Args:
        rate: of links, in bytes/s.
        torch: the version with which they trained; empty for that of this Python.
    """
    assert inputs.machine is not None  # noqa: S101 - it is here
    return {
        **scope_of(plan, inputs.machine),
        **worker_conditions(plan),
        NETWORK: job.task.network if not (step := counted_step(plan)) else step.describe(),
        BATCH: str(job.task.batch),
        **dict.fromkeys(OF_CLUSTER, "unknown"),
        **_places(job, inputs, plan),
        "preemptions_per_day": to_text(0),
        "link_bytes_per_second": "unlimited" if rate is None else to_text(rate),
        "stragglers": to_text(job.straggler > 1),
        "sites": "1",
        "machine": inputs.machine.fingerprint,
        "torch": torch or torch_version(),
    }


def _why_evidence(plan: Plan, inputs: Inputs, outcome: Outcome) -> str:
    """A sentence on what the plan has that was not trained so."""
    planned = scope_of(plan, inputs.machine)
    if not worker_conditions(plan):
        return "The plan is for a single worker."
    apart = differing(binding(outcome), planned)
    told = join_names([f"{one.name.replace('_', ' ')} {one.now or 'unknown'} rather than {one.then}" for one in apart])
    return f"The plan has {told}."


def _places(job: Job, inputs: Inputs, plan: Plan) -> dict[str, str]:
    """The worker, and how many there are on how many nodes: each card of this machine, or its cores as computers apart."""
    if job.device == "cuda" and inputs.machine is not None and inputs.machine.gpus:
        return {WORKER: str(inputs.machine.gpus[0].name), "nodes": "1", "cards_per_node": str(job.workers)}
    return {WORKER: on_cores(job.threads, plan), "nodes": str(job.workers), "cards_per_node": "0"}


def job_of(plan: Plan, inputs: Inputs, asked: Asked, seconds: float) -> tuple[Job, tuple[str, ...]]:
    """The trainings, with the plan's own strategy first where it is among them, and what was assumed. Raises InputError."""
    _check_ranges(asked)
    own = strategy(reference_of(plan))
    chosen = strategies(asked.strategies) if asked.strategies is not None else [own, *map(strategy, RIVALS)]
    names = tuple(sorted(dict.fromkeys(map(str, chosen)), key=lambda name: name != str(own)))
    means = _means(plan, inputs, asked, seconds, names)
    task, notes = learned_task(
        plan, inputs.inspection, batch=means.batch, seed=asked.seed, workers=asked.workers,
        own=Own(_code(plan, inputs), why_barred(plan, means)),
    )  # fmt: skip
    took = None if task.data == DIGITS else gradient_here(plan, means)
    with_one = replace(means, trainings=means.trainings + asked.seeds)
    shared = schedule(with_one, took)
    alone = asked.workers > 1 and shared.seconds >= LEAST
    if not alone:
        shared = schedule(means, took)
    if shared.seconds < LEAST:
        raise _too_little(means)
    made = task.data is None and task.named is None
    job = Job(
        replace(
            task,
            rate=task.rate if asked.rate is None else asked.rate,
            most_examples=shared.most_examples if made else task.most_examples,
            most_held_out=shared.held_out,
        ),
        names,
        workers=asked.workers,
        seeds=tuple(range(asked.seed, asked.seed + asked.seeds)),
        seconds=shared.seconds,
        straggler=asked.straggler,
        calibrates=shared.calibrates,
        timeout=shared.timeout,
        device="cuda" if means.cards else "cpu",
        points=shared.points,
        alone=alone,
    )
    job.check()
    return job, notes


def _check_ranges(asked: Asked) -> None:
    """Raises InputError with all that is out of its range, before any time is computed from it."""
    found = [
        ("--workers", asked.workers, MOST_WORKERS, "Take fewer."),
        ("--straggler", asked.straggler, MOST_STRAGGLING, "Write 2 for half the speed."),
        ("--batch", asked.batch or 1, MOST_BATCH, "For example 32."),
    ]
    problems = [
        Problem(
            where, f"{value:,} is {'not' if isinstance(value, int) else 'no number'} from 1 to {most:,.0f}.", remedy
        )
        for where, value, most, remedy in found
        if not value <= most  # what is below 1 is refused with its own reason later
    ]
    if (waits := read_seconds(asked.latency, "--latency")) > LONGEST_LATENCY:
        what = f"{waits:g} s is not between 0 and {LONGEST_LATENCY:g} s."
        problems.append(Problem("--latency", what, "For example 1ms."))
    if problems:
        raise InputError("The strategies cannot be compared so", problems)


def link_of(plan: Plan, asked: Asked) -> Link:
    """The link of each worker. Raises InputError."""
    if asked.link is not None:
        return read_link(asked.link, asked.latency, "--link")
    nodes, rate = plan.facts.get(NODES), plan.facts.get(BETWEEN_NODES)
    apart = nodes is not None and nodes.value > 1 and device_of(plan, asked) == "cpu"  # type: ignore[operator]
    joined = read_link(_UNLIMITED, asked.latency, "--link")
    return replace(joined, bytes_per_second=float(str(rate.value))) if apart and rate is not None else joined


def _as_planned(asked: Asked, joined: Link) -> Sequence[str]:
    """A sentence where the rate is that of the plan's network."""
    if asked.link is not None or joined.bytes_per_second is None:
        return []
    return [f"The plan's link carries {number_words(joined.bytes_per_second, 'bytes/s')}."]


def _message_seconds(plan: Plan, asked: Asked) -> float:
    """Of all weights of the plan's network on the link of a worker."""
    joined, weights = link_of(plan, asked), plan.facts.get("network.parameters")
    return joined.latency + joined.seconds(4 * int(str(weights.value)) if weights is not None else 0)


def _means(plan: Plan, inputs: Inputs, asked: Asked, seconds: float, names: Sequence[str]) -> Means:
    """The time and the memory that there are for trainings of these strategies."""
    read = inputs.inspection
    return Means(
        seconds=seconds,
        trainings=len(names) * asked.seeds,
        workers=asked.workers,
        batch=int(asked.batch or plan.value("training.micro_batch") or OF_2017.batch),
        memory_bytes=_memory(plan),
        cards=device_of(plan, asked) == "cuda",
        patience=asked.straggler * max(strategy(one).whole("every") for one in names),
        exchange=asked.workers * _message_seconds(plan, asked),
        examples=MOST_MADE if read is None else min(read.examples, OF_2017.most_examples),
        cores=_cores(plan),
        teaches=read is None and model_name(plan) is None,
    )


def _too_little(means: Means) -> InputError:
    enough = number_words(max(60.0, enough_seconds(means)), "s")
    return input_error(
        "There is too little time",
        f"{means.trainings} trainings of {LEAST:g} s or more do not fit into {means.seconds:.0f} s, of which starting "
        f"{means.workers} workers takes about {number_words(start_seconds(means), 's')}",
        where="--budget",
        remedy=f"Give {enough} or more, or fewer --strategies, --seeds or --workers.",
    )


def _command(job: Job) -> Sequence[str] | None:
    """The program of each worker in the Python in which somebody's network works; None for our own."""
    python = job.task.named.code.python if job.task.named is not None and job.task.named.code is not None else ""
    return own_module_command(_WORKER, python).arguments if python else None


def _cores(plan: Plan) -> int:
    known = plan.facts.get("machine.cpu.logical_cores") or plan.facts.get("machine.cpu.usable_cores")
    return max(1, int(str(known.value))) if known is not None else 1


def _memory(plan: Plan) -> int:
    """Bytes that all processes together may hold."""
    known = plan.facts.get("machine.memory_bytes")
    return Limits().memory(known.value if known is not None and isinstance(known.value, int) else None)


def _code(plan: Plan, inputs: Inputs) -> Code | str | None:
    """The code that builds the network which somebody named, or which the rules have chosen, or why none does."""
    name = None if MODEL in plan.facts else model_name(plan)
    if name is None:
        return code_of(inputs.facts, inputs.network)
    return code_for(counted_at_all(name, inputs.facts))


def device_of(plan: Plan, asked: Asked) -> str:
    """cuda where the plan uses cards, and each worker has one of its own; they exchange over no link that is asked for."""
    count, usable, vendor = (
        None if (entry := plan.facts.get(f"machine.gpu.{name}")) is None else entry.value
        for name in ("count", "usable_by_torch", "backend")
    )
    usual = asked.link in (None, _UNLIMITED) and asked.latency == Asked().latency
    there = isinstance(count, int) and count >= asked.workers and usable is True and vendor == "cuda"
    return "cuda" if there and usual and plan.value("compute.device") != "cpu" else "cpu"


def said(found: Comparison, job: Job) -> str:
    """A sentence on who came to the loss first, and one on a single worker."""
    workers = "1 worker" if job.workers == 1 else f"{job.workers} workers"
    if found.doubt:
        return f"Undecided. {found.doubt} Measure again when the machine is idle."
    if found.pairs < FEWEST_PAIRS:
        return f"Undecided: {found.pairs} of at least {FEWEST_PAIRS} trainings with each strategy. {_first(found, workers)}"
    return f"{_first(found, workers)} {beside_one(found, workers)}".strip()


def _first(found: Comparison, workers: str) -> str:
    best, rival = found.best, found.rival
    if best.strategy != found.reference and best.ratio is not None:
        faster = f"{times(best.ratio, found.reference)}{level_with(found)}"
        return f"With {workers}, {best.strategy} came to the same loss {faster}."
    if (maybe := found.faster_still) is not None:
        return f"With {workers}, {unclear(found, maybe)}"
    if found.own.typical is None or rival is None:
        return f"With {workers}, no strategy was shown to be faster than {found.reference}."
    return f"With {workers}, nothing was shown to be faster than {found.reference}. {rival.strategy} came closest."


def _shorter(job: Job, results: Results) -> Sequence[str]:
    """A sentence where trainings were much shorter than planned."""
    shortest = min((run.seconds for run in results.runs), default=job.seconds)
    if job.examples is not None or shortest > _SHORTER * job.seconds:
        return []
    each = f"{number_words(shortest, 's')} or more rather than {number_words(job.seconds, 's')}"
    return [f"Starting took longer than expected, so each training had {each}."]


def _without_ratio(found: Comparison | None) -> Sequence[str]:
    """A sentence on each strategy that came to the loss with some seeds only: its times give no ratio."""
    if found is None:
        return []
    several = [one for one in (*found.standings, found.alone) if one is not None and one.reached < len(one.seconds)]
    return [
        f"{reached_words(one)} So no other can be compared with it."
        if one is found.own
        else f"{reached_words(one)} So it cannot be compared with {found.reference}."
        for one in several
    ]


def _left_again(found: Comparison | None, runs: Sequence[Run]) -> Sequence[str]:
    """A sentence on each strategy that came to the loss, and was worse again at the end."""
    ends = {
        one.strategy: statistics.median(run.curve[-1].loss for run in runs if run.strategy == one.strategy)
        for one in (found.standings if found is not None else ())
        if one.typical is not None
    }
    goal = found.goal if found is not None else 0.0
    return [
        f"{name} came to the loss of {goal:.3g} and did not stay there: it ended with {end:.3g}."
        for name, end in ends.items()
        if end > goal
    ]


def _straggling(job: Job) -> Sequence[str]:
    return [f"The last worker takes {job.straggler:g} times as long."] if job.straggler > 1 else []


def _without_one(job: Job) -> Sequence[str]:
    return [] if job.alone or job.workers == 1 else ["One worker alone was not trained: the time was too short for it."]


def _compared(job: Job, runs: Sequence[Run], doubt: str = "") -> tuple[Comparison | None, bool]:
    """Of the strategies with a run for each seed, by the first of them that is asked for; of fewer seeds where the last ones are
    missing. True if none is.

    Args:
        doubt: a sentence on why nothing is decided.
    """
    curves = {(run.strategy, run.seed): [(point.seconds, point.loss) for point in run.curve] for run in runs}
    for count in range(len(job.seeds), 0, -1):
        seeds = job.seeds[:count]
        whole = [name for name in map(str, job.chosen) if all((name, seed) in curves for seed in seeds)]
        if len(whole) > 1 and job.strategies[0] in whole:
            alone = [curves[ALONE, seed] for seed in seeds if (ALONE, seed) in curves]
            found = compared(
                {name: [curves[name, seed] for seed in seeds] for name in whole},
                job.strategies[0],
                alone if len(alone) == count else None,
                doubt,
            )
            return found, count == len(job.seeds)
    return None, False
