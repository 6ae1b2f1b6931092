"""A player's turn: from a batch to changed weights."""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
from torch import Tensor, nn

from advisor.training.loop.batches import in_order
from advisor.training.loop.objectives import Batch, Player
from advisor.training.loop.optimizers import decay_loss, optimizer
from advisor.training.loop.schedules import schedule
from advisor.training.recipe import Recipe


class DivergedError(Exception):
    """The loss is infinite or no number."""


class Step:
    """One step along the gradients of the batch."""

    def __init__(self, player: Player, recipe: Recipe, steps: int) -> None:
        self._player, self._recipe = player, recipe
        self._optimizer = optimizer(recipe.optimizer, player.parameters, recipe.learning_rate, recipe.weight_decay)
        self._schedule = schedule(recipe.schedule, self._optimizer, steps, int(recipe.warmup_share * steps))

    def take(self, batch: Batch) -> float:
        """Change the player's weights; the mean loss of the batch before that. Raises DivergedError."""
        self._optimizer.zero_grad(set_to_none=True)
        loss = computed(self._player.loss, batch, self._recipe.precision)
        value = finite(loss)
        loss.backward()  # type: ignore[no-untyped-call]
        if self._recipe.clip_norm is not None:
            nn.utils.clip_grad_norm_(self._player.parameters, self._recipe.clip_norm)
        self._optimizer.step()
        self._schedule.step()
        return value


class WholeStep:
    """L-BFGS: up to 20 steps, each along a line that is searched for its lowest point, over all examples at once.

    The examples go through the network in batches whose gradients add up, so that memory does not grow with them. Each
    time the loss is computed it draws the same random numbers, without which a search along a line finds nothing.
    """

    def __init__(self, player: Player, recipe: Recipe, before_batch: Callable[[], None]) -> None:
        self._player, self._recipe, self._before_batch = player, recipe, before_batch
        self._optimizer = optimizer(recipe.optimizer, player.parameters, recipe.learning_rate)

    def take(self, batch: Batch) -> float:
        seed = int(torch.randint(2**31, ()))
        losses: list[float] = []

        def closure() -> float:
            begin_at(seed, batch[0].device)
            self._optimizer.zero_grad(set_to_none=True)
            losses.append(sum(self._backward(part, len(batch[0])) for part in in_order(batch, self._recipe.batch_size)))
            return losses[-1] + self._decay()

        self._optimizer.step(closure)
        return losses[0]

    def _backward(self, part: Batch, examples: int) -> float:
        self._before_batch()
        loss = computed(self._player.loss, part, self._recipe.precision) * (len(part[0]) / examples)
        value = finite(loss)
        loss.backward()  # type: ignore[no-untyped-call]
        return value

    def _decay(self) -> float:
        if not self._recipe.weight_decay:
            return 0.0
        loss = decay_loss(self._player.parameters, self._recipe.weight_decay)
        loss.backward()  # type: ignore[no-untyped-call]
        return finite(loss)


def computed(loss: Callable[[Batch], Tensor], batch: Batch, precision: str) -> Tensor:
    """The loss in 32 bits; with `bf16` the products that lead to it are in bfloat16, on a processor as on a card."""
    device = batch[0].device.type
    with torch.autocast(device, torch.bfloat16, enabled=precision == "bf16"):
        return loss(batch).float()


def finite(loss: Tensor) -> float:
    """Its value. Raises DivergedError."""
    value = loss.item()
    if not math.isfinite(value):
        raise DivergedError
    return value


def begin_at(seed: int, device: torch.device) -> None:
    """Let torch's generators of the processor and of this device begin anew.

    torch.manual_seed does so for every device there might be, which takes milliseconds, and small networks have as short
    epochs.
    """
    torch.default_generator.manual_seed(seed)
    if device.type != "cpu":
        torch.get_device_module(device).manual_seed(seed)
