"""The survey's "initial weights of about 0.1" on trial: the same deep network from several starts.

Wünsche 2018, III.A, advises low weights of about 0.1, as training ends in an optimum near its start. He et al. 2015
let the deviation follow the inputs of each layer: a ReLU layer of width n multiplies a signal by 0.1 sqrt(n/2), which
is 1 at 200 units only.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

import torch
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from advisor.networks.parts.layers import after_layers, dense
from advisor.training.ladder.intervals import Interval, t_interval
from advisor.training.loop.initialisation import SURVEY_DEVIATION, initialise
from advisor.training.loop.loop import train
from advisor.training.loop.objectives import Batch, Supervised
from advisor.training.recipe import Epoch, Recipe

LEARNT = 0.9
"""The share of right answers from which a network counts as having learnt something."""
_CLASSES = 10
_TRAINED, _VALIDATED, _TESTED = 0.6, 0.2, 0.2


@dataclass(frozen=True, slots=True)
class Start:
    """One way to begin: a name of `initialise`, with the deviation of small_normal."""

    name: str
    deviation: float | None = None

    def __str__(self) -> str:
        return self.name if self.deviation is None else f"{self.name} ({self.deviation:g})"


HE, GLOROT = Start("he"), Start("glorot")
SURVEY = Start("small_normal", SURVEY_DEVIATION)
SMALLER, LARGER = Start("small_normal", 0.01), Start("small_normal", 0.5)
STARTS = (HE, GLOROT, SURVEY, SMALLER, LARGER)


@dataclass(frozen=True, slots=True)
class StartScores:
    """What became of a start."""

    start: Start
    learning_rate: float
    """The best of those tried, on the validation examples with the first seed."""
    signal: float
    """At the start: the size of what the last hidden layer gives over that of the inputs (root mean squares)."""
    gradient: float
    """At the start: the norm of the gradient of the first layer's weights over that of the last hidden layer's."""
    accuracies: tuple[float, ...]
    """On the test examples, seed by seed."""
    epochs_to_learn: tuple[int | None, ...]
    """After how many epochs 90 % of the validation examples were right, seed by seed; None for never."""


@dataclass(frozen=True, slots=True)
class Effort:
    """How long each network is trained, and with what."""

    optimizer: str = "adam"
    learning_rates: tuple[float, ...] = (1e-4, 1e-3, 1e-2)
    epochs: int = 20
    batch_size: int = 64


def initial_weights_trial(
    width: int,
    layers: int = 10,
    *,
    seeds: Sequence[int] = (0, 1, 2),
    seconds: float | None = None,
    starts: Sequence[Start] = STARTS,
    effort: Effort = Effort(),
    device: str = "cpu",
) -> tuple[StartScores, ...]:
    """Trains a ReLU network of so many hidden layers on scikit-learn's digits, from every start and with every seed.

    Each start takes the learning rate that suits it, so that none loses by one that suits another. A seed divides the
    digits anew and draws the weights; all starts are trained on the same division. Where `seconds` are over, seeds that
    not all starts were trained with are left out; there may be none left.
    """
    until = None if seconds is None else time.monotonic() + seconds
    trial = _Trial(width, layers, effort, until, device)
    rates = {start: trial.best_rate(start, seeds[0]) for start in starts}
    runs: dict[Start, list[tuple[float, int | None]]] = {start: [] for start in starts}
    for seed in seeds:
        results = [trial.result(start, rates[start], seed) for start in starts]
        complete = [result for result in results if result is not None]
        if len(complete) < len(starts):
            break
        for start, result in zip(starts, complete, strict=True):
            runs[start].append(result)
    return tuple(
        StartScores(
            start,
            rates[start],
            *trial.at_the_start(start, seeds[0]),
            accuracies=tuple(accuracy for accuracy, _ in runs[start]),
            epochs_to_learn=tuple(epochs for _, epochs in runs[start]),
        )
        for start in starts
    )


class Ruling(StrEnum):
    """How one start did against another."""

    BETTER = "better"
    WORSE = "worse"
    NO_DIFFERENCE = "no_difference"  # the interval lies within a percentage point
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class Judgement:
    """One start against another: the accuracy gained on the same divisions, with its interval."""

    start: Start
    rival: Start
    gained: Interval
    ruling: Ruling

    def __str__(self) -> str:
        found = self.gained
        return (
            f"{self.start} against {self.rival}: {found.mean:+.3f} in accuracy "
            f"(95 % interval {found.low:+.3f} to {found.high:+.3f}, {found.n} pairs): {self.ruling.replace('_', ' ')}"
        )


MATTERS = 0.01
"""Of accuracy; within a percentage point two starts are as good as each other."""


def judged(found: Sequence[StartScores], start: Start, rival: Start) -> Judgement:
    """Student's interval of the paired differences, made up for divisions that share examples (see t_interval).

    Raises StatisticsError where the time ended before a seed was trained from every start.
    """
    mine, theirs = (next(scores.accuracies for scores in found if scores.start == one) for one in (start, rival))
    gained = t_interval([one - other for one, other in zip(mine, theirs, strict=True)], overlap=_TESTED / _TRAINED)
    if gained.low > 0 and gained.high > MATTERS:
        ruling = Ruling.BETTER
    elif gained.high < 0 and gained.low < -MATTERS:
        ruling = Ruling.WORSE
    elif gained.low >= -MATTERS and gained.high <= MATTERS:
        ruling = Ruling.NO_DIFFERENCE
    else:
        ruling = Ruling.UNDECIDED
    return Judgement(start, rival, gained, ruling)


@dataclass(frozen=True, slots=True)
class _Trial:
    width: int
    layers: int
    effort: Effort
    until: float | None
    device: str

    def best_rate(self, start: Start, seed: int) -> float:
        """By the right answers on the validation examples; of equals the middle one."""
        rates = self.effort.learning_rates
        found: dict[float, float] = {}
        for rate in rates:
            _, epochs = self._trained(start, rate, seed)
            found[rate] = max((epoch.validation or 0.0 for epoch in epochs), default=0.0)
        best = [rate for rate in rates if found[rate] == max(found.values())]
        return best[len(best) // 2]

    def result(self, start: Start, rate: float, seed: int) -> tuple[float, int | None] | None:
        """Accuracy on the test examples, and the epochs to 90 %; None where the time was over before the end."""
        network, epochs = self._trained(start, rate, seed)
        if self.until is not None and time.monotonic() >= self.until:
            return None
        test = _digits(seed, self.device)[2]
        learnt = next((epoch.number for epoch in epochs if (epoch.validation or 0.0) >= LEARNT), None)
        return _accuracy(test)(network), learnt

    def at_the_start(self, start: Start, seed: int) -> tuple[float, float]:
        """Signal and gradient, see StartScores."""
        network = self._network(start, seed)
        inputs, classes = _digits(seed, self.device)[0]
        signal = network[:-1](inputs)
        cross_entropy(network[-1](signal), classes).backward()  # type: ignore[no-untyped-call]
        hidden = [layer for layer in network if isinstance(layer, nn.Linear)][:-1]
        first, last = (_norm(layer.weight.grad) for layer in (hidden[0], hidden[-1]))
        return _root_mean_square(signal) / _root_mean_square(inputs), first / last if last else 0.0

    def _trained(self, start: Start, rate: float, seed: int) -> tuple[nn.Module, tuple[Epoch, ...]]:
        network = self._network(start, seed)
        training, validation, _ = _digits(seed, self.device)
        effort = self.effort
        recipe = Recipe(
            optimizer=effort.optimizer, learning_rate=rate, batch_size=effort.batch_size, epochs=effort.epochs,
            init=start.name, patience=None, seed=seed,
        )  # fmt: skip
        objective = Supervised(network, cross_entropy)
        result = train(objective, training, recipe, score=_accuracy(validation), until=self.until)
        return network, result.history

    def _network(self, start: Start, seed: int) -> nn.Sequential:
        network = dense((64, *[self.width] * self.layers, _CLASSES), after_layers(nn.ReLU))
        initialise(network, start.name, "relu", deviation=start.deviation or SURVEY_DEVIATION, seed=seed)
        return network.to(self.device)


def _digits(seed: int, device: str) -> tuple[Batch, Batch, Batch]:
    """Training (60 %), validation and test examples (20 % each), every class alike; inputs of mean 0 and deviation 1."""
    inputs, classes = load_digits(return_X_y=True)
    rest, test = train_test_split(range(len(classes)), test_size=_TESTED, stratify=classes, random_state=seed)
    training, validation = train_test_split(
        rest, test_size=_VALIDATED / (1 - _TESTED), stratify=classes[rest], random_state=seed
    )
    mean, deviation = inputs[training].mean(), inputs[training].std()
    scaled = torch.tensor((inputs - mean) / deviation, dtype=torch.float32, device=device)
    numbers = torch.tensor(classes, device=device)
    first, second, third = ((scaled[rows], numbers[rows]) for rows in (training, validation, test))
    return first, second, third


def _accuracy(examples: Batch) -> Callable[[nn.Module], float]:
    inputs, classes = examples

    def share_right(network: nn.Module) -> float:
        with torch.no_grad():
            return float((network(inputs).argmax(dim=1) == classes).float().mean())

    return share_right


def _root_mean_square(values: Tensor) -> float:
    return values.square().mean().sqrt().item()


def _norm(gradient: Tensor | None) -> float:
    return 0.0 if gradient is None else gradient.norm().item()
