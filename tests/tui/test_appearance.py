"""The colours of the wizard: every text can be read in both themes, and the one that was chosen is there again."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from pathlib import Path

import pytest
from rich.color import Color
from textual.screen import ModalScreen

from advisor.tui import theme
from advisor.tui.app import Wizard
from advisor.tui.dialogs.help import HelpScreen
from tests.tui.every_screen import NAMES, shown
from tests.tui.pilots import NARROW, WIDE, piloted, running, settled
from tests.tui.stand_in import StandIn

ENOUGH = 4.5
"""The contrast that WCAG 2.2 asks for (level AA)."""
VAST = (200, 60)


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


@pytest.mark.parametrize("size", [WIDE, VAST], ids=["120x40", "200x60"])
@pytest.mark.parametrize("name", NAMES)
def test_every_text_stands_out_from_what_is_behind_it(name: str, size: tuple[int, int], tmp_path: Path) -> None:
    """In both themes, on live frames too."""

    @piloted
    async def drive() -> None:
        async with shown(name, size, tmp_path) as run:
            for colours in (theme.DARK, theme.LIGHT):
                run.app.theme = colours
                await settled(run.pilot)
                assert sorted(set(faint_texts(run.app))) == [], colours

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
