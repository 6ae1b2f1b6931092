"""Models that are no networks, as a project makes them: with the parameters that the trials made them with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from advisor.starter.source import literal
from advisor.training.ladder.variants import AFTER_LINEAR, BOOSTERS, DEFAULT, EARLY_STOPPED_ROUNDS, variants

TREES = ("gradient_boosting", "random_forest")
"""Models of trees."""
USUAL_ROUNDS = {"gradient_boosting": 100, "random_forest": 100}
"""As scikit-learn has them, and so the trials."""
UNTRIED_ROUNDS = 500
"""At most, and as many as help, where no trial says how many."""
_ITSELF = {True: ("random_forest", "knn"), False: ("random_forest", "knn", "linear")}
"""Models that give several outputs themselves, where they are classes, and where they are numbers."""


@dataclass(frozen=True, slots=True)
class Member:
    """One of the models whose answers are averaged; mostly the only one."""

    model: str
    share: float = 1.0
    parameters: Mapping[str, Any] = field(default_factory=dict)
    """By their names in scikit-learn, without the number of trees."""
    rounds: int | None = None
    """Trees for each output; None of what has none."""
    stops_early: bool = False
    """True if no more trees are grown than are best on examples that are kept back."""
    extra: bool = False
    """True for trees whose thresholds are drawn at random."""
    library: str = ""
    """Of boosted trees, where they are not scikit-learn's."""
    after_linear: bool = False
    """True for boosted trees of what a linear model leaves."""
    tried: bool = False
    """True if trials have settled its parameters."""

    @property
    def grows(self) -> bool:
        """True for trees, of which more can be added to those that there are."""
        return self.model in TREES and not self.library


def member_of(model: str, variant: str | None, *, classes: bool, share: float = 1.0, weighted: bool = False) -> Member:
    """The model as it was tried in this variant; None where it was not tried.

    Args:
        weighted: examples of a rare class count as much together as those of a frequent one.
    """
    parameters = dict(variants(model, classes=classes).get(variant or DEFAULT, {}))
    if weighted:
        parameters["class_weight"] = "balanced"
    if model not in TREES:
        return Member(model, share, parameters, tried=variant is not None)
    boosting = model == "gradient_boosting"
    if variant is None:
        return Member(model, share, parameters, UNTRIED_ROUNDS, stops_early=boosting)
    early = boosting and variant != DEFAULT
    rounds = parameters.pop("n_estimators", EARLY_STOPPED_ROUNDS if early else USUAL_ROUNDS[model])
    library = variant if variant in BOOSTERS else ""
    extra, after_linear = variant == "extra", variant == AFTER_LINEAR and not classes
    return Member(model, share, parameters, rounds, early, extra, library, after_linear, tried=True)


def construction(member: Member, *, classes: bool, outputs: int, texts: bool, table: bool, loss: str, threads: bool,
                 grows: bool, quantile: float = 0.9) -> str:  # fmt: skip
    """Source that makes the model, its lines indented as an item of a list in a function.

    Args:
        outputs: answers to each example; 1 for one class of many.
        grows: the number of trees is a variable, `rounds`.
        quantile: the share of the targets that the quantile loss wants below the answer.
    """
    made_for_loss = loss in _LOSSES_OF_LINEAR and not member.tried  # the trials' linear model predicts the mean
    of_one = member.model not in _ITSELF[classes] or (member.model == "linear" and made_for_loss)
    alone = outputs == 1 or not of_one
    own = [f"{name}={literal(value)}" for name, value in member.parameters.items()]
    rounds = "rounds" if grows else literal(member.rounds)
    kind = "Classifier" if classes else "Regressor"
    warm = ["warm_start=True"] if alone else []
    jobs = "settings.THREADS" if threads else "-1"
    match member.model:
        case "gradient_boosting":
            name = f"Booster{kind}" if member.library else f"HistGradientBoosting{kind}"
            name = "AfterLinear" if member.after_linear else name
            losses = [] if classes else _losses_of_trees(loss, quantile)
            categories = ["categorical_features=categories"] if table else []
            early = f"early_stopping={member.stops_early and not alone}"
            more = [f"library={literal(member.library)}", f"n_jobs={jobs}"] if member.library else warm
            arguments = [f"max_iter={rounds}", *losses, *categories, *own, early, *more, "random_state=seed"]
        case "random_forest":
            name = f"{'ExtraTrees' if member.extra else 'RandomForest'}{kind}"
            arguments = [f"n_estimators={rounds}", *own, f"n_jobs={jobs}", *warm, "random_state=seed"]
        case "linear" if classes:
            name, arguments = "LogisticRegression", ["max_iter=1000", *own]
        case "linear":
            name, arguments = _LOSSES_OF_LINEAR[loss] if made_for_loss else ("Ridge", own)
            arguments = [f"quantile={literal(quantile)}", *arguments] if name == "QuantileRegressor" else arguments
        case "svm" if classes:
            machine = f"LinearSVC({', '.join([*own, 'random_state=seed'])})" if texts else f"SVC({', '.join(own)})"
            name, arguments = "CalibratedClassifierCV", [machine, "ensemble=False", "cv=3"]
        case "svm":
            name, arguments = "SVR", own
        case "knn":
            name, arguments = f"KNeighbors{kind}", own
        case _:
            name, arguments = "ComplementNB", own
    made = _call(name, arguments, 8 if alone else 12)
    return made if alone else _call(f"MultiOutput{kind}", [made], 8)


def _losses_of_trees(loss: str, quantile: float) -> list[str]:
    return {
        "mae": ['loss="absolute_error"'],
        "quantile": ['loss="quantile"', f"quantile={literal(quantile)}"],
    }.get(loss, [])


_LOSSES_OF_LINEAR: Mapping[str, tuple[str, list[str]]] = {
    "quantile": ("QuantileRegressor", ["alpha=0.01"]),
    "mae": ("HuberRegressor", []),
    "huber": ("HuberRegressor", []),
}


def _call(name: str, arguments: Sequence[str], indent: int) -> str:
    lines = "".join(f"{' ' * (indent + 4)}{argument},\n" for argument in arguments)
    return f"{name}(\n{lines}{' ' * indent})" if arguments else f"{name}()"
