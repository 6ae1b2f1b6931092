"""One training of a candidate: the time that it may take, and what came of it. No torch here."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import Any, TypeAlias

from numpy.typing import NDArray

from advisor.datasets.preparing.preparation import Preparation
from advisor.networks.spec import Description
from advisor.training.child.metrics import Reads

Numbers: TypeAlias = NDArray[Any]


class FittingError(Exception):
    """This candidate cannot be fitted to these data; the message says why."""


class TooSlowError(FittingError):
    """There is no time for enough of its training to judge it by."""


HURRIED = 0.5
"""A training had much fewer epochs than usual if they are less than this share of them."""


@dataclass(frozen=True, slots=True)
class Allowance:
    """The time that the training of a network may take; other models take what they need."""

    seconds: float
    """Fewer epochs are planned where all of them would take longer."""
    until: float
    """A time of time.monotonic at which training stops, whatever it has reached."""
    most: float = math.inf
    """Seconds after which a training stops as well; that its pace is measured first does not count."""
    judged: bool = False
    """True if a training is not begun where there is no time for enough of it to judge the network by."""
    kept: bool = False
    """True of a model that is kept, for which several stretches of time say when trees stop growing: it takes twice as long."""

    def deadline(self) -> float:
        """Of a training that begins now."""
        return min(self.until, time.monotonic() + self.most)


@dataclass(frozen=True, slots=True)
class Learned:
    """A model that was fitted, and what turns examples into its inputs."""

    model: Any
    """An estimator of scikit-learn, or a network; None of a statistical model, which is fitted to each series anew, and of a
    repeated step."""
    prepared: Preparation
    network: Description | None = None
    """The description that the network is built from; None of an estimator."""
    back: int = 0
    """Steps before, whose values are repeated, or from which an estimator of a series predicts the difference; 0 of others."""
    by: tuple[float, ...] = ()
    """Added to repeated values, for each step ahead, where a quantile is wanted."""


@dataclass(frozen=True, slots=True)
class Fitted:
    """The predictions of a candidate, and the time that they took."""

    predicted: Numbers
    """Class numbers (n,), or values (n, outputs) in the units of the data."""
    seconds: float = 0.0
    epochs: int | None = None
    short: bool = False
    """True if the deadline came before training had ended."""
    hurried: bool = False
    """True if it had much fewer epochs than usual, since there was no time for more."""
    probabilities: Numbers | None = None
    """Of the classes (n, classes), where there are classes."""
    learned: Learned | None = None
    """None of predictions alone."""

    def read_by(self, reads: Reads) -> Numbers:
        """The part of the answer that a metric which reads this looks at."""
        return self.predicted if self.probabilities is None or reads is not Reads.PROBABILITIES else self.probabilities
