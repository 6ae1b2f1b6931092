"""The words of a probe's child and its parent: the request goes to the child's input, all other messages come back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Any, TypeAlias

from advisor.children.messages import Messages, Natural, Text, parsed
from advisor.networks.description import UnbuildableError
from advisor.plain import decode, encode
from advisor.probes.probe import Setting
from advisor.probes.surroundings import Surroundings
from advisor.probes.workload import Workload

LONGEST_SETTING = 40
SHORTEST, LONGEST = 1e-18, 1e9
"""Seconds or joules per unit of work that are believed: a fast card takes 1e-15 s for a FLOP, and 1e9 s are 30 years."""


def _tried(value: Setting) -> Setting:
    if isinstance(value, str) and len(value) <= LONGEST_SETTING:
        return value
    if isinstance(value, str) or not 0 <= value < 2**63:
        raise ValueError("no setting")
    return value


def _believed(seconds: float) -> float:
    if not SHORTEST <= seconds <= LONGEST:
        raise ValueError("no time")
    return seconds


def _since(seconds: float) -> float:
    return seconds if seconds == 0 else _believed(seconds)


Tried = Annotated[Setting, _tried]
Seconds = Annotated[float, _believed]
Since = Annotated[float, _since]


class Phase(StrEnum):
    SEARCH = "search"
    """Every setting in turn, to find the rival."""
    DUEL = "duel"
    """Pairs of what was recommended before and the rival; these alone decide."""


@dataclass(frozen=True, slots=True)
class Request:
    probe: str
    workload: Workload | None
    before: Setting
    settings: tuple[Setting, ...]
    """To try, each once; `before` is among them."""
    seconds: float
    """From now until the result must be there."""
    memory_bytes: int
    """Resident memory beyond which no larger setting is tried."""
    seed: int
    facts: Mapping[str, Any]
    """Of the machine and the data, by the names of the vocabulary, as far as a bench needs them."""
    folder: str
    """The folder for temporary files: on the disk that is measured."""

    @property
    def step(self) -> Workload:
        """The training step, for a probe that times one. Raises UnbuildableError where there is none."""
        if self.workload is None:
            raise UnbuildableError("There is no network that it could time.")
        return self.workload

    @property
    def surroundings(self) -> Surroundings:
        return Surroundings.of(self.facts, self.workload)


@dataclass(frozen=True, slots=True)
class Ready:
    """The network is built and the versions are known."""

    torch: Text
    python: Text
    threads: Natural
    device: Text = ""
    """cpu or cuda, where the workload does not tell."""
    disk: Text = ""
    """The disk that was read: its mount point and kind, such as "/data (nvme)"."""
    weights: Natural = 0
    """Of the network that is timed, as it was built; 0 where that is not told."""


@dataclass(frozen=True, slots=True)
class Rehearsed:
    """A setting has run; `seconds` per step or per example."""

    setting: Tried
    seconds: Seconds
    peak_memory_bytes: Natural


@dataclass(frozen=True, slots=True)
class Predicted:
    """A step of this setting will take so many seconds, as one of fewer examples lets expect; `too_long` says not to begin it."""

    setting: Tried
    seconds: Seconds
    too_long: bool = False


@dataclass(frozen=True, slots=True)
class Skipped:
    setting: Tried
    reason: Text


@dataclass(frozen=True, slots=True)
class Duel:
    """The rival is chosen."""

    rival: Tried


@dataclass(frozen=True, slots=True)
class Sample:
    """One timing, in seconds per step or per example. Samples of one round of the duel make a pair."""

    phase: Phase
    setting: Tried
    round: Natural
    seconds: Seconds
    elapsed: Since | None = None
    """Seconds since its phase began, when it was done."""


@dataclass(frozen=True, slots=True)
class Rechecked:
    """A setting has run once more in a fresh process; `reason` says why not, if it has not."""

    setting: Tried
    peak_memory_bytes: Natural
    reason: Text


@dataclass(frozen=True, slots=True)
class Told:
    """A condition of a setting's timing, as a fact that holds where the setting does."""

    setting: Tried
    fact: Text
    value: Natural


@dataclass(frozen=True, slots=True)
class Note:
    """Something that people should know about how it was measured."""

    text: Text


@dataclass(frozen=True, slots=True)
class Result:
    """Everything has been said."""


@dataclass(frozen=True, slots=True)
class Failed:
    reason: Text
    late: bool = False
    """True if want of time was the reason"""


Message: TypeAlias = Ready | Rehearsed | Predicted | Skipped | Duel | Sample | Rechecked | Told | Note | Result | Failed

MESSAGES: Messages[Message] = Messages(
    Ready, Rehearsed, Predicted, Skipped, Duel, Sample, Rechecked, Told, Note, Result, Failed
)


def request_line(request: Request) -> bytes:
    return json.dumps(encode(request), allow_nan=False).encode() + b"\n"


def read_request(line: bytes) -> Request:
    """Raises ValueError where the line is no request."""
    return decode(Request, parsed(line), "request")
