"""New data that a saved model tells worse are warned of only where chance does not explain it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from advisor.cli.commands.experiments.apply import _compared, _scored
from advisor.datasets.intake import Source
from advisor.session.applying import Predictions
from advisor.training.kept.card import Deciding
from advisor.training.kept.request import Applied
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


def test_the_worth_of_decisions_stands_beside_what_it_was_in_the_trials() -> None:
    intake = SimpleNamespace(source=Source.TABLE, classes=("rare", "usual"))
    metric = Metric("average_precision", "average precision", 0.01)
    promised = SimpleNamespace(**vars(card(metric, 0.5, 0.4, 0.6)), name="linear", intake=intake)
    promised.deciding = Deciding(0.85, 0, 0.04)
    told = _scored(Predictions(promised, b"", Applied(900, 0.52, 900, decided=0.83)))  # type: ignore[arg-type]
    rule = "It is decided for 'rare' from a probability of 0.04 on"
    assert told[2] == f"{rule}: balanced accuracy 0.83. When it was saved: 0.85."
    assert len(_scored(Predictions(promised, b"", Applied(900, 0.52, 900)))) == 2  # type: ignore[arg-type]
