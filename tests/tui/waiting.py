"""Waiting for what another thread brings about, and looking at what the screen says."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from advisor.tui.screens.running.run_screen import Phase
from tests.tui.pilots import Running, screen_text, settled

PATIENCE = 120.0
"""Seconds that a busy machine may take; a quiet one takes a fraction of one."""


async def until(run: Running, there: Callable[[], bool]) -> None:
    """Waits for what another thread brings about."""
    end = time.monotonic() + PATIENCE
    while not there():
        assert time.monotonic() < end, f"it never came:\n{screen_text(run.app)}"
        await asyncio.sleep(0.02)
        await settled(run.pilot)


async def shows(run: Running, *texts: str) -> None:
    """Waits until the screen says all of these, wherever the lines of it or of the pane at its right break.

    It is drawn after what it tells of has come.
    """

    def missing() -> list[str]:
        drawn = screen_text(run.app)
        right = "\n".join(line.rpartition("│")[2] for line in drawn.splitlines())
        shown = [" ".join(part.split()) for part in (drawn, right)]
        return [text for text in texts if not any(" ".join(text.split()) in part for part in shown)]

    end = time.monotonic() + PATIENCE
    while lacking := missing():
        assert time.monotonic() < end, f"{lacking} is not in\n{screen_text(run.app)}"
        await asyncio.sleep(0.02)
        await settled(run.pilot)


async def offered(run: Running) -> None:
    await until(run, lambda: bool(run.screen.offers))


async def measured(run: Running) -> None:
    """Begins, and waits for the end."""
    await offered(run)
    await run.press("ctrl+s")
    await until(run, lambda: run.screen.phase is Phase.DONE)
