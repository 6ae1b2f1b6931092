"""`advisor try`: tries simple models and networks on somebody's data, within a time budget, and says what won."""

from __future__ import annotations

import shlex
import time
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Annotated

import typer

from advisor.agent.trials.trying import NothingTriedError
from advisor.cli.console import FAILED, look, panel, warn, warn_once, write
from advisor.cli.delivering import check_output, deliver, deliver_json, refuse_rewriting
from advisor.cli.ending import end_interrupted
from advisor.cli.options import (
    Answers,
    Force,
    Format,
    FormatOption,
    Fresh,
    Output,
    Packs,
    SchoolName,
    SchoolOption,
    Sets,
    TargetColumn,
    named_path,
)
from advisor.cli.trying_progress import TryingProgress
from advisor.report.found.trying import trying_markdown, trying_page
from advisor.report.html.trying import trying_html
from advisor.session.budget import seconds_of
from advisor.session.data import Mismatch
from advisor.session.inputs import Inputs, gather
from advisor.session.trying import try_on_data
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
    target: TargetColumn = None,
    budget: Annotated[str, typer.Option("--budget", help="Time it may take, for example 60s or 2 min.")] = "120s",
    answers: Answers = None,
    sets: Sets = None,
    seed: Annotated[
        int, typer.Option("--seed", help="Another number holds other examples out.", min=0, max=MOST_SEED)
    ] = 0,
    fresh: Fresh = False,
    school: SchoolOption = SchoolName.TODAY,
    packs: Packs = None,
    format_: FormatOption = Format.TEXT,
    output: Output = None,
    force: Force = False,
) -> None:
    begun = time.monotonic()
    seconds = seconds_of(budget)
    if output is not None:
        refuse_rewriting(output, answers, data)
        check_output(output, force)
    inputs = gather(
        answers, sets, "auto", school, packs, data=data, target=target, complain=warn_once, mismatch=Mismatch.REFUSED,
        recall=False,
    )  # fmt: skip
    outcome = _tried(inputs, seconds, seed, fresh, STARTED + time.monotonic() - begun)
    outcome = replace(outcome, stated=stated_options(answers, sets, school, packs))
    _deliver(inputs, outcome, format_, output, force)
    if outcome.interrupted:
        end_interrupted("What is finished is kept: the same command goes on from there (--fresh begins anew).")
    if outcome.best is None:
        raise typer.Exit(FAILED)


def _tried(inputs: Inputs, seconds: float, seed: int, fresh: bool, spent: float) -> TrialResults:
    try:
        with TryingProgress(seconds - spent) as progress:
            return try_on_data(
                inputs, seconds, complain=warn, seed=seed, fresh=fresh, spent=spent, on_event=progress
            ).outcome
    except NothingTriedError as error:
        panel(error.title, [str(problem) for problem in error.problems])
        raise typer.Exit(FAILED) from error


def stated_options(answers: Path | None, sets: list[str] | None, school: SchoolName, packs: list[Path] | None) -> str:
    """The options as they would be typed again."""
    words = [] if answers is None else ["--answers", str(answers)]
    words += [word for one in sets or () for word in ("--set", one)]
    words += [] if school is SchoolName.TODAY else ["--school", school.value]
    words += [word for pack in packs or () for word in ("--rules", str(pack))]
    return shlex.join(words)


def _deliver(inputs: Inputs, outcome: TrialResults, format_: Format, output: Path | None, force: bool) -> None:
    titles = {name: topic.title for name, topic in inputs.knowledge.topics.items()}
    if format_ is Format.JSON:
        deliver_json(outcome.to_json(), output, force)
        return
    if format_ is Format.HTML:
        deliver(trying_html(outcome, titles, date.today().isoformat()), output, force)
        return
    if format_ is Format.MARKDOWN or output is not None:
        deliver(trying_markdown(outcome, titles), output, force)
    if format_ is Format.TEXT:
        write(trying_page(outcome, look(), titles))
        if output is not None:
            write(f"The report is in {output}.")
