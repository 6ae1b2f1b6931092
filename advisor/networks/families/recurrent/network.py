"""Recurrent networks: for series and texts, read step by step with a memory of what came before.

Elman 1990, Finding structure in time; Hochreiter and Schmidhuber 1997, Long short-term memory.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import torch
from torch import Tensor, nn

from advisor.networks.parts.layers import dropped, normalized


class Recurrent(nn.Module):
    """(batch, steps, widths[0]), or (batch, steps) of tokens -> (batch, outputs), or (batch, steps, outputs).

    Layers of any widths follow one another. The last step answers for the example, or every step for itself.

    Args:
        layer: makes a layer from the widths before and after it, see `lstm` and `rnn`.
        tokens: number of different tokens, each of which is given widths[0] numbers; None for steps of values.
        padded: whether token 0 only fills up short texts: then the last step before it answers.
        dropout: the share of values that are left out after each layer.
        normalization: none, or layer_norm after each layer, of each step by itself.
    """

    def __init__(
        self,
        layer: Callable[[int, int], nn.RNNBase],
        widths: tuple[int, ...],
        outputs: int,
        dropout: float = 0.0,
        *,
        normalization: str = "none",
        tokens: int | None = None,
        every_step: bool = False,
        padded: bool = False,
    ) -> None:
        super().__init__()
        padding = 0 if padded else None
        self.embedding = nn.Identity() if tokens is None else nn.Embedding(tokens, widths[0], padding_idx=padding)
        self.layers = nn.ModuleList(layer(before, after) for before, after in pairwise(widths))
        self.following = nn.ModuleList(
            nn.Sequential(*normalized(normalization, width, 0), *dropped(dropout)) for width in widths[1:]
        )
        self.every_step, self.padded = every_step, padded
        self.head = nn.Linear(widths[-1], outputs)

    def forward(self, examples: Tensor) -> Tensor:
        memory = self.embedding(examples)
        for layer, following in zip(self.layers, self.following, strict=True):
            memory, _ = layer(memory)
            memory = following(memory)
        result: Tensor = self.head(memory if self.every_step else self._last(memory, examples))
        return result

    def _last(self, memory: Tensor, examples: Tensor) -> Tensor:
        if not self.padded:
            return memory[:, -1]
        last = (examples != 0).sum(1).clamp(min=1) - 1
        return memory[torch.arange(len(memory), device=memory.device), last]


def lstm(inputs: int, units: int) -> nn.RNNBase:
    """A layer with gates of its own, whatever the activation of the network."""
    return nn.LSTM(inputs, units, batch_first=True)


def rnn(inputs: int, units: int) -> nn.RNNBase:
    """A layer that squashes its memory by tanh."""
    return nn.RNN(inputs, units, batch_first=True)


def relu_rnn(inputs: int, units: int) -> nn.RNNBase:
    """A layer that cuts its memory off below zero."""
    return nn.RNN(inputs, units, batch_first=True, nonlinearity="relu")
