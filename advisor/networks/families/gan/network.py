"""The generative adversarial network: one network produces examples from noise, another learns to tell them from real ones.

Goodfellow et al. 2014 (arXiv:1406.2661), with the loss of its section 3 that does not saturate; pictures by strided
convolutions as in Radford, Metz and Chintala 2016 (arXiv:1511.06434).
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import NamedTuple

import torch
from torch import Generator, Tensor, nn
from torch.func import functional_call
from torch.nn import functional

from advisor.networks.parts.layers import Following, Size, dense, shrinkage, spreading
from advisor.networks.parts.sizes import NOISE_WIDTH, halvings


class Judged(NamedTuple):
    """The judge's logits that examples are real, (batch, 1) each."""

    real: Tensor
    produced: Tensor
    """No gradient goes to the generator."""
    passed_off: Tensor
    """The same examples once more; no gradient goes to the judge."""


class Judge(nn.Module):
    """(batch, ...) -> (batch, 1), from produced to real."""

    def __init__(self, layers: nn.Sequential) -> None:
        super().__init__()
        self.layers = nn.ModuleList(layers)

    def forward(self, examples: Tensor) -> Tensor:
        for layer in self.layers:
            examples = layer(examples)
        return examples


class Adversaries(nn.Module):
    """(batch, ...) of real examples -> Judged, beside as many that are produced.

    Each part of Judged reaches one player's weights only, so the sum of both losses has each player's own gradient:
    a step on it is a step of both at once.
    """

    def __init__(self, generator: nn.Module, judge: Judge) -> None:
        super().__init__()
        self.generator, self.judge = generator, judge

    def forward(self, examples: Tensor) -> Judged:
        produced = self.produce(len(examples), device=examples.device)
        weights = {name: weight.detach() for name, weight in self.judge.named_parameters()}
        passed_off = functional_call(self.judge, weights, (produced,))
        return Judged(self.judge(examples), self.judge(produced.detach()), passed_off)

    def produce(self, number: int, generator: Generator | None = None, device: torch.device | None = None) -> Tensor:
        """So many examples from new noise."""
        noise = torch.randn(number, NOISE_WIDTH, generator=generator, device=device)
        produced: Tensor = self.generator(noise)
        return produced

    def sample(self, number: int, generator: Generator | None = None) -> Tensor:
        """(number, ...) of new examples."""
        return self.produce(number, generator, next(self.parameters()).device)


def dense_players(shape: tuple[int, ...], units: tuple[int, ...], following: Following) -> tuple[nn.Sequential, Judge]:
    """Generator and judge of examples of this shape: linear layers, which the generator goes through in reverse."""
    values = math.prod(shape)
    judge = Judge(nn.Sequential(nn.Flatten(), *dense((values, *units, 1), following)))
    return nn.Sequential(dense((NOISE_WIDTH, *units[::-1], values), following), nn.Unflatten(1, shape)), judge


def picture_players(channels: tuple[int, ...], size: Size, following: Following) -> tuple[nn.Sequential, Judge]:
    """Generator and judge of pictures of channels[0]: a convolution for each further number, halving where it can."""
    halved = halvings(math.gcd(*size), len(channels) - 1)
    layers: list[nn.Module] = []
    for (before, after), half in zip(pairwise(channels), halved, strict=True):
        kernel, stride = (4, 2) if half else (3, 1)
        layers += [nn.Conv2d(before, after, kernel, stride=stride, padding=1), *following(after)]
    shrink = shrinkage(channels, size)
    smallest = channels[-1] * (size[0] // shrink) * (size[1] // shrink)
    judge = Judge(nn.Sequential(*layers, nn.Flatten(), nn.Linear(smallest, 1)))
    return spreading(NOISE_WIDTH, channels[::-1], size, following), judge


def judging(judged: Judged) -> Tensor:
    """The judge's loss: real taken for produced, and produced for real (Goodfellow et al. 2014, equation 1)."""
    return functional.softplus(-judged.real).mean() + functional.softplus(judged.produced).mean()


def passing_off(judged: Judged) -> Tensor:
    """The generator's loss, which does not saturate (Goodfellow et al. 2014, section 3)."""
    return functional.softplus(-judged.passed_off).mean()


def adversarial(judged: Judged, examples: Tensor) -> Tensor:
    """Both players' losses; each has a gradient for its own player only."""
    return judging(judged) + passing_off(judged)
