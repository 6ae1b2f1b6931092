"""The first screen after measuring: what changed, what was confirmed, what is left, on one screen."""

from __future__ import annotations

import pytest

from advisor.agent.agent import Revision
from advisor.agent.events import ProbeSkipped
from advisor.agent.settling.advising import advise_here
from advisor.facts.fact_base import FactBase, Source
from advisor.facts.verdict import Verdict
from advisor.inference.plan import Plan
from advisor.knowledge.loader import load
from advisor.probes.outcome import Outcome
from advisor.report.found.brief import measured_brief
from advisor.report.page import SCREEN, Look, cells
from advisor.resources import rules_folder

from .test_measured import tried, workers

LEFT = (ProbeSkipped("layout", "No time was left: about 10 s.", True), ProbeSkipped("smt", "Every core has one."))


@pytest.fixture(scope="module")
def plan() -> Plan:
    answers = {"task.kind": "classify", "task.outputs": 10, "data.modality": "image", "data.inputs": 64}
    return advise_here(load(rules_folder()), FactBase.of({**answers, "data.examples": 1797}, Source.ASKED), None)


def screen(plan: Plan, *outcomes: Outcome, width: int = 80, arguments: str = "--answers my.yaml") -> str:
    return measured_brief(Revision(plan, plan, outcomes, LEFT), Look(width), arguments)


def threads(verdict: Verdict, **changed: object) -> Outcome:
    named = {"probe": "threads", "topic": "compute.threads", "fact": "probe.threads.best", "before": 2, "rival": 1}
    return workers(verdict, **{**named, "after": None if verdict is Verdict.UNDECIDED else 2, **changed})


def line_of(text: str, title: str) -> str:
    return " ".join(next(line for line in text.splitlines() if line.startswith(title)).split())


def test_each_bet_is_a_line_of_what_it_was_what_it_is_and_by_how_much(plan: Plan) -> None:
    text = screen(plan, workers(Verdict.OVERTURNED), threads(Verdict.CONFIRMED))
    assert line_of(text, "Loader processes") == "Loader processes 0 -> 2 processes 1.50 times as fast CHANGED"
    assert line_of(text, "Processor threads") == "Processor threads 2 threads 1.50 times 1 thread confirmed"
    assert text.index("Loader processes") < text.index("Processor threads")


def test_what_makes_no_difference_is_kept_and_what_was_tried_is_a_difference(plan: Plan) -> None:
    assert line_of(screen(plan, threads(Verdict.NO_DIFFERENCE)), "Processor threads").endswith("same as 1 thread kept")
    assert line_of(screen(plan, tried(Verdict.OVERTURNED)), "Hidden units").endswith("+0.0123 accuracy CHANGED")


def test_what_failed_says_why_in_one_sentence(plan: Plan) -> None:
    text = screen(plan, threads(Verdict.UNDECIDED, failure="It was ended by SIGKILL. Then more was said.", n=0))
    assert line_of(text, "Processor threads").endswith("failed")
    assert "  ! threads: It was ended by SIGKILL.\n" in text
    assert "Then more" not in text


def test_what_is_left_is_named_with_the_command_that_measures_it(plan: Plan) -> None:
    text = screen(plan, workers(Verdict.CONFIRMED))
    assert "Not reached: layout. 1 mean nothing here." in text
    assert "advisor probe --answers my.yaml --budget 3min" in text
    assert "advisor starter --answers my.yaml --output project" in text


@pytest.mark.parametrize("arguments", ["--answers my.yaml", "--set data.modality=image " * 8])
def test_it_fits_on_one_screen(plan: Plan, arguments: str) -> None:
    named = ("threads", "workers", "precision", "layout", "batch", "memory", "peers", "loader", "one", "two", "three")
    outcomes = [workers(Verdict.CONFIRMED, probe=name) for name in named]
    failed = [threads(Verdict.UNDECIDED, probe=f"p{n}", failure=f"Reason {n}. More.", n=0) for n in range(3)]
    text = screen(plan, *outcomes, *failed, arguments=arguments.strip())
    assert sum(max(1, -(-cells(line) // 80)) for line in text.splitlines()) <= SCREEN


def test_nothing_measured_is_said_and_a_narrow_screen_wraps(plan: Plan) -> None:
    text = screen(plan, width=40)
    assert "Nothing was measured." in text
    assert max(cells(line) for line in text.splitlines() if "advisor " not in line) <= 40
