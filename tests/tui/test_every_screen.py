"""What holds on every screen: letters that jump cover no word, and every pane that can be scrolled is reached."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual import events
from textual.containers import VerticalScroll
from textual.widget import Widget

from advisor.tui.dialogs.help import JumpScreen
from tests.tui.every_screen import NAMES, shown
from tests.tui.pilots import NARROW, piloted, screen_text, settled

VAST = (200, 60)
WINDOWS = ("ask", "palette", "next")
"""They lie over a screen and have few widgets."""


@pytest.mark.parametrize("size", [NARROW, VAST], ids=["80x24", "200x60"])
@pytest.mark.parametrize("name", [name for name in NAMES if name not in WINDOWS])
def test_letters_that_jump_cover_no_word(name: str, size: tuple[int, int], tmp_path: Path) -> None:
    @piloted
    async def drive() -> None:
        async with shown(name, size, tmp_path) as run:
            about, before = run.screen, screen_text(run.app).splitlines()
            await run.press("ctrl+o")
            assert isinstance(run.screen, JumpScreen)
            covered = {}
            for letter, place in run.screen.places.items():
                x, y = place.region.x, place.region.y
                covered[letter] = before[y][x : x + 1]
            assert covered
            assert not [text for text in covered.values() if text.isalnum()], covered
            scrolled = [pane for pane in about.query(VerticalScroll) if seen(pane) and pane.max_scroll_y]
            assert [pane for pane in scrolled if pane.can_focus and pane not in run.screen.places.values()] == []

    drive()


@piloted
async def test_a_burst_of_letters_jumps_once_and_closes_no_screen_beneath(tmp_path: Path) -> None:
    async with shown("plan", VAST, tmp_path) as run:
        about = run.screen
        await run.press("ctrl+o")
        for letter in "aaa":  # all on their way before the first is heard
            run.screen.post_message(events.Key(letter, letter))
        await settled(run.pilot)
        assert run.screen is about
        assert screen_text(run.app).strip()


def seen(widget: Widget) -> bool:
    return bool(widget.region.area) and widget in widget.screen._compositor.visible_widgets


@piloted
async def test_the_reasons_beside_the_plan_are_reached_by_a_letter(tmp_path: Path) -> None:
    async with shown("plan", VAST, tmp_path) as run:
        await run.press("ctrl+o")
        letter = next(key for key, place in run.screen.places.items() if place.id == "reasons")
        await run.press(letter)
        assert run.app.focused is run.screen.query_one("#reasons")
