"""What a measurement found, on the terminal and in the report."""

from __future__ import annotations

from pathlib import Path

import pytest

from advisor.agent.agent import Revision
from advisor.agent.events import ProbeSkipped
from advisor.agent.settling.advising import advise_here
from advisor.facts.fact_base import FactBase, Source
from advisor.facts.verdict import Verdict
from advisor.inference.plan import Plan, Status
from advisor.knowledge.loader import load
from advisor.probes.outcome import Outcome, SettingRecord
from advisor.probes.rates import MATMUL
from advisor.probes.settings.loading import WORKERS
from advisor.report.changes import quantity, sentence
from advisor.report.found.measured import measured_markdown, measured_page
from advisor.report.page import Look
from advisor.report.plan.json_plan import plan_text, read_plan
from advisor.report.plan.markdown import report_text
from advisor.report.plan.text import plan_page
from advisor.resources import rules_folder


@pytest.fixture(scope="module")
def plan() -> Plan:
    answers = {"task.kind": "classify", "task.outputs": 10, "data.modality": "image", "data.inputs": 64}
    return advise_here(load(rules_folder()), FactBase.of(answers, Source.ASKED), None)


def workers(verdict: Verdict, **changed: object) -> Outcome:
    fields: dict[str, object] = {
        "probe": "workers", "topic": WORKERS.topic, "fact": WORKERS.fact, "before": 0, "verdict": verdict, "rival": 2,
        "after": {Verdict.OVERTURNED: 2, Verdict.UNDECIDED: None}.get(verdict, 0), "median": 1.5, "low": 1.4, "high": 1.6,
        "n": 12, "applies": {"network": "cnn 64-[8]-10"},
    }  # fmt: skip
    return Outcome(**fields | changed)  # type: ignore[arg-type]


def rates() -> Outcome:
    settings = (SettingRecord("fp32", duel=(1e-11,) * 9), SettingRecord("bf16", duel=(5e-12,) * 9))
    return Outcome(
        "matmul", "", "", before="fp32", verdict=Verdict.OVERTURNED, after="bf16", rival="bf16", median=2.0, low=1.9, high=2.1,
        n=9, settings=settings, work="FLOP", gauges=MATMUL.gauges, bound_by=MATMUL.bound_by,
    )  # fmt: skip


def page(plan: Plan, *outcomes: Outcome, skipped: tuple[ProbeSkipped, ...] = ()) -> str:
    return " ".join(measured_page(Revision(plan, plan, outcomes, skipped), Look(width=100)).split())


def test_a_probe_without_a_recommendation_of_its_own_has_its_before_and_after(plan: Plan) -> None:
    text = page(plan, workers(Verdict.OVERTURNED))
    assert "Loader processes: 0 processes -> overturned -> 2 processes" in text
    assert "1.50 times as fast (95 % interval 1.40 to 1.60, 12 interleaved pairs)" in text
    assert "measured with: network cnn 64-[8]-10" in text


def test_only_the_newest_result_of_a_probe_is_shown(plan: Plan) -> None:
    text = page(plan, workers(Verdict.UNDECIDED), workers(Verdict.CONFIRMED))
    assert "undecided" not in text
    assert "0 processes -> confirmed -> 0 processes" in text


def test_what_failed_says_why_and_changes_nothing(plan: Plan) -> None:
    text = page(plan, workers(Verdict.UNDECIDED, failure="It was ended by SIGKILL.", n=0))
    assert "failed -> 0 processes It was ended by SIGKILL." in text


def test_what_a_second_start_has_shown_is_told(plan: Plan) -> None:
    told = page(plan, workers(Verdict.OVERTURNED, second_start="has shown it too: 1.14 times."))
    assert "A second start has shown it too: 1.14 times." in told
    assert "second start" not in page(plan, workers(Verdict.OVERTURNED))


def test_nothing_measured_is_said(plan: Plan) -> None:
    assert "Nothing was measured." in page(plan)


def test_what_is_open_stands_apart_from_what_is_not_here(plan: Plan) -> None:
    skipped = (
        ProbeSkipped("layout", "No time was left: about 10 s.", True),
        ProbeSkipped("smt", "Every core has one."),
    )
    text = page(plan, workers(Verdict.CONFIRMED), skipped=skipped)
    assert text.index("still open") < text.index("layout: No time was left") < text.index("not measured here")
    assert text.index("not measured here") < text.index("smt: Every core has one.")


def test_the_report_has_bets_rates_and_what_is_open(plan: Plan) -> None:
    revision = Revision(
        plan, plan, (workers(Verdict.NO_DIFFERENCE), rates()), (ProbeSkipped("layout", "No time.", True),)
    )
    text = "\n".join(measured_markdown(revision))
    assert "| Loader processes | 0 processes | no difference that matters | 0 processes |" in text
    assert "| matmul | bf16 | 200 GFLOP/s" in text
    assert "- layout is still open: No time." in text


def test_hostile_text_stays_text(plan: Plan) -> None:
    revision = Revision(plan, plan, (workers(Verdict.UNDECIDED, failure="<b>|x|</b> [red]\x1b[31m", n=0),))
    assert "<b>" not in "\n".join(measured_markdown(revision))
    assert "\x1b" not in measured_page(revision, Look())


# --- what was tried on somebody's data --------------------------------------------------------------------------------


def tried(verdict: Verdict, **changed: object) -> Outcome:
    after = {Verdict.OVERTURNED: "64, 128", Verdict.UNDECIDED: None}.get(verdict, "32, 64")
    fields: dict[str, object] = {
        "probe": "trial.hidden_units", "topic": "network.hidden_units", "fact": "trial.hidden_units", "before": "32, 64",
        "verdict": verdict, "rival": "64, 128", "after": after,
        "median": 0.0123, "low": 0.004, "high": 0.02, "n": 15, "unit": "accuracy",
        "also": {"trial.hidden_units.layers": 2, "trial.hidden_units.first": 64, "trial.hidden_units.second": 128},
        "applies": {"data": "0123456789abcdef", "network_type": "cnn"}, "bound_by": ("data", "network_type"),
    }  # fmt: skip
    return Outcome(**fields | changed)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("outcome", "words"),
    [
        (
            tried(Verdict.OVERTURNED),
            "64, 128 against 32, 64: 0.0123 better in accuracy (95 % interval 0.004 to 0.02, 15 pairs).",
        ),
        (
            tried(Verdict.CONFIRMED),
            "32, 64 against 64, 128: 0.0123 better in accuracy (95 % interval 0.004 to 0.02, 15 pairs).",
        ),
        (
            tried(Verdict.NO_DIFFERENCE, median=-0.001, low=-0.003, high=0.002),
            "64, 128 against 32, 64: 0.001 better in accuracy "
            "(95 % interval -0.002 to 0.003, 15 pairs), which is less than matters.",
        ),
        (
            tried(Verdict.UNDECIDED, unit="balanced_accuracy", n=1),
            "32, 64 against 64, 128: 0.0123 better in balanced accuracy "
            "(95 % interval 0.004 to 0.02, 1 pair), which is not decided.",
        ),
    ],
)
def test_a_difference_of_scores_is_told_as_one(plan: Plan, outcome: Outcome, words: str) -> None:
    assert sentence(outcome) == words
    text = page(plan, outcome)
    assert words in text
    assert "times as" not in text


def test_a_plan_shows_before_measured_and_after_everywhere(tmp_path: Path) -> None:
    knowledge = load(rules_folder())
    answers = {
        "task.kind": "classify", "task.outputs": 10, "data.modality": "image", "data.inputs": 64, "data.examples": 1797,
        "project.pretrained_allowed": False, "data.fingerprint": "0123456789abcdef",
    }  # fmt: skip
    made = advise_here(knowledge, FactBase.of(answers, Source.INSPECTED), None, [tried(Verdict.OVERTURNED)])
    words = "64, 128 units per layer against 32, 64 units per layer: 0.0123 better in accuracy"
    text = " ".join(plan_page(made, knowledge, Look(width=100)).split())
    assert "Measured: 32, 64 units per layer" in text
    assert "overturned" in text
    assert "confirm or overturn Network type, Initial weights, Activation and Optimiser" in text
    markdown = report_text(made, knowledge)
    assert "Ratio or difference (95 % interval)" in markdown
    assert "+0.0123 accuracy (+0.004 to +0.02)" in markdown
    assert words in text
    assert words in markdown
    path = tmp_path / "plan.json"
    path.write_text(plan_text(made))
    again = read_plan(path, knowledge).recommendations["network.hidden_units"]
    assert again.measured == made.recommendations["network.hidden_units"].measured
    assert (again.value, again.status) == ([64, 128], Status.MEASURED)


@pytest.mark.parametrize(
    ("value", "unit", "words"),
    [(1, "processes", "1 process"), (2, "processes", "2 processes"), (1, "threads", "1 thread"), ("bf16", "", "bf16")],
)
def test_one_of_something_is_told_in_the_singular(value: object, unit: str, words: str) -> None:
    assert quantity(value, unit) == words
