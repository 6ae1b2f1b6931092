"""Pages made from made-up plans, machines and trials, with hostile text wherever somebody else could write; and a reader."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cache
from html.parser import HTMLParser

from advisor.agent.events import ProbeSkipped
from advisor.agent.machines.comparison import compare, side_of
from advisor.facts.verdict import Verdict
from advisor.inference.plan import Plan
from advisor.machine.cards import Gpu
from advisor.machine.profiles.files import find_device
from advisor.probes.conditions import Conditions
from advisor.probes.outcome import Outcome, SettingRecord
from advisor.report.contents import Evidence
from advisor.report.html.machine import machine_html, machines_html
from advisor.report.html.plan_report import comparison_html, plan_html
from advisor.report.html.trying import trying_html
from advisor.report.machine.page import machine_report
from advisor.report.plan.comparison import compare_plans

from ...agent.profiles_made import MACHINE, MEMORY, NETWORK, ONE_THREAD, compared, gauged, profile, samples
from ..small import HOSTILE, hostile_knowledge, knowledge, measured_plan, plan
from ..test_claims import ALL as JUDGED
from ..test_insight import named
from ..test_trying import OUTCOME as TRIED

HOSTILE_MACHINE = replace(MACHINE, cpu_model=HOSTILE, gpus=(Gpu("cuda", HOSTILE),))
VOID = {"meta", "link", "br", "img", "input", "hr"}
APART = {"td", "th", "dt", "dd", "li", "p", "div", "br"}
"""What stands apart from the text before it on the screen"""


def threads(**changed: object) -> Outcome:
    """Four numbers of threads that were timed, two of them in pairs."""
    settings = tuple(SettingRecord(n, duel=samples(rate)) for n, rate in ((1, 100), (2, 180), (4, 200), (8, 190)))
    outcome = compared(before=2, rival=4, verdict=Verdict.OVERTURNED, speed_up=1.11)
    return replace(outcome, settings=settings, **changed)  # type: ignore[arg-type]


def formats(**changed: object) -> Outcome:
    """Two number formats, which have no order."""
    settings = (SettingRecord("fp32", duel=samples(210)), SettingRecord("bf16", duel=samples(88)),
                SettingRecord("fp16", skipped="It took too long."))  # fmt: skip
    outcome = replace(threads(), probe="precision", topic="training.precision", fact="probe.precision.best")
    return replace(outcome, before="fp32", after="fp32", rival="bf16", verdict=Verdict.CONFIRMED, median=2.4, low=2.3,
                   high=2.5, settings=settings, **changed)  # type: ignore[arg-type]  # fmt: skip


RATES = gauged({MEMORY: 2e10, ONE_THREAD: 1e10}, probe="memory")


def evidence() -> Evidence:
    outcomes = (RATES, threads(), formats())
    report = machine_report(profile(outcomes), find_device)
    return Evidence(
        outcomes, (ProbeSkipped("batch", "There was no time left for it.", open=True),), tuple(JUDGED), report
    )


@cache
def report() -> str:
    """A report with everything that one can have."""
    return plan_html(measured_plan(), knowledge(), "2026-01-02", evidence())


@cache
def hostile_pages() -> dict[str, str]:
    """Every page, with hostile text in answers, rules, sources, names of devices, machines, conditions and candidates."""
    known = hostile_knowledge()
    given = {"data.modality": "image", "machine.gpu.count": 1, "machine.gpu.name": HOSTILE}
    made: Plan = plan(known=known, answers=given)
    applies = {**NETWORK, "network": HOSTILE, "machine": HOSTILE_MACHINE.fingerprint}
    outcomes = (
        replace(RATES, applies={"machine": HOSTILE_MACHINE.fingerprint}),
        threads(applies=applies, conditions=Conditions(warnings=(HOSTILE,))),
        formats(applies=applies, failure=HOSTILE),
    )
    kept = profile(outcomes, HOSTILE, HOSTILE_MACHINE, HOSTILE)
    other = profile([compared(applies=applies, rate=80.0, speed_up=1.2)], "other", HOSTILE_MACHINE)
    machine = machine_report(kept, find_device)
    shown = Evidence(outcomes, (ProbeSkipped(HOSTILE, HOSTILE),), tuple(JUDGED), machine)
    final = replace(TRIED.finals[0], name=HOSTILE)
    tried = replace(TRIED, says=HOSTILE, finals=(final, *TRIED.finals), notes=(HOSTILE,), insight=named(HOSTILE),
                    data=replace(TRIED.data, path=f"/data/{HOSTILE}.csv", target=HOSTILE))  # fmt: skip
    return {
        "plan": plan_html(made, known, HOSTILE, shown),
        "machine": machine_html(machine),
        "machines": machines_html(compare(side_of(kept), side_of(other))),
        "comparison": comparison_html(compare_plans(known, HOSTILE, made, HOSTILE, plan(known=known, answers={}))),
        "trying": trying_html(tried, {"network.init": HOSTILE}),
    }


@dataclass
class Element:
    tag: str
    attributes: dict[str, str | None]
    within: tuple[str, ...]
    """The tags around it, the outermost first"""
    text: str = ""


@dataclass
class Reader(HTMLParser):
    """Every element of a page, with its own and all inner text."""

    elements: list[Element] = field(default_factory=list)
    unclosed: list[Element] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in APART:
            self.handle_data(" ")
        element = Element(tag, dict(attrs), tuple(one.tag for one in self.unclosed))
        self.elements.append(element)
        if tag not in VOID:
            self.unclosed.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append(Element(tag, dict(attrs), tuple(one.tag for one in self.unclosed)))

    def handle_endtag(self, tag: str) -> None:
        assert self.unclosed, f"</{tag}> closes nothing"
        assert self.unclosed[-1].tag == tag, f"</{tag}> comes before the end of {self.unclosed[-1]}"
        self.unclosed.pop()

    def handle_data(self, data: str) -> None:
        for element in self.unclosed:
            element.text += data


def read(page: str) -> list[Element]:
    """The elements of a page, all of which must be closed in order."""
    reader = Reader()
    reader.feed(page)
    reader.close()
    assert reader.unclosed == []
    return reader.elements


def section(page: str, name: str) -> str:
    """What stands in the section of this id, its blanks folded."""
    return " ".join(next(e.text for e in read(page) if e.attributes.get("id") == name).split())
