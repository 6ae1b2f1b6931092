"""Driving the wizard in tests: through Textual's pilot, without a terminal."""

from __future__ import annotations

import asyncio
import functools
import os
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from textual.events import Click
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widgets import DirectoryTree

from advisor.tui.app import Wizard
from tests.tui.stand_in import StandIn

SNAPSHOTS = Path(__file__).parent / "snapshots"
NARROW, WIDE = (80, 24), (120, 40)
PATIENCE = 60.0
"""Seconds after which a test is given up; nothing is timed by it."""
CALM = 3
LOOK = 0.01
"""Looks, so many seconds apart, in which nothing has moved."""
TURNS = 20
"""Turns of the loop before each look: a process that gets no processor finds seconds gone by in which nothing was done."""


@dataclass(frozen=True)
class Running:
    """A wizard that runs, and what drives it."""

    pilot: Pilot[None]
    app: Wizard
    desk: StandIn

    async def press(self, *keys: str) -> None:
        """Presses keys one after the other, each when everything before has been worked out."""
        for key in keys:
            await self.pilot.press(key)
            await settled(self.pilot)

    async def write(self, text: str) -> None:
        """Writes into what has the focus, then Enter."""
        await self.pilot.press(*("space" if letter == " " else letter for letter in text), "enter")
        await settled(self.pilot)

    async def click(self, selector: Any, **where: Any) -> None:
        await self.pilot.click(selector, **where)
        await settled(self.pilot)

    async def double_click(self, column: int, row: int) -> None:
        """Clicks, and again at the same place once the first click has done its work, as soon as a person can."""
        await self.click(None, offset=(column, row))
        of = {"x": column, "y": row, "screen_x": column, "screen_y": row, "delta_x": 0, "delta_y": 0}
        keys = {"button": 1, "shift": False, "meta": False, "ctrl": False}
        self.app.screen._forward_event(
            Click(self.app.screen, **of, **keys, chain=2)
        )  # the pilot cannot wait in between
        await settled(self.pilot)

    @property
    def screen(self) -> Any:
        return self.app.screen


def piloted(test: Callable[..., Awaitable[None]]) -> Callable[..., None]:
    """A test that is a coroutine."""

    @functools.wraps(test)
    def run(*args: Any, **named: Any) -> None:
        asyncio.run(test(*args, **named))  # type: ignore[arg-type]

    return run


@asynccontextmanager
async def running(
    screen: Screen[Any] | None = None,
    *,
    size: tuple[int, int] = NARROW,
    desk: StandIn | None = None,
    messages: bool = False,
) -> AsyncIterator[Running]:
    """The wizard on a screen of this size, with `screen` (and where the conversation stands) on top if one is named.

    `messages` are shown only where a test is about them, since they lie over everything else.
    """
    desk = desk or StandIn()
    app = Wizard(desk)
    app.animation_level = "none"
    async with app.run_test(size=size, notifications=messages) as pilot:
        if screen is None:
            while app.standing is None:  # the start screen looks around once it has been painted
                await pilot.pause(0.02)
        else:
            await settled(pilot)
            await app.take_stock()
            await app.push_screen(screen)
        await settled(pilot)
        yield Running(pilot, app, desk)


async def settled(pilot: Pilot[None], *, outlook: bool = False) -> None:
    """Waits until steps are worked out and shown; with `outlook` also for how many questions are left.

    Textual's own pause takes a process that gets no processor for an idle one, and asks every widget. So nothing counts as
    settled before every coroutine is found waiting at the same place again and again.
    """
    app = pilot.app
    assert isinstance(app, Wizard)
    calm, before, end = 0, None, time.monotonic() + PATIENCE
    while calm < CALM:
        assert time.monotonic() < end, f"it never comes to rest:\n{screen_text(app)}"
        await asyncio.sleep(LOOK)
        for _ in range(TURNS):
            await asyncio.sleep(0)
        await app.think(lambda: None)
        now = _where_all_wait()
        calm = calm + 1 if now == before and not _reads_folders(app) else 0
        before = now
    await pilot.pause(0)
    if outlook:
        while app.outlook is None:
            await pilot.pause(0.05)
        await settled(pilot)  # it is drawn after it is known


def _where_all_wait() -> frozenset[tuple[int, str, int]]:
    """Every task but this one, and where in its innermost coroutine it waits."""
    others = asyncio.all_tasks() - {asyncio.current_task()}
    return frozenset((id(task), *_innermost(task.get_coro())) for task in others)


def _innermost(coroutine: Any) -> tuple[str, int]:
    place = "", 0
    while getattr(coroutine, "cr_frame", None) is not None:
        place = coroutine.cr_code.co_qualname, coroutine.cr_frame.f_lasti
        coroutine = coroutine.cr_await
    return place


def _reads_folders(app: Wizard) -> bool:
    """Whether a tree of files is being read, which is done in threads."""
    return any(
        isinstance(worker.node, DirectoryTree) and worker._thread_worker and worker.is_running for worker in app.workers
    )


def screen_text(app: Wizard) -> str:
    """What is on the screen, as lines of characters."""
    strips = app.screen._compositor.render_strips()
    return "\n".join("".join(segment.text for segment in strip).rstrip() for strip in strips) + "\n"


def snapshot(app: Wizard, name: str) -> None:
    """What is on the screen is what it was; REWRITE=1 takes it as the new truth."""
    path, shown = SNAPSHOTS / f"{name}.txt", screen_text(app)
    if os.environ.get("REWRITE"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(shown, encoding="utf-8")
    assert shown.splitlines() == path.read_text(encoding="utf-8").splitlines()
