"""The benchmark of 2016 as people and programs read it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from advisor.facts.fact_base import FactBase, Source
from advisor.facts.verdict import Verdict
from advisor.knowledge.loader import load
from advisor.machine.profiles.published import load_tables
from advisor.networks.benchmark.six import SIX
from advisor.probes.conditions import Conditions
from advisor.probes.outcome import Outcome, SettingRecord
from advisor.probes.probe import Setting
from advisor.report.page import Look, cells
from advisor.report.survey.bench import BenchReport, bench_page
from advisor.report.survey.bench_json import bench_json
from advisor.resources import profiles_folder, rules_folder
from advisor.survey.bench import Measured
from advisor.survey.bench_findings import findings
from tests.report.small import HOSTILE

FCN5, FCN8, ALEXNET, RESNET, LSTM32, LSTM64 = SIX


def outcome(probe: str, times: Mapping[Setting, Sequence[float]], **keys: Any) -> Outcome:
    records = tuple(SettingRecord(one, search=tuple(samples)) for one, samples in times.items())
    found: dict[str, Any] = {
        "probe": probe, "topic": "compute.threads", "fact": f"probe.{probe}.best", "before": 2, "rival": 4, "after": 4,
        "verdict": Verdict.OVERTURNED, "median": 1.3, "low": 1.2, "high": 1.4, "n": 12, "settings": records,
        "date": "2026-01-02T10:00:00+00:00", "work": "example" if probe == "batch" else "step", **keys,
    }  # fmt: skip
    return Outcome(**found)


THREADS = outcome("threads", {1: (0.4, 0.41, 0.42, 0.43), 2: (0.26, 0.27, 0.28), 4: (0.2, 0.21, 0.22)})
BATCHES = outcome(
    "batch", {32: (0.004,) * 4, 64: (0.0033,) * 4}, topic="training.micro_batch", before=64, rival=32, after=64,
    verdict=Verdict.CONFIRMED,
)  # fmt: skip
TOO_LARGE = outcome(
    "threads", {1: (), 2: ()}, rival=None, after=None, verdict=Verdict.UNDECIDED, n=0, median=None, low=None, high=None,
    failure="2, which is recommended, cannot be tried: it does not fit the memory.",
)  # fmt: skip
RESULTS = [
    Measured(FCN5, {"threads": THREADS, "batch": BATCHES}, {"device": "There is no graphics card."}),
    Measured(ALEXNET, {}, {"threads": "No time was left for it.", "batch": "No time was left for it."}),
    Measured(RESNET, {"threads": TOO_LARGE}),
    Measured(LSTM32, first={"threads": {1: 0.5}}),
]


@pytest.fixture(scope="module")
def report() -> BenchReport:
    return report_of(RESULTS)


def report_of(results: Sequence[Measured]) -> BenchReport:
    knowledge = load(rules_folder())
    tables = load_tables(profiles_folder() / "published")
    machine = {"machine.cpu.physical_cores": 2, "machine.cpu.logical_cores": 4, "machine.cpu.usable_cores": 4}
    facts = FactBase.of({**machine, "machine.gpu.count": 0}, Source.DETECTED)
    return BenchReport(
        results, findings(knowledge, facts, results, tables), knowledge, tables[0], "A processor", 2,
        "2026-01-02T10:00:00+00:00", "2.13.0",
    )  # fmt: skip


def page(report: BenchReport, width: int = 80) -> str:
    return bench_page(report, Look(width))


def test_times_stand_beside_the_published_ones(report: BenchReport) -> None:
    lines = page(report).splitlines()
    start = next(number for number, line in enumerate(lines) if line.startswith("threads"))
    assert lines[start].split() == ["threads", "here", "over", "1", "thread", "i7-3820", "2x", "E5-2630", "v3"]
    assert lines[start + 1].split() == ["1", "0.415", "s", "[0.395,", "0.436]", "0.919", "Caffe", "0.769", "Caffe"]
    assert lines[start + 3].split()[-4:] == ["0.48", "Caffe", "0.354", "Caffe"]
    assert lines[start + 5].split() == ["16", "0.287", "Caffe"]


def test_the_comparison_in_pairs_is_told_with_its_interval(report: BenchReport) -> None:
    assert "4 threads against 2 threads: 1.30 times as fast (95 % interval 1.20 to 1.40" in " ".join(
        page(report).split()
    )


def test_weights_batches_and_cards_are_named(report: BenchReport) -> None:
    shown = page(report)
    assert "FCN-5: 55,500,000 weights, batches of 64" in shown
    assert "GTX 1080 0.017 (Caffe)" in shown
    assert "By batch: 32: 250 examples/s; 64: 303 examples/s." in shown


def test_a_doubtful_published_figure_is_marked(report: BenchReport) -> None:
    assert "GTX 1080 0.012 (TensorFlow, doubtful)" in " ".join(page(report).split())


def test_what_was_not_measured_says_why(report: BenchReport) -> None:
    shown = " ".join(page(report).split())
    assert "Batches not measured: No time was left for it." in shown
    assert (
        "Threads not finished: 2, which the others are compared with, cannot be tried: it does not fit the memory."
        in shown
    )
    assert "0.5 s, run once" in shown


def test_doublings_stand_apart_from_threads_beyond_the_cores(report: BenchReport) -> None:
    shown = " ".join(page(report).split())
    assert "Twice as many threads, up to the real cores - FCN-5, 1 to 2: 1.54x" in shown
    assert "More threads than real cores (here 2) - FCN-5, 2 to 4: 1.30x [1.20, 1.40]; published" in shown


def test_claims_are_judged_and_the_errata_about_the_table_told(report: BenchReport) -> None:
    shown = " ".join(page(report).split())
    assert "More threads than there are real cores do not pay." in shown
    assert "overturned: FCN-5" in shown
    assert "E1 The factor of 3 is no GPU figure." in shown
    assert all(f" {key} " in shown for key in ("E2", "E4", "E7"))
    assert "A GTX 1080 is about 100 times as fast as 16 cores. overturned" in shown


@pytest.mark.parametrize("width", [40, 80, 100])
def test_paragraphs_fit_and_tables_fit_eighty_columns(report: BenchReport, width: int) -> None:
    tables = [
        line for line in page(report, width).splitlines() if line.startswith("threads ") or line[:7].strip().isdigit()
    ]
    others = [line for line in page(report, width).splitlines() if line not in tables]
    assert tables
    assert max(map(cells, tables)) <= 80
    assert max(map(cells, others)) <= width


def test_text_from_the_machine_cannot_take_over_the_terminal(report: BenchReport) -> None:
    failed = replace(TOO_LARGE, failure=HOSTILE, conditions=Conditions(warnings=(HOSTILE,)))
    results = [Measured(FCN5, {"threads": failed}, {"batch": HOSTILE})]
    shown = page(replace(report, machine=HOSTILE, results=results))
    assert not any(ord(character) < 32 and character != "\n" for character in shown)


def test_the_document_is_json_with_samples_and_published_rows(report: BenchReport) -> None:
    document = json.loads(json.dumps(bench_json(report), allow_nan=False))
    assert document["schema"] == "advisor/bench/1"
    first = document["networks"][0]
    assert (first["name"], first["batch"], first["parameters"]) == ("fcn5", 64, 55_533_752)
    assert first["network"] == "ffn 26752-[1000,1000,1000]-26752"
    one, two, four = first["threads"]
    assert (one["setting"], one["speed_up"]) == (1, None)
    assert two["seconds"] == {"median": 0.27, "low": 0.26, "high": 0.28, "n": 3, "run_once": False}
    assert four["speed_up"]["median"] == pytest.approx(0.415 / 0.21)
    assert {row["device"] for row in first["published"]} == {"i7-3820", "2x-e5-2630-v3", "gtx-980", "gtx-1080", "k80"}
    assert first["outcomes"][0]["settings"][0]["search"] == [0.4, 0.41, 0.42, 0.43]
    assert {"E1", "E2", "E4", "E7"} == set(document["errata"])
    judged = {one["claim"]: one["networks"] for one in document["findings"]}
    assert judged["threads.beyond-cores"]["fcn5"]["verdict"] == "overturned"


def test_nothing_at_all_makes_a_page_too() -> None:
    empty = report_of([Measured(network) for network in SIX])
    assert "Nothing, since nothing was measured here." in page(empty)
    assert len(bench_json(empty)["networks"]) == 6


def test_a_setting_that_was_never_reached_says_so_and_what_ran_once_is_marked() -> None:
    result = Measured(LSTM32, {"threads": outcome("threads", {})}, first={"threads": {1: 0.5}})
    result.begun["threads"] = (1, 2)
    rows = bench_json(report_of([result]))["networks"][0]["threads"]
    assert rows[0]["setting"] == 1
    assert rows[0]["seconds"]["run_once"] is True
    assert rows[1] == {"setting": 2, "skipped": "its turn did not come."}


def test_where_nothing_was_measured_nothing_of_the_published_table_is_told() -> None:
    shown = page(report_of([Measured(LSTM32, {}, {"threads": "No time was left for it."})]))
    assert "WHAT THE PUBLISHED TABLE" not in shown
    assert shown.rstrip().endswith("Nothing, since nothing was measured here.")
