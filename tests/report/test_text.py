"""The plan on a terminal: everything that a reader has to know, at any width, with or without colour."""

from __future__ import annotations

from dataclasses import replace

import pytest

from advisor.facts.verdict import Verdict
from advisor.inference.plan import Status
from advisor.knowledge.model import School
from advisor.report.page import Look, cells
from advisor.report.plan.text import plan_page

from .small import HOSTILE, MEASURED, facts, hostile_knowledge, knowledge, measured_plan, plan
from .test_page import ANSI


def text(look: Look | None = None, made=None) -> str:  # type: ignore[no-untyped-def]
    return plan_page(made or plan(), knowledge(), look or Look())


def entry_of(page: str, title: str) -> str:
    """The lines of one topic: from its headline to the next."""
    lines = page.splitlines()
    start = next(i for i, line in enumerate(lines) if f"  {title}: " in line)
    rest = lines[start + 1 :]
    end = next((i for i, line in enumerate(rest) if not line.startswith("  ")), len(rest))
    return " ".join(" ".join(lines[start : start + 1 + end]).split())


@pytest.mark.parametrize("width", [24, 40, 60, 80, 200])
def test_no_line_is_wider_than_the_screen(width: int) -> None:
    for made in (plan(), measured_plan(), plan(School.SURVEY)):
        page = plan_page(made, knowledge(), Look(width))
        copied = {line for entry in made.recommendations.values() for line in entry.actions}
        wrapped = [line for line in page.splitlines() if "  advisor " not in line and line[5:] not in copied]
        assert max(map(cells, wrapped)) <= min(width, 100)


@pytest.mark.parametrize("width", [24, 40, 60, 80, 200])
def test_the_same_words_stand_at_every_width(width: int) -> None:
    words = text(Look(200)).split()
    assert text(Look(width)).replace("-", "").split()[:20] == [word.replace("-", "") for word in words][:20]


def test_a_topic_shows_value_in_words_status_reason_and_source() -> None:
    entry = entry_of(text(), "Network type")
    assert entry.startswith("✓ settled Network type: cnn (convolutional network) · network.type")
    assert "Pictures repeat their parts. [seed III.D]" in entry


def test_topics_stand_in_groups_and_unknown_prefixes_in_their_own() -> None:
    headings = [line for line in text().splitlines() if line.isupper()]
    assert headings[:6] == ["NETWORK", "TRAINING", "COMPUTING", "DATA AND MEMORY", "PROJECT", "OTHER"]


def test_a_status_is_a_word_and_not_only_a_colour_or_a_sign() -> None:
    page = text()
    for status in ("settled", "leaning", "open"):
        assert f" {status} " in page


def test_an_erratum_stands_with_its_rule_and_what_is_not_verified_is_marked() -> None:
    page = text()
    assert "Erratum E1: It should read 3 instead of 30." in entry_of(page, "Network type")
    assert "not verified" not in entry_of(page, "Network type")
    assert "not verified" in entry_of(page, "Depth")
    assert "Erratum" not in entry_of(page, "Depth")  # the rule of the survey lost


def test_assumptions_that_could_change_the_advice_stand_with_it() -> None:
    page = text()
    assert "could change with cluster.nodes and measuring" in entry_of(page, "Processor threads")
    assumed = " ".join(page.partition("ASSUMED")[2].split())
    assert assumed.startswith("- cluster.nodes = 1 machine: matters for Processor threads")


def test_a_line_to_do_stands_with_the_advice() -> None:
    assert "do torch.set_num_threads(4)" in entry_of(text(), "Processor threads")


def test_an_open_topic_names_what_it_hangs_on() -> None:
    assert "could change with data.bytes, data.location and 4 more" in entry_of(text(), "Storage")


def test_an_open_topic_that_no_answer_can_decide_does_not_ask_for_one() -> None:
    from advisor.inference.plan import Recommendation

    nothing = Recommendation("storage", "Storage", None, Status.OPEN)
    made = plan()
    made = replace(made, recommendations={**made.recommendations, "storage": nothing})
    assert "Storage: no rule speaks for a value" in text(made=made)


def test_topics_without_advice_are_summed_up_in_a_line_each() -> None:
    made = plan(School.SURVEY, answers={"data.modality": "tabular"})
    page = plan_page(made, knowledge(), Look())
    assert "Silent, this school says nothing about: Storage, Cost." in page
    assert "Not applicable, means nothing here: Depth." in page
    assert "network.depth" not in page


def test_the_first_five_questions_are_asked_and_the_others_counted() -> None:
    page = text()
    assert "STILL WORTH ANSWERING (6)" in page
    assert page.count(": How many examples are there?") == 1
    assert "and 1 more." in page


def test_probes_that_could_settle_something_are_named() -> None:
    assert "- threads: could settle Processor threads" in text()


def test_a_measurement_shows_before_after_verdict_interval_and_number() -> None:
    entry = entry_of(text(made=measured_plan()), "Processor threads")
    assert "Measured: 4 threads → 2 threads, overturned." in entry
    assert "95 % interval 1.22 to 1.40" in entry
    assert "24" in entry


def test_a_measurement_that_changed_nothing_says_so() -> None:
    same = replace(MEASURED, after=4, verdict=Verdict.CONFIRMED)
    assert "Measured: 4 threads, as before, confirmed." in text(made=measured_plan(same))


def test_an_answer_that_contradicts_what_was_detected_is_reported() -> None:
    made = plan(answers={"machine.cpu.physical_cores": 2})
    page = " ".join(plan_page(made, knowledge(), Look()).split())
    assert (
        "machine.cpu.physical_cores: 2 cores (stated) contradicts 4 cores (detected); the plan uses the first." in page
    )


def test_observations_that_an_answer_makes_impossible_are_reported() -> None:
    detected = {"machine.cpu.physical_cores": 4, "machine.cpu.logical_cores": 8}
    made = plan(answers={"machine.cpu.physical_cores": 16}, detected=detected)
    assert "Withdrawn, because your answers describe another machine: machine.cpu.logical_cores" in " ".join(
        plan_page(made, knowledge(), Look()).split()
    )


def test_measurements_from_elsewhere_are_shown_but_not_counted() -> None:
    from advisor.facts.fact_base import Known, Source
    from advisor.inference.advise import advise

    base = facts().with_known("probe.threads.best", Known(2, Source.MEASURED, {"machine": "another"}))
    made = advise(knowledge(), base)
    assert made.value("compute.threads") == 4
    assert "does not count here: probe.threads.best = 2 threads. What differs: machine another then, " in " ".join(
        text(made=made).split()
    )


def test_measurements_from_the_same_conditions_are_told_together_with_what_differs() -> None:
    from advisor.facts.fact_base import Known, Source
    from advisor.inference.advise import advise

    applies = {"machine": "abc", "network": "ffn 64-10"}
    base = facts().with_known(
        "probe.threads.best", Known(2, Source.MEASURED, applies, note="probe threads, 2026-11-21")
    )
    made = advise(knowledge(), base.in_scope({"machine": "abc", "network": "cnn 64-10"}))
    said = " ".join(text(made=made).split())
    assert "probe.threads.best = 2 threads (probe threads, 2026-11-21)" in said
    assert "What differs: network ffn 64-10 then, cnn 64-10 now." in said


def test_what_is_worth_measuring_is_measured_on_the_machine_that_the_plan_is_for() -> None:
    assert "To time the alternatives here" in text()
    planned = plan(answers={"machine.cpu.physical_cores": 16}, detected={"machine.cpu.physical_cores": 4})
    for made in (planned, plan(answers={"machine.cpu.physical_cores": 16}, detected={})):
        said = " ".join(text(made=made).split())
        assert "Measure on the machine that the plan is for: `advisor probe`" in said
        assert "`advisor profiles export --output NAME.json`" in said
        assert "To time the alternatives here" not in said


def test_facts_that_mean_nothing_here_are_named() -> None:
    made = plan(answers={"machine.gpu.count": 0, "machine.gpu.name": "a card"})
    assert "means nothing for this plan: machine.gpu.name" in " ".join(text(made=made).split())


def test_without_unicode_nothing_of_ours_goes_beyond_ascii() -> None:
    page = text(Look(80, unicode=False), measured_plan())
    assert page.isascii()
    assert "+ settled" in page
    assert "4 threads -> 2 threads" in page


def test_colour_adds_codes_and_changes_no_word() -> None:
    plain, coloured = text(Look(80)), text(Look(80, colour=True))
    assert "\x1b" not in plain
    assert ANSI.sub("", coloured) == plain


def test_text_from_rule_packs_is_shown_as_text() -> None:
    known = hostile_knowledge()
    page = plan_page(plan(known=known), known, Look(100))
    flat = " ".join(page.split())
    assert "\x1b" not in page
    assert "\x9b" not in page
    assert "\u202e" not in page
    assert " ".join(HOSTILE.replace("\x1b", "").replace("\x9b", "").replace("\u202e", "").split()) in flat


def test_a_plan_from_no_facts_is_a_plan_too() -> None:
    made = plan(answers={}, detected={})
    page = text(made=made)
    assert "It rests on one fact: 1 assumed." in page
    assert all(entry.status is not Status.MEASURED for entry in made.recommendations.values())
