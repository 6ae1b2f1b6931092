"""Comparisons, device profiles and the glossary."""

from __future__ import annotations

from pathlib import Path

import pytest

from advisor.errors import InputError
from advisor.machine.profiles.files import load_device
from advisor.report.machine.devices import device_json, device_page, devices_page, quantity
from advisor.report.page import Look, cells
from advisor.report.plan.comparison import Comparison, compare_plans, comparison_page
from advisor.report.rules.glossary import find_term, glossary_page, whole_glossary

from .small import knowledge, plan

PROFILE = """
name: a-card
title: A Card [24 GB]
kind: gpu
backend: cuda
aliases: [Maker A Card]
note: Sold in two sizes.
sources: {sheet: The maker's sheet, memory: from memory}
figures:
  memory_bytes: {value: 24e9, unit: bytes, verified: true, source: sheet, bound: at_most, note: shared}
  watts: {value: 350, unit: W, verified: false, source: memory}
peak_flops:
  bf16: {value: 142e12, unit: FLOP/s, verified: false, source: memory}
"""


def compared(**b: object) -> Comparison:
    return compare_plans(knowledge(), "a.yaml", plan(), "b.yaml", plan(answers=b))


def test_only_what_differs_is_compared() -> None:
    comparison = compared(**{"data.modality": "tabular"})
    assert [d.name for d in comparison.facts] == ["data.modality"]
    assert [d.name for d in comparison.topics] == ["network.type", "network.depth", "training.regularization"]
    assert comparison.same == len(knowledge().topics) - 3


def test_a_fact_known_to_one_side_only_is_a_difference() -> None:
    comparison = compared(**{"data.modality": "image", "data.bytes": 5})
    assert [(d.name, d.a.words, d.b.words) for d in comparison.facts] == [("data.bytes", "unknown", "5 B (stated)")]
    assert [(d.name, d.a.kind, d.b.kind) for d in comparison.topics] == [("cost", "open", "settled")]


def test_the_same_plans_are_said_to_be_the_same() -> None:
    page = comparison_page(compared(**{"data.modality": "image"}), Look())
    assert "All facts are the same." in page
    assert "The plans are the same." in page


def test_side_by_side_where_there_is_room_and_one_below_the_other_where_not() -> None:
    comparison = compared(**{"data.modality": "tabular"})
    wide, narrow = (comparison_page(comparison, Look(width)).splitlines() for width in (80, 40))
    assert any("cnn" in line and "linear" in line for line in wide)
    assert "  A: cnn (convolutional network)," in narrow
    assert all(cells(line) <= 40 for line in narrow)
    assert all(cells(line) <= 80 for line in wide)


def test_a_comparison_as_json_has_both_sides() -> None:
    document = compared(**{"data.modality": "tabular"}).to_json()
    assert document["schema"] == "advisor/comparison/1"
    assert document["facts"][0] == {
        "fact": "data.modality",
        "a": {"value": "image", "source": "asked"},
        "b": {"value": "tabular", "source": "asked"},
    }
    assert document["topics"][0]["a"]["status"] == "settled"


@pytest.fixture
def profile(tmp_path: Path) -> Path:
    path = tmp_path / "a-card.yaml"
    path.write_text(PROFILE)
    return path


def test_a_device_shows_figures_units_and_whether_they_were_checked(profile: Path) -> None:
    page = device_page(load_device(profile), Look())
    assert "A Card [24 GB] (a-card)" in page
    assert "- Memory: at most 24 GB, shared, verified [1]" in page
    assert "- Power: 350 W, not verified [2]" in page
    assert "- Peak, bf16, dense: 142 TFLOP/s, not verified [2]" in page
    assert "[1] The maker's sheet" in page
    assert "Maker A Card" in page


def test_a_device_as_json_has_canonical_units(profile: Path) -> None:
    figures = device_json(load_device(profile))["figures"]
    assert figures["memory_bytes"] == {
        "value": 24e9,
        "unit": "bytes",
        "verified": True,
        "bound": "at_most",
        "source": "The maker's sheet",
        "note": "shared",
    }
    assert set(figures) == {"memory_bytes", "watts", "peak_flops.bf16"}


def test_a_list_of_devices_has_a_line_for_each(profile: Path) -> None:
    assert devices_page([load_device(profile)], Look()).startswith("a-card  A Card [24 GB]\n")


@pytest.mark.parametrize(
    ("value", "unit", "words"),
    [
        (3350e9, "bytes/s", "3.35 TB/s"),
        (16e9, "bytes", "16 GB"),
        (1979e12, "FLOP/s", "1.98 PFLOP/s"),
        (500, "bytes", "500 B"),
        (8.6, "version", "8.6"),
        (4, "generation", "4"),
        (12, "cores", "12 cores"),
    ],
)
def test_quantities_are_scaled_for_people(value: float, unit: str, words: str) -> None:
    assert quantity(value, unit) == words


def test_the_whole_glossary_has_every_fact_and_topic() -> None:
    page = glossary_page(whole_glossary(knowledge()), Look())
    assert all(f"{name}: " in page for name in [*knowledge().vocabulary.facts, *knowledge().topics])
    assert "FACTS: What it learns from" in page


def test_a_fact_is_described_with_question_help_unit_range_and_choices() -> None:
    page = glossary_page(find_term(knowledge(), "machine.cpu.physical_cores"), Look())
    assert "machine.cpu.physical_cores: How many cores?" in page
    assert "integer in cores, from 1 to 1e+18" in page
    assert "Count them." in page
    assert "- image: a picture" in glossary_page(find_term(knowledge(), "data.modality"), Look())


@pytest.mark.parametrize(
    ("term", "facts", "topics"),
    [
        ("data.bytes", ["data.bytes"], []),
        ("machine.gpu", ["machine.gpu.count", "machine.gpu.name"], []),
        ("Processor Threads", [], ["compute.threads"]),
        ("cnn", [], ["network.type"]),
        ("Convolutional network", [], ["network.type"]),
        ("network", [], ["network.type", "network.depth", "network.hidden_units"]),
        ("modality", ["data.modality"], []),
    ],
)
def test_a_term_finds_facts_topics_and_values(term: str, facts: list[str], topics: list[str]) -> None:
    found = find_term(knowledge(), term)
    assert [fact.name for fact in found.facts] == facts
    assert [topic.name for topic in found.topics] == topics


def test_a_value_says_what_it_is_a_value_of() -> None:
    assert "cnn is a value of network.type." in glossary_page(find_term(knowledge(), "cnn"), Look())


@pytest.mark.parametrize(("term", "remedy"), [("modalty", "Did you mean"), ("", "lists everything"), ("[b]", "lists")])
def test_what_nothing_is_called_gets_the_nearest_name(term: str, remedy: str) -> None:
    with pytest.raises(InputError, match="Nothing is called that") as caught:
        find_term(knowledge(), term)
    assert remedy in caught.value.problems[0].remedy


@pytest.mark.parametrize("width", [24, 40, 60, 80, 200])
def test_the_glossary_fits_every_screen(width: int) -> None:
    lines = glossary_page(whole_glossary(knowledge()), Look(width)).splitlines()
    assert all(cells(line) <= width for line in lines)
