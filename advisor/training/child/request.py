"""The words of the child that tries models and its parent: the request, and what is told while it works. No torch here."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TypeAlias

from advisor.children.messages import Messages, Text, parsed
from advisor.datasets.given import AS_THE_DATA_ARE, GivenSplit
from advisor.errors import Problem
from advisor.plain import decode, encode
from advisor.training.ladder.candidates import Planned
from advisor.training.ladder.insight import Insight
from advisor.training.ladder.outcome import DataTried, Difference, Final, Metric
from advisor.training.ladder.trial_record import Kind, Stage, Trial

LONGEST_REQUEST = 16_000_000


@dataclass(frozen=True, slots=True)
class Request:
    """Data, what the plan recommends, and what an earlier child has finished."""

    path: str
    target: str | None
    fingerprint: str
    """Of the data as the parent saw them; a child that finds others refuses."""
    planned: Planned
    budget: float
    """Seconds of the whole run."""
    seconds: float
    """Of the budget, what is left for this child."""
    seed: int
    threads: int
    most_examples: int
    finished: tuple[Trial, ...] = ()
    task: str | None = None
    """For which the target is to be read, where that is not the one that its values look like."""
    metric: str | None = None
    """The name of the score that decides, where somebody wants another one than the task's."""
    horizon: int = 1
    """Of a forecast, the steps to predict."""
    given: GivenSplit = AS_THE_DATA_ARE
    """The split that somebody asks for."""


@dataclass(frozen=True, slots=True)
class Ready:
    """The data are in memory and divided."""

    data: DataTried
    metric: Metric
    rungs: int


@dataclass(frozen=True, slots=True)
class Began:
    """A trial, or the finals where `stage` is None."""

    name: Text
    stage: Stage | None
    rung: int
    kind: Kind


@dataclass(frozen=True, slots=True)
class EpochSeen:
    number: int
    value: float
    """The loss on the examples kept back, or on those learned from where none are."""


@dataclass(frozen=True, slots=True)
class Finals:
    finals: tuple[Final, ...]
    differences: tuple[Difference, ...]

    def adds_to(self, earlier: Finals) -> bool:
        """True if it has a finalist, or a seed of one, that an earlier message lacks: a resumed run refits them."""
        seeds = {final.name: len(final.scores) for final in earlier.finals}
        return any(len(final.scores) > seeds.get(final.name, 0) for final in self.finals)


@dataclass(frozen=True, slots=True)
class Costly:
    """Something on the menu was left out, since it takes too long."""

    name: Text
    seconds: float
    """The time that its first trial would take, judged by a part of it."""


@dataclass(frozen=True, slots=True)
class Note:
    text: Text


@dataclass(frozen=True, slots=True)
class Refused:
    """The data cannot be learned from: messages for people."""

    title: Text
    problems: tuple[Problem, ...]


@dataclass(frozen=True, slots=True)
class Ended:
    """Everything has been said."""


Message: TypeAlias = Ready | Began | EpochSeen | Trial | Finals | Insight | Costly | Note | Refused | Ended


MESSAGES: Messages[Message] = Messages(Ready, Began, EpochSeen, Trial, Finals, Insight, Costly, Note, Refused, Ended)


def request_line(request: Request) -> bytes:
    return json.dumps(encode(request), allow_nan=False).encode() + b"\n"


def read_request(line: bytes) -> Request:
    """Raises ValueError where the line is no request."""
    return decode(Request, parsed(line), "request")
