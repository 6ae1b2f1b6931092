"""The report as one HTML file: a first page for a beginner, everything else behind it, readable without its figures."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest

from advisor.inference.plan import ComputedFigure
from advisor.report.html.plan_report import plan_html

from ..small import knowledge, measured_plan, plan
from .made import Element, read, report, section


def tags(page: str, *names: str) -> list[Element]:
    return [element for element in read(page) if element.tag in names]


def test_the_first_page_says_what_to_build_on_what_how_long_and_how_sure() -> None:
    short = section(report(), "short")
    assert "Network convolutional network, widths 64, 10 (settled)" in short
    assert "How sure 5 settled, 1 leaning and 2 open." in short
    assert "✓ settled 5 stays the same whatever the answers that are still missing" in short


def test_the_time_is_told_where_it_is_known() -> None:
    known = {"memory.training": ("bytes", 3e8), "time.epoch": ("s", 120), "time.doubt": ("times", 2)}
    known |= {"time.fewest_passes": ("", 10), "time.most_passes": ("", 100)}
    known |= {"time.shortest": ("s", 848), "time.longest": ("s", 16970)}
    timed = replace(
        plan(),
        figures=tuple(
            ComputedFigure(name, name, unit, value, "1", "Help.", ("book",)) for name, (unit, value) in known.items()
        ),
    )
    needs = (
        "Needs 300 MB of memory; 14 min to 4.7 h for 10 to 100 epochs; "
        "one epoch about 2 min (computed from products measured here)."
    )
    assert needs in section(plan_html(timed, knowledge()), "short")


def test_every_recommendation_has_its_reasons_sources_flips_and_lines_to_copy() -> None:
    why = section(report(), "topic-network-type")
    assert "Pictures repeat their parts. Wünsche 2018: A seed document, III.D" in why
    assert "Erratum E1: It should read 3 instead of 30." in why
    assert "data.modality = tabular gives linear" in why
    assert "torch.nn.Dropout(0.1)" in section(report(), "topic-training-regularization")
    depth = section(report(), "topic-network-depth")
    assert "What the survey advised, and why that lost shallow (one layer): One layer is enough." in depth
    assert "It lost to network.depth.new: Depth won." in depth
    assert "Someone 2020: A book, 2 (not verified)" in depth


def test_what_was_measured_is_told_as_before_measured_after() -> None:
    measured = section(report(), "measured")
    assert "Processor threads before: 4 threads → ↻ overturned → after: 2 threads" in measured
    assert (
        "2 threads against 4 threads: 1.31 times as fast (95 % interval 1.22 to 1.40, 24 interleaved pairs)."
        in measured
    )
    assert "The claim of the rule compute.threads.cores is overturned." in measured
    assert "batch, still open: There was no time left for it." in measured


def test_a_plan_without_measurements_has_no_such_section_and_no_figure() -> None:
    page = plan_html(plan(), knowledge())
    assert not {"measured", "survey", "machine"} & {element.attributes.get("id") for element in read(page)}
    assert tags(page, "svg", "figure") == []


def test_the_survey_on_trial_and_the_machine_are_in_it() -> None:
    trial = section(report(), "survey")
    assert "↻ overturned (2)" in trial
    assert "More threads pay." in trial
    assert "erratum E1 It should read 3 instead of 30." in trial
    assert "Memory, all threads 20.0 GB/s [20.0, 20.0]" in section(report(), "machine")


def test_the_same_plan_gives_the_same_page() -> None:
    assert plan_html(measured_plan(), knowledge(), "2026-01-02") == plan_html(
        measured_plan(), knowledge(), "2026-01-02"
    )
    report.cache_clear()
    first = report()
    report.cache_clear()
    assert report() == first


def test_headings_come_in_order_and_landmarks_once() -> None:
    levels = [int(heading.tag[1]) for heading in tags(report(), "h1", "h2", "h3", "h4", "h5")]
    assert levels.count(1) == 1
    assert all(deeper - level <= 1 for level, deeper in pairwise(levels))
    elements = read(report())
    assert elements[0].attributes["lang"] == "en"
    assert [element.tag for element in elements if element.tag in ("main", "nav")] == ["nav", "main"]
    skip = next(element for element in elements if element.tag == "a")
    assert skip.attributes["href"] == "#content"


def test_every_link_leads_to_a_place_that_is_there_and_no_id_comes_twice() -> None:
    elements = read(report())
    ids = [element.attributes["id"] for element in elements if "id" in element.attributes]
    assert len(ids) == len(set(ids))
    links = [element.attributes["href"] or "" for element in elements if element.tag == "a"]
    assert links
    assert {link.removeprefix("#") for link in links} <= set(ids)


def test_behind_every_figure_stands_a_table_with_a_row_for_every_point() -> None:
    figures = tags(report(), "figure")
    assert len(figures) == 4, "the paired ratios, threads, number formats, memory"
    for figure in figures:
        assert "The figures as a table" in figure.text
    assert "4 200 steps/s" in section_of(figures, "Which number of threads")
    assert "holds now" in section_of(figures, "Which number of threads")
    assert "fp16 not timed 0 It took too long." in section_of(figures, "Which number format")


def section_of(figures: list[Element], title: str) -> str:
    return next(" ".join(figure.text.split()) for figure in figures if title in figure.text)


def test_no_status_is_told_by_its_colour_alone() -> None:
    statuses = [
        element for element in tags(report(), "span") if (element.attributes.get("class") or "").startswith("status")
    ]
    assert statuses
    for status in statuses:
        symbol, word = status.text.split(maxsplit=1)
        assert symbol in "✓◆~?"
        assert word in ("settled", "measured", "leaning", "open")


@pytest.mark.parametrize("word", ["network", "threads"])
def test_without_a_glossary_in_the_rule_base_there_is_none_in_the_report(word: str) -> None:
    assert word in report()
    assert 'id="glossary"' not in report()
