"""Models are fitted to the quantile that the metric asks for: held-out values lie below it as often as it says."""

from __future__ import annotations

import math
import time
from pathlib import Path

import numpy
import polars
import pytest
from numpy.typing import NDArray

from advisor.datasets.dataset import Examples, Task
from advisor.datasets.inspect import inspect
from advisor.datasets.preparing.splits import outer_split
from advisor.training.child.climb import Climb, Telling
from advisor.training.child.fitted import Allowance
from advisor.training.child.fitting import Fitting
from advisor.training.child.metrics import mase, metric_named, pinball, score
from advisor.training.child.request import Message, Request
from advisor.training.kept.applying import apply
from advisor.training.kept.keeping import keep
from advisor.training.kept.request import Apply, Keep
from advisor.training.ladder.candidates import Candidate, Member, NetworkSettings, Planned, together
from advisor.training.ladder.ladder import Step
from advisor.training.ladder.menu import menu
from advisor.training.ladder.outcome import Best, Metric
from advisor.training.ladder.shares import fitted_to, is_moved, share_of
from advisor.training.ladder.trial_record import Kind, Stage
from tests.training.test_forecasting import CANDIDATES, examples_of, table, waves

IN_TIME = Allowance(60.0, math.inf)
NETWORK = Candidate(
    "ffn", Kind.NETWORK, Stage.NETWORKS, "ffn", NetworkSettings("ffn", (16,), epochs=40, early_stopping=False)
)
OPENERS = {one.name: one for one in menu(Planned(), "tabular", classes=False).openers}
MEMBERS = (Member("linear", "", weighted=False, share=0.5), Member("gradient_boosting", "", weighted=False, share=0.5))


def skewed(count: int = 600, seed: int = 0) -> tuple[NDArray[numpy.float64], NDArray[numpy.float64]]:
    """Inputs, and targets with a long tail above, the longer the larger the first input."""
    draw = numpy.random.default_rng(seed)
    inputs = draw.uniform(size=(count, 3))
    return inputs, 5 * inputs[:, 1] + (0.5 + 2 * inputs[:, 0]) * draw.exponential(size=count)


def examples(count: int = 600) -> Examples:
    inputs, targets = skewed(count)
    frame = polars.DataFrame({f"x{number}": inputs[:, number] for number in range(3)})
    return Examples("tabular", Task.REGRESS, frame, targets[:, None])


def below(truth: NDArray[numpy.float64], predicted: NDArray[numpy.float64]) -> float:
    return float((truth < predicted).mean())


def test_a_metric_names_the_quantile_that_it_likes_best() -> None:
    targets = numpy.random.default_rng(0).exponential(size=(4000, 1))
    for name, share in (("pinball_0.9", 0.9), ("pinball_0.2", 0.2), ("mae", 0.5)):
        metric = metric_named(name, "regress", targets)
        assert share_of(metric.name) == share
        best = numpy.quantile(targets, share)
        off = [score(metric, targets, numpy.full_like(targets, best + by)) for by in (-0.05, 0.0, 0.05)]
        assert min(off) == off[1]
    assert share_of(mase(2.0).name) == 0.5
    assert [share_of(name) for name in ("rmse", "r2", "accuracy", "log_loss")] == [None] * 4
    assert not is_moved(None)
    assert not is_moved(0.5), "models of the mean stay as they are"


@pytest.mark.parametrize(
    "candidate",
    [*(OPENERS[name] for name in ("trivial", "linear", "random forest", "gradient boosting")),
     Candidate("few leaves", Kind.BASELINE, Stage.BASELINES, "gradient_boosting", variant="few_leaves"),
     Candidate("knn", Kind.BASELINE, Stage.BASELINES, "knn"),
     Candidate("svm", Kind.BASELINE, Stage.BASELINES, "svm"),
     together(MEMBERS, "both"),
     NETWORK],
    ids=lambda one: one.name,
)  # fmt: skip
@pytest.mark.parametrize("share", [0.9, 0.1])
def test_held_out_values_lie_below_as_often_as_the_share_says_and_the_mean_is_beaten(
    candidate: Candidate, share: float
) -> None:
    told = examples(1500)
    split, metric = outer_split(told, 0.4), pinball(share)
    truth = told.targets[split.test]
    found, mean = (
        Fitting(told, 1, quantile).fit(candidate, split.training, split.test, 0, IN_TIME).predicted
        for quantile in (share, None)
    )
    assert below(truth, found) == pytest.approx(share, abs=0.11)
    assert score(metric, truth, found) < 0.9 * score(metric, truth, mean)


def test_few_rows_are_each_looked_at_by_a_model_that_did_not_learn_from_them() -> None:
    told = examples(480)
    rows = numpy.arange(480)
    nearest = Candidate("knn", Kind.BASELINE, Stage.BASELINES, "knn", variant="weighted")  # knows what it learned from
    fitted = Fitting(told, 1, 0.9).fit(nearest, rows[:80], rows[80:], 0, IN_TIME)
    assert below(told.targets[80:], fitted.predicted) == pytest.approx(0.9, abs=0.09)


def test_a_model_of_the_mean_is_moved_as_a_whole() -> None:
    told = examples()
    split = outer_split(told)
    moved, mean = (
        Fitting(told, 1, quantile).fit(OPENERS["linear"], split.training, split.test, 0, IN_TIME).predicted
        for quantile in (0.9, None)
    )
    assert numpy.ptp(moved - mean) == pytest.approx(0, abs=1e-9)


def test_the_median_is_the_field_s_way_for_the_absolute_error() -> None:
    told = examples()
    split, metric = outer_split(told, 0.4), metric_named("mae", "regress", told.targets)
    truth = told.targets[split.test]
    assert fitted_to("gradient_boosting", 0.5) == {"loss": "absolute_error"}
    for name in ("trivial", "gradient boosting"):
        found, mean = (
            Fitting(told, 1, quantile).fit(OPENERS[name], split.training, split.test, 0, IN_TIME).predicted
            for quantile in (0.5, None)
        )
        assert below(truth, found) == pytest.approx(0.5, abs=0.08)
        assert score(metric, truth, found) < score(metric, truth, mean)


def test_the_winner_of_a_trial_by_the_quantile_loss_has_nine_in_ten_values_below_it(tmp_path: Path) -> None:
    path = written(tmp_path / "skewed.csv", 800)
    asked = Request(
        str(path), "y", inspect(path, "y").fingerprint, Planned(), 600.0, 600.0, 0, 1, 1000, metric="pinball_0.9"
    )

    class Silent(Telling):
        def __call__(self, message: Message) -> None:
            pass

    run = Climb(asked, time.monotonic(), Silent(0, 600.0))
    names = ("trivial", "linear", "gradient boosting")
    run._trials += [run._trial(Step(one, 0), math.inf) for one in run._ladder.menu.openers if one.name in names]
    winner = run._ladder.leader(run._trials)
    assert winner is not None
    assert winner.name != "trivial"
    told, split = run._fitting.examples, run._outer
    found = run._fitting.fit(winner, split.training, split.test, 0, IN_TIME).predicted
    mean = Fitting(told, 1).fit(winner, split.training, split.test, 0, IN_TIME).predicted
    truth = told.targets[split.test]
    assert below(truth, found) == pytest.approx(0.9, abs=0.06)
    assert score(pinball(0.9), truth, found) < 0.8 * score(pinball(0.9), truth, mean)


@pytest.mark.parametrize("name", ["trivial", "AutoETS", "AutoTheta", "seasonal naive", "boosting of differences"])
@pytest.mark.parametrize("share", [0.9, 0.1])
def test_forecasts_are_of_the_quantile_on_each_step_ahead(name: str, share: float) -> None:
    told = examples_of(waves(400, 12, trend=0.0, noise=1.0), horizon=3, window=24, repeats=(12,))
    split, metric = outer_split(told, 0.3), pinball(share)
    truth = told.targets[split.test]
    found, mean = (
        Fitting(told, 1, quantile).fit(CANDIDATES[name], split.training, split.test, 0, IN_TIME).predicted
        for quantile in (share, None)
    )
    for step in range(3):
        assert below(truth[:, step], found[:, step]) == pytest.approx(share, abs=0.1)
    assert score(metric, truth, found) < 0.8 * score(metric, truth, mean)


@pytest.mark.parametrize("name", ["trivial", "AutoETS"])
def test_models_of_a_series_are_not_moved_for_the_median(name: str) -> None:
    told = examples_of(waves(200, 12), window=24, repeats=(12,))
    rows = numpy.arange(100)
    found, plain = (
        Fitting(told, 1, share).fit(CANDIDATES[name], rows, rows[:9], 0, IN_TIME).predicted.tolist()
        for share in (0.5, None)
    )
    assert found == plain


def test_a_network_is_trained_by_the_quantile_loss_of_its_share() -> None:
    told = examples()
    rows = numpy.arange(len(told))
    learned = Fitting(told, 1, 0.9).fit(NETWORK, rows, rows[:5], 0, IN_TIME).learned
    assert learned is not None
    assert learned.network is not None
    assert learned.network.loss == "quantile"


def written(path: Path, count: int = 400) -> Path:
    inputs, targets = skewed(count)
    frame = polars.DataFrame({**{f"x{number}": inputs[:, number] for number in range(3)}, "y": targets})
    frame.write_csv(path)
    return path


@pytest.mark.parametrize("winner", [OPENERS["linear"], OPENERS["gradient boosting"], together(MEMBERS, "both")])
def test_a_saved_model_says_the_quantile_of_new_examples(tmp_path: Path, winner: Candidate) -> None:
    data, folder, output = written(tmp_path / "skewed.csv"), tmp_path / "model", tmp_path / "next.csv"
    kept(data, "y", winner, folder, "pinball_0.9", 1)
    new = written(tmp_path / "new.csv", 1200)
    apply(Apply(str(folder), str(new), str(output), 1), lambda message: None)
    truth, found = (polars.read_csv(path)[name].to_numpy() for path, name in ((new, "y"), (output, "y")))
    assert below(truth[400:], found[400:]) == pytest.approx(0.9, abs=0.07)
    assert "about 90 % are expected below it" in (folder / "README.md").read_text()


@pytest.mark.parametrize("name", ["trivial", "AutoETS", "boosting of differences"])
def test_a_saved_forecast_says_the_quantile_of_each_step(tmp_path: Path, name: str) -> None:
    data = table(tmp_path / "sold.csv", waves(200, 7, trend=0.0, noise=1.0))
    found = []
    for metric in ("pinball_0.9", "rmse"):
        folder, output = tmp_path / metric, tmp_path / f"{metric}.csv"
        kept(data, "sold", CANDIDATES[name], folder, metric, 3)
        apply(Apply(str(folder), str(data), str(output), 1), lambda message: None)
        found.append(polars.read_csv(output)["sold"].to_numpy())
    assert len(found[0]) == 3
    assert (found[0] > found[1] + 0.5).all()


def kept(data: Path, target: str, winner: Candidate, folder: Path, metric: str, horizon: int) -> None:
    asked = Request(
        str(data), target, inspect(data, target).fingerprint, Planned(), 60, 60, 0, 1, 10_000, metric=metric,
        horizon=horizon,
    )  # fmt: skip
    best = Best(winner.name, winner.kind, 1.0, 0.8, 1.2, winner.settings_json)
    folder.mkdir()
    told = Metric(metric, metric, 0.01, False, in_units=True)
    keep(Keep(asked, best, told, "baseline", "It won.", 0.1, 60.0, str(folder), "2026-05-01", None), time.monotonic())
