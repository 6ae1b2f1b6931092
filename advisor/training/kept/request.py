"""The words of the processes that write and apply a saved model, and of their parent. No torch here."""

from __future__ import annotations

import json
from dataclasses import astuple, dataclass
from typing import TypeAlias

from advisor.children.messages import Messages, Natural, Text, parsed
from advisor.datasets.predicted.formats import KeptColumns, PredictionFormat
from advisor.errors import InputError, Problem
from advisor.plain import decode, encode
from advisor.training.child.request import Ended, Request
from advisor.training.ladder.outcome import Best, Final, Metric
from advisor.wording import shorten

MOST_PROBLEMS, LONGEST_TEXT = 100, 400
"""Of one refusal, and characters of each part of one."""


class WorkFailedError(InputError):
    """It could not be done, which is no fault of the input."""


@dataclass(frozen=True, slots=True)
class Keep:
    """A winner to be fitted once more and written."""

    asked: Request
    """The question of the trials: the data, and what the plan recommends."""
    best: Best
    metric: Metric
    verdict: str
    says: str
    usual: float
    """Seconds that one training on the examples that were not held out took."""
    seconds: float
    """Left for everything."""
    folder: str
    """An empty one."""
    made: str
    """The day, ISO 8601."""
    final: Final | None
    """The scores of its refits, with the worth of its decisions where a class is rare."""


@dataclass(frozen=True, slots=True)
class Apply:
    """A saved model, and the data to apply it to."""

    folder: str
    data: str
    output: str
    """The file for the predictions."""
    threads: int
    format: PredictionFormat = PredictionFormat.CSV
    keep: KeptColumns = KeptColumns.KEYS


@dataclass(frozen=True, slots=True)
class Said:
    """Something to know, that stops nothing."""

    title: Text
    what: Text


@dataclass(frozen=True, slots=True)
class Refused:
    """It cannot be done: messages for people."""

    title: Text
    problems: tuple[Problem, ...]
    failed: bool = False
    """True where that is no fault of the input."""
    more: Natural = 0
    """Problems beyond these."""


@dataclass(frozen=True, slots=True)
class Progress:
    """So many rows have a prediction."""

    done: Natural
    rows: Natural
    """All that there are."""


@dataclass(frozen=True, slots=True)
class Applied:
    """Predictions are written, and compared with the truth where the data have it."""

    rows: int
    score: float | None = None
    scored: int = 0
    """Of the rows, those with a known answer."""
    new: int = 0
    """Rows of a class that the model does not know, which are not in the score."""
    covered: float | None = None
    """Of the rows with a known number, the share that lies from low to high."""
    decided: float | None = None
    """The balanced accuracy of the predicted classes, where the card says how they are decided and every class is there."""


Message: TypeAlias = Said | Refused | Progress | Applied | Ended
MESSAGES: Messages[Message] = Messages(Said, Refused, Progress, Applied, Ended)


def refusal(error: InputError) -> Refused:
    """The message for an error, short enough for one line."""
    problems = [
        Problem(*(shorten(text, LONGEST_TEXT) for text in astuple(one))) for one in error.problems[:MOST_PROBLEMS]
    ]
    more = len(error.problems) - len(problems) + error.more
    return Refused(error.title, tuple(problems), isinstance(error, WorkFailedError), more)


def request_line(request: Keep | Apply) -> bytes:
    told = {"work": type(request).__name__, **encode(request)}
    return json.dumps(told, allow_nan=False).encode() + b"\n"


def read_request(line: bytes) -> Keep | Apply:
    """Raises ValueError where the line is no request."""
    told = parsed(line)
    return decode(Keep, told, "request") if told.get("work") == Keep.__name__ else decode(Apply, told, "request")
