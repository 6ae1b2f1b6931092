"""The report to carry away: complete, pure, and plain text whatever the data hold."""

from __future__ import annotations

import html
import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from advisor.facts.verdict import Verdict
from advisor.inference.plan import Plan
from advisor.knowledge.model import School
from advisor.report.markup import code, code_block, plain, table
from advisor.report.plan.markdown import report_text
from advisor.wording import printable

from .small import HOSTILE, MEASURED, hostile_knowledge, knowledge, measured_plan, plan

SPECIAL = "ab1 .)(-+=#*_`~|[]<>&\\!$\n\t:/@^{}\"'"
TEXTS = st.text(min_size=1, max_size=80) | st.text(SPECIAL, min_size=1, max_size=30)
RENDER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])


def report(made: Plan | None = None, date: str = "2026-01-02") -> str:
    return report_text(made or plan(), knowledge(), date)


def section(text: str, title: str) -> str:
    return text.partition(f"## {title}\n")[2].partition("\n## ")[0]


def test_it_begins_with_what_a_beginner_can_read() -> None:
    start = report().partition("## ")[0]
    assert start.startswith("# Advice: image\n")
    assert "**Network:** convolutional network, widths 64, 10 (settled)" in start
    assert "**How sure:** 5 settled, 1 leaning and 2 open." in start


def test_without_measurements_there_is_no_table_of_them() -> None:
    assert "measuring" not in report().partition("## The plan")[0]


def test_what_was_measured_stands_before_the_plan_with_interval_scope_and_judged_rules() -> None:
    text = report(measured_plan())
    part = section(text, "Before and after measuring")
    assert text.index("## Before and after measuring") < text.index("## The plan")
    row = "| Processor threads | 4 threads | 1.31 (1.22 to 1.40) | 24 | 2 threads | overturned |"
    assert f"{row} machine abc123, network ffn 64-10, 2026-11-21 |" in part
    assert "The claim of the rule `compute.threads.cores` is overturned. It says: A thread for each core." in part


@pytest.mark.parametrize("verdict", list(Verdict))
def test_every_verdict_is_told_in_words(verdict: Verdict) -> None:
    measured = replace(MEASURED, verdict=verdict, judged={"network.type.picture": verdict.value})
    part = section(report(measured_plan(measured)), "Before and after measuring")
    said = {
        Verdict.CONFIRMED: "is confirmed",
        Verdict.OVERTURNED: "is overturned",
        Verdict.NO_DIFFERENCE: "neither confirmed nor overturned",
        Verdict.UNDECIDED: "is left undecided",
    }
    assert said[verdict] in part
    assert "Erratum E1" in part  # the judged rule has one


def test_each_topic_has_reasons_alternatives_flips_and_actions() -> None:
    part = section(report(), "Why")
    assert "- Pictures repeat their parts. (Wünsche 2018: A seed document, III.D)" in part
    assert "  - **Erratum** E1: It should read 3 instead of 30." in part
    assert "  - ffn (feed-forward network): It has 1 weak argument net" in part
    assert "  - `data.modality` = tabular gives linear" in part
    assert "```text\ntorch.set_num_threads(4)    # keeps its blanks\n```" in part
    assert "not verified" in part


def test_a_note_that_quotes_a_rule_carries_its_erratum() -> None:
    depth = section(report(), "Why").partition("### Depth")[2].partition("### ")[0]
    assert "network.depth.old" in depth
    assert "**Erratum** E1" in depth


def test_it_ends_with_facts_questions_errata_sources_and_versions() -> None:
    text = report()
    assert "| machine.cpu.physical_cores | 4 cores | detected |" in section(text, "Facts")
    assert "- `data.bytes`: How large is it?" in section(text, "Still open")
    assert "`advisor probe --only threads` could settle Processor threads" in section(text, "Still open")
    assert "- E1: It should read 3 instead of 30." in section(text, "Errata to the survey's sources")
    assert "- `seed`: Wünsche 2018: A seed document (III.D; III.F)" in section(text, "Sources")
    assert "- date: 2026-01-02" in section(text, "Versions")


def test_silent_and_meaningless_topics_are_named() -> None:
    text = report(plan(School.SURVEY, answers={"data.modality": "tabular"}))
    assert "Not applicable here: Depth." in text
    assert "This school is silent on: Storage, Cost." in text


def test_it_is_a_pure_function_and_the_date_can_be_left_out() -> None:
    assert report() == report()
    assert "date:" not in report(date="")


def rendered_text(markdown: str) -> str:
    """What a reader sees: the HTML without its tags."""
    return html.unescape(re.sub(r"<[^>]*>", "", RENDER.render(markdown)))


@given(TEXTS)
def test_any_text_is_shown_as_itself_in_a_list(text: str) -> None:
    shown = rendered_text(f"- {plain(text)}\n")
    assert " ".join(shown.split()) == " ".join(printable(text).split())


@given(TEXTS)
def test_any_text_is_shown_as_itself_in_a_table(text: str) -> None:
    rendered = RENDER.render("\n".join(table(["a", "b"], [(text, "end")])))
    cells = re.findall(r"<td>(.*?)</td>", rendered, re.DOTALL)
    assert len(cells) == 2
    assert " ".join(html.unescape(cells[0]).split()) == " ".join(printable(text).split())


@given(TEXTS)
def test_any_text_is_shown_as_itself_as_code(text: str) -> None:
    line = " ".join(printable(text).split())
    rendered = RENDER.render(f"- x {code(text)}\n")
    assert [html.unescape(found) for found in re.findall(r"<code>(.*?)</code>", rendered)] == ([line] if line else [])


@given(st.lists(st.text(max_size=60), min_size=1, max_size=4))
def test_a_code_block_holds_all_of_its_lines(lines: list[str]) -> None:
    (token,) = RENDER.parse("\n".join(code_block(lines)) + "\n")
    wanted = [printable(line).replace("\n", " ").rstrip() for line in lines]
    assert token.type == "fence"
    assert [line.rstrip() for line in token.content.split("\n")[:-1]] == wanted


def test_hostile_text_makes_no_tag_link_image_or_extra_cell() -> None:
    known = hostile_knowledge()
    made = plan(
        known=known, answers={"data.modality": "image", "machine.gpu.count": 1, "machine.gpu.name": HOSTILE[:190]}
    )
    measured = replace(MEASURED, applies={HOSTILE: HOSTILE}, date=HOSTILE)
    entry = replace(made.recommendations["compute.threads"], measured=measured)
    made = replace(made, recommendations={**made.recommendations, "compute.threads": entry})
    text = report_text(made, known, HOSTILE)
    rendered = RENDER.render(text)
    assert not {"\x1b", "\x9b", "\u202e"} & set(text)
    assert not re.search(r"<(script|a|img|b|em)\b", rendered)
    assert "alert(1)" in rendered
    for row in re.findall(r"<tr>(.*?)</tr>", rendered, re.DOTALL):
        assert len(re.findall("<t[dh]>", row)) in (3, 7)
