"""The request for trials on data: what the plan bets on, how many examples there is time for, and what cannot be tried."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, replace
from pathlib import Path

import psutil

from advisor.agent.trials.trying import NothingTriedError, planned
from advisor.children.stopping import STOPPED, Stop
from advisor.datasets.dataset import SUPERVISED, Inspection, Task, Weight, columns_to_name
from advisor.datasets.given import AS_THE_DATA_ARE, GivenSplit
from advisor.errors import Problem, input_error
from advisor.inference.plan import Plan
from advisor.session.data import asked, read_for, with_inspection
from advisor.session.inputs import Inputs, plan_of
from advisor.training.child.request import Request
from advisor.wording import shell_path, shell_word, shorten

EXAMPLES_A_SECOND = 400
"""Of the budget: as many examples are read at most, since training sees each of them dozens of times."""
"""Columns that a message names."""
FEWEST_READ, MOST_READ = 2_000, 200_000
SHARE_OF_MEMORY = 0.03
"""Of the machine, for one copy of the examples in numbers; a few are held at a time."""
TEXT_VALUES = 5_000
"""Values of a text in numbers."""


@dataclass(frozen=True)
class Prepared:
    """`warned` is what should be known before anything is tried; `seconds` of the budget were taken by preparing."""

    inputs: Inputs
    request: Request
    warned: tuple[str, ...]
    seconds: float


def prepared(
    inputs: Inputs,
    budget: float,
    seed: int = 0,
    spent: float = 0.0,
    stop: Stop | None = None,
    given: GivenSplit = AS_THE_DATA_ARE,
    horizon: int | None = None,
) -> Prepared:
    """The request for data that were inspected and are to be divided in this way. `spent` of the budget is gone already.

    Args:
        horizon: steps that a forecast predicts at once; None for one.

    Raises InputError; NothingTriedError where `stop` was set meanwhile.
    """
    begun = time.monotonic()
    assert inputs.inspection is not None  # noqa: S101 - data were named
    stated = inputs.facts.known("task.kind")
    _check_target(inputs.inspection, None if stated is None else str(stated.value))
    inputs, inspection = for_the_task(inputs, inputs.inspection)
    if given:
        inspection, given = asked(inspection, given)
        facts = with_inspection(inputs.knowledge, inputs.facts, inspection, here=inputs.here)
        inputs = replace(inputs, inspection=inspection, facts=facts)
    _check_columns(inspection)
    outputs, where = _known(inputs, "task.outputs"), "--horizon"
    if horizon is None and inspection.task is Task.FORECAST and outputs is not None and outputs > 1:
        horizon, where = outputs, "task.outputs"
    if horizon is not None:
        inputs, inspection = _looking_ahead(inputs, inspection, horizon, where)
    if stop is not None and stop.all:
        raise NothingTriedError("Nothing could be tried", [Problem("", STOPPED)])
    warned = tuple(f"{r.what} {r.remedy}".strip() for r in inspection.remarks if r.weight is Weight.WARNING)
    # The bet is what the rules say, not what an earlier trial found.
    plan = plan_of(replace(inputs, outcomes=(), trials=()))
    enough = most_examples(inspection, budget, _known(inputs, "machine.memory_bytes") or psutil.virtual_memory().total)
    spent += time.monotonic() - begun
    request = _request(inputs, plan, inspection, budget - spent, seed, enough)
    return Prepared(inputs, replace(request, given=given, horizon=horizon or 1), warned, spent)


def _looking_ahead(inputs: Inputs, inspection: Inspection, horizon: int, where: str) -> tuple[Inputs, Inspection]:
    """The data with so many steps to predict. Raises InputError where there are no steps, or too few for that.

    `where` somebody said so.
    """
    title = "The horizon cannot be kept"
    if inspection.task is not Task.FORECAST:
        what = f"it is of forecasts, and the task is to {inspection.task}"
        raise input_error(
            title, what, where=where, remedy="Leave it out, or name a table whose rows follow each other in time."
        )
    if horizon > inspection.examples // 3:
        what = f"{horizon:,} steps ahead are too many for a series with {inspection.examples:,} steps to learn from"
        most = max(1, inspection.examples // 3)
        raise input_error(
            title, what, where=where, remedy=f"Take {most:,} or fewer: some must test what others taught."
        )
    told = replace(inspection, facts={**inspection.facts, "task.outputs": horizon})
    facts = with_inspection(inputs.knowledge, inputs.facts, told, here=inputs.here)
    return replace(inputs, inspection=told, facts=facts), told


def _check_target(inspection: Inspection, task: str | None) -> None:
    """Raises InputError where it is not known what to learn; `task` is what somebody states or the data show."""
    several = bool(inspection.facts.get("task.multilabel"))
    graph = inspection.modality == "graph"
    if (inspection.task in SUPERVISED and not graph) or (several and task == Task.REGRESS):
        return
    what = "it is not known what to predict"
    remedy = inspection.task_remedy
    if several:
        what = "several labels for one example cannot be tried yet"
        remedy = "`advisor recommend` plans for them; --set task.kind=regress tries them as numbers."
    elif inspection.task is Task.SEGMENT:
        what = "`try` does not support segmentation yet"
        remedy = "`advisor starter --data` writes a project that trains one."
    elif graph and inspection.reading is not None:
        what = "networks on graphs cannot be tried yet"
        remedy = "`advisor recommend` advises on them, and `advisor starter --data` writes a project that trains one."
    elif graph:
        what = "networks on graphs cannot be tried yet"
        remedy = "`advisor recommend` advises on them. If this is a table of examples, name its column with --target."
    elif inspection.columns:
        remedy = f"{remedy} {columns_to_name(inspection)}"
    raise input_error("Nothing can be tried on these data", what, where=shorten(inspection.path, 200), remedy=remedy)


def _check_columns(inspection: Inspection) -> None:
    """Raises InputError where no column of a table is left to learn from, before a warning says so too."""
    if inspection.inputs or not inspection.columns:
        return
    named = shell_path(inspection.path) + (f" --target {shell_word(inspection.target)}" if inspection.target else "")
    remedy = f"`advisor inspect {named}` says of each column why it was left out."
    what = "no column is left to learn from"
    raise input_error("Nothing can be tried on these data", what, where=shorten(inspection.path, 200), remedy=remedy)


def for_the_task(inputs: Inputs, found: Inspection) -> tuple[Inputs, Inspection]:
    """The data read for the task that somebody states, where they look like another. Raises InputError if they cannot be."""
    stated = inputs.facts.known("task.kind")
    if stated is None or stated.value == found.task:
        return inputs, found
    if stated.value not in SUPERVISED:
        what = f"the answers say {stated.value}, and only classes, numbers and forecasts can be tried"
        remedy = f"Leave task.kind out to try what the data look like: {found.task}."
        raise input_error("This task cannot be tried", what, where="task.kind", remedy=remedy)
    told = read_for(found, str(stated.value))
    facts = with_inspection(inputs.knowledge, inputs.facts, told, here=inputs.here)
    return replace(inputs, inspection=told, facts=facts), told


def _request(inputs: Inputs, plan: Plan, inspection: Inspection, seconds: float, seed: int, enough: int) -> Request:

    return Request(
        path=str(Path(inspection.path).resolve()),
        target=inspection.target,
        fingerprint=inspection.fingerprint,
        planned=planned(plan),
        budget=max(seconds, 1.0),
        seconds=max(seconds, 1.0),
        seed=seed,
        threads=_known(inputs, "machine.cpu.usable_cores") or os.cpu_count() or 1,
        most_examples=enough,
        task=inspection.task if inspection.told else None,
    )


def most_examples(inspection: Inspection, seconds: float, memory_bytes: int) -> int:
    """The number of examples that there is time and memory for; the same in every run, so that a stopped one can go on."""
    facts = inspection.facts
    values, steps = (facts.get(name, 1) for name in ("data.inputs", "data.sequence_length"))
    width = TEXT_VALUES if inspection.modality == "text" else _whole(values) * _whole(steps)
    by_memory = int(SHARE_OF_MEMORY * memory_bytes / (4 * max(width, 1)))
    by_time = int(max(FEWEST_READ, min(MOST_READ, EXAMPLES_A_SECOND * seconds)))
    return max(100, min(by_time, by_memory))


def _whole(value: object) -> int:
    return value if isinstance(value, int) else 1


def _known(inputs: Inputs, name: str) -> int | None:
    """A fact that is a whole number; of the machine that of the container where that has a limit."""
    known = inputs.facts.known(name)
    return known.value if known is not None and isinstance(known.value, int) else None
