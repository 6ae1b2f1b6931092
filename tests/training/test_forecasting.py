"""Forecasts rest on everything before them and on nothing after, and say what the library says by itself."""

from __future__ import annotations

import math
import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy
import polars
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from sklearn.metrics import mean_pinball_loss
from statsforecast.models import AutoARIMA, AutoETS, AutoTheta

from advisor.datasets.dataset import Examples, Series, Task
from advisor.datasets.inspect import inspect
from advisor.datasets.loading import load
from advisor.datasets.preparing.splits import inner_folds, outer_split
from advisor.datasets.tables.series.seasons import seasons
from advisor.errors import InputError
from advisor.plain import encode
from advisor.session.keeping import not_worth_it
from advisor.training.child import fitting, forecasting
from advisor.training.child.fitted import Allowance, FittingError
from advisor.training.child.fitting import Fitting
from advisor.training.child.forecaster import Forecaster, History, fitted_steps
from advisor.training.child.forecasting import MOST_SERIES, forecasts
from advisor.training.child.lagged import lagged, reach, repeated, to_learn_from, usual_back, usual_error
from advisor.training.child.metrics import mase, metric_named, pinball, score
from advisor.training.child.request import Request
from advisor.training.kept.applying import apply
from advisor.training.kept.card import ESTIMATOR, read_card
from advisor.training.kept.keeping import keep
from advisor.training.kept.request import Applied, Apply, Keep, Said
from advisor.training.ladder.candidates import Candidate, Planned
from advisor.training.ladder.forecasters import forecasters
from advisor.training.ladder.menu import menu
from advisor.training.ladder.outcome import Best, Metric, Winner
from advisor.training.ladder.trial_record import Kind
from advisor.training.ladder.variants import STATISTICAL

Floats = NDArray[numpy.float64]
CANDIDATES = {candidate.name: candidate for candidate in menu(Planned(), "time_series", forecast=True).openers}


def waves(steps: int, *lengths: int, trend: float = 0.1, noise: float = 0.3, seed: int = 0) -> Floats:
    """A wave of each length on a slope."""
    time_ = numpy.arange(steps)
    made = sum((numpy.sin(2 * math.pi * time_ / length) * (3 + place) for place, length in enumerate(lengths)), 20.0)
    found: Floats = made + trend * time_ + noise * numpy.random.default_rng(seed).normal(size=steps)
    return found


def examples_of(values: Floats, horizon: int = 1, window: int = 8, repeats: tuple[int, ...] = ()) -> Examples:
    ends = numpy.array(
        [e for e in range(window, len(values) - horizon + 1) if numpy.isfinite(values[e : e + horizon]).all()]
    )
    steps = numpy.arange(len(values))
    series = Series(values, numpy.zeros_like(steps), steps.astype(float), ends, repeats)
    inputs = values[ends[:, None] + numpy.arange(-window, 0)][:, :, None]
    targets = values[ends[:, None] + numpy.arange(horizon)]
    return Examples("time_series", Task.FORECAST, inputs, targets, times=ends.astype(float), series=series)


@pytest.mark.parametrize(("variant", "model"), [("ets", AutoETS), ("theta", AutoTheta)])
@pytest.mark.parametrize("horizon", [1, 5])
def test_later_values_are_told_to_a_model_as_the_library_does(variant: str, model: type, horizon: int) -> None:
    values = waves(90, 12)
    history = History(variant, values, (12,))
    own = model(season_length=12).fit(values[:70])
    for origin in (70, 71, 80):
        assert history.forecast(origin, horizon) == pytest.approx(own.forward(y=values[:origin], h=horizon)["mean"])


def test_at_the_first_origin_a_forecast_is_that_of_the_library() -> None:
    values = waves(120, 12)
    own = AutoARIMA(season_length=12).fit(values).predict(h=4)["mean"]
    assert History("arima", values, (12,)).forecast(120, 4) == pytest.approx(own)


@pytest.mark.parametrize("repeats", [(), (6,), (6, 24), (30,)])
@pytest.mark.parametrize("variant", ["ets", "theta", "seasonal_naive"])
@settings(max_examples=8, deadline=None)
@given(data=st.data())
def test_what_comes_after_a_forecast_never_changes_it(
    variant: str, repeats: tuple[int, ...], data: st.DataObject
) -> None:
    if variant == "seasonal_naive" and not repeats:
        return
    values = waves(110, 6, 24)
    origin = data.draw(st.integers(80, 105))
    gaps = data.draw(st.lists(st.integers(20, 109), max_size=6))
    values[gaps] = numpy.nan
    other = values.copy()
    other[origin:] = data.draw(st.lists(st.floats(-1e3, 1e3), min_size=110 - origin, max_size=110 - origin))

    def said(of: Floats) -> Floats:
        series = Series(of, numpy.zeros(110, numpy.int64), numpy.arange(110.0), numpy.array([70, 78, origin]), repeats)
        return forecasts(variant, series, numpy.array([0, 1, 2]), 2)

    assert said(other) == pytest.approx(said(values), nan_ok=True)


@settings(max_examples=20, deadline=None)
@given(origin=st.integers(40, 88), seed=st.integers(0, 99), back=st.sampled_from([1, 6]))
def test_boosting_of_differences_looks_at_nothing_that_comes_after(origin: int, seed: int, back: int) -> None:
    values = waves(90, 6)
    other = values.copy()
    other[origin:] += numpy.random.default_rng(seed).normal(size=90 - origin) * 50
    place = numpy.array([origin - 8])
    mine, theirs = (lagged(examples_of(one, 2, repeats=(6,)), place, back) for one in (values, other))
    assert numpy.array_equal(mine[0], theirs[0], equal_nan=True)
    assert numpy.array_equal(mine[1], theirs[1])


@settings(max_examples=20, deadline=None)
@given(cut=st.integers(1, 60), seed=st.integers(0, 99), back=st.sampled_from([1, 10]), dated=st.booleans())
def test_where_a_series_begins_changes_nothing_if_it_is_long_enough(
    cut: int, seed: int, back: int, dated: bool
) -> None:
    def inputs(values: Floats, first: int) -> tuple[Floats, Floats]:
        examples = examples_of(values, 2, repeats=(10, 15))
        assert examples.series is not None
        times = 86_400.0 * (18_000 + first + numpy.arange(len(values)))
        examples = replace(examples, series=replace(examples.series, times=times, dated=dated))
        assert len(values) - 2 >= reach(examples, back)
        return lagged(examples, numpy.array([len(examples) - 1]), back)

    values = waves(100, 10, seed=seed)
    whole, late = inputs(values, 0), inputs(values[cut:], cut)
    assert numpy.array_equal(whole[0], late[0])
    assert numpy.array_equal(whole[1], late[1])
    assert numpy.isfinite(whole[0]).all()


def test_a_short_series_lacks_what_it_has_no_steps_for_and_is_not_taken_for_one_that_stays_as_it_is() -> None:
    whole, short = (examples_of(one, repeats=(12,)) for one in (waves(200, 12), waves(20, 12)))
    told, lacking = (lagged(one, numpy.array([len(one) - 1]), 1)[0] for one in (whole, short))
    assert numpy.isfinite(told).all()
    assert numpy.isnan(lacking).sum() == 3, "around two seasons before"
    learned = to_learn_from(numpy.vstack([lacking, lacking]))
    assert (learned[:, numpy.isnan(lacking[0])] == 0).all(), "trees cannot be fitted to nothing but gaps"
    assert numpy.isnan(to_learn_from(numpy.vstack([told, lacking]))).sum() == 3


def test_a_gap_that_lasts_until_the_forecast_is_forecast_too() -> None:
    values = waves(90, 12)
    with_gap = values.copy()
    with_gap[80:83] = numpy.nan
    assert History("ets", with_gap, (12,)).forecast(83, 2) == pytest.approx(
        History("ets", values, (12,)).forecast(80, 5)[3:]
    )


def test_two_seasons_are_followed() -> None:
    values = waves(900, 24, 168, trend=0.0)
    series = Series(values, numpy.zeros(900, numpy.int64), numpy.arange(900.0), numpy.arange(800, 900), (24, 168))
    rows = numpy.arange(100)
    off = forecasts("ets", series, rows, 1)[:, 0] - values[800:]
    one = forecasts("seasonal_naive", series, rows, 1)[:, 0] - values[800:]
    assert off.std() < 0.8 * one.std()


@pytest.mark.parametrize("variant", ["ets", "arima", "theta"])
def test_a_series_that_never_changes_goes_on_so(variant: str) -> None:
    assert History(variant, numpy.full(40, 7.0), ()).forecast(35, 3).tolist() == [7, 7, 7]


def test_what_is_too_short_is_refused() -> None:
    with pytest.raises(ValueError, match="5 steps of the series are too few"):
        History("ets", numpy.arange(20.0), ()).forecast(5, 1)
    with pytest.raises(ValueError, match="No season shows"):
        Forecaster("seasonal_naive", numpy.arange(20.0), (12,))


def test_many_series_are_refused_and_a_few_are_fitted_one_by_one() -> None:
    values = numpy.concatenate([waves(60, 6), waves(60, 6, seed=1) + 100])
    number = numpy.repeat([0, 1], 60)
    series = Series(values, number, numpy.tile(numpy.arange(60.0), 2), numpy.array([50, 55, 110, 120]), (6,))
    found = forecasts("ets", series, numpy.arange(4), 1)[:, 0]
    alone = [History("ets", values[:60], (6,)), History("ets", values[60:], (6,))]
    assert found.tolist() == [alone[0].forecast(50, 1)[0], alone[0].forecast(55, 1)[0],
                              alone[1].forecast(50, 1)[0], alone[1].forecast(60, 1)[0]]  # fmt: skip
    many = Series(numpy.ones(300), numpy.repeat(numpy.arange(30), 10), numpy.ones(300), numpy.arange(9, 300, 10))
    with pytest.raises(FittingError, match="30 are too many"):
        forecasts("ets", many, numpy.arange(30), 1)
    assert MOST_SERIES < 30


class Slow:
    """A series whose model takes a minute to fit and a second for each forecast, by a clock of its own."""

    now = 0.0

    def __init__(self, *_: object) -> None:
        self._seconds = 60.0

    def forecast(self, end: int, horizon: int) -> Floats:
        Slow.now, self._seconds = Slow.now + self._seconds, 1.0
        return numpy.zeros(horizon)


@pytest.mark.parametrize(
    ("series", "forecasts_of_each", "most", "told"),
    [
        (1, 100, 200.0, None),
        (1, 100, 120.0, "159 s"),  # 60 and 99
        (3, 2, 100.0, "180 s"),  # after the first fit, though there are six forecasts
        (3, 2, -1.0, "180 s"),  # begun too late
        (3, 2, math.inf, None),
    ],
)
def test_forecasts_that_take_too_long_are_given_up_after_the_first_of_them(
    series: int, forecasts_of_each: int, most: float, told: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Slow, "now", 0.0)
    monkeypatch.setattr(forecasting, "History", Slow)
    monkeypatch.setattr(forecasting, "time", SimpleNamespace(monotonic=lambda: Slow.now))
    steps = series * forecasts_of_each
    number = numpy.repeat(numpy.arange(series), forecasts_of_each)
    known = Series(numpy.ones(steps), number, numpy.arange(float(steps)), numpy.arange(1, steps + 1))
    if told is None:
        assert forecasts("ets", known, numpy.arange(steps), 1, most).shape == (steps, 1)
        return
    with pytest.raises(FittingError, match=f"would take about {told}"):
        forecasts("ets", known, numpy.arange(steps), 1, most)
    assert Slow.now <= 61, "no second model is fitted"


def test_of_a_series_the_forecasts_of_finals_have_their_time(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[float] = []

    def told(variant: str, series: Series, rows: Floats, horizon: int, most: float, share: float | None) -> Floats:
        given.append(most)
        return numpy.zeros((len(rows), horizon))

    monkeypatch.setattr(fitting, "forecasts", told)
    examples = examples_of(waves(60))
    rows = numpy.arange(len(examples))
    for judged in (True, False):
        allowance = Allowance(3.0, math.inf, judged=judged)
        Fitting(examples, 1).fit(CANDIDATES["AutoETS"], rows[:30], rows[30:], 0, allowance)
    assert given == [fitting.PATIENCE * 3.0, math.inf]


def test_of_a_long_series_the_latest_steps_are_fitted() -> None:
    values = numpy.r_[1000 * waves(4000, 12), waves(1600, 12)]
    late = History("ets", values[4000:], ()).forecast(1500, 1)
    assert fitted_steps(()) == 1500
    assert History("ets", values, ()).forecast(5500, 1) == pytest.approx(late)
    assert fitted_steps((48, 336)) == 10 * 336


@pytest.mark.parametrize(
    ("values", "found"),
    [
        (waves(200, 12), (12,)),
        (numpy.where(numpy.arange(2000) // 24 % 7 < 5, 1.0, 0.5) * (waves(2000, 24, trend=0.0) - 17), (24, 168)),
        (numpy.random.default_rng(0).normal(size=400).cumsum(), ()),
        (numpy.random.default_rng(0).normal(size=400), ()),
        (numpy.ones(100), ()),
        (numpy.array([]), ()),
        (numpy.full(50, numpy.nan), ()),
    ],
    ids=["one", "two", "walk", "noise", "constant", "empty", "unknown"],
)
def test_seasons_show_in_the_values(values: Floats, found: tuple[int, ...]) -> None:
    assert seasons(values) == found


def test_the_season_of_the_calendar_is_taken_where_none_shows() -> None:
    assert seasons(numpy.random.default_rng(0).normal(size=100), 12) == (12,)
    assert seasons(numpy.random.default_rng(0).normal(size=30), 12) == (), "too short for it"


def test_a_repeated_value_is_that_of_a_season_before_on_each_step_ahead() -> None:
    examples = examples_of(numpy.arange(60.0), 5, repeats=(3,))
    place = numpy.array([10])
    end = 8 + 10
    assert repeated(examples, place, 3).tolist() == [[end - 3, end - 2, end - 1, end - 3, end - 2]]
    assert repeated(examples, place, 1).tolist() == [[end - 1] * 5]


def test_a_season_longer_than_the_window_can_be_repeated() -> None:
    examples = examples_of(waves(200, 24, trend=0, noise=0.01), repeats=(24,))
    assert usual_back(examples, numpy.arange(100)) == 24


def test_mase_is_one_for_what_is_as_far_off_as_the_season_before() -> None:
    examples = examples_of(waves(200, 12), repeats=(12,))
    rows = numpy.arange(100)
    before = repeated(examples, rows, 12)
    unit = usual_error(examples, rows)
    off = [abs(v - w) for v, w in zip(examples.targets[rows, 0], before[:, 0], strict=True)]
    assert unit == pytest.approx(sum(off) / len(off))
    assert score(mase(unit), examples.targets[rows], before) == pytest.approx(1)


def test_the_quantile_loss_is_that_of_scikit_learn() -> None:
    draw = numpy.random.default_rng(0)
    truth, said = draw.normal(size=(30, 2)), draw.normal(size=(30, 2))
    for name, share in (("pinball", 0.9), ("pinball_0.2", 0.2)):
        metric = metric_named(name, "forecast", truth, 1.0)
        assert score(metric, truth, said) == pytest.approx(mean_pinball_loss(truth, said, alpha=share))
        assert pinball(share).drawn is not None
        once = metric.drawn(truth, said, numpy.ones((1, 30)))  # type: ignore[misc]
        assert once == pytest.approx([mean_pinball_loss(truth, said, alpha=share)])


@pytest.mark.parametrize(
    ("name", "unit", "told"),
    [
        ("mase", None, "these data are no series"),
        ("pinball_2", 1.0, "names no share"),
        ("pinball_x", 1.0, "names no share"),
    ],
)
def test_a_metric_of_forecasts_that_means_nothing_is_refused(name: str, unit: float | None, told: str) -> None:
    with pytest.raises(InputError, match=told):
        metric_named(name, "regress", numpy.arange(10.0)[:, None], unit)


def fitted_rmse(name: str, examples: Examples) -> float:
    split = outer_split(examples)
    found = Fitting(examples, 1).fit(CANDIDATES[name], split.training, split.test, 0, Allowance(5.0, math.inf))
    return float(numpy.sqrt(((found.predicted - examples.targets[split.test]) ** 2).mean()))


def test_boosting_of_differences_follows_a_trend_that_trees_cannot() -> None:
    examples = examples_of(waves(300, 12, trend=0.5), window=24, repeats=(12,))
    assert fitted_rmse("boosting of differences", examples) < 0.3 * fitted_rmse("gradient boosting", examples)


def test_a_statistical_model_halves_the_error_of_the_season_before() -> None:
    examples = examples_of(waves(160, 12, trend=1.0), window=24, repeats=(12,))
    assert fitted_rmse("AutoETS", examples) < 0.5 * fitted_rmse("trivial", examples)


def test_without_the_library_a_season_before_and_boosting_remain(monkeypatch: pytest.MonkeyPatch) -> None:
    assert [one.variant for one in forecasters()] == [*STATISTICAL, ""]
    monkeypatch.setattr("advisor.training.ladder.forecasters.find_spec", lambda name: None)
    assert [one.name for one in forecasters()] == ["seasonal naive", "boosting of differences"]


# --- horizons ----------------------------------------------------------------------------------------------------


def table(path: Path, values: Floats, *, without: tuple[int, ...] = ()) -> Path:
    days = numpy.datetime64("2020-01-01") + numpy.arange(len(values))
    rows = polars.DataFrame({"day": days, "sold": values})
    rows.filter(~polars.int_range(len(values)).is_in(list(without))).write_csv(path)
    return path


def test_no_training_example_of_a_horizon_reaches_into_the_test(tmp_path: Path) -> None:
    examples = load(inspect(table(tmp_path / "a.csv", waves(200, 7)), "sold"), most_examples=1000, horizon=7)
    assert examples.targets.shape[1] == 7
    assert examples.series is not None
    assert examples.targets[3] == pytest.approx(examples.series.values[examples.series.ends[3] + numpy.arange(7)])
    outer = outer_split(examples)
    ends = examples.series.ends
    for split in (outer, *inner_folds(examples, outer.training, 5, 0)):
        assert (ends[split.training] + 7 <= ends[split.test].min()).all()


def test_a_missing_row_is_a_step_without_a_value(tmp_path: Path) -> None:
    values = waves(120, 7)
    whole, gappy = (
        load(inspect(table(tmp_path / "a.csv", values, without=gaps), "sold"), most_examples=1000)
        for gaps in ((), (60, 61))
    )
    assert whole.series is not None
    assert gappy.series is not None
    assert numpy.isnan(gappy.series.values[[60, 61]]).all()
    assert gappy.series.values[62:] == pytest.approx(whole.series.values[62:])
    assert len(gappy) == len(whole) - 2


def test_a_horizon_beyond_the_series_is_refused(tmp_path: Path) -> None:
    found = inspect(table(tmp_path / "a.csv", waves(60, 7)), "sold")
    with pytest.raises(InputError, match=r"the 80 that it looks ahead.*shorter --horizon"):
        load(found, most_examples=1000, horizon=80)


# --- saved -------------------------------------------------------------------------------------------------------


def kept(data: Path, winner: Candidate, folder: Path, horizon: int, verdict: str = "baseline") -> Path:
    found = inspect(data, "sold")
    asked = Request(str(data), "sold", found.fingerprint, Planned(), 60, 60, 0, 1, 10_000, horizon=horizon)
    best = Best(winner.name, winner.kind, 1.0, 0.8, 1.2, encode(winner.settings) if winner.settings else {})
    folder.mkdir()
    metric = Metric("rmse", "RMSE", 0.01, False, task="forecast", in_units=True)
    keep(Keep(asked, best, metric, verdict, "It won.", 0.1, 60.0, str(folder), "2026-05-01", None), time.monotonic())
    return folder


@pytest.mark.parametrize("name", ["AutoETS", "boosting of differences", "linear"])
def test_a_saved_forecast_goes_on_after_the_end_of_other_data(name: str, tmp_path: Path) -> None:
    data = table(tmp_path / "sold.csv", waves(200, 7))
    longer = waves(230, 7)
    folder = kept(data, CANDIDATES[name], tmp_path / "model", 3)
    told: list[object] = []
    output = tmp_path / "next.csv"
    apply(Apply(str(folder), str(table(tmp_path / "new.csv", longer)), str(output), 1), told.append)
    rows = polars.read_csv(output)
    assert rows.columns == ["day", "step", "sold", "low", "high"]
    assert rows["step"].to_list() == [1, 2, 3]
    assert (rows["low"] < rows["sold"]).all()
    assert (rows["high"] > rows["sold"]).all()
    expected = waves(233, 7, noise=0)[230:]
    assert rows["sold"].to_numpy() == pytest.approx(expected, abs=1.5)
    assert [one for one in told if isinstance(one, Applied)] == [Applied(3)]
    if name == "AutoETS":
        own = AutoETS(season_length=7).fit(longer).predict(h=3)["mean"]
        assert rows["sold"].to_numpy() == pytest.approx(own, rel=1e-6)
        assert not (folder / ESTIMATOR).exists()
        assert "it is fitted anew to the series" in (folder / "README.md").read_text()
    assert len(read_card(folder).ahead_low) == 3


@pytest.mark.parametrize(
    ("name", "warning"),
    [
        ("trivial", "No model was better, beyond noise, than repeating an earlier value, which is all it does."),
        ("linear", "It was not better, beyond noise, than repeating an earlier value."),
    ],
)
def test_what_is_no_better_than_an_earlier_value_is_saved_with_a_warning(
    name: str, warning: str, tmp_path: Path
) -> None:
    values = waves(200, 7, noise=0.01)
    folder = kept(table(tmp_path / "sold.csv", values), CANDIDATES[name], tmp_path / "model", 3, "nothing")
    assert read_card(folder).warning == warning
    page = (folder / "README.md").read_text()
    assert f"{name}, which the folds chose among the models" in page
    assert warning in page
    output = tmp_path / "next.csv"
    apply(Apply(str(folder), str(tmp_path / "sold.csv"), str(output), 1), lambda message: None)
    if name == "trivial":
        assert "The model repeats the value of 7 steps before." in page
        assert polars.read_csv(output)["sold"].to_numpy() == pytest.approx(values[-7:-4])


def test_forecasts_alone_are_saved_where_nothing_was_better() -> None:
    def why(task: Task, verdict: Winner) -> str | None:
        best = Best("linear", Kind.BASELINE, 1.0, 0.8, 1.2)
        return not_worth_it(SimpleNamespace(best=best, verdict=verdict, data=SimpleNamespace(task=task)))  # type: ignore[arg-type]

    assert why(Task.FORECAST, Winner.NOTHING) is None
    assert "no model was better than looking at no input" in (why(Task.REGRESS, Winner.NOTHING) or "")
    assert why(Task.REGRESS, Winner.BASELINE) is None


@pytest.mark.parametrize(("name", "needs"), [("AutoETS", 14), ("boosting of differences", 21)])
def test_a_saved_forecast_refuses_a_series_that_is_too_short(name: str, needs: int, tmp_path: Path) -> None:
    folder = kept(table(tmp_path / "sold.csv", waves(200, 7)), CANDIDATES[name], tmp_path / "model", 1)
    assert f"The last {needs} steps are needed at least." in (folder / "README.md").read_text()
    short = table(tmp_path / "new.csv", waves(needs - 1, 7))
    with pytest.raises(InputError, match=f"fewer than the {needs} steps"):
        apply(Apply(str(folder), str(short), str(tmp_path / "next.csv"), 1), lambda message: None)


def test_each_of_several_series_goes_on_by_itself(tmp_path: Path) -> None:
    def shops(path: Path, steps: int) -> Path:
        days = numpy.datetime64("2020-01-01") + numpy.arange(steps)
        parts = [
            polars.DataFrame({"day": days, "shop": [name] * steps, "sold": waves(steps, 7, seed=place) + 100 * place})
            for place, name in enumerate(("b", "a"))
        ]
        polars.concat(parts).write_csv(path)
        return path

    folder = kept(shops(tmp_path / "sold.csv", 150), CANDIDATES["AutoETS"], tmp_path / "model", 2)
    output, new, told = tmp_path / "next.csv", shops(tmp_path / "new.csv", 160), list[object]()
    with new.open("a") as file:
        file.write(",aa,5.0\n")
    apply(Apply(str(folder), str(new), str(output), 1), told.append)
    assert Said("Series without a forecast", "None of their rows has a time: 'aa'.") in told
    rows = polars.read_csv(output)
    assert rows["shop"].to_list() == ["a", "a", "b", "b"]
    assert rows["step"].to_list() == [1, 2, 1, 2]
    own = [AutoETS(season_length=7).fit(waves(160, 7, seed=n) + 100 * n).predict(h=2)["mean"] for n in (1, 0)]
    assert rows["sold"].to_numpy() == pytest.approx(numpy.concatenate(own), rel=1e-6)
