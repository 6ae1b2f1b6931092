"""Standard simulations for the claims of the seed documents: run once, then remembered for all plans of this user."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from advisor.children.errors import CannotRunError
from advisor.distributed.task import Task
from advisor.errors import Complain, InputError
from advisor.machine.state import load_json, save_json, state_folder
from advisor.plain import decode, encode
from advisor.simulation.result import Result
from advisor.simulation.running import LateError, simulate_all
from advisor.simulation.scenario import Scenario
from advisor.survey.judged_claims import Simulated
from advisor.survey.standard import STANDARDS, VERSION

SECONDS = 300.0
"""For all of them; a minute does on a machine that is not busy."""
_SCHEMA = "advisor/standard-simulations/1"
_FILE = "standard-simulations.json"


def remembered() -> dict[str, Simulated]:
    """The findings that were kept, by claim; none where nothing can be read, or it is of another version."""
    try:
        document = load_json(_path())
    except InputError:
        return {}
    if not isinstance(document, dict) or (document.get("schema"), document.get("version")) != (_SCHEMA, VERSION):
        return {}
    try:
        return {
            str(claim): decode(Simulated, one, claim) for claim, one in document["found"].items() if claim in STANDARDS
        }
    except (AttributeError, KeyError, TypeError, ValueError):
        return {}


def simulated_standards(
    complain: Complain, *, seconds: float = SECONDS, begin: Callable[[int], None] = lambda count: None,
    stop: Callable[[], bool] = lambda: False,
) -> dict[str, Simulated]:  # fmt: skip
    """The findings by claim; what is not remembered is simulated now, and kept.

    Args:
        complain: is told what could not be simulated or kept.
        begin: is told how many simulations there are to do, before the first.
        stop: True where somebody wants it to end; what is done by then comes back.
    """
    found, until = remembered(), time.monotonic() + seconds
    missing = [claim for claim in STANDARDS if claim not in found]
    if missing:
        begin(len(missing))

    def run(scenarios: Sequence[Scenario], task: Task | None) -> Sequence[Result]:
        return simulate_all(scenarios, task, seconds=max(1.0, until - time.monotonic()), stop=stop)

    for claim in missing:
        try:
            standard = STANDARDS[claim](run)
        except CannotRunError as error:
            late = isinstance(error, LateError)
            why = "The time was over. The command goes on where it ended when it is run again." if late else str(error)
            complain("A standard simulation was not done", f"{claim}: {why}")
            if stop() or time.monotonic() >= until:
                break
            continue
        date = datetime.now(UTC).isoformat(timespec="seconds")
        found[claim] = Simulated(standard.verdict, standard.says, standard.conditions, date)
        _keep(found, complain)
    return found


def _path() -> Path:
    """Raises StateError."""
    return state_folder() / _FILE


def _keep(found: Mapping[str, Simulated], complain: Complain) -> None:
    document = {"schema": _SCHEMA, "version": VERSION, "found": {claim: encode(one) for claim, one in found.items()}}
    try:
        save_json(_path(), document)
    except InputError as error:
        complain(error.title, "; ".join(map(str, error.problems)))
