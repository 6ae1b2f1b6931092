"""`advisor try`: tries simple models and networks on somebody's data, within a time budget, and says what won."""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

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
from advisor.datasets.given import GivenSplit
from advisor.errors import InputError, input_error
from advisor.files.output import check_output
from advisor.report.found.trying import trying_markdown, trying_page
from advisor.report.found.trying_brief import trying_brief
from advisor.report.html.trying import trying_html
from advisor.session.data import Mismatch, refuse_unkept
from advisor.session.keeping import (
    NOT_BETTER,
    StoppedError,
    check_folder,
    keep_model,
    kept_back,
    not_worth_it,
)
from advisor.session.measuring import seconds_of
from advisor.session.trying import Tried, trying
from advisor.training.kept.request import WorkFailedError
from advisor.training.ladder.outcome import TrialResults, Winner
from advisor.wording import printable, shell_path

if TYPE_CHECKING:
    from advisor.datasets.dataset import Inspection

STATED = {
    "answers": "--answers", "sets": "--set", "model": "--model", "input": "--input", "python": "--python",
    "machine": "--machine", "school": "--school", "packs": "--rules",
}  # fmt: skip
OWN = {
    "metric": "--metric",
    "horizon": "--horizon",
    "test": "--test",
    "time_column": "--time-column",
    "group": "--group",
}
STARTED = 0.5
"""Seconds that pass before this command is reached and after it has printed."""


def try_(options: Try) -> None:
    begun = time.monotonic()
    budget = seconds_of(options.budget)
    seconds = budget if options.save is None else budget - kept_back(budget)
    if options.data is None:
        what = "the plan is tried on your data"
        raise input_error("There are no data", what, where="Missing option '--data'", remedy="Add --data PATH.")
    if options.output is not None:
        refuse_rewriting(options.output, options.answers, options.data, options.test)
        check_output(options.output, force=options.force)
    if options.save is not None:
        check_folder(options.save, force=options.force)
    inputs = inputs_of(options, mismatch=Mismatch.REFUSED, recall=False)
    if options.save is not None and inputs.inspection is not None:
        refuse_unkept(inputs.inspection)
    spent, stop = STARTED + time.monotonic() - begun, Stop()
    try:
        with ExitStack() as delivered:
            with facts_repeated(options), told_to(stop.everything), TryingProgress(seconds - spent) as progress:
                run = trying(
                    inputs, seconds, complain=warn, seed=options.seed, metric=options.metric, given=_given(options),
                    horizon=options.horizon, fresh=options.fresh, spent=spent, on_event=progress, stop=stop,
                )  # fmt: skip
                tried = delivered.enter_context(run)
                found = tried.outcome
            titles = {name: topic.title for name, topic in inputs.knowledge.topics.items()}
            told = replace(
                found, stated=typed_again(options, STATED), told=typed_again(options, OWN),
                keeping=_keeping(options, inputs.inspection, found),
            )  # fmt: skip
            with shown_otherwise(lambda: trying_page(told, look(), titles)):
                _deliver(told, titles, options)
            if found.interrupted:
                end_interrupted(GOES_ON)
            if options.save is not None:
                _save(tried, options.save, budget - STARTED - (time.monotonic() - begun), options, stop)
    except NothingTriedError as error:
        if stop.all:
            end_interrupted()
        panel(error.title, [str(problem) for problem in error.problems])
        raise typer.Exit(FAILED) from error
    if found.best is None:
        raise typer.Exit(FAILED)


def _given(options: Try) -> GivenSplit:
    test = None if options.test is None else str(options.test)
    return GivenSplit(test, options.time_column, options.group)


def _keeping(options: Try, inspection: Inspection | None, found: TrialResults) -> str | None:
    """The options with which the winner can be saved, if there is one that was not."""
    if options.save is not None or inspection is None or found.interrupted or found.verdict is Winner.NOTHING:
        return None
    if not_worth_it(found) is not None:
        return None
    try:
        refuse_unkept(inspection)
    except InputError:
        return None
    return typed_again(options, {"budget": "--budget", "seed": "--seed"})


def _save(tried: Tried, folder: Path, seconds: float, options: Try, stop: Stop) -> None:
    """Save the winner, or say why there is none. What was tried is shown by then."""
    why = not_worth_it(tried.outcome)
    if why is not None:
        panel("No model is saved", [why])
        raise typer.Exit(FAILED)
    try:
        with told_to(stop.everything):
            card = keep_model(tried, folder, seconds, force=options.force, stop=stop)
    except StoppedError:
        end_interrupted(f"No model is saved. {GOES_ON}")
    except WorkFailedError as error:
        panel(error.title, [str(problem) for problem in error.problems])
        raise typer.Exit(FAILED) from error
    rows = f"all {card.examples:,} examples" + (" of --data" if options.test is not None else "")
    if not card.of_all:
        rows = f"the {card.learnt_from:,} examples that were not held out (there was no time to learn from all)"
    if card.warning:
        warn(NOT_BETTER, card.warning)
    who = "which the folds chose" if card.warning else "the winner"
    told = f"{card.name}, {who}, has learned from {rows} and is saved in {folder}."
    next_ = f"Apply it: advisor apply {shell_path(str(folder))} --data NEW --output PREDICTIONS.csv"
    if options.format_ is Format.TEXT or options.output is not None:
        write(printable(f"{told}\n{next_}"))
    else:  # stdout has the report alone
        panel("The model is saved", [told, next_], style="green")


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
