"""HOW: the tree behind a recommendation, down to facts."""

from __future__ import annotations

from advisor.report.page import Look, cells
from advisor.report.plan.explanation_text import how_page

from .small import hostile_knowledge, knowledge, plan


def tree(topic: str, width: int = 100) -> list[str]:
    return how_page(plan(), knowledge(), topic, Look(width)).splitlines()


def test_a_topic_stands_over_its_rules_and_what_they_read() -> None:
    lines = tree("network.type")
    assert lines[0] == "✓ network.type = cnn (convolutional network) (settled)"
    assert any("rule network.type.picture: Pictures repeat their parts. [seed III.D]" in line for line in lines)
    assert any("data.modality = image (stated)" in line for line in lines)
    assert any("Erratum E1" in line for line in lines)


def test_an_assumption_is_told_with_what_it_is_and_where_it_comes_from() -> None:
    lines = tree("compute.threads")
    assert any("cluster.nodes = 1 machine (assumed)" in line for line in lines)
    assert any("machine.cpu.physical_cores = 4 cores (detected)" in line for line in lines)
    assert any("not known, and could change it: " in line for line in lines)


def test_a_topic_that_is_read_is_told_with_its_own_rules() -> None:
    known = knowledge()
    page = how_page(plan(answers={"data.modality": "tabular"}), known, "network.depth", Look(100))
    assert 'it needs network.type != "linear"' in page
    assert "network.type = linear" in page
    assert "rule network.type.rows: Rows do not." in page


def test_it_fits_every_screen_and_holds_no_control_codes() -> None:
    for width in (24, 40, 80):
        for topic in knowledge().topics:
            assert all(cells(line) <= width for line in tree(topic, width))
    hostile = hostile_knowledge()
    assert "\x1b" not in how_page(plan(known=hostile), hostile, "network.type", Look(80))
