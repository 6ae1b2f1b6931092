"""Applying a saved model to other data, in a process with limits: one choreography for every face."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from advisor.children.stopping import Stop
from advisor.children.temporary import temporary_folder
from advisor.datasets.predicted.formats import KeptColumns, PredictionFormat
from advisor.errors import Complain, Problem
from advisor.session.keeping import NO_RESULT, run_child
from advisor.training.kept.card import Card, read_card
from advisor.training.kept.request import Applied, Apply, Message, Progress, Said, WorkFailedError

TITLE = "The model cannot be applied"
BEGINNING_SECONDS = 300.0
"""For loading the model, and as slack of every step."""
READ_BYTES_PER_SECOND = 200_000
"""The slowest reading of a file of data that is waited for."""
FOLDER_SECONDS = 3600.0
"""For listing a folder and reading its first files."""
ROW_SECONDS, SEEN_ROW_SECONDS, FITTED_SERIES_SECONDS = 0.2, 2.0, 120.0
"""The slowest prediction that is waited for: of a row, of one through a published network, of a series that is fitted anew."""


@dataclass(frozen=True, slots=True)
class Predictions:
    """A saved model applied to other data."""

    card: Card
    content: bytes
    """A row for each example, in the format that was asked for."""
    applied: Applied


def apply_model(
    folder: Path,
    data: Path,
    *,
    complain: Complain,
    threads: int,
    format_: PredictionFormat = PredictionFormat.CSV,
    keep: KeptColumns = KeptColumns.KEYS,
    stop: Stop | None = None,
    progress: Callable[[int, int], None] = lambda done, rows: None,
) -> Predictions:
    """Apply a saved model to other data of the same kind.

    Args:
        keep: the columns of the data that stand beside the predictions.
        complain: is told a title and a sentence on what is odd about the data and stops nothing.
        stop: another thread sets it.
        progress: is told how many rows have a prediction, and how many there are.

    How long it may take follows from the number of rows.

    Raises StoppedError, WorkFailedError, and InputError where the model or the data cannot be read or do not fit together.
    """
    card = read_card(folder)
    applied: list[Applied] = []
    limit = _Limit(card, data)

    def hear(message: Message) -> None:
        if isinstance(message, Said):
            complain(message.title, message.what)
        elif isinstance(message, Progress):
            limit.extend(message)
            progress(message.done, message.rows)
        elif isinstance(message, Applied):
            applied.append(message)

    with temporary_folder() as made:
        output = made / "predictions"
        request = Apply(str(folder.resolve()), str(data.absolute()), str(output), threads, format_, keep)
        late = (
            "It took much longer than such data should take, and was ended. Check the model: save it anew if in doubt."
        )
        run_child(request, threads, lambda: limit.end, TITLE, late, stop, hear)
        if not applied or not output.exists():
            raise WorkFailedError(TITLE, [Problem("", NO_RESULT)])
        content = output.read_bytes()
    return Predictions(card, content, applied[0])


class _Limit:
    """The time at which applying must have gone on, by the rows that are left."""

    def __init__(self, card: Card, data: Path) -> None:
        self._row_seconds = ROW_SECONDS if card.backbone is None else SEEN_ROW_SECONDS
        if card.variant:
            self._row_seconds = FITTED_SERIES_SECONDS
        reading = FOLDER_SECONDS
        if data.is_file():
            reading = data.stat().st_size / READ_BYTES_PER_SECOND
        self.end = time.monotonic() + BEGINNING_SECONDS + reading

    def extend(self, progress: Progress) -> None:
        left = max(0, progress.rows - progress.done)
        self.end = time.monotonic() + BEGINNING_SECONDS + left * self._row_seconds
