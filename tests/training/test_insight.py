"""What is found out about a winner: planted truths are found, and noise is called nothing."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import numpy
import polars
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import BaseEstimator
from sklearn.calibration import calibration_curve
from sklearn.inspection import permutation_importance

from advisor.datasets.dataset import Examples, Task
from advisor.datasets.preparing.raw_columns import parts_of_column, some_of
from advisor.datasets.preparing.splits import outer_split
from advisor.training.child.fitted import Allowance, Fitted
from advisor.training.child.fitting import Fitting
from advisor.training.child.insight.calibration import bins_of, calibration
from advisor.training.child.insight.explaining import NO_TIME, explain
from advisor.training.child.insight.importance import dependence, importance
from advisor.training.child.insight.learning_curve import half_of, learning_curve
from advisor.training.child.insight.mistakes import confusion, residuals
from advisor.training.child.insight.slices import slices
from advisor.training.child.insight.subject import Subject, TooLongError
from advisor.training.child.insight.words import words
from advisor.training.child.metrics import metric_of
from advisor.training.child.request import MESSAGES
from advisor.training.child.scoring import described
from advisor.training.ladder.candidates import Candidate, NetworkSettings
from advisor.training.ladder.insight import Fit, Insight, MoreData
from advisor.training.ladder.trial_record import Kind, Stage

LATER = float("inf")


def tabular(columns: dict[str, Any], targets: Any, **more: Any) -> Examples:
    """Classes where the targets are whole numbers."""
    values = numpy.asarray(targets)
    frame = polars.DataFrame(columns)
    if values.dtype.kind == "i":
        classes = tuple(f"class {one}" for one in range(int(values.max()) + 1))
        return Examples("tabular", Task.CLASSIFY, frame, values.astype(numpy.int64), classes, **more)
    return Examples("tabular", Task.REGRESS, frame, values.reshape(len(values), -1).astype(numpy.float64), **more)


def winner(examples: Examples, model: str = "linear", settings: NetworkSettings | None = None) -> Subject:
    kind = Kind.BASELINE if settings is None else Kind.NETWORK
    candidate = Candidate(model, kind, Stage.BASELINES, model, settings)
    split, fitting = outer_split(examples, share=0.4), Fitting(examples, 1)
    fitted = fitting.fit(candidate, split.training, split.test, 0, Allowance(30.0, LATER))
    metric = metric_of(examples.task.value, examples.targets)
    told = described(metric, examples.task.value, examples.targets, examples.targets[split.training])
    return Subject(candidate, fitted, [], fitted.seconds, fitting, split, metric, told, 0, 1)


def coin(chance: Any, seed: int = 0) -> Any:
    return (numpy.random.default_rng(seed + 1000).random(len(chance)) < chance).astype(int)


def logistic(values: Any) -> Any:
    return 1 / (1 + numpy.exp(-values))


def people(count: int = 1000, seed: int = 0) -> tuple[dict[str, Any], Any]:
    """Columns, and a chance that follows from the age and the city."""
    draw = numpy.random.default_rng(seed)
    age, city = draw.integers(18, 80, count), draw.choice(["Oslo", "Rome", "Lima"], count)
    cities = polars.Series(city).cast(polars.Categorical)
    columns = {"noise": draw.normal(size=count), "city": cities, "age": age, "more noise": draw.random(count)}
    return columns, logistic((age - 50) / 8 + 1.5 * (city == "Rome"))


# --- what it rests on --------------------------------------------------------------------------------------------


def test_the_column_that_decides_comes_first_and_noise_is_not_shown() -> None:
    columns, chance = people()
    found = importance(winner(tabular(columns, coin(chance))), LATER)
    assert [one.column for one in found.shown] == ["age", "city"]
    assert found.columns[0].loss > 2 * found.columns[1].loss
    assert (found.shuffles, found.not_reached, found.rows) == (5, 0, 400)


@pytest.mark.parametrize("model", ["linear", "random_forest", "gradient_boosting"])
def test_of_noise_alone_no_column_is_shown(model: str) -> None:
    shown = 0
    for seed in range(6):
        draw = numpy.random.default_rng(seed)
        columns = {f"x{place}": draw.normal(size=150) for place in range(8)}
        shown += len(importance(winner(tabular(columns, draw.integers(0, 2, 150)), model), LATER).shown)
    assert shown <= 1, "together all of its intervals hold 95 % of the time"


def test_scikit_learn_finds_the_same_importance_of_numbers() -> None:
    draw = numpy.random.default_rng(0)
    table = draw.normal(size=(600, 3))
    examples = tabular(
        {f"x{place}": table[:, place] for place in range(3)}, table @ [3.0, 1.0, 0.0] + draw.normal(size=600)
    )
    subject = winner(examples)
    found = {one.column: one for one in importance(subject, LATER).columns}

    class Asked(BaseEstimator):  # type: ignore[misc]
        def fit(self, *_: Any) -> None: ...

        def predict(self, inputs: Any) -> Any:
            names = {f"x{place}": inputs[:, place] for place in range(3)}
            return subject.asked(replace(held_out, inputs=polars.DataFrame(names))).predicted

    held_out = some_of(examples, subject.split.test)
    theirs = permutation_importance(
        Asked(), table[subject.split.test], held_out.targets, scoring="r2", n_repeats=20, random_state=0
    )
    for place, mean in enumerate(theirs.importances_mean):
        one = found[f"x{place}"]
        assert one.low <= mean <= one.high
        assert one.loss == pytest.approx(mean, rel=0.15, abs=0.02)


def test_a_rare_class_shows_what_it_follows_from() -> None:
    draw = numpy.random.default_rng(0)
    x, noise = draw.normal(size=1500), draw.normal(size=1500)
    found = importance(winner(tabular({"noise": noise, "x": x}, coin(logistic(1.5 * x - 3.8)))), LATER)
    assert [one.column for one in found.shown] == ["x"]


def test_columns_that_there_was_no_time_for_are_counted() -> None:
    columns, chance = people(200)
    found = importance(winner(tabular(columns, coin(chance))), time.monotonic())
    assert ([one.column for one in found.columns], found.not_reached) == (["noise"], 3)


def test_predictions_rise_along_a_column_that_raises_them() -> None:
    columns, chance = people()
    subject = winner(tabular(columns, coin(chance)))
    age, city = dependence(subject, importance(subject, LATER), LATER)
    said = [point.predicted for point in age.points]
    assert said == sorted(said)
    assert age.of == "class 1"
    assert said[0] < 0.15
    assert said[-1] > 0.85
    by_city = {point.value: point.predicted for point in city.points}
    assert by_city["Rome"] > max(by_city["Oslo"], by_city["Lima"]) + 0.1


def test_a_network_is_asked_in_the_same_way() -> None:
    columns, chance = people(400)
    network = winner(tabular(columns, coin(chance)), "ffn", NetworkSettings("ffn", (8,), early_stopping=False))
    found = importance(network, LATER)
    assert found.columns[0].column == "age"
    held_out = some_of(network.examples, network.split.test)
    assert network.asked(held_out).predicted == pytest.approx(network.fitted.predicted), "the same as in the finals"


# --- where it errs -----------------------------------------------------------------------------------------------


def reviews(count: int = 400, seed: int = 0) -> tuple[list[str], Any]:
    """Texts of words that say nothing, in some of them one that tells the answer: `good` and `fine`, or `bad`."""
    draw = numpy.random.default_rng(seed)
    likes = draw.integers(0, 2, count)
    told = numpy.where(likes == 1, draw.choice(["good", "fine"], count), "bad")
    others = draw.choice(["the", "film", "was", "long", "and", "very", "old"], (count, 5))
    return [" ".join(draw.permutation([*words, one])) for words, one in zip(others, told, strict=True)], likes


def of_texts(texts: list[str], targets: Any, classes: tuple[str, ...] = ("no", "yes")) -> Examples:
    return Examples("text", Task.CLASSIFY, texts, targets, classes)


@pytest.mark.parametrize("model", ["linear", "naive_bayes"])
def test_the_words_with_the_largest_weights_speak_for_and_against_a_class(model: str) -> None:
    found = words(winner(of_texts(*reviews()), model), None, LATER)
    assert found.without is None
    [told] = found.by_class
    assert told.of == "yes"
    assert {"good", "fine"} < set(told.raising)
    assert told.lowering[0] == "bad"
    assert len(told.raising) == len(told.lowering) == 10


def test_each_of_several_classes_has_words_of_its_own() -> None:
    draw = numpy.random.default_rng(0)
    kinds = draw.integers(0, 3, 300)
    texts = [
        f"{draw.choice(['a', 'the'])} {('goal', 'money', 'tree')[kind]} {draw.choice(['of', 'in'])}" for kind in kinds
    ]
    found = words(winner(of_texts(texts, kinds, ("sport", "trade", "nature")), "linear"), None, LATER)
    assert [(one.of, one.raising[0]) for one in found.by_class] == [
        ("sport", "goal"),
        ("trade", "money"),
        ("nature", "tree"),
    ]


def test_words_that_raise_a_number_and_those_that_lower_it() -> None:
    texts, likes = reviews()
    price = 10.0 + 5 * likes + numpy.random.default_rng(1).normal(size=len(likes))
    [told] = words(winner(Examples("text", Task.REGRESS, texts, price[:, None])), None, LATER).by_class
    assert told.of == ""
    assert {"good", "fine"} < set(told.raising)
    assert told.lowering[0] == "bad"


@pytest.mark.parametrize("model", ["random_forest", "svm"])
def test_of_other_models_the_words_count_without_which_they_are_worse(model: str) -> None:
    found = words(winner(of_texts(*reviews()), model), None, LATER)
    assert found.by_class == ()
    assert found.without is not None
    assert {one.column for one in found.without.shown[:3]} == {"good", "fine", "bad"}
    assert found.without.columns[2].loss > 3 * found.without.columns[3].loss
    assert (len(found.without.columns), found.without.not_reached) == (10, 0)


def test_no_word_is_shown_of_texts_that_say_nothing() -> None:
    shown = 0
    for seed in range(5):
        texts, _ = reviews(200, seed)
        chance = numpy.random.default_rng(100 + seed).integers(0, 2, 200)
        found = words(winner(of_texts(texts, chance), "random_forest"), None, LATER)
        assert found.without is not None
        shown += len(found.without.shown)
    assert shown <= 1


def test_in_a_table_the_words_of_its_column_of_texts_count() -> None:
    texts, likes = reviews()
    texts = [f"{text} {number}" for number, text in enumerate(texts)]
    noise = numpy.random.default_rng(2).normal(size=len(likes))
    subject = winner(tabular({"noise": noise, "note": texts}, likes), "random_forest")
    found = words(subject, importance(subject, LATER), LATER)
    assert found.column == "note"
    assert found.without is not None
    assert found.without.columns[0].column in ("good", "fine", "bad")
    cut = words(subject, None, time.monotonic())
    assert cut.without is not None
    assert (len(cut.without.columns), cut.without.not_reached) == (1, 49)


def test_a_planted_slice_is_named_and_nothing_else() -> None:
    columns, _ = people(2000)
    lima = numpy.array(columns["city"].cast(polars.String).to_list()) == "Lima"
    chance = numpy.where(columns["age"] > 50, 0.9, 0.1)
    found = slices(winner(tabular(columns, coin(numpy.where(lima, 0.5, chance)))))
    assert [(one.column, one.values) for one in found.found] == [("city", "Lima")]
    worst = found.found[0]
    assert worst.low <= 0.5 <= worst.high
    assert worst.elsewhere < 0.25 < worst.error
    assert worst.count > 200


def test_a_range_of_numbers_in_which_errors_are_large_is_named() -> None:
    draw = numpy.random.default_rng(0)
    x, other = draw.random(1500), draw.random(1500)
    found = slices(
        winner(tabular({"other": other, "x": x}, 2 * x + draw.normal(size=1500) * numpy.where(x > 0.8, 1.0, 0.1)))
    )
    assert [one.column for one in found.found] == ["x"]
    assert found.found[0].values.startswith("0.8")
    assert " to 0.99" in found.found[0].values


@pytest.mark.parametrize("grouped", [False, True])
def test_on_noise_there_is_hardly_ever_a_slice(grouped: bool) -> None:
    named = 0
    for seed in range(20):
        draw = numpy.random.default_rng(seed)
        groups = numpy.repeat(numpy.arange(75), 4)
        strange = numpy.repeat(draw.random(75) < 0.3, 4)  # whole groups are told wrong
        x = numpy.repeat(draw.normal(size=(75, 5)), 4, axis=0) if grouped else draw.normal(size=(300, 5))
        targets = numpy.where(strange & grouped, 1 - (x[:, 0] > 0), (x[:, 0] > 0) ^ (draw.random(300) < 0.2)).astype(
            int
        )
        columns = {f"x{place}": x[:, place] for place in range(1, 5)} | {"said": x[:, 0] > 0}
        more = {"groups": groups} if grouped else {}
        named += bool(slices(winner(tabular(columns, targets, **more))).found)
    assert named <= 4, "one run in twenty is expected"


def test_where_nothing_is_told_wrong_there_is_no_slice() -> None:
    x = numpy.random.default_rng(0).normal(size=200)
    assert not slices(winner(tabular({"x": x}, (x > 0).astype(int)), "gradient_boosting")).found


@given(
    st.lists(st.one_of(st.none(), st.integers(-5, 5), st.floats(-1e6, 1e6)), min_size=1, max_size=60), st.integers(2, 6)
)
def test_parts_of_a_column_are_all_of_it_and_share_nothing(values: list[float | None], ranges: int) -> None:
    examples = tabular({"x": polars.Series(values, dtype=polars.Float64)}, numpy.zeros(len(values)))
    parts = parts_of_column(examples, "x", ranges, 3)
    assert len(parts) <= ranges + 1
    if parts:
        assert sorted(row for part in parts for row in part.rows.tolist()) == list(range(len(values)))
        assert all(part.typical in part.rows for part in parts)


def test_dates_and_what_is_missing_are_parts_too() -> None:
    days = polars.Series(["2026-01-01", "2026-02-01", None, "2026-03-01"]).str.to_date()
    parts = parts_of_column(tabular({"day": days}, numpy.zeros(4)), "day", 2, 3)
    assert [part.values for part in parts] == ["2026-01-01", "2026-02-01 to 2026-03-01", "missing"]


# --- probabilities and mistakes ----------------------------------------------------------------------------------


def said(subject: Subject, likely: Any) -> Subject:
    """The same winner, saying other probabilities of the second of two classes."""
    both = numpy.stack([1 - likely, likely], axis=1)
    return replace(subject, fitted=Fitted(both.argmax(axis=1), probabilities=both))


def test_right_probabilities_are_not_called_wrong_and_bold_ones_are() -> None:
    fits = []
    for seed in range(10):
        columns, chance = people(1500, seed)
        subject = winner(tabular(columns, coin(chance, seed)))
        fits.append(calibration(said(subject, chance[subject.split.test])).fit)
    assert fits.count(Fit.FITS) >= 8
    rate = chance[subject.split.test]
    odds = numpy.log(rate / (1 - rate))
    assert calibration(said(subject, logistic(4 * odds))).fit is Fit.TOO_SURE
    assert calibration(said(subject, logistic(odds / 4))).fit is Fit.TOO_UNSURE


def test_where_groups_decide_together_their_luck_is_no_fault_of_the_probabilities() -> None:
    fits = []
    for seed in range(10):
        draw = numpy.random.default_rng(seed)
        groups = numpy.repeat(numpy.arange(100), 10)
        rate = numpy.repeat(draw.uniform(0.2, 0.8, 100), 10)
        targets = numpy.repeat(coin(rate[::10], seed), 10)
        subject = winner(tabular({"x": draw.normal(size=1000)}, targets, groups=groups))
        fits.append(calibration(said(subject, rate[subject.split.test])).fit)
    assert fits.count(Fit.FITS) >= 8


def test_scikit_learn_draws_the_same_reliability() -> None:
    columns, chance = people(1500)
    subject = winner(tabular(columns, coin(chance)))
    found = calibration(subject)
    likely = subject.fitted.probabilities
    assert likely is not None
    was, mean = calibration_curve(subject.truth, likely[:, 1], n_bins=10, strategy="quantile")
    assert [one.was for one in found.bins] == pytest.approx(was)
    assert [one.said for one in found.bins] == pytest.approx(mean)
    weights = numpy.array([one.count for one in found.bins]) / len(subject.truth)
    assert found.error == pytest.approx(float(weights @ abs(was - mean)))


@given(st.lists(st.floats(0, 1), min_size=1, max_size=300))
def test_bins_keep_equal_probabilities_together(likely: list[float]) -> None:
    values = numpy.array(likely)
    bins = bins_of(values)
    assert len(numpy.unique(bins)) <= 10
    assert all(len(set(bins[values == one])) == 1 for one in set(likely))


def test_the_most_confused_classes_come_first() -> None:
    draw = numpy.random.default_rng(0)
    truth = draw.integers(0, 3, 900)
    seen = numpy.where((truth == 1) & (draw.random(900) < 0.4), 2, truth)
    found = confusion(winner(tabular({"x": polars.Series(seen).cast(polars.String).cast(polars.Categorical)}, truth)))
    worst = found.pairs[0]
    assert (worst.truth, worst.said) == ("class 1", "class 2")
    assert worst.count == found.wrong
    assert sum(map(sum, found.matrix)) == found.rows


def test_errors_that_grow_with_the_prediction_are_told_from_those_that_do_not() -> None:
    draw = numpy.random.default_rng(0)
    x = draw.uniform(1, 10, 800)
    steady = residuals(winner(tabular({"x": x}, x + draw.normal(size=800))))
    growing = residuals(winner(tabular({"x": x}, x * (1 + 0.3 * draw.normal(size=800)))))
    assert not steady.grows
    assert growing.grows
    assert growing.by_size[0].high < growing.by_size[-1].low
    assert steady.quantiles["p05"] == pytest.approx(-1.645, abs=0.4)
    assert steady.quantiles["p95"] == pytest.approx(1.645, abs=0.4)


def test_the_largest_errors_name_their_examples() -> None:
    draw = numpy.random.default_rng(0)
    x = draw.normal(size=200)
    targets = 2 * x
    subject = winner(tabular({"x": x}, targets))
    place = int(subject.split.test[7])
    odd = targets.copy()
    odd[place] = 500.0
    worst = residuals(winner(tabular({"x": x}, odd))).largest[0]
    assert (worst.example, worst.truth) == (place + 1, 500.0)


# --- more data ---------------------------------------------------------------------------------------------------


def test_more_data_help_where_there_is_much_to_remember() -> None:
    draw = numpy.random.default_rng(0)
    names = draw.integers(0, 300, 4000)
    targets = draw.integers(0, 2, 300)[names]
    found = learning_curve(winner(tabular({"a": names.astype(float)}, targets), "knn"), LATER)
    assert found.verdict is MoreData.HELPS
    assert [one.examples for one in found.points] == [600, 1200, 2400]
    scores = [one.score for one in found.points]
    assert scores == sorted(scores)


def test_more_data_hardly_help_where_a_line_is_known() -> None:
    draw = numpy.random.default_rng(0)
    x = draw.normal(size=3000)
    found = learning_curve(winner(tabular({"x": x}, 2 * x + draw.normal(size=3000))), LATER)
    assert found.verdict is MoreData.HARDLY
    assert abs(found.gain) < 0.01


def test_few_held_out_examples_do_not_tell_whether_more_data_help() -> None:
    x = numpy.random.default_rng(0).normal(size=60)
    found = learning_curve(winner(tabular({"x": x}, (x > 0).astype(int))), LATER)
    assert found.verdict is MoreData.UNCLEAR, "all right on so few is no certainty"
    assert found.low < found.gain < found.high


def test_half_of_the_examples_are_the_latest_or_whole_groups() -> None:
    rows, targets = numpy.arange(100), numpy.zeros(100)
    by_time = tabular({"x": targets}, targets, times=numpy.arange(100.0)[::-1])
    assert half_of(by_time, rows, 0).tolist() == list(range(50))
    groups = numpy.repeat(numpy.arange(20), 5)
    half = half_of(tabular({"x": targets}, targets, groups=groups), rows, 0)
    assert not set(groups[half]) & set(groups[numpy.setdiff1d(rows, half)])


def test_without_time_for_a_training_there_is_no_curve() -> None:
    x = numpy.random.default_rng(0).normal(size=200)
    with pytest.raises(TooLongError):
        learning_curve(replace(winner(tabular({"x": x}, x)), seconds=100.0), time.monotonic() + 10)


# --- all together ------------------------------------------------------------------------------------------------


def told_of(subject: Subject, until: float = LATER) -> list[Insight]:
    told: list[Insight] = []
    explain(subject, until, told.append)
    return told


def test_everything_is_told_piece_by_piece_and_survives_the_way() -> None:
    columns, chance = people(500)
    told = told_of(winner(tabular(columns, coin(chance))), time.monotonic() + 60)
    assert [len(one.not_known) for one in told] == list(range(6, -1, -1)), "an ended process has told the rest"
    last = told[-1]
    assert last.residuals is None
    assert None not in (last.confusion, last.calibration, last.slices, last.importance, last.learning_curve)
    assert MESSAGES.read(MESSAGES.line(last)) == last


def test_without_time_everything_is_not_known_for_that_reason() -> None:
    columns, chance = people(200)
    told = told_of(winner(tabular(columns, coin(chance))), time.monotonic() - 1)
    assert len(told) == 1
    assert {one.reason for one in told[0].not_known} == {NO_TIME}


def test_a_piece_that_fails_costs_itself_alone() -> None:
    columns, chance = people(300)
    subject = winner(tabular(columns, coin(chance)))
    assert subject.fitted.learned is not None
    broken = replace(subject, fitted=replace(subject.fitted, learned=replace(subject.fitted.learned, model=None)))
    last = told_of(broken, time.monotonic() + 60)[-1]
    assert [one.piece for one in last.not_known] == ["dependence", "importance"]
    assert "could not be found out" in last.not_known[1].reason
    assert last.slices is not None
    assert last.learning_curve is not None


def test_a_model_that_says_something_else_when_it_is_asked_once_more_is_not_explained() -> None:
    columns, chance = people(300)
    subject, other = winner(tabular(columns, coin(chance))), winner(tabular(columns, coin(chance, 1)))
    changed = replace(subject, fitted=replace(subject.fitted, learned=other.fitted.learned))
    last = told_of(changed, time.monotonic() + 60)[-1]
    assert last.importance is None
    assert any("something else than before" in one.reason for one in last.not_known)


def test_what_is_no_table_has_mistakes_and_a_curve() -> None:
    draw = numpy.random.default_rng(0)
    targets = draw.integers(0, 2, 200)
    pictures = (draw.random((200, 1, 4, 4)) + targets[:, None, None, None] / 2).astype(numpy.float32)
    texts = [" ".join(draw.choice(["good", "fine"] if one else ["bad", "poor"], 4)) for one in targets]
    for modality, inputs in (("image", pictures), ("text", texts)):
        examples = Examples(modality, Task.CLASSIFY, inputs, targets, ("a", "b"))
        last = told_of(winner(examples), time.monotonic() + 60)[-1]
        assert None not in (last.confusion, last.calibration, last.learning_curve)
        assert last.importance is last.slices is None
        assert not last.not_known


def test_a_forecast_that_only_repeats_has_errors() -> None:
    steps = numpy.sin(numpy.arange(300) / 5)
    windows = numpy.stack([steps[start : start + 8] for start in range(290)])[:, :, None].astype(numpy.float32)
    targets = steps[8:298, None]
    examples = Examples("series", Task.FORECAST, windows, targets, times=numpy.arange(290.0))
    subject = winner(examples)
    last = told_of(replace(subject, fitted=replace(subject.fitted, learned=None)), time.monotonic() + 60)[-1]
    assert last.residuals is not None
    assert last.importance is None
