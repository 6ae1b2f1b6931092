"""`advisor try`: tries simple models and networks on somebody's data, within a time budget, and says what won."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from advisor.cli.console import FAILED, look, panel, warn, write
from advisor.cli.inputs import (
    Answers,
    Force,
    Format,
    FormatOption,
    Inputs,
    Output,
    Packs,
    SchoolName,
    SchoolOption,
    Sets,
    deliver,
    deliver_json,
    gather,
    plan_of,
    refuse_rewriting,
)

if TYPE_CHECKING:
    from advisor.agent.trial_journal import TrialJournal
    from advisor.agent.trying import Trying
    from advisor.datasets.dataset import Inspection
    from advisor.inference.plan import Plan
    from advisor.training.outcome import Outcome
    from advisor.training.request import Request

EXAMPLES_A_SECOND = 400
"""Of the budget: as many examples are read at most, since each is learnt from dozens of times."""
FEWEST_READ, MOST_READ = 2_000, 200_000
SHARE_OF_MEMORY = 0.03
"""Of the machine, for one copy of the examples in numbers; a few are held at a time."""
TEXT_VALUES = 5_000
"""Values of a text in numbers."""
MOST_SEED = 1_000_000
STARTED = 0.5
"""Seconds that pass before this command is reached and after it has printed."""


def try_(
    data: Annotated[
        Path, typer.Option("--data", help="The data: a file, or a folder of files.", metavar="PATH", show_default=False)
    ],
    target: Annotated[
        str | None, typer.Option("--target", help="What is to be foretold: a column or an array.", metavar="COLUMN")
    ] = None,
    budget: Annotated[str, typer.Option("--budget", help="Time it may take, for example 60s or 2 min.")] = "120s",
    answers: Answers = None,
    sets: Sets = None,
    seed: Annotated[
        int, typer.Option("--seed", help="Another number holds other examples out.", min=0, max=MOST_SEED)
    ] = 0,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Begin anew instead of going on where a stopped run ended.")
    ] = False,
    school: SchoolOption = SchoolName.TODAY,
    packs: Packs = None,
    format_: FormatOption = Format.TEXT,
    output: Output = None,
    force: Force = False,
) -> None:
    begun = time.monotonic()
    from advisor.cli.measuring import check_output, parse_budget
    from advisor.datasets.dataset import Weight

    seconds = parse_budget(budget)
    if output is not None:
        refuse_rewriting(output, answers, data)
        check_output(output, force)
    inputs = gather(answers, sets, "auto", school, packs, data=data, target=target)
    assert inputs.inspection is not None  # noqa: S101 - data were named
    _check_target(inputs.inspection)
    inputs, inspection = _for_the_task(inputs, inputs.inspection)
    warned = tuple(f"{r.what} {r.remedy}".strip() for r in inspection.remarks if r.weight is Weight.WARNING)
    if warned:
        panel("Before anything is tried", list(warned), style="yellow")
    # The bet is what the rules say, not what an earlier trial found.
    plan = plan_of(replace(inputs, outcomes=(), trials=()))
    enough = most_examples(inspection, seconds, _memory_bytes(inputs))
    prepared = STARTED + time.monotonic() - begun
    request = _request(inputs, plan, inspection, seconds - prepared, seed, enough)
    outcome = _tried(inputs, request, seconds, fresh)
    outcome = replace(outcome, notes=(*warned, *outcome.notes), seconds=outcome.seconds + prepared)
    _remember(inputs, outcome)
    _deliver(inputs, outcome, format_, output, force)
    if outcome.interrupted:
        from advisor.cli.main import end_interrupted

        end_interrupted("What is finished is kept: the same command goes on from there (--fresh begins anew).")
    if outcome.best is None:
        raise typer.Exit(FAILED)


def _check_target(inspection: Inspection) -> None:
    """Raises InputError where it is not known what to learn."""
    from advisor.datasets.dataset import FORETELLING
    from advisor.datasets.dataset import Format as Kept
    from advisor.errors import input_error, join_names, shorten

    if inspection.task in FORETELLING:
        return
    what = "it is not known what is to be foretold"
    names = [shorten(column.name, 30) for column in inspection.columns[:12]]
    match inspection.format:
        case Kept.IMAGES | Kept.SOUNDS:
            remedy = "Put the files of each class into a folder of its own: the folders name the classes."
        case Kept.TEXT:
            remedy = "Make a folder of texts for each class, or a table with a column of texts and one of classes."
        case _ if inspection.modality == "graph":
            what = "networks on graphs cannot be tried yet"
            remedy = (
                "`advisor recommend` advises on them. If this is a table of examples, name its column with --target."
            )
        case _:
            remedy = (
                f"Name it with --target. The columns are {join_names(names)}." if names else "Name it with --target."
            )
    raise input_error("Nothing can be tried on these data", what, where=shorten(inspection.path, 200), remedy=remedy)


def _for_the_task(inputs: Inputs, found: Inspection) -> tuple[Inputs, Inspection]:
    """The data read for the task that somebody states, where they look like another. Raises InputError if they cannot be."""
    from advisor.cli.data import read_for
    from advisor.cli.inputs import with_inspection
    from advisor.datasets.dataset import FORETELLING
    from advisor.errors import input_error
    from advisor.facts.fact_base import Source

    stated = inputs.facts.known("task.kind")
    if stated is None or stated.value == found.task:
        return inputs, found
    if stated.value not in FORETELLING:
        what = f"the answers say {stated.value}, and only classes, numbers and forecasts can be tried"
        remedy = f"Leave task.kind out to try what the data look like: {found.task}."
        raise input_error("This task cannot be tried", what, where="task.kind", remedy=remedy)
    told = read_for(found, str(stated.value))
    facts = inputs.facts
    for name in set(found.facts) - set(told.facts):
        facts = facts.without(name, Source.INSPECTED)
    return replace(inputs, inspection=told, facts=with_inspection(inputs.knowledge, facts, told)), told


def _request(inputs: Inputs, plan: Plan, inspection: Inspection, seconds: float, seed: int, enough: int) -> Request:
    from advisor.agent.trying import planned
    from advisor.training.request import Request

    return Request(
        path=str(Path(inspection.path).resolve()),
        target=inspection.target,
        fingerprint=inspection.fingerprint,
        planned=planned(plan),
        budget=max(seconds, 1.0),
        seconds=max(seconds, 1.0),
        seed=seed,
        threads=_usable_cores(inputs),
        most_examples=enough,
        task=inspection.task if inspection.told else None,
    )


def most_examples(inspection: Inspection, seconds: float, memory_bytes: int) -> int:
    """How many examples there is time and memory for; the same whenever the command is given, so that a run can go on."""
    facts = inspection.facts
    values, steps = (facts.get(name, 1) for name in ("data.inputs", "data.sequence_length"))
    width = TEXT_VALUES if inspection.modality == "text" else _whole(values) * _whole(steps)
    by_memory = int(SHARE_OF_MEMORY * memory_bytes / (4 * max(width, 1)))
    by_time = int(max(FEWEST_READ, min(MOST_READ, EXAMPLES_A_SECOND * seconds)))
    return max(100, min(by_time, by_memory))


def _memory_bytes(inputs: Inputs) -> int:
    """Of the machine, or of the container where that has a limit."""
    import psutil

    known = inputs.facts.known("machine.memory_bytes")
    return known.value if known is not None and isinstance(known.value, int) else psutil.virtual_memory().total


def _whole(value: object) -> int:
    return value if isinstance(value, int) else 1


def _usable_cores(inputs: Inputs) -> int:
    import os

    known = inputs.facts.known("machine.cpu.usable_cores")
    return known.value if known is not None and isinstance(known.value, int) else os.cpu_count() or 1


def _tried(inputs: Inputs, request: Request, seconds: float, fresh: bool) -> Outcome:
    from advisor.agent.trying import NothingTriedError, Trying
    from advisor.cli.trying_progress import TryingProgress

    journal = _journal(inputs, request, seconds, fresh)
    finished = False
    try:
        with TryingProgress(request.budget) as progress:
            trying = Trying(request, journal=journal, listener=progress)
            try:
                outcome = trying.run()
                finished = True
            except KeyboardInterrupt:
                outcome = _interrupted(trying)
            except NothingTriedError as error:
                panel(error.title, [str(problem) for problem in error.problems])
                raise typer.Exit(FAILED) from error
        return outcome
    finally:
        if journal is not None:
            journal.close(finished=finished)


def _interrupted(trying: Trying) -> Outcome:
    """What is known by then; where that is nothing, the interrupt goes on."""
    if trying.known.ready is None:
        raise KeyboardInterrupt
    return trying.outcome(interrupted=True)


def _journal(inputs: Inputs, request: Request, seconds: float, fresh: bool) -> TrialJournal | None:
    """The journal of this very question; without one the trials go on and could not be resumed."""
    from advisor.agent.scope import torch_version
    from advisor.agent.trial_journal import TrialJournal
    from advisor.errors import InputError

    assert inputs.machine is not None  # noqa: S101 - gathered with machine auto
    question: dict[str, Any] = {
        "path": request.path,
        "target": request.target,
        "data": request.fingerprint,
        "planned": request.planned.to_json(),
        "seconds": seconds,
        "seed": request.seed,
        "most_examples": request.most_examples,
        "machine": inputs.machine.fingerprint,
        "torch": torch_version(),
    }
    try:
        journal = TrialJournal.open(question, fresh=fresh)
    except InputError as error:
        warn("This run could not be resumed", str(error.problems[0]))
        return None
    if journal is None:
        warn("Another run tries the same", "Both will disturb each other; this one could not be resumed.")
    return journal


def _remember(inputs: Inputs, outcome: Outcome) -> None:
    """Keeps what was decided for plans that name the same data; a state folder that cannot be written is a warning."""
    from datetime import UTC, datetime

    from advisor.agent.trials import remember_trials, trial_outcomes
    from advisor.errors import InputError

    fingerprint = inputs.machine.fingerprint if inputs.machine is not None else ""
    found = trial_outcomes(outcome, fingerprint, datetime.now(UTC).isoformat(timespec="seconds"))
    try:
        if found:
            remember_trials(found)
    except InputError as error:
        warn("What was tried cannot be kept for later", str(error.problems[0]))


def _deliver(inputs: Inputs, outcome: Outcome, format_: Format, output: Path | None, force: bool) -> None:
    from advisor.report.trying import trying_markdown, trying_page

    titles = {name: topic.title for name, topic in inputs.knowledge.topics.items()}
    if format_ is Format.JSON:
        deliver_json(outcome.to_json(), output, force)
        return
    if format_ is Format.HTML:
        from datetime import date

        from advisor.report.html.trying import trying_html

        deliver(trying_html(outcome, titles, date.today().isoformat()), output, force)
        return
    if format_ is Format.MARKDOWN or output is not None:
        deliver(trying_markdown(outcome, titles), output, force)
    if format_ is Format.TEXT:
        write(trying_page(outcome, look(), titles))
        if output is not None:
            write(f"The report is in {output}.")
