"""The result page of `advisor try`: what won, what it means for the plan, what to do next."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from advisor.cli.commands.experiments.try_ import STATED
from advisor.cli.commands.options import Try
from advisor.cli.options import SchoolName, typed_again
from advisor.cli.trying_progress import sparkline
from advisor.facts.verdict import Verdict
from advisor.report.found.trying import (
    TITLES,
    amount,
    bet_rows,
    bet_sentence,
    how,
    next_steps,
    trial_line,
    trying_markdown,
    trying_page,
)
from advisor.report.html.trying import trying_html
from advisor.report.page import Look
from advisor.training.ladder.outcome import Best, Bet, DataTried, Final, Metric, NotTried, TrialResults, Winner
from advisor.training.ladder.trial_record import Kind, Stage, Status, Trial

ACCURACY = Metric("accuracy", "accuracy", 0.01)
LINEAR = Trial("linear", Kind.BASELINE, Stage.BASELINES, 0, {}, (0.9, 0.8), 0.25)
NETWORK = Trial("ffn 64", Kind.NETWORK, Stage.NETWORKS, 0, {}, (0.95, 0.91), 2.5, 40)
BET = Bet("network.init", "ffn", "he", "glorot", "he", Verdict.CONFIRMED, 0.012, 0.004, 0.02, "accuracy", 15)
OUTCOME = TrialResults(
    metric=ACCURACY,
    data=DataTried("/data/wine.csv", "kind", "f" * 16, "tabular", "classify", 178, 36, 142, "By class.", 5, 0.25),
    verdict=Winner.NO_DIFFERENCE,
    says="They cannot be told apart.",
    best=Best("ffn 64", Kind.NETWORK, 0.93, 0.9, 0.96),
    trials=(LINEAR, NETWORK, replace(NETWORK, rung=1, scores=(0.89,))),
    finals=(Final("linear", Kind.BASELINE, (0.9,), 0.9, 0.87, 0.93), Final("ffn 64", Kind.NETWORK, (0.93,), 0.93, 0.9, 0.96)),
    bets=(BET,),
    not_tried=(NotTried("gradient boosting", "There was no time left for it."),),
    seconds=42.0,
)  # fmt: skip


@pytest.mark.parametrize("width", [60, 80, 200])
def test_the_page_fits_and_says_everything_once(width: int) -> None:
    page = trying_page(OUTCOME, Look(width))
    for text in ("what won", "before -> measured -> after", "not tried", "how it was tried", "what to do next"):
        assert page.count(text) == 1
    assert all(len(line) <= min(width, 100) for line in page.splitlines() if "advisor " not in line)


def test_the_best_stands_first() -> None:
    page = trying_page(OUTCOME, Look(80))
    held_out = page.partition("never saw")[2].partition("on the folds")[0]
    assert held_out.index("ffn 64") < held_out.index("linear")
    folds = page.partition("on the folds")[2]
    assert "0.917 ± 0.031" in folds, "the mean of all its folds"


def test_an_average_that_won_says_which_models_it_is_of() -> None:
    members = [
        {"model": "gradient_boosting", "variant": "few_leaves", "weighted": False, "share": 0.65},
        {"model": "linear", "variant": "", "weighted": True, "share": 0.35},
    ]
    best = Best("gradient boosting + linear", Kind.BASELINE, 0.93, 0.9, 0.96, {"members": members})
    told = " ".join(how(replace(OUTCOME, best=best)))
    assert "what its models say: gradient boosting, few leaves 65 % and linear with class weights 35 %." in told


def test_a_bet_is_told_with_its_figures() -> None:
    assert bet_sentence(BET, ACCURACY) == (
        "he against glorot with ffn: 0.012 better in accuracy (95 % interval 0.004 to 0.020, 15 pairs of scores)."
    )
    overturned = replace(BET, verdict=Verdict.OVERTURNED, after="glorot")
    assert bet_sentence(overturned, ACCURACY).startswith("glorot against he with ffn: 0.012 better")
    undecided = replace(BET, verdict=Verdict.UNDECIDED, after=None, median=-0.002, low=-0.01, high=0.006)
    said = bet_sentence(undecided, ACCURACY)
    assert said.startswith("glorot against he with ffn: 0.002 better in accuracy (95 % interval -0.006 to 0.010")
    assert said.endswith("which is not decided.")


def test_names_from_files_take_over_neither_terminal_nor_report() -> None:
    hostile = "wine\x1b[2J|<b>[red]\u202e.csv"
    outcome = replace(OUTCOME, data=replace(OUTCOME.data, path=f"/data/{hostile}", target="a; rm -rf /"))
    page = trying_page(outcome, Look(80))
    assert "\x1b" not in page
    assert "\u202e" not in page
    assert "--target 'a; rm -rf /'" in page
    report = trying_markdown(outcome)
    assert "\x1b" not in report
    assert "<b>" not in report


def test_who_was_chosen_without_the_best_score_tells_the_classes_apart_better() -> None:
    trials = (replace(LINEAR, losses=(0.1, 0.1)), replace(NETWORK, losses=(0.2, 0.2)))
    chosen = replace(OUTCOME, trials=trials, best=Best("linear", Kind.BASELINE, 0.9, 0.87, 0.93))
    assert "ffn 64 scored higher on the folds by no more than noise; linear was chosen" in " ".join(how(chosen))
    assert "tell the classes apart" not in " ".join(how(replace(chosen, best=OUTCOME.best))), "it has the best score"
    assert "tell the classes apart" not in " ".join(how(replace(chosen, trials=(LINEAR, NETWORK)))), (
        "an earlier version's"
    )
    hurried = (trials[0], replace(trials[1], hurried=True))
    assert "tell the classes apart" not in " ".join(how(replace(chosen, trials=hurried))), "its training was cut"


def test_a_stopped_run_says_so_and_how_to_go_on() -> None:
    page = trying_page(replace(OUTCOME, interrupted=True, verdict=Winner.UNFINISHED), Look(80))
    assert "Stopped before the end" in page
    assert "Give the very same command again" in page


def test_commands_to_type_next_repeat_how_the_task_was_stated() -> None:
    answers, sets = Path("my answers.yaml"), ["task.kind=classify"]
    options = Try(Path("wine.csv"), answers=answers, sets=sets, school=SchoolName.SURVEY, packs=[Path("pack")])
    stated = typed_again(options, STATED)
    told = typed_again(options._replace(metric="neg_log_loss"), {"metric": "--metric"})
    commands = [command for _, command in next_steps(replace(OUTCOME, stated=stated, told=told))]
    said = "--data /data/wine.csv --target kind --answers 'my answers.yaml' --set task.kind=classify --school survey --rules pack"
    assert commands == [f"advisor try {said} --metric neg_log_loss --budget 10min", f"advisor recommend {said}"]
    assert typed_again(Try(Path("wine.csv")), STATED) == ""


@pytest.mark.parametrize("verdict", list(Verdict))
def test_every_verdict_has_its_place_in_the_report(verdict: Verdict) -> None:
    moved = replace(BET, topic="network.type", before="boosting", rival="linear", after="linear", verdict=verdict)
    (row,) = bet_rows(replace(OUTCOME, bets=(moved,)), TITLES)
    assert row[2] in trying_html(replace(OUTCOME, bets=(moved,)))


def test_a_line_for_each_trial() -> None:
    assert trial_line(LINEAR, ACCURACY) == "linear: accuracy 0.850 ± 0.071 on 2 folds, 0.2 s"
    assert "0.850 ± 0.071 on 2 more folds" in trial_line(replace(LINEAR, rung=3), ACCURACY), "no line is told twice"
    failed = replace(LINEAR, scores=(), status=Status.FAILED, failure="It was ended by signal 9.")
    assert trial_line(failed, ACCURACY) == "linear: failed. It was ended by signal 9."
    assert trial_line(replace(LINEAR, status=Status.SHORT), ACCURACY).endswith(", out of time")


def test_amounts_keep_their_digits() -> None:
    assert amount(ACCURACY, []) == "-"
    assert amount(ACCURACY, [0.5]) == "0.500"
    assert amount(ACCURACY, [-1e-9]) == "0.000"
    metres = Metric("rmse", "RMSE", 0.01, greater_is_better=False, task="forecast", in_units=True)
    assert amount(metres, [1234.5, 1236.5]) == "1,236 ± 1.41"
    assert amount(metres, [0.000012]) == "1.2e-05"


@pytest.mark.parametrize("unicode", [True, False])
def test_a_curve_falls_from_its_highest_to_its_lowest(unicode: bool) -> None:
    curve = sparkline([float(value) for value in range(100, 0, -1)], 20, unicode=unicode)
    assert len(curve) == 20
    assert curve[0] == ("█" if unicode else "#")
    assert curve[-1] == ("▁" if unicode else "_")
    assert sparkline([], 20) == ""
    assert len(set(sparkline([1.0, 1.0], 20))) == 1


def test_what_the_clock_cut_is_marked_in_every_table() -> None:
    spoilt = replace(NETWORK, status=Status.CUT)
    half = replace(LINEAR, name="gradient boosting", status=Status.SHORT)
    finals = (OUTCOME.finals[0], replace(OUTCOME.finals[1], cut=True))
    outcome = replace(OUTCOME, trials=(LINEAR, half, spoilt), finals=finals)
    for shown in (trying_page(outcome, Look(60)), trying_page(outcome, Look(100)), trying_markdown(outcome)):
        assert shown.count("ffn 64 (cut)") == 2
        assert shown.count("gradient boosting (fewer folds)") + shown.count("… (fewer folds)") == 1
        assert "with more it may be better" in " ".join(shown.split())


def test_what_changes_of_another_network_showed_is_told_in_every_form() -> None:
    bet = Bet("network.activation", "ffn", "relu", "gelu", "gelu", Verdict.OVERTURNED, 0.02, 0.01, 0.03, "accuracy", 6)
    outcome = replace(OUTCOME, varied=(bet,))
    for shown in (trying_page(outcome, Look(80)), trying_markdown(outcome), trying_html(outcome)):
        assert "what changes of the network showed" in shown.lower()
        assert "Activation: gelu against relu with ffn: 0.020 better in accuracy" in " ".join(shown.split())
    assert outcome.to_json()["varied"][0]["rival"] == "gelu"


def test_a_bet_that_nothing_was_compared_for_shows_no_figures() -> None:
    bet = Bet("network.type", "", "ffn", "linear", "linear", Verdict.UNDECIDED, None, None, None, "accuracy", 0)
    outcome = replace(OUTCOME, bets=(bet,))
    said = "ffn could not be judged in the time; of what was tried linear did best."
    for shown in (trying_page(outcome, Look(80)), trying_markdown(outcome), trying_html(outcome)):
        assert said in " ".join(shown.split())
        assert "no time" in shown
        assert "0.000" not in shown
    told = outcome.to_json()["bets"][0]
    assert [told[figure] for figure in ("median", "low", "high", "n")] == [None, None, None, 0]


def test_too_few_epochs_are_marked_as_a_training_that_was_cut() -> None:
    outcome = replace(OUTCOME, trials=(LINEAR, replace(NETWORK, hurried=True)))
    for shown in (trying_page(outcome, Look(80)), trying_markdown(outcome)):
        assert f"{NETWORK.name} (cut)" in shown
        assert "no time for all of its training" in " ".join(shown.split())


@pytest.mark.parametrize("status", [Status.SHORT, Status.CUT])
def test_a_mark_is_explained_only_where_a_row_has_it(status: Status) -> None:
    mark = {Status.SHORT: "(fewer folds):", Status.CUT: "(cut):"}[status]
    later = replace(NETWORK, rung=1, scores=(0.89,), status=status)
    whole = replace(OUTCOME, trials=(LINEAR, NETWORK, later))
    assert mark not in trying_page(whole, Look(80)) + trying_markdown(whole), "its first folds are all there"
    better = [replace(LINEAR, name=f"ffn 64, {n}", stage=Stage.VARIATIONS) for n in range(12)]
    worst = replace(LINEAR, name="ffn 64, wide", stage=Stage.VARIATIONS, scores=(0.1,), status=status)
    many = replace(OUTCOME, trials=(LINEAR, NETWORK, *better, worst))
    assert mark not in trying_page(many, Look(80)), "no room for its row"
    assert mark in trying_markdown(many)


def test_the_trivial_of_a_forecast_repeats_the_last_value() -> None:
    trivial = Trial("trivial", Kind.TRIVIAL, Stage.TRIVIAL, 0, {}, (0.5, 0.4), 0.0)
    rmse = Metric("rmse", "RMSE", 0.01, greater_is_better=False, task="forecast", in_units=True)
    assert trial_line(trivial, rmse).endswith("(repeats the last value, or the one a season before)")
    assert trial_line(trivial, ACCURACY).endswith("(looks at no input)")
    outcome = replace(OUTCOME, trials=(trivial, *OUTCOME.trials))
    assert "trivial (looks at no input) is what" in " ".join(how(outcome))
    assert "trivial (repeats the last value, or the one a season before) is what" in " ".join(
        how(replace(outcome, metric=rmse))
    )
    assert "trivial" not in " ".join(how(OUTCOME))


def test_where_no_network_was_reached_the_time_that_one_needs_is_named() -> None:
    page = trying_page(replace(OUTCOME, trials=(LINEAR,), seconds=58.0), Look(80))
    assert "No network was reached in the time. About 150 s would do" in " ".join(page.split())
    assert "--budget 150s" in page
