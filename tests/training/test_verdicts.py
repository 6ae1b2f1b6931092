"""Who won, and what became of the plan's bets."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.facts.verdict import Verdict
from advisor.plain import decode, encode
from advisor.report.found.trying import bet_sentence
from advisor.training.ladder.candidates import Factor, Planned
from advisor.training.ladder.comparing import Scores, leader
from advisor.training.ladder.ladder import Ladder
from advisor.training.ladder.menu import menu
from advisor.training.ladder.outcome import Bet, Difference, Final, Metric, Ranking, Winner
from advisor.training.ladder.trial_record import Kind, Stage, Trial
from advisor.training.ladder.verdicts import Judging, gain_words

ACCURACY = Metric("accuracy", "accuracy", 0.01)
PLANNED = Planned(network="ffn", hidden_units=(64,), init="he", activation="relu", optimizer="adamw")
LADDER = Ladder(menu(PLANNED, "tabular"), 6, 0.25)
KNOWN = {candidate.name: candidate for candidate in menu(PLANNED, "tabular").openers}
NETWORK = "ffn 64 as planned"


def judging(
    trials: Sequence[Trial],
    finals: Sequence[Final] = (),
    differences: Sequence[Difference] = (),
    metric: Metric = ACCURACY,
) -> Judging:
    return Judging(LADDER, metric, trials, finals, differences)


def bets(trials: Sequence[Trial], differences: Sequence[Difference] = (), metric: Metric = ACCURACY) -> tuple[Bet, ...]:
    return judging(trials, (), differences, metric).bets()


def trial(name: str, scores: Sequence[float], rung: int = 0, *, kind: Kind | None = None) -> Trial:
    candidate = KNOWN.get(name)
    if candidate is None:
        base = KNOWN[NETWORK]
        candidate = next(c for c in menu(PLANNED, "tabular").variations(base) if c.name == name)
    return Trial(name, kind or candidate.kind, candidate.stage, rung, candidate.settings_json, tuple(scores), 1.0)


def final(name: str, mean: float) -> Final:
    return Final(name, KNOWN[name].kind, (mean,), mean, mean - 0.01, mean + 0.01)


def around(mean: float, spread: float = 0.004) -> list[float]:
    return [mean - spread, mean, mean + spread, mean - spread / 2, mean + spread / 2]


def judged(network: float, forest: float, gap: tuple[float, float], over_trivial: float = 0.3) -> tuple[Winner, str]:
    """The verdict for scores of the folds, and the interval of network over forest on the held-out examples."""
    trials = [trial("trivial", around(0.1)), trial("random forest", around(forest)), trial(NETWORK, around(network))]
    finals = [final("trivial", 0.1), final("random forest", forest), final(NETWORK, network)]
    middle = (gap[0] + gap[1]) / 2
    differences = [
        Difference(NETWORK, "random forest", middle, *gap),
        Difference("random forest", "trivial", over_trivial, over_trivial - 0.05, over_trivial + 0.05),
        Difference(NETWORK, "trivial", over_trivial, over_trivial - 0.05, over_trivial + 0.05),
    ]
    return judging(trials, finals, differences).verdict()


def test_a_network_that_is_better_beyond_noise_is_worth_it() -> None:
    found, says = judged(0.9, 0.8, (0.05, 0.15))
    assert found is Winner.NETWORK
    assert "0.100 better in accuracy (95 % interval 0.050 to 0.150)" in says


@pytest.mark.parametrize(("low", "said"), [(0.03, True), (-0.01, False)])
def test_a_finalist_that_is_surely_better_on_the_held_out_examples_is_named_and_chosen_by_nothing(
    low: float, said: bool
) -> None:
    means = {"trivial": 0.1, "linear": 0.8, "random forest": 0.9, NETWORK: 0.7}
    trials = [trial(name, around(mean)) for name, mean in means.items()]
    finals = [final(name, mean) for name, mean in means.items()]
    differences = [
        Difference("linear", "random forest", 0.05, low, 0.07),
        *(Difference(name, NETWORK, 0.1, 0.05, 0.15) for name in ("linear", "random forest")),
        *(Difference(name, "trivial", 0.5, 0.4, 0.6) for name in means if name != "trivial"),
    ]
    found = judging(trials, finals, differences)
    judged, says = found.verdict()
    best = found.best(judged)
    assert judged is Winner.BASELINE
    assert best is not None
    assert best.name == "random forest"
    assert ("On the held-out examples linear is 0.050 better in accuracy" in says) == said


def test_a_baseline_that_is_better_beyond_noise_wins() -> None:
    found, says = judged(0.8, 0.9, (-0.15, -0.05))
    assert found is Winner.BASELINE
    assert "not worth it" in says
    assert "random forest is 0.100 better" in says


def advised(network: Sequence[float], forest: Sequence[float], gap: tuple[float, float]) -> str:
    trials = [trial("trivial", around(0.1)), trial("random forest", forest), trial(NETWORK, network)]
    finals = [final("trivial", 0.1), final("random forest", 0.9), final(NETWORK, 0.9)]
    differences = [Difference(NETWORK, "random forest", sum(gap) / 2, *gap)]
    told = judging(trials, finals, differences)
    judged, _ = told.verdict()
    return told.advice(judged, told.bets(judged))


def test_within_noise_the_simpler_is_advised() -> None:
    assert judged(0.9, 0.89, (-0.02, 0.04))[0] is Winner.NO_DIFFERENCE
    says = advised([0.9, 0.7, 0.8, 0.9, 0.7], [0.7, 0.9, 0.8, 0.8, 0.9], (-0.02, 0.04))
    assert says == "A network is not shown to be worth it; random forest is the simpler."


def test_the_plan_takes_over_what_won_where_its_own_network_had_no_time() -> None:
    trials = [trial("trivial", around(0.3)), trial("random forest", around(0.81))]
    finals = [final("trivial", 0.3), final("random forest", 0.8)]
    told = judging(trials, finals, [Difference("random forest", "trivial", 0.5, 0.45, 0.55)])
    (bet,) = told.bets(Winner.BASELINE)
    assert (bet.before, bet.after, bet.verdict, bet.n) == ("ffn", "random_forest", Verdict.UNDECIDED, 0)
    assert (bet.median, bet.low, bet.high) == (None, None, None), "nothing was compared"
    said = "ffn could not be judged in the time; of what was tried random_forest did best."
    assert bet_sentence(bet, ACCURACY) == said
    on_one_fold = judging([*trials, trial(NETWORK, [0.8])], finals)
    assert on_one_fold.bets(Winner.BASELINE)[0].after == "random_forest", "nor can it be judged by one fold alone"
    assert not told.bets(Winner.NOTHING)


def test_the_plan_takes_over_what_won_though_it_is_not_shown_to_be_better() -> None:
    """Level on the folds and on the held-out examples: the simpler wins, and so the plan is that from then on."""
    trials = [
        trial("trivial", around(0.3)),
        trial("random forest", around(0.81, 0.03)),
        trial(NETWORK, around(0.8, 0.02)),
    ]
    finals = [final("trivial", 0.3), final("random forest", 0.8), final(NETWORK, 0.8)]
    differences = [Difference(NETWORK, "random forest", 0.0, -0.05, 0.05)]
    told = judging(trials, finals, differences)
    judged, _ = told.verdict()
    assert judged is Winner.NO_DIFFERENCE
    of_type = told.bets(judged)[0]
    assert (of_type.before, of_type.rival, of_type.after) == ("ffn", "random_forest", "random_forest")
    assert of_type.verdict is Verdict.UNDECIDED
    assert told.advice(judged, (of_type,)) == "A network is not shown to be worth it; random forest is the simpler."
    best = told.best(judged)
    assert best is not None
    assert (best.name, best.seen) == ("random forest", False)
    assert told.bets(Winner.NOTHING)[0].after is None, "nothing won"


@pytest.mark.parametrize(("forest", "after"), [(0.9, "random_forest"), (0.6, "ffn")])
def test_the_plan_takes_over_what_won_though_only_the_held_out_examples_compare_the_two(
    forest: float, after: str
) -> None:
    """A large data set: there was time for a single fold of each."""
    trials = [trial("trivial", [0.3]), trial("random forest", [forest]), trial(NETWORK, [0.75])]
    finals = [final("trivial", 0.3), final("random forest", forest), final(NETWORK, 0.75)]
    gap = 0.75 - forest
    differences = [
        Difference(NETWORK, "random forest", gap, gap - 0.05, gap + 0.05),
        Difference("random forest", "trivial", forest - 0.3, 0.1, 0.7),
        Difference(NETWORK, "trivial", 0.45, 0.4, 0.5),
    ]
    told = judging(trials, finals, differences)
    winner, _ = told.verdict()
    (of_type,) = (bet for bet in told.bets(winner) if bet.topic == "network.type")
    assert (of_type.verdict, of_type.before, of_type.after) == (Verdict.UNDECIDED, "ffn", after)
    assert of_type.median == pytest.approx(gap)
    assert told.best(winner) is not None
    assert not told.bets(Winner.NOTHING)


def test_settings_of_what_won_go_with_it_to_the_plan() -> None:
    """Otherwise a project would be made with the settings of scikit-learn, which did not win."""
    varied = next(one for one in menu(PLANNED, "tabular").settings if one.name == "random forest, large leaves")
    fitted = Trial(varied.name, varied.kind, varied.stage, 0, varied.settings_json, tuple(around(0.95)), 1.0)
    trials = [trial("trivial", around(0.3)), trial("random forest", around(0.9)), trial(NETWORK, around(0.8)), fitted]
    finals = [
        final("trivial", 0.3),
        final(NETWORK, 0.8),
        replace(final("random forest", 0.95), name=varied.name),
    ]
    differences = [
        Difference(NETWORK, varied.name, -0.15, -0.2, -0.1),
        Difference(varied.name, "trivial", 0.6, 0.5, 0.7),
    ]
    told = judging(trials, finals, differences)
    winner, _ = told.verdict()
    of_type = told.bets(winner)[0]
    assert (of_type.after, of_type.how) == ("random_forest", {"variant": "large_leaves"})


def test_settings_of_scikit_learn_that_won_are_named_too() -> None:
    """A project of what was never tried has settings that differ from them."""
    told = judging(
        [trial("random forest", around(0.9)), trial(NETWORK, around(0.8))],
        [final("random forest", 0.9), final(NETWORK, 0.8)],
        [Difference(NETWORK, "random forest", -0.1, -0.15, -0.05)],
    )
    of_type = told.bets(Winner.BASELINE)[0]
    assert (of_type.after, of_type.how) == ("random_forest", {"variant": "default"})


def test_what_the_clock_cut_is_given_up_where_something_simpler_won() -> None:
    trials = [trial("random forest", around(0.9, 0.008)), replace(trial(NETWORK, around(0.8)), hurried=True)]
    finals = [final("random forest", 0.9), final(NETWORK, 0.8)]
    told = judging(trials, finals, [Difference(NETWORK, "random forest", -0.1, -0.15, -0.05)])
    of_type = told.bets(Winner.BASELINE)[0]
    assert (of_type.verdict, of_type.after) == (Verdict.UNDECIDED, "random_forest")
    assert told.advice(Winner.BASELINE, (of_type,)) == ""


def test_of_several_that_beat_the_plan_it_takes_over_the_one_that_won() -> None:
    """Boosting scores a little less than the forest on the folds, tells classes apart better, and is the best that is kept."""
    forest = replace(trial("random forest", around(0.9)), losses=(0.2,) * 5)
    boosting = replace(trial("gradient boosting", [0.904, 0.892, 0.901, 0.905, 0.893]), losses=(0.15,) * 5)
    network = replace(trial(NETWORK, around(0.8)), losses=(0.3,) * 5)
    finals = [final("trivial", 0.1), final("gradient boosting", 0.9), final(NETWORK, 0.8)]
    differences = [Difference(NETWORK, "gradient boosting", -0.1, -0.15, -0.05)]
    told = judging([trial("trivial", around(0.1)), forest, boosting, network], finals, differences)
    judged, _ = told.verdict()
    assert judged is Winner.BASELINE
    of_type, best = told.bets(judged)[0], told.best(judged)
    assert best is not None
    assert best.name == "gradient boosting"
    assert (of_type.verdict, of_type.after) == (Verdict.OVERTURNED, "gradient_boosting")
    assert told.advice(judged, (of_type,)) == ""


def test_why_the_plan_stays_where_too_few_folds_compare_it_with_what_won() -> None:
    trials = [trial("random forest", [0.9, 0.9]), trial("linear", around(0.7)), trial(NETWORK, around(0.8, 0.05))]
    finals = [final("random forest", 0.9), final(NETWORK, 0.8)]
    told = judging(trials, finals, [Difference(NETWORK, "random forest", -0.1, -0.15, -0.05)])
    undecided = Bet("network.type", "", "ffn", "linear", None, Verdict.UNDECIDED, 0.1, -0.1, 0.2, "accuracy", 5)
    assert told.advice(Winner.BASELINE, (undecided,)) == (
        "The plan stays ffn, since too few folds have scored both it and random_forest."
    )


def test_what_the_folds_show_is_not_advised_against_since_few_were_held_out() -> None:
    says = advised(around(0.9), around(0.8, 0.008), (-0.02, 0.04))
    assert says == (
        "On the folds, which are more examples, ffn was better than random_forest beyond noise, so the plan is ffn."
    )


def test_where_page_and_plan_agree_nothing_is_added() -> None:
    assert advised(around(0.9), around(0.8, 0.008), (0.02, 0.08)) == ""
    assert advised(around(0.8), around(0.9, 0.008), (-0.08, -0.02)) == ""


def test_more_than_the_trivial_on_held_out_examples_is_called_noise_or_not() -> None:
    def says(low: float, high: float) -> str:
        trials = [trial("trivial", around(0.4)), trial("random forest", around(0.3))]
        finals = [final("trivial", 0.325), final("random forest", 0.5)]
        found, words = judging(trials, finals, [Difference("random forest", "trivial", 0.175, low, high)]).verdict()
        assert found is Winner.NOTHING
        return words

    assert says(-0.05, 0.4).endswith(
        "random forest is 0.175 better in accuracy (95 % interval -0.050 to 0.400), which is within noise."
    )
    assert "which is beyond noise: the two disagree" in says(0.05, 0.3)


def test_of_a_series_nothing_is_said_only_where_no_finalist_beats_an_earlier_value() -> None:
    rmse = Metric("rmse", "RMSE", 0.01, False, task="forecast", in_units=True)
    ladder = Ladder(LADDER.menu, 6, 0.25, greater_is_better=False)

    def judged_of(low: float) -> tuple[Winner, str]:
        trials = [trial("trivial", around(3.0)), trial("random forest", around(4.0))]
        finals = [final("trivial", 5.0), final("random forest", 3.0)]
        found = [Difference("random forest", "trivial", 2.0, low, 3.0)]
        return Judging(ladder, rmse, trials, finals, found).verdict()

    assert judged_of(1.0)[0] is Winner.BASELINE
    assert "The best is random forest, 2 better in RMSE" in judged_of(1.0)[1]
    kind, words = judged_of(-0.5)
    assert kind is Winner.NOTHING
    assert "repeating an earlier value" in words
    assert "--seed" not in words, "a series is divided in one way only"


def test_of_a_series_the_best_of_two_must_be_better_than_chance_makes_the_best_of_two() -> None:
    rmse = Metric("rmse", "RMSE", 0.01, False, task="forecast", in_units=True)
    ladder = Ladder(LADDER.menu, 6, 0.25, greater_is_better=False)
    trials = [trial("trivial", around(3.0)), trial("random forest", around(4.0)), trial(NETWORK, around(4.0))]
    finals = [final("trivial", 5.0), final("random forest", 3.0), final(NETWORK, 4.0)]

    def judged_of(low: float) -> tuple[Winner, str]:
        found = [
            Difference("random forest", "trivial", 2.0, low, 4.0),
            Difference(NETWORK, "trivial", 1.0, -1.0, 3.0),
            Difference("random forest", NETWORK, 1.0, 0.5, 1.5),
        ]
        return Judging(ladder, rmse, trials, finals, found).verdict()

    assert judged_of(1.0)[0] is Winner.BASELINE
    kind, words = judged_of(0.1)
    assert kind is Winner.NOTHING
    assert words.endswith("random forest is 2 better in RMSE (95 % interval 0.1 to 4), which the best of several may be by "
                          "chance.")  # fmt: skip


def test_few_examples_that_are_told_alike_do_not_show_that_nothing_differs() -> None:
    few, many = replace(ACCURACY, resolves=0.04), replace(ACCURACY, resolves=0.004)
    trials = [trial("random forest", [1.0] * 5), trial(NETWORK, [1.0] * 5)]
    assert bets(trials, metric=few)[0].verdict is Verdict.UNDECIDED
    assert bets(trials, metric=many)[0].verdict is Verdict.NO_DIFFERENCE
    chosen = judging(trials, metric=few).best()
    assert chosen is not None
    assert (chosen.low, chosen.high) == (pytest.approx(0.92), 1.0)


def test_no_better_than_no_input_at_all_is_nothing() -> None:
    found, says = judged(0.12, 0.11, (-0.02, 0.04), over_trivial=0.01)
    assert found is Winner.NOTHING
    assert "always saying the most frequent class" in says


def test_what_ranks_examples_better_than_chance_is_not_called_nothing() -> None:
    trials = [trial("trivial", around(0.8)), trial("random forest", around(0.7)), trial(NETWORK, around(0.7))]
    differences = [Difference(NETWORK, "random forest", 0.01, -0.02, 0.04)]

    def told(surely: float) -> tuple[Winner, str]:
        ranked = replace(final("random forest", 0.7), ranking=Ranking(0.63, 0.56, 0.7, surely))
        return judging(trials, [final("trivial", 0.8), ranked, final(NETWORK, 0.7)], differences).verdict()

    found, says = told(0.55)
    assert found is Winner.NO_DIFFERENCE
    assert "random forest puts examples of a class before others more often than by chance" in says
    assert "ROC AUC 0.63, 95 % interval 0.56 to 0.70" in says
    assert told(0.49)[0] is Winner.NOTHING, "one of several finalists may look good by chance"


def test_guesses_at_a_rare_class_are_nothing_though_their_average_precision_is_higher() -> None:
    rare = Metric("average_precision", "average precision", 0.01)
    trials = [trial("trivial", around(0.05)), trial("random forest", around(0.09)), trial(NETWORK, around(0.08))]
    differences = [
        Difference("random forest", "trivial", 0.04, 0.01, 0.09),
        Difference(NETWORK, "random forest", 0, -1, 1),
    ]

    def told(low: float) -> tuple[Winner, str]:
        ranked = replace(final("random forest", 0.09), ranking=Ranking(0.6, low, 0.8, low - 0.02))
        finals = [final("trivial", 0.05), ranked, final(NETWORK, 0.08)]
        return judging(trials, finals, differences, rare).verdict()

    found, says = told(0.46)
    assert found is Winner.NOTHING
    assert says.endswith("its ROC AUC is 0.60 (95 % interval 0.46 to 0.80), where 0.5 is chance.")
    assert told(0.53)[0] is Winner.NO_DIFFERENCE


def test_a_difference_without_a_digit_to_show_is_called_level() -> None:
    assert gain_words(ACCURACY, Difference("a", "b", 0.0002, -0.1, 0.1)) == (
        "level in accuracy (95 % interval -0.100 to 0.100)"
    )


def test_without_finals_the_folds_are_quoted_as_unfinished() -> None:
    trials = [trial("trivial", around(0.1)), trial("linear", around(0.7))]
    found, says = judging(trials).verdict()
    assert found is Winner.UNFINISHED
    assert "linear is ahead so far" in says
    chosen = judging(trials).best()
    assert chosen is not None
    assert chosen.seen, "its score is one that it was chosen by"


def test_finals_that_were_cut_do_not_say_that_no_network_was_tried() -> None:
    trials = [trial("trivial", around(0.1)), trial("linear", around(0.7)), trial(NETWORK, around(0.5))]
    finals = [Final(name, kind, (score,), score, score, score) for name, kind, score in (
        ("trivial", Kind.TRIVIAL, 0.1), ("linear", Kind.BASELINE, 0.7))]  # fmt: skip
    found, says = judging(trials, finals, [Difference("linear", "trivial", 0.6, 0.5, 0.7)]).verdict()
    assert found is Winner.UNFINISHED
    assert "linear is ahead, 0.600 better" in says
    assert f"no time to score {NETWORK}, the best network, on the held-out examples" in says


def test_a_difference_is_found_whichever_way_round_it_was_kept() -> None:
    known = [Difference("a", "b", 0.2, 0.1, 0.4)]
    assert judging((), (), known).difference("b", "a") == Difference("b", "a", -0.2, -0.4, -0.1)
    assert judging((), (), known).difference("a", "c") is None


def type_bet(network: Sequence[float], forest: Sequence[float], held_out: float | None = None) -> Bet:
    trials = [trial("random forest", forest), trial(NETWORK, network)]
    known = [] if held_out is None else [Difference(NETWORK, "random forest", held_out, held_out - 0.1, held_out + 0.1)]
    return next(bet for bet in bets(trials, known) if bet.topic == "network.type")


def test_the_planned_type_is_confirmed_overturned_or_no_different() -> None:
    confirmed = type_bet(around(0.9), around(0.8, 0.008))
    assert (confirmed.verdict, confirmed.before, confirmed.after) == (Verdict.CONFIRMED, "ffn", "ffn")
    overturned = type_bet(around(0.8), around(0.9, 0.008))
    assert (overturned.verdict, overturned.after) == (Verdict.OVERTURNED, "random_forest")
    same = type_bet(around(0.8), around(0.8003))
    assert (same.verdict, same.after) == (Verdict.NO_DIFFERENCE, "ffn")
    undecided = type_bet([0.9, 0.7, 0.8, 0.9, 0.7], [0.7, 0.9, 0.8, 0.8, 0.9])
    assert (undecided.verdict, undecided.after) == (Verdict.UNDECIDED, None)


def test_the_best_of_many_rivals_overturns_a_bet_only_where_it_is_not_the_best_by_chance() -> None:
    network, rival = trial(NETWORK, around(0.8)), trial("random forest", [0.82, 0.838, 0.819, 0.832, 0.814])
    assert bets([network, rival])[0].verdict is Verdict.OVERTURNED
    others = [
        trial(name, around(0.7)) for name in ("linear", "nearest neighbours", "support vectors", "gradient boosting")
    ]
    bet = bets([network, rival, *others])[0]
    assert (bet.verdict, bet.rival) == (Verdict.UNDECIDED, "random_forest")


def test_what_the_held_out_examples_contradict_is_undecided() -> None:
    assert type_bet(around(0.8), around(0.9, 0.008), held_out=0.05).verdict is Verdict.UNDECIDED
    assert type_bet(around(0.8), around(0.9, 0.008), held_out=-0.05).verdict is Verdict.OVERTURNED


def test_what_a_network_lost_that_there_was_no_time_to_train_is_undecided() -> None:
    forest, network = trial("random forest", around(0.9, 0.008)), trial(NETWORK, around(0.8))
    hurried = replace(network, hurried=True)
    assert bets([forest, network])[0].verdict is Verdict.OVERTURNED
    assert bets([forest, hurried])[0].verdict is Verdict.UNDECIDED
    better = replace(hurried, scores=tuple(around(0.95)))
    assert bets([forest, better])[0].verdict is Verdict.CONFIRMED, "and won all the same"


def test_where_nothing_beats_the_trivial_no_type_takes_the_place_of_the_planned_one() -> None:
    trials = [trial("random forest", around(0.9, 0.008)), trial(NETWORK, around(0.8))]
    assert judging(trials).bets(Winner.NOTHING)[0].verdict is Verdict.UNDECIDED


def test_that_the_network_had_no_time_is_said_where_it_loses() -> None:
    trials = [trial("random forest", around(0.9)), trial(NETWORK, around(0.8))]
    finals = [final("random forest", 0.9), replace(final(NETWORK, 0.8), cut=True)]
    found, says = judging(trials, finals, [Difference(NETWORK, "random forest", -0.1, -0.15, -0.05)]).verdict()
    assert found is Winner.BASELINE
    assert f"no time for all of {NETWORK}'s training" in says


def test_changes_of_a_network_that_is_not_the_plans_are_told_beside_its_bets() -> None:
    other = Planned(network="gradient_boosting")
    ladder = Ladder(menu(other, "tabular"), 6, 0.25)
    base = next(c for c in menu(other, "tabular").openers if c.kind is Kind.NETWORK)
    changed = next(c for c in menu(other, "tabular").variations(base) if c.factor is Factor.ACTIVATION)
    trials = [
        Trial(one.name, one.kind, one.stage, 0, one.settings_json, tuple(around(score, spread)), 1.0)
        for one, score, spread in ((base, 0.8, 0.004), (changed, 0.9, 0.008))
    ]
    [found] = Judging(ladder, ACCURACY, trials).varied()
    assert base.settings is not None
    assert (found.topic, found.network, found.before) == ("network.activation", base.model, base.settings.activation)
    assert found.verdict is Verdict.OVERTURNED
    assert all(bet.topic == "network.type" for bet in Judging(ladder, ACCURACY, trials).bets()), "no bet of the plan"
    assert judging([trial(NETWORK, around(0.8))]).varied() == (), "of the plan's own they are bets"


def test_too_few_pairs_say_nothing() -> None:
    trials = [trial("random forest", [0.9, 0.8]), trial(NETWORK, [0.5, 0.4])]
    assert bets(trials) == ()


def test_a_factor_is_judged_within_the_network_that_was_varied() -> None:
    tanh = f"{NETWORK}, tanh"
    trials = [trial(NETWORK, around(0.8)), trial(tanh, around(0.9, 0.008)), trial("linear", around(0.2))]
    found = {bet.topic: bet for bet in bets(trials)}
    activation = found["network.activation"]
    assert (activation.before, activation.rival, activation.after) == ("relu", "tanh", "tanh")
    assert activation.verdict is Verdict.OVERTURNED
    assert activation.network == "ffn"
    assert activation.median == pytest.approx(0.1)
    assert "network.init" not in found, "nothing else was tried of it"


@given(st.lists(st.floats(0, 1), min_size=3, max_size=30), st.lists(st.floats(0, 1), min_size=3, max_size=30))
def test_a_decided_bet_is_positive_and_its_interval_holds_its_middle(one: list[float], other: list[float]) -> None:
    count = min(len(one), len(other))
    bet = type_bet(one[:count], other[:count])
    assert bet.low <= bet.median <= bet.high
    assert bet.n == count
    if bet.verdict in (Verdict.CONFIRMED, Verdict.OVERTURNED):
        assert bet.low > 0
        assert bet.after == (bet.before if bet.verdict is Verdict.CONFIRMED else bet.rival)


def noisy(name: str, draw: random.Random, rung: int, true: float = 0.8) -> Trial:
    scores = tuple(draw.gauss(true, 0.03) for _ in range(5))
    return Trial(name, Kind.NETWORK, Stage.VARIATIONS, rung, {}, scores)


def test_the_best_of_many_equal_variations_is_seldom_taken_for_better() -> None:
    chosen = []
    for seed in range(100):
        draw = random.Random(seed)
        base = [noisy("base", draw, rung) for rung in range(4)]
        variations = [noisy(f"variation {n}", draw, rung) for n in range(3) for rung in range(4)]
        scores = Scores([*base, *variations], 0.25)
        chosen.append(leader(scores, ["base"], [f"variation {n}" for n in range(3)]))
    assert chosen.count("base") >= 80


def test_a_variation_that_is_truly_better_is_taken() -> None:
    chosen = []
    for seed in range(50):
        draw = random.Random(seed)
        trials = [noisy("base", draw, rung) for rung in range(4)]
        trials += [noisy("better", draw, rung, true=0.86) for rung in range(4)]
        chosen.append(leader(Scores(trials, 0.25), ["base"], ["better"]))
    assert chosen.count("better") >= 45


def test_on_few_folds_a_variation_is_not_believed_yet() -> None:
    trials = [trial(NETWORK, around(0.8), rung) for rung in range(3)] + [trial(f"{NETWORK}, tanh", around(0.9))]
    assert leader(Scores(trials, 0.25), [NETWORK], [f"{NETWORK}, tanh"]) == NETWORK


def unsure(name: str, mean: float, loss: float) -> Trial:
    """Five folds whose probabilities have so large a refined Brier score."""
    return replace(trial(name, around(mean)), losses=tuple(around(loss)))


def test_level_candidates_are_told_apart_by_how_well_their_probabilities_tell_the_classes_apart() -> None:
    forest = replace(unsure("random forest", 0.8, 0.3), scores=tuple(reversed(around(0.8))))
    trials = [unsure("linear", 0.801, 0.5), forest, unsure("gradient boosting", 0.7, 0.1)]
    names = [trial.name for trial in trials]
    assert leader(Scores(trials, 0.25), names, []) == "random forest", "boosting is not level"


def test_whose_probabilities_are_unknown_is_taken_by_its_score() -> None:
    level = replace(unsure("linear", 0.8, 0.3), scores=tuple(reversed(around(0.8))))
    forest = unsure("random forest", 0.801, 0.5)
    names = ["linear", "random forest"]
    assert leader(Scores([level, forest], 0.25), names, []) == "linear"
    assert leader(Scores([level, replace(forest, losses=())], 0.25), names, []) == "random forest"


def test_a_trial_of_an_earlier_version_has_no_losses() -> None:
    kept = unsure("linear", 0.8, 0.3)
    assert decode(Trial, encode(kept)) == kept
    assert decode(Trial, {key: value for key, value in encode(kept).items() if key != "losses"}) == replace(
        kept, losses=()
    )


def wavering(name: str, mean: float, loss: float) -> Trial:
    """Level with what has a mean of up to 0.01 more."""
    scores = (mean - 0.04, mean + 0.04, mean, mean - 0.02, mean + 0.02)
    return replace(trial(name, scores), losses=(loss,) * 5)


@pytest.mark.parametrize(("loss", "chosen"), [(0.30004, "random forest"), (0.2998, "linear")])
def test_of_level_candidates_the_score_counts_where_the_refinement_is_the_same(loss: float, chosen: str) -> None:
    """The linear model scores 0.005 less."""
    trials = [replace(unsure("random forest", 0.9, 0.3), losses=(0.3,) * 5), wavering("linear", 0.895, loss)]
    assert leader(Scores(trials, 0.25), [trial.name for trial in trials], []) == chosen


def test_a_variation_must_be_better_than_the_best_score_too() -> None:
    """The base told the classes apart better than the forest and lies below it; so does what was made of it."""
    trials = [unsure("random forest", 0.9, 0.3), wavering(NETWORK, 0.895, 0.1)]
    varied = f"{NETWORK}, tanh"
    gained = replace(trials[1], name=varied, stage=Stage.VARIATIONS, scores=tuple(s + 0.003 for s in trials[1].scores))
    scores = Scores([*trials, gained], 0.25)
    paired = scores.paired(varied, NETWORK)
    assert paired is not None
    assert paired.beyond_noise
    assert leader(scores, ["random forest", NETWORK], [varied]) == NETWORK


def test_the_leader_of_all_is_the_leader_of_its_kind() -> None:
    trials = [wavering("linear", 0.895, 0.15), unsure(NETWORK, 0.9, 0.2), wavering("ffn 100 plain", 0.893, 0.1)]
    chosen = LADDER.leader(trials)
    assert chosen is not None
    assert chosen == LADDER.leader(trials, chosen.kind)


def test_what_looks_at_nothing_leads_only_by_its_score() -> None:
    sure = replace(wavering("trivial", 0.795, 0.1), kind=Kind.TRIVIAL, stage=Stage.TRIVIAL)
    chosen = LADDER.leader([sure, unsure("linear", 0.8, 0.9)])
    assert chosen is not None
    assert chosen.name == "linear"
    better = replace(sure, scores=tuple(score + 0.01 for score in sure.scores))
    chosen = LADDER.leader([better, unsure("linear", 0.8, 0.9)])
    assert chosen is not None
    assert chosen.name == "trivial"


def test_the_bet_on_the_type_is_about_scores() -> None:
    """Of the planned type a weaker network told the classes apart better: the bet is neither lost nor won by that."""
    own = [unsure(NETWORK, 0.9, 0.3), wavering("ffn 100 plain", 0.893, 0.1)]
    rival = unsure("random forest", 0.9, 0.3)
    found = next(bet for bet in bets([*own, rival]) if bet.topic == "network.type")
    assert found.verdict is Verdict.NO_DIFFERENCE


def test_equal_candidates_are_told_apart_by_simplicity() -> None:
    trials = [trial("linear", around(0.8)), trial("random forest", around(0.8))]
    assert leader(Scores(trials, 0.25), ["linear", "random forest"], []) == "linear"
