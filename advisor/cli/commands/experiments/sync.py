"""`advisor sync`: trains under several strategies with workers of this machine, on links as slow as asked for."""

from __future__ import annotations

import time

import typer

from advisor.children.errors import CannotRunError
from advisor.children.stopping import Stop
from advisor.cli.commands.options import Sync
from advisor.cli.console import FAILED, look, panel, warn
from advisor.cli.delivering import deliver_page, refuse_rewriting, shown_otherwise
from advisor.cli.gathering import inputs_of
from advisor.cli.main import end_interrupted
from advisor.cli.naming import options_named
from advisor.cli.options import facts_repeated
from advisor.cli.signals import told_to
from advisor.cli.syncing_progress import SyncingProgress
from advisor.distributed.strategies import strategies
from advisor.errors import input_error
from advisor.files.output import check_output
from advisor.report.html.strategies import training_html
from advisor.report.page import Look
from advisor.report.strategies.training import training_json, training_page
from advisor.session.measuring import seconds_of
from advisor.session.syncing import Asked, Trained, trained

_FEWEST = 2
"""Strategies that can be compared."""
KEPT_NOTHING = "No strategy was finished with every seed, so nothing is kept."


def sync(options: Sync) -> None:
    begun, budget = time.monotonic(), seconds_of(options.budget)
    if options.strategies is not None and len(named := strategies(options.strategies)) < _FEWEST:
        raise input_error(
            "One strategy cannot be compared", f"{named[0]} is alone", where="--strategies",
            remedy="Name two or more, such as synchronous,local_sgd; `advisor simulate --strategy` takes one.",
        )  # fmt: skip
    if options.output is not None:
        refuse_rewriting(options.output, options.answers)
        refuse_rewriting(options.output, options.data, what="this is the file of the data")
        check_output(options.output, force=options.force)
    inputs, stop = inputs_of(options), Stop()
    left = budget - (time.monotonic() - begun)
    try:
        with facts_repeated(options), options_named(), told_to(stop.everything), SyncingProgress(left) as progress:
            done = trained(inputs, _asked(options), left, complain=warn, hear=progress, stop=stop)
    except CannotRunError as error:
        panel("Nothing was trained", [str(error)])
        raise typer.Exit(FAILED) from error
    if done.comparison is None:
        progress.tell_runs()
    _deliver(done, options)
    if stop.all:
        end_interrupted("What was finished is shown." if done.comparison is not None else KEPT_NOTHING)
    if done.results.failed:
        panel("A training ended early", [done.results.failed])
        raise typer.Exit(FAILED)
    if done.comparison is None:
        panel("Nothing can be compared", [done.says, *done.results.notes, *(one.why for one in done.results.undone)])
        raise typer.Exit(FAILED)


def _deliver(done: Trained, options: Sync) -> None:
    """Deliver what was finished, where that is enough to compare anything."""
    if done.comparison is None:
        return
    made = (done.comparison, done.compared_runs, done.says, done.notes)

    def page(shown: Look) -> str:
        return training_page(*made, shown, whole=options.whole, own=done.own)

    with shown_otherwise(lambda: page(look())):
        deliver_page(
            options.format_,
            options.output,
            options.force,
            as_json=lambda: training_json(*made),
            as_html=lambda date: training_html(*made, date, own=done.own),
            as_text=page,
        )


def _asked(options: Sync) -> Asked:
    return Asked(
        strategies=options.strategies,
        workers=options.workers,
        link=options.link,
        latency=options.latency,
        straggler=options.straggler,
        batch=options.batch,
        rate=options.rate,
        seeds=options.seeds,
        seed=options.seed,
    )
