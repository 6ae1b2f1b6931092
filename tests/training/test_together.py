"""Several models together: shares found on folds, and the score of the average on folds that had no say in them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from advisor.training.child.finals import LONGER
from advisor.training.child.metrics import metric_of, pinball
from advisor.training.child.together import ENOUGH, MOST, STEPS, Seen, averaged
from advisor.training.ladder.candidates import Candidate
from advisor.training.ladder.comparing import Scores, leader
from advisor.training.ladder.ladder import Ladder
from advisor.training.ladder.menu import MODELS, menu
from advisor.training.ladder.trial_record import Kind, Stage, Trial
from tests.training.test_ladder import PLANNED

FOLDS, ROWS = 3, 400
APART = [(0, place) for place in range(FOLDS)]
NUMBERS = metric_of("regress", np.zeros((4, 1)))
CLASSES = metric_of("classify", np.array([0, 1, 2]))


def candidates(*models: str) -> list[Candidate]:
    return [Candidate(MODELS[model], Kind.BASELINE, Stage.BASELINES, model) for model in models]


def world(offs: dict[str, float], seed: int = 0) -> tuple[Seen, list[Trial], list[np.ndarray]]:
    """Answers that are off by noise of their own with these deviations, and their trials."""
    draw = np.random.default_rng(seed)
    truths = [draw.normal(size=(ROWS, 1)) for _ in range(FOLDS)]
    seen = {
        MODELS[model]: {
            (0, place): (truth, truth + off * draw.normal(size=truth.shape)) for place, truth in enumerate(truths)
        }
        for model, off in offs.items()
    }
    trials = [
        Trial(
            name,
            Kind.BASELINE,
            Stage.BASELINES,
            0,
            scores=tuple(metric_scores(mine)),
            seconds=3.0,
        )
        for name, mine in seen.items()
    ]
    return seen, trials, truths


def test_independent_errors_are_averaged_by_how_small_they_are_and_the_average_is_better() -> None:
    offs = {"linear": 0.5, "random_forest": 0.5, "gradient_boosting": 1.0}
    seen, trials, _truths = world(offs)
    found = averaged(candidates(*offs), seen, APART, NUMBERS, trials, math.inf)
    assert found is not None
    (trial,) = found
    shares = shares_of(found)
    assert sum(shares.values()) == pytest.approx(1)
    assert shares["linear"] == pytest.approx(shares["random_forest"], abs=0.11)
    assert shares["linear"] > shares.get("gradient_boosting", 0)
    best = max(np.mean(metric_scores(mine)) for mine in seen.values())
    assert np.mean(trial.scores) > best + 0.05


def test_quantiles_are_averaged_by_the_pinball_loss_and_not_by_how_near_they_are_to_the_mean() -> None:
    offs = {"linear": 0.1, "random_forest": 0.1, "gradient_boosting": 0.3}
    seen, trials, truths = world(offs)
    draw = np.random.default_rng(1)
    high = {"linear": 1.4, "random_forest": 1.1, "gradient_boosting": 0.0}
    """Nine in ten lie below 1.28; the last is the mean."""
    for model, by in high.items():
        for place, truth in enumerate(truths):
            seen[MODELS[model]][0, place] = truth, np.full_like(truth, by) + 0.01 * draw.normal(size=truth.shape)
    found = averaged(candidates(*offs), seen, APART, pinball(0.9), trials, math.inf)
    assert found is not None
    shares = shares_of(found)
    assert shares.get("gradient_boosting", 0.0) < 0.15
    assert sum(shares[model] * high[model] for model in shares) == pytest.approx(1.28, abs=0.1)


def shares_of(trials: Sequence[Trial]) -> dict[str, float]:
    return {one["model"]: one["share"] for one in trials[0].settings["members"]}


def metric_scores(mine: Mapping[Any, tuple[Any, Any]]) -> list[float]:
    return [NUMBERS.of(*NUMBERS.read(truth, said)) for truth, said in mine.values()]


def test_the_shares_are_the_best_of_all_in_steps_of_a_twentieth() -> None:
    seen, trials, truths = world({"linear": 0.5, "random_forest": 0.8})
    found = averaged(candidates("linear", "random_forest"), seen, APART, NUMBERS, trials, math.inf)
    assert found is not None
    one, other = (
        np.concatenate([fold[1] for fold in seen[MODELS[name]].values()]) for name in ("linear", "random_forest")
    )
    truth = np.concatenate(truths)
    every = np.arange(STEPS + 1) / STEPS
    best = min(every, key=lambda share: float(np.mean((share * one + (1 - share) * other - truth) ** 2)))
    assert shares_of(found)["linear"] == pytest.approx(best, abs=1.01 / STEPS)


def test_the_same_model_with_other_settings_may_be_one_of_at_most_three() -> None:
    names = ["gradient boosting", *(f"gradient boosting, {name}" for name in ("shallow", "large", "regularised"))]
    draw = np.random.default_rng(0)
    truths = [draw.normal(size=(ROWS, 1)) for _ in range(FOLDS)]
    seen: dict = {
        name: {(0, place): (truth, truth + 0.5 * draw.normal(size=truth.shape)) for place, truth in enumerate(truths)}
        for name in names
    }
    trials = [
        Trial(name, Kind.BASELINE, Stage.BASELINES, 0, scores=(0.8,) * FOLDS, seconds=3.0 * FOLDS) for name in names
    ]
    boosted = [
        replace(candidates("gradient_boosting")[0], name=name, variant=name.partition(", ")[2]) for name in names
    ]
    found = averaged(boosted, seen, APART, NUMBERS, trials, math.inf)
    assert found is not None
    assert found[0].name == "3 × gradient boosting"
    members = found[0].settings["members"]
    assert len(members) == MOST == len({one["variant"] for one in members})
    in_time = averaged(boosted, seen, APART, NUMBERS, trials, 2 * 3.0 * LONGER)
    assert in_time is not None
    assert in_time[0].name == "2 × gradient boosting"
    assert averaged(boosted, seen, APART, NUMBERS, trials, 3.0 * LONGER) is None


def test_an_average_is_taken_unless_the_best_of_the_others_is_shown_to_be_better_on_the_same_folds() -> None:
    def judged(name: str, *scores: float, rung: int = 0, losses: tuple[float, ...] = ()) -> Trial:
        return Trial(name, Kind.BASELINE, Stage.BASELINES, rung, scores=scores, losses=losses)

    alone = [judged("linear", 0.7, 0.6), judged("random forest", 0.71, 0.6), judged("random forest", 0.9, 0.9, rung=1)]
    for both, chosen in (((0.72, 0.595), "both"), ((0.69, 0.605), "both"), ((0.70, 0.585), "random forest")):
        scores = Scores([*alone, judged("both", *both)], 0.25)
        assert leader(scores, ["linear", "random forest"], [], ["both"]) == chosen
    told = judged("linear", 0.7, 0.7, losses=(0.2, 0.2))
    for loss, chosen in ((0.19, "both"), (0.21, "linear")):
        scores = Scores([told, judged("both", 0.7, 0.69, losses=(loss, loss))], 0.25)
        assert leader(scores, ["linear"], [], ["both"]) == chosen


def test_folds_that_share_rows_with_others_choose_nothing() -> None:
    seen, trials, _truths = world({"linear": 0.5, "random_forest": 0.5})
    for mine in seen.values():
        mine |= {(1, place): (truth, truth) for (_, place), (truth, _) in list(mine.items())}  # type: ignore[operator]
    found = averaged(candidates("linear", "random_forest"), seen, APART, NUMBERS, trials, math.inf)
    assert found is not None
    assert [trial.rung for trial in found] == [0]
    hurried = [replace(trial, hurried=trial.name == "linear") for trial in trials]
    again = averaged(candidates("linear", "random_forest"), seen, APART, NUMBERS, hurried, math.inf)
    assert again == tuple(replace(trial, hurried=True) for trial in found)


def test_what_adds_nothing_is_left_out_and_one_model_alone_is_no_average() -> None:
    seen, trials, _truths = world({"linear": 0.1, "random_forest": 3.0})
    assert averaged(candidates("linear", "random_forest"), seen, APART, NUMBERS, trials, math.inf) is None


def test_a_model_that_was_tried_on_the_first_folds_only_is_one_of_several_all_the_same() -> None:
    seen, trials, _truths = world({"linear": 0.5, "random_forest": 0.5})
    assert len(seen) < ENOUGH
    linear = seen[MODELS["linear"]]
    linear |= {(1, place): answers for (_, place), answers in list(linear.items())}
    found = averaged(candidates("linear", "random_forest"), seen, APART, NUMBERS, trials, math.inf)
    assert found is not None
    assert set(shares_of(found)) == {"linear", "random_forest"}


def test_probabilities_stay_probabilities_and_the_ladder_knows_the_average_by_its_trial() -> None:
    draw = np.random.default_rng(1)
    truths = [draw.integers(3, size=ROWS) for _ in range(FOLDS)]
    seen: dict = {}
    for model in ("linear", "gradient_boosting"):
        seen[MODELS[model]] = {}
        for place, truth in enumerate(truths):
            logits = 1.2 * np.eye(3)[truth] + draw.normal(size=(ROWS, 3))
            seen[MODELS[model]][0, place] = truth, np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
    trials = [Trial(name, Kind.BASELINE, Stage.BASELINES, 0, scores=(0.6, 0.6, 0.6), seconds=1.0) for name in seen]
    found = averaged(candidates("linear", "gradient_boosting"), seen, APART, CLASSES, trials, math.inf)
    assert found is not None
    known = Ladder(menu(PLANNED, "tabular"), 6, 0.25).candidates([*trials, *found])
    assert {one.model: one.share for one in known[found[0].name].members} == shares_of(found)
    assert found[0].losses and 0 < found[0].losses[0] < 1  # noqa: PT018
