"""The machine or cluster that was named: detected here, measured, known by a profile, or described in a file; and its card."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from advisor.errors import InputError, Problem, did_you_mean, input_error
from advisor.facts.answers import read_answers
from advisor.facts.fact_base import FactBase, Known, Source
from advisor.knowledge.model import Knowledge
from advisor.machine.detection.detection import Machine, detect
from advisor.machine.profiles.devices import DeviceKind, DeviceProfile, published_facts
from advisor.machine.profiles.files import find_device, load_devices, normalised
from advisor.probes.outcome import Outcome
from advisor.wording import join_names, shorten

if TYPE_CHECKING:
    from advisor.agent.remembered.profile import MachineProfile
    from advisor.cluster.profile import ClusterProfile

CARD = "machine.gpu.name"
COUNT = "machine.gpu.count"
_OF_CARDS = "machine.gpu."
_WITH_A_CARD = "machine.gpu.count > 0"
NO_PROFILE = "nothing is known of this card"
MOST_SUGGESTED = 6


@dataclass(frozen=True)
class NamedMachine:
    """The machine that a plan is for, as far as it is known."""

    facts: FactBase
    machine: Machine | None = None
    """None where only facts of it are known: then no measurement can be its own."""
    here: bool = False
    """True where it is the machine on which this runs."""
    outcomes: tuple[Outcome, ...] = ()
    """Measurements of its profile, oldest first; those of the machine here are remembered by this host."""
    cluster: ClusterProfile | None = None
    """The measurements of a cluster, where it is one."""


def named_machine(knowledge: Knowledge, name: str) -> NamedMachine:
    """The machine that was named: detected here, measured before, known by a device profile, or described in a file.

    It may be a whole cluster that was measured.

    Raises InputError where there is none of this name.
    """
    if name == "none":
        return NamedMachine(FactBase())
    if name == "auto":
        machine = detect()
        declared = knowledge.vocabulary.declared(machine.facts())
        return NamedMachine(FactBase.of(declared, Source.DETECTED), machine, here=True)
    if name.endswith(".json"):
        return _in_file(knowledge, Path(name))
    found = None if find_device(name) is not None else _kept_machine(knowledge, name) or _kept_cluster(knowledge, name)
    return found or NamedMachine(_described_machine(knowledge, name))


def _in_file(knowledge: Knowledge, path: Path) -> NamedMachine:
    """A machine or a cluster that was measured, and written into a file. Raises InputError."""
    from advisor.agent.remembered import memory  # 5 ms, only where a machine is named
    from advisor.cluster import profile as clusters

    raw = memory.read_exported(path)
    if clusters.is_cluster(raw):
        return _measured_cluster(knowledge, clusters.parsed(raw, path))
    return _measured_machine(knowledge, memory.parsed(raw, path), str(path))


def _kept_machine(knowledge: Knowledge, name: str) -> NamedMachine | None:
    """A machine profile that this host keeps; None where there is none of this name. Raises InputError."""
    from advisor.agent.remembered.memory import kept_profiles

    kept, problems = kept_profiles()
    found = next((one for one in kept if one.name == name), None)
    if found is None:
        _refuse_damaged(name, problems)
        return None
    return _measured_machine(knowledge, found, name)


def _kept_cluster(knowledge: Knowledge, name: str) -> NamedMachine | None:
    """A cluster that was measured from this host; None where there is none of this name. Raises InputError."""
    from advisor.cluster.profile import kept

    found, problems = kept()
    if name not in found:
        _refuse_damaged(name, problems)
        return None
    return _measured_cluster(knowledge, found[name])


def _refuse_damaged(name: str, problems: Sequence[InputError]) -> None:
    """Raise the problem that is about the profile of this name, if there is one."""
    for problem in problems:
        if Path(problem.problems[0].where).name == f"{name}.json":
            raise problem


def _measured_cluster(knowledge: Knowledge, profile: ClusterProfile) -> NamedMachine:
    from advisor.agent.clusters import cluster_facts

    return NamedMachine(cluster_facts(knowledge.vocabulary, profile), cluster=profile)


def _measured_machine(knowledge: Knowledge, profile: MachineProfile, name: str) -> NamedMachine:
    """Raises InputError where the profile does not say what the machine is."""
    from advisor.agent.remembered.profile import profile_facts

    try:
        facts, outcomes = profile_facts(profile.to_json())
    except ValueError as error:
        remedy = "Export it again, or measure that machine with `advisor probe --save NAME`."
        raise input_error("This machine profile cannot be used", str(error), where=name, remedy=remedy) from error
    detected = knowledge.vocabulary.declared(facts)
    known = FactBase().with_values(detected, Source.DETECTED, note=f"machine profile {shorten(profile.name)}")
    return NamedMachine(known, profile.machine, outcomes=outcomes)


def _described_machine(knowledge: Knowledge, name: str) -> FactBase:
    """A machine with one card of this profile, or with its processor and no card, or the facts of a file. Raises InputError."""
    devices = load_devices()
    device = find_device(name, devices)
    if device is not None:
        facts = dict(published_facts(device))
        facts |= {COUNT: 1, CARD: device.name} if device.kind is DeviceKind.GPU else {COUNT: 0}
        published = knowledge.vocabulary.declared(facts)
        return FactBase().with_values(published, Source.PUBLISHED, note=f"profile {device.name}")
    try:
        if Path(name).exists():
            stated = read_answers(knowledge.vocabulary, Path(name), knowledge.topics)
            return FactBase().with_values(stated, Source.ASKED)
    except OSError:  # too long for a file name
        pass
    hint = _similar(name, devices.values()) or did_you_mean(name, ["auto", "none"])
    remedy = f"{hint} `advisor profiles list` shows the devices.".strip()
    what = f"{shorten(name)!r} is neither a device nor a file"
    raise input_error("There is no such machine", what, where="--machine", remedy=remedy)


def with_published(knowledge: Knowledge, facts: FactBase) -> FactBase:
    """Published figures of the card that is named, beneath everything that was asked or detected.

    Where another card is named than the one detected, what was detected of that one counts no longer. A card without a
    profile gets a note that says so. Where figures of a card are stated and no number of cards, there is one, although
    none was detected or a processor's profile says that there is none: another machine is being planned.
    """
    facts = _with_stated_card(knowledge, facts)
    known = facts.known(CARD)
    if known is None:
        return facts
    device = find_device(str(known.value))
    detected = facts.by_source(Source.DETECTED)
    if known.source is Source.ASKED and CARD in detected and find_device(str(detected[CARD])) != device:
        for name in detected:
            if name.startswith(_OF_CARDS) and name not in (CARD, COUNT):
                facts = facts.without(name, Source.DETECTED)
    if device is None:
        return facts.with_known(CARD, replace(known, note=NO_PROFILE))
    published = knowledge.vocabulary.declared(published_facts(device))
    return facts.with_values(published, Source.PUBLISHED, note=f"profile {device.name}")


def _with_stated_card(knowledge: Knowledge, facts: FactBase) -> FactBase:
    count = facts.known(COUNT)
    if count is not None and (count.source is Source.ASKED or count.value != 0):
        return facts
    declared = knowledge.vocabulary.facts
    stated = [
        name
        for name, value in facts.by_source(Source.ASKED).items()
        if (declared[name].only_when or "").startswith(_WITH_A_CARD) and value != "none"
    ]
    if not stated:
        return facts
    for source in (Source.DETECTED, Source.PUBLISHED):
        facts = facts.without(COUNT, source)
    here = "although this machine has none" if count is not None else "the least that this means"
    return facts.with_known(COUNT, Known(1, Source.ASSUMED, note=f"since {stated[0]} is stated, {here}"))


def unknown_card(facts: FactBase) -> Problem | None:
    """The complaint about a card that was stated and that no profile describes."""
    known = facts.known(CARD)
    if known is None or known.source is not Source.ASKED or known.note != NO_PROFILE:
        return None
    hint = _similar(str(known.value), load_devices().values())
    remedy = (
        f"{hint} `advisor profiles list` shows the known ones; or state its figures, such as machine.gpu.memory_bytes."
    )
    return Problem(
        CARD, f"no profile is called {shorten(known.value)!r}, so none of its figures count.", remedy.strip()
    )


def _similar(name: str, devices: Iterable[DeviceProfile]) -> str:
    """`Did you mean ...?` with the devices that the name is a part of, or the one that is spelled most like it."""
    spellings = {normalised(known): one.name for one in devices for known in (one.name, *one.aliases)}
    part = normalised(name[:200])
    found = list(dict.fromkeys(known for spelled, known in spellings.items() if len(part) > 1 and part in spelled))
    if found:
        more = ["others"] if len(found) > MOST_SUGGESTED else []
        return f"Did you mean {join_names([*found[:MOST_SUGGESTED], *more], 'or')}?"
    nearest = difflib.get_close_matches(part, spellings, n=1, cutoff=0.6)
    return f"Did you mean {spellings[nearest[0]]}?" if nearest else ""
