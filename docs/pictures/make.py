"""Makes the pictures of the README and of docs/wizard.md: the wizard as SVG, the report as PNG. `make pictures` runs it.

They show handwritten digits (examples/digits.yaml) and what was measured on a machine that `advisor profiles export --anonymous`
has written down (machine.json), and what was tried on scikit-learn's digits (trial.json, by `--try`): real figures, and the
same wherever they are made. The report needs Debian's
chromium, or one named by CHROMIUM. `python -m docs.pictures.make --look FOLDER` draws every SVG there as PNG, to be looked at.
"""

from __future__ import annotations

import asyncio
import functools
import itertools
import json
import os
import re
import shutil
import sys
import tempfile
import threading
from collections.abc import Callable, Coroutine, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy
from sklearn.datasets import load_digits
from textual.pilot import Pilot
from textual.widgets import Select

from advisor.agent.agent import Revision
from advisor.agent.events import MeasuringListener, ProbeFinished, ProbeStarted
from advisor.agent.settling.glance import Glance
from advisor.agent.settling.scope import scope_of
from advisor.children.stopping import Stop
from advisor.cli.console import warn
from advisor.datasets.dataset import Inspection
from advisor.datasets.inspect import inspect
from advisor.facts.answers import read_answers
from advisor.plain import decode, encode
from advisor.probes.catalogue import probe_named
from advisor.probes.outcome import Outcome
from advisor.probes.protocol import Duel, Message, Phase, Ready, Sample
from advisor.report.html.plan_report import plan_html
from advisor.session.desk import Desk
from advisor.session.evidence import evidence_of
from advisor.session.inputs import Inputs, gather, plan_of
from advisor.session.simulating import Asked
from advisor.session.simulating_plans import PlanSimulation
from advisor.training.ladder.outcome import TrialResults
from advisor.tui import theme
from advisor.tui.app import Wizard
from advisor.tui.screens.interview.interview import InterviewScreen
from advisor.tui.screens.probing.probing import ProbingScreen
from advisor.tui.screens.strategies.strategies import StrategiesScreen
from advisor.tui.screens.topic.topic import TopicScreen
from advisor.tui.screens.trying.trying import TryingScreen
from tests.tui.pilots import settled

HERE = Path(__file__).parent
ANSWERS = Path("examples/digits.yaml")
MACHINE = HERE / "machine.json"
TRIAL, TRIED_SECONDS = HERE / "trial.json", 90.0
DIGITS = "digits.npz"
SEVERAL = {"cluster.stragglers": "yes"}
"""Answers for the picture of strategies."""
SIMULATED_SECONDS = 600.0
SIZES = ((80, 24), (120, 40))
"""Columns and lines."""
THEMES = {"dark": theme.DARK, "light": theme.LIGHT}
RACE = ("precision", "layout", "threads")
"""Probes of the recorded machine that are measured in the picture; the last one is still under way."""
PAIRS_SEEN = 0.6
"""The share of its pairs that is timed already."""
PAGE_WIDTH = 1000
FETCHED_FONTS = re.compile(r"@font-face\s*\{.*?\}", re.DOTALL)
FONT_HERE = "Fira Code, Cascadia Code, Menlo, Consolas, DejaVu Sans Mono"
LEFT_OUT = ("task.multilabel", "project.pretrained_allowed", "data.labelled_fraction")
"""Answers that are not given beforehand: the picture shows what the first moves, and asks for the second."""


Driving = Callable[[Pilot[None], Wizard], Coroutine[Any, Any, None]]


def conversing(inputs: Inputs, left_out: tuple[str, ...] = LEFT_OUT) -> Desk:
    """A conversation in which all but this is said already."""
    desk = Desk(inputs, "advisor wizard --resume")
    vocabulary = inputs.knowledge.vocabulary
    given = read_answers(vocabulary, ANSWERS, inputs.knowledge.topics)
    desk.interview.restore({name: value for name, value in given.items() if name not in left_out}, ())
    return desk


async def start(pilot: Pilot[None], app: Wizard) -> None:
    """The ways to begin, once the machine is known."""
    while app.standing is None:
        await pilot.pause(0.05)
    await settled(pilot)


async def interview(pilot: Pilot[None], app: Wizard) -> None:
    """An answer has just moved the plan: what is new in it, and the next question."""
    await app.push_screen(InterviewScreen())
    await settled(pilot)
    await pilot.press("2")  # no
    await settled(pilot, outlook=True)


async def plan(pilot: Pilot[None], app: Wizard) -> None:
    """The plan with the focus."""
    await interview(pilot, app)
    await pilot.press("f6")
    await settled(pilot)


async def topic(pilot: Pilot[None], app: Wizard) -> None:
    """The reasons of one recommendation."""
    await app.take_stock()
    await app.push_screen(TopicScreen("network.type"))
    await settled(pilot)


async def measuring(pilot: Pilot[None], app: Wizard) -> None:
    """Two bets are settled, and a third is being timed: the measurement of the recorded machine, told once more."""
    await app.take_stock()
    await app.push_screen(screen := ProbingScreen())
    while not screen.offers:
        await pilot.pause(0.05)
    await settled(pilot)
    screen.query_one("#budget", Select).value = 120.0
    await pilot.press("ctrl+s")
    while screen.state.current is None or screen.state.current.step.probe.name != RACE[-1]:
        await pilot.pause(0.05)
    await settled(pilot)
    screen.draw()
    await settled(pilot)


async def won(pilot: Pilot[None], app: Wizard) -> None:
    """The results of trials, as they are read afterwards."""
    app.desk.use_data(replace(digits(), path=DIGITS))
    app.desk.last_tried = decode(TrialResults, json.loads(TRIAL.read_text(encoding="utf-8")), "trial")
    await app.take_stock()
    await app.push_screen(TryingScreen())
    await settled(pilot)


async def strategies(pilot: Pilot[None], app: Wizard) -> None:
    """Strategies that were compared for eight workers."""
    app.desk.last_compared = compared()
    await app.take_stock()
    await app.push_screen(StrategiesScreen())
    await settled(pilot)


@functools.cache
def compared() -> PlanSimulation:
    """The simulations of the picture: the same wherever they are made for eight workers."""
    desk = conversing(gather(machine=str(MACHINE), complain=warn), ())
    for name, text in SEVERAL.items():
        desk.interview.answer(name, text)
    return desk.compare_for_plan(Asked(), SIMULATED_SECONDS, lambda share: None, Stop())


SCREENS: dict[str, Driving] = {
    "start": start, "interview": interview, "plan": plan, "measuring": measuring, "topic": topic, "won": won,
    "strategies": strategies,
}  # fmt: skip


def digits() -> Inspection:
    """Scikit-learn's handwritten digits as a file in the folder of the conversation, looked into."""
    shipped, path = load_digits(), Path(os.environ["ADVISOR_STATE"]) / DIGITS
    numpy.savez(path, x=shipped.images / 16, y=shipped.target)
    return inspect(path)


def record(inputs: Inputs) -> None:
    """Try the plan on the digits, and keep what was found for the picture."""
    desk = conversing(inputs, ())
    desk.use_data(digits())
    found = desk.try_on_data(TRIED_SECONDS, lambda event: None, Stop())
    found = replace(found, data=replace(found.data, path=DIGITS))
    TRIAL.write_text(json.dumps(encode(found), indent=1) + "\n", encoding="utf-8")


class Replay:
    """Tells a measurement that was recorded, in place of one, up to the middle of its last probe."""

    def __init__(self, desk: Desk, outcomes: Sequence[Outcome]) -> None:
        self.desk, self.done = desk, threading.Event()
        recorded = [next(one for one in outcomes if one.probe == name) for name in RACE]
        self.outcomes = [replace(one, applies={**one.applies, "network": self._network()}) for one in recorded]

    def _network(self) -> str:
        """The plan's network: the record is of the same one without normalisation, as docs/wizard.md says."""
        interview = self.desk.interview
        return scope_of(Glance(self.desk.knowledge, interview.facts(), interview.school), self.desk.machine)["network"]

    def __call__(self, seconds: float, only: Sequence[str] | None, listener: MeasuringListener, stop: Stop) -> Revision:
        for outcome in self.outcomes:
            probe = probe_named(outcome.probe)
            listener(ProbeStarted(probe, probe.cost_seconds, seconds, outcome.before))
            for message in told(outcome, 1.0 if outcome is not self.outcomes[-1] else PAIRS_SEEN):
                listener(message)
            if outcome is not self.outcomes[-1]:
                self.desk._count(outcomes=(outcome,))
                listener(ProbeFinished(outcome))
        self.done.wait()
        plan = self.desk.interview.plan()
        return Revision(plan, plan, (), ())


def told(outcome: Outcome, share: float) -> Iterator[Message]:
    """What its child has said, as far as the record has it."""
    yield Ready("", "", 0)
    for record in outcome.settings:
        for number, seconds in enumerate(record.search):
            yield Sample(Phase.SEARCH, record.setting, number, seconds)
    if outcome.rival is not None:
        yield Duel(outcome.rival)
    for record in outcome.settings:
        for number, seconds in enumerate(record.duel[: round(len(record.duel) * share)]):
            yield Sample(Phase.DUEL, record.setting, number, seconds)


async def wizard_picture(inputs: Inputs, name: str, size: tuple[int, int], colours: str) -> str:
    outcomes = inputs.outcomes
    desk = conversing(replace(inputs, outcomes=()), ()) if name == "measuring" else conversing(inputs)
    replay = Replay(desk, outcomes)
    desk.measure = replay  # type: ignore[method-assign]
    app = Wizard(desk)
    app.animation_level = "none"
    async with app.run_test(size=size) as pilot:
        app.theme = colours
        await settled(pilot)
        await SCREENS[name](pilot, app)
        picture = without_fetching(app.export_screenshot(title="advisor"))
        replay.done.set()
    return picture


def without_fetching(svg: str) -> str:
    """The same picture in fonts that are there already: a picture asks nobody for anything."""
    return FETCHED_FONTS.sub("", svg).replace("Fira Code", FONT_HERE)


def chromium() -> str:
    found = os.environ.get("CHROMIUM") or shutil.which("chromium")
    if found is None:
        sys.exit("There is no chromium: apt-get install chromium, or name one by CHROMIUM.")
    return found


def report_picture(page: str, output: Path) -> None:
    """The first page of a report, as a browser shows it."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        shown = browser.new_page(viewport={"width": PAGE_WIDTH, "height": 800}, color_scheme="light")
        shown.set_content(page)
        height = shown.evaluate("document.querySelector('#plan').getBoundingClientRect().top")
        shown.screenshot(path=output, clip={"x": 0, "y": 0, "width": PAGE_WIDTH, "height": height}, full_page=True)
        browser.close()


def look(folder: Path) -> None:
    """Every SVG as PNG, as a browser draws it."""
    from playwright.sync_api import sync_playwright

    folder.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        for picture in sorted(HERE.glob("*.svg")):
            shown = browser.new_page(viewport={"width": 1500, "height": 900})
            shown.set_content(picture.read_text(encoding="utf-8"))
            shown.locator("svg").first.screenshot(path=folder / f"{picture.stem}.png")
            shown.close()
        browser.close()


def main() -> None:
    with tempfile.TemporaryDirectory() as state:
        os.environ["ADVISOR_STATE"] = state  # nothing of the machine that makes the pictures
        if "--try" in sys.argv:
            record(gather(complain=warn))
        inputs = gather(machine=str(MACHINE), complain=warn)
        for name, size, (colours, own) in itertools.product(SCREENS, SIZES, THEMES.items()):
            picture = asyncio.run(wizard_picture(inputs, name, size, own))
            (HERE / f"{name}-{size[0]}x{size[1]}-{colours}.svg").write_text(picture, encoding="utf-8")
        if "--look" in sys.argv:
            look(Path(sys.argv[-1]))
            return
        inputs = gather(ANSWERS, machine=str(MACHINE), complain=warn)
        plan = plan_of(inputs)
        report_picture(plan_html(plan, inputs.knowledge, evidence=evidence_of(inputs, plan)), HERE / "report.png")


if __name__ == "__main__":
    main()
