"""Other libraries: defaults of scikit-learn, of forecasting and of a plain network, and FLAML."""

from __future__ import annotations

import json
import math
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy
import pandas

from .files import classified, origins, read, source
from .sets import DATA

SHORT_SEASON = 24
"""Steps up to which models of one season are fitted to the series itself."""


def defaults(place: Path) -> None:
    """Fit the defaults and write what each predicts."""
    data = DATA[place.name]
    if data.seasons:
        statistical(place)
        return
    (inputs, targets), (tested, _) = read(place, "train"), read(place, "test")
    classes = classified(targets)
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
    if data.pictures is not None:
        network(place, inputs, targets, tested)


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
    from skrub import TableVectorizer, ToCategorical

    if DATA[place.name].pictures is not None:
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
    if DATA[place.name].audited and not DATA[place.name].text:
        # As in the audit: categories as they are, without columns of all but names.
        columns = TableVectorizer(cardinality_threshold=256, low_cardinality=ToCategorical(), high_cardinality="drop")
        tables["boosting of categories"] = lambda: make_pipeline(
            columns, (HistGradientBoostingClassifier if classes else HistGradientBoostingRegressor)(random_state=0)
        )
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


def told(place: Path, name: str, values: Any, classes: Any = None) -> None:
    """Write predictions: a column, or one of probabilities for each class."""
    columns = ["prediction"] if classes is None else list(classes)
    pandas.DataFrame(numpy.asarray(values).reshape(len(values), -1), columns=columns).to_csv(
        place / f"other {name}.csv", index=False
    )


def network(place: Path, inputs: Any, targets: Any, tested: Any) -> None:
    """A plain network of two convolutions, 15 epochs."""
    import torch

    torch.manual_seed(0)
    names, codes = numpy.unique(targets, return_inverse=True)
    side = math.isqrt(inputs.shape[1])
    model = torch.nn.Sequential(
        torch.nn.Conv2d(1, 32, 3, padding=1), torch.nn.ReLU(), torch.nn.MaxPool2d(2),
        torch.nn.Conv2d(32, 64, 3, padding=1), torch.nn.ReLU(), torch.nn.MaxPool2d(2),
        torch.nn.Flatten(), torch.nn.Linear(64 * (side // 4) ** 2, 128), torch.nn.ReLU(),
        torch.nn.Linear(128, len(names)),
    )  # fmt: skip
    step = torch.optim.Adam(model.parameters(), 1e-3)
    pictures = torch.from_numpy(inputs.astype("float32") / 255).reshape(-1, 1, side, side)
    labels = torch.from_numpy(codes)
    for _ in range(15):
        for chosen in torch.randperm(len(labels)).split(64):
            loss = torch.nn.functional.cross_entropy(model(pictures[chosen]), labels[chosen])
            step.zero_grad()
            loss.backward()
            step.step()
    with torch.no_grad():
        said = model(torch.from_numpy(tested.astype("float32") / 255).reshape(-1, 1, side, side)).softmax(1)
    told(place, "plain CNN", said.numpy(), names)


def statistical(place: Path) -> None:
    """The next step by the models of statsforecast, fitted once and told each value as it comes."""
    from statsforecast.models import MSTL, AutoARIMA, AutoETS, AutoTheta

    data, truth = DATA[place.name], read(place, "test")[1]
    known = pandas.Series(read(place, "train")[1].astype(float)).interpolate().to_numpy()
    every = pandas.Series(numpy.r_[known, truth.astype(float)]).ffill().to_numpy()
    ends = len(known) + origins(data, truth)
    told(place, "seasonal naive", every[ends - max(data.seasons)])
    told(place, "last value", every[ends - 1])
    models = {
        "MSTL AutoETS": lambda: MSTL(list(data.seasons), trend_forecaster=AutoETS(model="ZZN")),
        "MSTL AutoARIMA": lambda: MSTL(list(data.seasons), trend_forecaster=AutoARIMA()),
        "MSTL AutoTheta": lambda: MSTL(list(data.seasons), trend_forecaster=AutoTheta()),
    }
    if max(data.seasons) <= SHORT_SEASON:
        models["AutoETS"] = lambda: AutoETS(season_length=max(data.seasons))
        models["AutoARIMA"] = lambda: AutoARIMA(season_length=max(data.seasons))
    if data.waves:
        models["harmonic ARIMA"] = AutoARIMA
    for name, made in models.items():
        waves = waves_of(len(every), *data.waves) if data.waves and name == "harmonic ARIMA" else None
        try:
            told(place, name, next_steps(made(), known, every, ends, waves))
        except Exception as error:  # what a library cannot do is said, and the rest compared
            print(f"{place.name}, {name}: {error!r}")


def waves_of(count: int, season: float, parts: int) -> numpy.ndarray:
    """Sine and cosine of the season and of its parts, (count, 2 * parts)."""
    angles = 2 * math.pi * numpy.outer(numpy.arange(count), numpy.arange(1, parts + 1)) / season
    return numpy.hstack([numpy.sin(angles), numpy.cos(angles)])


def next_steps(
    model: Any, known: numpy.ndarray, every: numpy.ndarray, ends: numpy.ndarray, waves: numpy.ndarray | None
) -> list[float]:
    """One step after each end, by a model of the known values; waves are inputs beside the series."""
    if waves is None:
        model = model.fit(known)
        return [model.forward(every[:end], 1)["mean"][0] for end in ends]
    model = model.fit(known, waves[: len(known)])
    return [model.forward(every[:end], 1, waves[:end], waves[end : end + 1])["mean"][0] for end in ends]


def flaml(place: Path, budget: float) -> None:
    """FLAML with the same time, its metric and models its own choice."""
    from flaml import AutoML

    data = DATA[place.name]
    if data.seasons or data.text:
        return
    (inputs, targets), (tested, _) = read(place, "train"), read(place, "test")
    classes = classified(targets)
    extra: dict[str, Any] = {}
    if data.group:
        extra = {"split_type": "group", "groups": pandas.read_csv(source(place, "train"))[data.group]}
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
