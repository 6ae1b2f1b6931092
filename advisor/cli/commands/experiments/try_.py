"""`advisor try`: tries simple models and networks on somebody's data, within a time budget, and says what won."""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import replace
from datetime import date

import typer

from advisor.agent.trials.trying import NothingTriedError
from advisor.children.stopping import Stop
from advisor.cli.commands.options import Try
from advisor.cli.console import FAILED, look, panel, warn, write
from advisor.cli.delivering import deliver, deliver_json, refuse_rewriting, shown_otherwise
from advisor.cli.gathering import inputs_of
from advisor.cli.main import GOES_ON, end_interrupted
from advisor.cli.options import Format, facts_repeated, typed_again
from advisor.cli.signals import told_to
from advisor.cli.trying_progress import TryingProgress
from advisor.errors import input_error
from advisor.files.output import check_output
from advisor.report.found.trying import trying_markdown, trying_page
from advisor.report.found.trying_brief import trying_brief
from advisor.report.html.trying import trying_html
from advisor.session.data import Mismatch
from advisor.session.measuring import seconds_of
from advisor.session.trying import trying
from advisor.training.ladder.outcome import TrialResults

STATED = {
    "answers": "--answers", "sets": "--set", "model": "--model", "input": "--input", "python": "--python",
    "machine": "--machine", "school": "--school", "packs": "--rules",
}  # fmt: skip
STARTED = 0.5
"""Seconds that pass before this command is reached and after it has printed."""


def try_(options: Try) -> None:
    begun = time.monotonic()
    seconds = seconds_of(options.budget)
    if options.data is None:
        what = "the plan is tried on your data"
        raise input_error("There are no data", what, where="Missing option '--data'", remedy="Add --data PATH.")
    if options.output is not None:
        refuse_rewriting(options.output, options.answers, options.data)
        check_output(options.output, force=options.force)
    inputs = inputs_of(options, mismatch=Mismatch.REFUSED, recall=False)
    spent, stop = STARTED + time.monotonic() - begun, Stop()
    try:
        with ExitStack() as delivered:
            with facts_repeated(options), told_to(stop.everything), TryingProgress(seconds - spent) as progress:
                run = trying(
                    inputs, seconds, complain=warn, seed=options.seed, metric=options.metric, fresh=options.fresh,
                    spent=spent, on_event=progress, stop=stop,
                )  # fmt: skip
                found = delivered.enter_context(run).outcome
            titles = {name: topic.title for name, topic in inputs.knowledge.topics.items()}
            told = replace(
                found, stated=typed_again(options, STATED), told=typed_again(options, {"metric": "--metric"})
            )
            with shown_otherwise(lambda: trying_page(told, look(), titles)):
                _deliver(told, titles, options)
            if found.interrupted:
                end_interrupted(GOES_ON)
    except NothingTriedError as error:
        if stop.all:
            end_interrupted()
        panel(error.title, [str(problem) for problem in error.problems])
        raise typer.Exit(FAILED) from error
    if found.best is None:
        raise typer.Exit(FAILED)


def _deliver(outcome: TrialResults, titles: Mapping[str, str], options: Try) -> None:
    format_, output, force = options.format_, options.output, options.force
    if format_ is Format.JSON:
        deliver_json(outcome.to_json(), output, force)
    elif format_ is Format.HTML:
        deliver(trying_html(outcome, titles, date.today().isoformat()), output, force)
    elif format_ is Format.MARKDOWN or output is not None:
        deliver(trying_markdown(outcome, titles), output, force)
    if format_ is Format.TEXT or output is not None:
        write((trying_page if options.whole else trying_brief)(outcome, look(), titles))
        if output is not None:
            write(f"The report is in {output}.")
