"""The network, the cluster and the step of a plan, as strategies that are trained or simulated for it take them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from advisor.agent.settling.workloads import counted_step, workload_of
from advisor.distributed.learning.described import described, why_incomparable
from advisor.distributed.task import DIGITS, Task
from advisor.facts.cluster import CARDS, NODES
from advisor.facts.experiments import is_of_strategies
from advisor.inference.plan import Plan
from advisor.models.code import Code
from advisor.probes.outcome import Outcome
from advisor.probes.workload import Workload

if TYPE_CHECKING:
    from advisor.datasets.dataset import Inspection

OF_2017 = Task(network="ffn", modality="tabular", inputs=784, outputs=10, hidden_units=(64, 64), activation="tanh")
"""The network of 55,050 weights that the report of 2017 trained, where a plan has none: Mullapudi 2017, Experiment."""
WEIGHT_BYTES = 4
"""Of a weight, or a gradient, as workers exchange them."""
OF_2017_BYTES = WEIGHT_BYTES * 55_050
LARGEST_LEARNING = 300_000
"""Weights of a network that is trained in a simulation; a larger one gives its place to that of 2017, on smaller pictures."""
MOST_RATE = 0.4
"""The learning rate of all workers together: plain SGD of a small network is stable up to about there."""
LONGEST_GRADIENT = 0.007
"""Seconds that a gradient may take in a simulation, which computes thousands of them."""
SIMULATED_FLOPS = 1.5e10
"""Operations a second in 64 bits, by one thread."""


@dataclass(frozen=True, slots=True)
class Circumstances:
    """Everything about a plan's workers that a simulation starts from; None where the plan does not know."""

    workers: int | None
    """Of the plan; where it trains with one, those of its cluster, if there is one."""
    batch: int | None
    """Examples of one worker's step."""
    message_bytes: int | None
    """Of the weights that are trained, in 32 bits."""
    frozen_bytes: int
    """Of the weights that stay as they are, in 32 bits: only sharded workers move them."""
    precision: str | None
    """The number format in which the plan computes."""
    step_seconds: float | None
    """Of one worker's step."""
    step_says: str
    """The origin of it."""
    link_bytes_per_second: float | None
    uneven: bool
    alone: bool = False
    """The plan trains with one worker."""


def circumstances(plan: Plan) -> Circumstances:
    """The workers of a plan as far as it knows them."""
    figures = {figure.name: figure.value for figure in plan.figures if figure.value is not None}
    ranks, micro, passes = (
        plan.value(name) for name in ("parallelism.data_ranks", "training.micro_batch", "training.accumulation")
    )
    several = plan.value("compute.device") in ("cluster", "multi_gpu")
    parameters, link, uneven, nodes, cards = (
        plan.facts.get(name)
        for name in ("network.parameters", "cluster.network_bytes_per_second", "cluster.stragglers", NODES, CARDS)
    )
    together = (
        int(str(nodes.value)) * max(1, int(str(cards.value)) if cards is not None else 1) if nodes is not None else 1
    )
    measured = bool(figures.get("plan.measured_step_seconds"))
    weights = None if parameters is None else int(str(parameters.value))
    trained = None if weights is None else max(1, round(figures.get("memory.trained_share", 1.0) * weights))
    precision = plan.value("training.precision")
    return Circumstances(
        workers=int(ranks) if several and ranks else together if together > 1 else None,
        batch=int(micro) * int(passes or 1) if micro else None,
        message_bytes=None if trained is None else WEIGHT_BYTES * trained,
        frozen_bytes=0 if weights is None or trained is None else WEIGHT_BYTES * (weights - trained),
        precision=None if precision is None else str(precision),
        step_seconds=figures.get("time.computing"),
        step_says="as measured here" if measured else "as predicted for the plan",
        link_bytes_per_second=float(str(link.value)) if (several or together > 1) and link is not None else None,
        uneven=uneven is not None and uneven.value is True,
        alone=not several,
    )


@dataclass(frozen=True, slots=True)
class Own:
    """The plan's own network, as real workers would train it."""

    code: Code | str | None = None
    """Builds the network that somebody named, or the reason why nothing does; None where none is named."""
    barred: str = ""
    """The reason why it is not trained here; empty where it is."""


def task_of(plan: Plan, *, batch: int, seed: int = 0, code: Code | str | None = None) -> Task | str:
    """The task that workers learn by this plan, or the reason why they cannot.

    Args:
        batch: examples of one worker's step.
        code: builds the network that somebody named, or says why nothing does.
    """
    found = workload_of(plan)
    step = found if isinstance(found, Workload) else counted_step(plan)
    if step is None or (step.named is not None and isinstance(found, str)):
        return str(found)
    if step.named is not None and not isinstance(code, Code):
        return code or f"{step.named.name} is code, which runs only where it is named with --model."
    task = Task(
        network=step.network,
        modality=step.modality,
        inputs=step.inputs,
        outputs=step.outputs,
        hidden_units=step.hidden_units,
        sequence_length=step.sequence_length,
        loss=step.loss,
        activation=step.activation,
        normalization=step.normalization,
        dropout=step.dropout,
        batch=batch,
        seed=seed,
        named=None if step.named is None or not isinstance(code, Code) else replace(step.named, code=code),
    )
    reason = why_incomparable(described(task)) if task.named is None else None
    return task if reason is None else f"Strategies cannot be compared on the plan's network: {reason}."


def gradient_seconds(plan: Plan, batch: int) -> float | None:
    """The time of a gradient of the plan's network in a simulation, about; None where its operations are not known."""
    known = plan.facts.get("network.multiply_adds")
    return None if known is None else 6 * float(str(known.value)) * batch / SIMULATED_FLOPS


def learned_task(
    plan: Plan,
    data: Inspection | None,
    *,
    batch: int,
    seed: int,
    workers: int,
    simulated: bool = False,
    own: Own | None = None,
) -> tuple[Task, tuple[str, ...]]:
    """The network and the examples that workers learn, and a sentence on each that is not the plan's own.

    Args:
        data: of the plan; None where it names none.
        batch: examples of one worker's step.
        workers: that learn together: their learning rate is bounded, as one in proportion to many would be too large.
        simulated: True where one process computes the gradients of all workers, so that a slow network gives its place too.
        own: says whether the plan's own network is trained; where it is None, the size of the network does.
    """
    if own is None:
        task: Task | str = "" if _is_large(plan, batch, simulated=simulated) else task_of(plan, batch=batch, seed=seed)
    else:
        task = own.barred or task_of(plan, batch=batch, seed=seed, code=own.code)
    rate = min(OF_2017.rate, MOST_RATE / workers)
    if isinstance(task, str):
        small = replace(OF_2017, batch=batch, seed=seed, rate=rate, data=DIGITS, inputs=64)
        return small, (STANDS_IN, task) if task and own is not None else (STANDS_IN,)
    task = replace(task, rate=rate)
    if data is not None:
        return replace(task, data=str(Path(data.path).absolute()), target=data.target), ()  # workers have other folders
    return task, ("The plan's network learns examples that are made up: name yours with --data.",)


def _is_large(plan: Plan, batch: int, *, simulated: bool) -> bool:
    """True for a network with many weights, or of which one process cannot compute many gradients."""
    size, slow = plan.facts.get("network.parameters"), gradient_seconds(plan, batch)
    large = size is None or not isinstance(size.value, int) or size.value > LARGEST_LEARNING
    return large or (simulated and (slow is None or slow > LONGEST_GRADIENT))


STANDS_IN = (
    "A small network learns, 64-64-64-10 with tanh, the handwritten digits of scikit-learn: how the plan's own would learn is "
    "not known."
)


def without_strategies(outcomes: Sequence[Outcome]) -> tuple[Outcome, ...]:
    """Those of the plan whose bet strategies judge: the rules' own, not one that earlier runs or simulations have changed."""
    return tuple(one for one in outcomes if not is_of_strategies(one.probe))


def reference_of(plan: Plan) -> str:
    """The strategy that stands for the plan's own; the synchronous one where it has none."""
    return _OWN.get(str(plan.value("sync.strategy")), "synchronous")


_OWN = {
    "asynchronous": "asynchronous",
    "delay_compensated": "delay_compensated",
    "mixed_asynchronous": "mixed_asynchronous",
    "local_sgd": "local_sgd",
}
"""By the value of sync.strategy; synchronous for all others."""
