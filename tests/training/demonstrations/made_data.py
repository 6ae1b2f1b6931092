"""Data to demonstrate networks on: pictures that scikit-learn ships, and what seeded generators make."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache

import torch
from sklearn.datasets import load_digits
from torch import Generator, Tensor

from advisor.networks.families.gnn.network import Graph
from tests.networks.trees import Tree, packed

HELD_OUT = 0.25


@dataclass(frozen=True, slots=True)
class Parts:
    """Examples to learn from, and examples that are only looked at in the end."""

    inputs: Tensor
    targets: Tensor
    held_out_inputs: Tensor
    held_out_targets: Tensor


def divided(inputs: Tensor, targets: Tensor, seed: int) -> Parts:
    """By chance, a quarter held out."""
    order = torch.randperm(len(inputs), generator=Generator().manual_seed(seed))
    held, rest = order[: int(HELD_OUT * len(order))], order[int(HELD_OUT * len(order)) :]
    return Parts(inputs[rest], targets[rest], inputs[held], targets[held])


@cache
def _digits() -> tuple[Tensor, Tensor]:
    digits = load_digits()
    pictures = torch.tensor(digits.images, dtype=torch.float32)[:, None] / 16
    return pictures, torch.tensor(digits.target, dtype=torch.int64)


def digits(seed: int, most: int | None = None) -> Parts:
    """Handwritten digits, float32 (1797, 1, 8, 8) from 0 to 1, and which they are, int64 (1797,)."""
    pictures, classes = _digits()
    chosen = torch.randperm(len(pictures), generator=Generator().manual_seed(seed))[:most]
    return divided(pictures[chosen], classes[chosen], seed)


def ring(number: int, seed: int) -> Parts:
    """Points (number, 2) in eight heaps on a circle, with mean 0 and variance about 1 along both axes."""
    chance = Generator().manual_seed(seed)
    heaps = torch.randint(8, (number,), generator=chance)
    angles = heaps * (math.tau / 8)
    points = math.sqrt(2) * torch.stack([angles.cos(), angles.sin()], dim=1)
    return divided(points + 0.1 * torch.randn(number, 2, generator=chance), heaps, seed)


def rhythm(number: int, steps: int, seed: int) -> Parts:
    """Series (number, steps, 1): a wave of any phase, its length between 5 and 12 steps, and noise. Foretell the next value.

    Targets (number, 1) are without noise.
    """
    chance = Generator().manual_seed(seed)
    lengths = 5 + 7 * torch.rand(number, 1, generator=chance)
    phases = math.tau * torch.rand(number, 1, generator=chance)
    waves = torch.sin(phases + math.tau * torch.arange(steps + 1) / lengths)
    noisy = waves[:, :-1] + 0.1 * torch.randn(number, steps, generator=chance)
    return divided(noisy[:, :, None], waves[:, -1:], seed)


def recall(number: int, steps: int, seed: int) -> Parts:
    """Series (number, steps, 2): which of four signs stood at the beginning, before steps that say nothing?

    Two values tell the sign; the others are noise of the same size. After Hochreiter and Schmidhuber 1997, section 5.
    """
    chance = Generator().manual_seed(seed)
    series = 2 * torch.rand(number, steps, 2, generator=chance) - 1
    signs = torch.randint(4, (number,), generator=chance)
    series[:, 0] = 2.0 * torch.stack([signs % 2, signs // 2], dim=1) - 1
    return divided(series, signs, seed)


def babble(number: int, steps: int, tokens: int, seed: int) -> Parts:
    """Texts (number, steps) of made-up tokens, and the same one step later: which token comes depends on the last two.

    It is the predicted one in nine cases of ten, and any otherwise.
    """
    chance = Generator().manual_seed(seed)
    habit = torch.randint(tokens, (tokens, tokens), generator=Generator().manual_seed(1))
    texts = torch.randint(tokens, (number, steps + 1), generator=chance)
    usual = torch.rand(number, steps + 1, generator=chance) < 0.9
    for step in range(2, steps + 1):
        predicted = habit[texts[:, step - 2], texts[:, step - 1]]
        texts[:, step] = torch.where(usual[:, step], predicted, texts[:, step])
    return divided(texts[:, :-1].contiguous(), texts[:, 1:].contiguous(), seed)


OPERATORS = 3
"""Or, and, exclusive or are tokens 1 to 3; false and true follow."""


def logic(number: int, leaves: int, seed: int) -> Parts:
    """Expressions such as `(true and false) or true` as trees (number, 2 * leaves - 1, 3), and whether they are true."""
    chance = Generator().manual_seed(seed)
    trees, truths = zip(*(_expression(leaves, chance) for _ in range(number)), strict=True)
    return divided(packed(trees, 2 * leaves - 1), torch.tensor(truths, dtype=torch.int64), seed)


def _expression(leaves: int, chance: Generator) -> tuple[Tree, bool]:
    if leaves == 1:
        value = _draw(2, chance)
        return 1 + OPERATORS + value, bool(value)
    on_the_left = 1 + _draw(leaves - 1, chance)
    left, first = _expression(on_the_left, chance)
    right, second = _expression(leaves - on_the_left, chance)
    operator = _draw(OPERATORS, chance)
    return (1 + operator, left, right), (first or second, first and second, first != second)[operator]


def _draw(most: int, chance: Generator) -> int:
    return int(torch.randint(most, (), generator=chance))


def blocks(number: int, seed: int) -> tuple[Graph, Parts]:
    """A graph of four groups whose members know one another more often, and what little each tells of its group.

    Values (number, 4) are as much noise. The parts hold node numbers and groups; three quarters are held out.
    After Holland, Laskey and Leinhardt 1983, Stochastic blockmodels.
    """
    chance = Generator().manual_seed(seed)
    groups = torch.randint(4, (number,), generator=chance)
    values = torch.nn.functional.one_hot(groups, 4) + torch.randn(number, 4, generator=chance)
    likely = torch.where(groups[:, None] == groups, 32 / number, 4 / number)
    joined = torch.triu(torch.rand(number, number, generator=chance) < likely, diagonal=1)
    edges = (joined | joined.t()).nonzero().t().contiguous()
    parts = divided(torch.arange(number), groups, seed)
    swapped = Parts(parts.held_out_inputs, parts.held_out_targets, parts.inputs, parts.targets)
    return Graph(values, edges), swapped
