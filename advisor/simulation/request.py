"""The words of the process that simulates, and of its parent. No numpy, no torch here."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TypeAlias

from advisor.children.messages import Messages, Text, parsed
from advisor.distributed.task import Task
from advisor.errors import Problem
from advisor.plain import decode, encode
from advisor.simulation.result import Result
from advisor.simulation.scenario import Scenario

LONGEST_REQUEST = 16_000_000
"""Bytes: measured times of steps are in it."""


@dataclass(frozen=True, slots=True)
class Failing:
    """A training in which all keep step and somebody fails now and then. All times in seconds."""

    checkpoint_cost: float
    between_failures: float
    """Of all workers together, on average."""
    restart: float = 0.0
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Request:
    """Simulations to run."""

    scenarios: tuple[Scenario, ...] = ()
    task: Task | None = None
    """Learned meanwhile; None for times alone."""
    failing: Failing | None = None
    """In place of scenarios: how often to save."""


@dataclass(frozen=True, slots=True)
class Progress:
    """The simulation goes on."""

    share: float
    """Done so far, 0 to 1: of the times, or with a task of the updates."""


@dataclass(frozen=True, slots=True)
class Found:
    """The result of one scenario, in their order; after the last one comes nothing more."""

    result: Result


@dataclass(frozen=True, slots=True)
class Saved:
    """The only message on failures: how often to save, and the shares of the time that then go into work that counts."""

    every: float
    """Seconds."""
    useful_share: float
    of_young: float
    """The share with the interval of Young 1974."""


@dataclass(frozen=True, slots=True)
class Refused:
    """The last message: it cannot be simulated; messages for people."""

    title: Text
    problems: tuple[Problem, ...]


Message: TypeAlias = Progress | Found | Saved | Refused
MESSAGES: Messages[Message] = Messages(Progress, Found, Saved, Refused)


def request_line(request: Request) -> bytes:
    return json.dumps(encode(request), allow_nan=False).encode() + b"\n"


def read_request(line: bytes) -> Request:
    """Raises ValueError where the line is no request, and InputError, which is one, where nobody can have what it asks for."""
    return decode(Request, parsed(line), "request")
