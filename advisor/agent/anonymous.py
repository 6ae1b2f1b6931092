"""A machine profile that may be handed on: what the machine is and how fast, but not whose it is."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from advisor.agent.machine_profile import MachineProfile

NAME = "anonymous"
REMOVED = "(removed)"
_FREE_TEXT = ("warnings", "failure", "skipped")
"""Where a program's message may name a person or a host; everywhere else such a word would be part of a term."""
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


def anonymous_json(profile: MachineProfile, words: Sequence[str] = ()) -> dict[str, Any]:
    """The profile as JSON without names of host and user, paths, addresses, serial numbers and fingerprints.

    Fingerprints become machine-1, machine-2, ... so that measurements under several quotas can still be told apart.

    Args:
        words: further ones that tell whose it is (the user's name, the host's), taken out of messages.
    """
    stripped = replace(
        profile,
        name=NAME,
        host="",
        machine=profile.machine and profile.machine.anonymous(),
        earlier={fingerprint: machine.anonymous() for fingerprint, machine in profile.earlier.items()},
    )
    names = [word for word in {*words, profile.host} if len(word) > 1]
    pattern = re.compile("|".join(rf"(?<!\w){re.escape(name)}(?!\w)" for name in names) or r"(?!)", re.IGNORECASE)
    document: dict[str, Any] = _scrubbed(stripped.to_json(), pattern, free=False)
    for machine in (document["machine"], *document["earlier"].values()):
        if machine is not None:
            del machine["fingerprint"]
    numbers = _numbers(profile)
    document["fingerprint"] = numbers[profile.fingerprint]
    document["earlier"] = {numbers[key]: machine for key, machine in document["earlier"].items()}
    for outcome in document["outcomes"]:
        applies = outcome["applies"]
        if "machine" in applies:
            applies["machine"] = numbers[applies["machine"]]
    return document


def _numbers(profile: MachineProfile) -> Mapping[str, str]:
    """A number for each fingerprint, the newest machine first."""
    measured = (outcome.applies.get("machine", "") for outcome in profile.outcomes)
    every = dict.fromkeys([profile.fingerprint, *profile.earlier, *measured])
    return {fingerprint: f"machine-{number}" for number, fingerprint in enumerate(every, start=1)}


def _scrubbed(value: Any, words: re.Pattern[str], *, free: bool) -> Any:
    if isinstance(value, str):
        text = _PRIVATE.sub(REMOVED, value)
        return words.sub(REMOVED, text) if free else text
    if isinstance(value, dict):
        return {key: _scrubbed(part, words, free=free or key in _FREE_TEXT) for key, part in value.items()}
    if isinstance(value, list):
        return [_scrubbed(part, words, free=free) for part in value]
    return value
