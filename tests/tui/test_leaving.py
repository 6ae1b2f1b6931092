"""Leaving the wizard: what was said just before is saved, and a fault of the program is no success."""

from __future__ import annotations

import asyncio
import threading
from typing import cast

import pytest
import typer
from textual import events
from textual.containers import Vertical
from textual.widgets import Static
from textual.worker import WorkerFailed

from advisor.cli.wizard.wizard import _on_the_whole_screen
from advisor.session.desk import Desk
from advisor.tui.app import Wizard
from advisor.tui.screens.interview.interview import InterviewScreen
from advisor.tui.screens.start import StartScreen
from tests.tui.pilots import piloted, running
from tests.tui.stand_in import StandIn
from tests.tui.waiting import PATIENCE


def test_an_answer_that_is_followed_at_once_by_leaving_is_saved() -> None:
    @piloted
    async def leave_by(*keys: str, at_once: bool) -> None:
        async with running(InterviewScreen()) as run:
            thinks, goes_on = threading.Event(), threading.Event()
            run.app._thinker.submit(lambda: (thinks.set(), goes_on.wait(PATIENCE)))
            thinks.wait(PATIENCE)
            for key in keys:
                run.app.post_message(events.Key(key, key if len(key) == 1 else None))
                if not at_once:
                    await run.pilot.pause()
            threading.Timer(0.3, goes_on.set).start()
            while not run.app._exit:
                await run.pilot.pause(0.02)
        assert run.desk.interview.progress.said() == {"data.modality": "tabular"}
        assert run.desk.saves[-1].said() == {"data.modality": "tabular"}

    leave_by("1", "ctrl+q", at_once=True)
    leave_by("1", "escape", "escape", at_once=False)


@piloted
async def test_the_help_does_not_keep_anybody_from_leaving() -> None:
    async with running() as run:
        await run.press("f1")
        await run.pilot.press("ctrl+q")
        while not run.app._exit:
            await run.pilot.pause(0.02)


@piloted
async def test_escape_at_the_start_leaves() -> None:
    async with running() as run:
        assert isinstance(run.screen, StartScreen)
        await run.pilot.press("escape")
        while not run.app._exit:
            await run.pilot.pause(0.02)


def test_a_wizard_that_breaks_down_is_no_success(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def break_down(self: Wizard) -> None:
        raise ZeroDivisionError

    run = Wizard.run
    monkeypatch.setattr(Wizard, "run", lambda self: run(self, headless=True))
    monkeypatch.setattr(StartScreen, "on_mount", break_down)
    with pytest.raises(typer.Exit) as ended:
        _on_the_whole_screen(cast("Desk", StandIn()), None)
    assert ended.value.exit_code == 1
    assert "saved" in capsys.readouterr().out


@pytest.mark.parametrize("leaves", [True, False])
def test_only_while_the_wizard_is_being_left_may_something_be_drawn_on_what_is_gone(leaves: bool) -> None:
    @piloted
    async def leave() -> None:
        async with running(InterviewScreen()) as run:

            async def draws() -> None:
                while leaves and not run.app._exit:
                    await asyncio.sleep(0)
                await Vertical().mount(Static())

            worker = run.app.run_worker(draws())
            await asyncio.sleep(0.01)
            if leaves:
                run.app.exit()
            with pytest.raises(WorkerFailed):
                await worker.wait()

    if leaves:
        leave()
    else:
        with pytest.raises(WorkerFailed, match="Can't mount"):
            leave()
