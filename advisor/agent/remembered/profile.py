"""Machine profiles: what was measured on one machine, as it is kept, shown, compared and handed on."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from advisor.agent.remembered.dates import newest_date, oldest_first
from advisor.facts.experiments import CONDITIONS, SIMULATE, SYNC, is_of_strategies
from advisor.facts.vocabulary import Value
from advisor.machine.machine import Machine
from advisor.probes.catalogue import probe_named
from advisor.probes.outcome import Outcome, readable
from advisor.probes.probe import Setting, Varies
from advisor.version import __version__
from advisor.wording import shorten

SCHEMA = "advisor/machine-profile/1"
OLD_SCHEMA = "advisor/measurements/1"
_FAMILY = "advisor/machine-profile/"
KEEP = 20
"""Outcomes of one probe for one network on one machine: enough to compare this month with the last."""
_KINDS = ("machine", "network", "strategy_network")
"""Conditions: outcomes that agree in them are of one kind."""
MOST_BYTES = 2_000_000
"""Of all outcomes together, since every plan reads them; the oldest go first."""
MOST = 10**9
_LONGEST_NAME = 80
_VERSIONS = ("torch", "python")


@dataclass(frozen=True, slots=True)
class MachineProfile:
    """One machine under a name, and everything that is kept of what was measured on it, oldest first."""

    name: str
    fingerprint: str
    machine: Machine | None = None
    """None in profiles of the first version, which did not keep it."""
    host: str = ""
    versions: Mapping[str, str] = field(default_factory=dict)
    """Of advisor, torch and python, when it was measured last."""
    outcomes: tuple[Outcome, ...] = ()
    earlier: Mapping[str, Machine] = field(default_factory=dict)
    """Its earlier states (under another quota, with other cards), by fingerprint."""
    damaged: tuple[str, ...] = ()
    """Parts of it that could not be read, a sentence each."""

    @property
    def date(self) -> str:
        """Of the newest measurement, ISO 8601; empty where there is none."""
        return newest_date(self.outcomes)

    def machine_of(self, fingerprint: str) -> Machine | None:
        return self.machine if fingerprint == self.fingerprint else self.earlier.get(fingerprint)

    def to_json(self) -> dict[str, Any]:
        return {
            "schema": SCHEMA,
            "name": self.name,
            "host": self.host,
            "date": self.date,
            "fingerprint": self.fingerprint,
            "machine": None if self.machine is None else self.machine.to_json(),
            "versions": dict(self.versions),
            "earlier": {fingerprint: machine.to_json() for fingerprint, machine in self.earlier.items()},
            "outcomes": [outcome.to_json() for outcome in self.outcomes],
        }

    @classmethod
    def from_json(cls, data: object, name: str = "") -> MachineProfile:
        """The reverse of `to_json`; also reads what the first version kept. Unknown keys are ignored.

        A damaged measurement costs itself only and is noted in `damaged`. One of strategies that was kept under other conditions
        than those of this version is in nobody's scope, and left out.

        Args:
            data: what a file holds, which may be anything.
            name: the name, if the document's own does not count.

        Raises:
            ValueError: this is no machine profile.
        """
        schema = data.get("schema") if isinstance(data, dict) else None
        if isinstance(schema, str) and schema.startswith(_FAMILY) and schema != SCHEMA:
            raise ValueError(f"it is a machine profile of another version of this program, {shorten(schema)}")
        if not isinstance(data, dict) or schema not in (SCHEMA, OLD_SCHEMA):
            raise ValueError("it is no machine profile of this program")
        if not isinstance(data.get("outcomes"), list):
            raise ValueError("its measurements are missing")
        machine, earlier = data.get("machine"), data.get("earlier", {})
        fingerprint = machine if data["schema"] == OLD_SCHEMA else data.get("fingerprint")
        if not isinstance(earlier, dict):
            raise ValueError("its earlier machines are damaged")
        counted = [one for one in data["outcomes"] if not _is_of_other_conditions(one)]
        outcomes, damaged = readable(counted, checked, "a measurement")
        return cls(
            name=name or _text(data.get("name", ""), "name"),
            fingerprint=_text(fingerprint or "", "fingerprint"),
            machine=Machine.from_json(machine) if isinstance(machine, dict) else None,
            host=_text(data.get("host", ""), "host"),
            versions=_texts(data.get("versions", {}), "versions"),
            outcomes=tuple(outcomes),
            earlier={str(key): Machine.from_json(value) for key, value in earlier.items()},
            damaged=tuple(damaged),
        )


def grown(
    profile: MachineProfile | None, name: str, machine: Machine, host: str, outcomes: Sequence[Outcome]
) -> MachineProfile:
    """The profile with these outcomes of this machine added; only the newest of each probe and network are kept."""
    before = profile or MachineProfile(name, machine.fingerprint)
    earlier = dict(before.earlier)
    if before.machine is not None and before.fingerprint != machine.fingerprint:
        earlier[before.fingerprint] = before.machine
    earlier.pop(machine.fingerprint, None)
    known = {outcome_key(outcome) for outcome in outcomes}
    every = [outcome for outcome in before.outcomes if outcome_key(outcome) not in known] + list(outcomes)
    kept = _newest(oldest_first(every))
    machines = {outcome.applies.get("machine") for outcome in kept}
    return MachineProfile(
        name=name,
        fingerprint=machine.fingerprint,
        machine=machine,
        host=host,
        versions={"advisor": __version__, **_versions(outcomes or kept)},
        outcomes=tuple(kept),
        earlier={fingerprint: known_as for fingerprint, known_as in earlier.items() if fingerprint in machines},
    )


def outcome_key(outcome: Outcome) -> tuple[str, str, str, str]:
    return (outcome.probe, outcome.fact, outcome.date, str(sorted(outcome.applies.items())))


def profile_facts(document: object) -> tuple[dict[str, Value], tuple[Outcome, ...]]:
    """The facts of an exported profile's machine, by the names of the vocabulary, and its measurements.

    The outcomes are those of the machine as it was last, bound to the fingerprint that the facts' machine has, so that
    they count for a plan for it, and those measured with the torch that it had last, whichever is installed here, if any. Raises
    ValueError where this is no profile or where it does not say what the machine is.
    """
    profile = MachineProfile.from_json(document)
    if profile.machine is None:
        raise ValueError("it does not say what the machine is; measure again with `advisor probe`")
    outcomes = own_outcomes(profile)
    torch = next((one.applies["torch"] for one in reversed(outcomes) if "torch" in one.applies), None)
    mine = [outcome for outcome in outcomes if outcome.applies.get("torch", torch) == torch]
    return profile.machine.facts(), tuple(
        replace(outcome, bound_by=tuple(name for name in outcome.bound_by if name != "torch")) for outcome in mine
    )


def own_outcomes(profile: MachineProfile) -> tuple[Outcome, ...]:
    """Those of the machine as it was last, oldest first, with the fingerprint that its description gives."""
    here = profile.fingerprint if profile.machine is None else profile.machine.fingerprint
    return tuple(
        replace(outcome, applies={**outcome.applies, "machine": here})
        for outcome in oldest_first(profile.outcomes)
        if outcome.applies.get("machine") == profile.fingerprint
    )


def checked(outcome: Outcome) -> Outcome:
    """The outcome, if its parts are what a probe would have written, or strategies. Raises ValueError."""
    if is_of_strategies(outcome.probe):
        return _checked_of_strategies(outcome)
    probe = probe_named(outcome.probe)
    if (outcome.topic, outcome.fact) != (probe.topic, probe.fact):
        raise ValueError(f"{shorten(outcome.fact)} is not what the probe {probe.name} measures")
    if not set(outcome.also) <= set(probe.also) or not all(
        isinstance(n, int) and _is_setting(n, counted=True) for n in outcome.also.values()
    ):
        raise ValueError(f"it tells what the probe {probe.name} does not")
    if not set(outcome.gauges) <= set(probe.gauges):
        raise ValueError(f"it gauges what the probe {probe.name} does not")
    counted = probe.varies in (Varies.THREADS, Varies.BATCH_SIZE)
    settings = [outcome.before, outcome.after, outcome.rival, *outcome.gauges.values()]
    for value in [*settings, *(record.setting for record in outcome.settings)]:
        if value is not None and not _is_setting(value, counted=counted):
            raise ValueError(f"{shorten(value)} is no setting of the probe {probe.name}")
    figures = [outcome.median, outcome.low, outcome.high] if outcome.measured else []
    samples = [seconds for record in outcome.settings for seconds in (*record.search, *record.duel)]
    _check_figures(outcome, [*figures, *samples])
    return outcome


_STRATEGIES = {
    (SYNC, "sync.strategy"): "probe.sync.best",
    (SIMULATE, "sync.strategy"): "sim.sync.best",
    (SIMULATE, "parallelism.strategy"): "sim.workers.best",
    (SIMULATE, "communication"): "sim.compression.best",
    (SIMULATE, "fault_tolerance"): "sim.checkpoint.seconds",
}
"""By experiment and topic the fact that strategies decide."""
_COUNTED = ("sim.workers.best", "sim.workers.best_by_price", "sim.checkpoint.seconds")
"""Facts that count something; the others are names."""
_EARLIER = ("machine", "torch")
"""Conditions that earlier versions named besides."""
_BESIDES = ("sim.workers.best_by_price", "sim.checkpoint.seconds")


def _is_of_other_conditions(data: object) -> bool:
    """True for what another version kept of strategies: it names other conditions, and is otherwise sound."""
    if not isinstance(data, dict) or not is_of_strategies(str(data.get("probe"))):
        return False
    bound_by, applies = data.get("bound_by"), data.get("applies")
    if (
        not isinstance(bound_by, list)
        or not isinstance(applies, dict)
        or not all(isinstance(one, str) for one in bound_by)
    ):
        return False
    known = {*CONDITIONS, *_EARLIER}
    return bool(bound_by) and set(bound_by) <= known & set(applies) and set(bound_by) != set(CONDITIONS)


def _checked_of_strategies(outcome: Outcome) -> Outcome:
    if _STRATEGIES.get((outcome.probe, outcome.topic)) != outcome.fact:
        raise ValueError(f"{shorten(outcome.fact)} is not what strategies decide of {shorten(outcome.topic)}")
    if outcome.bound_by != CONDITIONS or not set(CONDITIONS) <= set(outcome.applies):
        raise ValueError("it does not say for which workers")
    if outcome.also or outcome.gauges or outcome.settings or not set(outcome.besides) <= set(_BESIDES):
        raise ValueError("it tells more than strategies do")
    settings = [(outcome.fact, one) for one in (outcome.before, outcome.rival, outcome.after) if one is not None]
    for fact, one in (*settings, *outcome.besides.items()):
        if isinstance(one, str) == (fact in _COUNTED) or not _is_setting(one, counted=fact in _COUNTED):
            raise ValueError(f"{shorten(one)} is no value of {fact}")
    _check_figures(outcome, [outcome.median, outcome.low, outcome.high])
    return outcome


def _check_figures(outcome: Outcome, figures: Sequence[float | None]) -> None:
    """Raises ValueError where not all are numbers above 0, or the date is none."""
    if not all(number is not None and number > 0 for number in figures):
        raise ValueError("its figures are no numbers")
    if not _is_date(outcome.date):
        raise ValueError(f"{shorten(outcome.date)} is no date")


def _is_setting(value: Setting, *, counted: bool) -> bool:
    """True for a number that a probe could have tried (one that counts something from 1), or a name."""
    if isinstance(value, int):
        return (1 if counted else 0) <= value <= MOST
    return not counted and len(value) <= _LONGEST_NAME


def _is_date(value: str) -> bool:
    """True for a day or a time that begins with one (ISO 8601), since dates are compared as texts; or empty."""
    if not re.match(r"\d{4}-\d\d-\d\d(T|$)", value):
        return value == ""
    try:
        datetime.fromisoformat(value)
    except ValueError:
        return False
    return True


def _newest(outcomes: Sequence[Outcome]) -> list[Outcome]:
    """The newest few of each kind within the space there is, in the order in which they came (oldest first)."""
    counts: dict[tuple[str, ...], int] = {}
    kept: list[Outcome] = []
    room = MOST_BYTES
    for outcome in reversed(outcomes):
        kind = (outcome.probe, outcome.fact, *(outcome.applies.get(name, "") for name in _KINDS))
        counts[kind] = counts.get(kind, 0) + 1
        if counts[kind] <= KEEP:
            room -= len(json.dumps(outcome.to_json()))
            if room < 0 and kept:
                break
            kept.append(outcome)
    return kept[::-1]


def _versions(outcomes: Sequence[Outcome]) -> dict[str, str]:
    """The newest of each that is known."""
    applies = [outcome.applies for outcome in oldest_first(outcomes)]
    return {name: known[-1] for name in _VERSIONS if (known := [one[name] for one in applies if name in one])}


def _text(value: object, what: str) -> str:
    if not isinstance(value, str) or len(value) > 1000:
        raise ValueError(f"its {what} is no text")
    return value


def _texts(value: object, what: str) -> dict[str, str]:
    if not isinstance(value, dict) or not all(isinstance(one, str) for one in (*value, *value.values())):
        raise ValueError(f"its {what} are damaged")
    return dict(value)
