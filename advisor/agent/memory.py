"""What was measured on this machine before, kept per host."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from pathlib import Path

from advisor.errors import InputError, input_error, shorten
from advisor.machine.detection import Machine
from advisor.machine.state import NothingSavedError, StateError, load_json, save_json, state_folder
from advisor.probes.catalogue import probe_named
from advisor.probes.outcome import ProbeOutcome
from advisor.probes.probe import Varies

SCHEMA = "advisor/measurements/1"
LAST = "last"
KEEP = 60
MOST = 10**9


def measurements_file(name: str) -> Path:
    """Where measurements of this name are kept. Raises InputError for a name that is not a plain word."""
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,60}", name):
        remedy = "Use letters, digits, dots and hyphens."
        raise input_error("This name cannot be used", f"{shorten(name)!r}", where="--save", remedy=remedy)
    folder = state_folder() / "measurements"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        remedy = "Name a folder that can be written in ADVISOR_STATE."
        raise StateError(folder, f"the folder cannot be created ({error.strerror}).", remedy) from error
    return folder / f"{name}.json"


def remember(machine: Machine, outcomes: Sequence[ProbeOutcome], name: str = LAST) -> Path:
    """Adds outcomes to what is kept under this name. Raises InputError when it cannot be written."""
    path = measurements_file(name)
    try:
        earlier = _read(path)
    except InputError:
        earlier = []  # nothing yet, or moved aside as damaged
    known = {outcome_key(outcome) for outcome in outcomes}
    kept = [outcome for outcome in earlier if outcome_key(outcome) not in known][-KEEP:]
    document = {
        "schema": SCHEMA,
        "machine": machine.fingerprint,
        "outcomes": [outcome.to_json() for outcome in [*kept, *outcomes]],
    }
    save_json(path, document)
    return path


def outcome_key(outcome: ProbeOutcome) -> tuple[str, str, str]:
    return (outcome.probe, outcome.date, str(sorted(outcome.applies.items())))


def recall(machine: Machine) -> tuple[list[ProbeOutcome], list[InputError]]:
    """Everything measured on this machine, oldest first, and what could not be read."""
    found: list[ProbeOutcome] = []
    problems: list[InputError] = []
    try:
        paths = sorted(measurements_file(LAST).parent.glob("*.json"))
    except InputError as error:
        return [], [error]
    for path in paths:
        try:
            found += [outcome for outcome in _read(path) if outcome.applies.get("machine") == machine.fingerprint]
        except NothingSavedError:
            continue
        except InputError as error:
            problems.append(error)
    found.sort(key=lambda outcome: outcome.date)
    return found, problems


def checked(outcome: ProbeOutcome) -> ProbeOutcome:
    """The outcome, if its parts are what a probe would have written. Raises ValueError or KeyError."""
    probe = probe_named(outcome.probe)
    if (outcome.topic, outcome.fact) != (probe.topic, probe.fact):
        raise ValueError(f"{outcome.fact} is not what the probe {probe.name} measures")
    kind = str if probe.varies is Varies.PRECISION else int
    for value in (outcome.before, outcome.after, outcome.rival):
        if value is not None and (not isinstance(value, kind) or isinstance(value, bool)):
            raise ValueError(f"{shorten(value)} is no setting of the probe {probe.name}")
        if isinstance(value, int) and not 1 <= value <= MOST:
            raise ValueError(f"{value} is no setting of the probe {probe.name}")
    figures = (outcome.median, outcome.low, outcome.high)
    if outcome.measured and not all(isinstance(f, float | int) and 0 < f < math.inf for f in figures):
        raise ValueError("its figures are no numbers")
    if not isinstance(outcome.date, str) or not isinstance(outcome.n, int):
        raise ValueError("its date or number of pairs is damaged")
    return outcome


def _read(path: Path) -> list[ProbeOutcome]:
    document = load_json(path)
    remedy = "Delete it, or measure again with `advisor probe`."
    if (
        not isinstance(document, dict)
        or document.get("schema") != SCHEMA
        or not isinstance(document.get("outcomes"), list)
    ):
        raise StateError(path, "these are not measurements of this program.", remedy)
    try:
        return [checked(ProbeOutcome.from_json(entry)) for entry in document["outcomes"]]
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise StateError(path, f"a measurement in it is damaged ({shorten(error)}).", remedy) from error
