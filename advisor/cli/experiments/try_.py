"""`advisor try`: tries simple models and networks on somebody's data, within a time budget, and says what won."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from advisor.cli.console import FAILED, look, panel, warn, write
from advisor.cli.data import named_path
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
    refuse_rewriting,
)
from advisor.cli.trial_request import Prepared, open_trial_journal, prepared

if TYPE_CHECKING:
    from advisor.agent.trials.trying import Trying
    from advisor.training.ladder.outcome import TrialResults

MOST_SEED = 1_000_000
STARTED = 0.5
"""Seconds that pass before this command is reached and after it has printed."""


def try_(
    data: Annotated[
        Path,
        typer.Option(
            "--data",
            help="The data: a file, or a folder of files.",
            metavar="PATH",
            parser=named_path,
            show_default=False,
        ),
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

    seconds = parse_budget(budget)
    if output is not None:
        refuse_rewriting(output, answers, data)
        check_output(output, force)
    inputs = gather(answers, sets, "auto", school, packs, data=data, target=target, strict=True)
    found = prepared(inputs, seconds, seed, STARTED + time.monotonic() - begun)
    if found.warned:
        panel("Before anything is tried", list(found.warned), style="yellow")
    outcome = _tried(found, seconds, fresh)
    outcome = replace(outcome, notes=(*found.warned, *outcome.notes), seconds=outcome.seconds + found.seconds)
    outcome = replace(outcome, stated=stated_options(answers, sets, school, packs))
    _remember(inputs, outcome)
    _deliver(inputs, outcome, format_, output, force)
    if outcome.interrupted:
        from advisor.cli.main import end_interrupted

        end_interrupted("What is finished is kept: the same command goes on from there (--fresh begins anew).")
    if outcome.best is None:
        raise typer.Exit(FAILED)


def stated_options(answers: Path | None, sets: list[str] | None, school: SchoolName, packs: list[Path] | None) -> str:
    """The options as they would be typed again."""
    import shlex

    words = [] if answers is None else ["--answers", str(answers)]
    words += [word for one in sets or () for word in ("--set", one)]
    words += [] if school is SchoolName.TODAY else ["--school", school.value]
    words += [word for pack in packs or () for word in ("--rules", str(pack))]
    return shlex.join(words)


def _tried(found: Prepared, seconds: float, fresh: bool) -> TrialResults:
    from advisor.agent.trials.trying import NothingTriedError, Trying
    from advisor.cli.trying_progress import TryingProgress

    journal = open_trial_journal(found.inputs, found.request, seconds, fresh)
    finished = False
    try:
        with TryingProgress(found.request.budget) as progress:
            trying = Trying(found.request, journal=journal, listener=progress)
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


def _interrupted(trying: Trying) -> TrialResults:
    """What is known by then; where that is nothing, the interrupt goes on."""
    if trying.known.ready is None:
        raise KeyboardInterrupt
    return trying.outcome(interrupted=True)


def _remember(inputs: Inputs, outcome: TrialResults) -> None:
    """Keeps what was decided for plans that name the same data; a state folder that cannot be written is a warning."""
    from datetime import UTC, datetime

    from advisor.agent.trials.outcomes import remember_trials, trial_outcomes
    from advisor.errors import InputError

    fingerprint = inputs.machine.fingerprint if inputs.machine is not None else ""
    found = trial_outcomes(outcome, fingerprint, datetime.now(UTC).isoformat(timespec="seconds"))
    try:
        if found:
            remember_trials(found)
    except InputError as error:
        warn("What was tried cannot be kept for later", str(error.problems[0]))


def _deliver(inputs: Inputs, outcome: TrialResults, format_: Format, output: Path | None, force: bool) -> None:
    from advisor.report.found.trying import trying_markdown, trying_page

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
