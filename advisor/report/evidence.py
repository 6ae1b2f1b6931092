"""Evidence that a report shows beside the plan: measurements, the survey's claims as judged, and the machine."""

from __future__ import annotations

from dataclasses import dataclass

from advisor.agent.events import ProbeSkipped
from advisor.probes.outcome import Outcome
from advisor.report.machine.page import MachineReport
from advisor.survey.judged_claims import Judgement


@dataclass(frozen=True, slots=True)
class Evidence:
    """All of it may be missing: the report then has no such section."""

    outcomes: tuple[Outcome, ...] = ()
    """Oldest first; of each probe the newest counts"""
    skipped: tuple[ProbeSkipped, ...] = ()
    judged: tuple[Judgement, ...] = ()
    machine: MachineReport | None = None


NOTHING = Evidence()
