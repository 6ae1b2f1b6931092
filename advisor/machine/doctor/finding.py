"""Something about a machine that an engineer would want to know, with its remedy; and what is examined for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial

from advisor.machine.machine import Machine
from advisor.machine.parts import Disk
from advisor.machine.torch_view import TorchView

BUILDS = "pytorch.org, Get Started, gives the command for your system"


class Severity(StrEnum):
    PROBLEM = "problem"
    """Something does not work."""
    WARNING = "warning"
    """It works, but slower or less safely than it could."""
    NOTE = "note"
    """It may be as somebody wanted it."""


@dataclass(frozen=True, slots=True)
class Finding:
    name: str
    """Stable, for programs: torch.cpu-build"""
    severity: Severity
    title: str
    what: str
    """With the figures"""
    remedy: str
    commands: tuple[str, ...] = ()
    """To be copied into a shell as they are"""


def _found(
    severity: Severity, name: str, title: str, what: str, remedy: str, commands: tuple[str, ...] = ()
) -> Finding:
    return Finding(name, severity, title, what, remedy, commands)


problem, warning, note = (partial(_found, severity) for severity in Severity)


@dataclass(frozen=True, slots=True)
class Environment:
    """The surroundings of the program that is examined."""

    variables: Mapping[str, str] = field(default_factory=dict)
    python: str = "python"
    """The interpreter that runs torch, as a path"""
    state: Disk | None = None
    """The disk of the state folder"""
    state_problem: str | None = None
    """The reason why nothing can be written there"""
    data: Disk | None = None
    shared_memory: Disk | None = None
    """The folder through which DataLoader workers hand over batches, /dev/shm on Linux"""


@dataclass(frozen=True, slots=True)
class Examination:
    machine: Machine
    torch: TorchView
    environment: Environment
