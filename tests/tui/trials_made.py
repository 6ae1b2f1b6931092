"""Trials that were made up: they tell what real ones tell, at once, and wait where a test wants to look."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import Any

from advisor.agent.trials.trying import NothingTriedError
from advisor.children.stopping import STOPPED, Stop
from advisor.datasets.dataset import Inspection, Remark, Task, Weight
from advisor.errors import Problem
from advisor.facts.verdict import Verdict
from advisor.training.child.request import Began, EpochSeen, Ready
from advisor.training.ladder.outcome import Best, Bet, DataTried, Final, Metric, TrialResults, Winner
from advisor.training.ladder.trial_record import Kind, Stage, Status, Trial
from tests.tui.measurements_made import rules
from tests.tui.stand_in import StandIn

METRIC = Metric("accuracy", "accuracy", 0.01)
DATA = DataTried("/d/wine.csv", "kind", "0" * 16, "tabular", "classify", 178, 36, 142, "Drawn by class.", 3, 0.5)
WINE = Inspection(
    path="/d/wine.csv",
    format="delimited text",
    modality="tabular",
    examples=178,
    facts={
        "data.modality": "tabular",
        "task.kind": "classify",
        "task.outputs": 3,
        "data.examples": 178,
        "data.inputs": 13,
    },
    fingerprint="0" * 16,
    target="[/red]kind",
    task=Task.CLASSIFY,
    remarks=(Remark("12 rows appear twice.", Weight.WARNING),),
)
_BASELINE, _NETWORK = (Kind.BASELINE, Stage.BASELINES), (Kind.NETWORK, Stage.NETWORKS)
TRIALS = (
    Trial("trivial", Kind.TRIVIAL, Stage.TRIVIAL, 0, scores=(0.39, 0.40, 0.41)),
    Trial("linear", *_BASELINE, 0, scores=(0.95, 0.97, 0.96), seconds=0.2),
    Trial("random forest", *_BASELINE, 0, scores=(0.97, 0.98, 0.96), seconds=0.8),
    Trial("gradient boosting", *_BASELINE, 0, seconds=0.1, status=Status.FAILED, failure="It crashed."),
    Trial("ffn 100", *_NETWORK, 0, scores=(0.98, 0.99, 0.97), seconds=2.5, epochs=40),
    Trial("ffn 64-32", *_NETWORK, 0, scores=(0.97, 0.97, 0.98), seconds=2.1, epochs=35, status=Status.SHORT),
)
OUTCOME = TrialResults(
    metric=METRIC,
    data=DATA,
    verdict=Winner.NO_DIFFERENCE,
    says="ffn 100 and random forest cannot be told apart: take the simpler.",
    best=Best("ffn 100", Kind.NETWORK, 0.98, 0.95, 1.0),
    trials=TRIALS,
    finals=(Final("ffn 100", Kind.NETWORK, (0.97, 0.98), 0.975, 0.94, 0.99),),
    bets=(
        Bet(
            "network.type",
            "",
            "gradient_boosting",
            "ffn",
            "ffn",
            Verdict.OVERTURNED,
            0.02,
            0.01,
            0.03,
            "accuracy",
            6,
        ),
        Bet("training.optimizer", "ffn", "adamw", "sgd", None, Verdict.UNDECIDED, 0.004, -0.01, 0.02, "accuracy", 3),
    ),
    seconds=12.0,
)


@dataclass
class MadeTrials:
    """Takes the place of `Desk.try_on_data`. With `waits` it waits in the training of the first network, until it is let go or
    stopped; with `reads` while the data are read."""

    waits: bool = False
    reads: bool = False
    asked: list[float] = field(default_factory=list)
    let_go: threading.Event = field(default_factory=threading.Event)

    def __call__(self, seconds: float, listener: Any, stop: Stop) -> TrialResults:
        self.asked.append(seconds)
        if self.reads:
            self._wait(stop)
            raise NothingTriedError("Nothing could be tried", [Problem("", STOPPED)])
        listener(Ready(DATA, METRIC, 3))
        for trial in TRIALS:
            listener(Began(trial.name, trial.stage, trial.rung, trial.kind))
            for fold in range(3 if trial.epochs else 0):
                for epoch in range(1, 30, 2):
                    listener(EpochSeen(epoch, 1.1 / (epoch + fold) ** 0.5))
            if trial.name == "ffn 100" and self.waits:
                self._wait(stop)
            if stop.all:
                break
            listener(trial)
        return OUTCOME

    def _wait(self, stop: Stop) -> None:
        while not (self.let_go.wait(0.02) or stop.all):
            pass


def trying_desk(*, waits: bool = False, reads: bool = False) -> tuple[StandIn, MadeTrials]:
    """A desk with data that can be tried."""
    desk = StandIn(rules(), inspection=WINE)
    for name, value in WINE.facts.items():
        desk.interview.answer(name, str(value))
    made = MadeTrials(waits, reads)
    desk.tried = made
    return desk, made
