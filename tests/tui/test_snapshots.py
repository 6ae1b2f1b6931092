"""What the screens of the core look like, as characters; `REWRITE=1` takes what they look like now as the truth."""

from __future__ import annotations

import pytest

from advisor.tui.screens.interview.interview import InterviewScreen
from tests.tui.pilots import NARROW, WIDE, piloted, running, settled, snapshot


@pytest.mark.parametrize("size", [NARROW, WIDE], ids=["80x24", "120x40"])
def test_the_start(size: tuple[int, int]) -> None:
    @piloted
    async def drive() -> None:
        async with running(size=size) as run:
            snapshot(run.app, f"start-{size[0]}x{size[1]}")

    drive()


@pytest.mark.parametrize("size", [NARROW, WIDE], ids=["80x24", "120x40"])
def test_the_interview_after_an_answer_has_moved_the_plan(size: tuple[int, int]) -> None:
    @piloted
    async def drive() -> None:
        async with running(InterviewScreen(), size=size) as run:
            await settled(run.pilot, outlook=True)  # so that the number of questions left has something to fall from
            await run.press("1")
            await settled(run.pilot, outlook=True)
            snapshot(run.app, f"interview-{size[0]}x{size[1]}")

    drive()
