"""One part of a run: commands under a time limit, whose outcome is kept in a file of its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from enum import Enum, StrEnum
from pathlib import Path
from typing import Any

NO_CARD = "not possible here: no card"
LEAST_SECONDS = 5.0
"""A part is not begun with less time left than this."""
GRACE_SECONDS = 5.0
"""For a part to end by itself once it was told to."""


class Status(StrEnum):
    PASSED = "passed"
    FAILED = "failed"
    NO_CARD = "no card"
    OUT_OF_TIME = "out of time"
    NOT_BEGUN = "not begun"


FINISHED = (Status.PASSED, Status.FAILED)
"""Not run again."""


class Needs(Enum):
    NOTHING = "nothing"
    DEVICE = "a card, for which a processor may stand in"
    CARD = "a card"


@dataclass(frozen=True)
class Part:
    name: str
    title: str
    commands: Sequence[Sequence[str]]
    limit_seconds: float
    result: str = ""
    """The JSON file that its commands write, in the folder of results."""
    read: Callable[[Any], tuple[str, list[str]]] = lambda document: ("", [])
    """The result in a sentence, and what went wrong in it."""
    needs: Needs = Needs.DEVICE
    prints: bool = False
    """Its result is printed rather than written."""


@dataclass(frozen=True)
class Outcome:
    part: str
    title: str
    status: Status
    seconds: float = 0.0
    found: str = ""
    problems: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Folder:
    """What a run leaves: `logs`, `results` and `outcomes`, a file for each part."""

    root: Path

    def __post_init__(self) -> None:
        for one in (self.logs, self.results, self.outcomes):
            one.mkdir(parents=True, exist_ok=True)

    @property
    def logs(self) -> Path:
        return self.root / "logs"

    @property
    def results(self) -> Path:
        return self.root / "results"

    @property
    def outcomes(self) -> Path:
        return self.root / "outcomes"

    def finished(self, part: Part) -> Outcome | None:
        """The outcome of an earlier run that came to the end of this part."""
        try:
            kept = json.loads((self.outcomes / f"{part.name}.json").read_text())
        except FileNotFoundError:
            return None
        outcome = Outcome(**{**kept, "status": Status(kept["status"])})
        return outcome if outcome.status in FINISHED else None

    def keep(self, outcome: Outcome) -> None:
        write_json(self.outcomes / f"{outcome.part}.json", asdict(outcome))


def write_json(path: Path, document: object) -> None:
    """As a whole or not at all, for a run may be killed at any time."""
    beside = path.with_suffix(".part")
    beside.write_text(json.dumps(document, indent=2) + "\n")
    beside.replace(path)


def run(part: Part, folder: Folder, seconds: float, environment: Mapping[str, str]) -> Outcome:
    """Run a part for at most its limit and `seconds`, and keep its outcome."""
    limit, began = min(part.limit_seconds, seconds), time.monotonic()
    if limit < LEAST_SECONDS:
        return Outcome(part.name, part.title, Status.NOT_BEGUN)
    result = folder.results / part.result
    if part.result:
        result.unlink(missing_ok=True)
    code: int | None = 0
    with (folder.logs / f"{part.name}.log").open("ab") as log:
        for command in part.commands:
            log.write(f"$ {' '.join(command)}\n".encode())
            log.flush()
            left = began + limit - time.monotonic()
            if part.prints:
                with result.open("wb") as printed:
                    code = _run(command, printed.fileno(), log.fileno(), left, environment)
            else:
                code = _run(command, log.fileno(), log.fileno(), left, environment)
            if code != 0:
                break
    found, problems = part.read(json.loads(result.read_text())) if part.result and result.exists() else ("", [])
    if code is None:
        status = Status.OUT_OF_TIME
        problems = [*problems, f"stopped after {limit:.0f} s"]
    elif code != 0 or problems or (part.result and not result.exists()):
        status = Status.FAILED
        problems = problems or [f"exit code {code}: see logs/{part.name}.log"]
    else:
        status = Status.PASSED
    outcome = Outcome(part.name, part.title, status, round(time.monotonic() - began, 1), found, problems)
    folder.keep(outcome)
    return outcome


def _run(command: Sequence[str], output: int, log: int, seconds: float, environment: Mapping[str, str]) -> int | None:
    """Its exit code; None where it was stopped. Nothing that it started outlives it."""
    child = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=log,
        env={**os.environ, **environment},
        start_new_session=True,
    )
    try:
        return child.wait(max(seconds, 0.1))
    except subprocess.TimeoutExpired:
        return None
    finally:
        _end(child)


def _end(child: subprocess.Popen[bytes]) -> None:
    if child.poll() is None:
        _signal(child.pid, signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            child.wait(GRACE_SECONDS)
    _signal(child.pid, signal.SIGKILL)
    child.wait()


def _signal(group: int, number: int) -> None:
    with suppress(ProcessLookupError):
        os.killpg(group, number)
