"""Real children, only until the first pair of the duel is timed: quick, and nothing is said of who wins."""

from __future__ import annotations

import pytest

from advisor.probes.probe import Probe, Setting
from advisor.probes.protocol import Message, Phase, Sample
from advisor.probes.runner import run
from advisor.probes.workload import Workload

SECONDS = 60.0
"""Enough for the start on a busy machine."""
CORES = {"machine.cpu.usable_cores": 2}


class EnoughError(Exception):
    """Ends a measurement."""


def first_pair(probe: Probe, workload: Workload, before: Setting, settings: list[Setting]) -> list[Message]:
    """What was said until both settings had run in the duel."""
    told: list[Message] = []

    def listen(message: Message) -> None:
        told.append(message)
        pair = [said for said in told if isinstance(said, Sample) and said.phase is Phase.DUEL]
        if len(pair) == 2:
            raise EnoughError

    with pytest.raises(EnoughError):
        run(probe, workload, before=before, settings=settings, budget_seconds=SECONDS, facts=CORES, on_event=listen)
    return told
