"""The first screen after measuring: what changed, what was confirmed, what is left, on one screen."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest

from advisor.agent.agent import Revision
from advisor.agent.events import ProbeSkipped
from advisor.agent.machines.remarks import Again
from advisor.agent.settling.advising import advise_here
from advisor.facts.fact_base import FactBase, Source
from advisor.facts.verdict import Verdict
from advisor.inference.plan import Plan
from advisor.knowledge.loader import load
from advisor.probes.outcome import Outcome, SettingRecord
from advisor.report.found.brief import Asked, measured_brief
from advisor.report.page import SCREEN, Look, cells
from advisor.resources import rules_folder

from .test_measured import tried, workers

LEFT = (ProbeSkipped("layout", "No time was left: about 10 s.", True), ProbeSkipped("smt", "Every core has one."))


@pytest.fixture(scope="module")
def plan() -> Plan:
    answers = {"task.kind": "classify", "task.outputs": 10, "data.modality": "image", "data.inputs": 64}
    return advise_here(load(rules_folder()), FactBase.of({**answers, "data.examples": 1797}, Source.ASKED), None)


def screen(
    plan: Plan,
    *outcomes: Outcome,
    width: int = 80,
    arguments: str = "--answers my.yaml",
    left: tuple[ProbeSkipped, ...] = LEFT,
    only: tuple[str, ...] = (),
    saved: str = "",
    usual: bool = False,
) -> str:
    asked = Asked(arguments, Again(f"{arguments} --save lab", complete=True), only, saved, usual)
    return measured_brief(Revision(plan, plan, outcomes, left), Look(width), asked)


def threads(verdict: Verdict, **changed: object) -> Outcome:
    named = {"probe": "threads", "topic": "compute.threads", "fact": "probe.threads.best", "before": 2, "rival": 1}
    return workers(verdict, **{**named, "after": None if verdict is Verdict.UNDECIDED else 2, **changed})


def line_of(text: str, title: str) -> str:
    return " ".join(next(line for line in text.splitlines() if line.startswith(title)).split())


def columns_of(text: str, title: str) -> list[str]:
    """The cells of a row, below the words at its head: what, before, measured, after."""
    lines = text.splitlines()
    head = next(line for line in lines if line.startswith("what"))
    starts = [0, *(head.index(word) for word in ("before", "measured", "after")), None]
    at = next(number for number, line in enumerate(lines) if line.startswith(title))
    end = next(
        (n for n in range(at + 1, len(lines)) if lines[n][:1].strip() or not lines[n].startswith(" " * 20)), len(lines)
    )
    cells_ = [[line[first:last].strip() for line in lines[at:end]] for first, last in pairwise(starts)]
    return [" ".join(filter(None, cell)) for cell in cells_]


def test_each_bet_is_a_row_of_what_it_was_what_was_measured_and_what_it_is(plan: Plan) -> None:
    text = screen(plan, workers(Verdict.OVERTURNED), threads(Verdict.CONFIRMED))
    changed = ["Loader processes", "0 processes", "2 processes 1.50 times as fast", "CHANGED to 2 processes"]
    assert columns_of(text, "Loader processes") == changed
    held = ["Processor threads", "2 threads", "1.50 times as fast as 1 thread", "confirmed"]
    assert columns_of(text, "Processor threads") == held
    assert text.index("Loader processes") < text.index("Processor threads")


def test_what_makes_no_difference_is_kept_and_what_was_tried_is_a_difference(plan: Plan) -> None:
    assert columns_of(screen(plan, threads(Verdict.NO_DIFFERENCE)), "Processor")[2:] == ["as fast as 1 thread", "kept"]
    assert columns_of(screen(plan, tried(Verdict.OVERTURNED)), "Hidden units")[2] == "+0.0123 accuracy"


def test_what_failed_says_why_in_one_sentence(plan: Plan) -> None:
    text = screen(plan, threads(Verdict.UNDECIDED, failure="It was ended by SIGKILL. Then more was said.", n=0))
    assert line_of(text, "Processor threads").endswith("failed")
    assert "  ! threads: It was ended by SIGKILL.\n" in text
    assert "Then more" not in text


def test_what_is_left_is_named_with_the_command_that_measures_it(plan: Plan) -> None:
    text = screen(plan, workers(Verdict.CONFIRMED))
    assert "Not reached: layout. Left out: smt, for one reason: Every core has one." in " ".join(text.split())
    assert "  advisor probe --answers my.yaml --save lab --budget 3min" in text
    assert "  advisor starter --answers my.yaml --output project" in text


def test_why_probes_were_left_out_is_said_where_it_is_one_reason_and_else_how_many(plan: Plan) -> None:
    same = [ProbeSkipped(name, "The plan has no network yet.") for name in ("threads", "batch")]
    said = " ".join(screen(plan, left=tuple(same)).split())
    assert "Left out: threads and batch, for one reason: The plan has no network yet." in said
    text = screen(plan, left=(*same, ProbeSkipped("smt", "Every core has one.")))
    assert "3 other probes do not apply to this plan." in text


@pytest.mark.parametrize(
    ("seconds", "command"),
    [
        ({"layout": 10.0}, "advisor probe --only layout --only threads --answers my.yaml --save lab --budget 3min"),
        ({"layout": 400.0}, "advisor probe --only layout --only threads --answers my.yaml --save lab --budget 7min"),
        ({"layout": 400.0, "batch": 9000.0}, "advisor probe --only layout --answers my.yaml --save lab --budget 7min"),
        ({"batch": 9000.0}, "advisor probe --only layout --only threads --answers my.yaml --save lab --budget 151min"),
    ],
)
def test_a_remedy_gives_the_time_that_is_needed(plan: Plan, seconds: dict[str, float], command: str) -> None:
    left = tuple(ProbeSkipped(name, "No time was left.", True, needed) for name, needed in seconds.items())
    assert f"  {command}" in screen(plan, left=left, only=("layout", "threads"))


def test_what_a_day_is_too_short_for_is_not_proposed(plan: Plan) -> None:
    assert "advisor probe" not in screen(plan, left=(ProbeSkipped("batch", "A step takes 2 h.", True, 90_000.0),))


def test_what_failed_for_want_of_time_is_proposed_again_and_what_failed_otherwise_is_not(plan: Plan) -> None:
    failed = threads(Verdict.UNDECIDED, failure="The time was over before 2 was begun.", n=0)
    assert "advisor probe" in screen(plan, replace(failed, late=True), left=())
    assert "advisor probe" not in screen(plan, failed, left=())


def test_of_a_slow_step_only_the_command_says_how_much_time_is_needed(plan: Plan) -> None:
    reason = "A step of 128 examples takes about 0.2 s here: about 13 s are needed."
    text = screen(plan, left=(ProbeSkipped("layout", reason, True, 13.0), ProbeSkipped("batch", "No time.", True, 9.0)))
    assert "A step of 128 examples takes about 0.2 s here. " in f"{' '.join(text.split())} "
    assert "13 s" not in text
    assert "--budget 3min" in text


def test_where_it_was_saved_is_said(plan: Plan) -> None:
    assert "\n  Saved under the name lab.\n" in screen(
        plan, threads(Verdict.CONFIRMED), saved="Saved under the name lab."
    )


def test_a_usual_network_is_nobodys_plan(plan: Plan) -> None:
    text = screen(plan, threads(Verdict.CONFIRMED), usual=True)
    assert "PLAN NOW" not in text
    assert "advisor starter" not in text
    assert "advisor wizard --answers my.yaml" in text


def test_rates_are_shown_where_there_is_no_bet(plan: Plan) -> None:
    rate = {"probe.memory.bytes_per_second": 2}
    memory = threads(Verdict.CONFIRMED, probe="memory", fact="", topic="", gauges=rate, work="byte")
    memory = replace(memory, settings=(SettingRecord(2, duel=(1e-10,) * 9),))
    assert "Memory, all threads  10.0 GB/s" in screen(plan, memory)


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


def test_a_bet_that_was_timed_with_fewer_examples_is_not_called_decided(plan: Plan) -> None:
    applies = {"network": "cnn 64-[8]-10", "batch_size": "8"}
    for verdict in (Verdict.CONFIRMED, Verdict.OVERTURNED):
        text = screen(plan, threads(verdict, applies=applies, bound_by=("batch_size",)))
        assert columns_of(text, "Processor threads")[-1] == "only with 8"
        assert "so the plan does not rest on it" in " ".join(text.split())
