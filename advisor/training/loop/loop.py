"""The loop that trains: one for all networks, whatever their loss and however many players."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import torch
from torch import nn

from advisor.training.loop.batches import in_order, number_of_batches, shuffled
from advisor.training.loop.objectives import Batch, Objective
from advisor.training.loop.turns import DivergedError, Step, WholeStep, begin_at, computed
from advisor.training.recipe import Epoch, Recipe, Stop, Trained

Score = Callable[[nn.Module], float]
"""A number for the module, which is in evaluation mode; greater is better."""

_MOST_EPOCHS = 1_000_003
"""So far apart are the random numbers of two seeds."""


def train(
    objective: Objective,
    training: Batch,
    recipe: Recipe,
    *,
    validation: Batch | None = None,
    score: Score | None = None,
    until: float | None = None,
    on_epoch: Callable[[Epoch], None] | None = None,
) -> Trained:
    """Train the objective's module in place, from the weights that it has.

    An epoch is judged by `score`, or else by the loss of the validation examples. At the end, whatever ended it,
    KeyboardInterrupt included, the module is in evaluation mode and holds the weights of the epoch judged best. Without
    judgement it holds those of the last whole epoch, or where the deadline came, of the last step.

    The same seed gives the same weights bit for bit on a processor with the same number of threads. Random numbers come
    from torch's global generator, which is as before afterwards; those of an epoch follow from the seed and its number.

    Args:
        training: tensors with one entry for each example. Batches go to the device of the module.
        until: a time of time.monotonic; once it has come no further batch is begun.
        on_epoch: told of each epoch.
    """
    with _surroundings(recipe, _device(objective)):
        run = _Run(objective, training, recipe, validation, score, math.inf if until is None else until)
        begun = time.monotonic()
        try:
            stopped = run.to_the_end(on_epoch)
        finally:
            objective.module.load_state_dict(run.best)
            objective.module.eval()
    return Trained(tuple(run.history), run.best_epoch, run.best_validation, stopped, time.monotonic() - begun)


class _LateError(Exception):
    """The deadline has come."""


@dataclass
class _Run:
    """One training under way."""

    objective: Objective
    training: Batch
    recipe: Recipe
    validation: Batch | None
    score: Score | None
    until: float

    def __post_init__(self) -> None:
        self._device = _device(self.objective)
        self._whole = self.recipe.optimizer == "lbfgs"
        self._turns = self._players_turns()
        self.history: list[Epoch] = []
        self.best = _weights_of(self.objective.module)
        self.best_epoch = 0
        self.best_validation: float | None = None

    def to_the_end(self, on_epoch: Callable[[Epoch], None] | None) -> Stop:
        """Train, and tell why it ended."""
        try:
            while len(self.history) < self.recipe.epochs:
                if self._patience_is_over():
                    return Stop.EARLY
                self._epoch(len(self.history) + 1)
                if on_epoch is not None:
                    on_epoch(self.history[-1])
        except DivergedError:
            return Stop.DIVERGED
        except _LateError:
            if self.best_validation is None and not self._whole:  # L-BFGS may be in the middle of a search
                self.best = _weights_of(self.objective.module)
            return Stop.TIME
        return Stop.EPOCHS

    def _players_turns(self) -> Sequence[Step | WholeStep]:
        players = self.objective.players()
        if self._whole:
            return [WholeStep(player, self.recipe, self._look_at_the_clock) for player in players]
        steps = number_of_batches(len(self.training[0]), self.recipe.batch_size) * self.recipe.epochs
        return [Step(player, self.recipe, steps) for player in players]

    def _epoch(self, number: int) -> None:
        begun = time.monotonic()
        begin_at((self.recipe.seed * _MOST_EPOCHS + number) % 2**63, self._device)
        self.objective.module.train()
        total = 0.0
        for batch in self._batches():
            self._look_at_the_clock()
            there = tuple(tensor.to(self._device) for tensor in batch)
            total += sum(turn.take(there) for turn in self._turns) * len(batch[0])
        judgement = self._judgement()
        self._keep_the_best(number, judgement)
        loss = total / len(self.training[0])
        self.history.append(Epoch(number, loss, judgement, time.monotonic() - begun))

    def _batches(self) -> Iterable[Batch]:
        if self._whole:
            return [self.training]
        return shuffled(self.training, self.recipe.batch_size, torch.default_generator)

    def _look_at_the_clock(self) -> None:
        if time.monotonic() >= self.until:
            raise _LateError

    @torch.no_grad()
    def _judgement(self) -> float | None:
        """The score or the loss of the validation examples, with the same random numbers after every epoch."""
        begin_at(self.recipe.seed, self._device)
        self.objective.module.eval()
        if self.score is not None:
            return float(self.score(self.objective.module))
        if self.validation is None:
            return None
        total = 0.0
        for batch in in_order(self.validation, 4 * self.recipe.batch_size):  # keeps nothing for going backwards
            self._look_at_the_clock()
            there = tuple(tensor.to(self._device) for tensor in batch)
            total += computed(self.objective.loss, there, self.recipe.precision).item() * len(batch[0])
        return total / len(self.validation[0])

    def _keep_the_best(self, number: int, judgement: float | None) -> None:
        """Keep the best weights; a loss that is no number is no improvement."""
        if judgement is None or (math.isfinite(judgement) and self._is_better(judgement)):
            self.best = _weights_of(self.objective.module)
            self.best_epoch, self.best_validation = number, judgement

    def _is_better(self, judgement: float) -> bool:
        if self.best_validation is None:
            return True
        return judgement > self.best_validation if self.score is not None else judgement < self.best_validation

    def _patience_is_over(self) -> bool:
        patience = self.recipe.patience
        return patience is not None and len(self.history) - self.best_epoch >= patience


def _weights_of(module: nn.Module) -> dict[str, torch.Tensor]:
    """A copy of its weights and buffers, which training goes on without."""
    return {name: tensor.detach().clone() for name, tensor in module.state_dict().items()}


def _device(objective: Objective) -> torch.device:
    return next(objective.module.parameters()).device


@contextmanager
def _surroundings(recipe: Recipe, device: torch.device) -> Iterator[None]:
    """The recipe's threads, and random numbers of its own; all as before at the end."""
    threads = torch.get_num_threads()
    with torch.random.fork_rng([device] if device.type == "cuda" else []):
        torch.set_num_threads(recipe.threads or threads)
        try:
            yield
        finally:
            torch.set_num_threads(threads)
