"""A project learns as the trials did: the same numbers, the same model, and so the same score, from columns in any order."""

from __future__ import annotations

import random
import re
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any
from unittest import mock

import numpy
import polars
import pytest
from threadpoolctl import threadpool_info

from advisor.datasets.dataset import Task
from advisor.datasets.inspect import inspect
from advisor.datasets.loading import load
from advisor.datasets.preparing.preparation import preparation
from advisor.datasets.preparing.splits import outer_split
from advisor.datasets.tables.series.seasons import seasons
from advisor.errors import InputError
from advisor.starter.blueprint import CLASSICAL, Blueprint
from advisor.starter.planning import blueprint_of
from advisor.starter.project import refuse_unkept
from advisor.starter.rendering import files_of
from advisor.starter.writing import write_project
from advisor.training.child.classical import CLASSICAL as TRIED
from advisor.training.child.classical import model as model_tried
from advisor.training.child.fitted import Allowance, Fitted
from advisor.training.child.fitting import Fitting
from advisor.training.ladder.candidates import Candidate
from advisor.training.ladder.trial_record import Kind, Stage
from advisor.training.ladder.variants import BOOSTERS, is_there, variants
from tests.starter.blueprints import module
from tests.starter.projects import answer_column, complaints, plan_of, run

ROWS = 500


def sales(path: Path, rare: bool = False, seed: int = 0) -> Path:
    """Dates, a code, gaps, categories of many kinds and remarks, which all tell something of what is sold."""
    draw, rows = random.Random(seed), []
    worth = [draw.gauss(0, 2) for _ in range(60)]
    for number in range(ROWS):
        shop, when = draw.randrange(60), datetime(2020, 1, 1) + timedelta(hours=13 * number)
        size = None if draw.random() < 0.2 else round(draw.gauss(0, 1), 3)
        sold = worth[shop] + (when.weekday() == 5) * 2 + (2 if size is None else size) + draw.gauss(0, 0.5)
        rows.append(
            {
                "when": f"{when:%d.%m.%Y %H:%M}",
                "shop": f"shop {shop}",
                "code": 100 + shop % 7,
                "size": size,
                "open": draw.choice(["yes", "no"]),
                "colour": draw.choice(["red", "green", "blue"]),
                "remark": " ".join(draw.choices(["good", "cheap", "late", "wrong", "fine", "new"], k=9)),
                "row id": f"r{number:05}",
                "sold": ("much" if sold > 4.5 else "little") if rare else round(sold, 3),
            }
        )
    polars.DataFrame(rows).write_csv(path, null_value="NA")
    return path


def texts(path: Path) -> Path:
    draw = random.Random(1)
    common = [f"word{number}" for number in range(80)]
    rows = []
    for number in range(240):
        words = draw.choices(["glad", "fine"] if number % 3 else ["sad", "grim"], k=2) + draw.choices(common, k=10)
        draw.shuffle(words)
        rows.append({"said": " ".join(words), "mood": "up" if number % 3 else "down"})
    polars.DataFrame(rows).write_csv(path)
    return path


def blueprint(data: Path, target: str, network: str, **facts: Any) -> Blueprint:
    """Of a plan as it is after trials of which this model was the best."""
    found = inspect(data, target)
    told = [
        f"data.modality={found.modality}",
        f"task.kind={found.task}",
        *(f"{name}={value}" for name, value in facts.items()),
    ]
    plan = plan_of(" ".join([*told, f"task.outputs={max(1, len(found.classes))}"]), network_type=network)
    return blueprint_of(plan, data, target, inspection=found)


def written(folder: Path, made: Blueprint) -> Path:
    write_project(folder, files_of(made))
    return folder


def tried(data: Path, target: str, network: str, seed: int = 0, variant: str = "") -> tuple[Any, Fitted]:
    """The held-out targets, and what the trial's model says of them."""
    examples = load(inspect(data, target), most_examples=10_000)
    split = outer_split(examples)
    candidate = Candidate(network, Kind.BASELINE, Stage.BASELINES, network, variant=variant)
    found = Fitting(examples, 1).fit(candidate, split.training, split.test, seed, Allowance(60, float("inf")))
    return examples.targets[split.test], found


def scores(said: str) -> dict[str, float]:
    last = said.splitlines()[-1]
    return {name: float(value) for name, value in re.findall(r"(R²|accuracy|average precision|F1) (-?[\d.]+)", last)}


@pytest.mark.parametrize("target", ["sold", "open"])
def test_the_numbers_are_those_of_the_trial(target: str, tmp_path: Path) -> None:
    """Every one of them, in both ways in which a model may take them, of rows that are learned from and of others."""
    data = sales(tmp_path / "sales.csv")
    made = blueprint(
        data, target, "ensemble", **{"trial.ensemble.first": "gradient_boosting", "trial.ensemble.second": "linear"}
    )
    folder = written(tmp_path / "project", made)
    loaded, preparing = module(folder, "data").load(data, 0), module(folder, "preparation")
    truth = loaded.targets[loaded.known, None].astype(float)
    parts, learned = preparing.learn(loaded.inputs[loaded.known], truth, loaded.groups)
    others = preparing.numbers_of(loaded.inputs[loaded.held_out], parts)

    examples = load(inspect(data, target), most_examples=10_000)
    every = loaded.inputs["date 0 0"].to_list()
    mine = preparation(examples)
    rank = {moment: row for row, moment in enumerate(sorted(every))}
    rows = numpy.array([rank[moment] for moment in every])  # the data are in the order of time
    known, new = rows[loaded.known], rows[loaded.held_out]
    if examples.task is Task.CLASSIFY:  # named in another order, perhaps
        assert [examples.classes[number] for number in examples.targets[known]] == [
            loaded.kept["answers"][number] for number in loaded.targets[loaded.known]
        ]
    prepared = mine.fit(known)
    for part, numbers in ((known, learned), (new, others)):
        assert numpy.allclose(prepared.flat(part), numbers["flat"], atol=1e-5)
        coded = prepared.coded(part)
        assert coded is not None
        assert numpy.allclose(coded[0], numbers["trees"], equal_nan=True)
        assert coded[1] == parts["categories"]


def test_a_network_learns_from_the_numbers_of_the_trial(tmp_path: Path) -> None:
    data = sales(tmp_path / "sales.csv")
    loaded = module(written(tmp_path / "project", blueprint(data, "sold", "ffn")), "data").load(data, 0)
    examples = load(inspect(data, "sold"), most_examples=10_000)
    split = outer_split(examples)
    prepared = preparation(examples).fit(split.training)
    for part, numbers in ((split.training, loaded.train), (split.test, loaded.validation)):
        assert numpy.allclose(prepared.flat(part), numbers.tensors[0].numpy(), atol=1e-5)
        assert numpy.allclose(prepared.targets(part), numbers.tensors[1].numpy(), atol=1e-2)


@pytest.mark.parametrize("network", ["linear", "gradient_boosting"])
def test_a_model_has_the_score_of_the_trial_and_gives_it_for_columns_in_another_order(
    network: str, tmp_path: Path
) -> None:
    data = sales(tmp_path / "sales.csv")
    folder = written(tmp_path / "project", blueprint(data, "sold", network, **{f"trial.variant.{network}": "default"}))
    truth, found = tried(data, "sold", network)
    wanted = 1 - ((truth - found.predicted) ** 2).sum() / ((truth - truth.mean()) ** 2).sum()
    told = scores(run(folder, f"python train.py --data {data}"))
    assert told["R²"] == pytest.approx(wanted, abs=0.02)
    assert told["R²"] > 0.6

    frame = polars.read_csv(data)
    frame.select(sorted(frame.columns, reverse=True)).drop("row id").write_csv(tmp_path / "turned.csv")
    run(folder, f"python predict.py --data {data} --model runs/scored.skops")
    run(folder, f"python predict.py --data {tmp_path / 'turned.csv'} --model runs/scored.skops --output turned.csv")
    first, turned = (answer_column(polars.read_csv(folder / name)) for name in ("predictions.csv", "turned.csv"))
    assert first.to_numpy() == pytest.approx(turned.to_numpy())
    loaded = module(folder, "data").load(data, 0)
    held_out, last = loaded.targets[loaded.held_out], first.to_numpy()[loaded.held_out]
    off = ((held_out - last) ** 2).sum() / ((held_out - held_out.mean()) ** 2).sum()
    assert 1 - off == pytest.approx(told["R²"], abs=1e-4)


def test_a_rare_class_is_named_from_a_threshold_on_that_folds_of_the_training_have_chosen(tmp_path: Path) -> None:
    data = sales(tmp_path / "sales.csv", rare=True)
    assert 0.02 < polars.read_csv(data)["sold"].to_list().count("much") / ROWS < 0.15
    folder = written(
        tmp_path / "project", blueprint(data, "sold", "linear", **{"trial.variant.linear": "more_penalty"})
    )
    told = scores(run(folder, f"python train.py --data {data}"))
    assert told.keys() == {"average precision", "accuracy", "F1"}, "balanced accuracy, that is"
    run(folder, f"python predict.py --data {data}")
    found = polars.read_csv(folder / "predictions.csv")
    assert complaints(folder) == ""
    (folder / "tell.py").write_text(
        "from pathlib import Path\n\nimport checkpoints\n\nprint(checkpoints.load(Path('runs/model.skops'))['threshold'])\n"
    )
    threshold = float(run(folder, "python tell.py"))
    assert 0 < threshold < 0.5
    assert ((found["p_much"] >= threshold) == (answer_column(found) == "much")).all()
    assert found["p_little"].to_numpy() + found["p_much"].to_numpy() == pytest.approx(1)


@pytest.mark.parametrize("network", ["linear", "naive_bayes", "svm", "ensemble"])
def test_texts_are_counted_as_in_the_trial(network: str, tmp_path: Path) -> None:
    data = texts(tmp_path / "texts.csv")
    folder = written(tmp_path / "project", blueprint(data, "mood", network))
    assert scores(run(folder, f"python train.py --data {data}"))["accuracy"] > 0.9
    loaded = module(folder, "data").load(data, 0)
    _, numbers = module(folder, "preparation").learn(loaded.inputs[loaded.known])
    examples = load(inspect(data, "mood"), most_examples=10_000)
    assert isinstance(examples.inputs, list)
    known = numpy.array([examples.inputs.index(text) for text in loaded.inputs[loaded.known]])
    counts = preparation(examples).fit(known).flat(known)
    assert counts.shape == numbers["flat"].shape
    assert numpy.allclose(counts, numbers["flat"])
    assert complaints(folder) == ""


VARIANTS = [
    pytest.param(name, variant, marks=pytest.mark.skipif(not is_there(variant), reason="it is not installed"))
    for name in CLASSICAL
    if name in TRIED and name != "naive_bayes"  # which is for texts
    for variant in {**variants(name, classes=True), **variants(name, classes=False)}
]
SETS = {"random_state", "n_jobs", "warm_start", "categorical_features"}
"""Parameters by which nothing is chosen, or which the training sets."""


@pytest.mark.parametrize(("network", "variant"), VARIANTS)
@pytest.mark.parametrize("target", ["sold", "open"])
def test_the_model_is_made_as_in_the_trial(network: str, variant: str, target: str, tmp_path: Path) -> None:
    classes = target == "open"
    if variant not in variants(network, classes=classes):
        pytest.skip("it is for numbers")
    data = sales(tmp_path / "sales.csv")
    made = blueprint(data, target, network, **{f"trial.variant.{network}": variant})
    folder = written(tmp_path / "project", made)
    settings = dict(variants(network, classes=classes)[variant])
    estimator: Any = model_tried(network, "classify" if classes else "regress", 0, settings, variant=variant)
    rounds = [made.members[0].rounds] if made.grows else []
    (mine,) = module(folder, "model").make_models(*rounds, seed=0)
    assert type(mine).__name__ == type(estimator).__name__
    sets = SETS | ({"max_iter"} if network == "gradient_boosting" and variant != "default" else set())
    told, wanted = ({k: str(v) for k, v in each.get_params().items() if k not in sets} for each in (mine, estimator))
    assert told == wanted


@pytest.mark.parametrize(
    "library",
    [
        "lightgbm",
        "after_linear",
        pytest.param("catboost", marks=pytest.mark.skipif(not is_there("catboost"), reason="it is not installed")),
    ],
)
def test_boosting_by_code_of_its_own_has_the_score_of_the_trial_and_predicts(library: str, tmp_path: Path) -> None:
    data = sales(tmp_path / "sales.csv")
    made = blueprint(data, "sold", "gradient_boosting", **{"trial.variant.gradient_boosting": library})
    folder = written(tmp_path / "project", made)
    assert complaints(folder) == ""
    assert (f"\n{library}>=" in (folder / "requirements.txt").read_text()) == (library in BOOSTERS)
    told = scores(run(folder, f"python train.py --data {data}"))
    truth, found = tried(data, "sold", "gradient_boosting", variant=library)
    wanted = 1 - ((truth - found.predicted) ** 2).sum() / ((truth - truth.mean()) ** 2).sum()
    assert told["R²"] == pytest.approx(wanted, abs=0.05)
    run(folder, f"python predict.py --data {data} --model runs/scored.skops")
    loaded = module(folder, "data").load(data, 0)
    held_out = loaded.targets[loaded.held_out]
    last = answer_column(polars.read_csv(folder / "predictions.csv")).to_numpy()[loaded.held_out]
    off = ((held_out - last) ** 2).sum() / ((held_out - held_out.mean()) ** 2).sum()
    assert 1 - off == pytest.approx(told["R²"], abs=1e-4)


@pytest.mark.parametrize("metric", ["pinball_0.75", "mae"])
def test_a_project_learns_the_quantile_that_the_trials_asked_for(metric: str, tmp_path: Path) -> None:
    data = sales(tmp_path / "sales.csv")
    facts = {"trial.metric": metric, "trial.variant.gradient_boosting": "default"}
    made = blueprint(data, "sold", "gradient_boosting", **facts)
    (mine,) = module(written(tmp_path / "project", made), "model").make_models(made.members[0].rounds, seed=0)
    wanted = ("quantile", 0.75) if metric != "mae" else ("absolute_error", None)
    assert (mine.loss, mine.quantile) == wanted
    assert complaints(tmp_path / "project") == ""
    assert any("the value that 75 % lie below" in one for one in made.differences) == (metric != "mae")
    network = files_of(blueprint(data, "sold", "ffn", **facts))["loss.py"]
    assert ("quantile_loss(outputs, targets, 0.75)" if metric != "mae" else "l1_loss(outputs, targets)") in network
    facts["trial.variant.linear"] = "more_penalty"
    for network in ("random_forest", "linear"):  # a linear model that was tried is one of the mean
        of_mean = blueprint(data, "sold", network, **facts).differences
        assert any(f"{network} cannot be told so: it predicts the mean" in one for one in of_mean) == (metric != "mae")
    (ridge,) = module(written(tmp_path / "linear", blueprint(data, "sold", "linear", **facts)), "model").make_models(
        seed=0
    )
    assert (type(ridge).__name__, ridge.alpha) == ("Ridge", 30.0)


@pytest.mark.parametrize("network", ["linear", "gradient_boosting"])
def test_class_weights_that_won_are_those_of_the_project(network: str, tmp_path: Path) -> None:
    data = sales(tmp_path / "sales.csv", rare=True)
    facts = {f"trial.variant.{network}": "default", f"trial.weighted.{network}": "yes"}
    members = {f"trial.ensemble.first{what}": value for what, value in (("", network), ("_weighted", "yes"))}
    members |= {"trial.ensemble.first_variant": "default", "trial.ensemble.second": "knn"}
    for made in (blueprint(data, "sold", network, **facts), blueprint(data, "sold", "ensemble", **members)):
        assert made.weighted
        (estimator, *_) = module(written(tmp_path / made.network, made), "model").make_models(
            *([made.members[0].rounds] if made.grows else []), seed=0
        )
        assert estimator.class_weight == "balanced"
    assert not blueprint(data, "sold", network).weighted


def test_the_last_rows_by_time_or_whole_groups_are_held_out_where_the_trial_held_them_out(tmp_path: Path) -> None:
    data = sales(tmp_path / "sales.csv")
    made = blueprint(data, "sold", "linear")
    assert made.reads is not None
    by_time = written(
        tmp_path / "time", replace(made, reads=replace(made.reads, time="when", time_holds="date %d.%m.%Y %H:%M"))
    )
    found = module(by_time, "data").load(data, 0)
    assert found.inputs[found.known]["date 0 0"].max() < found.inputs[found.held_out]["date 0 0"].min()
    by_shop = written(tmp_path / "shop", replace(made, reads=replace(made.reads, time=None, group="shop")))
    found = module(by_shop, "data").load(data, 0)
    assert not set(found.inputs[found.known]["category 1"]) & set(found.inputs[found.held_out]["category 1"])
    assert len(set(found.groups[found.known])) > 30


@pytest.mark.parametrize(
    "held", [{"time": "when", "time_holds": "date %d.%m.%Y %H:%M"}, {"time": None, "group": "shop"}]
)
def test_stopping_and_thresholds_are_found_on_later_rows_or_other_groups_as_in_the_trial(
    held: dict[str, Any], tmp_path: Path
) -> None:
    data = sales(tmp_path / "sales.csv", rare=True)
    frame = polars.read_csv(data)
    frame.sample(len(frame), shuffle=True, seed=1).write_csv(data)  # in no order
    made = blueprint(data, "sold", "gradient_boosting", **{"trial.variant.gradient_boosting": "small_steps"})
    assert made.reads is not None
    folder = written(tmp_path / "project", replace(made, reads=replace(made.reads, **held)))
    loaded, train = module(folder, "data").load(data, 0), module(folder, "train")
    known = loaded.known
    stretches = train.kept_back(loaded, known, 0)
    assert len(stretches) == (3 if held["time"] else 1)
    assert all(set(later[0]) >= {*earlier[0], *earlier[1]} for later, earlier in pairwise(stretches)), (
        "each before the last"
    )
    pairs = [*stretches, *train.folds_of(loaded, 5, 0)]
    for some, others in pairs:
        if held["time"]:
            assert loaded.times[known[some]].max() < loaded.times[known[others]].min()
        else:
            assert not set(loaded.groups[known[some]]) & set(loaded.groups[known[others]])
    some, others = pairs[0]
    assert len(others) == pytest.approx(len(known) / 6, abs=25)

    model, numbers = module(folder, "model"), numpy.random.default_rng(0).normal(size=(len(known), 3))
    (estimator,) = model.make_models(made.members[0].rounds, 0)
    rows: list[Any] = []
    noted = mock.patch.object(type(estimator), "fit", lambda self, *given, **kept: rows.append((given, kept)))
    with noted, pytest.raises(AttributeError, match="validation_score_"):
        model.fit([estimator], {"trees": numbers}, loaded.targets[known], stretches)
    (((inputs, _), kept),) = rows
    assert numpy.array_equal(inputs, numbers[some])
    assert numpy.array_equal(kept["X_val"], numbers[others])


def test_little_is_learned_by_one_thread_and_much_by_all(tmp_path: Path) -> None:
    made = blueprint(sales(tmp_path / "sales.csv"), "sold", "gradient_boosting")
    model = module(written(tmp_path / "project", made), "model")
    (estimator,) = model.make_models(3, 0)
    found: list[int] = []

    def noted(self: Any, *given: Any, **more: Any) -> None:
        found.append(max(pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "openmp"))

    usual = max(pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "openmp")
    model.STOPS_EARLY = (False,)
    with mock.patch.object(type(estimator), "fit", noted):
        for rows in (10, model.WORTH_THREADS):
            model.fit([estimator], {"trees": numpy.zeros((rows, 1))}, numpy.zeros(rows))
    assert found == [1, usual]


def test_a_row_without_a_group_is_one_by_itself(tmp_path: Path) -> None:
    data = sales(tmp_path / "sales.csv")
    frame = polars.read_csv(data)
    frame.with_columns(shop=polars.when(polars.col("code") < 103).then(None).otherwise(polars.col("shop"))).write_csv(
        data
    )
    made = blueprint(data, "sold", "linear")
    assert made.reads is not None
    folder = written(tmp_path / "project", replace(made, reads=replace(made.reads, time=None, group="shop")))
    table = polars.read_csv(data)
    groups = module(folder, "data").groups_of(table)
    unknown = table["shop"].is_null().to_numpy()
    assert unknown.sum() > 100
    assert len(set(groups[unknown])) == unknown.sum()
    assert len(set(groups)) == unknown.sum() + table["shop"].n_unique() - 1


def test_the_split_that_trials_on_these_data_were_asked_for_is_that_of_the_project(tmp_path: Path) -> None:
    data = sales(tmp_path / "sales.csv")
    these = {"data.fingerprint": inspect(data, "sold").fingerprint}

    made = blueprint(data, "sold", "linear", **these, **{"trial.split.group": "shop"})
    assert made.reads is not None
    assert (made.reads.group, made.reads.time) == ("shop", None)
    assert "shop" not in [column.name for column in made.reads.columns]

    made = blueprint(data, "sold", "linear", **these, **{"trial.split.time_column": "when"})
    assert made.reads is not None
    assert (made.reads.time, made.reads.time_holds) == ("when", "date %d.%m.%Y %H:%M")

    tested = blueprint(data, "sold", "linear", **these, **{"trial.split.test": "/data/later.csv"})
    assert any("/data/later.csv" in difference for difference in tested.differences)

    unseen = blueprint_of(
        plan_of("task.kind=regress data.modality=tabular trial.split.group=shop", network_type="linear")
    )
    assert any("whole groups by 'shop'" in told and "--data" in told for told in unseen.differences)

    said = texts(tmp_path / "texts.csv")
    these = {"data.fingerprint": inspect(said, "mood").fingerprint}
    words = blueprint(said, "mood", "linear", **these, **{"trial.split.group": "author"})
    assert words.reads is not None
    assert words.reads.group == "author"
    assert not any("whole groups" in difference for difference in words.differences)

    others = blueprint(data, "sold", "linear", **{"data.fingerprint": "0123456789abcdef", "trial.split.group": "shop"})
    assert others.reads is not None
    assert others.reads.group is None
    assert "shop" in [column.name for column in others.reads.columns]


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    path = tmp_path_factory.mktemp("trained")
    data = sales(path / "sales.csv")
    folder = written(path / "project", blueprint(data, "sold", "linear"))
    run(folder, f"python train.py --data {data}")
    return folder, data


def test_an_unknown_category_is_told_by_name_and_tells_nothing(
    trained: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, data = trained
    polars.read_csv(data).with_columns(colour=polars.lit("mauve")).write_csv(tmp_path / "new.csv")
    run(folder, f"python predict.py --data {tmp_path / 'new.csv'} --output {tmp_path / 'found.csv'}")
    said = capsys.readouterr().err
    assert said == "The column 'colour' holds 'mauve', which the training data never had: it tells the model nothing.\n"
    assert answer_column(polars.read_csv(tmp_path / "found.csv")).is_finite().all()


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda frame: frame.drop("shop", "size"), "There is no column 'shop', 'size', which the training data have"),
        (
            lambda frame: frame.with_columns(size=polars.lit("big")),
            "'size' holds 'big', where the training data have numbers",
        ),
        (
            lambda frame: frame.with_columns(when=polars.lit("soon")),
            "'when' holds 'soon', where the training data have dates",
        ),
    ],
)
def test_a_column_that_is_missing_or_of_another_type_is_told_by_name(
    change: Any, told: str, trained: tuple[Path, Path], tmp_path: Path
) -> None:
    folder, data = trained
    change(polars.read_csv(data)).write_csv(tmp_path / "new.csv")
    with pytest.raises(SystemExit, match=told):
        run(folder, f"python predict.py --data {tmp_path / 'new.csv'} --output {tmp_path / 'found.csv'}")
    assert not (tmp_path / "found.csv").exists()


def test_a_model_that_somebody_has_changed_is_not_read(trained: tuple[Path, Path], tmp_path: Path) -> None:
    folder, data = trained
    (tmp_path / "broken.skops").write_bytes(b"PK no model")
    with pytest.raises(SystemExit, match="it may be damaged"):
        run(
            folder, f"python predict.py --data {data} --model {tmp_path / 'broken.skops'} --output {tmp_path / 'a.csv'}"
        )


def test_models_together_count_as_the_trials_found(tmp_path: Path) -> None:
    data = sales(tmp_path / "sales.csv")
    shares = {"first": ("gradient_boosting", 0.6), "second": ("knn", 0.3), "third": ("svm", 0.1)}
    facts = {f"trial.ensemble.{place}": name for place, (name, _) in shares.items()}
    facts |= {f"trial.ensemble.{place}_share": share for place, (_, share) in shares.items()}  # type: ignore[misc]
    facts["trial.ensemble.second_variant"] = "weighted"
    facts["trial.ensemble.first_variant"] = "lightgbm"
    folder = written(tmp_path / "project", blueprint(data, "sold", "ensemble", **facts))
    assert module(folder, "model").SHARES == (0.6, 0.3, 0.1)
    assert module(folder, "model").make_models(seed=0)[1].n_neighbors == 15
    assert "\nlightgbm>=" in (folder / "requirements.txt").read_text()
    assert scores(run(folder, f"python train.py --data {data}"))["R²"] > 0.5
    assert complaints(folder) == ""


def months(path: Path, shops: int = 1) -> Path:
    """Sales of months, the latest first, of which some have no row; noise, in which no season shows."""
    draw, rows = random.Random(0), []
    for shop in range(shops):
        for month in range(120):
            if month % 17:
                when = f"{2010 + month // 12}-{month % 12 + 1:02}-01"
                rows.append({"month": when, "shop": f"shop {shop}", "sold": round(draw.gauss(100, 20), 2)})
    frame = polars.DataFrame(rows[::-1])
    (frame if shops > 1 else frame.drop("shop")).write_csv(path)
    return path


def test_a_series_is_in_the_order_of_time_with_the_gaps_and_the_season_of_the_trial(tmp_path: Path) -> None:
    data = months(tmp_path / "months.csv")
    series = load(inspect(data, "sold"), most_examples=1000).series
    assert series is not None
    assert series.seasons == (12,)
    folder = written(tmp_path / "project", blueprint(data, "sold", "statistical"))
    values = module(folder, "data").load(data, 0).values
    assert numpy.array_equal(values, series.values, equal_nan=True)
    assert numpy.isnan(values).sum() == 6
    settings = module(folder, "settings")
    assert seasons(values, settings.USUAL_SEASON) == series.seasons
    assert complaints(folder) == ""


def test_several_series_are_refused_by_the_column_that_tells_them_apart(tmp_path: Path) -> None:
    data = months(tmp_path / "months.csv", shops=3)
    facts = "data.modality=time_series task.kind=forecast task.outputs=1"
    for network in ("statistical", "gradient_boosting"):
        plan = plan_of(facts, network_type=network)
        made = blueprint_of(plan, data, "sold", inspection=inspect(data, "sold"))
        with pytest.raises(InputError, match="'shop' tells several apart"):
            refuse_unkept(plan, made)
