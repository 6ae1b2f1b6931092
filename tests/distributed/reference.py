"""What strategies must equal in a limit: plain SGD in this process, on the same batches."""

from __future__ import annotations

from pathlib import Path

import torch
from torch import Tensor

from advisor.distributed.learning.lesson import Lesson
from advisor.distributed.task import Task


def sequential(lesson: Lesson, task: Task, *, steps: int, batches: int = 1, seed: int = 0) -> Tensor:
    """The weights (weights,) after steps along the sum of the gradients of so many batches each, at the rate of the task."""
    network, stream = lesson.fresh(seed), lesson.stream(task.batch, seed)
    for number in range(steps):
        network.zero_grad()
        for batch in range(batches):
            rows = stream.rows(number * batches + batch)
            lesson.loss(network(lesson.inputs[rows]), lesson.targets[rows]).backward()
        with torch.no_grad():
            for weights in network.parameters():
                assert weights.grad is not None
                weights -= task.rate * weights.grad
    return torch.cat([weights.detach().reshape(-1) for weights in network.parameters()])


def left(folder: Path, strategy: str, seed: int = 0) -> Tensor:
    """The last weights of a run."""
    found: Tensor = torch.load(folder / f"{strategy.replace(':', '-')}-{seed}.pt")
    return found


def apart(one: Tensor, other: Tensor) -> float:
    """The largest difference of two weights, by the largest weight."""
    return float((one - other).abs().max() / other.abs().max())
