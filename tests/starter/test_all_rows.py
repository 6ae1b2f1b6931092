"""Once a model is scored on rows that it has not seen, one that has learned from all of them answers for new ones."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from unittest import mock

import numpy
import polars
import pytest
from sklearn.ensemble import ExtraTreesRegressor, HistGradientBoostingRegressor
from sklearn.linear_model import LogisticRegression, Ridge

from advisor.datasets.again import examples_again, intake_of
from advisor.datasets.inspect import inspect
from advisor.datasets.loading import load
from advisor.datasets.preparing.kept import parts_of, prepared_by
from advisor.datasets.preparing.splits import outer_split
from advisor.starter.blueprint import Layout, Targets
from advisor.training.child.fitted import Allowance
from advisor.training.child.fitting import Fitting
from advisor.training.child.predicting import predictions
from advisor.training.ladder.candidates import Candidate
from advisor.training.ladder.trial_record import Kind, Stage
from tests.starter.blueprints import blueprint, module, project
from tests.starter.projects import TABLE, answer_column, generated, plan_of, run
from tests.starter.test_as_tried import blueprint as as_tried
from tests.starter.test_as_tried import sales, written
from tests.starter.test_predicting import moments


def prices(path: Path) -> tuple[Path, Path]:
    """Sales of several things a day whose prices rise, and what is sold later."""
    chance, rows = numpy.random.default_rng(0), []
    for number in range(500):
        size, when = chance.normal(), datetime(2020, 1, 1) + timedelta(days=number // 4)
        rows.append({"when": f"{when:%Y-%m-%d}", "size": round(size, 3), "price": round(number / 25 + size, 3)})
    frame = polars.DataFrame(rows)
    frame[:400].write_csv(path / "known.csv")
    frame[400:].write_csv(path / "newer.csv")
    return path / "known.csv", path / "newer.csv"


def answers(folder: Path, data: Path, model: str = "") -> Any:
    """What predict.py says, with the file that it takes by itself if none is named."""
    run(folder, f"python predict.py --data {data} --force {model}")
    return answer_column(polars.read_csv(folder / "predictions.csv")).to_numpy()


def kept(folder: Path, name: str, value: str) -> str:
    """A value of what is kept in this file of a project, as it is printed."""
    load = f"kept = checkpoints.load(Path('runs/{name}.skops'))"
    (folder / "tell.py").write_text(f"from pathlib import Path\n\nimport checkpoints\n\n{load}\nprint(kept{value})\n")
    return run(folder, "python tell.py").strip()


def tried(data: Path, target: str, candidate: Candidate, newer: Path, *, every: bool) -> Any:
    """What the model of the trials says of newer rows, having learned from all rows or from those that are not held out."""
    inspection = inspect(data, target)
    examples = load(inspection, most_examples=10_000)
    split = outer_split(examples)
    rows = numpy.arange(len(examples)) if every else split.training
    learned = Fitting(examples, 1).fit(candidate, rows, split.test, 0, Allowance(60, float("inf"))).learned
    assert learned is not None
    (part,) = examples_again(newer, intake_of(inspection), lambda *_: None)
    again = replace(learned, prepared=prepared_by(parts_of(learned.prepared), part.examples))
    return predictions(again, candidate.model, numpy.arange(len(part.examples)), 1).predicted[:, 0]


@pytest.mark.parametrize("network", ["linear", "gradient_boosting"])
def test_the_model_that_answers_is_one_of_all_rows_and_its_score_that_of_one_that_had_not_seen_them(
    network: str, tmp_path: Path
) -> None:
    """As `advisor try --save` fits the two, each with a preparation of its own."""
    data = sales(tmp_path / "sales.csv")
    folder = written(tmp_path / "project", as_tried(data, "sold", network, **{f"trial.variant.{network}": "default"}))
    told = run(folder, f"python train.py --data {data}").splitlines()[-1]
    candidate = Candidate(network, Kind.BASELINE, Stage.BASELINES, network)
    newer = sales(tmp_path / "newer.csv", seed=1)
    for model, every in (("", True), ("--model runs/scored.skops", False)):
        wanted = tried(data, "sold", candidate, newer, every=every)
        assert answers(folder, newer, model) == pytest.approx(wanted, abs=0.02)
        other = tried(data, "sold", candidate, newer, every=not every)
        assert numpy.abs(answers(folder, newer, model) - other).max() > 0.3

    whole, part = answers(folder, data), answers(folder, data, "--model runs/scored.skops")
    loaded = module(folder, "data").load(data, 0)
    unseen = loaded.targets[loaded.held_out]
    score, other = (1 - ((unseen - found[loaded.held_out]) ** 2).mean() / unseen.var() for found in (part, whole))
    assert f"R² {score:.4f}" in told
    assert other > score + 0.01
    assert (
        f"on {len(unseen)} examples that it had not seen. It has learned from all {len(loaded.targets)} since." in told
    )


def test_where_rows_are_in_the_order_of_time_the_newest_ones_are_learned_from(tmp_path: Path) -> None:
    known, newer = prices(tmp_path)
    folder = written(tmp_path / "project", as_tried(known, "price", "gradient_boosting"))
    run(folder, f"python train.py --data {known} --rounds 60")
    truth = polars.read_csv(newer)["price"].to_numpy()
    assert len(answers(folder, newer)) == len(truth) == 100
    whole, part = (
        numpy.abs(answers(folder, newer, model) - truth).mean() for model in ("", "--model runs/scored.skops")
    )
    assert whole < 0.6 * part


def stopped(estimator: type, fits: int, error: type[BaseException]) -> Any:
    """Fits of this type end with an error after so many of them."""
    usual, left = estimator.fit, iter(range(fits))  # type: ignore[attr-defined]

    def fit(self: Any, *given: Any, **more: Any) -> Any:
        if next(left, None) is None:
            raise error
        return usual(self, *given, **more)

    return mock.patch.object(estimator, "fit", fit)


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError])
def test_the_scored_model_answers_until_one_of_all_rows_is_there(
    error: type[BaseException], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = sales(tmp_path / "sales.csv")
    folder = written(tmp_path / "project", as_tried(data, "sold", "linear", **{"trial.variant.linear": "default"}))
    with stopped(Ridge, 1, error), pytest.raises((SystemExit, MemoryError)) as raised:
        run(folder, f"python train.py --data {data} --seed 3")
    if error is KeyboardInterrupt:
        assert raised.value.code == 130  # type: ignore[union-attr]
        assert "runs/scored.skops holds the model that was scored; --resume" in capsys.readouterr().err
    assert [file.name for file in (folder / "runs").iterdir() if file.suffix == ".skops"] == ["scored.skops"]

    part = answers(folder, data)
    assert "runs/scored.skops answers" in capsys.readouterr().err
    with pytest.raises(SystemExit, match="Add --resume to go on with it"):
        run(folder, f"python train.py --data {data}")
    with stopped(Ridge, 1, AssertionError):  # the first is not fitted again
        again = run(folder, f"python train.py --data {data} --resume")
    whole = answers(folder, data)
    assert capsys.readouterr().err == ""
    assert numpy.abs(whole - part).max() > 0.1
    assert kept(folder, "model", "['score']") in again

    run(folder, f"python train.py --data {data} --seed 3 --output straight")
    assert answers(folder, data, "--model straight/model.skops") == pytest.approx(whole)
    with stopped(Ridge, 0, AssertionError):  # nothing is left to do
        assert run(folder, f"python train.py --data {data} --resume") == again


def test_a_training_that_replaces_another_leaves_no_model_of_that_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first, other = sales(tmp_path / "sales.csv"), sales(tmp_path / "other.csv", seed=1)
    folder = written(tmp_path / "project", as_tried(first, "sold", "linear", **{"trial.variant.linear": "default"}))
    run(folder, f"python train.py --data {first}")
    with pytest.raises(SystemExit, match="fitted to other data"):
        run(folder, f"python train.py --data {other} --resume")
    with stopped(Ridge, 0, KeyboardInterrupt), pytest.raises(SystemExit, match="130"):
        run(folder, f"python train.py --data {other} --force")
    there = "What runs/scored.skops and runs/model.skops held before is still there."
    assert f"Stopped before the model was fitted. {there}" in capsys.readouterr().err
    before = answers(folder, first)
    with stopped(Ridge, 1, KeyboardInterrupt), pytest.raises(SystemExit):
        run(folder, f"python train.py --data {other} --force")
    assert not (folder / "runs" / "model.skops").exists()
    assert answers(folder, first, "--model runs/scored.skops") == pytest.approx(answers(folder, first))
    assert numpy.abs(answers(folder, first) - before).max() > 0.1


def trees(folder: Path) -> tuple[int, ...]:
    """Of the forest that was scored, and of the one of all rows."""
    return tuple(int(kept(folder, name, "['models'][0].n_estimators")) for name in ("scored", "model"))


def test_trees_are_added_to_both_models_and_a_stop_between_them_is_made_up_for(tmp_path: Path) -> None:
    data = sales(tmp_path / "sales.csv")
    folder = written(
        tmp_path / "project", as_tried(data, "sold", "random_forest", **{"trial.variant.random_forest": "extra"})
    )
    run(folder, f"python train.py --data {data} --rounds 3")
    assert trees(folder) == (3, 3)
    with stopped(ExtraTreesRegressor, 1, KeyboardInterrupt), pytest.raises(SystemExit):
        run(folder, f"python train.py --data {data} --rounds 5 --resume")
    assert trees(folder) == (5, 3)
    with stopped(ExtraTreesRegressor, 1, AssertionError):
        run(folder, f"python train.py --data {data} --resume")
    assert trees(folder) == (5, 5)


def test_fewer_trees_than_there_are_are_refused_and_a_model_without_its_score_is_put_aside(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = sales(tmp_path / "sales.csv")
    folder = written(
        tmp_path / "project", as_tried(data, "sold", "random_forest", **{"trial.variant.random_forest": "extra"})
    )
    run(folder, f"python train.py --data {data} --rounds 4")
    for rounds in (3, -1):
        with pytest.raises(SystemExit, match="--rounds must be at least 4, as many as were asked for before"):
            run(folder, f"python train.py --data {data} --rounds {rounds} --resume")
    with pytest.raises(SystemExit, match=r"--rounds must be at least 1\."):
        run(folder, f"python train.py --data {data} --rounds 0 --output other")
    (folder / "runs" / "scored.skops").unlink()
    before = (folder / "runs" / "model.skops").read_bytes()
    run(folder, f"python train.py --data {data} --resume --rounds 4")
    assert "There is no runs/scored.skops to go on from: this starts anew." in capsys.readouterr().err
    assert (folder / "runs" / "model-1.skops").read_bytes() == before
    assert trees(folder) == (4, 4)


def test_a_score_of_rows_that_earlier_trees_may_have_seen_says_so(tmp_path: Path) -> None:
    first, longer = sales(tmp_path / "sales.csv"), tmp_path / "longer.csv"
    longer.write_text(first.read_text() + "".join(sales(tmp_path / "b.csv", seed=1).read_text().splitlines(True)[1:30]))
    folder = written(
        tmp_path / "project", as_tried(first, "sold", "random_forest", **{"trial.variant.random_forest": "extra"})
    )
    assert "that it had not seen" in run(folder, f"python train.py --data {first} --rounds 3")
    more = run(folder, f"python train.py --data {longer} --rounds 5 --resume --force")
    assert "examples some of which the earlier trees may have seen" in more
    assert "that it had not seen" not in more


def late(path: Path, classes: str) -> Path:
    """Rows in the order of days whose last class comes late."""
    draw = numpy.random.default_rng(0)
    days = [datetime(2024, 1, 1) + timedelta(days=number) for number in range(200)]
    kinds = [classes[-1] if number >= 185 else classes[number % (len(classes) - 1)] for number in range(200)]
    rows = {"when": [f"{day:%Y-%m-%d}" for day in days], "x": draw.normal(size=200).round(3), "kind": kinds}
    polars.DataFrame(rows).write_csv(path)
    return path


def test_a_class_that_comes_late_is_weighed_by_its_share_of_all_rows(tmp_path: Path) -> None:
    data = late(tmp_path / "late.csv", "pqn")
    folder = written(tmp_path / "project", as_tried(data, "kind", "gradient_boosting"))
    run(folder, f"python train.py --data {data}")
    said = answers(folder, data)
    assert (said == "n").sum() < 100
    assert (said == "n")[185:].mean() > 0.5


def test_rows_of_one_class_are_refused(tmp_path: Path) -> None:
    data = late(tmp_path / "late.csv", "pn")
    folder = written(tmp_path / "project", as_tried(data, "kind", "gradient_boosting"))
    polars.read_csv(data)[:185].write_csv(data)
    with pytest.raises(SystemExit, match="are all of one class"):
        run(folder, f"python train.py --data {data}")


def test_trees_that_were_stopped_early_do_not_grow_on_where_only_the_second_model_is_missing(tmp_path: Path) -> None:
    known, _ = prices(tmp_path)
    folder = written(tmp_path / "project", as_tried(known, "price", "gradient_boosting"))
    with (
        stopped(HistGradientBoostingRegressor, 3 + 1, KeyboardInterrupt),
        pytest.raises(SystemExit),
    ):  # rounds, then all
        run(folder, f"python train.py --data {known} --rounds 600")
    run(folder, f"python train.py --data {known} --resume")
    assert all(int(kept(folder, name, "['models'][0].n_iter_")) < 600 for name in ("scored", "model"))
    before = (folder / "runs" / "model.skops").read_bytes()
    run(folder, f"python train.py --data {known} --resume")
    assert (folder / "runs" / "model.skops").read_bytes() == before


def test_when_to_stop_is_found_anew_among_all_rows(tmp_path: Path) -> None:
    known, _ = prices(tmp_path)
    folder = written(tmp_path / "project", as_tried(known, "price", "gradient_boosting"))
    usual, rows = HistGradientBoostingRegressor.fit, []

    def fit(self: Any, inputs: Any, *given: Any, **more: Any) -> Any:
        rows.append((len(inputs), len(more.get("X_val", ()))))
        return usual(self, inputs, *given, **more)

    with mock.patch.object(HistGradientBoostingRegressor, "fit", fit):
        run(folder, f"python train.py --data {known} --rounds 60")
    assert [stopping > 0 for _, stopping in rows] == 2 * [True, True, True, False]
    sums = [learning + stopping for learning, stopping in rows]
    for part, (last, earlier, first, whole) in ((320, sums[:4]), (400, sums[4:])):
        assert last == whole == part
        assert (earlier, first) == pytest.approx((part * 5 / 6, part * 4 / 6), abs=20), "each is of what comes before"


def test_a_threshold_stays_that_of_examples_that_were_held_back(tmp_path: Path) -> None:
    data = sales(tmp_path / "sales.csv", rare=True)
    folder = written(tmp_path / "project", as_tried(data, "sold", "linear"))
    with stopped(LogisticRegression, 1 + 5 + 1, AssertionError):  # a part, its folds, and all
        run(folder, f"python train.py --data {data}")
    assert 0 < float(kept(folder, "model", "['threshold']")) < 0.5
    assert kept(folder, "model", "['threshold']") == kept(folder, "scored", "['threshold']")


def test_all_windows_of_a_series_are_learned_from_and_none_that_is_learned_from_reaches_into_those_held_out(
    tmp_path: Path,
) -> None:
    made = blueprint("linear", Layout.SERIES, Targets.NUMBERS, kind="forecast", outputs=2)
    folder = project(tmp_path / "project", made)
    data = module(folder, "data").load(moments(tmp_path), 0)
    assert len(data.inputs) == len(data.targets) == 200 - 12 - 2 + 1
    assert data.known[-1] + 12 + 2 == data.held_out[0] + 12 == 162, "the first moment that is held out to be predicted"
    assert data.held_out[-1] == len(data.inputs) - 1


def test_the_readme_says_what_has_learned_from_what(tmp_path: Path) -> None:
    words = lambda folder: re.sub(r"\s+", " ", (folder / "README.md").read_text())  # noqa: E731
    forest = words(generated(tmp_path / "forest", plan_of(TABLE, network_type="random_forest")))
    assert "the others, which it has not seen, give its score (`runs/scored.skops`)" in forest
    assert "learns from all of them (`runs/model.skops`), which takes about as long again" in forest
    assert "the score stays that of the first, and so does the threshold" in forest
    network = words(generated(tmp_path / "network", plan_of(TABLE, network_type="ffn")))
    assert "the score stays that of `runs/best.pt`" in network
    assert "It takes about as long once more" in network
    facts = "task.kind=forecast task.outputs=2 data.modality=time_series data.inputs=1"
    series = words(generated(tmp_path / "series", plan_of(facts, network_type="statistical")))
    assert "`predict.py` fits the model anew to the whole series that it is given" in series
    assert "scored.skops" not in series
