"""What a probe's child and its parent say to each other: one JSON object a line, trusted by neither side.

The request goes to the child's standard input; `progress`, `sample`, `result` and `failed` come back.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields
from enum import StrEnum
from typing import Any, TypeAlias

from advisor.probes.probe import Setting
from advisor.wording import printable

LONGEST_LINE = 1_000_000
"""Bytes; longer lines are refused."""
LONGEST_SETTING = 40
_LONGEST_TEXT = 2000
SHORTEST, LONGEST = 1e-18, 1e9
"""Seconds or joules per unit of work that are believed: a fast card takes 1e-15 s for a FLOP, and 1e9 s are 30 years."""


class Phase(StrEnum):
    SEARCH = "search"
    """Every setting in turn, to find the rival."""
    DUEL = "duel"
    """Pairs of what was recommended before and the rival; these alone decide."""


@dataclass(frozen=True, slots=True)
class Request:
    probe: str
    workload: Mapping[str, Any] | None
    before: Setting
    settings: tuple[Setting, ...]
    seconds: float
    """From now until the result must be there."""
    memory_bytes: int
    """Resident memory beyond which no larger setting is tried."""
    seed: int
    facts: Mapping[str, Any]
    """Of the machine and the data, by the names of the vocabulary, as far as a bench needs them."""
    folder: str
    """Where files may be written for a moment: on the disk that is measured."""


@dataclass(frozen=True, slots=True)
class Ready:
    """The network is built and the versions are known."""

    torch: str
    python: str
    threads: int
    device: str = ""
    """cpu or cuda, where the workload does not tell."""
    disk: str = ""
    """That was read: its mount point and kind, such as "/data (nvme)"."""


@dataclass(frozen=True, slots=True)
class Rehearsed:
    """A setting has run; `seconds` per step or per example."""

    setting: Setting
    seconds: float
    peak_memory_bytes: int


@dataclass(frozen=True, slots=True)
class Skipped:
    setting: Setting
    reason: str


@dataclass(frozen=True, slots=True)
class Duel:
    """The rival is chosen."""

    rival: Setting


@dataclass(frozen=True, slots=True)
class Sample:
    """One timing, in seconds per step or per example. Samples of one round of the duel make a pair."""

    phase: Phase
    setting: Setting
    round: int
    seconds: float
    elapsed: float | None = None
    """Seconds since its phase began, when it was done."""


@dataclass(frozen=True, slots=True)
class Rechecked:
    """A setting has run once more in a fresh process; `reason` says why not, if it has not."""

    setting: Setting
    peak_memory_bytes: int
    reason: str


@dataclass(frozen=True, slots=True)
class Told:
    """What a setting was timed with, as a fact that holds where the setting does."""

    setting: Setting
    fact: str
    value: int


@dataclass(frozen=True, slots=True)
class Note:
    """Something that people should know about how it was measured."""

    text: str


@dataclass(frozen=True, slots=True)
class Result:
    """Everything has been said."""


@dataclass(frozen=True, slots=True)
class Failed:
    reason: str


Message: TypeAlias = Ready | Rehearsed | Skipped | Duel | Sample | Rechecked | Told | Note | Result | Failed

_NAMES: Mapping[type[Message], Mapping[str, str]] = {
    Ready: {"type": "progress", "stage": "ready"},
    Rehearsed: {"type": "progress", "stage": "rehearsed"},
    Skipped: {"type": "progress", "stage": "skipped"},
    Duel: {"type": "progress", "stage": "duel"},
    Sample: {"type": "sample"},
    Rechecked: {"type": "progress", "stage": "rechecked"},
    Told: {"type": "progress", "stage": "told"},
    Note: {"type": "progress", "stage": "note"},
    Result: {"type": "result"},
    Failed: {"type": "failed"},
}
_KINDS = {(name["type"], name.get("stage")): kind for kind, name in _NAMES.items()}


def encode(message: Message) -> bytes:
    return json.dumps({**_NAMES[type(message)], **asdict(message)}, allow_nan=False).encode() + b"\n"


def decode(line: bytes) -> Message:
    """The message on a line; fields that are not known are ignored. Raises ValueError where there is none."""
    data = _object(line)
    name, stage = data.get("type"), data.get("stage")
    kind = _KINDS.get((name, stage)) if isinstance(name, str) and isinstance(stage, str | None) else None
    if kind is None:
        raise ValueError("no message of a probe")
    return kind(**{field.name: _FIELDS[field.name](data.get(field.name)) for field in fields(kind)})


def encode_request(request: Request) -> bytes:
    return json.dumps(asdict(request), allow_nan=False).encode() + b"\n"


def decode_request(line: bytes) -> Request:
    """Raises ValueError where the line is no request."""
    data = _object(line)
    return Request(**{field.name: _FIELDS[field.name](data.get(field.name)) for field in fields(Request)})


def _object(line: bytes) -> dict[str, Any]:
    try:
        data = json.loads(line, parse_constant=_refuse)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    if not isinstance(data, dict):
        raise ValueError("no object")
    return data


def _refuse(constant: str) -> object:
    raise ValueError(f"{constant} is no number")


def _phase(value: object) -> Phase:
    return Phase(str(value))


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError("no text")
    return printable(value[:_LONGEST_TEXT])


def _setting(value: object) -> Setting:
    if isinstance(value, str) and len(value) <= LONGEST_SETTING:
        return value
    return _whole(value)


def _settings(value: object) -> tuple[Setting, ...]:
    if not isinstance(value, list):
        raise ValueError("no list")
    return tuple(map(_setting, value))


def _whole(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 2**63:
        raise ValueError("no whole number")
    return value


def _seconds(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not SHORTEST <= value <= LONGEST:
        raise ValueError("no time")
    return float(value)


def _elapsed(value: object) -> float | None:
    return None if value is None else 0.0 if value == 0 else _seconds(value)


def _mapping(value: object) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise ValueError("no object")
    return value


def _optional_text(value: object) -> str:
    return "" if value is None else _text(value)


def _optional_mapping(value: object) -> Mapping[str, Any] | None:
    return None if value is None else _mapping(value)


def _path(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError("no path")
    return value


_FIELDS: Mapping[str, Callable[[object], Any]] = {
    "phase": _phase,
    "setting": _setting,
    "settings": _settings,
    "before": _setting,
    "rival": _setting,
    "round": _whole,
    "seconds": _seconds,
    "elapsed": _elapsed,
    "peak_memory_bytes": _whole,
    "memory_bytes": _whole,
    "threads": _whole,
    "seed": _whole,
    "reason": _text,
    "torch": _text,
    "device": _optional_text,
    "disk": _optional_text,
    "python": _text,
    "probe": _text,
    "workload": _optional_mapping,
    "facts": _mapping,
    "folder": _path,
    "text": _text,
    "fact": _text,
    "value": _whole,
}
