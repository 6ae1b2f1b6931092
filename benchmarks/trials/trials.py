"""Whether `advisor try` finds what is at least as good as the best single model with default settings.

On four tables that scikit-learn ships and two seeded generators: for each seed the whole command with its budget, and on
the same held-out examples logistic or ridge regression, random forest, histogram gradient boosting and scikit-learn's
network, all with default settings. The best single one is found afterwards, which favours it.

    python benchmarks/trials/trials.py [--budget 60] [--seeds 5] [--data digits,wine] [--jobs 1]
"""

from __future__ import annotations

import argparse
import csv
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy
from sklearn import datasets as shipped
from threadpoolctl import threadpool_limits

from advisor.datasets.inspect import inspect
from advisor.datasets.loading import load
from advisor.datasets.preparing.preparation import preparation
from advisor.datasets.preparing.splits import outer_split
from advisor.training.child.classical import model
from advisor.training.child.metrics import metric_of, score

SINGLE = ("linear", "random_forest", "gradient_boosting", "mlp")
Table = tuple[Any, Any]


@dataclass(frozen=True)
class Run:
    """One run of the command: the score of what it chose, and what that was."""

    score: float
    name: str
    kind: str
    verdict: str
    seconds: float


def rings(seed: int = 0) -> Table:
    """Two classes as rings around each other in two of six dimensions: linear models see nothing."""
    draw = numpy.random.default_rng(seed)
    values = draw.normal(size=(800, 6))
    radius = numpy.hypot(values[:, 0], values[:, 1]) + draw.normal(scale=0.15, size=800)
    return values, (radius > numpy.median(radius)).astype(int)


def friedman(seed: int = 0) -> Table:
    """Friedman 1991 (Multivariate adaptive regression splines, section 4.3), five of its ten inputs mean nothing."""
    return shipped.make_friedman1(n_samples=600, noise=1.0, random_state=seed)


DATA: Mapping[str, Callable[[], Table]] = {
    "digits": lambda: shipped.load_digits(return_X_y=True),
    "wine": lambda: shipped.load_wine(return_X_y=True),
    "breast_cancer": lambda: shipped.load_breast_cancer(return_X_y=True),
    "diabetes": lambda: shipped.load_diabetes(return_X_y=True),
    "rings": rings,
    "friedman": friedman,
}


def written(name: str, folder: Path) -> Path:
    """The table as a CSV; classes are words, so that nothing takes them for numbers."""
    inputs, targets = DATA[name]()
    classes = targets.dtype.kind in "iu" and len(numpy.unique(targets)) <= 20
    path = folder / f"{name}.csv"
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([*(f"x{number}" for number in range(inputs.shape[1])), "target"])
        for values, target in zip(inputs.tolist(), targets.tolist(), strict=True):
            writer.writerow([*values, f"class {target}" if classes else target])
    return path


def tried(path: Path, seed: int, budget: float, threads: int) -> Run:
    """The command as people run it."""
    command = [
        sys.executable, "-m", "advisor", "try", "--data", str(path), "--target", "target",
        "--budget", f"{budget:g}s", "--seed", str(seed), "--format", "json",
    ]  # fmt: skip
    with tempfile.TemporaryDirectory() as state:
        limits = {"OMP_NUM_THREADS": str(threads), "ADVISOR_STATE": state}
        done = subprocess.run(command, capture_output=True, text=True, check=True, env={**os.environ, **limits})
    found = json.loads(done.stdout)
    best = found["best"]
    return Run(best["score"], best["name"], best["kind"], found["verdict"], found["seconds"])


def singles(path: Path, seed: int) -> dict[str, float]:
    """Every default model on the same split."""
    examples = load(inspect(path, "target"), most_examples=100_000)
    classes = examples.task.value == "classify"
    metric = metric_of(examples.task.value, examples.targets)
    split = outer_split(examples, seed=seed)
    prepared = preparation(examples).fit(split.training)
    targets = prepared.targets(split.training)
    found = {}
    for name in SINGLE:
        estimator: Any = model(name, examples.task.value, seed)
        with warnings.catch_warnings(), threadpool_limits(1):  # on so little, threads mostly wait for each other
            warnings.simplefilter("ignore")
            estimator.fit(prepared.flat(split.training), targets if classes else targets[:, 0])
        tested = prepared.flat(split.test)
        said = estimator.predict_proba(tested) if classes else estimator.predict(tested)
        foretold = said if classes else prepared.restore(said.reshape(-1, 1))
        found[name] = score(metric, examples.targets[split.test], foretold)
    return found


def error(values: Sequence[float]) -> float:
    """The standard error of the mean."""
    return statistics.stdev(values) / math.sqrt(len(values)) if len(values) > 1 else math.nan


def report(name: str, runs: Sequence[Run], baselines: Sequence[Mapping[str, float]]) -> bool:
    """Prints one data set; whether the command is not below the best single model by more than a standard error."""
    ours = [run.score for run in runs]
    means = {single: statistics.fmean(one[single] for one in baselines) for single in SINGLE}
    best = max(means, key=lambda single: means[single])
    gaps = [run.score - one[best] for run, one in zip(runs, baselines, strict=True)]
    gap, apart = statistics.fmean(gaps), error(gaps)
    noise = max(error(ours), apart) if len(ours) > 1 else math.nan
    passed = not gap < -error(ours) if len(ours) > 1 else True
    print(f"\n{name}: {statistics.fmean(ours):.4f} ± {error(ours):.4f} over {len(ours)} splits", flush=True)
    print("  " + ", ".join(f"{single} {value:.4f}" for single, value in means.items()))
    print(f"  against {best}: {gap:+.4f} (standard error of the pairs {apart:.4f}, the larger {noise:.4f})")
    for seed, run in enumerate(runs):
        print(f"  seed {seed}: {run.score:.4f} {run.name} ({run.verdict}), {run.seconds:.0f} s")
    print(f"  {'not below' if passed else 'BELOW'} the best single model by more than a standard error of our mean")
    return passed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--budget", type=float, default=60.0, help="seconds a run")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--data", default=",".join(DATA), help="names, with commas between")
    parser.add_argument("--jobs", type=int, default=1, help="runs at a time; each needs cores of its own")
    arguments = parser.parse_args()
    names = arguments.data.split(",")
    threads = max(1, len(os.sched_getaffinity(0)) // arguments.jobs)
    passed = []
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(arguments.jobs) as pool:
        for name in names:
            path = written(name, Path(folder))
            futures = [pool.submit(tried, path, seed, arguments.budget, threads) for seed in range(arguments.seeds)]
            runs = [future.result() for future in futures]
            passed.append(report(name, runs, [singles(path, seed) for seed in range(arguments.seeds)]))
    print(f"\n{sum(passed)} of {len(passed)} data sets are not below by more than a standard error.")
    return 0 if all(passed) else 1


if __name__ == "__main__":
    raise SystemExit(main())
