"""Figures: the page's colours, its text as text, ids of their own, the same for the same chart."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from advisor.report.html.drawing import Chart, Mark, Point, Shape, svg
from advisor.report.rates import scale

from .made import read

POINTS = (
    Point("1", 100, 90, 110, 1),
    Point("2", 180, 170, 190, 2, Mark.BEFORE),
    Point("16", 200, 190, 205, 16, Mark.AFTER),
)
CURVE = Chart("threads", "Threads", "More is faster.", Shape.CURVE, POINTS, "steps/s", (), (), across="threads")


def texts(chart: Chart) -> list[str]:
    return [element.text for element in read(svg(chart)) if element.tag == "text"]


@pytest.mark.parametrize("shape", list(Shape))
def test_every_colour_comes_from_the_page(shape: Shape) -> None:
    drawn = svg(replace(CURVE, shape=shape))
    assert not re.findall(r"#[0-9a-f]{6}", drawn)
    assert "var(--figure)" in drawn


def test_it_is_told_to_those_who_do_not_see_it() -> None:
    start = read(svg(CURVE))[0]
    assert start.attributes["role"] == "img"
    named = (start.attributes["aria-labelledby"] or "").split()
    told = {element.attributes.get("id"): element.text for element in read(svg(CURVE))}
    assert [told[name] for name in named] == ["Threads", "More is faster."]


def test_a_curve_has_its_settings_and_its_axes_in_words() -> None:
    assert {"1", "2", "16", "threads", "steps/s"} <= set(texts(CURVE))


def test_ratios_have_one_in_their_middle() -> None:
    chart = replace(CURVE, shape=Shape.RATIOS, points=(Point("a", 1.3, 1.2, 1.4), Point("b", 0.5, 0.4, 0.6)))
    assert {"a", "b", "1×", "0.5×"} <= set(texts(chart))


def test_two_figures_share_no_id() -> None:
    one, other = (re.findall(r' id="([^"]*)"', svg(replace(CURVE, name=name))) for name in ("one", "other"))
    assert one
    assert not set(one) & set(other)
    assert len(one) == len(set(one))


def test_the_same_chart_is_drawn_the_same() -> None:
    assert svg(CURVE) == svg(CURVE)


@pytest.mark.parametrize(
    ("values", "unit", "expected"),
    [
        ([2e10, 5e9], "bytes/s", (1e9, "GB/s")),
        ([3e14], "FLOP/s", (1e12, "TFLOP/s")),
        ([12.0], "bytes/s", (1.0, "B/s")),
        ([1240.0], "steps/s", (1.0, "steps/s")),
    ],
)
def test_an_axis_takes_the_prefix_of_its_largest_value(
    values: list[float], unit: str, expected: tuple[float, str]
) -> None:
    assert scale(max(values), unit) == expected
