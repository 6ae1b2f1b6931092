"""What was only simulated, in every form of a report: it says so, and nothing of it is called measured."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from advisor.errors import InputError
from advisor.facts.fact_base import Known, Source
from advisor.facts.verdict import Verdict
from advisor.inference.advise import advise
from advisor.inference.plan import Plan, Status
from advisor.probes.outcome import Outcome
from advisor.report.changes import by_whom, difference, sentence
from advisor.report.contents import Evidence
from advisor.report.html.plan_report import plan_html
from advisor.report.page import Look
from advisor.report.plan.brief import brief_of, brief_page
from advisor.report.plan.comparison import compare_plans
from advisor.report.plan.explanation import explain
from advisor.report.plan.explanation_text import explanation_page
from advisor.report.plan.json_plan import plan_text, read_plan
from advisor.report.plan.markdown import report_text
from advisor.report.plan.text import plan_page
from advisor.report.words import STATUS_MEANS, status_counts

from .small import MEASURED, SIMULATED, facts, knowledge, measured_plan, plan, simulated_plan
from .test_plan_schema import problems

FOUND = "2 threads against 4 threads: 1.31 times as fast (95 % interval 1.22 to 1.40, 5 pairs of simulations)."
OF_A_FACT = replace(SIMULATED, fact="probe.threads.best")
"""Settings that are no values of the topic at which they are shown."""


def one_line(text: str) -> str:
    return " ".join(text.split())


def both() -> Plan:
    """One recommendation measured, another simulated."""
    entry = simulated_plan(OF_A_FACT, "storage", "local_ssd").recommendations["storage"]
    made = measured_plan()
    return replace(made, recommendations={**made.recommendations, "storage": entry})


def test_the_plan_as_text_has_a_mark_a_word_and_the_change_of_its_own() -> None:
    text = one_line(plan_page(simulated_plan(), knowledge(), Look()))
    assert "◇ simulated Processor threads: 2 threads" in text
    assert f"Simulated: 4 threads → 2 threads, overturned. {FOUND}" in text
    assert f"◇ 1 simulated: {STATUS_MEANS[Status.SIMULATED]}" in text
    assert "Measured:" not in text
    assert "o simulated Processor threads" in one_line(plan_page(simulated_plan(), knowledge(), Look(unicode=False)))


def test_statuses_are_counted_by_their_word() -> None:
    assert "1 simulated" in status_counts(simulated_plan())


def test_the_first_screen_and_the_head_of_a_report_tell_them_apart() -> None:
    brief = brief_of(both(), knowledge())
    assert [said.partition(":")[0] for said in brief.measured] == ["Processor threads"]
    assert brief.simulated == ("Storage: 4 threads -> 2 threads, overturned: 1.31 (1.22 to 1.40)",)
    screen = one_line(brief_page(brief, Look()))
    assert "measured Processor threads" in screen
    assert "simulated Storage" in screen


def test_markdown_has_a_section_for_each() -> None:
    text = report_text(both(), knowledge())
    measured, simulated = text.index("## Before and after measuring"), text.index("## Before and after simulating")
    part = text[simulated : text.index("## The plan")]
    assert measured < simulated
    assert "| Storage | 4 threads | 1.31 (1.22 to 1.40) | 5 | 2 threads | overturned |" in part
    assert "Simulated for" in part
    assert not re.search(r"[Mm]easured", part)


def test_an_explanation_says_what_simulated_it_and_for_which_workers() -> None:
    made = simulated_plan()
    text = one_line(explanation_page(explain(made, knowledge(), "compute.threads"), made, knowledge(), Look()))
    assert "Simulated: 4 threads → 2 threads, overturned." in text
    assert "by `advisor simulate` on 2026-11-21" in text
    assert "simulated for: nodes 64, worker a card" in text
    assert "rule compute.threads.cores: confirmed" in text


def test_html_has_a_section_for_each() -> None:
    page = plan_html(both(), knowledge())
    measured, simulated = page.index('<section id="measured"'), page.index('<section id="simulated"')
    part = page[simulated : page.index("</section>", simulated)]
    assert measured < simulated
    assert "What was simulated" in part
    assert FOUND in part
    assert '<a href="#simulated">Simulated</a>' in page
    assert "<strong>Simulated:</strong> 2 threads against" in page
    assert 'class="status simulated"' in page


def test_no_figure_of_measured_ratios_has_a_simulation() -> None:
    outcome = Outcome(
        "simulate", "storage", "probe.threads.best", before=4, verdict=Verdict.OVERTURNED, after=2, rival=2, median=1.3,
        low=1.2, high=1.4, n=5, date="2026-11-21",
    )  # fmt: skip
    page = plan_html(simulated_plan(OF_A_FACT, "storage", "local_ssd"), knowledge(), evidence=Evidence((outcome,)))
    assert "How much faster one setting was" not in page
    assert page.count(FOUND) == 2  # in its section, and at its topic


@pytest.mark.parametrize("made", [simulated_plan(), both()])
def test_a_saved_plan_reads_back_as_it_was_and_keeps_to_its_schema(made: Plan, tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    path.write_text(plan_text(made), encoding="utf-8")
    read = read_plan(path, knowledge())
    assert read.to_json() == made.to_json()
    assert plan_page(read, knowledge(), Look()) == plan_page(made, knowledge(), Look())
    assert problems(json.loads(plan_text(made))) == []


def test_json_says_what_a_comparison_rests_on() -> None:
    document: dict[str, Any] = json.loads(plan_text(both()))
    basis = {
        name: entry["measured"]["basis"] for name, entry in document["recommendations"].items() if entry["measured"]
    }
    assert basis == {"compute.threads": "measured", "storage": "simulated"}
    assert document["recommendations"]["storage"]["measured"]["fact"] == "probe.threads.best"


def test_settings_of_a_fact_that_nobody_knows_are_left_out(tmp_path: Path) -> None:
    document = json.loads(plan_text(simulated_plan(OF_A_FACT, "storage", "local_ssd")))
    document["recommendations"]["storage"]["measured"]["fact"] = "sim.of_next_year"
    path = tmp_path / "plan.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    assert read_plan(path, knowledge()).recommendations["storage"].measured is None


def test_a_setting_that_is_no_value_of_its_fact_is_a_problem(tmp_path: Path) -> None:
    document = json.loads(plan_text(simulated_plan(OF_A_FACT, "storage", "local_ssd")))
    document["recommendations"]["storage"]["measured"]["after"] = "many"
    path = tmp_path / "plan.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(InputError, match="cannot be used"):
        read_plan(path, knowledge())


def elsewhere() -> Plan:
    base = facts().with_known("probe.threads.best", Known(2, Source.SIMULATED, {"nodes": "8"}, note="advisor simulate"))
    return advise(knowledge(), base.in_scope({"nodes": "64"}))


def test_a_simulation_of_other_workers_is_shown_and_does_not_count(tmp_path: Path) -> None:
    made = elsewhere()
    said = one_line(plan_page(made, knowledge(), Look()))
    assert "Simulated under other conditions, so it does not count here: probe.threads.best = 2 threads" in said
    assert "What differs: nodes 8 then, 64 now." in said
    assert "Measured under other conditions" not in said
    document = json.loads(plan_text(made))
    assert document["evidence"] == [
        {"fact": "probe.threads.best", "value": 2, "source": "simulated", "applies": {"nodes": "8"}}
    ]
    assert problems(document) == []
    path = tmp_path / "plan.json"
    path.write_text(plan_text(made), encoding="utf-8")
    assert read_plan(path, knowledge()).to_json()["evidence"] == document["evidence"]


def test_evidence_of_earlier_versions_was_measured(tmp_path: Path) -> None:
    document = json.loads(plan_text(elsewhere()))
    del document["evidence"][0]["source"]
    path = tmp_path / "plan.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    ((_, known),) = read_plan(path, knowledge()).evidence
    assert known.source is Source.MEASURED


def test_a_comparison_of_plans_tells_a_simulated_advice_from_a_settled_one() -> None:
    compared = compare_plans(knowledge(), "before", plan(), "after", simulated_plan(value=4))
    (difference,) = [one for one in compared.topics if one.name == "compute.threads"]
    assert (difference.a.value, difference.b.value) == (4, 4)
    assert difference.b.words.endswith(", simulated")


@pytest.mark.parametrize(
    ("probe", "n", "pairs"),
    [("simulate", 1, "1 pair of simulations"), ("sync", 3, "3 pairs of runs"), ("threads", 24, "24 interleaved pairs")],
)
def test_pairs_are_called_what_they_are(probe: str, n: int, pairs: str) -> None:
    assert pairs in sentence(replace(MEASURED, probe=probe, n=n), "threads")


def test_a_single_simulation_has_no_interval() -> None:
    once = replace(SIMULATED, n=1, low=1.31, high=1.31)
    assert sentence(once, "threads") == "2 threads against 4 threads: 1.31 times as fast (1 pair of simulations)."
    assert difference(once) == "1.31"


def test_experiments_have_names() -> None:
    assert [by_whom(name) for name in ("simulate", "sync", "trial.network", "threads")] == [
        "`advisor simulate`",
        "`advisor sync`",
        "`advisor try`",
        "the probe threads",
    ]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"verdict": Verdict.CONFIRMED, "before": 16, "rival": 1, "after": 16, "median": 5.33, "low": 5.2, "high": 5.4},
         "with 16 workers 5.3 times the examples/s of one (5.2 to 5.4); with fewer it is slower"),
        ({"verdict": Verdict.OVERTURNED, "before": 64, "rival": 16, "after": 16, "median": 3.9, "low": 3.9, "high": 3.9},
         "16 workers as fast as 64: more of them gain under 5 %, and each gets 3.9 times as much done"),
        ({"verdict": Verdict.UNDECIDED, "before": 16, "rival": 8, "after": 16, "median": 1.04, "low": 1.01, "high": 1.07},
         "with 16 workers 1.04 times the examples/s of 8 (1.01 to 1.07), which is within the noise"),
    ],
    ids=["all pay", "fewer are as fast", "within the noise"],
)  # fmt: skip
def test_how_many_workers_pay_is_said_in_words_on_the_first_screen(changes: dict[str, Any], said: str) -> None:
    made = simulated_plan(replace(SIMULATED, fact="sim.workers.best", **changes), "storage", "local_ssd")
    assert brief_of(made, knowledge()).simulated == (f"Storage: {said}",)
