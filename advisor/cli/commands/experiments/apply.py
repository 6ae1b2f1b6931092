"""`advisor apply DIR --data NEW.csv --output PREDICTIONS.csv`: predicts for new data with a model that was saved."""

from __future__ import annotations

import math
import os

import typer

from advisor.children.stopping import Stop
from advisor.cli.applying_progress import ApplyingProgress
from advisor.cli.commands.options import Apply
from advisor.cli.console import FAILED, panel, warn, write
from advisor.cli.delivering import deliver_bytes, refuse_rewriting
from advisor.cli.main import end_interrupted
from advisor.cli.signals import told_to
from advisor.datasets.intake import Source
from advisor.datasets.predicted.formats import format_of
from advisor.files.output import check_output
from advisor.files.waiting import stream
from advisor.session.applying import Predictions, apply_model
from advisor.session.keeping import StoppedError
from advisor.training.kept.card import Card
from advisor.training.kept.request import WorkFailedError
from advisor.wording import printable, shorten


def apply(options: Apply) -> None:
    output, stop = options.output, Stop()
    refuse_rewriting(output, options.data, what="this is the file that holds the data, and it is never rewritten")
    check_output(output, force=options.force)
    format_ = format_of(output, options.format)
    try:
        with told_to(stop.everything), ApplyingProgress() as progress:
            found = apply_model(
                options.model, options.data, complain=warn, threads=os.cpu_count() or 1, format_=format_,
                keep=options.keep, stop=stop, progress=progress,
            )  # fmt: skip
    except StoppedError:
        end_interrupted()
    except WorkFailedError as error:
        panel(error.title, [str(problem) for problem in error.problems])
        raise typer.Exit(FAILED) from error
    deliver_bytes(found.content, output, options.force)
    told = printable("\n".join([*_scored(found), f"The predictions are in {output}."]))
    if stream(output) is None:
        write(told)
    else:  # stdout may be what has them
        panel("Predicted", told.splitlines(), style="green")


def _scored(found: Predictions) -> list[str]:
    card, applied = found.card, found.applied
    noun = "example" if card.intake.source is not Source.SERIES else "step"
    rows = f"{applied.rows:,} {noun if applied.rows == 1 else f'{noun}s'}"
    lines = [f"{card.name} has predicted {rows}."]
    if applied.new:
        many = "1 of them is" if applied.new == 1 else f"{applied.new:,} of them are"
        lines.append(f"{many} of a class that it does not know, and left out of the score.")
    if applied.score is None:
        return lines
    shown = card.metric.shown
    known = "all of them" if applied.scored == applied.rows else f"the {applied.scored:,} with an answer that it knows"
    said = f"{shown(card.score)} (95 % prediction interval {shown(card.low)} to {shown(card.high)})"
    lines.append(f"{card.metric.title} on {known}: {shown(applied.score)}. When it was saved: {said}.")
    if card.deciding is not None and applied.decided is not None:
        rule = card.deciding.words([repr(shorten(name, 30)) for name in card.intake.classes])
        lines.append(f"{rule}: balanced accuracy {applied.decided:.2f}. When it was saved: {card.deciding.score:.2f}.")
    if applied.covered is not None:
        lines.append(f"Of these, {applied.covered:.0%} lie between low and high; 90 % are expected to.")
    return [*lines, *_compared(card, applied.score, applied.scored)]


def _compared(card: Card, score: float, rows: int) -> list[str]:
    """A warning where the new data are told worse than chance explains.

    The promised interval is for as many rows as were held out; the fewer the new ones are, the farther off they may be.
    """
    if not rows or not card.held_out:
        return []
    off, reach = (card.score - score, card.score - card.low)
    if not card.metric.greater_is_better:
        off, reach = score - card.score, card.high - card.score
    worse = off > reach * max(1.0, math.sqrt((1 + card.held_out / rows) / 2))
    return ["That is worse than chance explains: these data may differ from those it learned from."] if worse else []
