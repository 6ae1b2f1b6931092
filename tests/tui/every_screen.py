"""Every screen of the wizard with something on it: what tests of colours and of sizes go through."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from textual.screen import Screen
from textual.widgets import OptionList

from advisor.report.plan.json_plan import plan_text
from advisor.tui.dialogs.ask import Ask
from advisor.tui.screens.data import DataScreen
from advisor.tui.screens.export import ExportScreen
from advisor.tui.screens.glossary import GlossaryScreen
from advisor.tui.screens.interview.interview import InterviewScreen
from advisor.tui.screens.known_facts import FactsScreen
from advisor.tui.screens.probing.probing import ProbingScreen
from advisor.tui.screens.running.run_screen import Phase, RunScreen
from advisor.tui.screens.saved_plan import SavedPlanScreen
from advisor.tui.screens.strategies.strategies import StrategiesScreen, Way
from advisor.tui.screens.topic.topic import TopicScreen
from advisor.tui.screens.trying.trying import TryingScreen
from advisor.tui.screens.what_if.what_if import WhatIfScreen
from tests.tui.measurements_made import measuring_desk
from tests.tui.pilots import Running, running, screen_text, settled
from tests.tui.stand_in import StandIn
from tests.tui.strategies_made import strategies_desk
from tests.tui.test_hostile_text import inspected
from tests.tui.trials_made import trying_desk
from tests.tui.waiting import offered, until

Go = Callable[[Running], Awaitable[None]]
Size = tuple[int, int]


def answered(*keys: str) -> Go:
    async def go(run: Running) -> None:
        await run.press(*keys)

    return go


async def to_data(run: Running) -> None:
    run.screen.look_into(Path(), None)
    while run.screen.inspection is None or run.screen.query_one("#targets", OptionList).disabled:
        await run.pilot.pause(0.02)
    await settled(run.pilot)


async def to_done(run: Running) -> None:
    await run.press("ctrl+s")
    await until(run, lambda: run.screen.phase is Phase.DONE)


async def to_probes(run: Running) -> None:
    await offered(run)


async def to_measuring(run: Running) -> None:
    await offered(run)
    await run.press("ctrl+s")
    await until(run, lambda: "12 so far" in " ".join(screen_text(run.app).split()))


async def to_measured(run: Running) -> None:
    await offered(run)
    await to_done(run)


async def to_trying(run: Running) -> None:
    await run.press("ctrl+s")
    await until(run, lambda: bool(run.screen.state.trainings))
    await settled(run.pilot)


async def to_training(run: Running) -> None:
    await run.press("ctrl+s")
    await until(run, lambda: any(row.runs for row in run.screen.state.rows.values()))
    await settled(run.pilot)


def in_interview(*keys: str) -> tuple[Callable[[], Screen[Any]], Go]:
    return InterviewScreen, answered(*keys)


SCREENS: dict[str, tuple[Callable[[], Screen[Any]], Go]] = {
    "interview": in_interview(),
    "number": in_interview("1", "u", "2"),
    "why": in_interview("1", "w"),
    "plan": in_interview("1", "p"),
    "next": in_interview("1", "n"),
    "topic": (lambda: TopicScreen("training.loss"), answered("e")),
    "what_if": (lambda: WhatIfScreen("data.modality", "text"), answered()),
    "all_topics": (lambda: WhatIfScreen("data.modality", "text"), answered("d")),
    "supposed": (lambda: WhatIfScreen("data.modality"), answered()),
    "which_fact": (WhatIfScreen, answered()),
    "glossary": (GlossaryScreen, answered()),
    "facts": (FactsScreen, answered()),
    "export": (ExportScreen, answered()),
    "ask": (lambda: Ask("Replace it?", "It exists."), answered()),
    "palette": in_interview("ctrl+p"),
    "data": (DataScreen, to_data),
    "probes": (ProbingScreen, to_probes),
    "measuring": (ProbingScreen, to_measuring),
    "measured": (ProbingScreen, to_measured),
    "trials": (TryingScreen, answered()),
    "trying": (TryingScreen, to_trying),
    "tried": (TryingScreen, to_done),
    "strategies": (StrategiesScreen, answered()),
    "training": (lambda: StrategiesScreen(Way.TRAIN), to_training),
    "trained": (lambda: StrategiesScreen(Way.TRAIN), to_done),
    "compared": (StrategiesScreen, to_done),
}
"""By name: what opens it, and what is done there."""
SAVED = "saved"
"""The screen that needs a file."""
NAMES = (*SCREENS, SAVED)


@asynccontextmanager
async def shown(name: str, size: Size, folder: Path) -> AsyncIterator[Running]:
    """The wizard with this screen on top.

    Args:
        folder: for a file that the screen reads.
    """
    desk, let_go = StandIn(found=inspected), None
    if name in ("probes", "measuring", "measured"):
        desk, made = measuring_desk(waits_in=("batch",) if name == "measuring" else ())
        let_go = made.let_go
    elif name in ("trials", "trying", "tried"):
        desk, trials = trying_desk(waits=name == "trying")
        let_go = trials.let_go
    elif name in ("strategies", "training", "trained", "compared"):
        desk = strategies_desk(waits=name == "training")
        let_go = desk.made.let_go
    elif name == "data":
        desk.inspection = inspected(folder, None)
    screen: Screen[Any]
    if name == SAVED:
        path = folder / "plan.json"
        path.write_text(plan_text(desk.interview.plan()), encoding="utf-8")
        screen, go = SavedPlanScreen(path), answered()
    else:
        make, go = SCREENS[name]
        screen = make()
    async with running(screen, size=size, desk=desk) as run:
        try:
            await go(run)
            yield run
        finally:
            if let_go is not None:
                let_go.set()
            if name in ("measuring", "trying", "training"):
                await until(run, lambda: isinstance(screen, RunScreen) and screen.phase is Phase.DONE)
