"""The equipment that a bench hands to the contest: the trials, and how to end what they started. No torch here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from advisor.probes.judging.contest import Trial
from advisor.probes.probe import Probe, Setting
from advisor.probes.protocol import Message, Request

Tell = Callable[[Message], None]


@dataclass
class Equipment:
    """The trials of a probe, ready to be warmed up."""

    trials: dict[Setting, Trial]
    """Of every setting of the request, the recommended one included."""
    torch: str = ""
    """Its version, where it takes part."""
    threads: int = 1
    """Inside one operation, where the settings do not say otherwise."""
    device: str = ""
    """On which kind of device it ran, where the workload does not tell: cpu or cuda."""
    disk: str = ""
    """The disk that was read, if any: its mount point and kind."""
    memory_bytes: int | None = None
    """Of the device that computes, where it is not the main memory: what batches may take of it."""
    meter: Callable[[], float] | None = None
    """A counter used instead of seconds."""
    recheck: Callable[[Setting, float], Message] | None = None
    """Runs a setting once more in a fresh process, within so many seconds."""
    close: list[Callable[[], None]] = field(default_factory=list)
    """Ends processes and files, last first."""


class Prepare(Protocol):
    """The function `prepare` of a bench."""

    def __call__(self, probe: Probe, request: Request, tell: Tell) -> Equipment:
        """Make the trials; raises CannotRunError or UnbuildableError where there can be none at all."""
