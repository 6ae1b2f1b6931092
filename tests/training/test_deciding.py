"""Thresholds for rare classes are the best on the folds, and count as what they are on other examples."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import numpy as np
import polars
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import balanced_accuracy_score, f1_score

from advisor.datasets.dataset import Examples, Task
from advisor.datasets.preparing.splits import Split
from advisor.training.child.deciding import BALANCED, F1, decisions
from advisor.training.child.finals import LEAST_SECONDS, FinalRound
from advisor.training.child.fitted import Fitted
from advisor.training.child.fitting import Fitting
from advisor.training.child.metrics import LOG_LOSS, R2, RMSE
from advisor.training.child.request import Finals
from advisor.training.ladder.candidates import Candidate, NetworkSettings
from advisor.training.ladder.trial_record import Kind, Stage, Trial

SHARES = np.array([0.9, 0.1])


def seen(seed: int, n: int = 80) -> tuple[np.ndarray, np.ndarray]:
    draw = np.random.default_rng(seed)
    truth = np.r_[1, 0, (draw.random(n - 2) < 0.2).astype(int)]
    likely = np.clip(0.15 + 0.2 * truth + draw.normal(scale=0.1, size=n), 0, 1).round(2)
    return truth, np.column_stack([1 - likely, likely])


@given(st.integers(0, 10_000))
def test_no_other_threshold_does_better_on_the_folds(seed: int) -> None:
    parts = [seen(seed), seen(seed + 1)]
    truth, likely = (np.concatenate(part) for part in zip(*parts, strict=True))
    found = decisions(SHARES, 1, parts).scores(truth, likely)
    possible = [likely[:, 1] >= one for one in [*np.unique(likely[:, 1]), 2.0]]
    assert found[BALANCED] == pytest.approx(max(balanced_accuracy_score(truth, taken) for taken in possible))
    assert found[F1] == pytest.approx(max(f1_score(truth, taken, zero_division=0.0) for taken in possible))


def test_a_threshold_lies_between_what_is_taken_and_what_is_not() -> None:
    likely = np.array([0.1, 0.2, 0.6, 0.8])
    found = decisions(SHARES, 1, [(np.array([0, 0, 1, 1]), np.column_stack([1 - likely, likely]))])
    assert found.thresholds == {BALANCED: pytest.approx(0.4), F1: pytest.approx(0.4)}


def test_without_folds_it_is_the_share_of_the_class() -> None:
    assert decisions(SHARES, 1).thresholds == {BALANCED: 0.1, F1: 0.1}


def test_of_several_classes_the_rare_ones_are_taken_where_they_are_likelier_than_usual() -> None:
    truth, likely = np.array([0, 1, 2]), np.array([[0.9, 0.05, 0.05], [0.7, 0.3, 0.0], [0.6, 0.1, 0.3]])
    found = decisions(np.array([0.8, 0.1, 0.1]))
    assert found.scores(truth, likely) == {BALANCED: 1.0}
    assert found.thresholds == {}


@pytest.mark.parametrize(("last", "told"), [([0, 0, 0, 1], True), ([0, 0, 0, 0], False)])
def test_decisions_are_not_scored_on_held_out_examples_that_lack_a_class(last: list[int], told: bool) -> None:
    targets = np.array([0] * 20 + [1] * 4 + last)
    inputs = polars.DataFrame({"x": np.arange(28.0)})
    examples = Examples("tabular", Task.CLASSIFY, inputs, targets, ("common", "rare"))
    split = Split(np.arange(24), np.arange(24, 28), "")
    shares = np.array([20, 4]) / 24
    finals = FinalRound(Fitting(examples, 1), split, LOG_LOSS, 0, lambda _: decisions(shares, 1))
    linear = Candidate("linear", Kind.BASELINE, Stage.BASELINES, "linear")
    trivial = Candidate("trivial", Kind.TRIVIAL, Stage.TRIVIAL, "trivial")
    said = [
        one for one in finals.hold([trivial, linear], [], lambda _: 1.0, time.monotonic()) if isinstance(one, Finals)
    ]
    assert all(bool(final.also) is told and bool(final.thresholds) is told for final in said[-1].finals)


def test_a_metric_that_is_no_number_on_the_held_out_examples_leaves_the_finals_out_and_ends_nothing() -> None:
    inputs = polars.DataFrame({"x": np.arange(28.0)})
    examples = Examples("tabular", Task.REGRESS, inputs, np.r_[np.arange(24.0), np.full(4, 0.1)][:, None])
    split = Split(np.arange(24), np.arange(24, 28), "")
    both = [
        Candidate("trivial", Kind.TRIVIAL, Stage.TRIVIAL, "trivial"),
        Candidate("linear", Kind.BASELINE, Stage.BASELINES, "linear"),
    ]
    never = replace(RMSE, drawn=lambda truth, predicted, counts: np.full(len(counts), np.nan))
    for metric, told in ((R2, 0), (never, 0), (RMSE, 1)):
        finals = FinalRound(Fitting(examples, 1), split, metric, 0)
        said = [one for one in finals.hold(both, [], lambda _: 1.0, time.monotonic()) if isinstance(one, Finals)]
        assert len(said) == told


class Watched(Fitting):
    """Remembers the seconds that trainings were allowed."""

    def __init__(self, examples: Examples) -> None:
        super().__init__(examples, 1)
        self.allowed: dict[str, float] = {}

    def fit(self, candidate: Candidate, *places: Any) -> Fitted:
        self.allowed[candidate.name] = places[3].seconds
        return super().fit(candidate, *places)


def test_a_network_that_was_slow_on_the_folds_is_scored_with_the_epochs_that_there_is_time_for() -> None:
    targets = np.arange(60) % 2
    examples = Examples("tabular", Task.CLASSIFY, polars.DataFrame({"x": targets * 2.0}), targets, ("even", "odd"))
    split, fitting = Split(np.arange(40), np.arange(40, 60), ""), Watched(examples)
    trivial = Candidate("trivial", Kind.TRIVIAL, Stage.TRIVIAL, "trivial")
    settings = NetworkSettings("ffn", (8,), epochs=100_000, early_stopping=False)
    network = Candidate("ffn 8", Kind.NETWORK, Stage.NETWORKS, "ffn", settings)
    slow = Trial("ffn 8", Kind.NETWORK, Stage.NETWORKS, 0, settings=network.settings_json, scores=(0.3,), seconds=900.0)
    late = time.monotonic()
    *_, said = FinalRound(fitting, split, LOG_LOSS, 0).hold([trivial, network], [slow], lambda _: 300.0, late)
    assert isinstance(said, Finals)
    assert {final.name: final.cut for final in said.finals} == {"trivial": False, "ffn 8": True}
    assert fitting.allowed["ffn 8"] == LEAST_SECONDS


def test_a_network_without_time_for_an_epoch_is_not_scored_by_its_first_weights(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    targets = np.arange(60) % 2
    examples = Examples("tabular", Task.CLASSIFY, polars.DataFrame({"x": targets * 2.0}), targets, ("even", "odd"))
    split, fitting = Split(np.arange(40), np.arange(40, 60), ""), Watched(examples)
    trivial = Candidate("trivial", Kind.TRIVIAL, Stage.TRIVIAL, "trivial")
    network = Candidate("ffn 8", Kind.NETWORK, Stage.NETWORKS, "ffn", NetworkSettings("ffn", (8,)))
    fit = Fitting.fit
    never = {"ffn 8": {"epochs": 0, "short": True}}
    monkeypatch.setattr(
        Fitting, "fit", lambda self, one, *places: replace(fit(self, one, *places), **never.get(one.name, {}))
    )
    finals = FinalRound(fitting, split, LOG_LOSS, 0)
    list(finals.hold([trivial, network], [], lambda _: 1.0, time.monotonic()))
    assert list(finals.refits) == ["trivial"]
