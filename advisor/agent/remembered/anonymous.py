"""A machine profile that may be handed on: what the machine is and how fast, but not whose it is."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from advisor.agent.remembered.profile import MachineProfile
from advisor.machine.parts import DiskKind
from advisor.probes.outcome import Outcome

NAME = "anonymous"
REMOVED = "(removed)"
_SAYS_NOTHING_PRIVATE = re.compile(
    r"""
      Other\ programs\ took\ \d+%\ of\ the\ processors'\ time\ meanwhile\.
    | The\ host\ of\ this\ virtual\ machine\ gave\ \d+%\ of\ the\ processors\ to\ others\.
    | The\ clock\ follows\ the\ load\ \(governor\ (?:powersave|ondemand|conservative|userspace|schedutil)\):\ short
      \ measurements\ may\ see\ it\ rise\.
    """,
    re.VERBOSE,
)
"""The only sentences that are handed on. Any other may name a folder, a host or a person in ways that no pattern finds."""
_PRIVATE = re.compile(
    r"""
    \b[\w.-]+:[/\\]\S*                                          # a URL, a network share, a Windows path
    | (?<![\w)\]])~?[/\\][^\s/\\,;:'"()]+(?:[/\\][^\s,;:'"()]*)?  # a path, but not the slash of bytes/s
    | \b(?:GPU-|MIG-)?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b  # an identifier of a card or a disk
    | \b[0-9a-f]{2}(?::[0-9a-f]{2}){5}\b                        # an address of a network card
    | \b\d{1,3}(?:\.\d{1,3}){3}\b                               # an address on the network
    """,
    re.VERBOSE | re.IGNORECASE,
)
_VERSION = re.compile(r"\d+(?:\.\d+)*(?:(?:a|b|rc|\.dev|\.post)\d+)?(?:\+(?:cpu|xpu|cu\d+|rocm[\d.]+)\b)?")


def anonymous_json(profile: MachineProfile, words: Sequence[str] = ()) -> dict[str, Any]:
    """The profile as JSON without names of host and user, paths, addresses, serial numbers and fingerprints.

    Fingerprints become machine-1, machine-2, ... so that measurements under several quotas can still be told apart. Of
    what programs have said in words only a few sentences remain that hold nothing but figures.

    Args:
        words: further ones that tell whose it is (the user's name, the host's), taken out of the network's description.
    """
    numbers = _numbers(profile)
    names = [word for word in {*words, profile.host} if len(word) > 1]
    own = re.compile("|".join(rf"(?<!\w){re.escape(name)}(?!\w)" for name in names) or r"(?!)", re.IGNORECASE)
    stripped = replace(
        profile,
        name=NAME,
        host="",
        machine=profile.machine and profile.machine.anonymous(),
        versions={name: _version(text) for name, text in profile.versions.items()},
        earlier={fingerprint: machine.anonymous() for fingerprint, machine in profile.earlier.items()},
        outcomes=tuple(_anonymous(outcome, numbers, own) for outcome in profile.outcomes),
    )
    document: dict[str, Any] = _scrubbed(stripped.to_json())
    for machine in (document["machine"], *document["earlier"].values()):
        if machine is not None:
            del machine["fingerprint"]
    document["fingerprint"] = numbers[profile.fingerprint]
    document["earlier"] = {numbers[key]: machine for key, machine in document["earlier"].items()}
    return document


def _anonymous(outcome: Outcome, numbers: Mapping[str, str], own: re.Pattern[str]) -> Outcome:
    """Its figures, terms and versions, and the sentences that say nothing private."""
    applies = dict(outcome.applies)
    for name in applies.keys() & {"torch", "python"}:
        applies[name] = _version(applies[name])
    if "machine" in applies:
        applies["machine"] = numbers[applies["machine"]]
    for name in applies.keys() & {"network", "sizes"}:
        applies[name] = own.sub(REMOVED, applies[name])
    kind = outcome.disk_kind
    applies.pop("disk", None)
    if kind in list(DiskKind):
        applies["disk"] = f"({kind})"
    said = tuple(text for text in outcome.conditions.warnings if _SAYS_NOTHING_PRIVATE.fullmatch(text))
    return replace(
        outcome,
        applies=applies,
        failure=None if outcome.failure is None else REMOVED,
        conditions=replace(outcome.conditions, warnings=said),
        settings=tuple(replace(one, skipped=one.skipped and REMOVED) for one in outcome.settings),
    )


def _version(text: str) -> str:
    """Its number and the kind of build, without what somebody who built it has added."""
    found = _VERSION.match(text)
    return found[0] if found else REMOVED


def _numbers(profile: MachineProfile) -> Mapping[str, str]:
    """A number for each fingerprint, the newest machine first."""
    measured = (outcome.applies.get("machine", "") for outcome in profile.outcomes)
    every = dict.fromkeys([profile.fingerprint, *profile.earlier, *measured])
    return {fingerprint: f"machine-{number}" for number, fingerprint in enumerate(every, start=1)}


def _scrubbed(value: Any) -> Any:
    """The same without what looks like a path, an address or an identifier, in whatever text it stands."""
    if isinstance(value, str):
        return _PRIVATE.sub(REMOVED, value)
    if isinstance(value, dict):
        return {key: _scrubbed(part) for key, part in value.items()}
    return [_scrubbed(part) for part in value] if isinstance(value, list) else value
