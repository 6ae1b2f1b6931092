"""The survey on trial as people and programs read it: by verdict, with figures, safe whatever a claim says."""

from __future__ import annotations

import json
from dataclasses import replace

from advisor.facts.verdict import Verdict
from advisor.inference.plan import Measurement
from advisor.knowledge.claims import Basis, Claim, Reading
from advisor.report.page import Look, Page, cells
from advisor.report.survey.claims import claim_lines, claims_json, claims_markdown, figure_words
from advisor.survey.claim_values import Estimate
from advisor.survey.judged_claims import JudgedFigure, Judgement
from tests.report.small import HOSTILE, hostile_knowledge, knowledge

APPLIES = {"machine": "abc", "network": "ffn 64-10"}
COMPARED = Measurement(
    probe="threads", before=4, rival=2, after=2, verdict=Verdict.OVERTURNED, median=1.31, low=1.22, high=1.4, n=24,
    date="2026-01-02T10:00:00+00:00", applies=APPLIES,
)  # fmt: skip


def claim(text: str = "More threads pay.", basis: Basis = Basis.PROBE, **keys: object) -> Claim:
    return Claim(id="a.claim", text=text, basis=basis, sources=("seed III.F", "arithmetic"), **keys)  # type: ignore[arg-type]


MEASURED = Judgement(
    claim(says="always", erratum=("E1",)), Verdict.OVERTURNED, measured=COMPARED, unit="threads",
    rules={"threads.cores": Verdict.OVERTURNED}, date=COMPARED.date, applies=APPLIES,
)  # fmt: skip
COMPUTED = Judgement(
    claim("Refilling takes a quarter of a second.", Basis.ARITHMETIC, says="0.254 s"),
    Verdict.OVERTURNED,
    "What the document says does not follow from the right numbers.",
    (
        JudgedFigure("8 GB over 31.5 GB/s", "s", Estimate.exactly(8 / 31.5), 0.254, Reading.PRINTED),
        JudgedFigure("8 GB over 15.75 GB/s", "s", Estimate.exactly(8 / 15.75), 0.254, Reading.CORRECTED),
        JudgedFigure("on the link", "bytes/s", Estimate(25e9, 24e9, 26e9), None, Reading.HERE),
    ),
)
FROM_TABLE = Judgement(
    claim("At most three times.", Basis.PUBLISHED),
    Verdict.CONFIRMED,
    figures=(JudgedFigure("most", "times", Estimate.exactly(2.5), None, Reading.PRINTED),),
)
WAITING = [
    Judgement(claim(text, Basis.NEEDS), None, "It needs trials.")
    for text in ("Dropout is slow.", "Small weights are better.")
]
ALL = [FROM_TABLE, MEASURED, *WAITING, COMPUTED]


def text(judgements: list[Judgement], look: Look = Look()) -> str:  # noqa: B008 - immutable
    page = Page(look)
    claim_lines(page, judgements)
    return page.text()


def one_line(shown: str) -> str:
    return " ".join(shown.split())


def test_claims_stand_by_verdict_news_first() -> None:
    shown = text(ALL)
    headings = [line for line in shown.splitlines() if line.partition(" (")[0].isupper()]
    assert headings == ["THE SURVEY ON TRIAL", "OVERTURNED (2)", "CONFIRMED (1)", "NOT JUDGED HERE (2)"]
    assert "5 claims of the seed documents: 2 overturned, 1 confirmed and 2 not judged here." in one_line(shown)


def test_a_measured_claim_shows_what_it_says_what_was_found_and_where() -> None:
    shown = one_line(text([MEASURED]))
    assert "More threads pay. [seed III.F; erratum E1] It says: always." in shown
    assert "2 threads against 4 threads: 1.31 times as fast (95 % interval 1.22 to 1.40, 24 interleaved pairs)" in shown
    assert shown.endswith(
        "(measured here) [1] [1] Measured on this machine on 2026-01-02 with: machine abc, network ffn 64-10."
    )


def test_figures_stand_as_printed_then_corrected_then_here_with_the_interval() -> None:
    shown = one_line(text([COMPUTED]))
    assert "It says: 0.254 s. As printed: 8 GB over 31.5 GB/s: 0.254 s." in shown
    assert "Corrected: 8 GB over 15.75 GB/s: 0.508 s." in shown
    assert "Here: on the link: 25 GB/s (24 GB/s to 26 GB/s)." in shown
    assert "right numbers. (by arithmetic)" in shown
    assert "Measured on" not in shown


def test_an_interval_of_seconds_has_one_unit() -> None:
    figure = JudgedFigure("a step", "s", Estimate(0.9999e-3, 0.869e-3, 1.35e-3), None, Reading.HERE)
    assert figure_words(figure) == "a step: 1 ms (0.869 ms to 1.35 ms)"
    slow = JudgedFigure("a step", "s", Estimate(0.2, 0.09, 0.3), None, Reading.HERE)
    assert figure_words(slow) == "a step: 0.200 s (0.090 s to 0.300 s)"


def test_a_claim_that_a_table_decides_says_so() -> None:
    assert "In the table: most: 2.5 times. (by the published table)" in one_line(text([FROM_TABLE]))


def test_what_is_not_judged_stands_under_its_reason_said_once() -> None:
    shown = text(ALL)
    assert shown.count("It needs trials.") == 1
    tail = shown.partition("It needs trials.")[2]
    assert "- Dropout is slow." in tail
    assert "- Small weights are better." in tail


def test_different_conditions_have_different_numbers() -> None:
    other = replace(MEASURED, applies={"machine": "abc", "network": "cnn 64-10"})
    shown = text([MEASURED, other, MEASURED])
    assert shown.count("Measured on this machine") == 2
    assert "[2] Measured on this machine on 2026-01-02 with: machine abc, network cnn 64-10." in one_line(shown)


def test_without_colour_there_are_no_escapes_and_no_line_is_too_long() -> None:
    for width in (40, 80):
        lines = text(ALL, Look(width=width)).splitlines()
        assert all(cells(line) <= width for line in lines)
        assert not any("\x1b" in line for line in lines)
    assert "\x1b[33m" in text(ALL, Look(colour=True))


def test_nothing_on_trial_is_said() -> None:
    assert "0 claims of the seed documents: none." in text([])


def hostile() -> list[Judgement]:
    figure = JudgedFigure(HOSTILE, HOSTILE, Estimate(1, 0, 2), None, Reading.HERE)
    judgement = Judgement(
        replace(claim(HOSTILE, says=HOSTILE), sources=(f"seed {HOSTILE}",)), Verdict.CONFIRMED, HOSTILE, (figure,),
        measured=replace(COMPARED, before=HOSTILE), date=COMPARED.date, applies={HOSTILE: HOSTILE},
    )  # fmt: skip
    return [judgement, replace(judgement, verdict=None)]


def test_hostile_text_shows_as_text() -> None:
    shown = text(hostile())
    assert not any(character in shown for character in "\x1b\x9b\u202e")
    assert "[bold]x[/bold]" in shown
    written = "\n".join(claims_markdown(hostile(), hostile_knowledge()))
    assert "<script>" not in written
    assert not any(character in written for character in "\x1b\x9b\u202e")
    rows = [line for line in written.splitlines() if line.startswith("|")]
    assert all(line.replace("\\|", "").count("|") == 4 for line in rows)


def test_markdown_has_a_row_for_each_claim_then_sources_and_errata() -> None:
    written = "\n".join(claims_markdown(ALL, knowledge()))
    assert written.startswith("## The survey on trial\n")
    assert [line for line in written.splitlines() if line.startswith("### ")] == [
        "### Overturned (2)",
        "### Confirmed (1)",
        "### Not judged here (2)",
    ]
    assert sum(line.startswith("| ") for line in written.splitlines()) == len(ALL) + 2 * 3
    assert "- seed: Wünsche 2018: A seed document" in written
    assert "- erratum E1: It should read 3 instead of 30." in written


def test_json_keeps_the_order_and_holds_everything() -> None:
    document = json.loads(json.dumps(claims_json(ALL, knowledge()), allow_nan=False))
    assert document["schema"] == "advisor/survey-trial/1"
    assert [one["verdict"] for one in document["survey"]] == [one.verdict or "not_judged" for one in ALL]
    measured, computed = document["survey"][1], document["survey"][4]
    assert measured["errata"] == {"E1": "It should read 3 instead of 30."}
    assert (measured["measured"]["before"], measured["measured"]["rival"]) == (4, 2)
    assert (measured["rules"], measured["applies"]) == ({"threads.cores": "overturned"}, APPLIES)
    assert [figure["reading"] for figure in computed["figures"]] == ["printed", "corrected", "here"]
    assert computed["figures"][2] == {
        "title": "on the link", "value": 25e9, "low": 24e9, "high": 26e9, "unit": "bytes/s", "says": None, "reading": "here",
    }  # fmt: skip
