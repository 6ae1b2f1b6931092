"""The probe screen: leaving it ends what it has begun, and leaves no process."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import psutil
import pytest

from advisor.agent.agent import Revision
from advisor.agent.events import ProbeFinished, ProbeStarted
from advisor.agent.settling.advising import advise_here
from advisor.children.stopping import Stop
from advisor.inference.advise import VALUES_ONLY
from advisor.probes.runner import run as run_probe
from advisor.probes.settings.cores import THREADS as PROBE
from advisor.probes.workload import Workload
from advisor.tui.screens.probing.done import DonePane
from advisor.tui.screens.probing.probing import ProbingScreen
from advisor.tui.screens.running.run_screen import Phase as Screen
from tests.tui.measurements_made import (
    MACHINE,
    measuring_desk,
    rules,
)
from tests.tui.pilots import piloted, running
from tests.tui.stand_in import StandIn
from tests.tui.waiting import PATIENCE, offered, until


@piloted
async def test_whoever_quits_ends_the_measurement() -> None:
    desk, made = measuring_desk(waits_in=("threads",))
    async with running(ProbingScreen(), desk=desk) as run:
        await offered(run)
        await run.press("ctrl+s")
        await until(run, lambda: run.screen.state.current is not None)
        await run.pilot.press("ctrl+q")
    assert made.ended.wait(PATIENCE)


WIDE_NETWORK = Workload("ffn", "tabular", 784, 10, (2048, 2048), batch_size=512, threads=1)
"""It takes seconds, so that there is something to stop."""


def real(desk: StandIn) -> None:
    """A measurement in a real process, with more time than any machine needs."""

    def measure(seconds: float, only: Any, listener: Any, stop: Stop) -> Revision:
        listener(ProbeStarted(PROBE, 600.0, 600.0, 1))
        outcome = run_probe(
            PROBE, WIDE_NETWORK, before=1, settings=[1, 2], budget_seconds=600.0, stop=stop,
            on_event=listener,
        )  # fmt: skip
        listener(ProbeFinished(outcome))
        plan = advise_here(
            rules("of the thread that measures"), desk.interview.facts(), MACHINE, (), detail=VALUES_ONLY
        )
        return Revision(plan, plan, (outcome,))

    desk.measured = measure


def children() -> list[psutil.Process]:
    found = psutil.Process().children(recursive=True)
    return [one for one in found if one.is_running() and one.status() != psutil.STATUS_ZOMBIE]


@piloted
@pytest.mark.slow
async def test_a_real_probe_is_stopped_at_once_and_leaves_no_process() -> None:
    desk, _ = measuring_desk()
    real(desk)
    before = {one.pid for one in children()}
    async with running(ProbingScreen(), desk=desk) as run:
        await offered(run)
        await run.press("ctrl+s")
        screen = run.screen
        await until(run, lambda: screen.state.current is not None and screen.state.current.ready)
        assert {one.pid for one in children()} - before
        await run.press("escape", "y")
        await until(run, lambda: screen.phase is Screen.DONE)
        assert not {one.pid for one in children()} - before
        last = screen.query_one(DonePane).revision.outcomes[-1]
        assert last.stopped
        assert last.failure is None


@piloted
async def test_quitting_in_a_real_probe_leaves_no_process() -> None:
    desk, _ = measuring_desk()
    real(desk)
    before = {one.pid for one in children()}
    async with running(ProbingScreen(), desk=desk) as run:
        await offered(run)
        await run.press("ctrl+s")
        await until(run, lambda: bool({one.pid for one in children()} - before))
        await run.pilot.press("ctrl+q")
    end = time.monotonic() + PATIENCE
    while {one.pid for one in children()} - before and time.monotonic() < end:
        await asyncio.sleep(0.05)
    assert not {one.pid for one in children()} - before
