"""Candidates of a trial: models with their settings, and the plan's words on them. No torch here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from advisor.plain import encode
from advisor.training.ladder.trial_record import Kind, Stage

SIMPLEST = ("trivial", "linear")
"""Models that are tried however short the budget is."""
_DECOUPLED = ("adamw", "nadam")
STEPS = 1500
"""Optimiser steps that a training is given, in 15 to 200 epochs."""
FEWEST_EPOCHS, MOST_EPOCHS = 15, 200
DECAY, COUPLED_DECAY = 0.2, 1e-3
"""Weight decay where it is a share of the learning rate by which weights shrink in each step (Loshchilov and Hutter 2019,
arXiv:1711.05101), and where it is added to the gradients. Strong, since most tables have few examples.
"""


class Factor(StrEnum):
    """The setting that a variation changes; one at a time, so that it explains the difference."""

    WIDTH = "width"
    INIT = "initial weights"
    ACTIVATION = "activation"
    OPTIMIZER = "optimiser"
    REGULARISATION = "regularisation"


TOPICS: Mapping[Factor, str] = {
    Factor.WIDTH: "network.hidden_units",
    Factor.INIT: "network.init",
    Factor.ACTIVATION: "network.activation",
    Factor.OPTIMIZER: "training.optimizer",
}
"""The recommendations that a factor's variations judge."""


FIELDS: Mapping[Factor, tuple[str, ...]] = {
    Factor.WIDTH: ("hidden_units",),
    Factor.INIT: ("init",),
    Factor.ACTIVATION: ("activation",),
    Factor.OPTIMIZER: ("optimizer", "learning_rate", "weight_decay"),
    Factor.REGULARISATION: ("weight_decay", "early_stopping"),
}
"""The settings that a factor's variations change; the first is what its topic recommends."""


@dataclass(frozen=True, slots=True)
class NetworkSettings:
    """A network and how it is trained."""

    network: str
    hidden_units: tuple[int, ...]
    init: str = "he"
    activation: str = "relu"
    normalization: str = "none"
    dropout: float = 0.0
    """The share of values that are left out while training."""
    optimizer: str = "adamw"
    learning_rate: float = 3e-3
    batch_size: int = 64
    weight_decay: float = DECAY
    early_stopping: bool = True
    """True if some of the training examples are kept back to see when to stop."""
    epochs: int | None = None
    """None: as many as give STEPS steps."""
    schedule: str = "cosine"

    def epochs_for(self, examples: int) -> int:
        if self.epochs is not None:
            return self.epochs
        return max(FEWEST_EPOCHS, min(MOST_EPOCHS, round(STEPS * self.batch_size / max(examples, 1))))

    def value(self, factor: Factor) -> Any:
        """Its value of a factor, as the recommendation of that topic would spell it."""
        if factor is Factor.REGULARISATION:
            return (self.weight_decay, self.early_stopping)
        value = getattr(self, FIELDS[factor][0])
        return list(value) if factor is Factor.WIDTH else value


SCIKIT_LEARN_LIKE = NetworkSettings(
    "ffn", (100,), init="glorot", optimizer="adam", learning_rate=1e-3, batch_size=200, weight_decay=1e-4, early_stopping=False,
    epochs=200, schedule="constant",
)  # fmt: skip
"""The defaults of scikit-learn's MLPClassifier and MLPRegressor."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """One thing that is tried. Its name tells it from all others of a run."""

    name: str
    kind: Kind
    stage: Stage
    model: str
    """A name of the plan's network types, or trivial."""
    settings: NetworkSettings | None = None
    factor: Factor | None = None
    """The factor that it varies; None if it is no variation."""
    weighted: bool = False
    """True if examples of a rare class count as much together as those of a frequent one."""
    variant: str = ""
    """Of a model that is no network the name of its settings, see `variants`; empty for the default."""
    members: tuple[Member, ...] = ()
    """Of several models together each of them."""
    instead_of: str = ""
    """The name of the wider network whose place it takes where there is no time for that one."""
    lagged: bool = False
    """True if it learns by how much a series will differ from an earlier step, or from the season before."""
    backbone: str = ""
    """The network of `backbones` whose features of pictures or texts it learns from; empty where it learns from the examples."""

    @property
    def simplest(self) -> bool:
        """True if it is tried however short the budget is."""
        return self.model in SIMPLEST and not self.backbone

    @property
    def varied(self) -> bool:
        """True if it was made of what had been tried, and not on the menu from the start."""
        return self.stage in (Stage.VARIATIONS, Stage.TOGETHER)

    @property
    def settings_json(self) -> dict[str, Any]:
        """The settings of a network; of a model that is none what differs from its default."""
        if self.settings is not None:
            found: dict[str, Any] = encode(self.settings)
            return found
        told = {
            "variant": self.variant, "weighted": self.weighted, "members": encode(self.members), "lagged": self.lagged,
            "backbone": self.backbone,
        }  # fmt: skip
        return {name: value for name, value in told.items() if value}


@dataclass(frozen=True, slots=True)
class Member:
    """One of several models whose answers are averaged."""

    model: str
    variant: str
    weighted: bool
    share: float
    """Of the average, 0 to 1; the shares of all members make 1."""

    @property
    def alone(self) -> Candidate:
        """The candidate that it is without the others."""
        return Candidate(
            self.model, Kind.BASELINE, Stage.BASELINES, self.model, weighted=self.weighted, variant=self.variant
        )


TOGETHER = "ensemble"
"""The model of several together."""


def together(members: Sequence[Member], name: str) -> Candidate:
    """Several models whose answers are averaged by their shares."""
    return Candidate(name, Kind.BASELINE, Stage.TOGETHER, TOGETHER, members=tuple(members))


@dataclass(frozen=True, slots=True)
class Planned:
    """The plan's recommendations, as far as they can be tried; None and empty where it has none."""

    network: str | None = None
    runners_up: tuple[str, ...] = ()
    hidden_units: tuple[int, ...] = ()
    init: str | None = None
    activation: str | None = None
    optimizer: str | None = None
    learning_rate: float | None = None
    batch_size: int | None = None
    normalization: str = "none"
    dropout: float = 0.0
    """These two as far as the type of network takes them."""
    backbone: str | None = None
    """The network that others trained whose features are learned from; empty where none is here, None where none is to be
    tried."""

    def value(self, factor: Factor) -> Any:
        if factor is Factor.WIDTH:
            return list(self.hidden_units) or None
        return getattr(self, FIELDS[factor][0], None)


def decay_of(optimizer: str) -> float:
    return DECAY if optimizer in _DECOUPLED else COUPLED_DECAY
