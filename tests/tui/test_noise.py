"""What the screen of trials says of the leader: no more than the folds show."""

from __future__ import annotations

import random

import pytest

from advisor.agent.trials.state import Row
from advisor.training.ladder.trial_record import Kind, Stage
from advisor.tui.screens.trying.live import interval, leading


def row(name: str, *scores: float, kind: Kind = Kind.BASELINE) -> Row:
    return Row(name, kind, Stage.BASELINES, list(scores))


def test_a_single_fold_shows_no_noise() -> None:
    said = leading([row("a", 0.901), row("b", 0.900)])
    assert said == "a leads after one fold; how much of that is noise is not known yet."
    assert interval([0.901]) == (0.901, 0.901, 0.901)


def test_folds_that_agree_by_far_are_beyond_noise() -> None:
    assert leading([row("a", 0.90, 0.91, 0.90), row("b", 0.60, 0.61, 0.60)]) == "a leads, beyond noise."


@pytest.mark.parametrize("folds", [2, 3, 5])
def test_candidates_that_are_the_same_are_rarely_told_apart(folds: int) -> None:
    generator = random.Random(7)
    told = 0
    for _ in range(500):
        scores = [[generator.gauss(0.9, 0.01) for _ in range(folds)] for _ in range(2)]
        best, other = sorted(scores, key=lambda one: -sum(one))
        told += leading([row("a", *best), row("b", *other)]).endswith("beyond noise.")
    assert told <= 0.06 * 500
