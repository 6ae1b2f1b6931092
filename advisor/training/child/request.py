"""What the child that tries models is asked, and what it tells while it works: one JSON object a line. No torch here."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, TypeAlias

from advisor.training.ladder.candidates import Planned
from advisor.training.ladder.outcome import DataTried, Difference, Final, Metric
from advisor.training.ladder.trial_record import Kind, Stage, Trial, number_of
from advisor.wording import printable

LONGEST_REQUEST = 16_000_000
_LONGEST_TEXT = 2000


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


@dataclass(frozen=True, slots=True)
class Ready:
    """The data are in memory and divided."""

    data: DataTried
    metric: Metric
    rungs: int


@dataclass(frozen=True, slots=True)
class Began:
    """A trial, or the finals where `stage` is None."""

    name: str
    stage: Stage | None
    rung: int
    kind: Kind


@dataclass(frozen=True, slots=True)
class EpochSeen:
    number: int
    value: float
    """The loss on the examples kept back, or on those learnt from where none are."""


@dataclass(frozen=True, slots=True)
class Finals:
    finals: tuple[Final, ...]
    differences: tuple[Difference, ...]

    def adds_to(self, earlier: Finals) -> bool:
        """Whether it has a finalist, or a seed of one, that an earlier telling lacks: a run that goes on refits them anew."""
        seeds = {final.name: len(final.scores) for final in earlier.finals}
        return any(len(final.scores) > seeds.get(final.name, 0) for final in self.finals)


@dataclass(frozen=True, slots=True)
class Costly:
    """Something on the menu was left out, since it takes too long."""

    name: str
    seconds: float
    """That its first trial would take, as a part of it says."""


@dataclass(frozen=True, slots=True)
class Note:
    text: str


@dataclass(frozen=True, slots=True)
class Refused:
    """The data cannot be learnt from: a message for people."""

    title: str
    where: str
    what: str
    remedy: str


@dataclass(frozen=True, slots=True)
class Ended:
    """Everything has been said."""


Message: TypeAlias = Ready | Began | EpochSeen | Trial | Finals | Costly | Note | Refused | Ended


def encode_request(request: Request) -> bytes:
    data = asdict(request)
    data["planned"] = request.planned.to_json()
    data["finished"] = [trial.to_json() for trial in request.finished]
    return _line(data)


def decode_request(line: bytes) -> Request:
    """Raises ValueError, KeyError or TypeError where the line is no request."""
    data = json.loads(line)
    finished = tuple(Trial.from_json(trial) for trial in data["finished"])
    return Request(**{**data, "planned": Planned.from_json(data["planned"]), "finished": finished})


def encode(message: Message) -> bytes:
    """One line. Scores that are no numbers cannot be told."""
    return _line({"type": type(message).__name__, **to_json(message)})


def to_json(message: Message) -> dict[str, Any]:
    match message:
        case Ready():
            return {"data": message.data.to_json(), "metric": asdict(message.metric), "rungs": message.rungs}
        case Trial():
            return message.to_json()
        case Finals():
            finals = [final.to_json() for final in message.finals]
            return {"finals": finals, "differences": [one.to_json() for one in message.differences]}
        case _:
            return asdict(message)


def decode(line: bytes) -> Message:
    """The message on a line. Raises ValueError, KeyError or TypeError where there is none."""
    try:
        data = json.loads(line, parse_constant=_refuse)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    if not isinstance(data, dict):
        raise ValueError("no object")
    return from_json(str(data.get("type")), data)


def from_json(kind: str, data: Mapping[str, Any]) -> Message:
    """The reverse of `to_json`. Raises ValueError, KeyError or TypeError for anything else."""
    match kind:
        case "Ready":
            return Ready(DataTried.from_json(data["data"]), _metric(data["metric"]), int(data["rungs"]))
        case "Began":
            stage = None if data["stage"] is None else Stage(data["stage"])
            return Began(_text(data["name"]), stage, int(data["rung"]), Kind(data["kind"]))
        case "EpochSeen":
            return EpochSeen(int(data["number"]), number_of(data["value"]))
        case "Trial":
            return Trial.from_json(data)
        case "Finals":
            finals = tuple(map(Final.from_json, data["finals"]))
            return Finals(finals, tuple(map(Difference.from_json, data["differences"])))
        case "Costly":
            return Costly(_text(data["name"]), number_of(data["seconds"]))
        case "Note":
            return Note(_text(data["text"]))
        case "Refused":
            return Refused(*(_text(data[name]) for name in ("title", "where", "what", "remedy")))
        case "Ended":
            return Ended()
        case _:
            raise ValueError("no message of a trial")


def _metric(data: Mapping[str, Any]) -> Metric:
    figures = float(data["matters"]), bool(data["greater_is_better"]), float(data.get("resolves", 0.0))
    return Metric(_text(data["name"]), _text(data["title"]), *figures)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError("no text")
    return printable(value[:_LONGEST_TEXT])


def _line(data: Mapping[str, Any]) -> bytes:
    return json.dumps(data, allow_nan=False).encode() + b"\n"


def _refuse(constant: str) -> object:
    raise ValueError(f"{constant} is no number")
