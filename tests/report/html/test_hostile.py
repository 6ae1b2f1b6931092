"""Whatever data, rule packs and devices hold, a page shows as text; and no page loads anything."""

from __future__ import annotations

import re

import pytest

from advisor.report.html.drawing import Chart, Point, Shape, svg
from advisor.wording import printable

from ..small import HOSTILE
from .made import hostile_pages, read, report

PAGES = ["plan", "machine", "machines", "comparison", "trying"]
KNOWN_TAGS = {
    *(
        "html",
        "head",
        "meta",
        "link",
        "title",
        "style",
        "body",
        "header",
        "nav",
        "main",
        "footer",
        "section",
        "article",
    ),
    *(
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "p",
        "div",
        "a",
        "ul",
        "ol",
        "li",
        "dl",
        "dt",
        "dd",
        "span",
        "strong",
        "code",
        "pre",
        "br",
    ),
    *("table", "caption", "thead", "tbody", "tr", "th", "td", "details", "summary", "figure", "figcaption"),
    *("svg", "desc", "g", "defs", "path", "use", "text", "clippath", "rect"),
}
SHOWN = " ".join(printable(HOSTILE).split())


@pytest.mark.parametrize("name", PAGES)
def test_hostile_text_shows_as_text(name: str) -> None:
    elements = read(hostile_pages()[name])
    assert SHOWN in " ".join(elements[0].text.split())
    assert {element.tag for element in elements} <= KNOWN_TAGS


@pytest.mark.parametrize("name", PAGES)
def test_no_control_character_comes_through(name: str) -> None:
    page = hostile_pages()[name]
    assert page == printable(page)


@pytest.mark.parametrize("name", PAGES)
def test_no_page_loads_anything_or_runs_a_script(name: str) -> None:
    page = hostile_pages()[name]
    for element in read(page):
        assert not [attribute for attribute in element.attributes if attribute.startswith("on")]
        for attribute in ("src", "srcset", "data", "action", "poster"):
            assert attribute not in element.attributes
        for attribute in ("href", "xlink:href"):
            target = element.attributes.get(attribute, "#")
            assert target is not None
            assert target.startswith("#") or target == "data:,"
    (style,) = [element.text for element in read(page) if element.tag == "style"]
    assert "@import" not in style
    assert "url(" not in style
    assert all(found.startswith("url(#") for found in re.findall(r"url\([^)]*\)", page))


def test_a_policy_forbids_whatever_slipped_through() -> None:
    policies = [e.attributes["content"] for e in read(report()) if "http-equiv" in e.attributes]
    assert policies == ["default-src 'none'; style-src 'unsafe-inline'; img-src data:"]


@pytest.mark.parametrize(
    "label", ["$x_2$", "</text><script>", 'a" onload="x', "#010203", "fill: #010203", "日本語", HOSTILE]
)
def test_a_label_of_a_figure_is_drawn_as_it_is(label: str) -> None:
    chart = Chart("one", label, label, Shape.DOTS, (Point(label, 2, 1, 3), Point("b", 1, 1, 1)), label, (), ())
    elements = read(svg(chart))
    assert {element.tag for element in elements} <= KNOWN_TAGS
    assert next(element.text for element in elements if element.tag == "title") == printable(label)
    drawn = [element.text for element in elements if element.tag == "text"]
    assert printable(label).replace("\n", " ")[:25] in " ".join(drawn).replace("\n", " ")
