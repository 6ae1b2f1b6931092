"""Averages of gradients as they arrive when they are sent with fewer bits or numbers, as the hooks of torch do it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import torch
from torch import Generator, Tensor

from advisor.distributed.strategies import Strategy

_PLAIN_STEPS = 2
"""Before PowerSGD begins, as in real runs."""
_WORTH = 2
"""Times fewer numbers, at least, that a matrix must have as two factors (`min_compression_rate` of torch's hook)."""


class Averaging(Protocol):
    """One round after the other: a gradient of each worker, then their mean."""

    def add(self, worker: int, gradient: Tensor) -> None:
        """Take a worker's gradient (weights,); it may be kept."""

    def mean(self) -> Tensor:
        """The mean of all (weights,), as every worker gets it."""


def averaging(strategy: Strategy, parameters: Sequence[Tensor], workers: int) -> Averaging:
    """The averaging of a strategy. `parameters` give the shapes of what is in a gradient, in order."""
    if strategy.name == "powersgd":
        return PowerSgd(parameters, workers, strategy.whole("rank"))
    return Halves(workers) if strategy.name == "fp16_compression" else Plain(workers)


class Plain:
    """All bits of all numbers."""

    def __init__(self, workers: int) -> None:
        self._workers = workers
        self._gradients: list[Tensor] = []

    def add(self, worker: int, gradient: Tensor) -> None:
        self._gradients.append(gradient)

    def mean(self) -> Tensor:
        total = torch.stack(self._gradients).sum(0)
        self._gradients.clear()
        return total / self._workers


class Halves(Plain):
    """Numbers of 16 bits, in which they are also added up."""

    def add(self, worker: int, gradient: Tensor) -> None:
        super().add(worker, gradient.half())

    def mean(self) -> Tensor:
        gradients = torch.stack(self._gradients)
        self._gradients.clear()
        return (gradients / self._workers).sum(0).to(torch.float64)


class PowerSgd:
    """Two thin factors in place of a matrix; what they leave out is added to the next gradient (Vogels et al. 2019, algorithms 1
    and 2)."""

    def __init__(self, parameters: Sequence[Tensor], workers: int, rank: int) -> None:
        self._workers = workers
        self._places: list[tuple[slice, tuple[int, int]]] = []
        """Of matrices in a gradient, and their rows and columns."""
        self._factors: list[Tensor] = []
        """The second of each matrix, from the round before, (columns, rank)."""
        self._errors: Tensor | None = None
        """Parts left out of each worker's gradient, (workers, weights)."""
        self._gradients: list[Tensor] = []
        self._round = 0
        drawn, begin = Generator().manual_seed(0), 0
        for one in parameters:
            if one.dim() > 1:
                rows, columns = one.flatten(1).shape
                if (rows + columns) * rank * _WORTH < rows * columns:
                    self._places.append((slice(begin, begin + one.numel()), (rows, columns)))
                    size = columns, min(rank, rows, columns)
                    self._factors.append(torch.randn(size, generator=drawn, dtype=one.dtype))
            begin += one.numel()

    def add(self, worker: int, gradient: Tensor) -> None:
        self._gradients.append(gradient)

    def mean(self) -> Tensor:
        gradients = torch.stack(self._gradients)
        self._gradients.clear()
        self._round += 1
        if self._round <= _PLAIN_STEPS:
            return gradients.sum(0) / self._workers
        if self._errors is None:
            self._errors = torch.zeros_like(gradients)
        wanted = gradients + self._errors
        mean = gradients.sum(0) / self._workers
        for place, (part, shape) in enumerate(self._places):
            matrices = wanted[:, part].view(-1, *shape)
            first, _ = torch.linalg.qr((matrices @ self._factors[place]).mean(0))
            second = (matrices.transpose(1, 2) @ first).mean(0)
            mean[part] = (first @ second.T).reshape(-1)
            self._errors[:, part] = wanted[:, part] - mean[part]
            self._factors[place] = second
        return mean
