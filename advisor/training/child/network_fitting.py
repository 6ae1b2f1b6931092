"""Trains a network as a candidate's settings say, within the time that it may take."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TypeAlias

import numpy
import torch
from torch import Tensor, nn

from advisor.networks.builders import build, loss_function
from advisor.networks.parts.supervised import quantile_loss
from advisor.networks.registry import family
from advisor.networks.spec import Description
from advisor.training.child.fitted import HURRIED, Allowance, Fitted, FittingError, Numbers, TooSlowError
from advisor.training.child.threads import chosen
from advisor.training.ladder.candidates import FEWEST_EPOCHS, STEPS, NetworkSettings
from advisor.training.loop.initialisation import initialise
from advisor.training.loop.loop import train
from advisor.training.loop.objectives import Supervised
from advisor.training.recipe import Epoch, Recipe, Stop

Part: TypeAlias = tuple[Numbers, Numbers]
"""Inputs and targets."""

SMALL_NETWORK = 300_000
"""Weights below which a step of a feed-forward network is faster on one thread than on several."""
LBFGS_EPOCHS = 10
"""Each is up to twenty steps over all examples."""
ATTEMPTS, MUCH_MORE = 2, 2
"""A training that had few epochs, since the one that was timed had been held up, begins anew with so many times as many."""
TIMED_BATCHES = 6
"""Batches by which an epoch is timed."""
TIMES_TIMED = 3
"""The shortest counts: the first steps take longer than all others, and any may be held up by other work."""
THREADS_TIMED = 2
"""Times that the steps are timed with one thread and with all, where several may be faster."""
PATIENCE, TIMED_AT_LEAST = 4, 1.0
"""Times what these steps may take in a training that is long enough, after which they are no longer waited for; seconds at
least."""
FEWEST_STEPS = STEPS // 5
"""Steps from which on a network can be judged, if they are enough epochs."""
_AT_ONCE = 1024


_Pace: TypeAlias = tuple[str, tuple[int, ...], str, float, str, int]
"""Everything that decides how long an epoch takes: type, widths, normalisation, dropout, optimiser, batch size."""


def _warm_up() -> None:
    """The first step of torch loads a good part of it, which takes seconds that are no training's doing."""
    spec = Description("ffn", "tabular", 2, 2, (2,))
    _, objective = _made(spec, NetworkSettings("ffn", (2,)), 0)
    train(objective, (torch.zeros(4, 2), torch.zeros(4, dtype=torch.int64)), Recipe(optimizer="adamw", epochs=1))


class NetworkFitting:
    """Trains networks; remembers how long an epoch of each takes."""

    def __init__(self, threads: int, share: float | None = None) -> None:
        """
        Args:
            share: the quantile that networks with the quantile loss are fitted to; None where none has it.
        """
        self._threads = threads
        self._share = share
        self._faster: dict[_Pace, int] = {}
        """Threads that are faster than one, or one."""
        self._epoch_seconds: dict[_Pace, float] = {}
        _warm_up()

    def fit(
        self,
        spec: Description,
        settings: NetworkSettings,
        learning: Part,
        stopping: Part | None,
        test: Numbers,
        seed: int,
        allowance: Allowance,
        on_epoch: Callable[[Epoch], None] | None = None,
    ) -> tuple[Fitted, nn.Module]:
        """Learn from `learning`, stop by `stopping` if it is given; the outputs (n, outputs) for the test inputs,
        and the network.

        Raises FittingError, and UnbuildableError where the network cannot be built.
        """
        network, objective = _made(spec, settings, seed, self._share)
        small = family(settings.network).takes_rows and sum(p.numel() for p in network.parameters()) < SMALL_NETWORK
        recipe = Recipe(
            optimizer=settings.optimizer,
            learning_rate=settings.learning_rate,
            batch_size=settings.batch_size,
            epochs=_epochs(settings, len(learning[0])),
            init=settings.init,
            schedule=settings.schedule,
            weight_decay=settings.weight_decay,
            patience=None,
            seed=seed,
            threads=1 if small else self._threads,
        )
        examples = _tensors(learning)
        validation = _tensors(stopping) if stopping is not None else None
        self._time_an_epoch(spec, settings, recipe, examples, allowance)
        self._check_time(settings, recipe, len(learning[0]), allowance)
        for attempt in range(ATTEMPTS):
            epochs = self._affordable(settings, recipe, allowance)
            patience = max(FEWEST_EPOCHS, epochs // 8) if validation is not None else None
            threads = 1 if small else self._faster[_pace(settings)]
            planned = replace(recipe, epochs=epochs, patience=patience, threads=threads)
            begun, late = time.monotonic(), allowance.deadline()
            trained = train(objective, examples, planned, validation=validation, until=late, on_epoch=on_epoch)
            if not trained.history:
                break
            self._epoch_seconds[_pace(settings)] = (time.monotonic() - begun) / len(trained.history)
            if attempt + 1 == ATTEMPTS or self._affordable(settings, recipe, allowance) < MUCH_MORE * epochs:
                break
            network, objective = _made(spec, settings, seed, self._share)
        if trained.stopped is Stop.DIVERGED and trained.best_epoch == 0:
            raise FittingError("Its training diverged: the loss was no number any more.")
        outputs = predicted(network, test, threads)
        short, hurried = trained.stopped is Stop.TIME, epochs < HURRIED * recipe.epochs
        return Fitted(outputs, epochs=len(trained.history), short=short, hurried=hurried), network

    def _time_an_epoch(
        self,
        spec: Description,
        settings: NetworkSettings,
        recipe: Recipe,
        examples: tuple[Tensor, Tensor],
        allowance: Allowance,
    ) -> None:
        """Before the first training of a network of this size some of its steps are timed, on a network that is thrown away."""
        key = _pace(settings)
        if key in self._epoch_seconds:
            return
        _, objective = _made(spec, settings, recipe.seed, self._share)
        many, some = len(examples[0]), TIMED_BATCHES * recipe.batch_size
        part = (examples[0][:some], examples[1][:some])
        most = PATIENCE * allowance.seconds / enough_epochs(recipe, many) * len(part[0]) / many
        alone = recipe.threads == 1
        found: dict[int, list[float]] = {}
        for threads in [1] * TIMES_TIMED if alone else [self._threads, 1] * THREADS_TIMED:
            begun = time.monotonic()
            until = min(allowance.until, begun + max(TIMED_AT_LEAST, most if allowance.judged else allowance.seconds))
            tried = train(objective, part, replace(recipe, epochs=1, threads=threads), until=until)
            seconds = time.monotonic() - begun
            found.setdefault(threads, []).append((seconds if tried.history else 2 * seconds) * many / len(part[0]))
            if not tried.history:
                break
        shortest = {threads: min(seconds) for threads, seconds in found.items()}
        self._faster[key] = chosen(shortest)
        self._epoch_seconds[key] = shortest[self._faster[key]]

    def _check_time(self, settings: NetworkSettings, recipe: Recipe, examples: int, allowance: Allowance) -> None:
        """Raises TooSlowError where there is no time for enough epochs."""
        epochs, enough = self._affordable(settings, recipe, allowance), enough_epochs(recipe, examples)
        if allowance.judged and epochs < enough:
            epoch = self._epoch_seconds[_pace(settings)]
            raise TooSlowError(
                f"One epoch takes about {epoch:.2g} s: there was time for {epochs}, and "
                f"{enough} are needed to judge it."
            )

    def _affordable(self, settings: NetworkSettings, recipe: Recipe, allowance: Allowance) -> int:
        """Epochs that there is time for: a schedule that was cut in the middle would leave worse weights than a short one."""
        possible = allowance.seconds / max(self._epoch_seconds[_pace(settings)], 1e-6)
        return max(1, int(min(recipe.epochs, possible)))


def enough_epochs(recipe: Recipe, examples: int) -> int:
    """Epochs after which a network can be judged: half the usual ones, or fewer that are many steps all the same."""
    steps = math.ceil(examples / recipe.batch_size)
    return min(math.ceil(HURRIED * recipe.epochs), max(FEWEST_EPOCHS, math.ceil(FEWEST_STEPS / steps)))


def _made(
    spec: Description, settings: NetworkSettings, seed: int, share: float | None = None
) -> tuple[nn.Module, Supervised]:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        network = build(spec)
    initialise(network, settings.init, settings.activation, seed=seed)
    loss = loss_function(spec)
    if spec.loss == "quantile" and share is not None:
        loss = partial(quantile_loss, share=share)
    return network, Supervised(network, loss)


def _pace(settings: NetworkSettings) -> _Pace:
    what_follows = settings.normalization, settings.dropout
    return settings.network, settings.hidden_units, *what_follows, settings.optimizer, settings.batch_size


def _epochs(settings: NetworkSettings, examples: int) -> int:
    epochs = settings.epochs_for(examples)
    return min(epochs, LBFGS_EPOCHS) if settings.optimizer == "lbfgs" else epochs


def _tensors(part: Part) -> tuple[Tensor, Tensor]:
    inputs, targets = (torch.from_numpy(numpy.ascontiguousarray(array)) for array in part)
    return inputs, targets


@torch.no_grad()
def predicted(network: nn.Module, inputs: Numbers, threads: int) -> Numbers:
    """(n, outputs) as they come."""
    network.eval()
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    values = torch.from_numpy(numpy.ascontiguousarray(inputs))
    try:
        parts = [network(values[start : start + _AT_ONCE]) for start in range(0, len(values), _AT_ONCE)]
    finally:
        torch.set_num_threads(before)
    found: Numbers = torch.cat(parts).numpy()
    return found
