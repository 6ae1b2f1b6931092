"""Makes the pictures of the README: the wizard as SVG, the report as PNG. From the top of the repository: `make pictures`.

Both show handwritten digits (examples/digits.yaml) and what was measured on a machine that `advisor profiles export --anonymous`
has written down (machine.json), so that they show real figures, and the same wherever they are made. The report needs Debian's
chromium, or one named by CHROMIUM.
"""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import sys
import tempfile
from pathlib import Path

from advisor.cli.console import warn
from advisor.facts.answers import read_answers
from advisor.report.html.plan_report import plan_html
from advisor.session.desk import Desk
from advisor.session.evidence import evidence_of
from advisor.session.inputs import Inputs, gather, plan_of
from advisor.tui.app import Wizard
from advisor.tui.screens.interview.interview import InterviewScreen
from tests.tui.pilots import settled

HERE = Path(__file__).parent
ANSWERS = Path("examples/digits.yaml")
MACHINE = HERE / "machine.json"
TERMINAL = (120, 37)
"""Columns and lines."""
PAGE_WIDTH = 1000
FETCHED_FONTS = re.compile(r"@font-face\s*\{.*?\}", re.DOTALL)
FONT_HERE = "Fira Code, Cascadia Code, Menlo, Consolas, DejaVu Sans Mono"
LEFT_OUT = ("task.multilabel", "project.pretrained_allowed", "data.labelled_fraction")
"""Answers that are not given beforehand: the picture shows what the first moves, and asks for the second."""


async def wizard_picture(inputs: Inputs) -> str:
    """An answer has just moved the plan: what is new in it, the next question, and why it is asked."""
    desk = Desk(inputs, "advisor wizard --resume")
    vocabulary = inputs.knowledge.vocabulary
    given = read_answers(vocabulary, ANSWERS, inputs.knowledge.topics)
    desk.interview.restore({name: value for name, value in given.items() if name not in LEFT_OUT}, ())
    app = Wizard(desk)
    async with app.run_test(size=TERMINAL) as pilot:
        await settled(pilot)
        await app.push_screen(InterviewScreen())
        await settled(pilot)
        for key in ("2", "f2"):  # no; why is the next one asked?
            await pilot.press(key)
            await settled(pilot, outlook=True)
        return without_fetching(app.export_screenshot(title="advisor wizard"))


def without_fetching(svg: str) -> str:
    """The same picture in fonts that are there already: a picture asks nobody for anything."""
    return FETCHED_FONTS.sub("", svg).replace("Fira Code", FONT_HERE)


def report_picture(page: str, output: Path) -> None:
    """The first page of a report, as a browser shows it."""
    from playwright.sync_api import sync_playwright

    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium")
    if chromium is None:
        sys.exit("There is no chromium: apt-get install chromium, or name one by CHROMIUM.")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        shown = browser.new_page(viewport={"width": PAGE_WIDTH, "height": 800}, color_scheme="light")
        shown.set_content(page)
        height = shown.evaluate("document.querySelector('#plan').getBoundingClientRect().top")
        shown.screenshot(path=output, clip={"x": 0, "y": 0, "width": PAGE_WIDTH, "height": height}, full_page=True)
        browser.close()


def main() -> None:
    with tempfile.TemporaryDirectory() as state:
        os.environ["ADVISOR_STATE"] = state  # nothing of the machine that makes the pictures
        (HERE / "wizard.svg").write_text(
            asyncio.run(wizard_picture(gather(machine=str(MACHINE), complain=warn))), encoding="utf-8"
        )
        inputs = gather(ANSWERS, machine=str(MACHINE), complain=warn)
        plan = plan_of(inputs)
        report_picture(plan_html(plan, inputs.knowledge, evidence=evidence_of(inputs, plan)), HERE / "report.png")


if __name__ == "__main__":
    main()
