"""The wizard in a real browser: a conversation to its report, windows apart from one another, nothing from elsewhere."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

import pyte
import pytest

from tests.browsing import NEEDS_BROWSER, launched
from tests.browsing import PATIENCE as MILLISECONDS
from tests.web.served import PATIENCE, Served, gone

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, WebSocket

BEGIN, FIRST, NEXT = "1 Begin", "What is one example?", "What should come out?"
pytestmark = NEEDS_BROWSER


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with launched() as started:
        yield started


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    with Served(tmp_path) as started:
        yield started


class Window:
    """A page of its own with what it shows, says and asks for. What the terminal draws is read on its way there."""

    def __init__(self, browser: Browser, address: str) -> None:
        self.page: Page = browser.new_page(viewport={"width": 1100, "height": 700})
        self.page.set_default_timeout(MILLISECONDS)
        self.said: list[str] = []
        self.asked: list[str] = []
        self._screen = pyte.Screen(80, 24)
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.on("websocket", self._listen)
        self.page.goto(address)

    def _listen(self, websocket: WebSocket) -> None:
        self.asked.append(websocket.url)
        size = parse_qs(urlsplit(websocket.url).query)
        self._screen = pyte.Screen(int(size["width"][0]), int(size["height"][0]))
        stream = pyte.ByteStream(self._screen)
        websocket.on("framereceived", lambda frame: stream.feed(frame) if isinstance(frame, bytes) else None)

    def text(self) -> str:
        return "\n".join(self._screen.display)

    def sees(self, *texts: str) -> None:
        """Waits until all of these are on the screen at once, wherever lines break: a path may be long."""
        deadline = time.monotonic() + PATIENCE
        while not all(_unbroken(text) in _unbroken(self.text()) for text in texts):
            assert time.monotonic() < deadline, f"{texts} not seen:\n{self.text()}"
            self.page.wait_for_timeout(50)

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)


def _unbroken(text: str) -> str:
    return "".join(text.split())


def test_the_keyboard_alone_leads_to_a_report_that_is_saved_and_downloaded(browser: Browser, served: Served) -> None:
    window = Window(browser, served.address)
    window.sees(BEGIN)
    window.press("Enter")
    window.sees(FIRST, "About")
    window.press("ArrowDown", "Enter")
    window.sees(NEXT)
    window.press("Control+s")
    window.sees("Save what", "report.md")
    with window.page.expect_download() as download:
        window.press("Enter", "Control+s")
    saved = served.folder / "report.md"
    window.sees("✓ Saved", str(saved))
    assert saved.read_text(encoding="utf-8").startswith("# ")
    assert download.value.suggested_filename == "report.md"
    assert Path(download.value.path()).read_bytes() == saved.read_bytes()
    window.press("Escape")
    window.sees(NEXT)
    window.press("Escape")
    window.sees("Go on")
    wizards = served.wizards()
    window.press("Escape")
    window.sees("Leave the conversation?", "is forgotten")
    window.press("y")
    window.page.get_by_role("heading", name="This conversation has ended").wait_for()
    assert gone(wizards)
    with window.page.expect_websocket():
        window.press("Enter")  # begins another one
    window.sees(BEGIN)
    assert len(served.wizards()) == 1
    window.page.close()


def test_nothing_is_asked_of_another_computer_and_nothing_is_complained_of(browser: Browser, served: Served) -> None:
    window = Window(browser, served.address)
    window.sees(BEGIN)
    assert {urlsplit(url).netloc for url in window.asked} == {served.own}
    assert len(window.asked) == 6
    assert [said for said in window.said if not said.startswith("ping=")] == []
    window.page.close()


def test_windows_do_not_see_the_answers_of_one_another(browser: Browser, served: Served) -> None:
    first = Window(browser, served.address)
    first.sees(BEGIN)
    first.press("Enter")
    first.sees(FIRST)
    first.press("2")
    first.sees(NEXT)
    second = Window(browser, served.address)
    second.sees(BEGIN)
    second.press("2")  # `Go on`, where a conversation is saved
    second.press("1")
    second.sees(FIRST)
    second.press("F7")
    second.sees("What is known", "machine.memory_bytes")
    assert "You said" not in second.text()
    first.press("F7")
    first.sees("What is known", "You said", "Image")
    assert len(served.wizards()) == 2
    assert not list((served.folder / "state").rglob("interview*.json")), "a window keeps its answers to itself"
    first.page.close()
    second.page.close()


def test_a_wizard_ends_with_its_tab(browser: Browser, served: Served) -> None:
    stays, goes = Window(browser, served.address), Window(browser, served.address)
    stays.sees(BEGIN)
    goes.sees(BEGIN)
    before = served.wizards()
    goes.page.close()
    while len(after := served.wizards()) > 1:  # pytest ends what never ends
        stays.page.wait_for_timeout(50)
    assert set(after) < set(before)
    stays.press("Enter")
    stays.sees(FIRST)
    stays.page.goto("about:blank")
    assert gone(after)
    stays.page.close()


def test_what_a_window_measures_ends_with_it(browser: Browser, served: Served) -> None:
    window = Window(browser, served.address)
    window.sees(BEGIN)
    window.press("5")
    window.sees("Measure this machine", "Memory")
    window.press("Control+s")
    (wizard,) = served.wizards()
    while not (measures := wizard.children()):  # pytest ends what never begins
        window.page.wait_for_timeout(50)
    window.page.close()
    assert gone([wizard, *measures])


def test_a_wizard_that_breaks_down_is_told_in_the_page(browser: Browser, served: Served) -> None:
    window = Window(browser, served.address)
    window.sees(BEGIN)
    served.wizards()[0].kill()
    window.page.get_by_role("heading", name="This conversation has ended").wait_for()
    window.page.close()


def test_a_page_from_elsewhere_gets_neither_the_page_nor_a_wizard(browser: Browser, served: Served) -> None:
    page = browser.new_page()
    page.route("http://advisor.example/", lambda route: route.fulfill(body="<!DOCTYPE html>", content_type="text/html"))
    page.goto("http://advisor.example/")
    socket = f"new WebSocket('{served.address.replace('http', 'ws', 1)}window')"
    opened = page.evaluate(
        f"new Promise(done => {{ const it = {socket}; it.onopen = () => done(true); it.onerror = () => done(false) }})"
    )
    assert not opened
    assert page.evaluate(f"fetch('{served.address}').then(() => true, () => false)") is False
    frame = f"Object.assign(document.createElement('iframe'), {{src: '{served.address}'}})"
    page.evaluate(f"new Promise(done => {{ const it = {frame}; it.onload = done; document.body.append(it) }})")
    assert page.frames[1].url.startswith("chrome-error:")
    assert served.wizards() == []
    page.close()


def test_the_rules_of_accessibility_pass_while_it_runs_and_when_it_has_ended(browser: Browser, served: Served) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed").Axe()
    window = Window(browser, served.address)
    window.sees(BEGIN)
    for ended in (False, True):
        if ended:
            window.press("Escape")
            window.page.get_by_role("button", name="Begin another one").wait_for()
        found = axe.run(window.page).response["violations"]
        assert [(one["id"], [node["target"] for node in one["nodes"]]) for one in found] == []
    window.page.close()
