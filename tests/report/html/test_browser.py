"""The pages in a real browser: no console message, no request beyond the file, accessible in light, dark and on paper."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.browsing import NEEDS_BROWSER, PATIENCE, launched

from .made import hostile_pages, report

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = NEEDS_BROWSER


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with launched() as started:
        yield started


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pages")
    pages = {"report": report(), **hostile_pages()}
    for name, page in pages.items():
        (folder / f"{name}.html").write_text(page, encoding="utf-8")
    return {name: folder / f"{name}.html" for name in pages}


def opened(browser: Browser, file: Path, scheme: str = "light", width: int = 1200) -> tuple[Page, list[str], list[str]]:
    """A page with what it said to the console, and what it asked for."""
    page = browser.new_page(color_scheme=scheme, viewport={"width": width, "height": 900})  # type: ignore[arg-type]
    page.set_default_timeout(PATIENCE)
    said: list[str] = []
    asked: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("dialog", lambda dialog: said.append(dialog.message))
    page.on("request", lambda request: asked.append(request.url))
    page.goto(file.as_uri())
    return page, said, asked


def test_nothing_is_said_and_nothing_asked_for(browser: Browser, files: dict[str, Path]) -> None:
    for file in files.values():
        page, said, asked = opened(browser, file)
        assert said == []
        assert asked == [file.as_uri()]
        page.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_rules_of_accessibility_pass(browser: Browser, files: dict[str, Path], scheme: str) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed").Axe()
    rules = None if scheme == "light" else {"runOnly": ["color-contrast"]}  # nothing else depends on the scheme
    for name, file in files.items():
        if name == "plan":  # made of the same parts as the report, which has more
            continue
        page, _, _ = opened(browser, file, scheme)
        page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
        found = axe.run(page, options=rules).response["violations"]
        assert [(name, one["id"], [node["target"] for node in one["nodes"]]) for one in found] == []
        page.close()


def test_dark_is_dark_and_paper_is_light(browser: Browser, files: dict[str, Path]) -> None:
    page, _, _ = opened(browser, files["report"], "dark")
    assert brightness(page) < 60
    page.emulate_media(media="print")
    assert brightness(page) > 240
    assert page.evaluate("document.querySelector('.chart details table').checkVisibility()"), "tables are printed"
    page.close()


def brightness(page: Page) -> float:
    """Of the ground, 0 to 255."""
    return float(
        page.evaluate("getComputedStyle(document.body).backgroundColor.match(/\\d+/g).reduce((a, b) => a + +b, 0) / 3")
    )


def test_nothing_is_wider_than_a_phone(browser: Browser, files: dict[str, Path]) -> None:
    for name, file in files.items():
        page, _, _ = opened(browser, file, width=360)
        assert page.evaluate("document.documentElement.scrollWidth") <= 360, name
        page.close()


def test_the_skip_link_leads_to_the_content_by_keyboard(browser: Browser, files: dict[str, Path]) -> None:
    page, _, _ = opened(browser, files["report"])
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "content"
    page.close()
