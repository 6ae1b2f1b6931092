"""New data that a saved model tells worse are warned of only where chance does not explain it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from advisor.cli.commands.experiments.apply import _compared
from advisor.training.ladder.outcome import Metric


def card(metric: Metric, score: float, low: float, high: float) -> Any:
    """As much of a card as is compared."""
    return SimpleNamespace(metric=metric, score=score, low=low, high=high, held_out=1000)


def test_few_rows_may_be_far_off_by_chance_and_many_may_not() -> None:
    promised = card(Metric("accuracy", "accuracy", 0.01), 0.85, 0.82, 0.88)
    assert not _compared(promised, 0.80, 5)
    assert not _compared(promised, 0.82, 1000), "the new rows are as uncertain as the held-out ones"
    assert _compared(promised, 0.80, 1000)
    errors = card(Metric("rmse", "RMSE", 1.0, greater_is_better=False), 10.0, 9.0, 11.0)
    assert _compared(errors, 12.0, 1000)
    assert not _compared(errors, 5.0, 1000)
