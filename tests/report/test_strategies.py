"""Strategies, trained and simulated, on pages of any width, as JSON and as HTML: the same numbers, and nothing but text."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

import pytest

from advisor.agent.simulating import raced
from advisor.agent.sweeps import SEEDS, Sooner, Sweep
from advisor.distributed.comparing import Comparison, Interval
from advisor.distributed.job import Run
from advisor.facts.verdict import Verdict
from advisor.inference.plan import Status
from advisor.plain import json_text
from advisor.report.html.drawing import Chart, Point, Shape, svg
from advisor.report.html.rendering import text_of
from advisor.report.html.strategies import loss_chart, planned_html, simulation_html, timeline_chart, training_html
from advisor.report.page import Look, Page
from advisor.report.strategies.curve import curve_lines, value_at
from advisor.report.strategies.planned import answer, pays, planned_json, planned_page, worker_rows
from advisor.report.strategies.simulation import simulation_json, simulation_page
from advisor.report.strategies.table import table_lines
from advisor.report.strategies.timeline import Stretch, drawn, timeline_lines
from advisor.report.strategies.training import training_json, training_page
from advisor.simulation.result import Result

from .html.made import read
from .html.test_drawing import texts
from .small import HOSTILE, SIMULATED, plan, simulated_plan
from .strategies_made import comparison_of, result_of, run_of, runs_of, scenario_of

SAYS = "With 2 workers, local_sgd came to the same loss 3 times as fast as synchronous (3 to 3)."
NOTES = ("The link is only acted.",)
DATE = "2026-01-02"
NAMES = ("synchronous", "local_sgd")
SWEEP = Sweep({1: [8.0, 8.1], 2: [4.0, 4.0], 4: [2.0, 2.0], 8: [1.9, 1.9]})
CHANGED = simulated_plan(replace(SIMULATED, fact="probe.threads.best"), "storage", "local_ssd")
PLANS = (plan(), CHANGED)


def one_line(text: str) -> str:
    return " ".join(text.split())


def trained(look: Look | None = None, runs: list[Run] | None = None, **others: Any) -> str:
    made = runs_of() if runs is None else runs
    return training_page(comparison_of(made), made, SAYS, NOTES, look or Look(), **others)


def simulations(names: tuple[str, ...] = NAMES) -> tuple[list[Result], Comparison]:
    seconds = {"synchronous": 12.0, "local_sgd": 4.0}
    results = [result_of(name, seconds[name], seed) for name in names for seed in range(SEEDS)]
    return results, raced(names, results)


def simulated_for_plan(*, learned: bool = True) -> dict[str, Any]:
    """What was simulated for a plan, by the names that the pages give it."""
    results, comparison = simulations()
    learning = {"names": NAMES, "results": results, "comparison": comparison}
    alone: dict[str, Any] = {"names": (), "results": [], "comparison": None}
    return {
        "scenario": scenario_of("synchronous"), "found": SWEEP, "plans": PLANS, "notes": NOTES,
        **(learning if learned else alone),
    }  # fmt: skip


PAGES = {
    "trained": lambda look: trained(look, whole=True),
    "simulated": lambda look: simulation_page(scenario_of(), result_of(), NOTES, look, whole=True),
    "simulated for the plan": lambda look: planned_page(**simulated_for_plan(), look=look),
}


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("width", [40, 80, 100])
def test_a_page_keeps_to_its_width(page: str, width: int) -> None:
    lines = PAGES[page](Look(width)).splitlines()
    assert max(map(len, lines)) <= width
    assert [line for line in lines if line != line.rstrip()] == []


@pytest.mark.parametrize("page", PAGES)
def test_a_page_needs_no_more_than_ascii(page: str) -> None:
    assert PAGES[page](Look(unicode=False)).isascii()


# Trained


def test_a_row_says_how_many_times_as_fast_a_strategy_is_and_the_fastest_is_first() -> None:
    lines = trained().splitlines()
    first = next(number for number, line in enumerate(lines) if line.startswith("local_sgd "))
    rows = [one_line(line) for line in lines[first : first + 4]]
    assert rows[0] == "local_sgd 9.02 s 3 (3 to 3) 1,234 30% 64 MB"
    assert rows[1].startswith("delay_compensated_ada 17.8 s 1.5 (1.5 to 1.5) 1,234")
    assert rows[2] == "ptive", "a name that is too long goes on below"
    assert rows[3].startswith("synchronous 26.7 s the plan's own 1,234")


def test_where_the_plans_own_is_not_among_them_nothing_is_called_so() -> None:
    assert "the plan's own" not in trained(own=False)
    assert "the reference" in trained(own=False)


def test_a_narrow_page_has_sentences_in_place_of_a_table() -> None:
    page = one_line(trained(Look(40)))
    assert "local_sgd: to the loss 9.02 s, times as fast 3 (3 to 3), examples/s 1,234, waiting 30%, sent 64 MB" in page
    assert "local_sgd: accuracy 0.912 (0.905 to 0.919)" in page


def test_the_whole_page_tells_every_run_and_how_bytes_are_counted() -> None:
    page = one_line(trained(whole=True))
    assert page.count(", seed ") == 9
    assert "300 updates, 4 gradients dropped, staleness 0 (95 % at most 1)" in page
    assert "counted as a ring" in page
    assert ", seed " not in trained()


def test_text_json_and_html_tell_the_same_numbers() -> None:
    runs = runs_of()
    found = comparison_of(runs)
    document = json.loads(json_text(training_json(found, runs, SAYS, NOTES)))
    page = text_of(training_html(found, runs, SAYS, NOTES, DATE))
    text = one_line(trained(Look(100)))
    assert document["schema"] == "advisor/sync/1"
    assert [one["strategy"] for one in document["strategies"]] == [one.strategy for one in found.standings]
    for one in document["strategies"]:
        told = [
            f"{one['examples_per_s']:,.0f}",
            f"{one['waiting_share']:.0%}",
            f"accuracy {one['held_out']['value']:.4g} ({one['held_out']['low']:.4g} to {one['held_out']['high']:.4g})",
        ]
        if one["times_as_fast"] is not None:
            told.append("{value:.2g} ({low:.2g} to {high:.2g})".format(**one["times_as_fast"]))
        for words in told:
            assert words in text
            assert words in one_line(page)
    assert f"The loss to reach is {document['goal']:.4g}" in text
    assert (document["reference"], document["best"]) == ("synchronous", "local_sgd")
    assert [one["verdict"] for one in document["strategies"]] == [
        "overturned",
        "overturned",
        "no difference that matters",
    ]
    assert len(document["runs"]) == 9


def test_one_training_each_has_no_interval_and_is_json_all_the_same() -> None:
    runs = runs_of(seeds=[0])
    found = comparison_of(runs)
    document = json.loads(json_text(training_json(found, runs, SAYS, NOTES)))
    first = document["strategies"][0]
    assert (first["times_as_fast"]["low"], first["times_as_fast"]["high"]) == (0.0, None)
    assert first["verdict"] == "undecided"
    assert re.search(r"local_sgd +9\.\d* s +3 +1,234", trained(runs=runs))


def test_a_strategy_that_never_came_to_the_loss_is_slower() -> None:
    runs = [
        run_of(name, seed, seconds)
        for seed in (0, 1, 2)
        for name, seconds in (("synchronous", 5.0), ("local_sgd", 900.0))
    ]
    page = one_line(trained(Look(100), runs))
    assert "local_sgd not reached slower" in page


def test_who_waited_for_whom_is_shown_of_the_fastest_with_its_server() -> None:
    runs = runs_of(["synchronous", "delay_compensated_adaptive"])
    page = trained(runs=runs)
    assert "WHO WAITED FOR WHOM (delay_compensated_adaptive)" in page
    lines = page.splitlines()
    (server,) = (line for line in lines if line.startswith("  The server"))
    assert server.split()[2].startswith("·")
    assert server.split()[2].endswith("▓")
    assert "  █ computing, ▒ exchanging, · waiting, ▓ applying; 3 s from left to right" in lines


# Simulated


def test_a_simulation_tells_its_figures_and_on_what_it_rests() -> None:
    page = one_line(simulation_page(scenario_of(straggler=2.0), result_of(), NOTES, Look()))
    for words in (
        "SIMULATED asynchronous: 4 workers, 10 steps each on average, of 8 examples",
        "25.6, 1.6 times those of one worker alone (40% of the best that could be)",
        "40 s for 320 examples",
        "12.3% of the workers' time",
        "80 kB by all together",
        "median 3 updates, 95 % at most 5",
        "accuracy 0.9375, on held-out examples",
        "Time of a step: always 500 ms. Links: 1 MB/s, latency 1 ms. An exchange carries 1 kB. Seed 0.",
        "The last worker takes 2 times as long.",
        "The link is only acted.",
    ):
        assert words in page
    assert "measured" not in page


def test_only_strategies_with_a_server_have_staleness() -> None:
    assert "staleness" not in simulation_page(scenario_of("synchronous"), result_of("synchronous"), NOTES, Look())


def test_the_whole_simulation_says_how_late_the_latest_was_and_what_each_worker_got() -> None:
    page = one_line(simulation_page(scenario_of(), result_of(), NOTES, Look(), whole=True))
    assert "mean 2.5, at most 6" in page
    assert "70 to 90 examples" in page


def test_failures_and_a_loss_that_is_no_number_are_said() -> None:
    failed = replace(result_of(), failures=1_200, checkpoints=7, lost_seconds=120.0, diverged_at=12.0)
    page = one_line(simulation_page(scenario_of(), failed, NOTES, Look()))
    assert "1,200; 2 min of the workers' time lost; 7 checkpoints" in page
    assert "After 12 s the loss is no number any more: the steps are too large." in page


def test_times_alone_have_no_loss() -> None:
    page = simulation_page(scenario_of(), result_of(seconds=None), NOTES, Look())
    assert "loss" not in page.lower()


def test_a_simulation_as_json_and_html_has_the_numbers_of_its_page() -> None:
    scenario, result = scenario_of(), result_of()
    document = json.loads(json_text(simulation_json(scenario, result, NOTES)))
    html = one_line(text_of(simulation_html(scenario, result, NOTES, DATE)))
    text = one_line(simulation_page(scenario, result, NOTES, Look(), whole=True))
    told = [
        f"{document['examples_per_s']:,.4g}",
        f"{document['waiting_share']:.1%}",
        f"median {document['staleness']['median']:.4g} updates, 95 % at most {document['staleness']['p95']:.4g}",
        f"{document['loss'][-1][1]:.4g}",
        f"{document['metric']['values'][-1][1]:.4g}",
        f"{document['examples']:,} examples",
    ]
    for words in told:
        assert words in text
        assert words in html
    assert document["staleness"]["histogram"] == [[0, 3, 30], [4, 6, 10]]
    assert document["scenario"]["link_bytes_per_second"] == 1e6
    assert document["timeline"][0] == [0, 0.0, 0.5, "computing"]


def test_a_link_without_limit_and_steps_without_time_are_json_too() -> None:
    scenario = scenario_of(link=replace(scenario_of().link, bytes_per_second=None))
    document = simulation_json(scenario, replace(result_of(), examples_per_s=None), NOTES)
    assert json.loads(json_text(document))["scenario"]["link_bytes_per_second"] is None


# Simulated for the plan


def test_a_plan_is_told_which_strategy_was_first_how_many_workers_pay_and_what_changes() -> None:
    page = one_line(planned_page(**simulated_for_plan(), look=Look()))
    assert "local_sgd came to the same loss 3 times as fast as synchronous." in page
    assert "with 5 seeds each" in page
    assert "A step of the whole batch gets shorter up to 8 workers" not in page
    assert "A step of the whole batch gets shorter with all 8 workers. Up to 4, each does at least 80 % of" in page
    assert "8 1.9 s 4.24 (3.92 to 4.58) 53%" in page
    assert "With 2 seeds each; brackets are 95 % intervals." in page
    assert "Storage: None -> local_ssd (simulated)." in page
    assert (
        "2 threads against 4 threads: 1.31 times as fast (95 % interval 1.22 to 1.40, 5 pairs of simulations)." in page
    )
    assert "Time of a step: always 500 ms." in page, "what it rests on names the step and the links"


def test_what_pays_is_said_in_words() -> None:
    assert pays(Sweep({1: [1.0], 2: [1.0]})) == "Sharing the batch among several workers saves no time."
    shared = Sweep({1: [4.0, 4.0], 2: [2.0, 2.0], 4: [2.0, 2.0]})
    assert pays(shared).startswith("A step of the whole batch gets shorter up to 2 workers. Up to 2, each does")
    doubtful = Sweep({1: [4.0, 4.0], 2: [2.2, 2.0], 4: [1.9, 2.1]})
    assert pays(doubtful).endswith(" Whether more than 2 gain anything is within the noise.")
    rival = Sooner("local_sgd", 1, Interval(1.7, 1.5, 1.9))
    assert pays(Sweep({1: [1.0], 2: [1.5]}, rival)) == (
        "Sharing the batch among several workers saves no time. With local_sgd, though, 2 workers come to the loss "
        "1.7 (1.5 to 1.9) times as fast as one alone."
    )


def test_steps_that_take_no_time_are_as_fast_with_any_number() -> None:
    assert worker_rows(Sweep({1: [0.0], 2: [0.0]})) == [("1", "0 us", "1", "100%"), ("2", "0 us", "1", "50%")]


def test_a_single_seed_has_no_brackets_to_explain() -> None:
    made = {**simulated_for_plan(learned=False), "found": Sweep({1: [8.0], 2: [8.0]})}
    assert "brackets" not in planned_page(**made, look=Look())


def test_a_plan_as_json_and_html_has_the_numbers_of_its_page() -> None:
    made = simulated_for_plan()
    document = json.loads(json_text(planned_json(**made)))
    html, text = one_line(text_of(planned_html(**made, date=DATE))), one_line(planned_page(**made, look=Look(100)))
    for one in document["standings"]:
        if one["ratio"] is not None:
            words = "{value:.2g} ({low:.2g} to {high:.2g})".format(**one["ratio"])
            assert words in text
            assert words in html
    assert (document["best"], document["workers_best"], document["workers_best_by_price"]) == ("local_sgd", 8, 4)
    assert document["steps"] == [[1, 8.05], [2, 4.0], [4, 2.0], [8, 1.9]]
    assert document["speed_ups"][0] == [1, {"value": 1.0, "low": 1.0, "high": 1.0}]
    assert document["speed_ups"][1][1]["low"] < document["speed_ups"][1][1]["value"] == pytest.approx(2.012, abs=1e-3)
    assert [one["strategy"] for one in document["simulations"]] == list(NAMES)
    assert list(document["recommendations"]) == ["storage"]
    assert document["recommendations"]["storage"]["before"] is None
    assert document["recommendations"]["storage"]["status"] == Status.SIMULATED
    assert "1.9 s" in html
    assert "Storage: None -&gt; local_ssd (simulated)" in planned_html(**made, date=DATE)


def test_without_learning_only_the_workers_are_compared() -> None:
    made = simulated_for_plan(learned=False)
    document = planned_json(**made)
    assert (document["best"], document["goal"], document["standings"], document["simulations"]) == (None, None, [], [])
    assert "LOSS" not in planned_page(**made, look=Look())
    assert "<svg" not in planned_html(**made, date=DATE)


# Pictures


def test_where_nothing_was_shown_to_be_faster_nothing_is_claimed() -> None:
    names = ("synchronous", "local_sgd")
    results = [result_of(name, 10.0, seed) for name in names for seed in range(SEEDS)]
    found = raced(names, results)
    assert found.rival is not None
    assert found.rival.verdict is Verdict.NO_DIFFERENCE
    page = planned_page(scenario_of("synchronous"), names, results, found, SWEEP, PLANS, NOTES, Look())
    assert "Nothing came to the same loss clearly sooner than synchronous." in one_line(page)


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        ({"synchronous": [4.0] * 4 + [60.0], "local_sgd": [4.0] * 5}, "synchronous itself came to the loss with only 4 of 5"),
        ({"synchronous": [4.0] * 5, "local_sgd": [400.0] * 5}, "Nothing but synchronous came to the loss in this many steps."),
    ],
    ids=["the plan's own now and then", "no other"],
)  # fmt: skip
def test_who_did_not_come_to_the_loss_is_said(seconds: dict[str, list[float]], said: str) -> None:
    results = [result_of(name, scale, seed) for name, own in seconds.items() for seed, scale in enumerate(own)]
    assert said in answer(raced(list(seconds), results))


def test_a_line_of_time_shows_what_a_worker_did_most() -> None:
    made = [
        Stretch("a", 0.0, 2.0, "computing"), Stretch("a", 2.0, 3.0, "exchanging"), Stretch("a", 3.0, 4.0, "waiting"),
        Stretch("b", 1.0, 1.6, "computing"), Stretch("b", 1.6, 2.0, "waiting"), Stretch("b", 2.0, 4.0, "applying"),
    ]  # fmt: skip
    assert drawn(made, Look(), 4) == [("a", "██▒·"), ("b", " █▓▓")]
    assert drawn(made, Look(unicode=False), 8) == [("a", "####==.."), ("b", "  #.++++")]


def test_a_time_that_begins_late_fills_the_line_all_the_same() -> None:
    assert drawn([Stretch("a", 100.0, 101.0, "computing")], Look(), 3) == [("a", "███")]
    assert drawn([], Look(), 3) == drawn([Stretch("a", 1.0, 1.0, "computing")], Look(), 3) == []


def test_the_legend_has_only_what_is_seen() -> None:
    page = Page(Look())
    timeline_lines(page, [Stretch("a", 0.0, 1.0, "computing")], "1 s")
    assert page.lines[-1] == "  █ computing; 1 s from left to right"


def test_curves_have_letters_and_the_first_one_stands_above() -> None:
    page = Page(Look(40))
    curve_lines(page, {"slow": [(0.0, 2.0), (10.0, 1.0)], "fast": [(0.0, 2.0), (5.0, 1.0)]}, rows=3)
    top, middle, bottom, *legend = page.lines
    assert top.split()[:2] == ["2", "A" * top.count("A") + "B" * top.count("B")]
    assert middle.index("B") < middle.index("A")
    assert bottom.split()[0] == "1"
    assert bottom.index("B") < bottom.index("A")
    assert one_line(" ".join(legend)) == "loss on held-out examples (logarithmic), over 10 s A slow; B fast"


def test_a_curve_ends_where_it_is_no_number_any_more() -> None:
    page = Page(Look(40))
    curve_lines(page, {"a": [(0.0, 2.0), (5.0, 1.0), (10.0, float("nan"))], "b": [(0.0, 2.0), (10.0, 1.5)]})
    assert "nan" not in page.text()
    curve = [(0.0, 2.0), (4.0, 1.0)]
    assert [value_at(curve, at) for at in (0.0, 2.0, 4.0, 4.1)] == [2.0, 1.5, 1.0, None]


def test_where_no_time_has_passed_there_is_no_picture() -> None:
    page = Page(Look())
    curve_lines(page, {"a": [(0.0, 2.0), (0.0, 1.0)]})
    assert page.lines == ["  No time has passed."]


def test_a_table_takes_the_widths_that_fit() -> None:
    def told(width: int) -> list[str]:
        page = Page(Look(width))
        table_lines(page, ("name", "wide"), [("a", "one two"), ("b", "")], (20, 20), (10, 18))
        return page.lines

    assert told(60) == [f"{'name':<22}wide", f"{'a':<22}one two", "b"]
    assert told(30) == [f"{'name':<12}wide", f"{'a':<12}one two", "b"]
    assert told(29) == ["  a: wide one two", "  b"]


def test_figures_are_drawn_with_their_curves_their_workers_and_their_legend() -> None:
    curves = loss_chart({"synchronous": [(0.0, 2.0), (10.0, 1.0)], "local_sgd": [(0.0, 2.0), (5.0, 0.5)]})
    assert curves.shape is Shape.LINES
    assert curves.says == "The least loss at the end has local_sgd: 0.5. The axis of the loss is logarithmic."
    assert {"synchronous", "local_sgd", "seconds", "loss"} <= set(texts(curves))
    spans = timeline_chart([Stretch("worker 1", 0.0, 1.0, "computing"), Stretch("The server", 0.5, 1.0, "applying")])
    assert spans.shape is Shape.SPANS
    assert {"worker 1", "The server", "computing", "applying", "seconds"} <= set(texts(spans))


def test_every_stretch_of_time_is_a_bar_and_each_activity_has_one_legend() -> None:
    points = tuple(
        Point("a", at + 1.0, at, at + 1.0, doing=doing) for at, doing in enumerate(("waiting", "computing") * 3)
    )
    chart = Chart("spans", "Spans", "Told.", Shape.SPANS, points, "seconds", (), ())
    assert texts(chart).count("waiting") == texts(chart).count("computing") == 1
    assert svg(chart) == svg(chart)


def hostile_pages() -> dict[str, str]:
    """With hostile text in whatever is not of this program: notes, how the examples are called, names of metrics."""
    runs = [replace(run, metric=HOSTILE) for run in runs_of()]
    results, comparison = simulations()
    entry = replace(CHANGED.recommendations["storage"], title=HOSTILE, value=HOSTILE)
    after = replace(CHANGED, recommendations={**CHANGED.recommendations, "storage": entry})
    return {
        "trained": training_html(comparison_of(runs), runs, HOSTILE, (HOSTILE,), HOSTILE),
        "simulated": simulation_html(scenario_of(), replace(result_of(), metric_name=HOSTILE), (HOSTILE,), HOSTILE),
        "simulated for the plan": planned_html(
            scenario_of("synchronous"), NAMES, results, comparison, SWEEP, (plan(), after), (HOSTILE,), HOSTILE
        ),
    }


@pytest.mark.parametrize("name", PAGES)
def test_hostile_text_is_text_on_every_page(name: str) -> None:
    page = hostile_pages()[name]
    assert "alert(1)" in page
    assert "script" not in {element.tag for element in read(page)}
    assert "\x1b" not in page
    assert "\u202e" not in page


@pytest.mark.parametrize("look", [Look(), Look(unicode=False, colour=True)])
def test_hostile_text_is_text_on_a_terminal_too(look: Look) -> None:
    runs = [replace(run, metric=HOSTILE) for run in runs_of()]
    page = training_page(comparison_of(runs), runs, HOSTILE, (HOSTILE,), look, whole=True)
    page += simulation_page(scenario_of(), replace(result_of(), metric_name=HOSTILE), (HOSTILE,), look, whole=True)
    assert "\x1b[31m" not in page
    assert "\u202e" not in page
    assert "alert(1)" in page
