"""The reasons why a measurement does not count for a plan: each condition that differs, as it was then and as it is now."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from advisor.wording import shorten

_OF_A_NETWORK = (
    "sizes", "batch_size", "precision", "device", "optimizer", "memory_format", "execution", "activations", "update", "threads",
)  # fmt: skip
"""Conditions that only a plan with a network has: where the network is missing, it alone is worth saying."""


@dataclass(frozen=True, slots=True)
class Differs:
    """One condition of a measurement that the plan does not share."""

    name: str
    """machine, network, batch_size, precision, torch, ..."""
    then: str
    now: str | None
    """None where the plan does not say"""

    def __str__(self) -> str:
        """`batch size 128 then, 32 now`"""
        now = "none known" if self.now is None else shorten(self.now)
        return f"{shorten(self.name.replace('_', ' '))} {shorten(self.then)} then, {now} now"


def differing(applies: Mapping[str, str], scope: Mapping[str, str]) -> tuple[Differs, ...]:
    """The conditions that keep a measurement made under `applies` from counting in `scope`."""
    found = {name: Differs(name, then, scope.get(name)) for name, then in applies.items() if scope.get(name) != then}
    missing = next((name for name in ("network", "sizes") if name in found and found[name].now is None), None)
    if missing is not None:
        found = {n: one for n, one in found.items() if n == missing or n not in _OF_A_NETWORK or one.now is not None}
    return tuple(found.values())
