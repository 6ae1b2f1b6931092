"""The colours of the wizard: every text can be read in both themes, and the one that was chosen is there again."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from rich.color import Color
from textual.screen import ModalScreen, Screen

from advisor.tui import theme
from advisor.tui.app import Wizard
from advisor.tui.dialogs.ask import Ask
from advisor.tui.dialogs.help import HelpScreen
from advisor.tui.screens.export import ExportScreen
from advisor.tui.screens.glossary import GlossaryScreen
from advisor.tui.screens.interview.interview import InterviewScreen
from advisor.tui.screens.known_facts import FactsScreen
from advisor.tui.screens.probing.probing import ProbingScreen
from advisor.tui.screens.topic.topic import TopicScreen
from advisor.tui.screens.what_if.what_if import WhatIfScreen
from tests.tui.pilots import NARROW, WIDE, piloted, running, settled
from tests.tui.stand_in import StandIn

ENOUGH = 4.5
"""The contrast that WCAG 2.2 asks for (level AA)."""
VAST = (200, 60)
SCREENS: dict[str, tuple[Callable[[], Screen[Any]], tuple[str, ...]]] = {
    "interview": (InterviewScreen, ()),
    "number": (InterviewScreen, ("1", "u", "2")),
    "why": (InterviewScreen, ("1", "w")),
    "plan": (InterviewScreen, ("1", "p")),
    "topic": (lambda: TopicScreen("training.loss"), ("e",)),
    "what_if": (lambda: WhatIfScreen("data.modality", "text"), ()),
    "supposed": (lambda: WhatIfScreen("data.modality"), ()),
    "glossary": (GlossaryScreen, ()),
    "facts": (FactsScreen, ()),
    "export": (ExportScreen, ()),
    "probes": (ProbingScreen, ()),
    "ask": (lambda: Ask("Replace it?", "It exists."), ()),
    "palette": (InterviewScreen, ("ctrl+p",)),
}


def luminance(colour: Color) -> float:
    parts = [part / 255 for part in colour.get_truecolor()]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: Color, other: Color) -> float:
    """The ratio of WCAG: from 1 to 21."""
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def is_read(text: str) -> bool:
    """Whether there are letters, digits or signs in it: frames, bars and blocks are no text."""
    return any(unicodedata.category(letter)[0] in "LNPS" and not 0x2500 <= ord(letter) <= 0x25FF for letter in text)


def faint_texts(app: Wizard) -> Iterator[str]:
    """The texts without enough contrast on the screen, or in the window over it: what lies beneath one is to be faint."""
    strips = app.screen._compositor.render_strips()
    if isinstance(app.screen, ModalScreen):
        place = app.screen.children[0].region
        strips = [strip.crop(place.x, place.right) for strip in strips[place.y : place.bottom]]
    for strip in strips:
        for segment in strip:
            style = segment.style
            if not is_read(segment.text) or style is None:
                continue
            assert style.color is not None
            assert style.bgcolor is not None
            found = contrast(style.color, style.bgcolor)
            if found < ENOUGH or style.dim:
                yield f"{segment.text.strip()!r} {style.color.name} on {style.bgcolor.name}: {found:.2f}"


def test_contrast_is_computed_as_wcag_has_it() -> None:
    black, white, grey = Color.parse("#000000"), Color.parse("#ffffff"), Color.parse("#777777")
    assert contrast(black, white) == pytest.approx(21)
    assert contrast(white, grey) == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("name", [theme.DARK, theme.LIGHT])
@pytest.mark.parametrize("shown", SCREENS)
def test_every_text_stands_out_from_what_is_behind_it(shown: str, name: str) -> None:
    make, keys = SCREENS[shown]

    @piloted
    async def drive() -> None:
        async with running(InterviewScreen(), size=VAST if shown == "plan" else WIDE, desk=StandIn()) as run:
            run.app.theme = name
            await run.app.push_screen(make())
            await settled(run.pilot)
            await run.press(*keys)
            assert sorted(set(faint_texts(run.app))) == []

    drive()


@pytest.mark.parametrize("name", [theme.DARK, theme.LIGHT])
def test_the_start_and_the_help_can_be_read(name: str) -> None:
    @piloted
    async def drive() -> None:
        async with running(size=NARROW) as run:
            run.app.theme = name
            await settled(run.pilot)
            assert sorted(set(faint_texts(run.app))) == []
            await run.press("f1")
            assert isinstance(run.screen, HelpScreen)
            assert sorted(set(faint_texts(run.app))) == []

    drive()


@piloted
async def test_the_theme_that_was_chosen_is_there_in_the_next_run() -> None:
    async with running() as run:
        assert run.app.theme == theme.DARK
        await run.press("ctrl+t")
        assert run.app.theme == theme.LIGHT
    assert Wizard(StandIn()).theme == theme.LIGHT
    async with running() as run:
        await run.press("ctrl+t")
    assert Wizard(StandIn()).theme == theme.DARK


def test_what_cannot_be_read_of_an_earlier_choice_is_no_reason_to_stop() -> None:
    theme.remember(theme.LIGHT)
    (theme.state_folder() / "appearance.json").write_text("[1, 2]")
    assert theme.remembered() == theme.DARK
    (theme.state_folder() / "appearance.json").write_text("{no json")
    assert theme.remembered() == theme.DARK
