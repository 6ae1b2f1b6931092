"""`advisor try`: tries simple models and networks on somebody's data, within a time budget, and says what won."""

from __future__ import annotations

import time
from dataclasses import replace
from datetime import date
from pathlib import Path

import typer

from advisor.agent.trials.trying import NothingTriedError
from advisor.cli.commands.options import Try
from advisor.cli.console import FAILED, look, panel, warn, write
from advisor.cli.delivering import deliver, deliver_json, refuse_rewriting
from advisor.cli.gathering import inputs_of
from advisor.cli.main import end_interrupted
from advisor.cli.options import Format, typed_again
from advisor.cli.trying_progress import TryingProgress
from advisor.files.output import check_output
from advisor.report.found.trying import trying_markdown, trying_page
from advisor.report.html.trying import trying_html
from advisor.session.data import Mismatch
from advisor.session.inputs import Inputs
from advisor.session.measuring import seconds_of
from advisor.session.trying import try_on_data
from advisor.training.ladder.outcome import TrialResults

STATED = {"answers": "--answers", "sets": "--set", "school": "--school", "packs": "--rules"}
STARTED = 0.5
"""Seconds that pass before this command is reached and after it has printed."""


def try_(options: Try) -> None:
    begun = time.monotonic()
    seconds = seconds_of(options.budget)
    if options.output is not None:
        refuse_rewriting(options.output, options.answers, options.data)
        check_output(options.output, force=options.force)
    inputs = inputs_of(options, mismatch=Mismatch.REFUSED, recall=False)
    outcome = _tried(inputs, seconds, options.seed, options.fresh, STARTED + time.monotonic() - begun)
    outcome = replace(outcome, stated=typed_again(options, STATED))
    _deliver(inputs, outcome, options.format_, options.output, options.force)
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
